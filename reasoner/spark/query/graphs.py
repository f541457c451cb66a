"""The graphs that a query may read: the closure as the default graph, and the named graphs of the store."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import functions as f

from reasoner.quads import ASSERTED, CLOSURE, INFERRED, OWN, checked_graph
from reasoner.spark.query.source import Source, View
from reasoner.sparql.errors import UnsupportedQueryError

# Facts that the default graph asserts besides named ones are noted under this graph.
_DEFAULT = -1


class Graphs:
    """A default graph, and named graphs by the text of their names; FROM and FROM NAMED choose others."""

    def __init__(
        self, source: Source, default: Sequence[str] | None, named: Sequence[str] | None, *, expand: bool = True
    ) -> None:
        self._source = source
        self._closure = source.closure(expand=expand)
        self._chosen = None if named is None else list(named)
        self.default = self._closure if default is None else self._merged(default)

    def named(self, name: str) -> View | None:
        """Return a graph that GRAPH names, None if it is not part of the dataset."""
        return None if self._chosen is not None and name not in self._chosen else self._view(name)

    def listed(self) -> list[str]:
        """Return the names that ``GRAPH ?g`` ranges over."""
        if self._chosen is not None:
            return self._chosen
        if self._source.quads is None:
            return []
        ids = self._source.quads.where(f.col("g") >= 0).select("g").distinct().collect()
        return sorted(self._source.decode(int(row[0]) for row in ids).values())

    def _merged(self, names: Sequence[str]) -> View:
        views = [self._view(name) for name in dict.fromkeys(names)]
        if any(view is self._closure for view in views):
            # All graphs of a store are parts of its closure.
            return self._closure
        nothing = self._source.session.createDataFrame([], "s long, p long, o long")
        merged = nothing
        for view in views:
            merged = merged.unionAll(view.facts)
        return self._source.with_facts(merged.distinct())

    def _view(self, name: str) -> View:
        checked_graph(name, pseudo=True)
        if name == CLOSURE:
            return self._closure
        if name == INFERRED:
            raise UnsupportedQueryError(f"the Spark engine has no graph {name}; read {CLOSURE} less {ASSERTED}")
        if name not in (ASSERTED, OWN):
            return self._source.graph(name)
        explicit = self._source.explicit
        if explicit is None:
            raise UnsupportedQueryError(f"the tables given have no explicit facts, and so no graph {name}")
        quads = self._source.quads
        if name == ASSERTED or quads is None:
            return self._source.with_facts(explicit)
        others = quads.where(f.col("g") >= 0).join(quads.where(f.col("g") == _DEFAULT), ["s", "p", "o"], "left_anti")
        return self._source.with_facts(explicit.join(others, ["s", "p", "o"], "left_anti"))
