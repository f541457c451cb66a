"""Strata taken apart into modules: closures of transitive predicates, and all other rules.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, section 4: the recursive rules of a stratum are
split into modules; those that no module is made for are one module more, which joins evaluate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from reasoner.maintenance.strata import MaintainedStratum
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.modules import Closure, split_into_modules
from reasoner.rules.encode import EncodedRule, is_variable
from reasoner.rules.levels import SplitSet
from reasoner.terms.term import TYPE


@dataclass(frozen=True, slots=True)
class IsolatedClosure(Generic[P]):
    """A closure whose predicate no other recursive rule writes: its external facts do not depend on it.

    ``writers`` are the nonrecursive rules that can write the predicate; the plans run them forward and backward, those
    of them that were there before the change, those that were not, and rules that were there and are no more.
    """

    closure: Closure
    splits: SplitSet
    writers: tuple[EncodedRule, ...]
    forward: P
    backward: P
    kept: P
    new: P
    lost: P


class RestOfStratum(MaintainedStratum[F, P, M]):
    """The rules of a stratum that are not ``taken`` by modules.

    The facts of ``settled`` predicates are none of its own. Its rules do not read them, or they would be on a higher
    level.
    """

    def __init__(
        self,
        engine: Engine[F, P, M],
        stratum: MaintainedStratum[F, P, M],
        taken: frozenset[EncodedRule],
        settled: frozenset[int] = frozenset(),
    ) -> None:
        rules = [
            rule
            for rule in (*stratum.nonrecursive_rules, *stratum.recursive_rules)
            if rule not in taken and not (rule.head and rule.head[1] in settled)
        ]
        spans = stratum.spans or bool(settled)
        super().__init__(engine, stratum._levels, stratum.level, None, rules, spans=spans)
        left = frozenset(rules)
        self.lost_rules = tuple(rule for rule in stratum.lost_rules if not (rule.head and rule.head[1] in settled))
        self.new_rules = tuple(rule for rule in stratum.new_rules if rule in left)
        self.rearranged = stratum.rearranged
        self.intake = stratum.intake.without(settled)


class ModularStratum(Generic[F, P, M]):
    """A stratum with its closures: those that are isolated, and those that other recursive rules write as well.

    ``beside_isolated`` are the rules that are left once the isolated closures have been brought up to date on their
    own, ``beside_all`` those of them that are not of any closure, ``without_closures`` all that are not, for a strategy
    that settles nothing beforehand. Rules of rdf:type are left to joins, which read it by class, and so are rules that
    find by a class which predicates are transitive. A predicate that was closed by other rules before the change is
    left to joins until the change is done: modules take it that the facts so far are closed.
    """

    def __init__(self, engine: Engine[F, P, M], stratum: MaintainedStratum[F, P, M]) -> None:
        closures, taken = _closures_all_along(stratum)
        others = [rule for rule in stratum.recursive_rules if rule not in taken]
        written = {rule.head[1] for rule in others if rule.head}
        anything = any(is_variable(predicate) for predicate in written)
        alone = [closure for closure in closures if not anything and closure.predicate not in written]
        self.stratum = stratum
        self.closures = closures
        self.entangled = tuple(closure for closure in closures if closure not in alone)
        self.isolated = tuple(_isolated(engine, closure, stratum) for closure in alone)
        settled = frozenset(closure.predicate for closure in alone)
        of_settled = frozenset(rule for rule in taken if rule.head and rule.head[1] in settled)
        self.beside_isolated = RestOfStratum(engine, stratum, of_settled, settled) if alone else stratum
        self.beside_all = RestOfStratum(engine, stratum, taken, settled) if closures else stratum
        self.without_closures = RestOfStratum(engine, stratum, taken) if closures else stratum


def modular_strata(
    engine: Engine[F, P, M], strata: Iterable[MaintainedStratum[F, P, M]]
) -> tuple[ModularStratum[F, P, M], ...]:
    """Take strata apart; this compiles plans, and so is worth keeping as long as the strata."""
    return tuple(ModularStratum(engine, stratum) for stratum in strata)


def _closures_all_along(
    stratum: MaintainedStratum[F, P, M],
) -> tuple[tuple[Closure, ...], frozenset[EncodedRule]]:
    """Return the closures of a stratum that a change of its rules leaves alone, and their rules."""
    closures, taken = _closures(stratum.recursive_rules)
    changed = {rule.head[1] for rule in stratum.new_rules if rule.head and rule in taken}
    changed |= {
        rule.head[1] for rule in stratum.lost_rules if rule.head and any(p == rule.head[1] for _, p, _ in rule.body)
    }
    if not changed:
        return closures, taken
    kept = tuple(closure for closure in closures if closure.predicate not in changed)
    return kept, frozenset(rule for rule in taken if rule.head and rule.head[1] not in changed)


def _closures(rules: Sequence[EncodedRule]) -> tuple[tuple[Closure, ...], frozenset[EncodedRule]]:
    """Return the closures of constant predicates, and their rules, also if one of them is written in two ways."""
    found: dict[int, Closure] = {}
    taken: set[EncodedRule] = set()
    while True:
        modules = split_into_modules([rule for rule in rules if rule not in taken])
        new = [closure for closure in modules.closures if closure.predicate != TYPE]
        if not new:
            return tuple(found.values()), frozenset(taken)
        predicates = {closure.predicate for closure in new}
        taken |= {rule for rule in modules.taken if rule.head and rule.head[1] in predicates}
        for closure in new:
            known = found.get(closure.predicate, closure)
            found[closure.predicate] = replace(known, symmetric=known.symmetric or closure.symmetric)


def _isolated(engine: Engine[F, P, M], closure: Closure, stratum: MaintainedStratum[F, P, M]) -> IsolatedClosure[P]:
    def writers(rules: Iterable[EncodedRule]) -> tuple[EncodedRule, ...]:
        return tuple(
            rule for rule in rules if rule.head and (rule.head[1] == closure.predicate or is_variable(rule.head[1]))
        )

    rules, new = writers(stratum.nonrecursive_rules), frozenset(stratum.new_rules)
    return IsolatedClosure(
        closure,
        SplitSet(frozenset({closure.predicate}), {}),
        rules,
        forward=engine.compile(rules),
        backward=engine.compile_backward(rules),
        kept=engine.compile(rule for rule in rules if rule not in new),
        new=engine.compile(rule for rule in rules if rule in new),
        lost=engine.compile(writers(stratum.lost_rules)),
    )
