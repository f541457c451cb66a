"""Triples of tables: of three columns that hold terms, or of any columns by a template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reasoner.errors import ReasonerError
from reasoner.short_terms import COMMON
from reasoner.triple_text import TermError, checked_triples
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from loaders.tables import TextTable

_TRIPLE_COLUMNS = (("s", "p", "o"), ("subject", "predicate", "object"))


def table_triples(source: Any, template: str | None, prefixes: Mapping[str, str], scope: str) -> list[TextTriple]:
    """Return the triples of a DataFrame, an Arrow table, or a file of CSV or Parquet, all checked.

    Without a ``template`` the table has columns s, p and o, or subject, predicate and object, with terms as in
    N-Triples. ``prefixes`` and the common ones need not be declared in a template.
    """
    from loaders.tables import read_table
    from loaders.template import Template

    table = read_table(source)
    if template is not None:
        read = Template(template, {**COMMON, **prefixes})
        return checked_triples(read.triples(table, scope))
    return _written_triples(table)


def _written_triples(table: TextTable) -> list[TextTriple]:
    by_name = {name.lower(): name for name in table.columns}
    names = next((names for names in _TRIPLE_COLUMNS if set(names) <= set(by_name)), None)
    if names is None:
        raise ReasonerError(
            f"{table.name} has the columns {', '.join(table.columns)}: give a template that makes triples of them, "
            "such as '<http://e.org/{id}> a <http://e.org/Person>', or columns s, p and o with terms as in N-Triples"
        )
    columns = [table.columns[by_name[name]].texts for name in names]
    for row, triple in enumerate(zip(*columns, strict=True)):
        for name, term in zip(names, triple, strict=True):
            if term is None:
                raise ReasonerError(f"{table.place(row, by_name[name])} is empty; a triple has three terms")
    triples: list[Any] = list(zip(*columns, strict=True))
    try:
        return checked_triples(triples)
    except TermError as error:
        raise ReasonerError(f"{_place_of(table, names, by_name, triples)}: {error}") from error


def _place_of(table: TextTable, names: tuple[str, ...], by_name: Mapping[str, str], triples: list[Any]) -> str:
    """Name the place of the first term that is none, or none for its place."""
    for row, triple in enumerate(triples):
        try:
            checked_triples(triple)
        except TermError as error:
            column = next((name for name, term in zip(names, triple, strict=True) if term == error.term), names[0])
            return table.place(row, by_name[column])
    return table.name
