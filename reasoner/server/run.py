"""Running a server: in the foreground until it is told to stop, or in the background of a program.

The table of routes, and the application that serves them.
"""

from __future__ import annotations

import asyncio
import faulthandler
import math
import signal
import socket
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, cast

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from reasoner.rules.errors import ReasonerError
from reasoner.server.api.dispatch import api
from reasoner.server.backend.metrics import Observed, first_word
from reasoner.server.backend.refusal import FAILED, refusal_of
from reasoner.server.backend.service import Service
from reasoner.server.backend.settings import Settings
from reasoner.server.connections import guarded
from reasoner.server.events import subscribe
from reasoner.server.graph_store import DIRECT, graph_store, named_by_url
from reasoner.server.sparql_protocol import counted, health, sparql, update
from reasoner.server.workbench.page import asset, page_for

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

# Connections that wait in the operating system until they are taken up, and those that are taken up at a time: whoever
# opens many must not keep those waiting who have one.
_BACKLOG = 512
_TAKEN_UP = 4

# Files that are open besides connections: the store, processes that read texts, what libraries open.
_OTHER_FILES = 200

# The bytes of a request line and its headers, so that long queries can be sent by GET.
_LONGEST_HEAD = 1 << 18

# How long a thread may compute before it lets another one in: short, so that a large query does not hold up small ones.
_SWITCH_INTERVAL = 0.001


# Seconds after the grace in which the end of a commit is waited for, and after which the process ends whatever it does.
_LAST_WAIT = 1.0
_LAST_MOMENT = 1.8


class UnfinishedError(ReasonerError):
    """A server that was told to end while a commit was under way that took too long."""


class _Server(uvicorn.Server):
    """Ends within its grace once it is told to, if need be with the whole process."""

    def __init__(self, config: uvicorn.Config, app: Starlette, grace: float) -> None:
        super().__init__(config)
        self.app = app
        self._grace = grace

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve; as many connections may wait as before, although fewer are taken up at a time."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_BACKLOG)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # This watches from outside of Python: no thread that computes can keep it from ending the process.
        faulthandler.dump_traceback_later(self._grace + _LAST_MOMENT, exit=True)
        super().handle_exit(sig, frame)


def serve(kb: Reasoner, settings: Settings, *, announce: Callable[[str], None] = lambda _: None) -> None:
    """Serve a reasoner until the process is interrupted or told to end.

    A commit under way is finished first, if it ends within the grace of the settings; otherwise ``UnfinishedError``
    says so. ``announce`` is called with the address once it can be reached.
    """
    listening = _listening(settings)
    server = _server(kb, settings)
    before = {number: signal.signal(number, _ignore) for number in (signal.SIGINT, signal.SIGTERM)}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        server.app.state.start()
        announce(_address(listening))
        # The server takes these signals over while it runs, and sends them again once it has ended.
        server.run(sockets=[listening])
        if not server.app.state.was_finished:
            raise UnfinishedError(
                f"the server was told to stop, and a commit did not end within {settings.grace:g} s (--grace); it was "
                "given up, and its client was not answered"
            )
    finally:
        faulthandler.cancel_dump_traceback_later()
        sys.setswitchinterval(interval)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def background(kb: Reasoner, settings: Settings | None = None) -> Iterator[str]:
    """Serve a reasoner in a thread for the time of a block, which is given the address; any free port by default."""
    settings = settings or Settings(port=0)
    listening = _listening(settings)
    server = _server(kb, settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="server", daemon=True)
    thread.start()
    try:
        yield _address(listening)
    finally:
        server.should_exit = True
        thread.join()


def _server(kb: Reasoner, settings: Settings) -> _Server:
    app = application(kb, settings, last_wait=_LAST_WAIT)
    server = _Server(
        uvicorn.Config(
            app,
            http=guarded(settings, _possible_connections(settings.connections)),
            ws="none",
            # What clients send wrong is told to them, and not to whoever runs the server.
            log_level="error",
            access_log=False,
            lifespan="on",
            server_header=False,
            backlog=_TAKEN_UP,
            timeout_keep_alive=math.ceil(settings.idle_timeout),
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            # Any number of seconds will do, although it is said to be a whole one.
            timeout_graceful_shutdown=cast(int, settings.grace),
        ),
        app,
        settings.grace,
    )
    # Streams of events, which have no end of their own, look here whether it is time.
    app.state.server = server
    return server


def _possible_connections(wanted: int) -> int:
    """Return how many connections there can be: as many as are wanted, if the system allows as many open files."""
    try:
        import resource
    except ImportError:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted + _OTHER_FILES:
        with suppress(OSError, ValueError):
            most = wanted + _OTHER_FILES if hard == resource.RLIM_INFINITY else min(hard, wanted + _OTHER_FILES)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return max(min(wanted, soft - _OTHER_FILES), 1)


def _listening(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listening = socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ReasonerError(
            f"cannot serve {settings.host} port {settings.port}: {error.strerror or error}; choose another --port"
        ) from error
    # Connections inherit it; without it the second answer of a connection waits 40 ms for the first to be confirmed.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _ignore(number: int, frame: object) -> None:
    """Take a signal that the server has heeded already."""


Endpoint = Callable[[Service, Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class RouteEntry:
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
    RouteEntry("/", ("GET",), front_page, "the workbench, for browsers; this page, for others"),
    RouteEntry(
        "/sparql", ("GET", "POST"), sparql, "SPARQL queries and updates; without either, the service description"
    ),
    RouteEntry("/update", ("POST",), update, "SPARQL updates"),
    RouteEntry("/data", _WHOLE_GRAPH, graph_store, "the graph that ?default or ?graph=IRI names"),
    RouteEntry(DIRECT + "{name:path}", _WHOLE_GRAPH, named_by_url, "the graph that the URL names"),
    RouteEntry(
        "/subscribe", ("GET",), subscribe, "what commits change about the answers of ?query=, as server-sent events"
    ),
    RouteEntry(
        "/api/{name:path}", ("GET", "POST"), api, "everything that the workbench shows, as JSON; /api/ lists it"
    ),
    RouteEntry("/workbench/{name:path}", ("GET",), asset, "the files of the workbench"),
    RouteEntry("/health", ("GET",), health, "whether the server is well"),
    RouteEntry("/metrics", ("GET",), counted, "counters for Prometheus"),
)


def application(kb: Reasoner, settings: Settings, last_wait: float = 1.0) -> Starlette:
    """Return the application that serves a reasoner.

    At its end it waits so many seconds for a commit under way; its ``state.was_finished`` tells whether that ended.
    Its ``state.start`` starts processes that would otherwise be started when they are first needed.
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
    made = Starlette(routes=routes, middleware=middleware, lifespan=lifespan)
    made.state.start = service.readers.start
    return made


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
