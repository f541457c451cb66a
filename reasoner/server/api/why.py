"""Why a triple holds, and what would go with an explicit fact if that were removed.

What a query did, operator by operator.
"""

from __future__ import annotations

import json
from functools import partial
from itertools import chain, islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from reasoner.columnar.store import ColumnarStore
from reasoner.columnar.term_search import labels_of
from reasoner.maintenance.update import Work
from reasoner.reasoner import Reasoner
from reasoner.requests.query import explain_plan
from reasoner.server.api.parameters import answer, number, required_term, triple
from reasoner.server.backend.committed import lock_commits, reading
from reasoner.server.backend.message import (
    FORM,
    body_of,
    form_of,
    media_type,
    query_string,
    request_iri,
    single,
    unsupported,
)
from reasoner.server.backend.refusal import BAD_REQUEST, NOT_FOUND, RefusalError
from reasoner.server.backend.service import Service
from reasoner.sparql.algebra import Query
from reasoner.sparql.budget import Budget
from reasoner.state.delta import Delta
from reasoner.state.request import CommitRequest
from reasoner.terms.quads import QuadRequest
from reasoner.terms.term import SAME_AS, TextTriple

_USUAL_PROOFS, _MOST_PROOFS = 1, 5
_LISTED = 200
_MOST_LINKS = 12


async def why(service: Service, request: Request) -> Response:
    """Prove the triple of ``s``, ``p`` and ``o``, in up to ``most`` different ways, the shortest first."""
    given = query_string(request)
    asked, most = triple(given), number(given, "most", _USUAL_PROOFS, _MOST_PROOFS)

    def work(budget: Budget) -> Response:
        kb = service.kept.explained(service.committed, budget)
        proofs = []
        for proof in kb.explanations(asked, most=max(most, 1)):
            proofs.append({**json.loads(proof.to_json()), "height": proof.height, "size": proof.size})
            budget.check()
        if not proofs:
            raise RefusalError(NOT_FOUND, f"{' '.join(asked)} does not hold, so that there is nothing to prove")
        terms = (term for proof in proofs for step in proof["steps"] for term in step["triple"])
        return answer({"triple": asked, "proofs": proofs, "labels": labels_of(kb.store, chain(asked, terms))})

    return await service.readers.run(request, work)


async def names(service: Service, request: Request) -> Response:
    """Say for the names of ``term`` why each of them is one: the rules and axioms that its proof takes."""
    asked = required_term(query_string(request), "term")

    def work(budget: Budget) -> Response:
        kb = service.kept.explained(service.committed, budget)
        store = kb.store
        id = store.dictionary.lookup(asked)
        members = [] if id is None else store.dictionary.decode(store.state.representatives.class_of(id))
        links = []
        for other in [member for member in members if member != asked][:_MOST_LINKS]:
            budget.check()
            proof = kb.explain((asked, SAME_AS, other))
            steps = proof.steps if proof is not None else ()
            rules = dict.fromkeys(step.rule for step in steps if step.rule is not None)
            links.append(
                {
                    "term": other,
                    "rules": list(rules),
                    "sources": list(dict.fromkeys(source for step in steps for source in step.sources)),
                    "leaves": len(proof.leaves) if proof is not None else 0,
                }
            )
        return answer({"term": asked, "links": links})

    return await service.readers.run(request, work)


async def without(service: Service, request: Request) -> Response:
    """Rehearse the removal of the explicit triple of ``s``, ``p`` and ``o``: nothing is changed, and commits wait."""
    asked = triple(query_string(request))
    return await service.readers.run(request, lambda budget: answer(_rehearsed(service, asked, budget)))


def _rehearsed(service: Service, asked: TextTriple, budget: Budget) -> dict[str, Any]:
    kb = reading(service.committed.kb)
    lock_commits(kb, budget)
    try:
        if not kb.store.are_explicit([asked], kb.store.state)[0]:
            raise RefusalError(NOT_FOUND, f"{' '.join(asked)} is not explicit; only what was asserted can be removed")
        with kb.session.rehearsal() as fork:
            work = Work(between_rounds=budget.check)
            return _told(fork.store, asked, fork.commit(CommitRequest(QuadRequest([asked]), work=work)), budget)
    finally:
        kb.session.lock.release()


def _told(store: ColumnarStore, asked: TextTriple, delta: Delta, budget: Budget) -> dict[str, Any]:
    budget.check()
    counts = delta.counts.as_dict()
    lost = list(islice(delta.iterate("lost"), _LISTED + 1))
    budget.check()
    return {
        "triple": asked,
        "still_holds": counts["became_inferred"] > 0 and asked in set(delta.iterate("became_inferred")),
        "counts": counts,
        "lost": [triple for triple in lost if triple != asked][:_LISTED],
        "classes_split": [{"before": old, "after": new} for old, new in delta.classes_split[:_LISTED]],
        "violations_appeared": [each.as_dict() for each in delta.violations_appeared[:_LISTED]],
        "violations_went": [each.as_dict() for each in delta.violations_went[:_LISTED]],
        "rules_lost": len(delta.rules_lost),
        "rules_gained": len(delta.rules_gained),
        "seconds": delta.seconds,
        "labels": labels_of(store, chain(asked, chain.from_iterable(lost))),
    }


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
    version = service.committed.last
    reading(version.kb)

    def work(budget: Budget) -> Response:
        asked = service.parsers.query(text, request_iri(request), budget)
        return answer({"steps": service.readers.ask(version, partial(_steps, asked=asked), budget)})

    return await service.readers.run(request, work)


def _steps(kb: Reasoner, budget: Budget, *, asked: Query) -> list[dict[str, object]]:
    return [
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
        for step in explain_plan(kb, asked, budget=budget).steps
    ]
