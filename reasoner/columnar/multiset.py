"""Multisets of facts: a fact set, and sorted columns of how much more than once some of its facts occur.

The heads of rule instances as multisets: every instance counts, and some only if they are of one round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from reasoner.columnar.bindings import Bindings
from reasoner.columnar.chaining import Chaining
from reasoner.columnar.factset import FactSet, facts_of_keys, group_rows
from reasoner.columnar.kernels import Ids, Keys, Mask, pack
from reasoner.columnar.plans import Plan, Plans
from reasoner.columnar.scan import holds
from reasoner.columnar.table import Table
from reasoner.reasoning.engine import Multiset
from reasoner.rules.encode import Triple, is_variable
from reasoner.terms.term import TYPE

# As for tables: a run is merged into its predecessor once it has a quarter of its size.
_MERGE_RATIO = 4

Amount: TypeAlias = tuple[Keys, Ids]


class Surplus:
    """An immutable map of keys to integers, most of them zero, as a few sorted runs whose amounts add up."""

    __slots__ = ("_runs",)

    def __init__(self, runs: tuple[Amount, ...] = ()) -> None:
        self._runs = runs

    def of(self, keys: Keys) -> Ids:
        """Return the amount of each key."""
        amounts = np.zeros(keys.size, dtype=np.int64)
        for base, values in self._runs:
            position = base.searchsorted(keys)
            position[position == base.size] = 0
            amounts += np.where(base[position] == keys, values[position], 0)
        return amounts

    def plus(self, keys: Keys, amounts: Ids) -> Surplus:
        """Add amounts to sorted, distinct keys; the cost is that of these keys, and of merging now and then."""
        changed = amounts != 0
        if not changed.any():
            return self
        runs = [*self._runs, (keys, amounts) if changed.all() else (keys[changed], amounts[changed])]
        while len(runs) > 1 and runs[-1][0].size * _MERGE_RATIO > runs[-2][0].size:
            last = runs.pop()
            runs[-1] = added_up([runs[-1], last])
        return Surplus(tuple(run for run in runs if run[0].size))


class ColumnarMultiset:
    """An immutable multiset: each of ``facts`` occurs once, and as often again as its predicate's surplus says.

    Facts that occur once, which most do, take no more than they do in a fact set, and runs of keys are shared with the
    fact sets that a multiset comes from.
    """

    __slots__ = ("_surplus", "facts")

    def __init__(self, facts: FactSet, surplus: Mapping[int, Surplus] | None = None) -> None:
        self.facts = facts
        self._surplus = surplus or {}

    @classmethod
    def of_facts(cls, facts: FactSet, multiplicity: int) -> ColumnarMultiset:
        """Make the multiset in which each fact occurs so often."""
        if multiplicity == 1:
            return cls(facts)
        keys = {p: facts.table(p).keys() for p in facts}
        return cls(facts, {p: Surplus().plus(k, np.full(k.size, multiplicity - 1)) for p, k in keys.items()})

    @classmethod
    def of_amounts(cls, parts: Mapping[int, list[Amount]]) -> ColumnarMultiset:
        """Make a multiset of positive amounts of main-order keys per predicate, in pieces that are sorted each."""
        summed = {p: added_up(pieces) for p, pieces in parts.items()}
        facts = facts_of_keys({p: [keys] for p, (keys, _) in summed.items()})
        return cls(facts, {p: Surplus().plus(keys, amounts - 1) for p, (keys, amounts) in summed.items()})

    def multiplicities(self, predicate: int, keys: Keys) -> Ids:
        """Return how often facts of a predicate occur, given by keys in main order."""
        found = self.facts.table(predicate).contains_keys(keys).astype(np.int64)
        surplus = self._surplus.get(predicate)
        return found if surplus is None else found + surplus.of(keys)

    def plus(self, other: ColumnarMultiset) -> ColumnarMultiset:
        if not len(other.facts):
            return self
        changed = dict(self._surplus)
        for p in other.facts:
            keys, amounts = other._amounts(p)
            known = self.facts.table(p).contains_keys(keys)
            changed[p] = changed.get(p, Surplus()).plus(keys, amounts - ~known)
        return ColumnarMultiset(self.facts.union(other.facts.difference(self.facts)), changed)

    def minus(self, other: ColumnarMultiset) -> ColumnarMultiset:
        if not len(other.facts):
            return self
        changed = dict(self._surplus)
        gone: dict[int, Table] = {}
        for p in other.facts:
            keys, amounts = other._amounts(p)
            held = self.multiplicities(p, keys)
            left = np.maximum(held - amounts, 0)
            changed[p] = changed.get(p, Surplus()).plus(keys, np.maximum(left - 1, 0) - np.maximum(held - 1, 0))
            gone[p] = Table.of_keys(keys[(left == 0) & (held > 0)], by_object=other.facts.table(p).by_object)
        return ColumnarMultiset(self.facts.difference(FactSet(gone)), changed)

    def without(self, facts: FactSet) -> ColumnarMultiset:
        if not len(facts):
            return self
        changed = dict(self._surplus)
        for p in facts:
            if p in changed:
                keys = facts.table(p).keys()
                changed[p] = changed[p].plus(keys, -changed[p].of(keys))
        return ColumnarMultiset(self.facts.difference(facts), changed)

    def occurring(self, facts: FactSet, least: int, most: int | None = None) -> FactSet:
        chosen: dict[int, Table] = {}
        for p in facts:
            keys = facts.table(p).keys()
            found = self.multiplicities(p, keys)
            mask: Mask = found >= least if most is None else (found >= least) & (found <= most)
            chosen[p] = Table.of_keys(keys[mask], by_object=facts.table(p).by_object)
        return FactSet(chosen)

    def _amounts(self, predicate: int) -> Amount:
        keys = self.facts.table(predicate).keys()
        surplus = self._surplus.get(predicate)
        once = np.ones(keys.size, dtype=np.int64)
        return keys, once if surplus is None else once + surplus.of(keys)


def columnar(multiset: Multiset[FactSet]) -> ColumnarMultiset:
    """Return a multiset of this engine as what it is."""
    assert isinstance(multiset, ColumnarMultiset), "multisets of different engines do not mix"
    return multiset


def counted(keys: Keys) -> Amount:
    """Return the distinct keys in order, and how often each of them occurs.

    >>> counted(np.array([5, 3, 5]))
    (array([3, 5]), array([1, 2]))
    """
    return np.unique(keys, return_counts=True)


def added_up(pieces: list[Amount]) -> Amount:
    """Add up the amounts of sorted pieces, leaving out the keys whose sum is zero.

    >>> added_up([(np.array([1, 2]), np.array([4, 1])), (np.array([2, 3]), np.array([-1, 1]))])
    (array([1, 3]), array([4, 1]))
    """
    if len(pieces) == 1:
        return pieces[0]
    keys = np.concatenate([piece[0] for piece in pieces])
    amounts = np.concatenate([piece[1] for piece in pieces])
    if keys.size == 0:
        return keys, amounts
    order = np.argsort(keys, kind="stable")
    keys, amounts = keys[order], amounts[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    sums = np.add.reduceat(amounts, starts)
    return keys[starts[sums != 0]], sums[sums != 0]


Chosen = Callable[[Bindings[int]], Mask]


class CountedHeads(Chaining):
    """Counts rule instances by their heads; ``Chaining`` only tells which heads there are."""

    def multiset(self, facts: FactSet, multiplicity: int = 1) -> ColumnarMultiset:
        return ColumnarMultiset.of_facts(facts, multiplicity)

    def reads(self, plans: Plans, facts: FactSet) -> bool:
        return any(True for _ in plans.reading(facts)) or any(True for _ in plans.denying(facts))

    def counted_heads(self, plans: Plans, facts: FactSet) -> ColumnarMultiset:
        heads = _Heads(self)
        for plan in plans:
            template = plan.template
            heads.collect(plan, [facts] * len(template.body), [facts] * len(template.negative))
        return heads.multiset()

    def counted_delta(self, plans: Plans, old: FactSet, delta: FactSet, whole: FactSet) -> ColumnarMultiset:
        heads = _Heads(self)
        for plan, at in plans.reading(delta):
            template = plan.template
            sources = [old] * at + [delta] + [whole] * (len(template.body) - at - 1)
            heads.collect(plan, sources, [whole] * len(template.negative))
        return heads.multiset()

    def counted_changes(
        self, plans: Plans, whole: FactSet, absent: FactSet, delta: FactSet, returned: FactSet
    ) -> ColumnarMultiset:
        heads = _Heads(self)
        for plan, sources, absences in self.changed_sources(plans, whole, absent, delta, returned):
            heads.collect(plan, sources, absences)
        return heads.multiset()

    def counted_of_round(
        self,
        plans: Plans,
        whole: FactSet,
        absent: FactSet,
        touched: FactSet,
        returned: FactSet,
        latest: FactSet,
        births: Multiset[FactSet],
        round: int,
    ) -> ColumnarMultiset:
        """Meet an instance where its first touched atom reads ``touched`` (or, if none is, its first denied atom reads
        ``returned``), and its first atom born in the round reads ``latest``.

        The others read ``whole``, whose later facts are dropped afterwards: joins start from the change, and no set of
        all facts up to a round is ever made.
        """
        heads, born = _Heads(self), columnar(births)
        touched_now = born.occurring(touched, round, round)
        for plan, at in plans.reading(touched):
            body = plan.template.body
            for newest in _readers(body, latest, also=at):
                sources = [whole] * len(body)
                sources[newest] = latest
                sources[at] = touched_now if newest == at else touched
                chosen = _Newest(body, newest, born, round, body[:at], touched)
                heads.collect(plan, sources, [absent] * len(plan.template.negative), chosen)
        for plan, at in plans.denying(returned):
            body, negative = plan.template.body, plan.template.negative
            # Denied atoms before this one must not be of the change, or the instance is met there.
            absences = [absent.union(returned)] * at if at else []
            absences += [absent] * (len(negative) - at - 1)
            for newest in _readers(body, latest):
                sources = [whole] * len(body)
                sources[newest] = latest
                chosen = _Newest(body, newest, born, round, body, touched)
                heads.collect(plan.denial(at), [*sources, returned], absences, chosen)
        return heads.multiset()

    def counted_of_moved(
        self,
        plans: Plans,
        whole: FactSet,
        absent: FactSet,
        moved: FactSet,
        births: Multiset[FactSet],
        others: Multiset[FactSet],
        round: int,
    ) -> ColumnarMultiset:
        heads = _Heads(self)
        for plan, at in plans.reading(moved):
            body = plan.template.body
            sources = [whole] * len(body)
            sources[at] = moved
            chosen = _Moved(body, columnar(births), columnar(others), round, body[:at], moved)
            heads.collect(plan, sources, [absent] * len(plan.template.negative), chosen)
        return heads.multiset()

    def rounds_of(
        self,
        plans: Plans,
        whole: FactSet,
        absent: FactSet,
        touched: FactSet,
        returned: FactSet,
        births: Multiset[FactSet],
        least: int,
    ) -> frozenset[int]:
        rounds: set[int] = set()
        for plan, sources, absences in self.changed_sources(plans, whole, absent, touched, returned):
            # The plan of a denial reads the denied atom after its body; that one was born below.
            body = plan.template.body

            def found(bindings: Bindings[int], plan: Plan = plan, body: Sequence[Triple] = body) -> None:
                self.instances += bindings.size
                if self.trace is not None:
                    self.trace(plan, bindings)
                latest = np.zeros(bindings.size, dtype=np.int64)
                for atom in body:
                    np.maximum(latest, _multiplicities(bindings, atom, columnar(births)), out=latest)
                rounds.update(np.unique(latest[latest >= least]).tolist())

            self.matcher.match(plan, sources, absences, found, keep_all=True)
        return frozenset(rounds)


@dataclass(frozen=True, slots=True)
class _Newest:
    """Chooses the rows in which an atom is the first that is born in a round, none is later, and some are no change."""

    body: Sequence[Triple]
    newest: int
    births: ColumnarMultiset
    round: int
    before: Sequence[Triple]
    change: FactSet

    def __call__(self, found: Bindings[int]) -> Mask:
        keep = ~_any_holds(found, self.before, self.change)
        for position, atom in enumerate(self.body):
            born = _multiplicities(found, atom, self.births)
            if position == self.newest:
                keep &= born == self.round
            else:
                keep &= born < self.round + (position > self.newest)
        return keep


@dataclass(frozen=True, slots=True)
class _Moved:
    """Chooses the rows with no atom born after a round, none born in it according to others, and some no change."""

    body: Sequence[Triple]
    births: ColumnarMultiset
    others: ColumnarMultiset
    round: int
    before: Sequence[Triple]
    change: FactSet

    def __call__(self, found: Bindings[int]) -> Mask:
        keep = ~_any_holds(found, self.before, self.change)
        for atom in self.body:
            keep &= _multiplicities(found, atom, self.births) <= self.round
            keep &= _multiplicities(found, atom, self.others) < self.round
        return keep


class _Heads:
    """Matches plans and counts the heads."""

    def __init__(self, chaining: Chaining) -> None:
        self._chaining = chaining
        self._found: dict[int, list[Amount]] = defaultdict(list)

    def collect(self, plan: Plan, sources: list[FactSet], absent: list[FactSet], chosen: Chosen | None = None) -> None:
        chaining, head = self._chaining, plan.template.head
        assert head is not None, "constraints are matched, not evaluated"

        def found(bindings: Bindings[int]) -> None:
            if chosen is not None:
                bindings = bindings.taken(chosen(bindings))
            chaining.instances += bindings.size
            if chaining.trace is not None:
                chaining.trace(plan, bindings)
            for predicate, _, keys in _keys(bindings, head):
                self._found[predicate].append(counted(keys))

        keep_all = chosen is not None or chaining.trace is not None
        chaining.matcher.match(plan, sources, absent, found, keep_all=keep_all)

    def multiset(self) -> ColumnarMultiset:
        return ColumnarMultiset.of_amounts(self._found)


def _readers(body: Sequence[Triple], facts: FactSet, also: int | None = None) -> Iterable[int]:
    """Return the positions of the atoms that some of the facts may match, and of one more."""
    return [
        position
        for position, (_, predicate, _) in enumerate(body)
        if position == also or is_variable(predicate) or predicate in facts
    ]


def _any_holds(found: Bindings[int], atoms: Sequence[Triple], facts: FactSet) -> Mask:
    """Tell in which rows one of some atoms is among the facts."""
    mask = np.zeros(found.size, dtype=np.bool_)
    for atom in atoms:
        if is_variable(atom[1]) or atom[1] in facts:
            mask |= holds(found, atom, facts, equality=False)
    return mask


def _multiplicities(found: Bindings[int], atom: Triple, multiset: ColumnarMultiset) -> Ids:
    """Return how often the instances of an atom occur in a multiset."""
    amounts = np.zeros(found.size, dtype=np.int64)
    if is_variable(atom[1]) or atom[1] in multiset.facts:
        for predicate, rows, keys in _keys(found, atom):
            amounts[rows] = multiset.multiplicities(predicate, keys)
    return amounts


def _keys(found: Bindings[int], atom: Triple) -> Iterator[tuple[int, Ids | slice, Keys]]:
    """Yield the instances of an atom by predicate: the rows that have it, and their keys in main order."""
    if found.size == 0:
        return
    s, o = found.values(atom[0]), found.values(atom[2])
    groups: Iterable[tuple[int, Ids | slice]] = [(atom[1], slice(None))]
    if is_variable(atom[1]):
        groups = group_rows(found.columns[atom[1]])
    for predicate, rows in groups:
        yield predicate, rows, pack(o[rows], s[rows]) if predicate == TYPE else pack(s[rows], o[rows])
