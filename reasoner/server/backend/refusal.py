"""A request that is not served: the status, and a text that says what was wrong and what to do."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import PlainTextResponse

from reasoner.columnar.memory import MemoryLimitError
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.errors import (
    PoolExhaustedError,
    QueryMemoryError,
    QueryStoppedError,
    QueryTimeoutError,
    QueryTooLargeError,
    ValueTooLargeError,
)

BAD_REQUEST = 400
UNAUTHORISED = 401
FORBIDDEN = 403
NOT_FOUND = 404
NOT_ALLOWED = 405
NOT_ACCEPTABLE = 406
TOO_LARGE = 413
UNSUPPORTED_TYPE = 415
TOO_MANY_ROWS = 422
CLIENT_GONE = 499
FAILED = 500
NOT_IMPLEMENTED = 501
UNAVAILABLE = 503

# Characters of what a sender is told: a text that is wrong in its only line of a megabyte is not sent back whole.
_LONGEST = 4000


class RefusalError(Exception):
    """Carries the answer to a request that is not served."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.headers = dict(headers or {})
        super().__init__(message)

    def response(self) -> PlainTextResponse:
        """Return the answer."""
        text = str(self)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST // 2]} [...] {text[-_LONGEST // 2 :]}"
        return PlainTextResponse(f"{text}\n", self.status, self.headers)


def refusal_of(error: Exception) -> RefusalError:
    """Return what to answer when a query or an update ends in an error; one of our own making is told as it is."""
    match error:
        case RefusalError():
            return error
        case QueryTimeoutError() | QueryStoppedError():
            return RefusalError(UNAVAILABLE, str(error))
        case PoolExhaustedError():
            return RefusalError(UNAVAILABLE, str(error), {"Retry-After": "5"})
        case QueryTooLargeError() | QueryMemoryError() | ValueTooLargeError():
            return RefusalError(TOO_MANY_ROWS, str(error))
        case MemoryLimitError():
            return RefusalError(UNAVAILABLE, str(error))
        case ReasonerError():
            return RefusalError(BAD_REQUEST, str(error))
        case RecursionError():
            return RefusalError(BAD_REQUEST, "the request is nested too deeply; write it flatter")
        case MemoryError():
            return RefusalError(UNAVAILABLE, "the server has not enough memory for this; ask for less")
        case _:
            return RefusalError(FAILED, f"the server failed: {type(error).__name__}: {error}")
