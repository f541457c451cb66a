"""What a store holds: counts, classes, properties, prefixes, and who may do what.

The ontology as it stands: the hierarchies of classes and properties, and what lies outside the profile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from reasoner.columnar.term_search import labels_of
from reasoner.columnar.vocabulary_sizes import VocabularySize, class_sizes, property_sizes
from reasoner.reasoner import Reasoner
from reasoner.rules.prefixes import choose_prefixes
from reasoner.server.api.parameters import answer, number
from reasoner.server.backend.committed import CommittedVersion, reading
from reasoner.server.backend.message import query_string
from reasoner.server.backend.service import Service
from reasoner.sparql.budget import Budget
from reasoner.state.rule_change import schema_triples
from reasoner.terms.term import OWL, RDF, RDF_TYPE, RDFS, TextTriple

# Prefixes that people know, whatever a store is about.
_USUAL = {
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "schema": "http://schema.org/",
}

_MOST_NAMES = 5000
_MOST_VIOLATIONS = 1000
# Terms from which prefixes are made; the first ones are those of the vocabulary.
_SAMPLE = 20_000


async def overview(service: Service, request: Request) -> Response:
    """Tell what the store holds, since when, and what this server allows."""
    version = service.committed.last

    settings = service.settings
    access = {"updates": settings.updates, "token": settings.token is not None, "timeout": settings.timeout}

    def work(budget: Budget) -> Response:
        kb, on_disk = service.kept.explained(service.committed, budget), service.committed.kb.version
        told = service.kept.of_version(version, "overview", lambda: _told(kb, version, on_disk, budget))
        return answer({**told, "access": access})

    return await service.readers.run(request, work)


async def vocabulary(service: Service, request: Request) -> Response:
    """List classes and properties with their sizes and labels, and prefixes for their namespaces."""
    version = service.committed.last

    def work(budget: Budget) -> Response:
        return answer(service.kept.of_version(version, "vocabulary", lambda: _vocabulary(reading(version.kb), budget)))

    return await service.readers.run(request, work)


async def violations(service: Service, request: Request) -> Response:
    """List the violations of constraints: the rule, the facts that break it together, the axioms behind it."""
    most = number(query_string(request), "limit", 100, _MOST_VIOLATIONS)

    def work(budget: Budget) -> Response:
        found = service.kept.explained(service.committed, budget).violations(most=most)
        budget.check()
        shown = [violation.as_dict() for violation in found[:most]]
        return answer({"violations": shown, "more": len(found) >= most})

    return await service.readers.run(request, work)


def sizes_as_json(sizes: list[VocabularySize], labels: dict[str, str]) -> list[dict[str, Any]]:
    """Return sizes for programs, with labels where there are any."""
    return [
        {"term": size.name, "facts": size.facts, "asserted": size.asserted}
        | ({"label": labels[size.name]} if size.name in labels else {})
        for size in sizes
    ]


def _told(kb: Reasoner, version: CommittedVersion, on_disk: int | None, budget: Budget) -> dict[str, Any]:
    summary = asdict(kb.summary())
    budget.check()
    names = ("explicit", "facts", "expanded", "inferred", "classes", "members", "largest_class", "rules")
    return {
        "version": version.number,
        "since": version.since,
        "store_version": on_disk,
        "profile": kb.profile,
        "equality": kb.equality,
        "graphs": len(kb.store.state.graphs.named),
        "counts": {name: summary[name] for name in (*names, "constraints", "violations", "terms")},
    }


def _vocabulary(kb: Reasoner, budget: Budget) -> dict[str, Any]:
    classes = [size for size in class_sizes(kb.store) if size.name[0] == "<"]
    budget.check()
    properties = [size for size in property_sizes(kb.store) if size.name[0] == "<"]
    budget.check()
    names = [size.name for size in (*classes[:_MOST_NAMES], *properties[:_MOST_NAMES])]
    labels = labels_of(kb.store, names)
    budget.check()
    return {
        "classes": sizes_as_json(classes[:_MOST_NAMES], labels),
        "properties": sizes_as_json(properties[:_MOST_NAMES], labels),
        "class_count": len(classes),
        "property_count": len(properties),
        "prefixes": _prefixes(kb, names),
    }


def _prefixes(kb: Reasoner, names: list[str]) -> dict[str, str]:
    """Return prefixes for the namespaces of a store: of its vocabulary first, and of the first terms that it met."""
    chosen = choose_prefixes(names)
    first = kb.store.dictionary.decode(range(min(len(kb.store.dictionary), _SAMPLE)))
    taken = {*chosen.values(), *_USUAL.values()}
    for prefix, namespace in (*_USUAL.items(), *choose_prefixes(first).items()):
        if prefix not in chosen and (prefix in _USUAL or namespace not in taken) and len(chosen) < 60:
            chosen[prefix] = namespace
    return chosen


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


_MOST_LEFT_OUT = 500


async def ontology(service: Service, request: Request) -> Response:
    """Tell the asserted hierarchies with counts, and what the profile leaves out and why."""
    version = service.committed.last

    def work(budget: Budget) -> Response:
        return answer(
            service.kept.of_version(version, "ontology", lambda: _hierarchy_answer(reading(version.kb), budget))
        )

    return await service.readers.run(request, work)


def _hierarchy_answer(kb: Reasoner, budget: Budget) -> dict[str, Any]:
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
