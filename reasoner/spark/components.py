"""Connected components by Spark: for each term that equalities connect, the smallest term that it is connected with.

GraphFrames finds them where it is installed, and joins of our own where it is not.

The mapping of terms to representatives in queries: a view of its members, and facts in normal form by joins with it.

The mapping itself is at the driver. Queries only ever see a view of (id, representative), so that a mapping that is
kept in files would change nothing but where the view comes from.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from reasoner.columnar.factset import FactSet
from reasoner.columnar.representatives import Representatives
from reasoner.spark.facts import PendingRows, SparkFacts, reading, runs_of
from reasoner.spark.platform.jars import has_graphframes
from reasoner.spark.platform.scratch import Scratch, ScratchRun, facts_of
from reasoner.terms.term import SAME

if TYPE_CHECKING:
    import pyarrow as pa

# What an equality takes at the driver and by joins, in processor seconds, and what the rounds of these take at least;
# ``python -m benchmarks spark-components`` measures them.
_AT_DRIVER, _BY_JOINS, _ROUNDS = 3e-6, 48e-6, 10.0

# The driver has no room for more equalities than this (16 bytes each, several times over).
_MOST_AT_DRIVER = 20_000_000


def distributed_from(cores: int) -> int:
    """Return from how many equalities on joins of so many cores take less time than the driver.

    >>> distributed_from(2), distributed_from(64)
    (20000000, 4444444)
    """
    gain = _AT_DRIVER - _BY_JOINS / cores
    return _MOST_AT_DRIVER if gain <= 0 else min(_MOST_AT_DRIVER, int(_ROUNDS / gain))


def connected_smallest(
    scratch: Scratch, equalities: SparkFacts, mappings: Mappings, mapping: Representatives
) -> FactSet:
    """Return an equality with the smallest member of its class for each term that equalities connect with others.

    The equalities are those between representatives; many of them become one for each term, which the driver has
    room for if it has for the mapping.
    """
    query = PendingRows(
        reading(equalities.segments, f"p = {SAME}", SAME), runs_of(equalities.segments), frozenset({SAME})
    )
    edges = mappings.normal(query, mapping)
    return facts_of(smallest_connected(scratch, edges.text))


def smallest_connected(scratch: Scratch, edges: str) -> pa.Table:
    """Return rows s, p, o in which o is the smallest node of the component of s, for all s that are not."""
    by = smallest_by_graphframes if has_graphframes(scratch.session) else smallest_by_stars
    return by(scratch, edges)


def smallest_by_graphframes(scratch: Scratch, edges: str) -> pa.Table:
    """Find the components with GraphFrames, which labels them in a way of its own."""
    from graphframes import GraphFrame

    links = scratch.written(_canonical(edges))
    frame = scratch.session.sql(f"SELECT s AS src, o AS dst FROM {links.view}")
    nodes = scratch.session.sql(f"SELECT s AS id FROM {links.view} UNION SELECT o AS id FROM {links.view}")
    name = f"{scratch.prefix}components"
    labelled = GraphFrame(nodes, frame).connectedComponents(
        algorithm="two_phase", use_local_checkpoints=True, broadcastThreshold=-1
    )
    try:
        labelled.select("id", "component").createOrReplaceTempView(name)
        least = f"SELECT component, min(id) AS least FROM {name} GROUP BY component"
        return scratch.rows(
            f"SELECT n.id AS s, {SAME}L AS p, m.least AS o FROM {name} n JOIN ({least}) m"
            " ON n.component = m.component WHERE n.id <> m.least"
        )
    finally:
        scratch.session.catalog.dropTempView(name)
        labelled.unpersist()


def smallest_by_stars(scratch: Scratch, edges: str) -> pa.Table:
    """Find the components by joins.

    Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii: Connected Components in MapReduce and Beyond, 2014, section 3.

        1  repeat
        2      large-star: every node connects its larger neighbours with its smallest one
        3      small-star: every node connects its smaller neighbours and itself with its smallest one
        4  until nothing changes

    The number of edges never grows, and every component ends as a star around its smallest node.
    """
    current = scratch.written(_canonical(edges))
    while True:
        large = scratch.written(_star(current, larger=True))  # 2
        small = scratch.written(_star(large, larger=False))  # 3
        if small.rows == current.rows and _same(scratch, small, current):  # 4
            return scratch.rows(f"SELECT s, p, o FROM {small.view}")
        current = small


def _canonical(edges: str) -> str:
    """Return the edges from the larger to the smaller node, once each."""
    return f"SELECT DISTINCT greatest(s, o) AS s, {SAME}L AS p, least(s, o) AS o FROM ({edges}) WHERE s <> o"


def _star(run: ScratchRun, *, larger: bool) -> str:
    """Return the edges after a star operation on edges from the larger to the smaller node."""
    view = run.view
    neighbours = f"SELECT s AS node, o AS other FROM {view}"
    if larger:
        neighbours += f" UNION ALL SELECT o AS node, s AS other FROM {view}"
        kept = "n.other > n.node"
    else:
        kept = "true"
    least = f"SELECT node, least(min(other), node) AS least FROM ({neighbours}) GROUP BY node"
    pairs = f"SELECT n.other AS s, m.least AS o FROM ({neighbours}) n JOIN ({least}) m ON n.node = m.node WHERE {kept}"
    if not larger:
        pairs += f" UNION ALL SELECT node AS s, least AS o FROM ({least})"
    return f"SELECT DISTINCT s, {SAME}L AS p, o FROM ({pairs}) WHERE s <> o"


def _same(scratch: Scratch, left: ScratchRun, right: ScratchRun) -> bool:
    both = f"SELECT s, o FROM {left.view} EXCEPT SELECT s, o FROM {right.view}"
    return bool(scratch.rows(f"SELECT 1 AS differs FROM ({both}) LIMIT 1").num_rows == 0)


# The mappings before and after a step are asked in turn, with one being rebuilt; older ones are gone.
_KEPT = 4


class Mappings:
    """Gives mappings their views; the last few are kept."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._known: OrderedDict[int, ShownMapping] = OrderedDict()

    def shown(self, mapping: Representatives) -> ShownMapping:
        """Return a mapping with a view (id, representative) of the terms in classes of two or more."""
        found = self._known.get(id(mapping))
        if found is None or found.mapping is not mapping:
            found = self._known[id(mapping)] = ShownMapping(self._scratch, mapping)
        self._known.move_to_end(id(mapping))
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return found

    def normal(self, query: PendingRows, mapping: Representatives, columns: str = "") -> PendingRows:
        """Return the query for facts in normal form, with repetitions; ``columns`` are others of theirs to keep."""
        if not mapping:
            return query
        shown = self.shown(mapping)
        view, predicate, joins = shown.view, "f.p", ""
        if query.predicates is None or any(mapping.of_one(p) != p for p in query.predicates):
            predicate, joins = "coalesce(mp.representative, f.p)", f" LEFT JOIN {view} mp ON f.p = mp.id"
        text = (
            f"SELECT coalesce(ms.representative, f.s) AS s, {predicate} AS p, coalesce(mo.representative, f.o) AS o"
            f"{columns} FROM ({query.text}) f LEFT JOIN {view} ms ON f.s = ms.id"
            f" LEFT JOIN {view} mo ON f.o = mo.id{joins}"
        )
        predicates = None
        if query.predicates is not None:
            predicates = frozenset(mapping.of_one(p) for p in query.predicates)
        return PendingRows(text, (*query.needs, shown), predicates, expected=query.expected)

    def mentioning(self, query: PendingRows, terms: str, owner: object, predicates: str) -> PendingRows:
        """Return the query for the facts with a subject or object in a relation of ids, whose view has an owner, or
        with a predicate that meets a condition."""
        text = (
            f"SELECT f.s, f.p, f.o FROM ({query.text}) f LEFT JOIN {terms} ts ON f.s = ts.id"
            f" LEFT JOIN {terms} ot ON f.o = ot.id WHERE ts.id IS NOT NULL OR ot.id IS NOT NULL OR ({predicates})"
        )
        return PendingRows(text, (*query.needs, owner), query.predicates, query.distinct)


class ShownMapping:
    """A mapping and its view, which lasts as long as this does."""

    def __init__(self, scratch: Scratch, mapping: Representatives) -> None:
        import pyarrow as pa

        self.mapping = mapping
        table = pa.table({"id": mapping.members, "representative": mapping.targets})
        self.view = scratch.table_view(self, table)
