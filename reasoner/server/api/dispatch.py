"""The table of the API, and the endpoint that serves it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from reasoner.server.api.evolve import commits, evolution, undo
from reasoner.server.api.overview import ontology, overview, violations, vocabulary
from reasoner.server.api.parameters import answer
from reasoner.server.api.resource import resource, search, statements
from reasoner.server.api.why import names, plan, why, without
from reasoner.server.backend.refusal import NOT_ALLOWED, NOT_FOUND, RefusalError
from reasoner.server.backend.service import Service


@dataclass(frozen=True, slots=True)
class ApiPart:
    """One thing that can be asked for: how, of whom, and a line about it for people."""

    methods: tuple[str, ...]
    endpoint: Callable[[Service, Request], Awaitable[Response]]
    parameters: str
    about: str


_READ, _WRITE, _BOTH = ("GET",), ("POST",), ("GET", "POST")

PARTS: Mapping[str, ApiPart] = {
    "overview": ApiPart(_READ, overview, "", "counts, profile, version, and what this server allows"),
    "vocabulary": ApiPart(_READ, vocabulary, "", "classes and properties with sizes and labels, prefixes"),
    "search": ApiPart(_READ, search, "q, limit", "terms whose name or label begins with q, or has it in it"),
    "resource": ApiPart(_READ, resource, "term", "names, types and statements of a term, by predicate"),
    "statements": ApiPart(
        _READ, statements, "term, direction, predicate, offset, limit", "a page of statements about a term"
    ),
    "names": ApiPart(_READ, names, "term", "why each name of a term is one"),
    "why": ApiPart(_READ, why, "s, p, o, most", "proofs of a triple, the shortest first"),
    "without": ApiPart(
        _READ, without, "s, p, o", "what would go if an explicit triple were removed; nothing is changed"
    ),
    "violations": ApiPart(_READ, violations, "limit", "matches of constraints"),
    "plan": ApiPart(_BOTH, plan, "query", "the operators that a query took"),
    "ontology": ApiPart(_READ, ontology, "", "hierarchies with counts, and what lies outside the profile"),
    "evolution": ApiPart(
        _BOTH, evolution, '{"script", "dry_run", "allow_inconsistent"}', "the journal; a script, rehearsed or applied"
    ),
    "evolution/undo": ApiPart(_WRITE, undo, '{"last", "dry_run", "allow_inconsistent"}', "the last steps, taken back"),
    "commits": ApiPart(_READ, commits, "stream", "the last commits, or the stream of them as server-sent events"),
}


async def api(service: Service, request: Request) -> Response:
    """Serve what the path names; without a name, list what there is."""
    name = request.path_params["name"].strip("/")
    method = "GET" if request.method == "HEAD" else request.method
    if not name:
        return answer(
            {
                f"/api/{path}": {"methods": part.methods, "parameters": part.parameters, "about": part.about}
                for path, part in PARTS.items()
            }
        )
    part = PARTS.get(name)
    if part is None:
        raise RefusalError(NOT_FOUND, f"the API has no {name!r}; it has {', '.join(PARTS)}")
    if method not in part.methods:
        allowed = ", ".join(part.methods)
        raise RefusalError(NOT_ALLOWED, f"/api/{name} takes {allowed}, not {method}", {"Allow": allowed})
    return await part.endpoint(service, request)
