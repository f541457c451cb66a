"""Matches of constraints that say what another match says, because an axiom is stated in several ways.

- ``A owl:disjointWith B`` and ``B owl:disjointWith A``: of two matches that differ only in which way a symmetric
  statement is written, the one is kept whose statement has the terms in the order of their texts.
- ``owl:AllDisjointClasses`` beside a pairwise statement: the pairwise one is kept.
- ``x p y`` and ``y p x`` of an asymmetric property, two values of a functional one: they match in two orders, and one
  is kept.
- Axioms that become the same constraint, whatever the order of its atoms, are one constraint with several sources.

Which match is kept depends on the texts of terms and not on ids, so that all engines keep the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from reasoner.columnar.bindings import Bindings, holds
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Mask
from reasoner.columnar.plan import Plan
from reasoner.columnar.representatives import Representatives
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.rule import Rule
from reasoner.rules.template import Template
from reasoner.rules.term import OWL
from reasoner.vocabulary import SAME

_DISJOINT, _APART, _COMPLEMENT, _DIFFERENT = (
    f"<{OWL}{name}>" for name in ("disjointWith", "propertyDisjointWith", "complementOf", "differentFrom")
)
# The rules of OWL 2 RL without sources of which a match and its mirror image are one contradiction.
_MIRRORED = frozenset({"cax-dw", "prp-pdw", "cls-com", "eq-diff1", "prp-asyp", "dt-diff"})
_SYMMETRIC_CONDITIONS = frozenset({"differentValue", "sameValue", "!=", "="})

# The rules over lists of what is pairwise so, with the predicate that states it of one pair.
_PAIRWISE = {"cax-adc": _DISJOINT, "prp-adp": _APART, "eq-diff2": _DIFFERENT, "eq-diff3": _DIFFERENT}


def merged(constraints: Sequence[EncodedRule]) -> list[EncodedRule]:
    """Return constraints with those of axioms that say the same as one, which has the sources of all."""
    groups: dict[object, list[EncodedRule]] = {}
    for number, rule in enumerate(constraints):
        parts = (rule.origin.name, _undirected(rule.body), frozenset(rule.negative), frozenset(rule.conditions))
        groups.setdefault(parts if rule.origin.sources else number, []).append(rule)
    return [_united(rules) for rules in groups.values()]


def _united(rules: list[EncodedRule]) -> EncodedRule:
    """Return one of some rules with the sources of all; sources and atoms are in the order of their texts."""
    sources = tuple(sorted({source for rule in rules for source in rule.origin.sources}))
    if len(sources) < 2:
        return rules[0]
    origin, body = rules[0].origin, rules[0].body
    places = sorted(range(len(body)), key=lambda place: tuple(map(str, origin.body[place])))
    ordered = replace(origin, body=tuple(origin.body[place] for place in places), sources=sources)
    return replace(rules[0], body=tuple(body[place] for place in places), origin=ordered)


class Repetitions:
    """One state in which constraints are matched, and which of their matches repeat another."""

    def __init__(self, engine: ColumnarEngine, facts: FactSet, representatives: Representatives) -> None:
        self.facts = facts
        self._engine = engine
        self._representatives = representatives
        self._symmetric = {id for text in (_DISJOINT, _APART, _COMPLEMENT, _DIFFERENT) if (id := self._id(text)) >= 0}

    def dropped(self, plan: Plan, found: Bindings) -> Bindings:
        """Return the matches of a plan without those that repeat another."""
        if not found.size:
            return found
        for repeated in (self._mirrored(plan, found), self._in_pairs(plan, found)):
            if repeated is not None and repeated.any():
                return found.taken(~repeated)
        return found

    def read_by(self, rule: EncodedRule) -> Iterator[int]:
        """Yield the symmetric predicates that statements of a constraint, or of its pairs, are made with."""
        if not _is_of_ontology(rule.origin):
            return
        if rule.origin.name in _PAIRWISE:
            yield self._id(_PAIRWISE[rule.origin.name])
        yield from (self._representatives.of_one(p) for _, p, _ in rule.body if not is_variable(p))

    def restated(self, changed: FactSet) -> set[int]:
        """Return the symmetric predicates of changed statements that are also made in another way."""
        found = set()
        for predicate in (*self._symmetric, SAME):
            if predicate in changed:
                s, o = changed.table(predicate).pairs()
                if self.facts.table(predicate).contains(o, s).any() or self._lists_any(predicate):
                    found.add(predicate)
        return found

    def _lists_any(self, predicate: int) -> bool:
        """Tell whether anything is said of the members of lists that a predicate says of pairs."""
        kinds = {_DISJOINT: "AllDisjointClasses", _APART: "AllDisjointProperties", _DIFFERENT: "AllDifferent"}
        names = (f"<{OWL}{name}>" for text, name in kinds.items() if self._id(text) == predicate)
        return any((id := self._id(name)) >= 0 and id in self.facts.classes() for name in names)

    def _mirrored(self, plan: Plan, found: Bindings) -> Mask | None:
        """Tell which matches are also there with two terms exchanged, and have these in the wrong order."""
        template = plan.template
        if template.negative or not all(_is_of_ontology(rule.origin) for rule in template.rules):
            return None
        variables = sorted({term for atom in template.body for term in atom if is_variable(term)}, reverse=True)
        own = [term for term in variables if term not in template.parameters]
        for s, o in combinations(own, 2):
            if _is_same_turned(template, s, o, self._symmetric):
                turned = [atom for atom in template.body if atom[1] in {*self._symmetric, SAME} and {s, o} & {*atom}]
                there = [holds(found, (b, p, a), self.facts, equality=True) for a, p, b in turned]
                return np.asarray(np.logical_and.reduce([self._later(found, s, o), *there]))
        return None

    def _in_pairs(self, plan: Plan, found: Bindings) -> Mask | None:
        """Tell which matches are about a pair of a list that is also stated as a pair."""
        stated = [self._is_stated(rule.origin) for rule in plan.template.rules]
        if not any(stated):
            return None
        if not plan.template.parameters:
            return np.full(found.size, stated[0])
        by_row = dict(zip(plan.template.rows, stated, strict=True))
        rows = np.stack([found.columns[term] for term in plan.template.parameters], axis=1).tolist()
        return np.array([by_row[tuple(row)] for row in rows], dtype=np.bool_)

    def _is_stated(self, origin: Rule) -> bool:
        predicate = self._id(_PAIRWISE[origin.name]) if origin.name in _PAIRWISE and origin.sources else -1
        if predicate < 0 or predicate not in self.facts:
            return False
        *_, first, second = origin.body
        pairs = {
            _DISJOINT: (first.object, second.object),
            _APART: (first.predicate, second.predicate),
            _DIFFERENT: (second.subject, second.object),
        }
        left, right = (np.array([self._id(str(term))]) for term in pairs[_PAIRWISE[origin.name]])
        table = self.facts.table(predicate)
        return bool(table.contains(left, right)[0] or table.contains(right, left)[0])

    def _later(self, found: Bindings, s: EncodedTerm, o: EncodedTerm) -> Mask:
        """Tell in which rows the text of one term comes behind that of another."""
        left, right = found.values(s), found.values(o)
        ids, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        texts = self._engine.dictionary.decode(ids)
        ranks = np.empty(ids.size, dtype=np.int64)
        ranks[sorted(range(ids.size), key=texts.__getitem__)] = np.arange(ids.size)
        ordered = ranks[places]
        return np.asarray(ordered[: left.size] > ordered[left.size :])

    def _id(self, text: str) -> int:
        id = self._engine.dictionary.lookup(text)
        return -1 if id is None else self._representatives.of_one(id)


def _is_of_ontology(origin: Rule) -> bool:
    """Tell whether a constraint comes from axioms, or is one of those that read axioms as data."""
    return bool(origin.sources) or origin.name in _MIRRORED


def _is_same_turned(template: Template, s: EncodedTerm, o: EncodedTerm, symmetric: set[int]) -> bool:
    """Tell whether a body says the same with two variables in each other's places."""

    def other(term: EncodedTerm) -> EncodedTerm:
        return {s: o, o: s}.get(term, term)

    def conditions(of: Callable[[EncodedTerm], EncodedTerm]) -> frozenset[object]:
        turned = [(name, tuple(map(of, terms))) for name, terms in template.conditions]
        return frozenset(
            (name, frozenset(terms)) if name in _SYMMETRIC_CONDITIONS else (name, terms) for name, terms in turned
        )

    turned = [(other(a), other(p), other(b)) for a, p, b in template.body]
    return _undirected(turned, symmetric) == _undirected(template.body, symmetric) and conditions(other) == conditions(
        int
    )


def _undirected(atoms: Iterable[Triple], symmetric: Collection[int] = ()) -> frozenset[Triple]:
    """Return atoms as a set in which equalities, and other symmetric statements, have no direction."""
    return frozenset((min(a, b), p, max(a, b)) if p == SAME or p in symmetric else (a, p, b) for a, p, b in atoms)
