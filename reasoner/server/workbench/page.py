"""The page of the workbench and its files, with the headers that keep foreign scripts out."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from reasoner.server.backend.message import negotiated
from reasoner.server.backend.refusal import NOT_FOUND, RefusalError

if TYPE_CHECKING:
    from reasoner.server.backend.service import Service

FOLDER = Path(__file__).parent / "static"
PAGE = "index.html"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

# Scripts, styles and answers of this server alone: a label of the data can never become a script.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # A file is asked for again each time, and not sent again unless it is another one.
    "Cache-Control": "no-cache",
    "Vary": "Accept",
}
_NOT_MODIFIED = 304


def page_for(request: Request) -> Response | None:
    """Return the page to whoever would rather have HTML than plain text, which browsers say; None to others."""
    try:
        wanted = negotiated(request.headers.get("accept", ""), ("text/plain", "text/html"), "the first page")
    except RefusalError:
        return None
    return _file(request, PAGE) if wanted == "text/html" else None


async def asset(service: Service, request: Request) -> Response:
    """Serve one file of the page."""
    name = request.path_params["name"]
    if name not in _files():
        raise RefusalError(NOT_FOUND, f"the workbench has no file {name!r}")
    return _file(request, name)


def _file(request: Request, name: str) -> Response:
    data, tag = _files()[name]
    headers = {**_HEADERS, "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=_NOT_MODIFIED, headers=headers)
    return Response(data, media_type=_TYPES[Path(name).suffix], headers=headers)


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    """Return all files with their tags; they are read once, and no other file of this machine can be asked for."""
    found = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in _TYPES}
    return {name: (data, f'"{hashlib.sha256(data).hexdigest()[:20]}"') for name, data in found.items()}
