"""The ontology as it stands: the hierarchies of classes and properties, and what lies outside the profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from reasoner.columnar.term_search import labels_of
from reasoner.columnar.vocabulary_sizes import class_sizes, property_sizes
from reasoner.reasoner import Reasoner
from reasoner.rules.term import OWL, RDF, RDF_TYPE, RDFS
from reasoner.schema import schema_triples
from reasoner.server.api.overview import sizes_as_json
from reasoner.server.api.parameters import answer
from reasoner.server.kept import reading
from reasoner.server.service import Service
from reasoner.sparql.budget import Budget
from reasoner.violation import TextTriple

_CLASS_OF_CLASSES = {f"<{iri}>" for iri in (OWL + "Class", RDFS + "Class", RDFS + "Datatype")}
_CLASS_OF_PROPERTIES = {
    f"<{iri}>"
    for iri in (
        *(RDF + "Property", OWL + "ObjectProperty", OWL + "DatatypeProperty", OWL + "AnnotationProperty"),
        *(OWL + "TransitiveProperty", OWL + "SymmetricProperty", OWL + "FunctionalProperty"),
        *(OWL + "InverseFunctionalProperty", OWL + "ReflexiveProperty", OWL + "IrreflexiveProperty"),
        *(OWL + "AsymmetricProperty", OWL + "OntologyProperty"),
    )
}
_SUBCLASS, _EQUIVALENT_CLASS = f"<{RDFS}subClassOf>", f"<{OWL}equivalentClass>"
_SUBPROPERTY, _EQUIVALENT_PROPERTY = f"<{RDFS}subPropertyOf>", f"<{OWL}equivalentProperty>"

_MOST_NAMES = 5000
_MOST_LEFT_OUT = 500


async def ontology(service: Service, request: Request) -> Response:
    """Tell the asserted hierarchies with counts, and what the profile leaves out and why."""
    version = service.committed.last

    def work(budget: Budget) -> Response:
        return answer(service.kept.of_version(version, "ontology", lambda: _told(reading(version.kb), budget)))

    return await service.readers.run(request, work)


def _told(kb: Reasoner, budget: Budget) -> dict[str, Any]:
    stated = schema_triples(kb.store)
    budget.check()
    classes = _named(stated, _CLASS_OF_CLASSES, (_SUBCLASS, _EQUIVALENT_CLASS))
    properties = _named(stated, _CLASS_OF_PROPERTIES, (_SUBPROPERTY, _EQUIVALENT_PROPERTY))
    by_class = {size.name: size for size in class_sizes(kb.store)}
    by_property = {size.name: size for size in property_sizes(kb.store)}
    budget.check()
    classes |= {name for name in by_class if _is_of_user(name)}
    properties |= {name for name in by_property if _is_of_user(name)}
    outside = kb.outside_profile()
    budget.check()
    shown = [*sorted(classes)[:_MOST_NAMES], *sorted(properties)[:_MOST_NAMES]]
    labels = labels_of(kb.store, shown)
    return {
        "profile": kb.profile,
        "classes": _nodes(sorted(classes)[:_MOST_NAMES], stated, _SUBCLASS, by_class, labels),
        "properties": _nodes(sorted(properties)[:_MOST_NAMES], stated, _SUBPROPERTY, by_property, labels),
        "outside": [{"axiom": part.axiom_text, "reason": part.reason} for part in outside[:_MOST_LEFT_OUT]],
        "outside_count": len(outside),
        "axiom_triples": len(stated),
    }


def _named(stated: Iterable[TextTriple], kinds: set[str], links: tuple[str, ...]) -> set[str]:
    """Return the names that are declared to be of some kinds, or linked as if they were."""
    found: set[str] = set()
    for s, p, o in stated:
        if p == RDF_TYPE and o in kinds:
            found.add(s)
        elif p in links:
            found |= {s, o}
    return {name for name in found if name.startswith("<")}


def _nodes(
    names: list[str], stated: Iterable[TextTriple], link: str, sizes: dict[str, Any], labels: dict[str, str]
) -> list[dict[str, Any]]:
    """Return names with what they are directly below, as it was asserted, and how many facts they have."""
    above: dict[str, list[str]] = defaultdict(list)
    for s, p, o in stated:
        if p == link and o.startswith("<") and s != o:
            above[s].append(o)
    told = []
    for name in names:
        size = sizes.get(name)
        (row,) = sizes_as_json([size], labels) if size else ({"term": name, "facts": 0, "asserted": 0},)
        if name in labels:
            row["label"] = labels[name]
        told.append({**row, "above": sorted(set(above[name]))})
    return told


def _is_of_user(name: str) -> bool:
    return name.startswith("<") and not name.startswith((f"<{OWL}", f"<{RDF}", f"<{RDFS}"))
