"""The connections of a server: how many there may be, and how long each may take to say what it wants.

A connection that has no request under way costs its client nothing, so that the one that has been so for the longest
makes room when there are too many: whoever opens a thousand and sends nothing takes no place from those who ask.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from reasoner.server.backend.settings import Settings

# What is read from a socket at a time: what one client sends is dealt with in small portions, others in between.
_PORTION = 1 << 12

# Seconds between two looks at all connections, at the most.
_LONGEST_STEP = 0.5

# Seconds without progress after which an answer may be dropped if the answers that wait take too much memory.
_STALLED = 2.0

_REASONS = {408: "Request Timeout", 503: "Service Unavailable"}


class Guard:
    """Knows all connections of one server, and ends those that take too long; for the thread that serves alone."""

    def __init__(self, settings: Settings, most: int) -> None:
        self._settings = settings
        self._most = min(settings.connections, most)
        self._connections: set[GuardedProtocol] = set()
        self._by_address: Counter[str] = Counter()
        # The connections without a request of each address, that which has been so for the longest first.
        self._waiting: dict[str, dict[GuardedProtocol, None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        deadlines = (settings.head_timeout, settings.body_timeout, settings.idle_timeout, settings.send_timeout)
        self._step = min(_LONGEST_STEP, min(deadlines) / 4)

    def join(self, connection: GuardedProtocol) -> str | None:
        """Count a new connection, and make room for it; return why it is refused if it is."""
        address = connection.address
        refusal = None
        if self._by_address[address] >= self._settings.connections_per_address:
            if not self._made_room(address):
                refusal = (
                    f"{self._settings.connections_per_address:,} requests from {address} are under way, as many as may "
                    "(--max-connections-per-address); try again"
                )
        elif len(self._connections) >= self._most and not self._made_room(None):
            refusal = f"{self._most:,} requests are under way, as many as may (--max-connections); try again"
        if refusal is None:
            self._connections.add(connection)
            self._by_address[address] += 1
            self.waits(connection)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(self._step, self._look)
        return refusal

    def leave(self, connection: GuardedProtocol) -> None:
        """Forget a connection."""
        if connection in self._connections:
            self._connections.discard(connection)
            self.works(connection)
            self._by_address[connection.address] -= 1
            if not self._by_address[connection.address]:
                del self._by_address[connection.address]

    def waits(self, connection: GuardedProtocol) -> None:
        """Note that a connection has no request from now on."""
        if connection in self._connections:
            waiting = self._waiting.setdefault(connection.address, {})
            waiting.pop(connection, None)
            waiting[connection] = None

    def works(self, connection: GuardedProtocol) -> None:
        """Note that a connection has a request from now on, or is gone."""
        waiting = self._waiting.get(connection.address, {})
        waiting.pop(connection, None)
        if not waiting:
            self._waiting.pop(connection.address, None)

    def _made_room(self, address: str | None) -> bool:
        """End the connection without a request that has been so for the longest, of an address or of any."""
        lines = self._waiting.values() if address is None else [self._waiting.get(address, {})]
        oldest = [next(iter(waiting)) for waiting in lines if waiting]
        if not oldest:
            return False
        victim = min(oldest, key=lambda connection: connection.since)
        self.leave(victim)
        victim.transport.abort()
        return True

    def _look(self) -> None:
        """End what has taken too long."""
        now, settings = time.monotonic(), self._settings
        waiting = 0
        for connection in list(self._connections):
            waited = now - connection.since
            if connection.stage == "head" and waited > settings.head_timeout:
                connection.refuse(
                    408, f"the head of a request has to come within {settings.head_timeout:g} s (--head-timeout)"
                )
            elif connection.stage == "body" and waited > settings.body_timeout:
                connection.refuse(
                    408, f"the body of a request has to come within {settings.body_timeout:g} s (--body-timeout)"
                )
            elif connection.stage == "idle" and waited > settings.idle_timeout:
                connection.transport.close()
            waiting += connection.watch_sending(now)
            if now - connection.moved > settings.send_timeout:
                connection.transport.abort()
        if waiting > settings.most_bodies:
            stalled = [connection for connection in self._connections if now - connection.moved > _STALLED]
            if stalled:
                max(stalled, key=lambda connection: connection.unsent).transport.abort()
        self._timer = asyncio.get_running_loop().call_later(self._step, self._look) if self._connections else None


class GuardedProtocol(H11Protocol):
    """A connection that the guard of its server looks after.

    ``stage`` is what it waits for: ``head`` and ``body`` of a request, ``work`` on it, or nothing (``idle``), and
    ``since`` the time from which it does. ``unsent`` are the bytes of its answer that wait for the client, and
    ``moved`` is when that last took some.
    """

    guard: ClassVar[Guard]

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.stage = "head"
        self.since = self.moved = time.monotonic()
        self.unsent = 0
        self.address = ""
        self._is_counted = False
        self._request: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or refuse it."""
        peer = transport.get_extra_info("peername")
        self.address = _network(peer[0]) if isinstance(peer, tuple) else ""
        refusal = self.guard.join(self)
        if refusal is not None:
            transport.write(_answer(503, refusal))
            transport.close()
            return
        self._is_counted = True
        transport.max_size = _PORTION  # type: ignore[attr-defined]
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.guard.leave(self)
        if self._is_counted:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came, and note what is waited for next."""
        if not self._is_counted:
            return
        if self.stage == "idle":
            self._wait("head")
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of this one, which was answered early."""
        was_whole = not self.cycle.more_body
        super().on_response_complete()
        if was_whole and self.cycle.response_complete:
            self._wait("idle")
        else:
            self._note()

    def refuse(self, status: int, message: str) -> None:
        """Answer, unless an answer has begun, and end the connection."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if cycle.response_started:
                self.transport.abort()
                return
            cycle.disconnected = True
            cycle.message_event.set()
        if cycle is None or not cycle.response_started or cycle.response_complete:
            self.transport.write(_answer(status, message))
        self.transport.close()

    def watch_sending(self, now: float) -> int:
        """Return how many bytes wait for the client, and note whether it took some."""
        size = self.transport.get_write_buffer_size()
        if size == 0 or size < self.unsent:
            self.moved = now
        self.unsent = size
        return size

    def _wait(self, stage: str) -> None:
        self.stage, self.since = stage, time.monotonic()
        self.guard.waits(self)

    def _note(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            return
        if self._request is not self.cycle:
            self._request, self.stage, self.since = self.cycle, "body", time.monotonic()
            self.guard.works(self)
        if not self.cycle.more_body:
            self.stage = "work"


def guarded(settings: Settings, most: int) -> type[GuardedProtocol]:
    """Return the protocol of one server, which may have so many connections at the most."""
    return type("Connection", (GuardedProtocol,), {"guard": Guard(settings, most)})


def _network(address: str) -> str:
    """Return an address, or the network of one that has as many as it likes.

    >>> _network("127.0.0.1"), _network("2001:db8:1:2:3:4:5:6")
    ('127.0.0.1', '2001:db8:1:2::/64')
    """
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address


def _answer(status: int, message: str) -> bytes:
    body = f"{message}\n".encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
