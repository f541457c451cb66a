"""Who may change something: nobody unless updates are on, and then whoever has the token."""

from __future__ import annotations

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.requests import Request

from reasoner.server.refusal import FORBIDDEN, UNAUTHORISED, RefusalError
from reasoner.server.settings import Settings


def is_writer(request: Request, settings: Settings) -> bool:
    """Tell whether a request may change something."""
    try:
        require_writer(request, settings)
    except RefusalError:
        return False
    return True


def require_writer(request: Request, settings: Settings) -> None:
    """Refuse a request that may not change anything.

    Without a token everybody on this machine may, and so might any web page that is open in a browser here; browsers
    name the site that a request comes from, and only sites that are allowed by name are let in, and the workbench:
    its site is this server by a name of this machine. By any other name it may be a page of others that points here.
    """
    if not settings.updates:
        raise RefusalError(FORBIDDEN, "this server takes no updates; start it with --update")
    if settings.token is None:
        origin = request.headers.get("origin")
        if origin is not None and origin not in settings.origins and not _is_own(origin, request):
            raise RefusalError(
                FORBIDDEN, f"updates from the site {origin} are not allowed; start the server with a token, or --cors"
            )
        return
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not given:
        raise RefusalError(
            UNAUTHORISED, "updates need the header Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"}
        )
    # The comparison takes as long for a nearly right token as for a wrong one.
    if not hmac.compare_digest(given.strip().encode(), settings.token.encode()):
        raise RefusalError(
            UNAUTHORISED,
            "the token is not the one of this server",
            {"WWW-Authenticate": 'Bearer error="invalid_token"'},
        )


def _is_own(origin: str, request: Request) -> bool:
    """Tell whether a request comes from a page of this server that was opened by a name of this machine."""
    try:
        site = urlsplit(origin)
        host = site.hostname or ""
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
    return local and site.netloc == request.headers.get("host")
