"""Random data and axioms in which literals of one value are written in several ways."""

from __future__ import annotations

from hypothesis import strategies as st

from loaders.load import parse_text

PREFIXES = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . """

LITERALS = ("1", "01", "1.0", '"1"^^xsd:byte', "2", '"1"', '"02"^^xsd:integer')
AXIOMS = (
    ":k a owl:InverseFunctionalProperty .",
    ":f a owl:FunctionalProperty .",
    ":p rdfs:subPropertyOf :q .",
    ":k rdfs:subPropertyOf :p .",
    ":q owl:inverseOf :r .",
    ":r a owl:FunctionalProperty .",
    ":s a owl:SymmetricProperty .",
    ":s a owl:TransitiveProperty .",
    ":p owl:propertyDisjointWith :f .",
    ":H a owl:Restriction ; owl:onProperty :p ; owl:hasValue 1 .",
    ":G a owl:Restriction ; owl:onProperty :q ; owl:hasValue 01 .",
    ":H rdfs:subClassOf :C .",
    ":C owl:hasKey (:p :f) .",
    ":p rdfs:domain :C .",
    ":M a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality 1 . :p rdfs:domain :M .",
    "[] owl:sourceIndividual :a ; owl:assertionProperty :q ; owl:targetValue 1.0 .",
    ":a owl:differentFrom :b .",
)
# Those that are of OWL 2 DL, so that profiles which read axioms have them all.
PROPERTIES = ("p", "q", "k", "f", "s")


@st.composite
def statements(draw: st.DrawFn, *, least: int = 1) -> list[str]:
    """Draw triples, in Turtle, of few subjects and many ways to write a number."""
    ends = st.one_of(st.sampled_from(LITERALS), st.sampled_from(LITERALS), st.sampled_from((":a", ":b", ":c")))
    triple = st.builds(":{} :{} {} .".format, st.sampled_from("abc"), st.sampled_from(PROPERTIES), ends)
    return draw(st.lists(triple, min_size=least, max_size=6, unique=True))


def axioms() -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(AXIOMS), max_size=4, unique=True)


def triples(lines: list[str]) -> list[tuple[str, str, str]]:
    """Read statements; blank nodes have the same labels each time."""
    found = parse_text(PREFIXES + "\n".join(lines), "turtle")
    labels: dict[str, str] = {}
    for triple in found:
        for term in triple:
            if term.startswith("_:"):
                labels.setdefault(term, f"_:n{len(labels)}")
    return [tuple(labels.get(term, term) for term in triple) for triple in found]  # type: ignore[misc]
