"""Matching one rule instance over representatives with what is proved about the terms that these stand for.

What a replay has proved: facts over terms as they are written, each with the step that first gave it.

The equalities that a replay has reached: classes, and the links that made them.

A link is a proved equality. Links carry the round in which they were proved, so that a chain can be asked for as of a
round: it then rests on nothing that came later, and no equality is ever justified by itself. This is the proof forest
of congruence closure (Nieuwenhuis, Oliveras: Proof-Producing Congruence Closure, 2005, section 3).

Deviation: all links are kept, not one for each union, and a chain is the shortest path instead of the only one.

Backward search: the rule instances over representatives that a fact can rest on, level by level.

A level opens all facts that the level before found: it looks up the rule instances that derive them. With a fact come
the classes c = c of its terms, because a proof may need any equality in them. Proofs of height h lie within h levels.

Where levels grow too large, the search goes on depth first, along the instances with the fewest facts of which nothing
is known yet: it then finds a proof soon, but not always one of least height.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from reasoner.explanation.source import Derivations, Fact, Instance, ProofSource, is_by_value
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.terms.builtins import BUILTINS
from reasoner.terms.term import OCCURS, SAME


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """A proved fact. ``application`` is None for what holds from the start: explicit facts and equal literals.

    ``size`` counts steps, those of premises each time they are used; alternatives of one round are chosen by it.
    """

    fact: Fact
    round: int
    size: int
    application: Application | None = None
    is_explicit: bool = False

    @property
    def is_replaced(self) -> bool:
        """Whether it is an equality whose predicate was replaced by owl:sameAs; it rests on one of the same round."""
        return self.application is not None and self.application.instance is None


@dataclass(frozen=True, slots=True, eq=False)
class Application:
    """A rule instance over written terms: the values of its variables, and for each body atom the witness that proves
    it, once equal terms are replaced; None where the atom is an equality that chains of links prove. Without an
    instance, the only premise proves the fact once equal terms are replaced."""

    instance: Instance | None
    values: tuple[int, ...]
    premises: tuple[Witness | None, ...]

    def required(self, at: int) -> Fact:
        """Return the fact that a body atom stands for."""
        assert self.instance is not None
        return written(self.instance.rule.body[at], self.values)


def written(atom: Triple, values: tuple[int, ...]) -> Fact:
    """Return an atom under values of its variables, by number."""

    def value(term: EncodedTerm) -> int:
        return values[-1 - term] if is_variable(term) else term

    return value(atom[0]), value(atom[1]), value(atom[2])


# What tells one step from another when further proofs are asked for.
StepKey = tuple[object, ...]


def step_key(witness: Witness, representative: Callable[[int], int], *, is_link: bool) -> StepKey:
    """Return what identifies the step of a witness.

    An instance that gives a plain fact is known by its values up to equality, because writing the same instance with
    equal terms proves nothing in another way; one that links two terms by the facts that it uses, in either order.
    """
    application = witness.application
    if application is None:
        return ("explicit" if witness.is_explicit else "dt-eq", witness.fact)
    if application.instance is None:
        return ("replaced", witness.fact)
    rule = application.instance.rule
    if is_link:
        used = frozenset(application.required(at) for at in range(len(rule.body)))
        return (rule, frozenset((witness.fact[0], SAME, witness.fact[2])), used)
    return (rule, tuple(map(representative, application.values)))


class Dated(Protocol):
    """Something that was proved in a round."""

    @property
    def round(self) -> int: ...


L = TypeVar("L", bound=Dated)


class EqualityForest(Generic[L]):
    """Classes of terms, each term labelled by one of its class."""

    def __init__(self) -> None:
        self._label: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}
        self._links: dict[int, list[tuple[int, L]]] = {}

    def label(self, term: int) -> int:
        """Return what all terms that are equal by now have in common."""
        return self._label.get(term, term)

    def are_equal(self, left: int, right: int) -> bool:
        return self.label(left) == self.label(right)

    def members(self, term: int) -> list[int]:
        """Return the terms that are equal to a term by now, itself included."""
        return self._members.get(self.label(term), [term])

    def link(self, left: int, right: int, link: L) -> bool:
        """Add an equality; tell whether it makes two classes one. The smaller class takes the label of the larger."""
        self._links.setdefault(left, []).append((right, link))
        self._links.setdefault(right, []).append((left, link))
        kept, gone = self.label(left), self.label(right)
        if kept == gone:
            return False
        if len(self.members(kept)) < len(self.members(gone)):
            kept, gone = gone, kept
        moved = self._members.pop(gone, [gone])
        self._members.setdefault(kept, [kept]).extend(moved)
        self._label.update(dict.fromkeys(moved, kept))
        return True

    def chain(self, left: int, right: int, latest: int) -> list[L]:
        """Return the fewest links that lead from one term to another, none of a round after ``latest``."""
        came: dict[int, tuple[int, L] | None] = {left: None}
        queue = deque([left])
        while right not in came:
            here = queue.popleft()
            for there, link in self._links.get(here, ()):
                if there not in came and link.round <= latest:
                    came[there] = (here, link)
                    queue.append(there)
        path: list[L] = []
        last = came[right]
        while last is not None:
            path.append(last[1])
            last = came[last[0]]
        return path[::-1]


class PendingUnions:
    """The equalities of a round that is under way, over the labels of the round before."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, label: int) -> int:
        parent = self._parent
        while label in parent:
            above = parent[label]
            if above in parent:
                parent[label] = parent[above]
            label = above
        return label

    def unite(self, left: int, right: int) -> bool:
        """Make two labels one; tell whether they were two."""
        left, right = self.find(left), self.find(right)
        if left != right:
            self._parent[right] = left
        return left != right


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


# So many facts are opened level by level; after that, the search goes depth first.
_MOST_FACTS = 1_000
# Instances of one rule for one fact; there is little to learn from more.
_MOST_INSTANCES = 64
# Facts that one step of the depth-first search opens, at least.
_STEP = 250


class Reach:
    """What the backward search has found so far from some normal facts. ``levels`` were opened in full."""

    def __init__(self, source: ProofSource, rules: Sequence[EncodedRule], goals: Sequence[Fact]) -> None:
        self._source = source
        self._rules = rules
        self._goals = goals
        self._begin(_MOST_INSTANCES)

    def _begin(self, most: int | None) -> None:
        self.levels = 0
        self.explicit: dict[Fact, list[Fact]] = {}
        self.readers: dict[Fact, list[Instance]] = defaultdict(list)
        self.facts_about: dict[int, list[Fact]] = defaultdict(list)
        self._most = most
        self._derivations: Derivations = self._source.derivations(self._rules, most=most)
        self._classes: dict[int, list[int]] = {}
        self._instances: dict[Fact, list[Instance]] = {}
        self._frontier: dict[Fact, None] = {}
        self._plausible: set[Fact] = set()
        self._unsettled: dict[Instance, int] = {}
        self._path: list[Fact] = []
        self._discover(self._goals)

    @property
    def is_wide(self) -> bool:
        """Whether all facts of all levels so far are open."""
        return len(self._instances) <= _MOST_FACTS

    @property
    def fact_count(self) -> int:
        """How many facts are open."""
        return len(self._instances)

    @property
    def is_exhausted(self) -> bool:
        """Whether there is nothing left to open."""
        return not self._frontier

    def is_plausible(self, fact: Fact) -> bool:
        """Tell whether a normal fact follows from explicit ones if all equalities are taken for granted."""
        return fact in self._plausible

    @property
    def instances(self) -> Iterable[Instance]:
        return (instance for found in self._instances.values() for instance in found)

    def members(self, representative: int) -> list[int]:
        """Return the class of a representative."""
        if representative not in self._classes:
            self._classes[representative] = self._source.members(representative)
        return self._classes[representative]

    def deepen(self) -> bool:
        """Open more facts; tell whether there were any."""
        if not self._frontier:
            if not self._derivations.is_cut:
                return False
            self._begin(None)
            return True
        if len(self._instances) + len(self._frontier) <= _MOST_FACTS:
            self._open(list(self._frontier))
            self.levels += 1
        else:
            self._go_deep(max(_STEP, len(self._instances) - _MOST_FACTS))
        return True

    def _go_deep(self, count: int) -> None:
        """Open so many facts on the way to making the goal plausible; once it is, any that are left, classes first."""
        if self._is_goal_plausible:
            self._open(sorted(self._frontier, key=lambda fact: fact[0] != fact[2] or fact[1] != SAME)[:count])
            return
        for _ in range(count):
            while self._path and (self._path[-1] not in self._frontier or self._path[-1] in self._plausible):
                self._path.pop()
            if not self._path:
                self._path = self._promising()
            fact = self._path.pop()
            self._open([fact])
            if self._is_goal_plausible or not self._frontier:
                return
            self._path += self._missing(fact)[0] if self._missing(fact) else []

    @property
    def _is_goal_plausible(self) -> bool:
        return any(goal in self._plausible for goal in self._goals)

    def _promising(self) -> list[Fact]:
        """Return a fact to open: go from the goal to premises that are not plausible yet, by the instances that have
        the fewest of them."""
        seen: set[Fact] = set()
        waiting = list(self._goals)
        while waiting:
            fact = waiting.pop()
            if fact in self._frontier:
                return [fact]
            if fact not in seen:
                seen.add(fact)
                waiting += [missing for body in reversed(self._missing(fact)) for missing in body]
        return [next(iter(self._frontier))]

    def _missing(self, fact: Fact) -> list[list[Fact]]:
        """Return what is not plausible of the body of each instance that derives a fact, the least first."""
        bodies = [
            [
                part
                for at, part in enumerate(instance.body)
                if at not in instance.equations and not self.is_plausible(part)
            ]
            for instance in self._instances[fact]
        ]
        return sorted(bodies, key=len)

    def _open(self, facts: Collection[Fact]) -> None:
        for fact in facts:
            del self._frontier[fact]
            self._instances[fact] = []
        found = self._derivations.instances([fact for fact in facts if fact[1] != OCCURS])
        for instance in found:
            self._instances[instance.head].append(instance)
        self._discover(self._read(found))
        for instance in found:
            needed = {fact for at, fact in enumerate(instance.body) if at not in instance.equations}
            self._unsettled[instance] = len(needed - self._plausible)
        self._settle(instance.head for instance in found if not self._unsettled[instance])
        asked = [fact[0] for fact in facts if fact[1] == OCCURS]
        self._discover(fact for term in asked for fact in self._source.mentioning(term))

    def _read(self, instances: Iterable[Instance]) -> Iterable[Fact]:
        """Note who reads which facts, and yield the facts."""
        for instance in instances:
            for fact in dict.fromkeys(instance.body):
                self.readers[fact].append(instance)
            yield from (fact for at, fact in enumerate(instance.body) if at not in instance.equations)
            for at in instance.equations:
                c = instance.body[at][0]
                occurs = (c, OCCURS, c)
                self.readers[occurs].append(instance)
                yield occurs
                yield from ((term, SAME, term) for term in (c, SAME) if len(self.members(term)) > 1)

    def _discover(self, facts: Iterable[Fact]) -> None:
        """Put facts that are new on the frontier, with the classes of their terms; look up which are explicit."""
        new: dict[Fact, None] = {}
        for fact in facts:
            if fact in self.explicit or fact in new:
                continue
            new[fact] = None
            for term in dict.fromkeys(fact if fact[1] != OCCURS else fact[:1]):
                if len(self.members(term)) > 1:
                    self.facts_about[term].append(fact)
                    same = (term, SAME, term)
                    if same not in self.explicit:
                        new[same] = None
        # Stored c = c facts are unknown to a store without rewriting, and its facts about owl:sameAs are plain ones.
        self.explicit.update(self._source.explicit_forms([fact for fact in new if fact[1] != OCCURS]))
        self.explicit.update({fact: [] for fact in new if fact[1] == OCCURS})
        self._frontier.update(new)
        self._settle(fact for fact in new if self.explicit[fact] or is_by_value(self._source, fact))

    def _settle(self, facts: Iterable[Fact]) -> None:
        """Mark facts as plausible, and what follows from them."""
        waiting = list(facts)
        while waiting:
            fact = waiting.pop()
            if fact in self._plausible:
                continue
            self._plausible.add(fact)
            for instance in self.readers.get(fact, ()):
                if instance in self._unsettled and any(
                    fact == other for at, other in enumerate(instance.body) if at not in instance.equations
                ):
                    self._unsettled[instance] -= 1
                    if not self._unsettled[instance]:
                        waiting.append(instance.head)
