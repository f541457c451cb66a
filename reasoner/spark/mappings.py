"""The mapping of terms to representatives in queries: a view of its members, and facts in normal form by joins with it.

The mapping itself is at the driver. Queries only ever see a view of (id, representative), so that a mapping that is
kept in files would change nothing but where the view comes from.
"""

from __future__ import annotations

from collections import OrderedDict

from reasoner.columnar.representatives import Representatives
from reasoner.spark.facts import Query
from reasoner.spark.scratch import Scratch

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

    def normal(self, query: Query, mapping: Representatives, columns: str = "") -> Query:
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
        return Query(text, (*query.needs, shown), predicates, expected=query.expected)

    def mentioning(self, query: Query, terms: str, owner: object, predicates: str) -> Query:
        """Return the query for the facts with a subject or object in a relation of ids, whose view has an owner, or
        with a predicate that meets a condition."""
        text = (
            f"SELECT f.s, f.p, f.o FROM ({query.text}) f LEFT JOIN {terms} ts ON f.s = ts.id"
            f" LEFT JOIN {terms} ot ON f.o = ot.id WHERE ts.id IS NOT NULL OR ot.id IS NOT NULL OR ({predicates})"
        )
        return Query(text, (*query.needs, owner), query.predicates, query.distinct)


class ShownMapping:
    """A mapping and its view, which lasts as long as this does."""

    def __init__(self, scratch: Scratch, mapping: Representatives) -> None:
        import pyarrow as pa

        self.mapping = mapping
        table = pa.table({"id": mapping.members, "representative": mapping.targets})
        self.view = scratch.table_view(self, table)
