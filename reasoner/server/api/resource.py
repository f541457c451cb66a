"""Everything about one term: its names, its types, and its statements in both directions.

Terms by a part of their name or label, as somebody types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from reasoner.columnar.expand import Columns, is_asserted
from reasoner.columnar.store import ColumnarStore
from reasoner.columnar.term_search import labels_of
from reasoner.reasoner import Reasoner
from reasoner.server.api.parameters import answer, number, required_term, term
from reasoner.server.backend.committed import reading
from reasoner.server.backend.message import query_string, single
from reasoner.server.backend.refusal import BAD_REQUEST, NOT_FOUND, RefusalError
from reasoner.server.backend.service import Service
from reasoner.sparql.budget import Budget
from reasoner.sparql.dataset import Graph
from reasoner.sparql.pattern_lookup import PatternLookup
from reasoner.terms.term import RDF_TYPE, SAME_AS, TextTriple

# Statements of each predicate that come with the first answer, and statements of one further page.
_FIRST, _PAGE, _MOST_PAGE = 8, 50, 1000

# Predicates of one direction that are listed; a property that everything uses may be the object of many.
_MOST_GROUPS = 200

# Names of one class of equals that are listed.
_MOST_NAMES = 200


@dataclass(slots=True)
class _Group:
    """The statements of one predicate in one direction."""

    predicate: str
    count: int = 0
    asserted: int = 0
    shown: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "predicate": self.predicate,
            "count": self.count,
            "asserted": self.asserted,
            "statements": self.shown,
        }


async def resource(service: Service, request: Request) -> Response:
    """Tell what is known about ``term``: names, and statements by predicate, the first few of each."""
    asked = required_term(query_string(request), "term")
    kb = service.committed.last.kb
    return await service.readers.run(request, lambda budget: answer(_described(reading(kb), asked, budget)))


async def statements(service: Service, request: Request) -> Response:
    """Give a page of the statements about ``term``: ``direction`` out or in, of one ``predicate`` or of all."""
    given = query_string(request)
    asked, predicate = required_term(given, "term"), term(given, "predicate")
    direction = single(given, "direction") or "out"
    if direction not in ("out", "in"):
        raise RefusalError(BAD_REQUEST, f"the direction {direction!r} is unknown; choose out or in")
    first, most = number(given, "offset", 0, 10**9), number(given, "limit", _PAGE, _MOST_PAGE)
    kb = service.committed.last.kb

    def work(budget: Budget) -> Response:
        store = reading(kb).store
        total, asserted, shown = 0, 0, []
        for columns in _columns(store, asked, predicate, direction):
            budget.check()
            size, known = columns[0].size, is_asserted(*columns, store.state.explicit)
            low, high = max(first - total, 0), max(first + most - total, 0)
            shown += _page(store, columns, low, min(high, size))
            total, asserted = total + size, asserted + int(known.sum())
        labels = labels_of(store, chain.from_iterable(row["triple"] for row in shown))
        return answer({"count": total, "asserted": asserted, "offset": first, "statements": shown, "labels": labels})

    return await service.readers.run(request, work)


def _described(kb: Reasoner, asked: str, budget: Budget) -> dict[str, Any]:
    store = kb.store
    out, into = (_grouped(store, asked, direction, budget) for direction in ("out", "in"))
    names = _names(store, asked)
    if not out and not into and len(names) < 2 and not _is_predicate(store, asked):
        raise RefusalError(NOT_FOUND, f"nothing is known about {asked}; look for another name with /api/search?q=")
    rows = [row["triple"] for group in (*out, *into) for row in group.shown]
    shown = {asked, *(name["term"] for name in names), *chain.from_iterable(rows)}
    return {
        "term": asked,
        "kind": {"<": "iri", "_": "blank", '"': "literal"}[asked[0]],
        "names": names,
        "name_count": _name_count(store, asked),
        "types": [
            {"term": row["triple"][2], "asserted": row["asserted"]}
            for group in out
            if group.predicate == RDF_TYPE
            for row in group.shown
        ],
        "is_predicate": _is_predicate(store, asked),
        "out": [group.as_json() for group in out[:_MOST_GROUPS]],
        "in": [group.as_json() for group in into[:_MOST_GROUPS]],
        "labels": labels_of(store, shown),
    }


def _grouped(store: ColumnarStore, asked: str, direction: str, budget: Budget) -> list[_Group]:
    """Return the statements by predicate: types first, equalities last, the rest by name."""
    groups: dict[int, _Group] = {}
    for columns in _columns(store, asked, None, direction):
        budget.check()
        s, predicate, _ = columns
        group = groups.setdefault(predicate, _Group(store.dictionary.text(predicate)))
        group.count += s.size
        group.asserted += int(is_asserted(*columns, store.state.explicit).sum())
        group.shown += _page(store, columns, 0, (20 if group.predicate == RDF_TYPE else _FIRST) - len(group.shown))
    order = {RDF_TYPE: 0, SAME_AS: 2}
    return sorted(groups.values(), key=lambda group: (order.get(group.predicate, 1), group.predicate))


def _columns(store: ColumnarStore, asked: str, predicate: str | None, direction: str) -> Iterator[Columns]:
    """Yield the statements with a term at one end, piece by piece."""
    state = store.state
    ids = [None if text is None else store.dictionary.lookup(text) for text in (asked, predicate)]
    if ids[0] is None or (predicate is not None and ids[1] is None):
        return
    end = ids[0]
    lookup = PatternLookup(Graph(state.facts, store.dictionary, state.representatives, own=store.own_equalities(state)))
    ends = (end, ids[1], None) if direction == "out" else (None, ids[1], end)
    auxiliary = store.engine.auxiliary
    yield from (columns for columns in lookup.matches(*ends) if columns[0].size and columns[1] not in auxiliary)


def _page(store: ColumnarStore, columns: Columns, low: int, high: int) -> list[dict[str, Any]]:
    if high <= low:
        return []
    s, predicate, o = columns[0][low:high], columns[1], columns[2][low:high]
    known = is_asserted(s, predicate, o, store.state.explicit).tolist()
    triples: Iterator[TextTriple] = store.decoded([(s, predicate, o)])
    return [{"triple": triple, "asserted": asserted} for triple, asserted in zip(triples, known, strict=True)]


def _names(store: ColumnarStore, asked: str) -> list[dict[str, Any]]:
    """Return the terms that a term equals, itself first, each with whether that they are equal was asserted."""
    id = store.dictionary.lookup(asked)
    if id is None:
        return []
    members = store.state.representatives.class_of(id)
    others = [text for text in store.dictionary.decode(members[:_MOST_NAMES]) if text != asked]
    links = [*((asked, SAME_AS, other) for other in others), *((other, SAME_AS, asked) for other in others)]
    stated = store.are_explicit(links, store.state)
    return [
        {"term": asked, "asserted": True},
        *({"term": other, "asserted": stated[n] or stated[n + len(others)]} for n, other in enumerate(others)),
    ]


def _name_count(store: ColumnarStore, asked: str) -> int:
    id = store.dictionary.lookup(asked)
    return 0 if id is None else int(store.state.representatives.class_of(id).size)


def _is_predicate(store: ColumnarStore, asked: str) -> bool:
    id = store.dictionary.lookup(asked)
    return id is not None and store.state.representatives.of_one(id) in store.state.facts


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
