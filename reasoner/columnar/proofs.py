"""Looking up in a columnar store what a proof is made of."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.answers import matches_over
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.term import SAME_AS
from reasoner.violation import TextTriple
from reasoner.vocabulary import OCCURS, SAME

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore

Fact = tuple[int, int, int]


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
        if self._holds(self._state.explicit, fact):
            return self.text_of(fact)
        if not self._state.representatives:
            return None
        s, p, o = (self._state.representatives.class_of(term).tolist() for term in fact)
        wanted = np.array(o, dtype=np.int64)
        for predicate in p:
            table = self._state.explicit.table(predicate)
            for subject in s if table.size else ():
                objects = table.objects_of(subject)
                found = objects[np.isin(objects, wanted)]
                if found.size:
                    return self._text(subject), self._text(predicate), self._text(int(found[0]))
        return None

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

    def equal_path(self, left: str, right: str) -> list[TextTriple] | None:
        """Search breadth first over explicit equalities."""
        table = self._state.explicit.table(SAME)
        start, goal = self._store.dictionary.lookup(left), self._store.dictionary.lookup(right)
        if start is None or goal is None:
            return None
        came: dict[int, tuple[int, TextTriple] | None] = {start: None}
        queue = deque([start])
        while queue and goal not in came:
            here = queue.popleft()
            steps = [(there, (here, there)) for there in table.objects_of(here).tolist()]
            steps += [(there, (there, here)) for there in table.subjects_of(here).tolist()]
            for there, (s, o) in steps:
                if there not in came:
                    came[there] = (here, (self._text(s), SAME_AS, self._text(o)))
                    queue.append(there)
        if goal not in came:
            return None
        path: list[TextTriple] = []
        step = came[goal]
        while step is not None:
            path.append(step[1])
            step = came[step[0]]
        return path[::-1]

    def _holds(self, facts: object, ids: Sequence[int]) -> bool:
        s, p, o = ids
        table = facts.table(p)  # type: ignore[attr-defined]
        return bool(table.contains(np.array([s]), np.array([o]))[0])


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
