"""How the answers to a query change from one state of a store to the next, found from the facts that changed.

Volz, Staab and Motik, Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005,
section 10.2: the extensions of P+ and P- are the basis of notifications. Here P+ are the facts that the closure gained
and P- those that it lost, every equal term for itself, so that merges and splits of classes are changes like any other.

    1  A+ <- {};  A- <- {}
    2  for each pattern p of the query, and the other patterns q
    3      A+ <- A+ + answers to p over the gained facts, joined with q over the new closure
    4      A- <- A- + answers to p over the lost facts, joined with q over the old closure
    5  if the query does not show all its variables, or has a literal that facts spell in several ways
    6      take out of A+ what was an answer in the old closure, and out of A- what is one in the new

Otherwise an answer is one match, which is new if and only if it uses a fact that was gained.

Deviation: where the change is a large part of the closure, or the query is more than patterns and filters, the two
answers are compared as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.bindings import Bindings, Solutions, appended
from reasoner.columnar.literal_values import spellings_of
from reasoner.sparql.algebra import (
    Bgp,
    Distinct,
    Expression,
    Filter,
    Node,
    Project,
    Query,
    TriplePattern,
    Var,
    patterns_of,
)
from reasoner.sparql.budget import Budget
from reasoner.sparql.dataset import Dataset, Graph, dataset_for, dataset_of, facts_of_pieces
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.plan import Trace
from reasoner.sparql.scope import names_of
from reasoner.sparql.terms import QueryTerms

if TYPE_CHECKING:
    from reasoner.columnar.compare import Comparison
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.store import ColumnarStore, Snapshot

Row = tuple[str | None, ...]
Rows = tuple[Row, ...]
FindAnswers = Callable[["ColumnarStore", "Snapshot", Query], list[Row]]

# So many changed facts are always followed one by one.
_FEW = 10_000

# Numbers the candidates whose answers are looked for; no variable of a query begins with a full stop.
_ROW = ".row"


class AnswerChanges:
    """The difference between two states of a store, as the answers to any number of queries see it.

    ``answers`` gives the distinct answers to a query in a state; by default this process finds them.
    """

    def __init__(
        self, store: ColumnarStore, before: Snapshot, after: Snapshot, answers: FindAnswers | None = None
    ) -> None:
        self._answers = answers or answers_in
        self._store = store
        self._before = before
        self._after = after
        self._terms = QueryTerms(store.dictionary)
        self._found: dict[Query, tuple[Rows, Rows]] = {}

    def of(self, query: Query) -> tuple[Rows, Rows]:
        """Return the answers that came, and those that went, each once; ASK has one answer, the empty one.

        What one subscriber was told is remembered for all others to the same query.
        """
        if query not in self._found:
            self._found[query] = self._changes(query)
        return self._found[query]

    def _changes(self, query: Query) -> tuple[Rows, Rows]:
        parts = conjunction_of(query)
        if parts is None or self.is_massive or self._respelled(parts[0]):
            old, new = (frozenset(self._answers(self._store, state, query)) for state in (self._before, self._after))
            return _sorted(new - old), _sorted(old - new)
        if not self._changes_closure:
            return (), ()
        shown = shown_variables(query)
        return (
            self._differing(*parts, shown, self._gained, self._after.values, self._new, self._old),
            self._differing(*parts, shown, self._lost, self._before.values, self._old, self._new),
        )

    @cached_property
    def is_massive(self) -> bool:
        """Whether so much changed that to follow every changed fact would cost more than to ask again."""
        if not self._changes_closure:
            return False
        counts = self._comparison.counts()
        changed = counts["gained"] + counts["lost"]
        return changed > _FEW and 2 * changed > len(self._before.facts) + len(self._after.facts)

    @property
    def _changes_closure(self) -> bool:
        before, after = self._before, self._after
        if before.facts is not after.facts or before.representatives is not after.representatives:
            return True
        # An assertion that a term equals itself is new to the closure even if nothing else is.
        return before.explicit is not after.explicit and bool(self._store.own_equalities(before).names)

    def _differing(
        self,
        patterns: tuple[TriplePattern, ...],
        conditions: tuple[Expression, ...],
        shown: tuple[str, ...],
        changed: Evaluator,
        values: FactSet,
        there: Evaluator,
        elsewhere: Evaluator,
    ) -> Rows:
        """Return the answers that there are in one state and not in the other."""
        names = {name for pattern in patterns for name in names_of(pattern)}
        bound = [name for name in shown if name in names]
        parts = [Bindings.none(bound)]
        for place, pattern in enumerate(patterns):  # 2
            seeds = changed.extended(Bindings.unit(), Bgp((pattern,)))
            if seeds.size:
                rest = _node((*patterns[:place], *patterns[place + 1 :]), conditions)
                parts.append(_distinct(there.extended(seeds, rest), bound, there))  # 3, 4
        found = appended(parts, there.classes, there.budget).distinct()
        if found.size and (names - set(bound) or self._is_spelled(patterns, values)):  # 5
            numbered = found.with_columns({_ROW: np.arange(found.size)})
            known = elsewhere.extended(numbered, _node(patterns, conditions)).columns[_ROW]
            fresh = np.ones(found.size, dtype=np.bool_)
            fresh[known] = False
            found = found.taken(fresh)  # 6
        return _sorted(_decoded(found, shown, self._terms))

    def _respelled(self, patterns: Iterable[TriplePattern]) -> bool:
        """Tell whether a literal in a pattern asks for other literals now than before."""
        if self._before.values is self._after.values:
            return False
        old, new = self._before.values, self._after.values
        asked = self._objects(patterns)
        return any(set(spellings_of(old, id).tolist()) != set(spellings_of(new, id).tolist()) for id in asked)

    def _is_spelled(self, patterns: Iterable[TriplePattern], values: FactSet) -> bool:
        """Tell whether a literal in a pattern asks for several literals."""
        return bool(len(values)) and any(spellings_of(values, id).size > 1 for id in self._objects(patterns))

    def _objects(self, patterns: Iterable[TriplePattern]) -> list[int]:
        return [self._terms.id_of(pattern.object) for pattern in patterns if isinstance(pattern.object, str)]

    @cached_property
    def _comparison(self) -> Comparison:
        return self._store.comparison(self._before, self._after)

    @cached_property
    def _gained(self) -> Evaluator:
        return self._among("gained", self._after.values)

    @cached_property
    def _lost(self) -> Evaluator:
        return self._among("lost", self._before.values)

    def _among(self, part: str, values: FactSet) -> Evaluator:
        """Return what evaluates patterns over the facts that changed, every equal term for itself."""
        facts = facts_of_pieces(self._comparison.pieces(part))
        return self._over(_NearGraph(facts, self._store.dictionary, values=values))

    @cached_property
    def _old(self) -> Evaluator:
        return self._near(self._before)

    @cached_property
    def _new(self) -> Evaluator:
        return self._near(self._after)

    def _near(self, state: Snapshot) -> Evaluator:
        """Return what evaluates patterns in a state, beginning with a few solutions."""
        store = self._store
        own = store.own_equalities(state)
        return self._over(
            _NearGraph(state.facts, store.dictionary, state.representatives, own=own, values=state.values)
        )

    def _over(self, graph: Graph) -> Evaluator:
        return Evaluator(Dataset(graph, {}, lambda _: graph, graph), self._terms, Budget(), Trace())


class _NearGraph(Graph):
    """A graph of which little is read: what costs a look at a whole table is taken for granted."""

    def has_literal_subjects(self, predicate: int) -> bool:
        """Say yes: the few matches are looked at one by one then."""
        return True


def answers_in(store: ColumnarStore, state: Snapshot, query: Query, budget: Budget | None = None) -> list[Row]:
    """Return the distinct answers to SELECT or ASK in a state of a store, found by this process."""
    terms = QueryTerms(store.dictionary, budget=budget)
    evaluator = _evaluator(store, state, terms, query, budget)
    found = evaluator.evaluate(query.node)
    shown = shown_variables(query)
    return _decoded(_distinct(found, shown, evaluator), shown, terms)


def shown_variables(query: Query) -> tuple[str, ...]:
    """Return the variables of an answer; ASK shows none."""
    return query.variables if query.form == "SELECT" else ()


def conjunction_of(query: Query) -> tuple[tuple[TriplePattern, ...], tuple[Expression, ...]] | None:
    """Return the patterns and filters that a query consists of, None if it is more than that.

    Whether a filter holds must follow from the solution alone, so that EXISTS is more than a filter.
    """
    node = query.node
    if query.default is not None or query.named is not None:
        return None
    while isinstance(node, Project | Distinct):
        node = node.child
    conditions: tuple[Expression, ...] = ()
    if isinstance(node, Filter):
        conditions, node = node.conditions, node.child
    if not isinstance(node, Bgp) or not node.patterns or any(map(patterns_of, conditions)):
        return None
    if not all(isinstance(pattern.predicate, Var | str) for pattern in node.patterns):
        return None
    return node.patterns, conditions


def _node(patterns: tuple[TriplePattern, ...], conditions: tuple[Expression, ...]) -> Node:
    return Filter(conditions, Bgp(patterns)) if conditions else Bgp(patterns)


def _evaluator(
    store: ColumnarStore, state: Snapshot, terms: QueryTerms, query: Query, budget: Budget | None = None
) -> Evaluator:
    if store.state is not state:
        store = store.at(state)
    dataset = dataset_of(store)
    if query.default is not None or query.named is not None:
        dataset = dataset_for(query.default or (), query.named or (), dataset)
    return Evaluator(dataset, terms, budget or Budget(), Trace())


def _distinct(found: Solutions, names: Iterable[str], evaluator: Evaluator) -> Solutions:
    """Return the distinct rows of some columns, with nothing folded."""
    kept = found.projected(names, evaluator.classes).distinct()
    return kept.unfolded(kept.folded, evaluator.classes, evaluator.budget)


def _decoded(found: Solutions, shown: tuple[str, ...], terms: QueryTerms) -> list[Row]:
    if not shown:
        return [()] if found.size else []
    columns = [terms.decode(found.columns[name]) if name in found.columns else [None] * found.size for name in shown]
    return list(zip(*columns, strict=True))


def _sorted(rows: Iterable[Row]) -> Rows:
    return tuple(sorted(rows, key=lambda row: [text or "" for text in row]))
