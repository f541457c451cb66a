"""The OWL 2 RL/RDF rules as data: one entry for each rule of W3C OWL 2 Profiles, section 4.3, tables 4 to 9.

The texts are in the syntax of ``reasoner.rules.parser``. Where the W3C rule ranges over something, its text is the
smallest instance, and ``Expansion`` says over what it is repeated:

- ``?list rdfs:member ?member`` stands for W3C's ``LIST[?list, ...]``: ``?list`` is the head of an RDF list, ``?member``
  one of its members (``?left`` and ``?right``: a member and a later one). Where a rule has an atom for each member of
  the list, its text shows that atom once.
- ``{datatype}`` stands for a datatype and ``{annotation}`` for an annotation property.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Realisation(Enum):
    """How the reasoner brings a rule about."""

    RULE = "a rule as it stands"
    CONSTRAINT = "a rule without a head, each match of which is a contradiction"
    LIST = "rules, one or more for each list that is found in the ontology"
    VOCABULARY = "rules, one or more for each datatype or annotation property"
    NATIVE = "the engine: equality by rewriting, literals by value"


class Expansion(Enum):
    """What the rules of an entry are repeated over."""

    NONE = "nothing"
    EACH = "one rule for each member of the list"
    PAIRS = "one rule for each two members of the list"
    ALL = "one rule in which the atoms with ?member are repeated for every member"
    CHAIN = "as ALL, and the ?next of a member is the ?here of the member that follows"
    REQUIRED_DATATYPES = "one rule for each datatype of OWL 2 RL"
    USED_DATATYPES = "one rule for each datatype of OWL 2 RL that a rule body can ask for"
    MENTIONED_DATATYPES = "one rule for each datatype of OWL 2 RL that the ontology mentions"
    ANNOTATIONS = "one rule for each built-in annotation property"


@dataclass(frozen=True, slots=True)
class Entry:
    """One W3C rule: its id and the texts of its rules, several where the W3C rule has several heads."""

    id: str
    realisation: Realisation
    texts: tuple[str, ...]
    expansion: Expansion = Expansion.NONE


def _rule(id: str, *texts: str) -> Entry:
    return Entry(id, Realisation.RULE, texts)


def _constraint(id: str, text: str) -> Entry:
    return Entry(id, Realisation.CONSTRAINT, (text,))


def _list(id: str, expansion: Expansion, text: str) -> Entry:
    return Entry(id, Realisation.LIST, (text,), expansion)


def _vocabulary(id: str, expansion: Expansion, text: str) -> Entry:
    return Entry(id, Realisation.VOCABULARY, (text,), expansion)


def _native(id: str, *texts: str) -> Entry:
    return Entry(id, Realisation.NATIVE, texts)


# The semantics of equality.
TABLE_4 = (
    _native(
        "eq-ref",
        "?s owl:sameAs ?s :- ?s ?p ?o",
        "?p owl:sameAs ?p :- ?s ?p ?o",
        "?o owl:sameAs ?o :- ?s ?p ?o",
    ),
    _native("eq-sym", "?y owl:sameAs ?x :- ?x owl:sameAs ?y"),
    _native("eq-trans", "?x owl:sameAs ?z :- ?x owl:sameAs ?y, ?y owl:sameAs ?z"),
    _native("eq-rep-s", "?t ?p ?o :- ?s owl:sameAs ?t, ?s ?p ?o"),
    _native("eq-rep-p", "?s ?q ?o :- ?p owl:sameAs ?q, ?s ?p ?o"),
    _native("eq-rep-o", "?s ?p ?u :- ?o owl:sameAs ?u, ?s ?p ?o"),
    _constraint("eq-diff1", "false :- ?x owl:sameAs ?y, ?x owl:differentFrom ?y"),
    _list(
        "eq-diff2",
        Expansion.PAIRS,
        "false :- ?x a owl:AllDifferent, ?x owl:members ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?left owl:sameAs ?right",
    ),
    _list(
        "eq-diff3",
        Expansion.PAIRS,
        "false :- ?x a owl:AllDifferent, ?x owl:distinctMembers ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?left owl:sameAs ?right",
    ),
)

# The semantics of axioms about properties.
TABLE_5 = (
    _vocabulary("prp-ap", Expansion.ANNOTATIONS, "{annotation} a owl:AnnotationProperty"),
    _rule("prp-dom", "?x a ?c :- ?p rdfs:domain ?c, ?x ?p ?y"),
    _rule("prp-rng", "?y a ?c :- ?p rdfs:range ?c, ?x ?p ?y"),
    _rule("prp-fp", "?y1 owl:sameAs ?y2 :- ?p a owl:FunctionalProperty, ?x ?p ?y1, ?x ?p ?y2"),
    _rule("prp-ifp", "?x1 owl:sameAs ?x2 :- ?p a owl:InverseFunctionalProperty, ?x1 ?p ?y, ?x2 ?p ?y"),
    _constraint("prp-irp", "false :- ?p a owl:IrreflexiveProperty, ?x ?p ?x"),
    _rule("prp-symp", "?y ?p ?x :- ?p a owl:SymmetricProperty, ?x ?p ?y"),
    _constraint("prp-asyp", "false :- ?p a owl:AsymmetricProperty, ?x ?p ?y, ?y ?p ?x"),
    _rule("prp-trp", "?x ?p ?z :- ?p a owl:TransitiveProperty, ?x ?p ?y, ?y ?p ?z"),
    _rule("prp-spo1", "?x ?p2 ?y :- ?p1 rdfs:subPropertyOf ?p2, ?x ?p1 ?y"),
    _list(
        "prp-spo2",
        Expansion.CHAIN,
        "?here ?p ?next :- ?p owl:propertyChainAxiom ?list, ?list rdfs:member ?member, ?here ?member ?next",
    ),
    _rule("prp-eqp1", "?x ?p2 ?y :- ?p1 owl:equivalentProperty ?p2, ?x ?p1 ?y"),
    _rule("prp-eqp2", "?x ?p1 ?y :- ?p1 owl:equivalentProperty ?p2, ?x ?p2 ?y"),
    _constraint("prp-pdw", "false :- ?p1 owl:propertyDisjointWith ?p2, ?x ?p1 ?y, ?x ?p2 ?y"),
    _list(
        "prp-adp",
        Expansion.PAIRS,
        "false :- ?x a owl:AllDisjointProperties, ?x owl:members ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?u ?left ?v, ?u ?right ?v",
    ),
    _rule("prp-inv1", "?y ?p2 ?x :- ?p1 owl:inverseOf ?p2, ?x ?p1 ?y"),
    _rule("prp-inv2", "?y ?p1 ?x :- ?p1 owl:inverseOf ?p2, ?x ?p2 ?y"),
    _list(
        "prp-key",
        Expansion.ALL,
        "?x owl:sameAs ?y :- ?c owl:hasKey ?list, "
        "?list rdfs:member ?member, ?x a ?c, ?y a ?c, ?x ?member ?value, ?y ?member ?value",
    ),
    _constraint(
        "prp-npa1",
        "false :- ?x owl:sourceIndividual ?i1, ?x owl:assertionProperty ?p, ?x owl:targetIndividual ?i2, ?i1 ?p ?i2",
    ),
    _constraint(
        "prp-npa2",
        "false :- ?x owl:sourceIndividual ?i, ?x owl:assertionProperty ?p, ?x owl:targetValue ?v, ?i ?p ?v",
    ),
)

# The semantics of classes. A cardinality is compared by value, because ontologies also write it as xsd:integer.
_ZERO = 'sameValue(?n, "0"^^xsd:nonNegativeInteger)'
_ONE = 'sameValue(?n, "1"^^xsd:nonNegativeInteger)'
_AT_MOST = "?x owl:maxCardinality ?n, ?x owl:onProperty ?p, ?u a ?x"
_AT_MOST_OF_CLASS = "?x owl:maxQualifiedCardinality ?n, ?x owl:onProperty ?p, ?x owl:onClass ?c, ?u a ?x"
_AT_MOST_OF_THING = "?x owl:maxQualifiedCardinality ?n, ?x owl:onProperty ?p, ?x owl:onClass owl:Thing, ?u a ?x"
TABLE_6 = (
    _rule("cls-thing", "owl:Thing a owl:Class"),
    _rule("cls-nothing1", "owl:Nothing a owl:Class"),
    _constraint("cls-nothing2", "false :- ?x a owl:Nothing"),
    _list("cls-int1", Expansion.ALL, "?y a ?c :- ?c owl:intersectionOf ?list, ?list rdfs:member ?member, ?y a ?member"),
    _list(
        "cls-int2", Expansion.EACH, "?y a ?member :- ?c owl:intersectionOf ?list, ?list rdfs:member ?member, ?y a ?c"
    ),
    _list("cls-uni", Expansion.EACH, "?y a ?c :- ?c owl:unionOf ?list, ?list rdfs:member ?member, ?y a ?member"),
    _constraint("cls-com", "false :- ?c1 owl:complementOf ?c2, ?x a ?c1, ?x a ?c2"),
    _rule("cls-svf1", "?u a ?x :- ?x owl:someValuesFrom ?y, ?x owl:onProperty ?p, ?u ?p ?v, ?v a ?y"),
    _rule("cls-svf2", "?u a ?x :- ?x owl:someValuesFrom owl:Thing, ?x owl:onProperty ?p, ?u ?p ?v"),
    _rule("cls-avf", "?v a ?y :- ?x owl:allValuesFrom ?y, ?x owl:onProperty ?p, ?u a ?x, ?u ?p ?v"),
    _rule("cls-hv1", "?u ?p ?y :- ?x owl:hasValue ?y, ?x owl:onProperty ?p, ?u a ?x"),
    _rule("cls-hv2", "?u a ?x :- ?x owl:hasValue ?y, ?x owl:onProperty ?p, ?u ?p ?y"),
    _constraint("cls-maxc1", f"false :- {_AT_MOST}, ?u ?p ?y, {_ZERO}"),
    _rule("cls-maxc2", f"?y1 owl:sameAs ?y2 :- {_AT_MOST}, ?u ?p ?y1, ?u ?p ?y2, {_ONE}"),
    _constraint("cls-maxqc1", f"false :- {_AT_MOST_OF_CLASS}, ?u ?p ?y, ?y a ?c, {_ZERO}"),
    _constraint("cls-maxqc2", f"false :- {_AT_MOST_OF_THING}, ?u ?p ?y, {_ZERO}"),
    _rule(
        "cls-maxqc3",
        f"?y1 owl:sameAs ?y2 :- {_AT_MOST_OF_CLASS}, ?u ?p ?y1, ?y1 a ?c, ?u ?p ?y2, ?y2 a ?c, {_ONE}",
    ),
    _rule("cls-maxqc4", f"?y1 owl:sameAs ?y2 :- {_AT_MOST_OF_THING}, ?u ?p ?y1, ?u ?p ?y2, {_ONE}"),
    _list("cls-oo", Expansion.EACH, "?member a ?c :- ?c owl:oneOf ?list, ?list rdfs:member ?member"),
)

# The semantics of class axioms.
TABLE_7 = (
    _rule("cax-sco", "?x a ?c2 :- ?c1 rdfs:subClassOf ?c2, ?x a ?c1"),
    _rule("cax-eqc1", "?x a ?c2 :- ?c1 owl:equivalentClass ?c2, ?x a ?c1"),
    _rule("cax-eqc2", "?x a ?c1 :- ?c1 owl:equivalentClass ?c2, ?x a ?c2"),
    _constraint("cax-dw", "false :- ?c1 owl:disjointWith ?c2, ?x a ?c1, ?x a ?c2"),
    _list(
        "cax-adc",
        Expansion.PAIRS,
        "false :- ?x a owl:AllDisjointClasses, ?x owl:members ?list, "
        "?list rdfs:member ?left, ?list rdfs:member ?right, ?z a ?left, ?z a ?right",
    ),
)

# The semantics of datatypes. W3C's dt-diff derives owl:differentFrom between literals, which only eq-diff1 reads: the
# constraint is the two in one.
TABLE_8 = (
    _vocabulary("dt-type1", Expansion.REQUIRED_DATATYPES, "{datatype} a rdfs:Datatype"),
    _vocabulary("dt-type2", Expansion.USED_DATATYPES, "?x a {datatype} :- ?s ?p ?x, inValueSpace(?x, {datatype})"),
    _native("dt-eq", "?x owl:sameAs ?y :- ?s ?p ?x, ?t ?q ?y, sameValue(?x, ?y)"),
    _constraint("dt-diff", "false :- ?x owl:sameAs ?y, differentValue(?x, ?y)"),
    _vocabulary(
        "dt-not-type", Expansion.MENTIONED_DATATYPES, "false :- ?x a {datatype}, notInValueSpace(?x, {datatype})"
    ),
)

# The semantics of schema vocabulary.
TABLE_9 = (
    _rule(
        "scm-cls",
        "?c rdfs:subClassOf ?c :- ?c a owl:Class",
        "?c owl:equivalentClass ?c :- ?c a owl:Class",
        "?c rdfs:subClassOf owl:Thing :- ?c a owl:Class",
        "owl:Nothing rdfs:subClassOf ?c :- ?c a owl:Class",
    ),
    _rule("scm-sco", "?c1 rdfs:subClassOf ?c3 :- ?c1 rdfs:subClassOf ?c2, ?c2 rdfs:subClassOf ?c3"),
    _rule(
        "scm-eqc1",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:equivalentClass ?c2",
        "?c2 rdfs:subClassOf ?c1 :- ?c1 owl:equivalentClass ?c2",
    ),
    _rule("scm-eqc2", "?c1 owl:equivalentClass ?c2 :- ?c1 rdfs:subClassOf ?c2, ?c2 rdfs:subClassOf ?c1"),
    _rule(
        "scm-op",
        "?p rdfs:subPropertyOf ?p :- ?p a owl:ObjectProperty",
        "?p owl:equivalentProperty ?p :- ?p a owl:ObjectProperty",
    ),
    _rule(
        "scm-dp",
        "?p rdfs:subPropertyOf ?p :- ?p a owl:DatatypeProperty",
        "?p owl:equivalentProperty ?p :- ?p a owl:DatatypeProperty",
    ),
    _rule("scm-spo", "?p1 rdfs:subPropertyOf ?p3 :- ?p1 rdfs:subPropertyOf ?p2, ?p2 rdfs:subPropertyOf ?p3"),
    _rule(
        "scm-eqp1",
        "?p1 rdfs:subPropertyOf ?p2 :- ?p1 owl:equivalentProperty ?p2",
        "?p2 rdfs:subPropertyOf ?p1 :- ?p1 owl:equivalentProperty ?p2",
    ),
    _rule("scm-eqp2", "?p1 owl:equivalentProperty ?p2 :- ?p1 rdfs:subPropertyOf ?p2, ?p2 rdfs:subPropertyOf ?p1"),
    _rule("scm-dom1", "?p rdfs:domain ?c2 :- ?p rdfs:domain ?c1, ?c1 rdfs:subClassOf ?c2"),
    _rule("scm-dom2", "?p1 rdfs:domain ?c :- ?p2 rdfs:domain ?c, ?p1 rdfs:subPropertyOf ?p2"),
    _rule("scm-rng1", "?p rdfs:range ?c2 :- ?p rdfs:range ?c1, ?c1 rdfs:subClassOf ?c2"),
    _rule("scm-rng2", "?p1 rdfs:range ?c :- ?p2 rdfs:range ?c, ?p1 rdfs:subPropertyOf ?p2"),
    _rule(
        "scm-hv",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:hasValue ?i, ?c1 owl:onProperty ?p1, "
        "?c2 owl:hasValue ?i, ?c2 owl:onProperty ?p2, ?p1 rdfs:subPropertyOf ?p2",
    ),
    _rule(
        "scm-svf1",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:someValuesFrom ?y1, ?c1 owl:onProperty ?p, "
        "?c2 owl:someValuesFrom ?y2, ?c2 owl:onProperty ?p, ?y1 rdfs:subClassOf ?y2",
    ),
    _rule(
        "scm-svf2",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:someValuesFrom ?y, ?c1 owl:onProperty ?p1, "
        "?c2 owl:someValuesFrom ?y, ?c2 owl:onProperty ?p2, ?p1 rdfs:subPropertyOf ?p2",
    ),
    _rule(
        "scm-avf1",
        "?c1 rdfs:subClassOf ?c2 :- ?c1 owl:allValuesFrom ?y1, ?c1 owl:onProperty ?p, "
        "?c2 owl:allValuesFrom ?y2, ?c2 owl:onProperty ?p, ?y1 rdfs:subClassOf ?y2",
    ),
    _rule(
        "scm-avf2",
        "?c2 rdfs:subClassOf ?c1 :- ?c1 owl:allValuesFrom ?y, ?c1 owl:onProperty ?p1, "
        "?c2 owl:allValuesFrom ?y, ?c2 owl:onProperty ?p2, ?p1 rdfs:subPropertyOf ?p2",
    ),
    _list(
        "scm-int",
        Expansion.EACH,
        "?c rdfs:subClassOf ?member :- ?c owl:intersectionOf ?list, ?list rdfs:member ?member",
    ),
    _list("scm-uni", Expansion.EACH, "?member rdfs:subClassOf ?c :- ?c owl:unionOf ?list, ?list rdfs:member ?member"),
)

TABLES = {4: TABLE_4, 5: TABLE_5, 6: TABLE_6, 7: TABLE_7, 8: TABLE_8, 9: TABLE_9}
ENTRIES: tuple[Entry, ...] = tuple(entry for table in TABLES.values() for entry in table)
