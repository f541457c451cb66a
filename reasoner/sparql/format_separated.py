"""SPARQL 1.1 Query Results CSV and TSV Formats."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from loaders.terms import literal_parts, literal_text, unescape
from reasoner.errors import ReasonerError
from reasoner.rules.term import XSD

if TYPE_CHECKING:
    from reasoner.sparql.result import Result

_NUMBERS = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?[0-9]*\.[0-9]+"), "decimal"),
    (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+"), "double"),
)
_LITERAL = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?""", re.DOTALL)
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")


def write_csv(result: Result) -> str:
    """Write rows; of a literal its lexical form alone."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(_checked(result))
    for row in result.texts():
        writer.writerow([_plain(text) for text in row])
    return target.getvalue()


def write_tsv(result: Result) -> str:
    """Write rows, with terms as in N-Triples."""
    lines = ["\t".join(f"?{name}" for name in _checked(result))]
    lines += ["\t".join(text or "" for text in row) for row in result.texts()]
    return "\n".join(lines) + "\n"


def read_csv(text: str) -> Result:
    """Read rows; the format tells no kinds of terms, so that what looks like an IRI is taken for one."""
    from reasoner.sparql.result import Result

    rows = list(csv.reader(io.StringIO(text, newline="")))
    if not rows:
        raise ReasonerError("not the CSV of query results: the line of variables is missing")
    names = rows[0]
    cells = [[_guessed(cell) for cell in row] for row in rows[1:]]
    _require_width(cells, len(names))
    return Result.of_rows(names, cells)


def read_tsv(text: str) -> Result:
    """Read rows, with terms as in Turtle."""
    from reasoner.sparql.result import Result

    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    names = [name.strip().lstrip("?$") for name in lines[0].split("\t")] if lines[0].strip() else []
    cells = [[_term(cell.strip()) for cell in line.split("\t")] if names else [] for line in lines[1:]]
    _require_width(cells, len(names))
    return Result.of_rows(names, cells)


def _checked(result: Result) -> tuple[str, ...]:
    if result.type == "ASK":
        raise ReasonerError("CSV and TSV hold rows, and ASK has none; write json or xml")
    return result.variables


def _plain(text: str | None) -> str:
    if text is None or text.startswith("_:"):
        return text or ""
    return text[1:-1] if text.startswith("<") else literal_parts(text).lexical


def _guessed(cell: str) -> str | None:
    if cell == "" or cell.startswith("_:"):
        return cell or None
    return f"<{cell}>" if _IRI.fullmatch(cell) else literal_text(cell)


def _term(cell: str) -> str | None:
    if cell == "" or cell.startswith(("<", "_:")):
        return cell or None
    if match := _LITERAL.fullmatch(cell):
        written = match[1] if match[1] is not None else match[2]
        return literal_text(unescape(written), match[3], match[4])
    for pattern, datatype in _NUMBERS:
        if pattern.fullmatch(cell):
            return literal_text(cell, None, XSD + datatype)
    if cell in ("true", "false"):
        return literal_text(cell, None, XSD + "boolean")
    raise ReasonerError(f"not a term in the TSV of query results: {cell[:80]}")


def _require_width(rows: list[list[str | None]], width: int) -> None:
    for number, row in enumerate(rows, 2):
        if len(row) != width:
            raise ReasonerError(f"line {number} of query results has {len(row)} cells for {width} variables")
