"""Which of the media types on offer an Accept header asks for (RFC 9110, 12.5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reasoner.server.refusal import NOT_ACCEPTABLE, RefusalError


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
