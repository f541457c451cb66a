"""What a server may do and how much of it; settings that would be unsafe are refused."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from reasoner.rules.errors import ReasonerError

PORT = 7070
MEGABYTE = 1 << 20

_POSITIVE = (
    *(
        "timeout",
        "most_rows",
        "most_body",
        "most_query",
        "most_memory",
        "most_total_memory",
        "short_memory",
        "most_characters",
        "most_digits",
    ),
    *("most_bodies", "readers", "slow_readers", "most_waiting", "time_slice", "document_memory"),
    *("connections", "connections_per_address", "head_timeout", "body_timeout", "idle_timeout", "send_timeout"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one server.

    ``timeout`` is what a query may take, waiting for its turn included, and what an update may wait for its turn.
    ``most_rows`` bounds an answer, ``most_body`` the bytes of a request, ``most_query`` those of the text of a query,
    and ``most_bodies`` those of all requests that are held at a time. ``most_memory`` bounds the bytes that one query
    holds on its way to an answer, ``most_total_memory`` those of all long queries and the update under way together,
    ``most_characters`` and ``most_digits`` the strings and numbers that a query computes.

    ``readers`` is how many queries run at a time: more than a few only get into each other's way. A query that computes
    for longer than ``time_slice`` seconds, or takes more than ``short_memory`` bytes, makes room for the next one and
    becomes one of at most ``slow_readers``, for which as many wait; at most ``most_waiting`` requests wait for their
    first turn.

    ``document_memory`` bounds the bytes that the process may take which reads an uploaded document. ``connections``
    bounds those of all clients, ``connections_per_address`` those of one. ``head_timeout`` and ``body_timeout`` are
    the seconds that a client may take to send the head and the body of a request, ``idle_timeout`` those between two
    requests, and ``send_timeout`` those in which it has to take some of its answer.

    ``origins`` are the web sites whose scripts may ask; ``*`` is all. ``grace`` is how long requests and a commit under
    way may take once the server is told to stop.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    updates: bool = False
    token: str | None = None
    timeout: float = 30.0
    most_rows: int = 1_000_000
    most_body: int = 64 * MEGABYTE
    most_query: int = MEGABYTE
    most_bodies: int = 256 * MEGABYTE
    most_memory: int = 256 * MEGABYTE
    most_total_memory: int = 768 * MEGABYTE
    short_memory: int = 8 * MEGABYTE
    most_characters: int = 16 * MEGABYTE
    most_digits: int = 10_000
    readers: int = 2
    slow_readers: int = 2
    time_slice: float = 0.1
    most_waiting: int = 200
    document_memory: int = 1024 * MEGABYTE
    connections: int = 1000
    connections_per_address: int = 250
    head_timeout: float = 10.0
    body_timeout: float = 60.0
    idle_timeout: float = 15.0
    send_timeout: float = 30.0
    origins: tuple[str, ...] = ()
    access_log: bool = False
    grace: float = 3.0

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ReasonerError(f"{self.port} is no port; choose one up to 65535, or 0 for any that is free")
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise ReasonerError(f"{name.replace('_', ' ')} must be more than 0, not {getattr(self, name)}")
        if not 0 <= self.grace < float("inf"):
            raise ReasonerError(f"grace must be a number of seconds, 0 or more, not {self.grace}")
        if self.token is not None and (
            not self.token or not self.token.isascii() or self.token.split() != [self.token]
        ):
            raise ReasonerError("a token is one word of ASCII characters without spaces; choose another one")
        if self.updates and self.token is None and not self.is_local:
            raise ReasonerError(
                f"updates on {self.host} would be open to everybody who reaches it; give a token, or serve 127.0.0.1"
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
