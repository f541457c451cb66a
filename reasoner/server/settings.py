"""What a server may do and how much of it; settings that would be unsafe are refused."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from reasoner.errors import ReasonerError

PORT = 7070
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one server.

    ``timeout`` is what a query may take, waiting for its turn included, and what an update may wait for its turn.
    ``most_rows`` bounds an answer, ``most_body`` the bytes of a request, ``readers`` how many queries run at a time:
    more than a few only get into each other's way. ``origins`` are the web sites whose scripts may ask; ``*`` is all.
    ``grace`` is how long requests under way may take once the server is told to stop; a commit is always finished.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    updates: bool = False
    token: str | None = None
    timeout: float = 30.0
    most_rows: int = 1_000_000
    most_body: int = 64 * MEGABYTE
    readers: int = 4
    origins: tuple[str, ...] = ()
    access_log: bool = False
    grace: float = 10.0

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ReasonerError(f"{self.port} is no port; choose one up to 65535, or 0 for any that is free")
        for name in ("timeout", "most_rows", "most_body", "readers"):
            if not getattr(self, name) > 0:
                raise ReasonerError(f"{name.replace('_', ' ')} must be more than 0, not {getattr(self, name)}")
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
