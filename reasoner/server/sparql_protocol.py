"""The SPARQL 1.1 Protocol: queries by GET and POST, updates by POST."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from loaders.grammar import is_absolute_iri
from loaders.terms import iri_text
from reasoner.server.access import require_writer
from reasoner.server.answer import Answer, answered
from reasoner.server.description import description
from reasoner.server.message import (
    FORM,
    Parameters,
    body_of,
    form_of,
    media_type,
    query_string,
    single,
    text_of,
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


async def sparql(service: Service, request: Request) -> Response:
    """Serve queries and updates, and the description of the service to whoever sends neither."""
    given = query_string(request)
    if request.method in ("GET", "HEAD"):
        if values(given, "update"):
            raise RefusalError(BAD_REQUEST, "an update must be sent by POST")
        text = single(given, "query")
        return await (_query(service, request, text, given) if text is not None else description(service, request))
    media = media_type(request)
    if media == UPDATE:
        return await update(service, request)
    if media not in (FORM, QUERY):
        raise unsupported(media, (FORM, QUERY, UPDATE))
    if media == QUERY:
        return await _query(service, request, text_of(await body_of(request, service.settings.most_body)), given)
    form = form_of(await body_of(request, service.settings.most_body))
    text, change = single(form, "query"), single(form, "update")
    if (text is None) == (change is None):
        raise RefusalError(BAD_REQUEST, "the form must have one of the fields query and update")
    if change is not None:
        return await _update(service, request, change, form)
    assert text is not None
    return await _query(service, request, text, form)


async def update(service: Service, request: Request) -> Response:
    """Serve updates."""
    require_writer(request, service.settings)
    media = media_type(request)
    if media not in (FORM, UPDATE):
        raise unsupported(media, (FORM, UPDATE))
    body = await body_of(request, service.settings.most_body)
    if media == UPDATE:
        return await _update(service, request, text_of(body), query_string(request))
    form = form_of(body)
    text = single(form, "update")
    if text is None:
        raise RefusalError(BAD_REQUEST, "the form has no field update")
    return await _update(service, request, text, form)


async def _query(service: Service, request: Request, text: str, given: Parameters) -> Response:
    default, named = _graphs(given, "default-graph-uri"), _graphs(given, "named-graph-uri")
    accept = request.headers.get("accept", "")
    kb = service.committed.last.kb

    def work(budget: Budget) -> Answer:
        asked = service.parsers.query(text, budget.left)
        if default or named:
            # The dataset of the request counts, and that of its text does not.
            asked = replace(asked, default=default, named=named)
        return answered(kb, asked, accept, budget=budget, most_rows=service.settings.most_rows)

    answer = await service.readers.run(request, work)
    return Response(answer.body, media_type=answer.media, headers={"Vary": "Accept"})


async def _update(service: Service, request: Request, text: str, given: Parameters) -> Response:
    require_writer(request, service.settings)
    default, named = _graphs(given, "using-graph-uri"), _graphs(given, "using-named-graph-uri")
    seconds = service.settings.timeout

    def parse(budget: Budget) -> list[Operation]:
        return [_permitted(operation, default, named) for operation in service.parsers.update(text, budget.left)]

    # Reading the text is no part of the commit: others may write meanwhile.
    operations = await service.readers.run(request, parse)
    # What names its quads can share the work of others; what asks which they are must wait for them.
    quads = quads_of_data(operations)
    delta, version = await service.writer.run(
        request, (lambda kb: apply_update(kb, operations, timeout=seconds)) if quads is None else quads
    )
    state, strategy = version.kb.store.state, delta.strategy
    return JSONResponse(
        {"version": version.number, "explicit": len(state.explicit), "facts": len(state.facts), "strategy": strategy}
    )


def _graphs(given: Parameters, name: str) -> tuple[str, ...]:
    """Return the names of graphs that a parameter gives, as terms."""
    for iri in values(given, name):
        if not is_absolute_iri(iri):
            raise RefusalError(BAD_REQUEST, f"{iri!r} is no absolute IRI, and so no name of a graph")
    return tuple(map(iri_text, values(given, name)))


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
