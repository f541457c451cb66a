"""Hypothesis strategies for small random ontologies with data, as triples, and for scripts that fit them."""

from __future__ import annotations

from hypothesis import strategies as st

from loaders.load import parse_text
from ontologies.axioms import Triple
from ontologies.read_functional import read_functional

NAMESPACE = "http://e.org/"
PREFIX = f"prefix : <{NAMESPACE}>\n"
CLASSES = ("A", "B", "C", "D")
PROPERTIES = ("p", "q", "r")
PEOPLE = ("a", "b", "c", "d")

SHAPES = (
    *("SubClassOf(:{c0} :{c1})",) * 6,
    "SubClassOf(:{c0} ObjectSomeValuesFrom(:{p0} :{c1}))",
    "SubClassOf(ObjectSomeValuesFrom(:{p0} :{c0}) :{c1})",
    "SubClassOf(:{c0} ObjectAllValuesFrom(:{p0} ObjectIntersectionOf(:{c1} :{c2})))",
    "SubClassOf(ObjectIntersectionOf(:{c0} :{c1}) :{c2})",
    "SubClassOf(ObjectUnionOf(:{c0} ObjectHasValue(:{p0} :{i0})) :{c1})",
    "EquivalentClasses(:{c0} ObjectIntersectionOf(:{c1} ObjectSomeValuesFrom(:{p0} :{c2})))",
    "EquivalentClasses(:{c0} :{c1})",
    "DisjointClasses(:{c0} :{c1})",
    "DisjointClasses(:A :{c0} :{c1})",
    "SubObjectPropertyOf(:{p0} :{p1})",
    "SubObjectPropertyOf(ObjectPropertyChain(:{p0} :{p1}) :{p2})",
    "InverseObjectProperties(:{p0} :{p1})",
    "TransitiveObjectProperty(:{p0})",
    "SymmetricObjectProperty(:{p0})",
    *("FunctionalObjectProperty(:{p0})", "InverseFunctionalObjectProperty(:{p0})") * 3,
    "ObjectPropertyDomain(:{p0} :{c0})",
    "ObjectPropertyRange(:{p0} ObjectUnionOf(:{c0} :{c1}))",
    'DataPropertyRange(:age DatatypeRestriction(xsd:integer xsd:minInclusive "4"^^xsd:integer))',
    "HasKey(:{c0} (:{p0}) (:age))",
    "Declaration(Class(:{c0}))",
    "Declaration(ObjectProperty(:{p0}))",
    'AnnotationAssertion(rdfs:label :{c0} "a \\"name\\" of {c1}"@en)',
    'SubClassOf(Annotation(rdfs:comment "why") :{c0} ObjectSomeValuesFrom(:{p0} :{c1}))',
    'SubClassOf(Annotation(rdfs:comment "why {c2}") :{c0} :{c1})',
    "NegativeObjectPropertyAssertion(:{p0} :{i0} :{i1})",
    "DifferentIndividuals(:a :b :{i0})",
)
FACTS = (
    *("ClassAssertion(:{c0} :{i0})",) * 4,
    *("ObjectPropertyAssertion(:{p0} :{i0} :{i1})",) * 5,
    "SameIndividual(:{i0} :{i1})",
    "ClassAssertion(ObjectSomeValuesFrom(:{p0} :{c0}) :{i0})",
    'DataPropertyAssertion(:age :{i0} "4"^^xsd:integer)',
)
# Structures that are no axiom: nodes in circles, nodes that are shared, nodes that look alike.
BLANK = (
    "_:x :p _:y . _:y :p _:x .",
    "_:x :p _:y , _:z . _:y :q :a . _:z :q :a .",
    ":a :p [] , [] . [] :q [] .",
    "_:x :p _:x .",
    "_:x :p _:y . _:y :p _:z . _:z :p _:x . _:z :q :{i0} .",
    ":{c0} rdfs:subClassOf _:e . :{c1} rdfs:subClassOf _:e . _:e a owl:Restriction ; owl:onProperty :{p0} ; "
    "owl:someValuesFrom :{c2} .",
    "_:l rdf:first :a . _:l rdf:rest _:l .",
)
_HEADER = f"Prefix(:=<{NAMESPACE}>)Ontology(<{NAMESPACE}o> "
_TURTLE = (
    f"@prefix : <{NAMESPACE}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
    "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
)


def axiom_texts(shapes: tuple[str, ...] = SHAPES) -> st.SearchStrategy[str]:
    """Draw the text of an axiom."""
    classes, properties, people = map(st.sampled_from, (CLASSES, PROPERTIES, PEOPLE))
    names = {f"c{number}": classes for number in range(3)} | {f"p{number}": properties for number in range(3)}
    names |= {f"i{number}": people for number in range(2)}
    return st.builds(lambda shape, given: shape.format(**given), st.sampled_from(shapes), st.fixed_dictionaries(names))


@st.composite
def ontologies(draw: st.DrawFn, *, most: int = 12, blank: bool = True) -> tuple[Triple, ...]:
    """Draw the triples of an ontology with data; some of its structures occur twice."""
    # Sizes are drawn first: a list that may end after every element mostly ends early.
    axioms, facts = (draw(st.sampled_from(range(1, most + 1))) for _ in range(2))
    texts = [draw(axiom_texts()) for _ in range(axioms)] + [draw(axiom_texts(FACTS)) for _ in range(facts)]
    triples = list(functional(texts, "k"))
    if blank:
        for number, text in enumerate(draw(st.lists(axiom_texts(BLANK), max_size=3))):
            triples += turtle(text, f"t{number}")
    return tuple(dict.fromkeys(triples))


def functional(texts: list[str], blank_prefix: str = "") -> tuple[Triple, ...]:
    """Return the triples of axioms."""
    return read_functional(_HEADER + " ".join(texts) + ")", blank_prefix=blank_prefix).triples


def turtle(text: str, blank_prefix: str = "") -> list[Triple]:
    """Return the triples of a text with the usual prefixes."""
    return parse_text(_TURTLE + text, "turtle", blank_prefix=blank_prefix)


def iri(name: str) -> str:
    return f"<{NAMESPACE}{name}>"
