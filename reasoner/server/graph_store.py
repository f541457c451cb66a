"""The SPARQL 1.1 Graph Store HTTP Protocol: whole graphs read and written, each change as one commit."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from loaders.grammar import is_absolute_iri
from reasoner.delta import Delta
from reasoner.reasoner import Reasoner
from reasoner.server.access import require_writer
from reasoner.server.answer import answered
from reasoner.server.message import body_of, media_type, query_string, single, unsupported, values
from reasoner.server.rdf_syntaxes import DOCUMENT_TYPES, read
from reasoner.server.refusal import BAD_REQUEST, NOT_FOUND, RefusalError
from reasoner.server.service import Service
from reasoner.sparql import query
from reasoner.sparql.budget import Budget

# Where graphs are that are named by the URL of the request itself.
DIRECT = "/graphs/"

_CREATED = 201
_NO_CONTENT = 204


async def graph_store(service: Service, request: Request) -> Response:
    """Serve the graph that ``?default`` or ``?graph=IRI`` names; a POST to neither makes a new graph."""
    given = query_string(request)
    name, is_default = single(given, "graph"), bool(values(given, "default"))
    if is_default and name is not None:
        raise RefusalError(BAD_REQUEST, "the request names two graphs; give one of ?default and ?graph=IRI")
    if name is not None and not is_absolute_iri(name):
        raise RefusalError(BAD_REQUEST, f"{name!r} is no absolute IRI, and so no name of a graph")
    if name is None and not is_default:
        if request.method != "POST":
            raise RefusalError(BAD_REQUEST, "the request names no graph; add ?default or ?graph=IRI")
        name = f"{str(request.base_url).rstrip('/')}{DIRECT}{uuid.uuid4()}"
    return await _served(service, request, name)


async def named_by_url(service: Service, request: Request) -> Response:
    """Serve the graph whose name is the URL of the request."""
    return await _served(service, request, str(request.url.replace(query="", fragment="")))


async def _served(service: Service, request: Request, name: str | None) -> Response:
    match request.method:
        case "GET" | "HEAD":
            return await _get(service, request, name)
        case "DELETE":
            return await _delete(service, request, name)
        case _:
            return await _put(service, request, name)


async def _get(service: Service, request: Request, name: str | None) -> Response:
    kb, accept = service.committed.last.kb, request.headers.get("accept", "")

    def work(budget: Budget) -> Response:
        _require_graph(kb, name)
        text = f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ {_within(name, '?s ?p ?o')} }}"
        asked = service.parsers.query(text, budget.left)
        answer = answered(kb, asked, accept, budget=budget, most_rows=service.settings.most_rows)
        return Response(answer.body, media_type=answer.media, headers={"Vary": "Accept"})

    return await service.readers.run(request, work)


async def _delete(service: Service, request: Request, name: str | None) -> Response:
    require_writer(request, service.settings)

    def change(kb: Reasoner) -> Delta:
        _require_graph(kb, name)
        return kb.update(_drop(name))

    await service.writer.run(request, change)
    return Response(status_code=_NO_CONTENT)


async def _put(service: Service, request: Request, name: str | None) -> Response:
    """Replace a graph (PUT) or add to it (POST)."""
    require_writer(request, service.settings)
    media = media_type(request)
    if media not in DOCUMENT_TYPES:
        raise unsupported(media, tuple(DOCUMENT_TYPES))
    body = await body_of(request, service.settings.most_body)
    # Reading the document is no part of the commit: others may write meanwhile.
    base = name if name is not None else str(request.url)
    triples = await service.readers.run(request, lambda _: read(body, media, base))
    replaces = request.method == "PUT"
    existed = False

    def change(kb: Reasoner) -> Delta:
        nonlocal existed
        existed = _exists(kb, name)
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder) / "graph.nt"
            document.write_bytes(triples)
            load = f"LOAD <{document.as_uri()}>" + ("" if name is None else f" INTO GRAPH <{name}>")
            return kb.update(f"{_drop(name)} ; {load}" if replaces else load)

    await service.writer.run(request, change)
    if existed:
        return Response(status_code=_NO_CONTENT)
    return Response(status_code=_CREATED, headers={} if name is None else {"Location": name})


def _within(name: str | None, pattern: str) -> str:
    return pattern if name is None else f"GRAPH <{name}> {{ {pattern} }}"


def _drop(name: str | None) -> str:
    return "DROP DEFAULT" if name is None else f"DROP SILENT GRAPH <{name}>"


def _exists(kb: Reasoner, name: str | None) -> bool:
    """Tell whether there is a graph: the default graph always is, others if they hold a triple."""
    return name is None or bool(query(kb, f"ASK {{ GRAPH <{name}> {{ ?s ?p ?o }} }}"))


def _require_graph(kb: Reasoner, name: str | None) -> None:
    if not _exists(kb, name):
        raise RefusalError(NOT_FOUND, f"there is no graph <{name}>")
