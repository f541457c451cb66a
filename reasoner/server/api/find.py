"""Terms by a part of their name or label, as somebody types."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from reasoner.columnar.term_search import labels_of
from reasoner.server.api.parameters import answer, number
from reasoner.server.kept import reading
from reasoner.server.message import query_string, single
from reasoner.server.service import Service
from reasoner.sparql.budget import Budget

_USUAL, _MOST = 20, 200
_LONGEST = 500


async def search(service: Service, request: Request) -> Response:
    """Find terms whose name or label begins with ``q``, or has it in it."""
    given = query_string(request)
    text, most = (single(given, "q") or "")[:_LONGEST], number(given, "limit", _USUAL, _MOST)
    kb = service.committed.last.kb

    def work(budget: Budget) -> Response:
        store = reading(kb).store
        found = service.kept.search.matches(store, text, most, budget.check)
        labels = labels_of(store, [match.term for match in found if match.label is None])
        results = [
            {"term": match.term} | ({"label": label} if (label := match.label or labels.get(match.term)) else {})
            for match in found
        ]
        return answer({"q": text, "results": results})

    return await service.readers.run(request, work)
