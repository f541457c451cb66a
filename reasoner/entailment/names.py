"""Which names the premises know as classes and as properties, and which a conclusion needs to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ontologies.vocabulary import ANNOTATION_PROPERTIES, DATATYPE_MAP, NIL, owl, rdf, rdfs
from reasoner.entailment.existential import is_existential
from reasoner.entailment.situation import Situation, Situations
from reasoner.rules.term import RDF_TYPE, Variable
from reasoner.violation import TextTriple

CLASS, PROPERTY = "a class", "a property"

# What the subject and the object of a predicate are, by the axiomatic triples of OWL 2's RDF-Based Semantics.
_PARTS: dict[str, tuple[str, str]] = {
    rdfs("subClassOf"): (CLASS, CLASS),
    rdfs("subPropertyOf"): (PROPERTY, PROPERTY),
    **{rdfs(name): (PROPERTY, CLASS) for name in ("domain", "range")},
    **{owl(name): (CLASS, CLASS) for name in ("equivalentClass", "disjointWith", "complementOf")},
    **{owl(name): (PROPERTY, PROPERTY) for name in ("equivalentProperty", "propertyDisjointWith", "inverseOf")},
    **{owl(name): (CLASS, CLASS) for name in ("someValuesFrom", "allValuesFrom", "onClass", "onDataRange")},
    **{
        owl(name): (CLASS, "")
        for name in ("unionOf", "intersectionOf", "oneOf", "disjointUnionOf", "hasKey", "hasValue")
    },
    **{owl(name): (CLASS, "") for name in ("hasSelf", "cardinality", "minCardinality", "maxCardinality")},
    owl("onProperty"): (CLASS, PROPERTY),
    owl("assertionProperty"): ("", PROPERTY),
    owl("propertyChainAxiom"): (PROPERTY, ""),
}
_MEMBERS = {
    **{owl(name): CLASS for name in ("unionOf", "intersectionOf", "disjointUnionOf")},
    **{owl(name): PROPERTY for name in ("hasKey", "propertyChainAxiom", "onProperties")},
}
_TYPED_MEMBERS = {owl("AllDisjointClasses"): CLASS, owl("AllDisjointProperties"): PROPERTY}
_KINDS = {
    **{rdfs(name): CLASS for name in ("Class", "Datatype")},
    **{owl(name): CLASS for name in ("Class", "Restriction", "DataRange", "DeprecatedClass")},
    rdf("Property"): PROPERTY,
    **{
        owl(name + "Property"): PROPERTY
        for name in (
            *("Object", "Datatype", "Annotation", "Ontology", "Functional", "InverseFunctional", "Transitive"),
            *("Symmetric", "Asymmetric", "Reflexive", "Irreflexive", "Deprecated"),
        )
    },
}
# The names that the RDF-Based Semantics makes classes and properties in every model (its tables 5.2 and 5.3).
_STANDARD = {
    CLASS: frozenset(
        {
            *(name for name in (*_KINDS, *_TYPED_MEMBERS)),
            *DATATYPE_MAP,
            *(rdf(name) for name in ("List", "Statement", "Bag", "Seq", "Alt")),
            *(rdfs(name) for name in ("Resource", "Literal", "Container", "ContainerMembershipProperty")),
            *(
                owl(name)
                for name in (
                    *("Thing", "Nothing", "AllDifferent", "Annotation", "Axiom", "NamedIndividual"),
                    *("NegativePropertyAssertion", "Ontology"),
                )
            ),
        }
    ),
    PROPERTY: frozenset(
        {
            *_PARTS,
            *_MEMBERS,
            *ANNOTATION_PROPERTIES,
            *(rdf(name) for name in ("type", "first", "rest", "subject", "predicate", "object", "value")),
            rdfs("member"),
            *(
                owl(name)
                for name in (
                    *("sameAs", "differentFrom", "members", "distinctMembers", "imports", "versionIRI"),
                    *("annotatedSource", "annotatedProperty", "annotatedTarget", "sourceIndividual"),
                    *("targetIndividual", "targetValue", "onDatatype", "withRestrictions", "datatypeComplementOf"),
                    *("qualifiedCardinality", "minQualifiedCardinality", "maxQualifiedCardinality"),
                    *("topObjectProperty", "bottomObjectProperty", "topDataProperty", "bottomDataProperty"),
                )
            ),
        }
    ),
}
_FIRST, _REST, _LONGEST = rdf("first"), rdf("rest"), 1000


def needed_names(triples: Iterable[TextTriple]) -> Iterator[tuple[str, str]]:
    """Yield the names of a conclusion that have to be classes or properties for it to hold, and which of the two."""
    triples = list(triples)
    rests = {s: o for s, p, o in triples if p == _REST}
    firsts = {s: o for s, p, o in triples if p == _FIRST}
    kinds = {s: _TYPED_MEMBERS[o] for s, p, o in triples if p == RDF_TYPE and o in _TYPED_MEMBERS}
    for s, p, o in triples:
        found = [*zip((s, o), _PARTS.get(p, ()), strict=False)]
        kind = kinds.get(s) if p == owl("members") else _MEMBERS.get(p)
        if kind:
            found += [(member, kind) for member in _list(o, firsts, rests)]
        yield from ((name, kind) for name, kind in found if kind and not is_existential(name))


class Names:
    """Looks up what a name is in the premises."""

    def __init__(self, situations: Situations, situation: Situation) -> None:
        self._situations = situations
        self._situation = situation
        self._known: dict[tuple[str, str], bool] = {}

    def is_known(self, name: str, kind: str) -> bool:
        """Tell whether the premises make a name a class, or a property."""
        if (name, kind) not in self._known:
            self._known[name, kind] = name in _STANDARD[kind] or self._look(name, kind)
        return self._known[name, kind]

    def _look(self, name: str, kind: str) -> bool:
        some, other = Variable("x"), Variable("y")
        ask, situation = self._situations.answers, self._situation
        used = (some, RDF_TYPE, name) if kind == CLASS else (some, name, other)
        if ask(situation, [used]) or any(
            _KINDS.get(found) == kind for found in self._situations.types(situation, name)
        ):
            return True
        for predicate, (subject_kind, object_kind) in _PARTS.items():
            if subject_kind == kind and ask(situation, [(name, predicate, some)]):
                return True
            if object_kind == kind and ask(situation, [(some, predicate, name)]):
                return True
        return any(self._lists_hold(cell, kind) for cell in self._situations.subjects(situation, _FIRST, name))

    def _lists_hold(self, cell: str, kind: str) -> bool:
        """Tell whether the list that a cell belongs to is one of classes, or of properties."""
        situations, situation = self._situations, self._situation
        for _ in range(_LONGEST):
            if any(found == kind and situations.subjects(situation, p, cell) for p, found in _MEMBERS.items()):
                return True
            for node in situations.subjects(situation, owl("members"), cell):
                if any(_TYPED_MEMBERS.get(found) == kind for found in situations.types(situation, node)):
                    return True
            before = situations.subjects(situation, _REST, cell)
            if not before:
                return False
            cell = before[0]
        return False


def _list(node: str, firsts: dict[str, str], rests: dict[str, str]) -> Iterator[str]:
    seen: set[str] = set()
    while node != NIL and node in firsts and node not in seen:
        seen.add(node)
        yield firsts[node]
        node = rests.get(node, NIL)
