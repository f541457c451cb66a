"""Translate an ontology into rules, by the profile that is asked for.

The RDFS axiomatisation: ``translate_rdfs``.

R. Volz, S. Staab, B. Motik: "Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases",
Journal on Data Semantics II, 2005, section 2.1, figure 2. A static set of rules over triples, with the figure's names;
it leaves out datatype entailment and the "if and only if" reading of domains and ranges.

Deviation: the figure prints rdfs7 as ``t(C, a, Class) :- t(C, subClassOf, Resource)``. The RDF model theory, which the
text says it implements, has it the other way round: every class is a subclass of rdfs:Resource. We follow that.
The figure's ``t(S, a; B)`` in rdfs9 is read as ``t(S, a, B)``.

The lower and the upper bound program of an ontology.

Motik, Nenov, Piro and Horrocks, Maintenance of datalog materialisations revisited (2019), section 10.1. The axioms are
first-order clauses ``body -> exists y. H1 or ... or exists y. Hn``. The lower bound (L) drops a clause that needs a
disjunction or an existential: sound, incomplete. The upper bound (U) puts fresh constants for the existential variables
and a conjunction for each disjunction: complete, unsound.

Deviation: an equality is dropped from the conjunction if other disjuncts remain. The clause still follows from the
rule, so U stays complete, and it does not merge individuals without need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import combinations
from typing import Any, cast

import ontologies.axioms as ax
import ontologies.expressions as ex
from loaders.errors import ReasonerError, nesting_refused
from ontologies.axioms import Ontology
from ontologies.clauses import (
    ClassTask,
    Clause,
    Clausifier,
    Disjunct,
    Existential,
    Unsupported,
    clauses_of,
    property_atom,
    substitute_variable,
)
from ontologies.collector import RuleCollector, Translation, simplify
from ontologies.dlp import datatype_definitions, finish, translate_dlp
from ontologies.structural import ClauseFinisher
from ontologies.vocabulary import THING, literal
from ontologies.write_functional import write_functional
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Atom, Builtin
from reasoner.terms.term import RDF_TYPE, SAME_AS, Variable, is_literal

RDFS_RULES = """
[rdf1]   ?p a rdf:Property :- ?s ?p ?o .
[rdfs2]  ?s a ?c :- ?p rdfs:domain ?c, ?s ?p ?o .
[rdfs3]  ?o a ?c :- ?p rdfs:range ?c, ?s ?p ?o .
[rdfs4a] ?s a rdfs:Resource :- ?s ?p ?o .
[rdfs4b] ?o a rdfs:Resource :- ?s ?p ?o .
[rdfs5a] ?p rdfs:subPropertyOf ?r :- ?q rdfs:subPropertyOf ?r, ?p rdfs:subPropertyOf ?q .
[rdfs6]  ?s ?r ?o :- ?p rdfs:subPropertyOf ?r, ?s ?p ?o .
[rdfs7]  ?c rdfs:subClassOf rdfs:Resource :- ?c a rdfs:Class .
[rdfs8]  ?a rdfs:subClassOf ?c :- ?b rdfs:subClassOf ?c, ?a rdfs:subClassOf ?b .
[rdfs9]  ?s a ?b :- ?s a ?a, ?a rdfs:subClassOf ?b .
[rdfs10] ?x rdfs:subPropertyOf rdfs:member :- ?x a rdfs:ContainerMembershipProperty .
[rdfs11] ?x rdfs:subClassOf rdfs:Literal :- ?x a rdfs:Datatype .
[rdfs12] rdfs:Resource rdfs:subClassOf ?y :- ?x rdfs:domain ?y, rdf:type rdfs:subPropertyOf ?x .
"""


def translate_rdfs(triples: Sequence[tuple[str, str, str]]) -> Translation:
    """Return the rules of figure 2; they are the same whatever ``triples`` say, and leave nothing of RDFS out."""
    return _translation()


@cache
def _translation() -> Translation:
    return Translation(tuple(parse_rules(RDFS_RULES)))


PROFILES = ("owl2rl", "dlp", "rdfs", "lower", "upper", "none")


@nesting_refused("an expression of the ontology")
def translate(ontology: Ontology, profile: str) -> Translation:
    """Return the rules of an ontology under a profile, its SWRL rules included; ``none`` stands for no rules at all.

    >>> from ontologies.read_functional import read_functional
    >>> len(translate(read_functional("Ontology(SubClassOf(<urn:A> <urn:B>))"), "dlp").rules)
    1
    """
    if profile not in PROFILES:
        raise ReasonerError(f"unknown profile {profile!r}; choose one of {', '.join(PROFILES)}")
    if profile == "none":
        return Translation(())
    # Loaded late, so that one profile does not pay for the others.
    from ontologies.swrl import translate_swrl

    axioms, rules = _translator(profile)(ontology), translate_swrl(ontology)
    return Translation(
        (*axioms.rules, *rules.rules), (*axioms.left_out, *rules.left_out), value_equality=axioms.value_equality
    )


def _translator(profile: str) -> Callable[[Ontology], Translation]:
    if profile == "owl2rl":
        from ontologies.owl2rl import translate_owl2rl

        return lambda ontology: translate_owl2rl(ontology.triples)
    if profile == "rdfs":
        return lambda ontology: translate_rdfs(ontology.triples)
    if profile == "dlp":
        from ontologies.dlp import translate_dlp

        return translate_dlp
    return lower_bound if profile == "lower" else upper_bound


SKOLEM = "urn:reasoner:skolem:"


def lower_bound(ontology: ax.Ontology) -> Translation:
    """Return the rules that follow from the ontology: the description logic program."""
    return translate_dlp(ontology)


def upper_bound(ontology: ax.Ontology) -> Translation:
    """Return rules that the ontology follows from, so that they derive all its consequences, and more.

    Each existential of an axiom gets constants of its own, the same in every run.
    """
    return _UpperBound(ontology).translate()


class _UpperBound:
    def __init__(self, ontology: ax.Ontology) -> None:
        self.ontology = ontology
        self.collector = RuleCollector()
        self.finisher = ClauseFinisher(Clausifier(datatype_definitions(ontology), merge_successors=True))

    def translate(self) -> Translation:
        for axiom in self.ontology.axioms:
            source = ""
            for clause in clauses_of(axiom):
                source = source or write_functional(axiom)
                self.add(type(axiom).__name__, source, clause)
        self.reach_witnesses()
        self.populate_thing()
        return finish(self.ontology, self.collector)

    def add(self, name: str, source: str, pending: Clause) -> None:
        for clause in self.finisher.finish(pending):
            if isinstance(clause, Unsupported):
                self.collector.leave_out(source, clause.text)
            elif (simple := simplify(clause)) is not None:
                self.overstate(name, source, simple)
                self.collector.add_definitions(name, source, self.finisher.definitions(simple))

    def overstate(self, name: str, source: str, clause: Clause) -> None:
        """Add one rule for each disjunct."""
        clause = _without_equalities(clause)
        if not clause.heads:
            self.collector.add(name, source, clause, None)
        for head in clause.heads:
            if isinstance(head, Atom):
                self.collector.add(name, source, clause, head)
            else:
                self.witness(name, source, replace(clause, heads=()), head)

    def witness(self, name: str, source: str, clause: Clause, head: Existential) -> None:
        """State that fresh constants are the successors that an existential promises."""
        constants = [_constant(source, head, number) for number in range(head.number)]
        for constant in constants:
            step = clause.either(property_atom(head.property, head.term, constant))
            if (simple := simplify(step)) is not None and isinstance(simple.heads[0], Atom):
                self.collector.add(name, source, simple, simple.heads[0])
            if not head.is_data:
                self.add(name, source, clause.pending(ClassTask(True, cast(ex.ClassExpression, head.filler), constant)))
        if not head.is_data:
            for first, second in combinations(constants, 2):
                self.collector.add(name, source, clause.when(Atom(first, SAME_AS, second)), None)

    def reach_witnesses(self) -> None:
        """Let a condition on a data value hold of fresh values too, of which it is not known whether it holds."""
        for rule in self.collector.rules:
            tested = sorted({name for condition in rule.conditions for name in condition.variables})
            if rule.head is None or not tested:
                continue
            for number in range(1, len(tested) + 1):
                for chosen in combinations(tested, number):
                    kept = [part for part in rule.conditions if part.variables.isdisjoint(chosen)]
                    fresh = [Builtin("datatype", (Variable(name), f"<{SKOLEM}value>")) for name in chosen]
                    clause = Clause(rule.body, (*kept, *fresh))
                    for source in rule.sources:
                        self.collector.add(rule.name, source, clause, rule.head)

    def populate_thing(self) -> None:
        """Put every individual into ``owl:Thing`` if a rule ranges over it, since completeness asks for all of them."""
        x, y = Variable("_0"), Variable("_1")
        if not any(atom.object == THING for rule in self.collector.rules for atom in rule.body):
            return
        atoms = [atom for rule in self.collector.rules for atom in (*rule.body, *([rule.head] if rule.head else []))]
        data = _data_properties(self.ontology.axioms)
        member = Atom(x, RDF_TYPE, THING)
        for name in sorted({str(atom.object) for atom in atoms if atom.predicate == RDF_TYPE} - {THING}):
            self.collector.add("Thing", "", Clause(body=(Atom(x, RDF_TYPE, name),)), member)
        named = {str(atom.predicate) for atom in atoms if not is_literal(atom.predicate)}
        for name in sorted(named - {RDF_TYPE, SAME_AS}):
            self.collector.add("Thing", "", Clause(body=(Atom(x, name, y),)), member)
            if name not in data:
                self.collector.add("Thing", "", Clause(body=(Atom(y, name, x),)), member)


def _without_equalities(clause: Clause) -> Clause:
    """Drop equalities beside other disjuncts; successors that were told apart by one become a single variable."""
    others: list[Disjunct] = []
    equalities: list[Atom] = []
    for head in clause.heads:
        if isinstance(head, Atom) and head.predicate == SAME_AS:
            equalities.append(head)
        else:
            others.append(head)
    if not others or not equalities:
        return clause
    clause = replace(clause, heads=tuple(others))
    for equality in equalities:
        if isinstance(equality.subject, Variable) and isinstance(equality.object, Variable):
            clause = substitute_variable(clause, equality.object, equality.subject)
    return clause


def _constant(source: str, head: Existential, number: int) -> str:
    """Name a fresh constant after its axiom and existential; a data value is of a datatype that has no known values."""
    digest = sha256(f"{source} {write_functional(head.expression)}".encode()).hexdigest()[:16]
    name = f"{digest}-{number + 1}"
    return literal(name, SKOLEM + "value") if head.is_data else f"<{SKOLEM}{name}>"


def _data_properties(part: Any) -> set[str]:
    """Collect the names that stand where a data property stands."""
    if isinstance(part, tuple):
        return {name for item in part for name in _data_properties(item)}
    if not is_dataclass(part):
        return set()
    found: set[str] = {part.entity} if isinstance(part, ax.Declaration) and part.kind == "DataProperty" else set()
    for field in fields(part):
        value = getattr(part, field.name)
        if field.type == "DataProperty":
            found.add(value)
        elif field.type == "tuple[DataProperty, ...]":
            found.update(value)
        else:
            found |= _data_properties(value)
    return found
