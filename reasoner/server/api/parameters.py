"""What a request to the API asks for: terms and numbers, checked, with errors that name the parameter."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from loaders.grammar import is_absolute_iri
from reasoner.server.backend.message import BodyRoom, Parameters, body_of, media_type, single, text_of, unsupported
from reasoner.server.backend.refusal import BAD_REQUEST, RefusalError
from reasoner.terms.term import TextTriple
from reasoner.terms.triple_text import TermError, canonical_term

JSON = "application/json"


def term(given: Parameters, name: str) -> str | None:
    """Return a term in N-Triples, None if it is not given; an absolute IRI may come without its brackets."""
    text = single(given, name)
    if text is None:
        return None
    written = f"<{text}>" if is_absolute_iri(text) and not text.startswith("_:") else text
    try:
        return canonical_term(written)
    except (TermError, ValueError) as error:
        raise RefusalError(
            BAD_REQUEST, f'the parameter {name} is no term: {text!r}; write <http://e.org/a>, _:b or "text"@en'
        ) from error


def required_term(given: Parameters, name: str) -> str:
    """Return a term that must be given."""
    found = term(given, name)
    if found is None:
        raise RefusalError(BAD_REQUEST, f"the parameter {name} is missing; give a term such as <http://e.org/a>")
    return found


def triple(given: Parameters) -> TextTriple:
    """Return the triple of the parameters ``s``, ``p`` and ``o``."""
    return required_term(given, "s"), required_term(given, "p"), required_term(given, "o")


def number(given: Parameters, name: str, usual: int, most: int) -> int:
    """Return a number from 0 on; more than ``most`` is not given to anybody at once."""
    text = single(given, name)
    if text is None:
        return usual
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise RefusalError(BAD_REQUEST, f"the parameter {name} is no number: {text!r}; give one from 0 to {most:,}")
    return min(int(text), most)


async def json_object(request: Request, room: BodyRoom, most: int) -> dict[str, Any]:
    """Return the JSON object that a request brings."""
    media = media_type(request)
    if media != JSON:
        raise unsupported(media, (JSON,))
    try:
        found = json.loads(text_of(await body_of(request, room, most)))
    except (ValueError, RecursionError) as error:
        raise RefusalError(BAD_REQUEST, f"the body is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise RefusalError(BAD_REQUEST, "the body is no JSON object; send one such as {}")
    return found


def member(found: dict[str, Any], name: str, kind: type, usual: Any) -> Any:
    """Return a member of an object, which must be of a kind if it is there."""
    value = found.get(name, usual)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RefusalError(BAD_REQUEST, f"{name} is {value!r}; it must be of type {kind.__name__}")
    return value


def answer(value: object) -> JSONResponse:
    """Return an answer that no cache keeps: the next commit may change it.

    Writing JSON takes a while for large answers, so that it is done by the threads that found them.
    """
    return JSONResponse(value, headers={"Cache-Control": "no-store"})
