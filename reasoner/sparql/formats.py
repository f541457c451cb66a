"""Answers in the W3C formats and back: JSON, XML, CSV and TSV for rows and truth values, N-Triples for graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from reasoner.errors import ReasonerError
from reasoner.sparql.format_json import read_json, write_json
from reasoner.sparql.format_separated import read_csv, read_tsv, write_csv, write_tsv
from reasoner.sparql.format_xml import read_xml, write_xml

if TYPE_CHECKING:
    from reasoner.sparql.result import Result

_WRITERS: Mapping[str, Callable[[Result], str]] = {
    "json": write_json,
    "xml": write_xml,
    "csv": write_csv,
    "tsv": write_tsv,
}
_READERS: Mapping[str, Callable[[str], Result]] = {
    "json": read_json,
    "xml": read_xml,
    "csv": read_csv,
    "tsv": read_tsv,
}
T = TypeVar("T")
_NTRIPLES = ("nt", "ntriples", "n-triples", "nt11")


def write(result: Result, format: str) -> str:
    """Write an answer in a format, given by its short name."""
    if result.type in ("CONSTRUCT", "DESCRIBE"):
        if format in _NTRIPLES:
            return "".join(f"{s} {p} {o} .\n" for s, p, o in result.triples())
        graph = result.graph
        assert graph is not None
        from rdflib.plugin import PluginException

        try:
            return graph.serialize(format="turtle" if format in _WRITERS and format != "xml" else format)
        except PluginException as error:
            raise ReasonerError(
                f"unknown format {format!r} of a graph; nt, turtle, xml and json-ld are known"
            ) from error
    return _known(_WRITERS, format)(result)


def read(text: str, format: str) -> Result:
    """Read an answer."""
    return _known(_READERS, format)(text)


def _known(table: Mapping[str, T], format: str) -> T:
    if format not in table:
        raise ReasonerError(f"unknown format {format!r} of query results; choose one of {', '.join(table)}")
    return table[format]
