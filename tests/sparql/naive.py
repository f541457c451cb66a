"""Naive evaluators that share no code with ours: other libraries over the closure, written out as plain triples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pyoxigraph
import rdflib

from loaders.terms import from_oxigraph, from_rdflib, to_oxigraph, to_rdflib

Triple = tuple[str, str, str]
Bag = Counter[frozenset[tuple[str, str]]]


def bag(rows: Iterable[dict[str, str | None]]) -> Bag:
    """Count solutions; what is unbound does not count."""
    return Counter(frozenset((name, text) for name, text in row.items() if text is not None) for row in rows)


def rdflib_bag(triples: Iterable[Triple], query: str) -> Bag:
    """Let rdflib answer a SELECT."""
    graph = rdflib.Graph()
    for triple in triples:
        graph.add(tuple(map(to_rdflib, triple)))
    result = graph.query(query)
    return bag({str(name): _text(row, place) for place, name in enumerate(result.vars)} for row in result)


def _text(row: rdflib.query.ResultRow, place: int) -> str | None:
    return None if row[place] is None else from_rdflib(row[place])


def oxigraph_bag(triples: Iterable[Triple], query: str) -> Bag:
    """Let pyoxigraph answer a SELECT."""
    store = pyoxigraph.Store()
    store.extend(pyoxigraph.Quad(*map(to_oxigraph, triple)) for triple in triples)
    solutions = store.query(query)
    names = [variable.value for variable in solutions.variables]
    return bag(
        {name: None if solution[name] is None else from_oxigraph(solution[name]) for name in names}
        for solution in solutions
    )
