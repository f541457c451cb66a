"""Changes that come line by line: N-Triples, N-Quads, RDF Patch and SPARQL updates, in any mixture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

_MOST_SHOWN = 60

_BEGINS = re.compile(r"TX\s*\.")
_ENDS = re.compile(r"T[CA]\s*\.")
_PATCH = re.compile(r"(?:A|D|H|PA|PD)\s")
_TRIPLE = re.compile(r"<[^>]*>\s|_:")
_UPDATE = re.compile(
    r"(?:PREFIX|BASE|INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|COPY|MOVE|ADD|WITH)(?![\w.-])", re.IGNORECASE
)


def apply_lines(kb: Reasoner, lines: Iterable[str]) -> Iterator[ReasonerError | None]:
    """Commit what lines say as soon as it is complete, and yield for each commit the error that kept it from being one.

    A line of N-Triples or N-Quads is added, a row of RDF Patch added or deleted, each as a commit of its own unless
    rows TX and TC surround it. An update in SPARQL begins with one of its keywords, and ends with the line that
    completes it, or with an empty line. A line that is nothing of all that is an error of its own, and the next one is
    read as if it had not been there. Errors name the line that their commit begins with.
    """
    block: list[str] | None = None
    update: list[str] = []
    begun = 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not update and block is None:
            begun = number
        if update:
            update.append(line)
            if not text or _is_complete("".join(update)):
                yield _tried(kb, begun, update="".join(update))
                update = []
        elif not text or text.startswith("#"):
            continue
        elif block is not None:
            block.append(_row(text) or text)
            if _ENDS.fullmatch(text):
                yield _tried(kb, begun, patch=block)
                block = None
        elif _BEGINS.fullmatch(text):
            block = [text]
        elif (row := _row(text)) is not None:
            yield _tried(kb, begun, patch=[row])
        elif not _UPDATE.match(text):
            yield _unknown(begun, text)
        elif _is_complete(line):
            yield _tried(kb, begun, update=line)
        else:
            update = [line]
    if update:
        yield _tried(kb, begun, update="".join(update))
    if block is not None:
        yield _tried(kb, begun, patch=block)


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
        return bool(translate_update(text))
    except ReasonerError:
        return False


def _tried(
    kb: Reasoner, number: int, *, update: str | None = None, patch: list[str] | None = None
) -> ReasonerError | None:
    try:
        if update is not None:
            kb.update(update)
        else:
            with kb.transaction() as change:
                change.apply_patch("\n".join([*(patch or ()), ""]))
    except ReasonerError as error:
        return ReasonerError(f"line {number} of the changes: {error}")
    return None
