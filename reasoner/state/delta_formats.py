"""Deltas as RDF Patch and as JSON, written line by line, as HTML for notebooks, and RDF Patch read back.

RDF Patch is the format of Apache Jena (https://jena.apache.org/documentation/rdf-patch): a row has an operation code,
terms as in N-Triples, and a full stop. Blank nodes are named by their labels in the store.

A row without a graph is about the default graph. Deviation: prefixes (PA, PD) are read and forgotten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from loaders.local_path import local_path
from reasoner.rules.errors import ParseError, ReasonerError
from reasoner.terms.quads import PendingQuads, checked_graph
from reasoner.terms.term import TextTriple
from reasoner.terms.triple_text import TermError, canonical_term, checked_triples, scan_term

if TYPE_CHECKING:
    from reasoner.state.delta import Delta

Changes = tuple[list[TextTriple], list[TextTriple]]
Target = str | PathLike[str] | BinaryIO

_CODE = re.compile(r"(H|TX|TC|TA|PA|PD|A|D)(?=[ \t.])[ \t]*")
_FIRST_ROW = re.compile(r"\s*(?:#|(?:H|TX|TC|TA|PA|PD|A|D)[ \t.])")
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)[ \t]+")
_BLANK_AS_IRI = re.compile(r"<(_:[^>]*)>")
_SPACE = re.compile(r"[ \t\r]*")
_END = re.compile(r"\.[ \t\r]*(?:#.*)?\n?$")
_CONTENT = "content"
_CLOSURE, _ASSERTED = '"closure"', '"asserted"'
_LISTS = ("not_explicit", "already_explicit", "asserted_added", "asserted_removed")
# What a notebook lists.
_SHOWN = ("asserted_added", "asserted_removed", "inferred_added", "inferred_removed")
_INFERRED = ("became_explicit", "became_inferred", "inferred_added", "inferred_removed")


def patch_lines(delta: Delta, *, inferred: bool = False, previous: str | None = None) -> Iterator[str]:
    """Yield the lines of an RDF Patch.

    It turns what every graph asserted before into what it asserts after; with ``inferred``, the closure before into
    the closure after. ``previous`` is the id of the patch that this one follows in a log.
    """
    yield f"H id <{delta.id}> .\n"
    if previous is not None:
        yield f"H prev <{previous}> .\n"
    yield f"H {_CONTENT} {_CLOSURE if inferred else _ASSERTED} .\n"
    yield "TX .\n"
    if delta.has_graphs and not inferred:
        for code, quads in (("D", delta.quads_removed), ("A", delta.quads_added)):
            yield from (f"{code} {s} {p} {o}{'' if g is None else f' {g}'} .\n" for s, p, o, g in quads)
    else:
        removed, added = ("lost", "gained") if inferred else ("asserted_removed", "asserted_added")
        yield from (f"D {s} {p} {o} .\n" for s, p, o in delta.iterate(removed))
        yield from (f"A {s} {p} {o} .\n" for s, p, o in delta.iterate(added))
    yield "TC .\n"


def json_lines(delta: Delta, *, inferred: bool = True) -> Iterator[str]:
    """Yield the lines of one JSON object, every triple on a line of its own; ``inferred`` says whether the facts that
    were not asserted are in it as well."""
    head = {
        "id": delta.id,
        "strategy": delta.strategy,
        "done": delta.done,
        "reason": delta.reason,
        "seconds": delta.seconds,
        "work": {"instances": delta.work.instances, "total": delta.work.total, "rounds": delta.work.rounds},
        "counts": delta.counts.as_dict(),
    }
    yield "{\n"
    for name, value in head.items():
        yield f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n"
    for name in ("classes_merged", "classes_split"):
        yield from _json_list(name, ({"before": old, "after": new} for old, new in getattr(delta, name)))
    for name in ("violations_appeared", "violations_went"):
        yield from _json_list(name, (violation.as_dict() for violation in getattr(delta, name)))
    if delta.has_graphs:
        for name in ("quads_added", "quads_removed"):
            yield from _json_list(name, getattr(delta, name))
    names = (*_LISTS, *(_INFERRED if inferred else ()))
    for name in names:
        triples = delta.iterate(name) if name not in _LISTS[:2] else getattr(delta, name)
        yield from _json_list(name, triples, last=name == names[-1])
    yield "}\n"


def delta_as_html(delta: Delta) -> str:
    """Return what a notebook shows: the counts, and the facts, classes and violations below them, folded."""
    from reasoner.explanation.notebook import (
        MOST_SHOWN,
        HtmlTerms,
        counted,
        fold,
        framed,
        named_rows,
        table,
        violation_cells,
    )

    names, parts = HtmlTerms(delta.prefixes), [named_rows(delta.rows())]
    for part in _SHOWN:
        if count := getattr(delta.counts, part):
            kind = "gone" if part.endswith("removed") else part.partition("_")[0]
            facts = "".join(
                f'<div class="leaf {kind}">{names.triple(triple)}</div>'
                for triple in islice(delta.iterate(part), MOST_SHOWN)
            )
            parts.append(fold(f"{part.replace('_', ' ')}: {counted(count, 'fact', 'facts')}", facts))
    for title, groups in (("classes merged", delta.classes_merged), ("classes split", delta.classes_split)):
        if groups:
            sides = (
                ["<br/>".join(" = ".join(map(names.term, terms)) for terms in side) for side in group]
                for group in groups[:MOST_SHOWN]
            )
            parts.append(fold(f"{title}: {len(groups):,}", table(("before", "after"), sides)))
    for title, found in (("appeared", delta.violations_appeared), ("went", delta.violations_went)):
        if found:
            rows = (violation_cells(violation, names) for violation in found[:MOST_SHOWN])
            body = table(("rule", "facts", "axioms"), rows)
            parts.append(fold(f"violations that {title}: {len(found):,}", body, is_open=title == "appeared"))
    return framed(*parts)


def write_lines(target: Target, lines: Iterable[str]) -> int:
    """Write lines as UTF-8, and return their number.

    A path is compressed as its extension says, and replaced only once all is written.
    """
    from loaders.write import opened

    with opened(target) as stream:
        count = 0
        for line in lines:
            stream.write(line.encode())
            count += 1
        return count


def read_patch(text: str) -> Changes:
    """Read an RDF Patch: return the triples that it adds to graphs, and those that it only deletes.

    What comes later about a triple counts; what a TA row takes back does not.

    >>> read_patch("A <http://e.org/a> <http://e.org/p> _:b .")
    ([('<http://e.org/a>', '<http://e.org/p>', '_:b')], [])
    """
    request = _Patch("<text>", text.split("\n")).wanted.request()
    return request.coming(), request.going()


def read_changes(patch: str | PathLike[str]) -> PendingQuads:
    """Read a patch of asserted facts, given as its text or as the path of a file, plain or compressed."""
    if isinstance(patch, str) and (not patch.strip() or "\n" in patch or _FIRST_ROW.match(patch)):
        read = _Patch("<text>", patch.split("\n"))
    else:
        read = _Patch(str(patch), _lines_of(local_path(patch)))
    if read.headers.get(_CONTENT) == _CLOSURE:
        raise ReasonerError(
            f"the patch {read.name} tells what a closure became: its inferred facts would become explicit; "
            "write it without inferred facts"
        )
    return read.wanted


def _lines_of(path: Path) -> Iterator[str]:
    from loaders.sources import Source

    with Source(str(path), path).open() as opened:
        for line in opened.stream:
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise ReasonerError(f"cannot read {path}: {error}; a patch is UTF-8 text") from None


class _Patch:
    """A patch as it is read; ``name`` is where it comes from, ``wanted`` what it changes."""

    def __init__(self, name: str, lines: Iterable[str]) -> None:
        self.name = name
        self.headers: dict[str, str] = {}
        self.wanted = PendingQuads()
        self._open: PendingQuads | None = None
        self._number, self._line = 0, ""
        for self._number, self._line in enumerate(lines, 1):
            start = _skip(self._line, 0)
            if self._line[start : start + 1] not in ("", "#"):
                self._read_row(start)
        if self._open is not None:
            raise self._error("the patch ends inside a transaction: TC . is missing", 0)

    def _read_row(self, start: int) -> None:
        code = _CODE.match(self._line, start)
        if code is None:
            raise self._error("expected H, TX, TC, TA, PA, PD, A or D", start)
        match code[1]:
            case "A" | "D" as operation:
                changes = self.wanted if self._open is None else self._open
                (changes.add if operation == "A" else changes.remove)(*self._quad(code.end()))
            case "TX":
                self._terms(code.end(), 0)
                if self._open is not None:
                    raise self._error("a transaction begins inside another: TC . is missing", start)
                self._open = PendingQuads()
            case "TC" | "TA" as operation:
                self._terms(code.end(), 0)
                if self._open is None:
                    raise self._error("a transaction ends that has not begun: TX . is missing", start)
                if operation == "TC":
                    self.wanted.update(self._open)
                self._open = None
            case "H":
                name = _NAME.match(self._line, code.end())
                if name is None:
                    raise self._error("expected the name of a header", code.end())
                (self.headers[name[1]],) = self._terms(name.end(), 1)
            case "PA":
                self._terms(code.end(), 2)
            case "PD":
                self._terms(code.end(), 1)

    def _quad(self, start: int) -> tuple[list[TextTriple], str | None]:
        s, p, o, *graph = self._terms(start, 3, optional=1)
        try:
            return checked_triples((s, p, o)), checked_graph(graph[0]) if graph else None
        except TermError as error:
            raise self._error(f"{error.term} {error.problem}", start) from None
        except ReasonerError as error:
            raise self._error(str(error), start) from None

    def _terms(self, start: int, count: int, *, optional: int = 0) -> list[str]:
        """Read the rest of a row: so many terms, perhaps some more, and a full stop."""
        line, terms = self._line, []
        for place in range(count + optional):
            if place >= count and line[start : start + 1] not in ("<", "_"):
                break
            try:
                if blank := _BLANK_AS_IRI.match(line, start):
                    term, start = canonical_term(blank[1]), blank.end()
                else:
                    term, start = scan_term(line, start)
            except (ValueError, TermError):
                raise self._error("expected a term", start) from None
            terms.append(term)
            start = _skip(line, start)
        if not _END.match(line, start):
            raise self._error("expected . at the end of the row", start)
        return terms

    def _error(self, message: str, start: int) -> ParseError:
        return ParseError(message, file=self.name, line=self._number, column=start + 1, text=self._line)


def _skip(line: str, start: int) -> int:
    match = _SPACE.match(line, start)
    return start if match is None else match.end()


def _json_list(name: str, items: Iterable[object], *, last: bool = False) -> Iterator[str]:
    yield f"{json.dumps(name)}: ["
    separator = "\n"
    for item in items:
        yield separator + json.dumps(item, ensure_ascii=False)
        separator = ",\n"
    yield "]\n" if last else "],\n"
