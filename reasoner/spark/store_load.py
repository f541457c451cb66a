"""Loading files into a store of Spark: by the executors where there is much to read, else by the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from loaders.local_path import local_path, scheme_of
from reasoner.columnar.graphs import named_in
from reasoner.quads import GraphName, checked_graph
from reasoner.spark import term_files
from reasoner.spark.fetched import unwrapped, wrapped
from reasoner.vocabulary import RESERVED_TERMS

if TYPE_CHECKING:
    from loaders.load import LoadReport
    from reasoner.spark.store import SparkStore

# Reading less than this takes the driver less time than Spark needs to begin.
SMALL_BYTES = 1 << 23


def load_into(
    store: SparkStore,
    sources: Sequence[Any],
    *,
    format: str | None,
    base: str | None,
    skip_errors: bool,
    graph: GraphName = None,
) -> LoadReport | None:
    """Add the statements of files to the explicit facts, or return None if the driver should load them.

    New terms stay where they are, unless there are few of them in all. So do statements, unless they are in named
    graphs, or all of them in ``graph``: the memberships in graphs are at the driver.
    """
    from dataclasses import replace

    from reasoner.spark.loading.load import load

    if "-" in map(str, sources) or _is_small(sources):
        return None
    engine, known = store.spark, len(store.dictionary)
    terms = None
    if known > len(RESERVED_TERMS):
        terms = store.session.sql(f"SELECT id, text FROM {engine.terms.view()}")
    with load(store.session, list(sources), terms, format=format, base=base, skip_errors=skip_errors) as loaded:
        try:
            if store.dictionary.held + loaded.terms - known <= term_files.DRIVER_TERMS:
                store.dictionary.hold(store.traffic.fetched(loaded.added).sort_by("id").column("text"))
            else:
                store.dictionary.keep_elsewhere(
                    term_files.write_terms(engine.scratch, loaded.added, known, loaded.terms)
                )
            if len(store.dictionary) != loaded.terms:
                raise AssertionError("the dictionary and its table have grown apart")
            if graph is not None:
                rows = store.traffic.fetched(loaded.statements.select("s", "p", "o"))
                s, p, o = (rows.column(name).to_numpy() for name in "spo")
                store.add_columns(s, p, o, store.id_of(graph))
            elif "g" in loaded.statements.columns:
                rows = store.traffic.fetched(loaded.statements.selectExpr("s", "p", "o", "coalesce(g, -1L) AS g"))
                s, p, o, g = (rows.column(name).to_numpy() for name in "spog")
                for id in named_in(g):
                    checked_graph(store.dictionary.text(id))
                store.add_columns(s, p, o, g)
            else:
                fresh, before = engine.of_frame(loaded.statements), store.state
                whole = engine.union(unwrapped(engine, before.explicit), fresh)
                store.state = replace(before, explicit=wrapped(engine, whole, before.explicit))
                whole.segments  # noqa: B018 - computed while what was loaded is there
        except BaseException:
            store.dictionary.truncate(known)
            raise
    return loaded.report


def _is_small(sources: Sequence[Any]) -> bool:
    """Tell whether all sources are files of this machine, and small."""
    total = 0
    for source in sources:
        if scheme_of(source) not in (None, "file") or not (path := local_path(source)).is_file():
            return False
        total += path.stat().st_size
    return total < SMALL_BYTES
