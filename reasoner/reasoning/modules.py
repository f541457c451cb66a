"""Finding the rules that component methods evaluate better than joins.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, sections 5 and 6: a predicate that is
transitive, or symmetric and transitive, is closed by reachability and by connected components.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reasoner.rules.encode import EncodedRule, is_variable
from reasoner.terms.term import OCCURS, SAME, TYPE


@dataclass(frozen=True, slots=True)
class Closure:
    """The module of one predicate: transitive, and symmetric as well if ``symmetric``."""

    predicate: int
    symmetric: bool = False


@dataclass(frozen=True, slots=True)
class Modules:
    """What a stratum is split into: closures of known predicates, classes whose instances are transitive
    predicates (with the classes that make them symmetric), and the rules that these take care of."""

    closures: tuple[Closure, ...] = ()
    transitive_classes: tuple[int, ...] = ()
    symmetric_classes: tuple[int, ...] = ()
    taken: frozenset[EncodedRule] = frozenset()


def split_into_modules(rules: Sequence[EncodedRule], *, components: bool = True) -> Modules:
    """Set the closures of a stratum's rules apart; without ``components`` symmetry is left to joins."""
    transitive: dict[int, EncodedRule] = {}
    symmetric: dict[int, EncodedRule] = {}
    transitive_classes: dict[int, EncodedRule] = {}
    symmetric_classes: dict[int, EncodedRule] = {}
    for rule in rules:
        if rule.head is None or rule.negative or rule.conditions or len(rule.body) > 3:
            continue
        for found, recognise in (
            (transitive, _transitive_predicate),
            (symmetric, _symmetric_predicate),
            (transitive_classes, _transitive_class),
            (symmetric_classes, _symmetric_class),
        ):
            constant = recognise(rule)
            if constant is not None:
                found[constant] = rule
    if not components:
        symmetric, symmetric_classes = {}, {}
    both = transitive.keys() & symmetric.keys()
    taken = [*transitive.values(), *transitive_classes.values(), *(symmetric[p] for p in both)]
    return Modules(
        tuple(Closure(p, p in both) for p in sorted(transitive)),
        tuple(sorted(transitive_classes)),
        tuple(sorted(symmetric_classes)),
        frozenset(taken),
    )


def _transitive_predicate(rule: EncodedRule) -> int | None:
    """Return p if the rule is ``p(x, z) :- p(x, y), p(y, z)``."""
    if len(rule.body) != 2:
        return None
    p = rule.body[0][1]
    return p if not is_variable(p) and _is_transitivity(rule, rule.body, p) else None


def _transitive_class(rule: EncodedRule) -> int | None:
    """Return C if the rule is ``p(x, z) :- type(p, C), p(x, y), p(y, z)``."""
    if len(rule.body) != 3:
        return None
    guards = [atom for atom in rule.body if atom[1] == TYPE and not is_variable(atom[2])]
    steps = [atom for atom in rule.body if atom not in guards]
    if len(guards) != 1 or len(steps) != 2:
        return None
    p = guards[0][0]
    return guards[0][2] if is_variable(p) and _is_transitivity(rule, steps, p) else None


def _is_transitivity(rule: EncodedRule, steps: Sequence[tuple[int, int, int]], p: int) -> bool:
    for (x, p1, y), (y2, p2, z) in ((steps[0], steps[1]), (steps[1], steps[0])):
        variables = {x, y, z}
        distinct = len(variables) == 3 and all(is_variable(term) for term in variables) and p not in variables
        if p1 == p2 == p and y == y2 and distinct and rule.head == (x, p, z) and p not in (SAME, OCCURS):
            return True
    return False


def _symmetric_predicate(rule: EncodedRule) -> int | None:
    """Return p if the rule is ``p(y, x) :- p(x, y)``."""
    if len(rule.body) != 1:
        return None
    x, p, y = rule.body[0]
    if is_variable(p) or x == y or not is_variable(x) or not is_variable(y) or p in (SAME, OCCURS):
        return None
    return p if rule.head == (y, p, x) else None


def _symmetric_class(rule: EncodedRule) -> int | None:
    """Return C if the rule is ``p(y, x) :- type(p, C), p(x, y)``."""
    if len(rule.body) != 2:
        return None
    for (p, guard, c), (x, p2, y) in ((rule.body[0], rule.body[1]), (rule.body[1], rule.body[0])):
        if guard == TYPE and not is_variable(c) and is_variable(p) and p2 == p and rule.head == (y, p, x) and x != y:
            return c
    return None
