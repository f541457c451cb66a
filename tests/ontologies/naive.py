"""A slow and obvious evaluator of rules, to test translations without the engine: datalog over Python sets.

Equality is axiomatised by the W3C rules eq-* themselves; literals are equal when ``naive_literals`` says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ontologies.collector import Translation
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import SAME_AS, Variable, is_literal
from tests.ontologies import naive_literals

Triple = tuple[str, str, str]
X, Y, Z, S, P, V = (Variable(name) for name in ("x", "y", "z", "s", "p", "v"))
EQUAL = Builtin("mergeable", (X, Y))
EQUALITY = (
    Rule("eq-ref", Atom(S, SAME_AS, S), (Atom(S, P, V),)),
    Rule("eq-ref", Atom(P, SAME_AS, P), (Atom(S, P, V),)),
    Rule("eq-ref", Atom(V, SAME_AS, V), (Atom(S, P, V),)),
    Rule("eq-sym", Atom(Y, SAME_AS, X), (Atom(X, SAME_AS, Y),), conditions=(EQUAL,)),
    Rule("eq-trans", Atom(X, SAME_AS, Z), (Atom(X, SAME_AS, Y), Atom(Y, SAME_AS, Z)), conditions=(EQUAL,)),
    Rule("eq-rep-s", Atom(Y, P, V), (Atom(X, SAME_AS, Y), Atom(X, P, V)), conditions=(EQUAL,)),
    Rule("eq-rep-p", Atom(S, Y, V), (Atom(X, SAME_AS, Y), Atom(S, X, V)), conditions=(EQUAL,)),
    Rule("eq-rep-o", Atom(S, P, Y), (Atom(X, SAME_AS, Y), Atom(S, P, X)), conditions=(EQUAL,)),
)


class Closure:
    """What follows from some facts by the rules of a translation; ``violations`` are names of constraints."""

    def __init__(self, translation: Translation, facts: Iterable[Triple]) -> None:
        self.facts: set[Triple] = set()
        self.violations: set[str] = set()
        self._index: dict[tuple[str | None, str | None, str | None], list[Triple]] = defaultdict(list)
        self._literals: set[str] = set()
        self._by_value = translation.value_equality
        self._by_predicate: dict[str | None, list[tuple[Rule, int, list[tuple[str | None, ...]]]]] = defaultdict(list)
        for rule in (*EQUALITY, *translation.rules):
            patterns = [tuple(_value(term, {}) for term in atom) for atom in rule.body]
            for position, pattern in enumerate(patterns):
                self._by_predicate[pattern[1]].append((rule, position, patterns))
        self._todo: list[Triple] = []
        for fact in facts:
            self._add(fact)
        for rule in translation.rules:
            if not rule.body and rule.head:
                self._add(tuple(rule.head))
        while self._todo:
            self._fire(self._todo.pop())

    def __contains__(self, fact: Triple) -> bool:
        return fact in self.facts

    def _add(self, fact: Triple) -> None:
        if fact in self.facts:
            return
        self.facts.add(fact)
        self._todo.append(fact)
        s, p, o = fact
        for key in (
            (s, p, o),
            (s, p, None),
            (None, p, o),
            (s, None, o),
            (s, None, None),
            (None, p, None),
            (None, None, o),
        ):
            self._index[key].append(fact)
        self._index[None, None, None].append(fact)
        if self._by_value and is_literal(o) and o not in self._literals:
            for other in list(self._literals):
                if naive_literals.same_value(o, other):
                    self._add((o, SAME_AS, other))
            self._literals.add(o)

    def _fire(self, fact: Triple) -> None:
        for rule, position, patterns in (*self._by_predicate[fact[1]], *self._by_predicate[None]):
            if not all(pattern in self._index for pattern in patterns):
                continue
            if (binding := _unify(rule.body[position], fact, {})) is None:
                continue
            rest = rule.body[:position] + rule.body[position + 1 :]
            for match in list(self._join(rest, binding)):
                if not all(_holds(condition, match) for condition in rule.conditions):
                    continue
                if rule.head is None:
                    self.violations.add(rule.name)
                else:
                    self._add(tuple(_value(term, match) for term in rule.head))

    def _join(self, atoms: tuple[Atom, ...], binding: dict[str, str]) -> Iterator[dict[str, str]]:
        if not atoms:
            yield binding
            return
        candidates = [self._index.get(tuple(_value(term, binding) for term in atom), ()) for atom in atoms]
        position = min(range(len(atoms)), key=lambda choice: len(candidates[choice]))
        best, rest = atoms[position], atoms[:position] + atoms[position + 1 :]
        for fact in list(candidates[position]):
            if (longer := _unify(best, fact, binding)) is not None:
                yield from self._join(rest, longer)


def _value(term, binding):
    return binding.get(term.name) if isinstance(term, Variable) else term


def _unify(atom: Atom, fact: Triple, binding: dict[str, str]) -> dict[str, str] | None:
    longer = dict(binding)
    for term, value in zip(atom, fact, strict=True):
        if isinstance(term, Variable):
            if longer.setdefault(term.name, value) != value:
                return None
        elif term != value:
            return None
    return longer


def _holds(condition: Builtin, binding: dict[str, str]) -> bool:
    return naive_literals.BUILTINS[condition.name](*(_value(term, binding) for term in condition.arguments))
