"""Running a server: in the foreground until it is told to stop, or in the background of a program."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from reasoner.errors import ReasonerError
from reasoner.server.routes import application
from reasoner.server.settings import Settings

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

# Requests that wait in the operating system until they are taken up.
_BACKLOG = 512

# Connections at a time; who comes then is told to come again.
_MOST_CONNECTIONS = 1000

# The bytes of a request line and its headers, so that long queries can be sent by GET.
_LONGEST_HEAD = 1 << 18

# How long a thread may compute before it lets another one in: short, so that a large query does not hold up small ones.
_SWITCH_INTERVAL = 0.001


def serve(kb: Reasoner, settings: Settings, *, announce: Callable[[str], None] = lambda _: None) -> None:
    """Serve a reasoner until the process is interrupted or told to end; the commit under way is finished first.

    ``announce`` is called with the address once it can be reached.
    """
    listening = _listening(settings)
    server = _server(kb, settings)
    before = {number: signal.signal(number, _ignore) for number in (signal.SIGINT, signal.SIGTERM)}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        announce(_address(listening))
        # The server takes these signals over while it runs, and sends them again once it has ended.
        server.run(sockets=[listening])
    finally:
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


def _server(kb: Reasoner, settings: Settings) -> uvicorn.Server:
    app = application(kb, settings)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            timeout_graceful_shutdown=max(1, round(settings.grace)),
        )
    )
    # Streams of events, which have no end of their own, look here whether it is time.
    app.state.server = server
    return server


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
