"""What a store holds: counts, classes, properties, prefixes, and who may do what."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from reasoner.columnar.term_search import labels_of
from reasoner.columnar.vocabulary_sizes import Size, class_sizes, property_sizes
from reasoner.reasoner import Reasoner
from reasoner.rules.prefixes import choose_prefixes
from reasoner.server.api.parameters import answer, number
from reasoner.server.committed import Version
from reasoner.server.kept import reading
from reasoner.server.message import query_string
from reasoner.server.service import Service
from reasoner.sparql.budget import Budget

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
        kb = service.kept.explained(service.committed, budget)
        told = service.kept.of_version(version, "overview", lambda: _told(kb, version, budget))
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


def sizes_as_json(sizes: list[Size], labels: dict[str, str]) -> list[dict[str, Any]]:
    """Return sizes for programs, with labels where there are any."""
    return [
        {"term": size.name, "facts": size.facts, "asserted": size.asserted}
        | ({"label": labels[size.name]} if size.name in labels else {})
        for size in sizes
    ]


def _told(kb: Reasoner, version: Version, budget: Budget) -> dict[str, Any]:
    summary = asdict(kb.summary())
    budget.check()
    names = ("explicit", "facts", "expanded", "inferred", "classes", "members", "largest_class", "rules")
    return {
        "version": version.number,
        "since": version.since,
        "store_version": kb.version,
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
