"""The SPARQL 1.1 Graph Store HTTP Protocol: whole graphs read and written, each change as one commit."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from loaders.terms import iri_text
from reasoner.reasoner import Reasoner
from reasoner.requests import query
from reasoner.requests import update as apply_update
from reasoner.server.backend.answer import DOCUMENT_TYPES, answered
from reasoner.server.backend.message import (
    body_of,
    graph_iri,
    media_type,
    query_string,
    request_iri,
    require_writer,
    single,
    unsupported,
    values,
)
from reasoner.server.backend.refusal import BAD_REQUEST, NOT_FOUND, RefusalError
from reasoner.server.backend.service import Service
from reasoner.sparql.budget import Budget
from reasoner.state.delta import Delta
from reasoner.terms.quads import checked_graph

# Where graphs are that are named by the URL of the request itself.
DIRECT = "/graphs/"

_CREATED = 201
_NO_CONTENT = 204


async def graph_store(service: Service, request: Request) -> Response:
    """Serve the graph that ``?default`` or ``?graph=IRI`` names; a POST to neither makes a new graph."""
    return await _served(service, request, _named_by_parameter)


async def named_by_url(service: Service, request: Request) -> Response:
    """Serve the graph whose name is the URL of the request."""
    return await _served(service, request, lambda request: graph_iri(request_iri(request)))


def _named_by_parameter(request: Request) -> str | None:
    given = query_string(request)
    name, is_default = single(given, "graph"), bool(values(given, "default"))
    if is_default and name is not None:
        raise RefusalError(BAD_REQUEST, "the request names two graphs; give one of ?default and ?graph=IRI")
    if name is not None:
        return graph_iri(name)
    if is_default:
        return None
    if request.method != "POST":
        raise RefusalError(BAD_REQUEST, "the request names no graph; add ?default or ?graph=IRI")
    return graph_iri(f"{str(request.base_url).rstrip('/')}{DIRECT}{uuid.uuid4()}")


async def _served(service: Service, request: Request, name_of: Callable[[Request], str | None]) -> Response:
    if request.method in ("GET", "HEAD"):
        return await _get(service, request, name_of)
    require_writer(request, service.settings)
    return await (_delete if request.method == "DELETE" else _put)(service, request, name_of)


def _changeable(name: str | None) -> str | None:
    """Return the name of a graph; refuse those that hold what is asserted and what follows, which can only be read."""
    if name is not None:
        checked_graph(iri_text(name))
    return name


async def _get(service: Service, request: Request, name_of: Callable[[Request], str | None]) -> Response:
    def work(budget: Budget) -> Response:
        version, name = service.committed.last, name_of(request)
        _require_graph(version.kb, name, budget)
        asked = service.parsers.query(f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ {_within(name, '?s ?p ?o')} }}", "", budget)
        accept, most_rows = request.headers.get("accept", ""), service.settings.most_rows
        whole = partial(answered, asked=asked, accept=accept, most_rows=most_rows)
        return service.readers.ask(version, whole, budget).response()

    return await service.readers.run(request, work)


async def _delete(service: Service, request: Request, name_of: Callable[[Request], str | None]) -> Response:
    name = await service.readers.run(request, lambda _: _changeable(name_of(request)))

    def change(kb: Reasoner, budget: Budget) -> Delta:
        _require_graph(kb, name, budget)
        return apply_update(kb, _drop(name), budget=budget)

    await service.writer.run(request, change)
    return Response(status_code=_NO_CONTENT)


async def _put(service: Service, request: Request, name_of: Callable[[Request], str | None]) -> Response:
    """Replace a graph (PUT) or add to it (POST)."""
    media = media_type(request)
    if media not in DOCUMENT_TYPES:
        raise unsupported(media, tuple(DOCUMENT_TYPES))
    body = await body_of(request, service.bodies, service.settings.most_body)

    def read(budget: Budget) -> tuple[str | None, bytes]:
        name = _changeable(name_of(request))
        base = name if name is not None else request_iri(request)
        return name, service.documents.read(body, media, base, budget)

    # Reading the document is no part of the commit: others may write meanwhile.
    name, triples = await service.readers.run(request, read)
    replaces = request.method == "PUT"
    existed = False

    def change(kb: Reasoner, budget: Budget) -> Delta:
        nonlocal existed
        existed = _exists(kb, name, budget)
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder) / "graph.nt"
            document.write_bytes(triples)
            load = f"LOAD <{document.as_uri()}>" + ("" if name is None else f" INTO GRAPH <{name}>")
            return apply_update(kb, f"{_drop(name)} ; {load}" if replaces else load, budget=budget)

    await service.writer.run(request, change)
    if existed:
        return Response(status_code=_NO_CONTENT)
    return Response(status_code=_CREATED, headers={} if name is None else {"Location": name})


def _within(name: str | None, pattern: str) -> str:
    return pattern if name is None else f"GRAPH <{name}> {{ {pattern} }}"


def _drop(name: str | None) -> str:
    return "DROP DEFAULT" if name is None else f"DROP SILENT GRAPH <{name}>"


def _exists(kb: Reasoner, name: str | None, budget: Budget) -> bool:
    """Tell whether there is a graph: the default graph always is, others if they hold a triple."""
    return name is None or bool(query(kb, f"ASK {{ GRAPH <{name}> {{ ?s ?p ?o }} }}", budget=budget))


def _require_graph(kb: Reasoner, name: str | None, budget: Budget) -> None:
    if not _exists(kb, name, budget):
        raise RefusalError(NOT_FOUND, f"there is no graph <{name}>")
