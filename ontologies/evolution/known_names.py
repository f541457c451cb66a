"""Names that a store does not know, and the nearest that it does."""

from __future__ import annotations

from difflib import get_close_matches

from ontologies.evolution.facts import Facts
from ontologies.syntax_tree import Place
from ontologies.vocabulary import owl, rdf, rdfs
from reasoner.rules.prefixes import readable_name
from reasoner.rules.term import RDF_TYPE

_CLASS_KINDS = frozenset({owl("Class"), rdfs("Class"), rdfs("Datatype")})
_PROPERTY_KINDS = frozenset(
    {rdf("Property")}
    | {
        owl(name)
        for name in (
            *("ObjectProperty", "DatatypeProperty", "AnnotationProperty", "FunctionalProperty", "SymmetricProperty"),
            *("InverseFunctionalProperty", "TransitiveProperty", "AsymmetricProperty", "ReflexiveProperty"),
            "IrreflexiveProperty",
        )
    }
)
CLASS, PROPERTY = "class", "property"
# Predicates whose subject, or whose object, is a class or a property.
_BOTH_CLASSES = (rdfs("subClassOf"), owl("equivalentClass"), owl("disjointWith"), owl("complementOf"))
_BOTH_PROPERTIES = (rdfs("subPropertyOf"), owl("equivalentProperty"), owl("inverseOf"), owl("propertyDisjointWith"))
_SUBJECTS = {
    CLASS: (*_BOTH_CLASSES, *map(owl, ("hasKey", "disjointUnionOf", "unionOf", "intersectionOf", "oneOf"))),
    PROPERTY: (*_BOTH_PROPERTIES, rdfs("domain"), rdfs("range"), owl("propertyChainAxiom")),
}
_OBJECTS = {
    CLASS: (*_BOTH_CLASSES, rdfs("domain"), *map(owl, ("someValuesFrom", "allValuesFrom", "onClass")), rdfs("range")),
    PROPERTY: (*_BOTH_PROPERTIES, owl("onProperty"), owl("assertionProperty")),
}


def require_known(facts: Facts, name: str, place: Place) -> None:
    """Raise the error of a place if nothing in the store has a name; it says which name is nearest."""
    if is_known(facts, name):
        return
    known = {readable_name(other): other for other in facts.names()}
    nearest = get_close_matches(readable_name(name), known, n=1, cutoff=0.6)
    hint = f"; did you mean {known[nearest[0]]}?" if nearest else ""
    raise place.error(f"nothing in the store is called {name}{hint}")


def is_known(facts: Facts, name: str) -> bool:
    """Tell whether a fact or a rule mentions a name."""
    mentioned = facts.matching(s=name) or facts.matching(o=name) or facts.matching(p=name)
    return bool(mentioned) or any(name in rule.constants for rule in facts.rules())


def kind_of(facts: Facts, name: str) -> str | None:
    """Tell whether a name is a class or a property, by its declaration or else by its use; None if nothing tells."""
    kinds = {o for _, _, o in facts.matching(s=name, p=RDF_TYPE)}
    if kinds & _CLASS_KINDS:
        return CLASS
    if kinds & _PROPERTY_KINDS:
        return PROPERTY
    for kind in (CLASS, PROPERTY):
        subjects = any(facts.matching(s=name, p=link) for link in _SUBJECTS[kind])
        if subjects or any(facts.matching(p=link, o=name) for link in _OBJECTS[kind]):
            return kind
    if facts.matching(p=RDF_TYPE, o=name):
        return CLASS
    return PROPERTY if facts.matching(p=name) else None


def require_kind(facts: Facts, name: str, place: Place) -> str:
    """Return whether a name is a class or a property, or raise the error of a place."""
    require_known(facts, name, place)
    kind = kind_of(facts, name)
    if kind is None:
        raise place.error(f"{name} is neither a class nor a property; declare it, as in add Declaration(Class({name}))")
    return kind
