"""The SPARQL 1.1 Protocol: queries by GET and POST, updates by POST."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from loaders.terms import iri_text
from reasoner.quads import WantedQuads
from reasoner.server.access import is_writer, require_writer
from reasoner.server.answer import answered
from reasoner.server.description import description
from reasoner.server.message import (
    FORM,
    Parameters,
    body_of,
    form_of,
    graph_iri,
    media_type,
    query_string,
    request_iri,
    single,
    text_of,
    too_large,
    unsupported,
    values,
)
from reasoner.server.refusal import BAD_REQUEST, FORBIDDEN, RefusalError
from reasoner.server.service import Service
from reasoner.sparql import update as apply_update
from reasoner.sparql.budget import Budget
from reasoner.sparql.operation import Load, Modify, Operation
from reasoner.sparql.update import quads_of_data

QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"

# How many bytes a form may take for one of a text.
_ENCODED = 4


@dataclass(frozen=True, slots=True)
class _Change:
    """An update that was read: its operations, and its quads if it names all of them."""

    operations: list[Operation]
    quads: WantedQuads | None


async def sparql(service: Service, request: Request) -> Response:
    """Serve queries and updates, and the description of the service to whoever sends neither."""
    settings = service.settings
    if request.method in ("GET", "HEAD"):
        return await service.readers.run(request, lambda budget: _by_get(service, request, budget))
    media = media_type(request)
    if media == UPDATE:
        return await update(service, request)
    if media not in (FORM, QUERY):
        raise unsupported(media, (FORM, QUERY, UPDATE))
    if media == QUERY:
        body = await body_of(request, service.bodies, settings.most_query, "--max-query")
        return await service.readers.run(
            request, lambda budget: _query(service, request, text_of(body), query_string(request), budget)
        )
    # A form may bring an update, but not from somebody who may send none.
    largest, option = settings.most_body, "--max-body"
    if not is_writer(request, settings):
        largest, option = min(largest, _ENCODED * settings.most_query), "--max-query"
    body = await body_of(request, service.bodies, largest, option)
    found = await service.readers.run(request, lambda budget: _by_form(service, request, body, budget))
    return found if isinstance(found, Response) else await _committed(service, request, found)


async def update(service: Service, request: Request) -> Response:
    """Serve updates."""
    require_writer(request, service.settings)
    media = media_type(request)
    if media not in (FORM, UPDATE):
        raise unsupported(media, (FORM, UPDATE))
    body = await body_of(request, service.bodies, service.settings.most_body)

    def read(budget: Budget) -> _Change:
        if media == UPDATE:
            return _change(service, request, text_of(body), query_string(request), budget)
        form = form_of(body)
        text = single(form, "update")
        if text is None:
            raise RefusalError(BAD_REQUEST, "the form has no field update")
        return _change(service, request, text, form, budget)

    # Reading the text is no part of the commit: others may write meanwhile.
    return await _committed(service, request, await service.readers.run(request, read))


def _by_get(service: Service, request: Request, budget: Budget) -> Response:
    given = query_string(request)
    if values(given, "update"):
        raise RefusalError(BAD_REQUEST, "an update must be sent by POST")
    text = single(given, "query")
    if text is None:
        return description(service, request)
    return _query(service, request, text, given, budget)


def _by_form(service: Service, request: Request, body: bytes, budget: Budget) -> Response | _Change:
    form = form_of(body)
    text, change = single(form, "query"), single(form, "update")
    if (text is None) == (change is None):
        raise RefusalError(BAD_REQUEST, "the form must have one of the fields query and update")
    if change is not None:
        require_writer(request, service.settings)
        return _change(service, request, change, form, budget)
    assert text is not None
    return _query(service, request, text, form, budget)


def _query(service: Service, request: Request, text: str, given: Parameters, budget: Budget) -> Response:
    settings = service.settings
    if len(text) > settings.most_query:
        raise too_large(settings.most_query, "--max-query")
    default, named = _graphs(given, "default-graph-uri"), _graphs(given, "named-graph-uri")
    asked = service.parsers.query(text, request_iri(request), budget)
    if default or named:
        # The dataset of the request counts, and that of its text does not.
        asked = replace(asked, default=default, named=named)
    kb, accept = service.committed.last.kb, request.headers.get("accept", "")
    answer = answered(kb, asked, accept, budget=budget, most_rows=settings.most_rows)
    return Response(answer.body, media_type=answer.media, headers={"Vary": "Accept"})


def _change(service: Service, request: Request, text: str, given: Parameters, budget: Budget) -> _Change:
    default, named = _graphs(given, "using-graph-uri"), _graphs(given, "using-named-graph-uri")
    read = service.parsers.update(text, request_iri(request), budget)
    operations = [_permitted(operation, default, named) for operation in read]
    # What names its quads can share the work of others; what asks which they are must wait for them.
    return _Change(operations, quads_of_data(operations))


async def _committed(service: Service, request: Request, change: _Change) -> Response:
    delta, version = await service.writer.run(
        request,
        (lambda kb, budget: apply_update(kb, change.operations, budget=budget))
        if change.quads is None
        else change.quads,
    )
    state, strategy = version.kb.store.state, delta.strategy
    return JSONResponse(
        {"version": version.number, "explicit": len(state.explicit), "facts": len(state.facts), "strategy": strategy}
    )


def _graphs(given: Parameters, name: str) -> tuple[str, ...]:
    """Return the names of graphs that a parameter gives, as terms."""
    return tuple(iri_text(graph_iri(iri)) for iri in values(given, name))


def _permitted(operation: Operation, default: tuple[str, ...], named: tuple[str, ...]) -> Operation:
    """Return an operation that matches in the dataset of the request, if that names one.

    To load documents is refused: they would be files of this machine, any of them, for whoever may update.
    """
    if isinstance(operation, Load):
        raise RefusalError(
            FORBIDDEN, "LOAD would read a file of the server; send the triples with INSERT DATA, or to the graph store"
        )
    if not isinstance(operation, Modify) or operation.where is None or not (default or named):
        return operation
    if operation.default is not None or operation.named is not None:
        raise RefusalError(
            BAD_REQUEST, "the update says WITH or USING, and the request using-graph-uri; say it in one place"
        )
    return replace(operation, default=default, named=named)
