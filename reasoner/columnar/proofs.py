"""Looking up in a columnar store what a proof is made of."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.answers import matches_over
from reasoner.columnar.factset import FactSet
from reasoner.explain import EqualityStep, Fact
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.term import SAME_AS
from reasoner.violation import TextTriple
from reasoner.vocabulary import OCCURS, SAME

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore

# A class of thousands has millions of equal pairs; a chain needs few of them.
_MOST_INSTANCES = 20_000


class ProofStore:
    """The view of a columnar store that explanations use."""

    def __init__(self, store: ColumnarStore) -> None:
        self._store = store
        self._state = store.state
        self._text = store.dictionary.text

    def is_explicit(self, triple: TextTriple) -> bool:
        ids = [self._store.dictionary.lookup(term) for term in triple]
        return all(id is not None for id in ids) and self._holds(self._state.explicit, ids)  # type: ignore[arg-type]

    def normal_fact(self, triple: TextTriple) -> Fact | None:
        ids = [self._store.dictionary.lookup(term) for term in triple]
        if any(id is None for id in ids):
            return None
        s, p, o = (self._state.representatives.of_one(id) for id in ids if id is not None)
        known = self._holds(self._state.facts, (s, p, o))
        equal = p == SAME and s == o and self._store.engine.equality and ids[0] != ids[2]
        return (s, p, o) if known or equal else None

    def text_of(self, fact: Fact) -> TextTriple:
        return self._text(fact[0]), self._text(SAME if fact[1] == OCCURS else fact[1]), self._text(fact[2])

    def explicit_form(self, fact: Fact) -> TextTriple | None:
        for s, p, o in self._explicit_forms(fact):
            return self._text(s), self._text(p), self._text(o)
        return None

    def _explicit_forms(self, fact: Fact) -> Iterator[Fact]:
        """Yield the explicit facts that a fact over representatives stands for, itself first."""
        if self._holds(self._state.explicit, fact):
            yield fact
        if not self._state.representatives:
            return
        s, p, o = (self._state.representatives.class_of(term) for term in fact)
        for predicate in p.tolist():
            table = self._state.explicit.table(predicate)
            for subject in s.tolist() if table.size else ():
                objects = table.objects_of(subject)
                for obj in objects[np.isin(objects, o)].tolist():
                    if (subject, predicate, obj) != fact:
                        yield subject, predicate, obj

    def derivations(self, rules: Sequence[EncodedRule], fact: Fact) -> list[tuple[EncodedRule, tuple[Fact, ...]]]:
        representative = self._state.representatives.of_one
        found: list[tuple[EncodedRule, tuple[Fact, ...]]] = []
        for rule in rules:
            normal = rule.substituted(lambda term: term if term < 0 else representative(term))
            bound = _bound_to(normal, fact)
            if bound is not None:
                found += ((rule, body) for body in self._instances(bound))
        return found

    def _instances(self, rule: EncodedRule) -> Iterable[tuple[Fact, ...]]:
        if not rule.body:
            yield ()
            return
        for plan, found in matches_over(self._store.engine, [rule], self._state.facts, self._state.representatives):
            columns = {term: column.tolist() for term, column in found.columns.items()}
            for row in range(found.size):
                yield tuple(_instance(atom, columns, row) for atom in plan.template.body if atom[1] != OCCURS)

    def equality_steps(self, rules: Sequence[EncodedRule], left: str, right: str) -> list[EqualityStep] | None:
        """Search breadth first over explicit equalities and those that rules derive within the class."""
        start, goal = self._store.dictionary.lookup(left), self._store.dictionary.lookup(right)
        if start is None or goal is None:
            return None
        table = self._state.explicit.table(SAME)
        derived: dict[int, list[tuple[int, EqualityStep]]] | None = None
        came: dict[int, tuple[int, EqualityStep] | None] = {start: None}
        queue = deque([start])
        while goal not in came:
            if not queue:
                if derived is not None:
                    return None
                derived = self._derived_equalities(rules, self._state.representatives.of_one(start))
                queue.extend(came)
            here = queue.popleft()
            steps = [(there, self._stated(here, there)) for there in table.objects_of(here).tolist()]
            steps += [(there, self._stated(there, here)) for there in table.subjects_of(here).tolist()]
            for there, step in steps + (derived or {}).get(here, []):
                if there not in came:
                    came[there] = (here, step)
                    queue.append(there)
        path: list[EqualityStep] = []
        last = came[goal]
        while last is not None:
            path.append(last[1])
            last = came[last[0]]
        return path[::-1]

    def _stated(self, s: int, o: int) -> EqualityStep:
        return EqualityStep((self._text(s), SAME_AS, self._text(o)))

    def _derived_equalities(
        self, rules: Sequence[EncodedRule], representative: int
    ) -> dict[int, list[tuple[int, EqualityStep]]]:
        """Return the equalities that rules derive between members of one class, in both directions."""
        steps: dict[int, list[tuple[int, EqualityStep]]] = defaultdict(list)
        for rule, body in self.derivations(rules, (representative, SAME, representative)):
            if len(body) != len(rule.body) or rule.head is None:
                continue
            for binding, premises in islice(self._raw_instances(rule, body), _MOST_INSTANCES):
                s, o = (binding[term] if is_variable(term) else term for term in (rule.head[0], rule.head[2]))
                if s != o:
                    step = EqualityStep((self._text(s), SAME_AS, self._text(o)), rule, premises)
                    steps[s].append((o, step))
                    steps[o].append((s, step))
        return steps

    def _raw_instances(
        self, rule: EncodedRule, body: tuple[Fact, ...]
    ) -> Iterator[tuple[dict[EncodedTerm, int], tuple[TextTriple | Fact, ...]]]:
        """Yield the ways to write an instance over representatives with explicit facts where there are any."""
        choices = [list(islice(self._explicit_forms(fact), _MOST_INSTANCES)) or [fact] for fact in body]

        def choose(
            position: int, binding: dict[EncodedTerm, int], premises: tuple[TextTriple | Fact, ...]
        ) -> Iterator[tuple[dict[EncodedTerm, int], tuple[TextTriple | Fact, ...]]]:
            if position == len(body):
                yield binding, premises
                return
            for fact in choices[position]:
                extended = dict(binding)
                pairs = zip(rule.body[position], fact, strict=True)
                if all(extended.setdefault(term, value) == value for term, value in pairs if is_variable(term)):
                    explicit = self._holds(self._state.explicit, fact)
                    premise = (self._text(fact[0]), self._text(fact[1]), self._text(fact[2])) if explicit else fact
                    yield from choose(position + 1, extended, (*premises, premise))

        yield from choose(0, {}, ())

    def _holds(self, facts: FactSet, ids: Sequence[int]) -> bool:
        s, p, o = ids
        return bool(facts.table(p).contains(np.array([s]), np.array([o]))[0])


def _bound_to(rule: EncodedRule, fact: Fact) -> EncodedRule | None:
    """Bind the head of a rule to a fact; None if it does not match."""
    assert rule.head is not None
    binding: dict[EncodedTerm, int] = {}
    for term, value in zip(rule.head, fact, strict=True):
        if (term if not is_variable(term) else binding.setdefault(term, value)) != value:
            return None
    return replace(rule.substituted(lambda term: binding.get(term, term)), head=None)


def _instance(atom: Triple, columns: dict[EncodedTerm, list[int]], row: int) -> Fact:
    s, p, o = (columns[term][row] if is_variable(term) else term for term in atom)
    return s, p, o
