"""The table of routes, and the application that serves them."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from reasoner.server.api.dispatch import api
from reasoner.server.description import counted, health
from reasoner.server.events import subscribe
from reasoner.server.graph_store import DIRECT, graph_store, named_by_url
from reasoner.server.observed import Observed, first_word
from reasoner.server.refusal import FAILED, refusal_of
from reasoner.server.service import Service
from reasoner.server.settings import Settings
from reasoner.server.sparql_protocol import sparql, update
from reasoner.server.workbench.page import asset, page_for

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

Endpoint = Callable[[Service, Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the table: where, how, what, and a line about it for people."""

    path: str
    methods: tuple[str, ...]
    endpoint: Endpoint
    about: str

    @property
    def shown(self) -> str:
        """The path as people write it."""
        return self.path.replace("{name:path}", "NAME")


async def front_page(service: Service, request: Request) -> Response:
    """Show the workbench to browsers, and list the routes to everybody else."""
    if (page := page_for(request)) is not None:
        return page
    base = str(request.base_url).rstrip("/")
    lines = [f"{', '.join(entry.methods):22}  {base}{entry.shown:16}  {entry.about}" for entry in ROUTES]
    return PlainTextResponse("\n".join((*lines, "")))


_WHOLE_GRAPH = ("GET", "PUT", "POST", "DELETE")

ROUTES = (
    Entry("/", ("GET",), front_page, "the workbench, for browsers; this page, for others"),
    Entry("/sparql", ("GET", "POST"), sparql, "SPARQL queries and updates; without either, the service description"),
    Entry("/update", ("POST",), update, "SPARQL updates"),
    Entry("/data", _WHOLE_GRAPH, graph_store, "the graph that ?default or ?graph=IRI names"),
    Entry(DIRECT + "{name:path}", _WHOLE_GRAPH, named_by_url, "the graph that the URL names"),
    Entry("/subscribe", ("GET",), subscribe, "what commits change about the answers of ?query=, as server-sent events"),
    Entry("/api/{name:path}", ("GET", "POST"), api, "everything that the workbench shows, as JSON; /api/ lists it"),
    Entry("/workbench/{name:path}", ("GET",), asset, "the files of the workbench"),
    Entry("/health", ("GET",), health, "whether the server is well"),
    Entry("/metrics", ("GET",), counted, "counters for Prometheus"),
)


def application(kb: Reasoner, settings: Settings, last_wait: float = 1.0) -> Starlette:
    """Return the application that serves a reasoner.

    At its end it waits so many seconds for a commit under way; its ``state.was_finished`` tells whether that ended.
    """
    service = Service.of(kb, settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            app.state.was_finished = await asyncio.to_thread(service.close, last_wait)

    known = frozenset(first_word(entry.path) for entry in ROUTES)
    middleware = [Middleware(Observed, metrics=service.metrics, known=known, log=settings.access_log)]
    if settings.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.origins),
                allow_methods=["GET", "HEAD", "POST", "PUT", "DELETE"],
                allow_headers=["Authorization", "Content-Type", "Accept"],
            )
        )
    routes = [Route(entry.path, _served(service, entry.endpoint), methods=list(entry.methods)) for entry in ROUTES]
    return Starlette(routes=routes, middleware=middleware, lifespan=lifespan)


def _served(service: Service, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        try:
            return await endpoint(service, request)
        except Exception as error:
            refusal = refusal_of(error)
            if refusal.status == FAILED:
                traceback.print_exception(error, file=sys.stderr)
            return refusal.response()
        finally:
            service.bodies.release(request)

    return serve
