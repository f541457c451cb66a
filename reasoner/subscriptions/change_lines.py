"""Changes that come line by line: N-Triples, N-Quads, RDF Patch and SPARQL updates, in any mixture."""

from __future__ import annotations

import os
import re
import select
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TextIO

from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.dynamic.operations import Ticket
    from reasoner.dynamic.session import DynamicSession
    from reasoner.state.session import KnowledgeBase

_MOST_SHOWN = 60

# So many bytes of a stream are read at a time, if there are as many.
_CHUNK = 1 << 16

_BEGINS = re.compile(r"TX\s*\.")
_ENDS = re.compile(r"T[CA]\s*\.")
_PATCH = re.compile(r"(?:A|D|H|PA|PD)\s")
_TRIPLE = re.compile(r"<[^>]*>\s|_:")
_UPDATE = re.compile(
    r"(?:PREFIX|BASE|INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|COPY|MOVE|ADD|WITH)(?![\w.-])", re.IGNORECASE
)


def apply_lines(kb: KnowledgeBase, lines: Iterable[str | None]) -> Iterator[ReasonerError | None]:
    """Apply what lines say as soon as it is complete, and yield for each change the error that kept it out, if any.

    A line of N-Triples or N-Quads is added, a row of RDF Patch added or deleted, each as a change of its own unless
    rows TX and TC surround it. An update in SPARQL begins with one of its keywords, and ends with the line that
    completes it, or with an empty line. A line that is nothing of all that is an error of its own, and the next one is
    read as if it had not been there. Errors name the line that their change begins with.

    Changes go through a dynamic session. None among the lines says that no further line is there yet: what was read
    before it is committed, in as few commits as may be, before the next line is asked for.
    """
    from reasoner.dynamic.session import DynamicSession

    waiting: list[tuple[int, Ticket | ReasonerError]] = []
    with DynamicSession(kb) as session:
        for change in chain(_changes(lines), [None]):
            if isinstance(change, _Change):
                waiting.append((change.number, _submitted(session, change)))
            elif change is not None:
                waiting.append((0, change))
            else:
                yield from (_outcome(number, each) for number, each in waiting)
                waiting = []


def one_by_one(lines: Iterable[str]) -> Iterator[str | None]:
    """Let every change be a commit of its own."""
    for line in lines:
        yield line
        yield None


def as_they_come(stream: TextIO) -> Iterator[str | None]:
    """Yield the lines of a stream, and None whenever no further line is there yet."""
    try:
        file = stream.fileno()
    except (OSError, ValueError):
        yield from stream
        return
    rest = b""
    while chunk := os.read(file, _CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace") + "\n"
        if not select.select([file], [], [], 0)[0]:
            yield None
    if rest:
        yield rest.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Change:
    """A change that is complete: the number of its first line, and an update in SPARQL, or rows of RDF Patch."""

    number: int
    update: str = ""
    rows: tuple[str, ...] = ()


def _changes(lines: Iterable[str | None]) -> Iterator[_Change | ReasonerError | None]:
    block: list[str] | None = None
    update: list[str] = []
    begun = number = 0
    for line in lines:
        if line is None:
            yield None
            continue
        number += 1
        text = line.strip()
        if not update and block is None:
            begun = number
        if update:
            update.append(line)
            if not text or _is_complete("".join(update)):
                yield _Change(begun, update="".join(update))
                update = []
        elif not text or text.startswith("#"):
            continue
        elif block is not None:
            block.append(_row(text) or text)
            if _ENDS.fullmatch(text):
                yield _Change(begun, rows=tuple(block))
                block = None
        elif _BEGINS.fullmatch(text):
            block = [text]
        elif (row := _row(text)) is not None:
            yield _Change(begun, rows=(row,))
        elif not _UPDATE.match(text):
            yield _unknown(begun, text)
        elif _is_complete(line):
            yield _Change(begun, update=line)
        else:
            update = [line]
    if update:
        yield _Change(begun, update="".join(update))
    if block is not None:
        yield _Change(begun, rows=tuple(block))


def _unknown(number: int, text: str) -> ReasonerError:
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
    return ReasonerError(
        f"line {number} of the changes: {shown!r} is neither a triple or quad, nor a row of RDF Patch, "
        "nor the beginning of an update in SPARQL"
    )


def _row(text: str) -> str | None:
    """Return a line as a row of RDF Patch, None if it is none.

    >>> _row("<http://e.org/a> <http://e.org/p> _:b .")
    'A <http://e.org/a> <http://e.org/p> _:b .'
    """
    if _TRIPLE.match(text):
        return "A " + text
    return text if any(kind.match(text) for kind in (_PATCH, _BEGINS, _ENDS)) else None


def _is_complete(text: str) -> bool:
    """Tell whether an update may end here: prefixes alone, and what a semicolon ends, are not all of it."""
    from reasoner.sparql.translate_update import translate_update

    if text.rstrip().endswith(";"):
        return False
    try:
        # Whether its IRIs can be stored is told when it is applied.
        return bool(translate_update(text, base=""))
    except ReasonerError:
        return False


def _submitted(session: DynamicSession[KnowledgeBase], change: _Change) -> Ticket | ReasonerError:
    from reasoner.requests.update import quads_of_data, update
    from reasoner.sparql.translate_update import translate_update
    from reasoner.state.delta_formats import read_changes

    try:
        if not change.update:
            return session.submit_quads(read_changes("\n".join([*change.rows, ""])))
        operations = translate_update(change.update)
        quads = quads_of_data(operations)
        return (
            session.submit_change(lambda kb: update(kb, operations)) if quads is None else session.submit_quads(quads)
        )
    except ReasonerError as error:
        return _at(change.number, error)


def _outcome(number: int, waiting: Ticket | ReasonerError) -> ReasonerError | None:
    if isinstance(waiting, ReasonerError):
        return waiting
    try:
        waiting.wait()
    except ReasonerError as error:
        return _at(number, error)
    return None


def _at(number: int, error: ReasonerError) -> ReasonerError:
    return ReasonerError(f"line {number} of the changes: {error}")
