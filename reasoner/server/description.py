"""What a server says about itself: the SPARQL 1.1 Service Description, its health, and what it has counted."""

from __future__ import annotations

from itertools import islice

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from reasoner.reasoner import Reasoner
from reasoner.server import metrics
from reasoner.server.message import request_iri
from reasoner.server.negotiation import negotiated
from reasoner.server.rdf_syntaxes import GRAPH_TYPES, written
from reasoner.server.service import Service

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
