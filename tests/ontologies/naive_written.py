"""A slow and obvious evaluator that keeps literals as they are written, and compares them by value.

A variable is bound to the ways in which the matched facts spell it; the head of a rule has each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from ontologies.collector import Translation
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import SAME_AS, Variable, is_literal
from tests.ontologies import naive_literals
from tests.ontologies.naive import EQUALITY

Triple = tuple[str, str, str]
Spellings = dict[str, tuple[str, ...]]


def written_closure(translation: Translation, facts: Iterable[Triple]) -> set[Triple]:
    """Return what follows, without facts about literals."""
    rules = [rule for rule in (*EQUALITY, *translation.rules) if rule.head is not None]
    known = set(facts) | {tuple(rule.head) for rule in rules if not rule.body}
    while True:
        literals = sorted({o for _, _, o in known if is_literal(o)})
        equal = {(x, SAME_AS, y) for x, y in product(literals, repeat=2) if _same(x, y)}
        new = {head for rule in rules if rule.body for head in _heads(rule, [*known, *equal])} - known - equal
        if not new:
            return {fact for fact in known if not is_literal(fact[0])}
        known |= new


def _heads(rule: Rule, facts: list[Triple]) -> Iterator[Triple]:
    for found in _matches(rule.body, facts, {}):
        first = {name: spellings[0] for name, spellings in found.items()}
        if all(_holds(condition, first) for condition in rule.conditions):
            yield from product(*(found[term.name] if isinstance(term, Variable) else (term,) for term in rule.head))


def _matches(body: tuple[Atom, ...], facts: list[Triple], found: Spellings) -> Iterator[Spellings]:
    if not body:
        yield found
        return
    for fact in facts:
        if (longer := _met(body[0], fact, found)) is not None:
            yield from _matches(body[1:], facts, longer)


def _met(atom: Atom, fact: Triple, found: Spellings) -> Spellings | None:
    longer = dict(found)
    for term, value in zip(atom, fact, strict=True):
        if not isinstance(term, Variable):
            if not _same(term, value):
                return None
        elif term.name not in longer:
            longer[term.name] = (value,)
        elif not _same(longer[term.name][0], value):
            return None
        elif value not in longer[term.name]:
            longer[term.name] = (*longer[term.name], value)
    return longer


def _holds(condition, found: dict[str, str]) -> bool:
    terms = [found[term.name] if isinstance(term, Variable) else term for term in condition.arguments]
    if condition.name == "mergeable":
        return not any(map(is_literal, terms))
    return naive_literals.BUILTINS[condition.name](*terms)


def _same(left: str, right: str) -> bool:
    return left == right or (is_literal(left) and is_literal(right) and naive_literals.same_value(left, right))
