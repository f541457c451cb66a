"""The declarative program as a strategy for the strata above equality, when facts change and when rules do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from reasoner.engine import F, M, P
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.declarative import DeclarativeMaintenance
from reasoner.maintenance.program import MaintenanceProgram
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update
from reasoner.rules.encode import EncodedRule, is_variable
from reasoner.rules.rule import Rule
from reasoner.rules.value_joins import DIFFERENT_SPELLING
from reasoner.vocabulary import SAME

Strata = tuple[MaintainedStratum[F, P, M], ...]

_REWRITTEN = "constants of rules are equal to others, which the declarative program does not know"


def maintain_declaratively(
    update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]
) -> None:
    """Let the maintenance program tell what all strata lose and gain; facts of the core are explicit to it."""
    if strata is not program.strata:
        raise NotMaintainableError(_REWRITTEN)
    engine, known = update.engine, _known(program)
    explicit = _explicit(update, program)
    removed, added = engine.union(update.removed, update.deleted), engine.union(update.added_explicit, update.added)
    with update.phase("evaluate"):
        lost, gained = known.maintenance.maintain(explicit, update.facts, removed, added)
    _take_over(update, lost, gained)


@dataclass(slots=True)
class DeclarativeTransition(Generic[F, P, M]):
    """The strategy for a change of rules: ``before`` is the program so far, ``mapping`` and ``explicit`` are the
    representatives and, over these, what was explicit or stated by a rule under it."""

    before: MaintenanceProgram[F, P, M]
    mapping: M
    explicit: F

    def __call__(self, update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
        engine, before = update.engine, self.before
        if engine.moves(self.mapping, before.constants) or engine.moves(update.representatives, program.constants):
            raise NotMaintainableError(_REWRITTEN)
        known, wanted = _known(before), _rules_of(program)
        going = [rule for encoded, rule in known.rules.items() if encoded not in wanted]
        coming = {encoded: rule for encoded, rule in wanted.items() if encoded not in known.rules}
        old = engine.union(self.explicit, engine.of_splits(update.facts, before.core.splits))
        new = _explicit(update, program)
        removed, added = engine.difference(old, new), engine.difference(new, old)
        with update.phase("evaluate"):
            lost, gained = known.maintenance.maintain_rules(coming.values(), going, new, update.facts, removed, added)
        _take_over(update, lost, gained)
        kept = {encoded: rule for encoded, rule in known.rules.items() if encoded in wanted}
        changed = known.maintenance.with_rules(coming.values(), going)
        program.cache["declarative"] = _Known({**kept, **coming}, changed)


@dataclass(frozen=True, slots=True)
class _Known(Generic[F, P, M]):
    """The maintenance of some rules, and how it knows each of them: equal rules may have been written differently."""

    rules: dict[EncodedRule, Rule]
    maintenance: DeclarativeMaintenance[F, P, M]


def _known(program: MaintenanceProgram[F, P, M]) -> _Known[F, P, M]:
    if "declarative" not in program.cache:
        rules = _rules_of(program)
        maintenance = DeclarativeMaintenance(program.engine, rules.values(), program.program.terms)
        program.cache["declarative"] = _Known(rules, maintenance)
    known: Any = program.cache["declarative"]
    return known  # type: ignore[no-any-return]


def _rules_of(program: MaintenanceProgram[F, P, M]) -> dict[EncodedRule, Rule]:
    """Return the rules of the strata as they were written, if none of them reads equality."""
    rules = {rule: rule.origin for stratum in program.strata for rule in stratum.rules}
    if program.options.equality and any(map(_reads_equality, rules)):
        raise NotMaintainableError("a rule reads owl:sameAs, which the declarative program takes for a plain predicate")
    return rules


def _reads_equality(rule: EncodedRule) -> bool:
    """Tell whether a rule asks for equalities, or for their absence: c = c holds without being stored.

    Equalities of literals that are written differently are stored, all of them.
    """
    stored = {terms for name, terms in rule.conditions if name == DIFFERENT_SPELLING}
    body = [atom for atom in rule.body if atom[1] != SAME or (atom[0], atom[2]) not in stored]
    return any(p == SAME or is_variable(p) for _, p, _ in (*body, *rule.negative))


def _explicit(update: Update[F, P, M], program: MaintenanceProgram[F, P, M]) -> F:
    """Return what is explicit to the maintenance program after the change: facts of the core as well."""
    engine = update.engine
    explicit = engine.normalise(update.explicit, update.representatives)
    if program.options.equality:
        explicit = engine.irreflexive(explicit)
    return engine.union(explicit, engine.of_splits(update.current, program.core.splits))


def _take_over(update: Update[F, P, M], lost: F, gained: F) -> None:
    engine = update.engine
    update.delete(engine.difference(lost, update.deleted))
    update.add(engine.difference(gained, update.current))
