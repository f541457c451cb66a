"""A state in the making: what a commit works on, and nobody else sees.

How a change of explicit facts becomes a new state of a store: by which strategy, and when by starting over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.program import Change
from reasoner.maintenance.race import FIRST_RUN, FIRST_RUN_OF_MANY, SMALL_PART, ChangeSize, CostModel, Race
from reasoner.maintenance.strategies import DEPTH, RUNNERS, SAME_IN_CORE, WITH_MEMORY, is_memory_of, strategy_of
from reasoner.maintenance.update import Work
from reasoner.reasoning.arrange import Options, prepare_changed
from reasoner.reasoning.engine import DeadlineError
from reasoner.reasoning.materialise import collector_paused
from reasoner.rules.errors import ReasonerError
from reasoner.rules.value_joins import value_joins, value_joins_of_profile, without_value_joins
from reasoner.spark.platform.failures import failures_told
from reasoner.state.request import OwnRules, RuleRequest, content
from reasoner.state.rule_change import is_schema, schema_triples
from reasoner.terms.term import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.maintenance.program import MaintenanceProgram
    from reasoner.state.rule_change import RuleChange

if TYPE_CHECKING:
    from ontologies.collector import Translation
    from ontologies.separable import TranslationChange
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import ColumnarStore
    from reasoner.explanation.explain import Proof
    from reasoner.maintenance.program import Change, MaintenanceProgram
    from reasoner.maintenance.race import CostModel
    from reasoner.reasoning.arrange import Prepared
    from reasoner.reasoning.program import EncodedProgram
    from reasoner.rules.rule import Rule
    from reasoner.state.delta import Delta
    from reasoner.state.request import CommitRequest
    from reasoner.state.rule_change import RuleChange
    from reasoner.state.state import Configuration, State, Summary
    from reasoner.terms.quads import QuadRequest

    Compiled = MaintenanceProgram[FactSet, Plans, Representatives]


class Draft:
    """A store of its own, and a state that its methods replace step by step; ``finished`` is what has become of it.

    Whatever goes wrong with a draft, the state that it began with is as it was. Only the dictionary is shared: terms
    that come with a draft have to be forgotten if it is given up.
    """

    def __init__(
        self,
        settings: Configuration,
        state: State,
        store: ColumnarStore,
        costs: CostModel,
        prefixes: Mapping[str, str],
    ) -> None:
        self.settings = settings
        self.prefixes = prefixes
        self.store = store
        self.costs = costs
        self.began_with = state
        self._state = state

    @property
    def state(self) -> State:
        """The state so far; its snapshot is that of the beginning, and the store has the present one."""
        return self._state

    @property
    def is_changed(self) -> bool:
        """Whether anything differs from the state that the draft began with."""
        return self._state is not self.began_with or self.store.state is not self.began_with.snapshot

    def finished(self) -> State:
        """Return the state that the draft has come to."""
        if not self.is_changed:
            return self.began_with
        return replace(self._state, snapshot=self.store.state, terms=len(self.store.dictionary))

    def become(self, other: Draft) -> None:
        """Take over what another draft has come to."""
        self.store, self._state = other.store, other.finished()

    def put(self, **fields: object) -> None:
        """Replace fields of the state."""
        self._state = replace(self._state, **fields)  # type: ignore[arg-type]

    def begin_anew(self) -> None:
        """Forget all that was computed from explicit facts and rules, which have changed."""
        self._state = self._state.uncompiled()

    def translation(self) -> Translation:
        """Return the rules of the ontology under the profile, and what the profile leaves out."""
        found = self._state.translation
        if found is None:
            found = self._translate(self.store)
            self.put(translation=found, joins=None)
        return found

    def _translate(self, store: ColumnarStore) -> Translation:
        from ontologies.collector import Translation

        if self.settings.profile == "none":
            return Translation((), ())
        from ontologies.read_rdf import ontology_of_triples
        from ontologies.translate import translate

        return translate(ontology_of_triples(schema_triples(store)), self.settings.profile)

    def rules(self) -> tuple[Rule, ...]:
        """Return all rules: those of the ontology, the user rules, those by which they compare literals by value, and
        the axioms of equality if they are asked for."""
        return self._all_rules(self.translation(), self._state.user_rules)

    def _all_rules(self, translation: Translation, user_rules: Iterable[Rule]) -> tuple[Rule, ...]:
        from reasoner.rules.value_joins import EQUALITY_AXIOMS

        user_rules = tuple(user_rules)
        axioms = EQUALITY_AXIOMS if self.settings.equality == "axiomatise" else ()
        joins = value_joins(user_rules) if self.compares_values(translation) else ()
        return (*translation.rules, *user_rules, *self._joins_of(translation), *joins, *axioms)

    def value_joins(self) -> tuple[Rule, ...]:
        """Return the rules by which those of the ontology compare literals by value; the same for one translation."""
        return self._joins_of(self.translation())

    def _joins_of(self, translation: Translation) -> tuple[Rule, ...]:
        if not self.compares_values(translation):
            return ()
        if translation is not self._state.translation:
            return value_joins_of_profile(translation.rules)
        found = self._state.joins
        if found is None:
            found = value_joins_of_profile(translation.rules)
            self.put(joins=found)
        return found

    def compares_values(self, translation: Translation | None = None) -> bool:
        """Tell whether rules take literals of one value for equal."""
        return self.settings.equality != "none" and (translation or self.translation()).value_equality

    def program(self) -> EncodedProgram:
        """Return all rules over ids."""
        found = self._state.program
        if found is None:
            found = self._encode(self.rules())
            self.put(program=found)
        return found

    def program_of(self, store: ColumnarStore, user_rules: Iterable[Rule]) -> EncodedProgram:
        """Return the rules over ids that the ontology of another store has, with other user rules."""
        return self._encode(self._all_rules(self._translate(store), user_rules))

    def _encode(self, rules: Iterable[Rule]) -> EncodedProgram:
        from reasoner.reasoning.program import ProgramTerms, encode_program

        terms = ProgramTerms(self.store.dictionary.id_of, self.store.dictionary.text)
        return encode_program(rules, terms, equality=self.settings.equality == "rewrite")

    def prepared(self, *, later: bool = False) -> Prepared[Plans]:
        """Return the program, stratified and compiled; what is not compiled yet may be ``later``, when it is needed."""
        found = self._state.prepared
        if found is None:
            began = time.perf_counter()
            options = Options(equality=self.settings.equality == "rewrite", modules=self.settings.modules)
            with collector_paused():
                found = self.store.prepare(self.program(), options, later=later)
            self.put(prepared=found, preparation=time.perf_counter() - began)
        return found

    def maintenance(self) -> Compiled:
        """Return the program, compiled for maintenance."""
        found = self._compiled()
        if found is None:
            found = self.store.prepare_maintenance(self.prepared(later=True))
            self.put(maintenance=found)
        return found

    def _compiled(self) -> Compiled | None:
        """Return the program for maintenance if there is one, and for this engine."""
        known = self._state.maintenance
        return known if known is not None and known.engine is self.store.engine else None

    @failures_told
    def reason(self, progress: Callable[[str], None] = lambda _: None) -> None:
        """Compute what follows from the explicit facts and the rules, from scratch."""
        prepared, store = self.prepared(), self.store
        began, spent = time.perf_counter(), store.clock()
        result = store.materialise(prepared, value_equality=self.compares_values(), progress=progress)
        self.put(work=(result.rounds, time.perf_counter() - began), is_materialised=True, summary=None)
        self.costs.learn_scratch(store.clock() - spent, len(store.state.explicit))
        if self.settings.maintenance is not None:
            store.remember(self.settings.maintenance, self.maintenance())

    def apply(self, request: CommitRequest) -> Delta:
        """Change facts and rules, and bring what follows up to date; return what that did."""
        from reasoner.state.delta import Delta

        began = time.perf_counter()
        before, constraints = self.store.state, self.program().constraints
        work = request.work
        added, removed = request.quads.coming(), request.quads.going()
        change, graphs = self.store.changed_quads(request.quads)
        if graphs is not before.graphs:
            self.store.state = replace(before, graphs=graphs)
        rules = self._rule_change((*added, *removed), change, request.rules)
        if rules is not None:
            self._take_over(rules)
        if request.streams:
            self.put(streams={**self._state.streams, **request.streams})
        commit = Commit(
            self.store,
            self.costs,
            self.maintenance if rules is None else lambda: self._maintenance_after(rules),
            lambda: self.reason(lambda _: work.between_rounds()),
            self.compares_values,
            self.settings.maintenance,
            work,
            rules if rules is not None and rules.changes_program else None,
        )
        used, reason = "none", "no explicit fact changes"
        if len(change.removed) or len(change.added) or commit.rules is not None:
            used, reason = commit.apply(change, request.strategy, request.depth, may_start_over=request.may_start_over)
            if self._state.summary is not None:
                self.put(summary=None)
        if used == "rematerialise":
            work.count("materialise", self.store.engine.instances, self._state.work[0])
        return Delta(
            *(self.store, before, self.store.state, used, reason, work, time.perf_counter() - began),
            asked_to_add=added,
            asked_to_remove=removed,
            constraints_before=constraints,
            constraints_after=self.program().constraints,
            rules_gained=without_value_joins(rule.origin for rule in rules.gained) if rules else (),
            rules_lost=without_value_joins(rule.origin for rule in rules.lost) if rules else (),
            explainer=self.explainer(),
            prefixes=self.prefixes,
        )

    def explainer(self) -> Callable[[TextTriple], Proof | None]:
        """Return what proves facts of the present state, also when others follow it."""
        store, program = self.store, self.program()

        def proof_of(triple: TextTriple) -> Proof | None:
            from reasoner.explanation.explain import explain

            return explain(store.proofs(), program, triple)

        return proof_of

    def maintenance_rules(self, requested: tuple[QuadRequest, RuleRequest] | None) -> tuple[Rule, ...]:
        """Return the program that tells what a change does to the closure; without a change, what any change of facts
        does."""
        from reasoner.columnar.engine import ColumnarEngine
        from reasoner.maintenance.declarative import program_of_any_change, program_of_change
        from reasoner.reasoning.program import ProgramTerms

        store, rules = self.store, self.rules()
        # The store's own engine may be at work.
        engine = ColumnarEngine(store.dictionary, equality=False)
        terms = ProgramTerms(store.dictionary.id_of, store.dictionary.text)
        if requested is None:
            return program_of_any_change(engine, terms, rules, store.state.explicit)
        quads, wanted = requested
        facts, _ = store.changed_quads(quads)
        changed = self._rule_change((*quads.coming(), *quads.going()), facts, wanted)
        after = rules if changed is None else self._all_rules(changed.translation, changed.own.rules)
        # A rule that only comes from other axioms than before is still the same.
        known = {content(rule): rule for rule in rules}
        after = tuple(known.get(content(rule), rule) for rule in after)
        return program_of_change(engine, terms, rules, after, store.state.explicit, facts.added)

    def summary(self) -> Summary:
        """Return the numbers of the store; the times are of the last materialisation."""
        from reasoner.state.state import Summary

        if self._state.summary is not None:
            return self._state.summary
        rounds, seconds = self._state.work
        program = self.program()
        found = Summary(
            rules=sum(len(stratum.rules) for stratum in program.strata),
            constraints=len(program.constraints),
            violations=sum(1 for _ in self.store.violations(program.constraints, 1000)),
            rounds=rounds,
            instances=self.store.engine.instances,
            preparation=self._state.preparation,
            seconds=seconds,
            **self.store.counts(),
        )
        self.put(summary=found)
        return found

    def _rule_change(
        self, triples: Iterable[TextTriple], change: Change[FactSet], request: RuleRequest
    ) -> RuleChange | None:
        """Return what a change of explicit facts, and of user rules, does to the rules; None if nothing can."""
        from reasoner.reasoning.program import ProgramChange, change_program
        from reasoner.state.rule_change import RuleChange

        schema = [triple for triple in triples if is_schema(triple)] if self.settings.profile != "none" else []
        if not schema and not request:
            return None
        options, program = self.prepared(later=True).options, self.program()
        known = (self.translation(), program, self._compiled())
        own, user_rules = self._state.own, self._state.user_rules
        if own is None or own.rules is not user_rules:
            own = OwnRules.of(user_rules)
        # Of rules that are said twice it would not be known which of them went.
        told_apart = len(own.by_content) == len(own.rules)
        own = request.applied_to(own)
        ontology = self._translation_change(schema, change)
        changed = None
        if ontology.is_told_apart and told_apart:
            going, coming = (*ontology.going, *own.going), (*ontology.coming, *own.coming)
            if self.compares_values():
                going, coming = ((*rules, *value_joins(rules)) for rules in (going, coming))
            changed = change_program(program, going, coming)
        if changed is None:
            after = self._encode(self._all_rules(ontology.translation, own.rules))
            changed = ProgramChange.between(program, after)
        return RuleChange(self.store, options, known, ontology, own, changed)

    def _translation_change(self, schema: list[TextTriple], change: Change[FactSet]) -> TranslationChange:
        """Translate the ontology after a change of explicit facts, only what changes of it where that will do."""
        from ontologies.separable import TranslationChange, are_separable, translate_change
        from reasoner.columnar.schema_lookup import SchemaLookup

        before = self.translation()
        if not schema:
            return TranslationChange(before, (), (), None)
        lookup = SchemaLookup(change.before.difference(change.removed), self.store.dictionary)
        if are_separable(self.settings.profile, schema, lookup):
            removed, added = (
                [triple for triple in self.store.texts(part) if is_schema(triple)]
                for part in (change.removed, change.added)
            )
            last = self._state.translated
            known = last.index if last is not None and last.translation is before else None
            found = translate_change(self.settings.profile, before, known, removed, added, lookup)
            if found is not None:
                return found
        after = self.store.at(replace(self.store.state, explicit=change.after))
        return TranslationChange.of_whole(self._translate(after))

    def _take_over(self, change: RuleChange) -> None:
        """Go over to the rules after a change; what follows from them is not known yet."""
        if change.translation is not self._state.translation:
            self.put(translation=change.translation, joins=None)
        self.put(own=change.own, user_rules=change.own.rules, program=change.program)
        if change.ontology.index is not None:
            self.put(translated=change.ontology)
        if change.changes_program or not change.change.keeps_levels:
            # A constraint changes nothing that follows, and may still have the rules arranged in other strata.
            self.put(
                prepared=prepare_changed(self.store.engine, change.program, self.prepared(later=True)),
                maintenance=None,
            )

    def _maintenance_after(self, change: RuleChange) -> Compiled:
        """Return the program after a change, compiled for maintenance."""
        if self._compiled() is None:
            self.put(maintenance=change.after)
        return self.maintenance()


@dataclass(slots=True)
class Commit:
    """One change on its way into a store; ``prepare`` compiles the program for maintenance when it is first needed.

    If rules change with the facts, ``rules`` tells which, and ``prepare`` and ``rematerialise`` are for those after it.
    """

    store: ColumnarStore
    model: CostModel
    prepare: Callable[[], MaintenanceProgram[FactSet, Plans, Representatives]]
    rematerialise: Callable[[], None]
    value_equality: Callable[[], bool]
    memory: str | None
    work: Work
    rules: RuleChange | None = None

    def apply(
        self, change: Change[FactSet], strategy: str, depth: int | None, *, may_start_over: bool = False
    ) -> tuple[str, str]:
        """Bring the store up to date with a change; return the strategy that was used, and why.

        Where a strategy that is asked for cannot be used, that is an error unless it ``may_start_over``. An error
        leaves the store as it was.
        """
        before = self.store.state
        reason = "asked for" if strategy == "rematerialise" else ""
        try:
            if not reason:
                try:
                    used, why = self._maintain(change, strategy, depth)
                    return used, "it can be used here" if may_start_over else why
                except NotMaintainableError as obstacle:
                    if strategy != "auto" and not may_start_over:
                        raise ReasonerError(
                            f"{strategy} cannot be used here: {obstacle}; use auto or rematerialise"
                        ) from None
                    reason = str(obstacle)
                except _StartOverError as decision:
                    reason = str(decision)
            self.store.state = replace(before, explicit=change.after)
            self.rematerialise()
            return "rematerialise", reason
        except BaseException:
            self.store.state = before
            raise

    def _maintain(self, change: Change[FactSet], strategy: str, depth: int | None) -> tuple[str, str]:
        if strategy == "auto":
            return self._maintain_by_race(change)
        learns = self._is_ready(strategy) and (strategy != "fbf" or depth in (None, DEPTH))
        began = self.store.clock()
        self.store.state = self._maintained(change, strategy, depth, self.work)
        if learns:
            self.model.learn(strategy, self._size(change), self.store.clock() - began)
        return strategy, "asked for"

    def _maintain_by_race(self, change: Change[FactSet]) -> tuple[str, str]:
        """Let strategies take turns by what they have cost so far, and start over when that is the better thing.

        Only a run that ends teaches what it costs, and only if it had at hand what it remembers. Of one that is given
        up nothing is learned but that it was.
        """
        program = self.prepare()  # Compiling the rules is no part of what an update costs.
        model, store, size = self.model, self.store, self._size(change)
        scratch, shortest = model.from_scratch(len(change.after)), store.shortest_run
        forecasts = [model.forecast(name, size, max(shortest, SMALL_PART * scratch)) for name in self._runners(change)]
        for each in forecasts:
            model.pass_by(each.strategy, size)
        many = program.options.equality and program.core.is_whole
        race = Race(forecasts, scratch, shortest, first_run=FIRST_RUN_OF_MANY if many else FIRST_RUN)
        while (turn := race.next()) is not None:
            name, seconds = turn
            learns, began = self._is_ready(name), store.clock()
            work = Work(between_rounds=self.work.between_rounds)
            ended = self._run(change, name, began + seconds, work)
            taken = store.clock() - began
            if not ended:
                same = name in SAME_IN_CORE and not _is_above_core(work)
                race.give_up(name, taken, alike=SAME_IN_CORE if same else ())
                continue
            if learns:
                model.learn(name, size, taken)
            self._note_failures(race, size, winner=name)
            return name, self._about(change) + race.reason(name)
        self._note_failures(race, size)
        raise _StartOverError(self._about(change) + race.reason_to_start_over(size))

    def _runners(self, change: Change[FactSet]) -> tuple[str, ...]:
        """Return the strategies that may make a change; they differ only where something is lost."""
        if self.memory is not None:
            return (self.memory,)
        return RUNNERS if len(change.removed) or self.rules is not None else RUNNERS[:1]

    def _size(self, change: Change[FactSet]) -> ChangeSize:
        return ChangeSize(len(change.removed), len(change.added), max(1, self.rules.reach) if self.rules else 0)

    def _about(self, change: Change[FactSet]) -> str:
        if self.rules is None:
            return ""
        rules = len(self.rules.lost) + len(self.rules.gained)
        return f"a change of {rules:,} rules, which reach {self.rules.reach:,} facts: "

    def _run(self, change: Change[FactSet], name: str, deadline: float, work: Work) -> bool:
        """Maintain until a time; tell whether that was enough. If it was not, the store is as it was."""
        engine, clock = self.store.engine, self.store.clock
        before, ended = engine.instances, False
        engine.overdue = lambda: clock() > deadline
        try:
            state = self._maintained(change, name, None, work)
            ended = True
        except DeadlineError:
            return False
        finally:
            engine.overdue = None
            if not ended:
                self.work.count(f"{name} given up", engine.instances - before)
        self.store.state = state
        self.work.include(work)
        return True

    def _note_failures(self, race: Race, size: ChangeSize, winner: str | None = None) -> None:
        for name in race.failed - {winner}:
            self.model.fail(name, size)

    def _is_ready(self, name: str) -> bool:
        """Tell whether a strategy has at hand what it remembers of the state, and need not compute it anew."""
        return name not in WITH_MEMORY or is_memory_of(name, self.store.state.memory)

    def _maintained(self, change: Change[FactSet], name: str, depth: int | None, work: Work) -> Snapshot:
        program = self.prepare()
        if name == "counting" and self.memory != "counting":
            raise NotMaintainableError("only a store made with Reasoner(maintenance='counting') counts derivations")
        if self.rules is not None:
            return self.rules.maintained(program, name, depth, change, work)
        remembering = self.store.strategy_with_memory(name, program) if name in WITH_MEMORY else None
        state = self.store.maintain(
            program,
            remembering or strategy_of(name, depth),
            change,
            work,
            value_equality=self.value_equality(),
            overdelete=name in ("dred", "dredc") or (name == "fbf" and depth == 0),
        )
        return replace(state, memory=remembering.memory) if remembering else state


def _is_above_core(work: Work) -> bool:
    """Tell whether a run that was given up had come to the strata above equality, whose phases count in any case."""
    return any(not phase.startswith("equality") for phase in work.instances)


class _StartOverError(Exception):
    """Starting over costs less than what is left to maintain; the message says why."""
