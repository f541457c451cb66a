"""Description logic programs: compile axioms into rules over the data.

Volz, Staab and Motik, Incrementally maintaining materializations of ontologies stored in logic databases (2005),
section 2.2.2 and tables 1 and 2, after Grosof, Horrocks, Volz and Decker, Description logic programs (2003). Class C is
the atom ``?x rdf:type C`` and property R the atom ``?x R ?y``. Table 1, with the head H and the rest of the body B:

    D(x) :- (A and B)(x)     one rule              H :- (C or D)(x), B      two rules
    (D and E)(x) :- B        two rules             H :- (some R.C)(x), B    H :- R(x, y), C(y), B
    (only R.C)(x) :- B       C(y) :- R(x, y), B    H :- (R value i)(x), B   H :- R(x, i), B
    (R value i)(x) :- B      R(x, i) :- B

and table 2:

    sub-property    Q(x, y) :- P(x, y)             inverse       P(x, y) :- Q(y, x) and back
    domain          C(x) :- P(x, y)                symmetric     P(y, x) :- P(x, y)
    range           C(y) :- P(x, y)                transitive    P(x, z) :- P(x, y), P(y, z)

Beyond the tables, whatever else of OWL 2 is a Horn rule: chains, keys, functional properties and at most one successor
(``owl:sameAs`` heads), and contradictions (constraints). An axiom is translated as far as it goes: of ``A subclass of
(B and some R.C)`` the part about B becomes a rule and the rest is left out. ``owl:Thing`` on the left is the atom
``?x rdf:type owl:Thing``: it covers what the data or a rule puts into ``owl:Thing``. Unions that would multiply each
other get auxiliary classes (``structural``).
"""

from __future__ import annotations

from collections.abc import Sequence

import ontologies.axioms as ax
from ontologies.clauses import Clausifier, Disjunct, Existential, Unsupported, clauses_of, describe
from ontologies.collector import LeftOut, RuleCollector, Translation, simplify
from ontologies.expressions import DataRange
from ontologies.structural import ClauseFinisher
from ontologies.write_functional import write_functional
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.value_joins import value_joins
from reasoner.terms.term import is_literal


def translate_dlp(ontology: ax.Ontology) -> Translation:
    """Translate the axioms of an ontology; equal rules of several axioms are one rule with all of them as sources.

    >>> from ontologies.read_functional import read_functional
    >>> [rule] = translate_dlp(read_functional("Ontology(SubClassOf(<urn:A> <urn:B>))")).rules
    >>> rule.name, rule.head.object, rule.body[0].object
    ('SubClassOf', '<urn:B>', '<urn:A>')
    """
    collector = RuleCollector()
    finisher = ClauseFinisher(Clausifier(datatype_definitions(ontology)))
    for axiom in ontology.axioms:
        if isinstance(axiom, ax.ReflexiveObjectProperty):
            collector.leave_out(
                write_functional(axiom),
                "holds of every individual, also of those that no atom can range over; "
                "put SubClassOf(C ObjectHasSelf(R)) for a class C that has them",
            )
            continue
        add_horn_rules(axiom, finisher, collector)
    return finish(ontology, collector)


def add_horn_rules(axiom: ax.Axiom, finisher: ClauseFinisher, collector: RuleCollector) -> None:
    """Add the rules of the clauses that are Horn, and leave out the others."""
    source = ""
    for pending in clauses_of(axiom):
        source = source or write_functional(axiom)
        for clause in finisher.finish(pending):
            if isinstance(clause, Unsupported):
                collector.leave_out(source, clause.text)
                continue
            if (simple := simplify(clause)) is None:
                continue
            if (reason := not_horn(simple.heads)) is not None:
                collector.leave_out(source, reason)
                continue
            [head] = simple.heads or (None,)
            assert head is None or isinstance(head, Atom)
            collector.add(type(axiom).__name__, source, simple, head)
            collector.add_definitions(type(axiom).__name__, source, finisher.definitions(simple))


def not_horn(heads: Sequence[Disjunct]) -> str | None:
    """Say why a clause with these disjuncts in its head is no rule; None if it is one."""
    if len(heads) > 1:
        return f"needs a disjunction in the head: {' or '.join(map(describe, heads))}"
    if heads and isinstance(heads[0], Existential):
        return f"{describe(heads[0])} needs an existential variable in the head"
    return None


def datatype_definitions(ontology: ax.Ontology) -> dict[str, DataRange]:
    """Return the data ranges that the ontology's datatypes are defined as."""
    return {axiom.datatype: axiom.range for axiom in ontology.axioms if isinstance(axiom, ax.DatatypeDefinition)}


def unread(ontology: ax.Ontology) -> tuple[LeftOut, ...]:
    """Report the triples of an ontology that fit no axiom."""
    return tuple(LeftOut(f"{s} {p} {o} .", "the triple fits no axiom of OWL 2") for s, p, o in ontology.unread)


def finish(ontology: ax.Ontology, collector: RuleCollector) -> Translation:
    """Return what was collected, with the unread triples, and ask for value equality if the rules compare literals."""
    rules = collector.rules
    compares = any(_compares_literals(rule) for rule in rules) or any(
        isinstance(axiom, ax.DisjointDataProperties) or (isinstance(axiom, ax.HasKey) and bool(axiom.data_properties))
        for axiom in ontology.axioms
    )
    return Translation(rules, (*collector.left_out, *unread(ontology)), value_equality=compares)


def _compares_literals(rule: Rule) -> bool:
    return any(is_literal(term) for atom in rule.body for term in atom) or bool(value_joins([rule]))
