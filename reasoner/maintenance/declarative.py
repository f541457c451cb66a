"""Declarative maintenance: a generated program with negation, evaluated like any other, tells what a change does.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, sections
4.1, 4.5 and 5.3; the program is that of ``maintenance_rules``.

    1  P <- the old materialisation, P_edb <- the explicit facts before the change
    2  P_edb^Del, P_edb^Ins <- the explicit facts that leave and join
    3  evaluate the maintenance program
    4  the materialisation loses P^- and gains P^+

Every evaluation computes the new state P^New of every predicate in full, so that the cost is that of the store and not
that of the change: this is the strategy that others are compared with.

Deviation: facts of predicates that no rule mentions are in no P, and are what is explicit of them. Where rules have
variable predicates, the program is generated for the predicates that occur in what the rules without their negations
derive from old and new facts together; what holds before or after the change is part of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Generic

from reasoner.arrange import Options, Prepared, prepare
from reasoner.engine import Engine, F, M, P
from reasoner.errors import UnstratifiableError
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.maintenance_rules import (
    MaintenanceRules,
    after_evaluation,
    before_evaluation,
    maintenance_program,
)
from reasoner.maintenance.predicate_variants import NAMESPACE, Kind
from reasoner.materialise import materialise
from reasoner.program import Terms, encode_program
from reasoner.rules.encode import encode_rule
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.term import Variable, iri

# More rules than this take longer to compile than most stores take to be materialised again.
_MOST_RULES = 20_000

_WITHOUT_EQUALITY = Options(equality=False)
_USED = iri(NAMESPACE + "used")
_USED_RULE = Rule("used", Atom(Variable("p"), _USED, _USED), (Atom(Variable("s"), Variable("p"), Variable("o")),))


class DeclarativeMaintenance(Generic[F, P, M]):
    """Maintains the materialisation of rules; ``owl:sameAs`` is a predicate like any other."""

    def __init__(self, engine: Engine[F, P, M], rules: Iterable[Rule], terms: Terms) -> None:
        self._engine = engine
        self._terms = terms
        self._ready: _Evaluation[P] | None = None
        self.program = maintenance_program(rules)

    def maintain(self, explicit_after: F, facts: F, removed: F, added: F) -> tuple[F, F]:
        """Return the facts that leave and those that join a materialisation when explicit facts change.

        ``facts`` is the materialisation before the change, ``explicit_after`` what is explicit after it. Raises
        ``NotMaintainableError`` if no maintenance program can be evaluated here.
        """
        predicates = self._predicates(self.program, facts, added)
        if self._ready is None or self._ready.predicates != predicates:
            self._ready = self._prepared(self.program, predicates)
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
        program = before_evaluation(self.program, rules_added, rules_removed)
        evaluation = self._prepared(program, self._predicates(program, facts, added))
        return self._evaluate(evaluation, explicit_after, facts, removed, added)

    def with_rules(self, added: Iterable[Rule], removed: Iterable[Rule]) -> DeclarativeMaintenance[F, P, M]:
        """Return the maintenance of the materialisation after a change of rules."""
        changed = DeclarativeMaintenance(self._engine, (), self._terms)
        changed.program = after_evaluation(before_evaluation(self.program, added, removed))
        return changed

    def _predicates(self, program: MaintenanceRules, facts: F, added: F) -> tuple[str, ...]:
        """Return the predicates that variable predicates range over; none if no rule has any."""
        if not program.source.partition.single:
            return ()
        engine = self._engine
        monotone = [replace(rule, negative=()) for rule in program.source.rules]
        encoded = encode_program(monotone, self._terms, equality=False)
        derivable = materialise(engine, prepare(engine, encoded, _WITHOUT_EQUALITY), engine.union(facts, added)).facts
        used = engine.evaluate(engine.compile([encode_rule(_USED_RULE, self._terms.id_of)]), derivable)
        id = self._terms.id_of(_USED)
        return tuple(self._terms.text(predicate) for predicate in sorted(engine.subjects(used, id, id)))

    def _prepared(self, program: MaintenanceRules, predicates: tuple[str, ...]) -> _Evaluation[P]:
        """Compile a maintenance program."""
        size = program.size(len(predicates))
        if size > _MOST_RULES:
            raise NotMaintainableError(
                f"rules with variable predicates over {len(predicates):,} predicates need {size:,} maintenance rules"
            )
        rules = program.rules(predicates)
        _require_fresh_names(program.source.rules, predicates)
        try:
            encoded = encode_program(rules, self._terms, equality=False)
        except UnstratifiableError as error:
            raise NotMaintainableError(
                f"negation and a variable in place of a predicate or class leave no strata for maintenance: {error}"
            ) from error

        def names(kind: Kind, *, asserted: bool = False) -> dict[int, int]:
            id_of = self._terms.id_of
            texts = program.names(kind, asserted=asserted, predicates=predicates)
            return {id_of(variant): id_of(predicate) for variant, predicate in texts.items()}

        return _Evaluation(
            predicates,
            prepare(self._engine, encoded, _WITHOUT_EQUALITY),
            {kind: names(kind) for kind in (Kind.OLD, Kind.RED, Kind.INS, Kind.MINUS, Kind.PLUS)},
            {
                kind: {predicate: variant for variant, predicate in names(kind, asserted=True).items()}
                for kind in (Kind.OLD, Kind.DEL, Kind.INS)
            },
        )

    def _evaluate(self, evaluation: _Evaluation[P], explicit_after: F, facts: F, removed: F, added: F) -> tuple[F, F]:
        engine = self._engine
        leaving = engine.difference(removed, explicit_after)
        explicit = engine.union(engine.difference(explicit_after, added), leaving)
        start = engine.renamed(facts, evaluation.variants[Kind.OLD])  # 1
        for kind, part in ((Kind.OLD, explicit), (Kind.DEL, leaving), (Kind.INS, added)):  # 2
            start = engine.extend(start, engine.renamed(part, evaluation.asserted[kind]))
        result = materialise(engine, evaluation.prepared, start).facts  # 3
        red, ins, minus, plus = (
            engine.renamed(result, evaluation.variants[kind]) for kind in (Kind.RED, Kind.INS, Kind.MINUS, Kind.PLUS)
        )
        # An explicit fact that leaves is in P^- unless it is in P^Red or P^Ins, or is of no predicate of the program.
        lost = engine.union(minus, engine.difference(leaving, engine.union(red, ins)))  # 4
        return lost, engine.union(plus, engine.difference(added, facts))


@dataclass(frozen=True, slots=True)
class _Evaluation(Generic[P]):
    """A compiled maintenance program.

    ``variants`` are the predicates of each kind, with what they are variants of; ``asserted`` gives for predicates
    the kinds of their explicit facts.
    """

    predicates: tuple[str, ...]
    prepared: Prepared[P]
    variants: Mapping[Kind, Mapping[int, int]]
    asserted: Mapping[Kind, Mapping[int, int]]


def _require_fresh_names(rules: Iterable[Rule], predicates: Iterable[str]) -> None:
    names = {constant for rule in rules for constant in rule.constants}.union(predicates)
    if taken := sorted(name for name in names if name.startswith("<" + NAMESPACE)):
        raise NotMaintainableError(f"{taken[0]} has a name that the maintenance program needs; rename it")
