"""Looking up in a columnar store what a proof is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.bindings import Bindings
from reasoner.columnar.factset import FactSet, shown_facts
from reasoner.columnar.kernels import Ids
from reasoner.columnar.literal_values import spellings_of
from reasoner.columnar.membership import facts_about, standing_for
from reasoner.columnar.plans import Plan, Plans
from reasoner.explanation.source import Fact, Instance, instance_of
from reasoner.reasoning.arrange import readings
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.terms.term import OCCURS, SAME, TYPE, TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore

# Carries the variables of a rule through readings that unite them; taken off before anything is matched.
_VARIABLES = "variables"

_SCATTERING = 2654435761

Split = tuple[int, int | None]
Meaning = tuple[EncodedRule, tuple[EncodedTerm, ...]]


class ProofStore:
    """The view of the present state of a columnar store that explanations use."""

    def __init__(self, store: ColumnarStore) -> None:
        self._engine = store.engine
        self._dictionary = store.dictionary
        self._state = store.state

    @property
    def equality(self) -> bool:
        return self._engine.equality

    def encoded(self, triple: TextTriple) -> Fact | None:
        s, p, o = map(self._dictionary.lookup, triple)
        return None if s is None or p is None or o is None else (s, p, o)

    def text(self, id: int) -> str:
        return self._dictionary.text(id)

    def representative(self, id: int) -> int:
        return self._state.representatives.of_one(id)

    def members(self, id: int) -> list[int]:
        members: list[int] = self._state.representatives.class_of(id).tolist()
        return members

    def is_stored(self, normal: Fact) -> bool:
        s, p, o = normal
        return bool(self._state.facts.table(p).contains(np.array([s]), np.array([o]))[0])

    def spellings(self, literal: int) -> list[int]:
        found: list[int] = spellings_of(self._state.values, literal).tolist()
        return found

    def explicit_forms(self, normal: Collection[Fact]) -> dict[Fact, list[Fact]]:
        forms: dict[Fact, list[Fact]] = {fact: [] for fact in normal}
        found = standing_for(self._state.explicit, self._state.representatives, _fact_set(normal))
        columns = found.columns()
        raw = zip(*(column.tolist() for column in columns), strict=True)
        of = zip(*(self._state.representatives.of(column).tolist() for column in columns), strict=True)
        for form, fact in zip(raw, of, strict=True):
            forms[fact].append(form)
        return forms

    def mentioning(self, term: int) -> list[Fact]:
        facts = shown_facts(self._state.facts, self._engine.auxiliary)
        explicit, stored = (facts_about(some, np.array([term])) for some in (self._state.explicit, facts))
        if term == SAME and not len(explicit):
            # It occurs as soon as anything does, in the equality of that with itself.
            explicit, stored = self._state.explicit, facts
        if len(explicit) and len(self.members(term)) == 1:
            predicate = next(iter(explicit))
            s, o = explicit.table(predicate).pairs()
            of = self._state.representatives.of_one
            return [(of(int(s[0])), of(predicate), of(int(o[0])))]
        mentioning: list[Fact] = list(zip(*(column.tolist() for column in stored.columns()), strict=True))
        # A rule may say c = c of a constant that nothing else mentions.
        return mentioning + [(term, SAME, term)] * self.is_stored((term, OCCURS, term))

    def derivations(self, rules: Sequence[EncodedRule], *, most: int | None) -> BackwardChaining:
        return BackwardChaining(self, rules, most)

    def plans_of(self, rules: Sequence[EncodedRule]) -> tuple[Plans, dict[EncodedRule, list[Meaning]]]:
        """Compile rules for backward chaining; tell for each compiled rule which rules it is a reading of, and what
        the variables of these are in it."""
        meanings: dict[EncodedRule, list[Meaning]] = defaultdict(list)
        for rule in rules:
            variables = tuple(sorted({term for atom in rule.body for term in atom if is_variable(term)}, reverse=True))
            marked = replace(rule, conditions=(*rule.conditions, (_VARIABLES, variables)))
            marked = marked.substituted(lambda term: term if term < 0 else self.representative(term))
            for reading in readings([marked], equality=self.equality):
                terms = next(terms for name, terms in reading.conditions if name == _VARIABLES)
                plain = replace(reading, conditions=tuple(p for p in reading.conditions if p[0] != _VARIABLES), own=())
                assert plain.head is not None
                meanings[replace(plain, body=(plain.head, *plain.body))].append((rule, terms))
        return self._engine.compile(meanings), meanings

    def matches(self, plan: Plan, heads: FactSet) -> Bindings[int]:
        """Return the matches of a plan for backward chaining, whose first atom is its head."""
        facts = self._state.facts
        sources = [heads] + [facts] * (len(plan.template.body) - 1)
        return self._engine.matcher.all_matches(plan, sources, facts, free=0)

    def explicit_count(self, body: Sequence[Triple], bindings: Bindings[int]) -> Ids:
        """Count the body facts of each row that are explicit over representatives."""
        counts = np.zeros(bindings.size, dtype=np.int64)
        for s, p, o in body:
            if not is_variable(p):
                counts += self._state.explicit.table(p).contains(bindings.values(s), bindings.values(o))
        return counts


class BackwardChaining:
    """Looks up rule instances by their heads, many at a time; rules are compiled when a head first asks for them."""

    def __init__(self, store: ProofStore, rules: Sequence[EncodedRule], most: int | None) -> None:
        self._store = store
        self._most = most
        self.is_cut = False
        self._waiting: dict[Split | None, list[EncodedRule]] = defaultdict(list)
        for rule in rules:
            self._waiting[_split(rule, store)].append(rule)
        self._compiled: list[Plans] = []
        self._meanings: dict[EncodedRule, list[Meaning]] = {}
        self._moved: dict[int, int] = {}

    def instances(self, heads: Collection[Fact]) -> list[Instance]:
        self._compile_for(heads)
        facts = _fact_set(heads)
        found: dict[tuple[EncodedRule, tuple[int, ...]], None] = {}
        for plans in self._compiled:
            for plan in plans.writing(facts):
                bindings = self._fewer(plan, self._store.matches(plan, facts))
                found.update(dict.fromkeys(self._read(plan, bindings)))
        return [instance_of(rule, values, self._moved, self._store.equality) for rule, values in found]

    def _compile_for(self, heads: Collection[Fact]) -> None:
        splits: set[Split | None] = {None}
        for _, p, o in heads:
            splits |= {(p, None), (p, o)}
        rules = [rule for split in splits for rule in self._waiting.pop(split, ())]
        if rules:
            plans, meanings = self._store.plans_of(rules)
            self._compiled.append(plans)
            self._meanings.update(meanings)
            for constant in {constant for rule in rules for constant in rule.constants}:
                self._moved[constant] = self._store.representative(constant)

    def _fewer(self, plan: Plan, bindings: Bindings[int]) -> Bindings[int]:
        """Keep for each head at most so many rows as were asked for, those with most explicit body facts."""
        if self._most is None or bindings.size <= self._most:
            return bindings
        head, *body = plan.template.body
        keys = np.stack([bindings.values(term) for term in head])
        # Ties are broken by a scattering of the rows, so that not all of them are of one corner of the data.
        scattered = np.arange(bindings.size) * _SCATTERING % (1 << 31)
        order = np.lexsort((scattered, -self._store.explicit_count(body, bindings), *keys))
        sorted_keys = keys[:, order]
        starts = np.append(True, (sorted_keys[:, 1:] != sorted_keys[:, :-1]).any(axis=0))
        first = np.maximum.accumulate(np.where(starts, np.arange(order.size), 0))
        kept = np.arange(order.size) - first < self._most
        self.is_cut |= not bool(kept.all())
        return bindings.taken(order[kept])

    def _read(self, plan: Plan, bindings: Bindings[int]) -> Iterator[tuple[EncodedRule, tuple[int, ...]]]:
        template = plan.template
        columns = {term: column.tolist() for term, column in bindings.columns.items()}
        rules = dict(zip(template.rows, template.rules, strict=True))
        for row in range(bindings.size):
            compiled = rules[tuple(columns[parameter][row] for parameter in template.parameters)]
            for rule, terms in self._meanings[compiled]:
                yield rule, tuple(columns[term][row] if is_variable(term) else term for term in terms)


def _split(rule: EncodedRule, store: ProofStore) -> Split | None:
    """Return the predicate that a rule derives, with the class for rdf:type; None if it is a variable."""
    assert rule.head is not None
    _, p, o = rule.head
    if is_variable(p):
        return None
    p = store.representative(p)
    return p, (store.representative(o) if p == TYPE and not is_variable(o) else None)


def _fact_set(facts: Collection[Fact]) -> FactSet:
    if not facts:
        return FactSet()
    s, p, o = np.array(list(facts), dtype=np.int64).T
    return FactSet.of_columns(s, p, o)
