"""What a query did, operator by operator."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from reasoner.server.api.parameters import answer
from reasoner.server.kept import reading
from reasoner.server.message import FORM, body_of, form_of, media_type, query_string, request_iri, single, unsupported
from reasoner.server.refusal import BAD_REQUEST, RefusalError
from reasoner.server.service import Service
from reasoner.sparql.budget import Budget
from reasoner.sparql.query import explain_plan


async def plan(service: Service, request: Request) -> Response:
    """Run the query of ``query``, by GET or as a form, and tell which operators it took and what each gave."""
    given = query_string(request)
    if request.method == "POST":
        if (media := media_type(request)) != FORM:
            raise unsupported(media, (FORM,))
        given = form_of(await body_of(request, service.bodies, service.settings.most_query, "--max-query"))
    text = single(given, "query")
    if text is None:
        raise RefusalError(BAD_REQUEST, "give the query to explain in the parameter query")
    kb = service.committed.last.kb

    def work(budget: Budget) -> Response:
        asked = service.parsers.query(text, request_iri(request), budget)
        steps = [
            {
                "name": step.name,
                "detail": step.detail,
                "depth": step.depth,
                "rows": step.rows,
                "solutions": step.solutions,
                "seconds": step.seconds,
                "vectorised": step.vectorised,
                "ways": list(dict.fromkeys(step.ways)),
            }
            for step in explain_plan(reading(kb), asked, budget=budget).steps
        ]
        return answer({"steps": steps})

    return await service.readers.run(request, work)
