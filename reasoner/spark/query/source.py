"""The tables that queries read: facts over representatives, the dictionary, classes of equals, named graphs.

The graphs that a query may read: the closure as the default graph, and the named graphs of the store.

The tables of a reasoner's store as a source of queries: those of Spark in place, those of the driver as rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from reasoner.columnar.literal_values import spellings_of
from reasoner.columnar.persisted import whole_quads
from reasoner.spark.fetched import FetchedFacts
from reasoner.spark.platform.scratch import Scratch, ScratchRun
from reasoner.spark.platform.session import spark_session
from reasoner.spark.platform.traffic import Traffic
from reasoner.spark.store import SparkStore
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.terms.quads import ASSERTED, CLOSURE, INFERRED, OWN, checked_graph
from reasoner.terms.term import OCCURS, SAME

if TYPE_CHECKING:
    import pyarrow as pa

    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.store import ColumnarStore, Snapshot

# Up to so many keys are written into the query, where the statistics of files can prune by them.
MOST_LISTED = 2000
_TAGGED = re.compile(r'(".*"@)([A-Za-z0-9-]+)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class View:
    """One graph: ``facts`` (s, p, o), over representatives if ``mapped``, which stand for classes if ``folded``.

    That the members of a class are equal is part of the graph if ``equates``. ``own`` are the facts that say so of a
    term and itself, which are part of it as they are; stored ones with the predicates ``hidden`` are not.
    """

    facts: DataFrame
    mapped: bool = False
    folded: bool = False
    equates: bool = False
    own: DataFrame | None = None
    hidden: frozenset[int] = frozenset()


class FrameSource:
    """What one state of a store holds, and what queries have found out about it.

    ``facts`` (s, p, o) are over representatives, ``dictionary`` is (id, text), ``members`` (id, representative) has the
    classes of two or more, ``explicit`` (s, p, o) and ``quads`` (g, s, p, o) are as they were asserted. ``equality``
    are the IRIs that equality goes by; ``axioms`` says that facts have c = c with each of them, ``asserts_own`` that
    some of these may be explicit. ``lookup`` and ``decode`` are for a store that knows terms at the driver; without
    them the dictionary is asked by a job. ``spellings`` tells which literals have the
    value of one; without it, each has its own.
    """

    def __init__(
        self,
        session: SparkSession,
        facts: DataFrame,
        dictionary: DataFrame,
        members: DataFrame | None = None,
        *,
        explicit: DataFrame | None = None,
        quads: DataFrame | None = None,
        equality: frozenset[int] = frozenset(),
        axioms: bool = False,
        asserts_own: bool = True,
        lookup: Callable[[str], int | None] | None = None,
        decode: Callable[[list[int]], list[str]] | None = None,
        scratch: str | None = None,
        traffic: Traffic | None = None,
        spellings: Callable[[int], list[int]] | None = None,
    ) -> None:
        self.session = session
        self.facts = facts.where(f.col("p") != OCCURS)
        self.dictionary = dictionary
        self.explicit = explicit
        self.quads = quads
        self.equality = equality
        self._hidden = equality if axioms else frozenset()
        self._asserts_own = asserts_own
        self._given = members
        self._lookup = lookup
        self._decode = decode
        self._spellings = spellings
        self._scratch = Scratch(session, scratch, traffic)
        self.traffic = self._scratch.traffic
        self._kept: list[ScratchRun] = []
        self._ids: dict[str, int | None] = {}
        self._representatives: dict[int, int] = {}

    def closure(self, *, expand: bool = True) -> View:
        """Return everything that holds; without ``expand`` representatives stand for themselves alone."""
        folded = expand and self.has_classes
        own = self._own if folded or self._own is None or not self.has_classes else self._represented(self._own)
        return View(self.facts, mapped=True, folded=folded, equates=folded, own=own, hidden=self._hidden)

    @cached_property
    def _own(self) -> DataFrame | None:
        """The explicit facts that a term equals itself, None if there are none for sure."""
        if self.explicit is None or not self.equality or not self._asserts_own:
            return None
        return self.explicit.where(f.col("p").isin(sorted(self.equality)) & (f.col("s") == f.col("o")))

    def _represented(self, own: DataFrame) -> DataFrame:
        """Return equalities of terms with themselves over representatives."""
        known = self.members.select("id", "representative")
        terms = own.join(known, f.col("s") == f.col("id"), "left").select(f.coalesce("representative", "s").alias("s"))
        return terms.distinct().select("s", f.lit(SAME).cast("long").alias("p"), f.col("s").alias("o"))

    @cached_property
    def members(self) -> DataFrame:
        """The classes of two or more (id, representative), the representative among its members."""
        if self._given is None:
            return self.session.createDataFrame([], "id long, representative long")
        own = self._given.select(f.col("representative").alias("id"), "representative")
        return self._given.select("id", "representative").union(own).distinct()

    @cached_property
    def has_classes(self) -> bool:
        return self._given is not None and bool(self._given.limit(1).collect())

    @cached_property
    def resources(self) -> DataFrame:
        """The members of classes that are no literals."""
        texts = self.dictionary.where(~f.col("text").startswith('"')).select(f.col("id").alias("known"))
        return self.members.join(texts, f.col("id") == f.col("known"), "left_semi")

    @cached_property
    def counts(self) -> Mapping[int, int]:
        """How many facts each predicate has."""
        return {int(row[0]): int(row[1]) for row in self.facts.groupBy("p").count().collect()}

    @cached_property
    def names(self) -> list[tuple[int, int]]:
        """Predicates with each IRI that they are known under."""
        known = self.session.createDataFrame([(p,) for p in {*self.counts, SAME}], "p long")
        if self.has_classes:
            known = known.join(self.members, f.col("p") == f.col("representative"), "left")
            known = known.select("p", f.coalesce("id", "p").alias("name"))
        else:
            known = known.select("p", f.col("p").alias("name"))
        pairs = [(int(row[0]), int(row[1])) for row in known.collect()]
        texts = self.decode({name for _, name in pairs})
        return sorted((p, name) for p, name in pairs if texts[name].startswith("<"))

    @cached_property
    def with_literal_subjects(self) -> frozenset[int]:
        """The predicates of which some facts are about literals; these are no RDF and never an answer."""
        rows = self.facts.join(self.literals, f.col("s") == f.col("literal"), "left_semi").select("p").distinct()
        return frozenset(int(row[0]) for row in rows.collect())

    @property
    def literals(self) -> DataFrame:
        return self.dictionary.where(f.col("text").startswith('"')).select(f.col("id").alias("literal"))

    @cached_property
    def has_equality_aliases(self) -> bool:
        """Whether owl:sameAs equals another term."""
        return self.has_classes and self.members.where(f.col("representative") == SAME).limit(2).count() > 1

    def learn(self, texts: Iterable[str]) -> None:
        """Find the ids of terms and their representatives, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._ids]
        if not new:
            return
        spellings = {text: _spellings(text) for text in new}
        wanted = {spelling for several in spellings.values() for spelling in several}
        found = self._found(wanted)
        for text, several in spellings.items():
            self._ids[text] = next((found[spelling] for spelling in several if spelling in found), None)
        ids = {id for text in new if (id := self._ids[text]) is not None} - self._representatives.keys()
        self._representatives.update({id: id for id in ids})
        if ids and self.has_classes:
            for row in self.members.where(f.col("id").isin(sorted(ids))).collect():
                self._representatives[int(row["id"])] = int(row["representative"])

    def id_of(self, text: str) -> int | None:
        """Return the id of a term, None if the store does not know it."""
        self.learn([text])
        return self._ids[text]

    def constant(self, text: str, view: View) -> int | None:
        """Return the id under which the facts of a graph have a term."""
        id = self.id_of(text)
        return self._representatives[id] if id is not None and view.mapped else id

    def constants(self, text: str, view: View) -> list[int]:
        """Return the ids that a constant object of a pattern asks for: what holds is asked for literals by value."""
        id = self.constant(text, view)
        if id is None:
            return []
        return self._spellings(id) if self._spellings is not None and view.mapped else [id]

    def decode(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the texts of ids; one job unless the driver knows them."""
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        if self._decode is not None:
            return dict(zip(wanted, self._decode(wanted), strict=True))
        if len(wanted) <= MOST_LISTED:
            rows = self.dictionary.where(f.col("id").isin(wanted))
        else:
            keys = self.session.createDataFrame([(id,) for id in wanted], "wanted long")
            rows = self.dictionary.join(f.broadcast(keys), f.col("id") == f.col("wanted"), "left_semi")
        table = self.traffic.fetched(rows.select("id", "text"))
        return dict(zip(table.column("id").to_pylist(), table.column("text").to_pylist(), strict=True))

    def cut(self, pairs: DataFrame) -> ScratchRun:
        """Write a frame of columns s and o, so that its plan starts anew; the run lives as long as its reference."""
        name = f"{self._scratch.prefix}pairs"
        pairs.createOrReplaceTempView(name)
        try:
            return self._scratch.written(f"SELECT s, 0L AS p, o FROM {name}")
        finally:
            self.session.catalog.dropTempView(name)

    def keep(self, runs: list[ScratchRun]) -> None:
        """Keep runs for as long as the source, since a frame that was handed out reads them."""
        self._kept += runs

    def with_facts(self, facts: DataFrame) -> View:
        """Return a graph of facts as they are, equal terms apart."""
        return View(facts.select("s", "p", "o"))

    def graph(self, name: str) -> View:
        """Return a named graph."""
        return self.with_facts(self._quads_of(name))

    def close(self) -> None:
        self._scratch.close()

    def _quads_of(self, name: str) -> DataFrame:
        quads: Any = self.quads
        if quads is None:
            return self.session.createDataFrame([], "s long, p long, o long")
        id = self.id_of(name)
        found: DataFrame = quads.where(f.lit(False) if id is None else f.col("g") == id)
        return found

    def _found(self, texts: set[str]) -> dict[str, int]:
        if self._lookup is not None:
            return {text: id for text in texts if (id := self._lookup(text)) is not None}
        rows = self.dictionary.where(f.col("text").isin(sorted(texts))).select("text", "id").collect()
        return {str(row[0]): int(row[1]) for row in rows}


def _spellings(text: str) -> list[str]:
    """Return a term, and if its language tag has capitals the one that most parsers write.

    >>> _spellings('"a"@EN'), _spellings("<a>")
    (['"a"@EN', '"a"@en'], ['<a>'])
    """
    match = _TAGGED.fullmatch(text)
    return [text] if match is None or match[2].islower() else [text, match[1] + match[2].lower()]


# Facts that the default graph asserts besides named ones are noted under this graph.
_DEFAULT = -1


class Graphs:
    """A default graph, and named graphs by the text of their names; FROM and FROM NAMED choose others."""

    def __init__(
        self, source: FrameSource, default: Sequence[str] | None, named: Sequence[str] | None, *, expand: bool = True
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


# What queries find out about a state is kept as long as the store is in that state.
_sources: WeakKeyDictionary[ColumnarStore, tuple[Snapshot, FrameSource]] = WeakKeyDictionary()


def source_of(store: ColumnarStore, session: SparkSession | None = None) -> FrameSource:
    """Return the tables of a materialised store, the same object while nothing changes."""
    known = _sources.get(store)
    if known is not None and known[0] is store.state:
        return known[1]
    source = source_of_state(store, store.state, session)
    _sources[store] = (store.state, source)
    return source


def source_of_state(store: ColumnarStore, state: Snapshot, given: SparkSession | None = None) -> FrameSource:
    """Return the tables of a state that a store has, or had."""
    session = store.session if isinstance(store, SparkStore) else spark_session(given)
    dictionary = store.dictionary
    members = quads = None
    if state.representatives:
        members = session.createDataFrame(_table(("id", "representative"), _classes(state)))
    if state.graphs:
        quads = session.createDataFrame(whole_quads(state.graphs))
    own = store.own_equalities(state)
    return FrameSource(
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
