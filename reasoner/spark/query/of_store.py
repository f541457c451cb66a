"""The tables of a reasoner's store as a source of queries: those of Spark in place, those of the driver as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from reasoner.columnar.literal_values import spellings_of
from reasoner.columnar.persisted import whole_quads
from reasoner.spark.fetched import FetchedFacts
from reasoner.spark.query.source import Source
from reasoner.spark.session import spark_session
from reasoner.spark.store import SparkStore

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.store import ColumnarStore, Snapshot

# What queries find out about a state is kept as long as the store is in that state.
_sources: WeakKeyDictionary[ColumnarStore, tuple[Snapshot, Source]] = WeakKeyDictionary()


def source_of(store: ColumnarStore, session: SparkSession | None = None) -> Source:
    """Return the tables of a materialised store, the same object while nothing changes."""
    known = _sources.get(store)
    if known is not None and known[0] is store.state:
        return known[1]
    source = source_of_state(store, store.state, session)
    _sources[store] = (store.state, source)
    return source


def source_of_state(store: ColumnarStore, state: Snapshot, given: SparkSession | None = None) -> Source:
    """Return the tables of a state that a store has, or had."""
    session = store.session if isinstance(store, SparkStore) else spark_session(given)
    dictionary = store.dictionary
    members = quads = None
    if state.representatives:
        members = session.createDataFrame(_table(("id", "representative"), _classes(state)))
    if state.graphs:
        quads = session.createDataFrame(whole_quads(state.graphs))
    own = store.own_equalities(state)
    return Source(
        session,
        facts_frame(session, state.facts),
        _terms(session, store),
        members,
        explicit=facts_frame(session, state.explicit),
        quads=quads,
        equality=own.names,
        axioms=store.axioms,
        asserts_own=own.may_exist,
        lookup=dictionary.lookup,
        decode=dictionary.decode,
        scratch=store.scratch_place if isinstance(store, SparkStore) else None,
        traffic=store.traffic if isinstance(store, SparkStore) else None,
        spellings=lambda id: spellings_of(state.values, id).tolist(),
    )


def facts_frame(session: SparkSession, facts: FactSet) -> DataFrame:
    """Return facts as a frame of ids, which reads them where they are."""
    if isinstance(facts, FetchedFacts):
        return facts._engine.to_frame(facts.spark)
    return session.createDataFrame(_table("spo", facts.columns()))


def _terms(session: SparkSession, store: ColumnarStore) -> DataFrame:
    if isinstance(store, SparkStore):
        return session.sql(f"SELECT id, text FROM {store.spark.terms.view()}")
    import pyarrow as pa

    ids = pa.array(range(len(store.dictionary)), pa.int64())
    return session.createDataFrame(_table(("id", "text"), (ids, store.dictionary.decode_arrow(ids.to_numpy()))))


def _classes(state: Snapshot) -> tuple[object, object]:
    return state.representatives.members, state.representatives.targets


def _table(names: tuple[str, ...] | str, columns: tuple[object, ...]) -> pa.Table:
    import pyarrow as pa

    return pa.table(dict(zip(names, columns, strict=True)))
