"""Matching one rule instance over representatives with what is proved about the terms that these stand for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from reasoner.explanation.forest import EqualityForest, PendingUnions
from reasoner.explanation.source import Fact, Instance, ProofSource
from reasoner.explanation.witness import Witness, written
from reasoner.literals.builtins import BUILTINS
from reasoner.rules.encode import EncodedRule, EncodedTerm, is_variable
from reasoner.vocabulary import SAME

# Two members of a class of thousands can share thousands of facts. After so many combinations of one instance, those
# that differ only in terms that are equal, or are becoming so in this round, are taken for one.
_MOST_COMBINATIONS = 4_000

Binding = dict[EncodedTerm, int]
Chosen = dict[int, Witness | None]
Order = tuple[list[int], list[frozenset[EncodedTerm]]]


@dataclass(slots=True)
class Knowledge:
    """What is proved by the end of a round: witnesses by normal fact, equalities, and where terms first occur."""

    source: ProofSource
    goal_terms: frozenset[int]
    witnesses: dict[Fact, dict[Fact, Witness]] = field(default_factory=lambda: defaultdict(dict))
    forest: EqualityForest[Witness] = field(default_factory=EqualityForest)
    occurrences: dict[int, Witness] = field(default_factory=dict)

    orders: dict[tuple[EncodedRule, frozenset[int]], Order] = field(default_factory=dict)

    def order_of(self, instance: Instance) -> Order:
        """Return in which order to match the body atoms of an instance, and which variables are still read then."""
        key = (instance.rule, instance.equations)
        if key not in self.orders:
            order = _order_of(instance)
            live = [_variables_after(instance.rule, order[at:]) for at in range(len(order) + 1)]
            self.orders[key] = (order, live)
        return self.orders[key]

    def labels(self, fact: Fact) -> Fact:
        label = self.forest.label
        return label(fact[0]), label(fact[1]), label(fact[2])


class InstanceMatcher:
    """Finds the combinations of witnesses that make one instance apply; terms are compared by their labels."""

    def __init__(
        self, known: Knowledge, instance: Instance, pending: PendingUnions, members: Callable[[int], list[int]]
    ) -> None:
        self._known = known
        self._label = known.forest.label
        self._instance = instance
        self._rule = instance.rule
        self._pending = pending
        self._members = members
        self._order, self._live = known.order_of(instance)
        self._seen: set[tuple[object, ...]] = set()
        self._indexes: dict[tuple[int, tuple[int, ...]], dict[tuple[int, ...], list[Witness]]] = {}
        self._combinations = 0

    @property
    def is_over_budget(self) -> bool:
        return self._combinations > _MOST_COMBINATIONS

    def matches(self) -> Iterator[tuple[tuple[int, ...], tuple[Witness | None, ...]]]:
        """Yield the values of the variables with the witnesses of the body atoms, None for equalities."""
        for binding, chosen in self._extend(0, {}, {}):
            values = tuple(binding[-1 - number] for number in range(len(self._instance.values)))
            settled = self._meeting_conditions(values)
            if settled is not None:
                yield settled, tuple(self._witness(at, settled, chosen[at]) for at in range(len(self._rule.body)))

    def _witness(self, at: int, values: tuple[int, ...], found: Witness | None) -> Witness | None:
        """Return the witness of exactly the fact that is required, if there is one."""
        known = self._known.witnesses[self._instance.body[at]]
        return None if found is None else known.get(written(self._rule.body[at], values), found)

    def _extend(self, depth: int, binding: Binding, chosen: Chosen) -> Iterator[tuple[Binding, Chosen]]:
        if depth == len(self._order):
            yield binding, chosen
            return
        if self._is_repeated(depth, binding):
            return
        at = self._order[depth]
        for extended, witness in self._readings(at, binding):
            self._combinations += 1
            yield from self._extend(depth + 1, extended, {**chosen, at: witness})

    def _readings(self, at: int, binding: Binding) -> Iterator[tuple[Binding, Witness | None]]:
        if at in self._instance.equations:
            yield from self._equal_terms(at, binding)
            if len(self._members(SAME)) == 1:
                return
        # Even an equality over representatives, if its predicate was another before it became equal to owl:sameAs.
        yield from self._facts(at, binding)

    def _is_repeated(self, depth: int, binding: Binding) -> bool:
        """Tell whether the same was tried with equal terms; only once there are too many combinations."""
        if not binding:
            return False
        live = self._live[depth]
        sign = tuple(
            (term, self._label(value) if term in live else self._pending.find(self._label(value)))
            for term, value in binding.items()
        )
        repeated = (depth, sign) in self._seen
        self._seen.add((depth, sign))
        return repeated and self.is_over_budget

    def _facts(self, at: int, binding: Binding) -> Iterator[tuple[Binding, Witness]]:
        atom = self._rule.body[at]
        bound = tuple(i for i, term in enumerate(atom) if not is_variable(term) or term in binding)
        wanted = tuple(self._label(binding[atom[i]] if is_variable(atom[i]) else atom[i]) for i in bound)
        for witness in self._index(at, bound).get(wanted, ()):
            extended = dict(binding)
            pairs = zip(atom, witness.fact, strict=True)
            if all(
                self._label(extended.setdefault(term, value)) == self._label(value)
                for term, value in pairs
                if is_variable(term)
            ):
                yield extended, witness

    def _index(self, at: int, bound: tuple[int, ...]) -> dict[tuple[int, ...], list[Witness]]:
        """Return the witnesses of a body atom by the labels in some places."""
        if (at, bound) not in self._indexes:
            index: dict[tuple[int, ...], list[Witness]] = defaultdict(list)
            for witness in self._ordered(self._known.witnesses[self._instance.body[at]].values()):
                index[tuple(self._label(witness.fact[i]) for i in bound)].append(witness)
            self._indexes[at, bound] = index
        return self._indexes[at, bound]

    def _ordered(self, witnesses: Collection[Witness]) -> Iterable[Witness]:
        """Put facts about the terms of the goal first: what is tried first has the shorter proofs, if not all is."""
        if len(witnesses) < _MOST_COMBINATIONS // 10:
            return witnesses
        return sorted(witnesses, key=lambda witness: self._known.goal_terms.isdisjoint(witness.fact))

    def _equal_terms(self, at: int, binding: Binding) -> Iterator[tuple[Binding, None]]:
        """Yield the ways to read an atom t = u; c = c needs a fact that mentions c."""
        left, predicate, right = self._rule.body[at]
        if is_variable(predicate):
            binding = {predicate: SAME, **binding}
            predicate = binding[predicate]
        if self._label(predicate) != self._label(SAME):
            return
        first = binding.get(left) if is_variable(left) else left
        second = binding.get(right) if is_variable(right) else right
        if first is None and second is None:
            for member in self._members(self._instance.body[at][0]):
                if member in self._known.occurrences:
                    yield from self._equal_terms(at, {**binding, left: member})
        elif first is not None and second is not None:
            if self._label(first) == self._label(second) and (first != second or first in self._known.occurrences):
                yield binding, None
        else:
            known = second if first is None else first
            assert known is not None
            equal = [known] if known in self._known.occurrences else []
            if not self.is_over_budget:
                equal += [term for term in self._known.forest.members(known) if term != known]
            for term in equal:
                yield {**binding, (left if first is None else right): term}, None

    def _meeting_conditions(self, values: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the values, some replaced by equal ones if need be, under which the conditions hold as written."""
        conditions = self._rule.conditions
        if not conditions or self._holds(values):
            return values
        settled = dict(enumerate(values))
        for name, terms in conditions:
            if name == "=":
                left, right = (settled[-1 - term] if is_variable(term) else term for term in terms)
                if self._label(left) == self._label(right):
                    variable = terms[1] if is_variable(terms[1]) else terms[0]
                    settled[-1 - variable] = left if variable == terms[1] else right
        if self._holds(tuple(settled.values())):
            return tuple(settled.values())
        # Conditions were decided over representatives.
        for _, terms in conditions:
            for term in filter(is_variable, terms):
                representative = self._instance.values[-1 - term]
                if self._label(representative) == self._label(settled[-1 - term]):
                    settled[-1 - term] = representative
        return tuple(settled.values()) if self._holds(tuple(settled.values())) else None

    def _holds(self, values: tuple[int, ...]) -> bool:
        text = self._known.source.text
        for name, terms in self._rule.conditions:
            arguments = [text(values[-1 - term] if is_variable(term) else term) for term in terms]
            if not BUILTINS[name].holds(*arguments):
                return False
        return True


def _order_of(instance: Instance) -> list[int]:
    """Return the order in which to match body atoms: stored facts, then equalities with a known side first."""
    body, equations = instance.rule.body, instance.equations
    order = [at for at in range(len(body)) if at not in equations]
    bound = {term for at in order for term in body[at]}
    waiting = sorted(equations)
    while waiting:
        at = next((at for at in waiting if _is_bound(body[at][0], bound) or _is_bound(body[at][2], bound)), waiting[0])
        waiting.remove(at)
        order.append(at)
        bound |= set(body[at])
    return order


def _is_bound(term: EncodedTerm, bound: set[EncodedTerm]) -> bool:
    return not is_variable(term) or term in bound


def _variables_after(rule: EncodedRule, rest: list[int]) -> frozenset[EncodedTerm]:
    """Return the variables that some body atoms, the negated ones and the conditions read."""
    terms = [term for at in rest for term in rule.body[at]]
    terms += [term for atom in rule.negative for term in atom]
    terms += [term for _, arguments in rule.conditions for term in arguments]
    return frozenset(filter(is_variable, terms))
