"""What a request says: its body within limits, its media type, and its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from loaders.grammar import is_absolute_iri
from reasoner.server.refusal import (
    BAD_REQUEST,
    CLIENT_GONE,
    TOO_LARGE,
    UNAVAILABLE,
    UNSUPPORTED_TYPE,
    RefusalError,
)

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
