"""What a request says: its body within limits, its media type, and its parameters.

Which of the media types on offer an Accept header asks for (RFC 9110, 12.5.1).

Who may change something: nobody unless updates are on, and then whoever has the token.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterator, Sequence
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import ClientDisconnect, Request

from loaders.grammar import is_absolute_iri
from reasoner.server.backend.refusal import (
    BAD_REQUEST,
    CLIENT_GONE,
    FORBIDDEN,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNAUTHORISED,
    UNAVAILABLE,
    UNSUPPORTED_TYPE,
    RefusalError,
)
from reasoner.server.backend.settings import Settings

FORM = "application/x-www-form-urlencoded"

_LONGEST_TYPE = 1000
_LONGEST_IRI = 8000
_HELD = "reasoner.held"

Parameters = list[tuple[str, str]]


class BodyRoom:
    """Counts the bytes of the bodies that are held at a time; for the thread that serves alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0

    def take(self, request: Request, size: int) -> None:
        """Count bytes of a request, or refuse it if all requests together hold too many."""
        if self._held + size > self._most:
            raise RefusalError(
                UNAVAILABLE,
                f"requests of {self._most:,} bytes are held already, as many as may (--max-bodies); try again",
                {"Retry-After": "1"},
            )
        self._held += size
        request.scope[_HELD] = request.scope.get(_HELD, 0) + size

    def release(self, request: Request) -> None:
        """Forget a request."""
        self._held -= request.scope.pop(_HELD, 0)


async def body_of(request: Request, room: BodyRoom, most: int, option: str = "--max-body") -> bytes:
    """Read the body; what is announced as too large, or turns out to be, is refused before it is read whole."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced[:20]) > most:
        raise too_large(most, option)
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise RefusalError(UNSUPPORTED_TYPE, "compressed requests are not read; send the body as it is")
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise too_large(most, option)
            room.take(request, len(part))
            parts.append(part)
    except ClientDisconnect as error:
        raise RefusalError(CLIENT_GONE, "the client has gone") from error
    return b"".join(parts)


def media_type(request: Request) -> str:
    """Return the media type of the body, without its parameters; only UTF-8 is read."""
    given = request.headers.get("content-type", "")
    if len(given) > _LONGEST_TYPE:
        raise RefusalError(
            UNSUPPORTED_TYPE, f"a Content-Type of {len(given):,} characters is not read; send a short one"
        )
    media, *parameters = given.split(";")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        charset = value.strip().strip('"').lower()
        if name.strip().lower() == "charset" and charset not in ("utf-8", "utf8", "us-ascii"):
            raise RefusalError(UNSUPPORTED_TYPE, f"the charset {charset} is not read; send UTF-8")
    return media.strip().lower()


def text_of(body: bytes) -> str:
    """Decode a body."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusalError(BAD_REQUEST, f"the request is not UTF-8: byte {error.start + 1} is wrong") from error


def form_of(body: bytes) -> Parameters:
    """Decode a form."""
    try:
        return parse_qsl(body.decode("utf-8"), keep_blank_values=True, errors="strict")
    except (UnicodeDecodeError, ValueError) as error:
        raise RefusalError(BAD_REQUEST, f"the form is not well-formed: {error}") from error


def query_string(request: Request) -> Parameters:
    """Return the parameters of the URL."""
    return form_of(request.scope.get("query_string", b""))


def values(parameters: Parameters, name: str) -> list[str]:
    """Return all values of a parameter."""
    return [value for key, value in parameters if key == name]


def single(parameters: Parameters, name: str) -> str | None:
    """Return the value of a parameter that may be given once, None if it is not."""
    found = values(parameters, name)
    if len(found) > 1:
        raise RefusalError(BAD_REQUEST, f"{name} is given {len(found)} times; give it once")
    return found[0] if found else None


def unsupported(media: str, known: Sequence[str]) -> RefusalError:
    """Return the refusal of a body of an unknown media type."""
    given = f"a body of type {media}" if media else "a body without Content-Type"
    return RefusalError(
        UNSUPPORTED_TYPE, f"{given} is not read; send one of {', '.join(known)}", {"Accept-Post": ", ".join(known)}
    )


def too_large(most: int, option: str) -> RefusalError:
    """Return the refusal of a request that is larger than an option of the server allows."""
    return RefusalError(
        TOO_LARGE,
        f"the request is larger than the {most:,} bytes that this server reads ({option}); send less at a time",
    )


def request_iri(request: Request) -> str:
    """Return the IRI that a request was sent to, which relative IRIs in it are resolved against."""
    iri = str(request.url.replace(query="", fragment=""))
    if not is_absolute_iri(iri):
        raise RefusalError(BAD_REQUEST, f"{iri!r}, where the request was sent to, is no IRI; encode its characters")
    return iri


def graph_iri(iri: str) -> str:
    """Return the name of a graph, or refuse what is none."""
    if len(iri) > _LONGEST_IRI:
        raise RefusalError(BAD_REQUEST, f"a name of {len(iri):,} characters is none of a graph; send a shorter one")
    if not is_absolute_iri(iri):
        raise RefusalError(BAD_REQUEST, f"{iri!r} is no absolute IRI, and so no name of a graph")
    return iri


def negotiated(accept: str, offers: Sequence[str], what: str) -> str:
    """Return the offer that is liked best, the earlier one of two; refuse if none will do.

    An offer is worth what the most specific range that it falls into says.

    >>> negotiated("text/*;q=0.5, application/xml", ["text/csv", "application/xml"], "rows")
    'application/xml'
    >>> negotiated("*/*, text/csv;q=0", ["text/csv", "application/xml"], "rows")
    'application/xml'
    """
    ranges = list(_ranges(accept)) or [("*/*", 1.0)]
    worth = [_quality(offer, ranges) for offer in offers]
    best = max(worth)
    if best <= 0:
        raise RefusalError(
            NOT_ACCEPTABLE, f"{what} cannot be given as {accept}; Accept one of {', '.join(offers)}", {"Vary": "Accept"}
        )
    return offers[worth.index(best)]


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for part in accept.split(","):
        media, *parameters = (word.strip().lower() for word in part.split(";"))
        if media:
            yield media, _q(parameters)


def _q(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0


def _quality(offer: str, ranges: Sequence[tuple[str, float]]) -> float:
    for wanted in (offer, offer.partition("/")[0] + "/*", "*/*"):
        found = [q for media, q in ranges if media == wanted]
        if found:
            return max(found)
    return 0.0


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
