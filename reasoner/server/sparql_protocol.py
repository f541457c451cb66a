"""The SPARQL 1.1 Protocol: queries by GET and POST, updates by POST.

What a server says about itself: the SPARQL 1.1 Service Description, its health, and what it has counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from loaders.terms import iri_text
from reasoner.reasoner import Reasoner
from reasoner.requests import update as apply_update
from reasoner.requests.update import quads_of_data
from reasoner.server.backend import metrics as metrics
from reasoner.server.backend.answer import GRAPH_TYPES, answered, written
from reasoner.server.backend.message import (
    FORM,
    Parameters,
    body_of,
    form_of,
    graph_iri,
    is_writer,
    media_type,
    negotiated,
    query_string,
    request_iri,
    require_writer,
    single,
    text_of,
    too_large,
    unsupported,
    values,
)
from reasoner.server.backend.refusal import BAD_REQUEST, FORBIDDEN, RefusalError
from reasoner.server.backend.service import Service
from reasoner.sparql.budget import Budget
from reasoner.sparql.operation import Load, Modify, Operation
from reasoner.terms.quads import PendingQuads

QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"

# How many bytes a form may take for one of a text.
_ENCODED = 4


@dataclass(frozen=True, slots=True)
class _Change:
    """An update that was read: its operations, and its quads if it names all of them."""

    operations: list[Operation]
    quads: PendingQuads | None


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
    work = partial(answered, asked=asked, accept=request.headers.get("accept", ""), most_rows=settings.most_rows)
    return service.readers.ask(service.committed.last, work, budget, key=hash(asked)).response()


def _change(service: Service, request: Request, text: str, given: Parameters, budget: Budget) -> _Change:
    default, named = _graphs(given, "using-graph-uri"), _graphs(given, "using-named-graph-uri")
    read = service.parsers.update(text, request_iri(request), budget)
    operations = [_permitted(operation, default, named) for operation in read]
    # What names its quads can share the work of others; what asks which they are must wait for them.
    return _Change(operations, quads_of_data(operations))


async def _committed(service: Service, request: Request, change: _Change) -> Response:
    delta, version = await service.writer.run(
        request,
        (lambda kb, budget: apply_update(kb, change.operations, budget=budget, match=service.writer.match))
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


_SD = "http://www.w3.org/ns/sparql-service-description#"
_VOID = "http://rdfs.org/ns/void#"
_FORMATS = "http://www.w3.org/ns/formats/"
_ENTAILMENT = "http://www.w3.org/ns/entailment/"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_WRITTEN = ("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV")
_GRAPHS = ("Turtle", "N-Triples", "RDF_XML", "JSON-LD", "N-Quads", "TriG", "N3")

# A client that wants to know more asks for the names of the graphs by a query.
_MOST_GRAPHS = 1000

# Profiles that are a regime of the W3C; the others are rule sets of their own.
_REGIMES = {"owl2rl": "OWL-RDF-Based", "rdfs": "RDFS", "none": "Simple"}


def description(service: Service, request: Request) -> Response:
    """Describe the endpoint in RDF; runs in a thread for queries."""
    media = negotiated(request.headers.get("accept", ""), tuple(GRAPH_TYPES), "the service description")
    endpoint = request_iri(request)
    triples = _described(endpoint, service.committed.last.kb, updates=service.settings.updates)
    data = written(triples.encode(), media, {"sd": _SD, "void": _VOID, "formats": _FORMATS, "entailment": _ENTAILMENT})
    return Response(data, media_type=media, headers={"Vary": "Accept"})


async def health(service: Service, request: Request) -> Response:
    """Say that the server is there, and what it serves."""
    version = service.committed.last
    state = version.kb.store.state
    return JSONResponse(
        {"status": "ok", "version": version.number, "explicit": len(state.explicit), "facts": len(state.facts)}
    )


async def counted(service: Service, request: Request) -> Response:
    """Tell what was counted."""
    return PlainTextResponse(service.metrics.text(service.committed.last), media_type=metrics.CONTENT_TYPE)


def _described(endpoint: str, kb: Reasoner, *, updates: bool) -> str:
    service = "_:service"
    languages = ("SPARQL11Query", *(("SPARQL11Update",) if updates else ()))
    facts = [
        (service, _TYPE, f"<{_SD}Service>"),
        (service, f"<{_SD}endpoint>", f"<{endpoint}>"),
        (service, f"<{_SD}feature>", f"<{_SD}UnionDefaultGraph>"),
        *((service, f"<{_SD}supportedLanguage>", f"<{_SD}{language}>") for language in languages),
        *((service, f"<{_SD}resultFormat>", f"<{_FORMATS}{name}>") for name in (*_WRITTEN, *_GRAPHS)),
        (service, f"<{_SD}defaultDataset>", "_:dataset"),
        ("_:dataset", _TYPE, f"<{_SD}Dataset>"),
        ("_:dataset", f"<{_SD}defaultGraph>", "_:default"),
        ("_:default", _TYPE, f"<{_SD}Graph>"),
    ]
    for number, (name, size) in enumerate(islice(kb.graphs().items(), _MOST_GRAPHS)):
        facts += [
            ("_:dataset", f"<{_SD}namedGraph>", f"_:named{number}"),
            (f"_:named{number}", _TYPE, f"<{_SD}NamedGraph>"),
            (f"_:named{number}", f"<{_SD}name>", name),
            (f"_:named{number}", f"<{_SD}graph>", f"_:graph{number}"),
            (f"_:graph{number}", _TYPE, f"<{_SD}Graph>"),
            (f"_:graph{number}", f"<{_VOID}triples>", f'"{size}"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        ]
    if kb.profile in _REGIMES:
        facts.append((service, f"<{_SD}defaultEntailmentRegime>", f"<{_ENTAILMENT}{_REGIMES[kb.profile]}>"))
    if kb.profile == "owl2rl":
        profile = "<http://www.w3.org/ns/owl-profile/RL>"
        facts.append((service, f"<{_SD}defaultSupportedEntailmentProfile>", profile))
    return "".join(f"{s} {p} {o} .\n" for s, p, o in facts)
