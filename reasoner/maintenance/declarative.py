"""Declarative maintenance: a generated program with negation, evaluated like any other, tells what a change does.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, sections
4.1, 4.5 and 5.3; the program is that of ``maintenance_rules``.

    1  P <- the old materialisation, P_edb <- the explicit facts before the change
    2  P_edb^Del, P_edb^Ins <- the explicit facts that leave and join
    3  evaluate the maintenance program
    4  the materialisation loses P^- and gains P^+

Every evaluation computes the new state P^New of every predicate in full, so that the cost is that of the store and not
that of the change: this is the strategy that others are compared with.

Deviation: facts of predicates that no rule mentions are in no P, and are what is explicit of them; only where the
program is for others to evaluate (``program_of_change``) it tells about these as well. Rules with variable predicates
are unfolded for the change, which is done anew for each (``unfolding``).

The declarative program as a strategy for the strata above equality, when facts change and when rules do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.maintenance_rules import (
    MaintenanceRules,
    after_evaluation,
    before_evaluation,
    maintenance_program,
)
from reasoner.maintenance.program import MaintenanceProgram
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.unfolding import (
    NAMESPACE,
    WITHOUT_EQUALITY,
    Choices,
    VariantKind,
    VariantRule,
    all_choices,
    derivable,
    matching_choices,
    possible_predicates,
    predicate_of,
    predicate_variables,
    predicates_of_facts,
    unfold,
)
from reasoner.maintenance.update import Update
from reasoner.reasoning.arrange import Prepared, prepare
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.materialise import materialise
from reasoner.reasoning.program import ProgramTerms, encode_program
from reasoner.rules.encode import EncodedRule, is_variable
from reasoner.rules.errors import UnstratifiableError
from reasoner.rules.rule import Atom, Rule, is_auxiliary
from reasoner.rules.stratify import stratify
from reasoner.rules.value_joins import DIFFERENT_SPELLING
from reasoner.terms.term import SAME

# More rules than this take longer to compile than most stores take to be materialised again.
_MOST_RULES = 20_000


class DeclarativeMaintenance(Generic[F, P, M]):
    """Maintains the materialisation of rules; ``owl:sameAs`` is a predicate like any other."""

    def __init__(self, engine: Engine[F, P, M], rules: Iterable[Rule], terms: ProgramTerms) -> None:
        self._engine = engine
        self._terms = terms
        self._ready: _Evaluation[P] | None = None
        self.program = maintenance_program(rules)

    def maintain(self, explicit_after: F, facts: F, removed: F, added: F) -> tuple[F, F]:
        """Return the facts that leave and those that join a materialisation when explicit facts change.

        ``facts`` is the materialisation before the change, ``explicit_after`` what is explicit after it. Raises
        ``NotMaintainableError`` if no maintenance program can be evaluated here.
        """
        program = self.program
        if program.source.partition.single:
            rules = program.source.rules
            program = maintenance_program(unfold(rules, self._choices(rules, facts, added)))
        if self._ready is None or (program is not self.program and self._ready.clauses != program.clauses):
            self._ready = self._prepared(program)
        return self._evaluate(self._ready, explicit_after, facts, removed, added)

    def maintain_rules(
        self,
        rules_added: Iterable[Rule],
        rules_removed: Iterable[Rule],
        explicit_after: F,
        facts: F,
        removed: F,
        added: F,
    ) -> tuple[F, F]:
        """Return the facts that leave and those that join a materialisation when rules change, and facts with them.

        Nothing changes here: what comes after is maintained by what ``with_rules`` returns.
        """
        before, coming, going = self.program, tuple(rules_added), tuple(rules_removed)
        program = before_evaluation(before, coming, going)
        if program.source.partition.single or before.source.partition.single:
            rules = dict.fromkeys([*before.source.rules, *program.source.rules])
            choices = self._choices(rules, facts, added)
            program = _unfolded_change(before.source.rules, coming, going, choices)
        return self._evaluate(self._prepared(program), explicit_after, facts, removed, added)

    def with_rules(self, added: Iterable[Rule], removed: Iterable[Rule]) -> DeclarativeMaintenance[F, P, M]:
        """Return the maintenance of the materialisation after a change of rules."""
        changed = DeclarativeMaintenance(self._engine, (), self._terms)
        changed.program = after_evaluation(before_evaluation(self.program, added, removed))
        return changed

    def _choices(self, rules: Iterable[Rule], facts: F, added: F) -> Choices:
        """Return the predicates to put in place of variables for a change, if these are not too many."""
        engine, rules = self._engine, tuple(rules)
        _require_no_auxiliary_classes(rules)
        whole = derivable(engine, self._terms, rules, engine.union(facts, added))
        choices = matching_choices(engine, self._terms, rules, whole)
        _require_few(rules, choices)
        return choices

    def _prepared(self, program: MaintenanceRules) -> _Evaluation[P]:
        """Compile a maintenance program."""
        _require_fresh_names(program)
        rules = program.rules()
        try:
            encoded = encode_program(rules, self._terms, equality=False)
        except UnstratifiableError as error:
            raise _no_strata(error) from error

        def names(kind: VariantKind, *, asserted: bool = False) -> dict[int, int]:
            id_of = self._terms.id_of
            texts = program.names(kind, asserted=asserted)
            return {id_of(variant): id_of(predicate) for variant, predicate in texts.items()}

        def variants(kind: VariantKind, *, asserted: bool = False) -> dict[int, int]:
            return {predicate: variant for variant, predicate in names(kind, asserted=asserted).items()}

        return _Evaluation(
            program.clauses,
            prepare(self._engine, encoded, WITHOUT_EQUALITY),
            variants(VariantKind.OLD),
            {kind: variants(kind, asserted=True) for kind in (VariantKind.OLD, VariantKind.DEL, VariantKind.INS)},
            {kind: names(kind) for kind in (VariantKind.RED, VariantKind.INS, VariantKind.MINUS, VariantKind.PLUS)},
        )

    def _evaluate(self, evaluation: _Evaluation[P], explicit_after: F, facts: F, removed: F, added: F) -> tuple[F, F]:
        engine = self._engine
        leaving = engine.difference(removed, explicit_after)
        explicit = engine.union(engine.difference(explicit_after, added), leaving)
        start = engine.renamed(facts, evaluation.old)  # 1
        for kind, part in ((VariantKind.OLD, explicit), (VariantKind.DEL, leaving), (VariantKind.INS, added)):  # 2
            start = engine.extend(start, engine.renamed(part, evaluation.asserted[kind]))
        result = materialise(engine, evaluation.prepared, start).facts  # 3
        red, ins, minus, plus = (
            engine.renamed(result, evaluation.results[kind])
            for kind in (VariantKind.RED, VariantKind.INS, VariantKind.MINUS, VariantKind.PLUS)
        )
        # An explicit fact that leaves is in P^- unless it is in P^Red or P^Ins, or is of no predicate of the program.
        lost = engine.union(minus, engine.difference(leaving, engine.union(red, ins)))  # 4
        return lost, engine.union(plus, engine.difference(added, facts))


@dataclass(frozen=True, slots=True)
class _Evaluation(Generic[P]):
    """A compiled maintenance program.

    ``old`` and ``asserted`` give for predicates the variants that facts, and kinds of explicit facts, go in as, and
    ``results`` for the variants that come out the predicates that they are variants of.
    """

    clauses: tuple[VariantRule, ...]
    prepared: Prepared[P]
    old: Mapping[int, int]
    asserted: Mapping[VariantKind, Mapping[int, int]]
    results: Mapping[VariantKind, Mapping[int, int]]


def program_of_change(
    engine: Engine[F, P, M],
    terms: ProgramTerms,
    rules: Sequence[Rule],
    rules_after: Sequence[Rule],
    explicit: F,
    added: F,
) -> tuple[Rule, ...]:
    """Return the program to be evaluated for a change of facts and rules, by whoever evaluates rules.

    ``explicit`` are the explicit facts before the change, ``added`` those that join; others may leave in any way. It
    tells about all predicates, also those that no rule mentions. Raises ``NotMaintainableError`` if it has no strata.
    """
    facts, every = engine.union(explicit, added), tuple(dict.fromkeys([*rules, *rules_after]))
    choices: Choices = {}
    if any(map(predicate_variables, every)):
        _require_no_auxiliary_classes(every)
        choices = matching_choices(engine, terms, every, derivable(engine, terms, every, facts))
    before, after = frozenset(rules), frozenset(rules_after)
    coming = [rule for rule in rules_after if rule not in before]
    going = [rule for rule in rules if rule not in after]
    return _checked(_unfolded_change(rules, coming, going, choices, predicates_of_facts(engine, terms, facts)))


def program_of_any_change(
    engine: Engine[F, P, M], terms: ProgramTerms, rules: Sequence[Rule], explicit: F
) -> tuple[Rule, ...]:
    """Return the program for changes of facts that are not known yet.

    It is right for every change with which no predicate or class comes that neither facts nor rules know by now. Raises
    ``NotMaintainableError`` if it has no strata.
    """
    named = predicates_of_facts(engine, terms, explicit)
    choices: Choices = {}
    if any(map(predicate_variables, rules)):
        _require_no_auxiliary_classes(rules)
        predicates = possible_predicates(engine, terms, rules, derivable(engine, terms, rules, explicit))
        named += map(predicate_of, predicates)
        choices = all_choices(rules, predicates)
    return _checked(maintenance_program(unfold(rules, choices), named))


def _unfolded_change(
    rules: Sequence[Rule], coming: Sequence[Rule], going: Sequence[Rule], choices: Choices, named: Iterable[Atom] = ()
) -> MaintenanceRules:
    """Return the maintenance program for a change of rules that are unfolded."""
    program = maintenance_program(unfold(rules, choices), named)
    return before_evaluation(program, unfold(coming, choices), unfold(going, choices))


def _checked(program: MaintenanceRules) -> tuple[Rule, ...]:
    """Return the rules of a program that can be evaluated."""
    _require_fresh_names(program)
    rules = program.rules()
    try:
        stratify(rules, equality=False)
    except UnstratifiableError as error:
        raise _no_strata(error) from error
    return rules


def _require_few(rules: Iterable[Rule], choices: Choices) -> None:
    """Refuse rules with variable predicates that stand for too many others."""
    atoms = {rule: 2 * len((*rule.body, *rule.negative)) + 1 for rule in rules}
    size = sum(count * len(choices.get(rule, [()])) for rule, count in atoms.items())
    if size > _MOST_RULES:
        raise NotMaintainableError(
            f"rules with variable predicates unfold to {size:,} maintenance rules, and more than {_MOST_RULES:,} are "
            "not worth evaluating; choose another strategy"
        )


def _require_no_auxiliary_classes(rules: Iterable[Rule]) -> None:
    """Refuse auxiliary classes beside variable predicates: which instances range over them would have to be told."""
    if any(is_auxiliary(constant) for rule in rules for constant in rule.constants):
        raise NotMaintainableError("rules with variable predicates stand beside auxiliary classes of an axiom")


def _no_strata(error: UnstratifiableError) -> NotMaintainableError:
    return NotMaintainableError(
        f"negation and a variable in place of a predicate or class leave no strata for maintenance: {error}"
    )


def _require_fresh_names(program: MaintenanceRules) -> None:
    names = {constant for rule in program.source.rules for constant in rule.constants}
    names.update(term for atom in program.source.clauses for term in atom if isinstance(term, str))
    if taken := sorted(name for name in names if name.startswith("<" + NAMESPACE)):
        raise NotMaintainableError(f"{taken[0]} has a name that the maintenance program needs; rename it")


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
