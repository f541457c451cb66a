"""A change of rules on its way into a store: the programs before and after it, and how far they differ.

The part of a store that an ontology can be read from.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from reasoner.maintenance.declarative import DeclarativeTransition
from reasoner.maintenance.maintain import maintain
from reasoner.maintenance.program import Change, MaintenanceProgram, prepare_maintenance
from reasoner.maintenance.rule_difference import change_maintenance
from reasoner.maintenance.strategies import WITH_MEMORY, CountedDRed, Counting, strategy_of, strategy_with_memory
from reasoner.reasoning.arrange import occurrence_probe, readings
from reasoner.reasoning.materialise import collector_paused
from reasoner.terms.term import OWL, RDF, RDF_TYPE, RDFS, XSD, TextTriple

if TYPE_CHECKING:
    from ontologies.collector import Translation
    from ontologies.separable import TranslationChange
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.maintenance.program import Strategy
    from reasoner.maintenance.update import Work
    from reasoner.reasoning.arrange import Options
    from reasoner.reasoning.program import EncodedProgram, ProgramChange
    from reasoner.rules.encode import EncodedRule
    from reasoner.state.request import OwnRules

    Program = MaintenanceProgram[FactSet, Plans, Representatives]


class RuleChange:
    """Rules that come and go with a commit; ``lost`` and ``gained`` are those that differ by what they say.

    ``own`` and ``translation`` are one's own rules and those of the ontology after the change, which may come from
    other axioms than before where nothing is lost or gained.
    """

    def __init__(
        self,
        store: ColumnarStore,
        options: Options,
        old: tuple[Translation, EncodedProgram, Program | None],
        ontology: TranslationChange,
        own: OwnRules,
        change: ProgramChange,
    ) -> None:
        self.store = store
        self.options = options
        self.ontology = ontology
        self.translation = ontology.translation
        self.own = own
        self.change = change
        self._old_translation, self._old_program, self._old_maintenance = old

    @property
    def program(self) -> EncodedProgram:
        return self.change.program

    @property
    def lost(self) -> tuple[EncodedRule, ...]:
        return self.change.lost

    @property
    def gained(self) -> tuple[EncodedRule, ...]:
        return self.change.gained

    @property
    def changes_program(self) -> bool:
        """Whether what follows can be different; of constraints nothing follows."""
        asks = self.translation.value_equality != self._old_translation.value_equality
        return asks or any(rule.head is not None for rule in (*self.lost, *self.gained))

    @cached_property
    def before(self) -> Program:
        """The program so far, compiled for maintenance."""
        return self._old_maintenance or prepare_maintenance(self.store.engine, self._old_program, self.options)

    @cached_property
    def after(self) -> Program:
        """The program after the change, compiled for maintenance as far as the program before it does not do."""
        return change_maintenance(self.before, self.change)

    @cached_property
    def reach(self) -> int:
        """How many facts the rules that go and come derive from the state before the change, each in one step."""
        engine, facts = self.store.engine, self.store.state.facts
        rules = [rule for rule in (*self.lost, *self.gained) if rule.head is not None and rule.body]
        found = readings(rules, equality=self.options.equality)
        plans = engine.compile(rule for rule in found if occurrence_probe(rule) is None)
        return engine.size(engine.evaluate(plans, facts))

    def maintained(
        self, program: Program, name: str, depth: int | None, change: Change[FactSet], work: Work
    ) -> Snapshot:
        """Return the state under the program after the change; the state of the store stays as it is."""
        state, engine = self.store.state, self.store.engine
        values = self._values(change)
        gone, come = engine.difference(state.values, values), engine.difference(values, state.values)
        whole = Change(
            engine.union(change.before, state.values),
            engine.union(change.after, values),
            engine.union(change.removed, engine.difference(gone, change.after)),
            engine.union(change.added, engine.difference(come, change.before)),
        )
        strategy = self._strategy(name, depth, whole.before)
        overdelete = name in ("dred", "dredc") or (name == "fbf" and depth == 0)
        with collector_paused():
            result = maintain(
                program,
                strategy,
                whole,
                state.facts,
                state.representatives,
                work,
                before=self.before,
                overdelete=overdelete,
            )
        return replace(
            state,
            explicit=change.after,
            facts=result.facts,
            representatives=result.representatives,
            values=values,
            memory=strategy.memory if isinstance(strategy, Counting | CountedDRed) else None,
        )

    def _values(self, change: Change[FactSet]) -> FactSet:
        """Return the equalities of literals after the change, which rules may have begun, or ceased, to ask for."""
        store, engine = self.store, self.store.engine
        # Equality by rewriting, or by its axioms: a store without either takes literals as they are written.
        if not (self.options.equality or store.axioms) or not self.translation.value_equality:
            return engine.empty()
        if not self._old_translation.value_equality:
            return store.values.equalities(change.after)
        changed = engine.union(change.removed, change.added)
        gone, come = store.values.changes(change.before, change.after, changed)
        return engine.union(engine.difference(store.state.values, gone), come)

    def _strategy(
        self, name: str, depth: int | None, explicit: FactSet
    ) -> Strategy[FactSet, Plans, Representatives] | Counting | CountedDRed:
        state, engine, before = self.store.state, self.store.engine, self.before
        if name in WITH_MEMORY:
            known = (state.memory, before, explicit, state.facts, state.representatives)
            return strategy_with_memory(name, *known, rules_change=True)
        if name != "declarative":
            return strategy_of(name, depth)
        explicit = engine.union(explicit, before.stated)
        if self.options.equality:
            explicit = engine.irreflexive(engine.normalise(explicit, state.representatives))
        return DeclarativeTransition(before, state.representatives, explicit)


# The facets of datatypes are XSD's; a blank node as a class is a class expression.
_VOCABULARIES = tuple("<" + namespace for namespace in (RDF, RDFS, OWL, XSD, "http://www.w3.org/2003/11/swrl"))
_CLASSES = (*_VOCABULARIES, "_:")

# Statements about individuals, or for readers: there may be millions, and no axiom is among them.
_NO_SCHEMA = frozenset(
    f"<{iri}>"
    for iri in (
        OWL + "sameAs",
        RDFS + "label",
        RDFS + "comment",
        RDFS + "seeAlso",
        RDFS + "isDefinedBy",
        RDF + "value",
        OWL + "versionInfo",
    )
)
_ANNOTATED_SOURCE = f"<{OWL}annotatedSource>"
_NO_SCHEMA_TYPES = frozenset(f"<{iri}>" for iri in (OWL + "NamedIndividual", OWL + "Thing", RDFS + "Resource"))


class SchemaSource(Protocol):
    """A store that gives its explicit facts by predicate and by class."""

    def explicit_of(self, predicates: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]: ...

    def explicit_types(self, classes: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]: ...

    def explicit_samples(self, without: tuple[str, ...]) -> list[TextTriple]: ...

    def explicit_about(self, subjects: list[str]) -> list[TextTriple]: ...


def is_schema(triple: TextTriple) -> bool:
    """Tell whether a triple may state an axiom, so that rules depend on it."""
    _, predicate, obj = triple
    if predicate == RDF_TYPE:
        return obj.startswith(_CLASSES) and obj not in _NO_SCHEMA_TYPES
    return predicate.startswith(_VOCABULARIES) and predicate not in _NO_SCHEMA


def schema_triples(store: SchemaSource) -> list[TextTriple]:
    """Return the explicit facts that state axioms: those in the vocabulary of RDF, RDFS, OWL and SWRL.

    One fact of every other predicate comes with them, so that it can be seen whether an undeclared property takes
    literals.
    """
    return [
        *store.explicit_of(_VOCABULARIES, _NO_SCHEMA),
        *store.explicit_types(_CLASSES, _NO_SCHEMA_TYPES),
        *store.explicit_samples(_VOCABULARIES),
    ]


def ontology_triples(store: SchemaSource) -> list[TextTriple]:
    """Return the explicit facts that state axioms, with what annotates axioms, and what is annotated and no axiom.

    This is what an ontology is read from as a whole, for people to be told about it; no rule comes of the rest.
    """
    stated = schema_triples(store)
    annotated = dict.fromkeys(term for s, p, o in stated if p == _ANNOTATED_SOURCE for term in (s, o))
    return list(dict.fromkeys([*stated, *store.explicit_about(list(annotated))])) if annotated else stated
