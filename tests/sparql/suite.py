"""The W3C query tests, where they lie beside the project, run in this process."""

from __future__ import annotations

import gzip
import json
from typing import Any

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.requests import query
from reasoner.sparql import Result
from tests.conformance.suite import need

Case = dict[str, Any]


def cases() -> list[Case]:
    """Return the cases of the suite, or skip."""
    with gzip.open(need("sparql", "sparql_tests.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def text_of(case: Case) -> str:
    """Return the query with its base, as the harness gives it."""
    return f"BASE <{case['base']}>\n{case['query']}"


def answer(case: Case) -> Result:
    """Answer the query of a case over its data."""
    kb = Reasoner(profile="none", equality="none")
    kb.add(parse_text(case["data"], "ntriples"))
    graphs = {name: _own_blanks(text, number) for number, (name, text) in enumerate(case["graphs"].items())}
    return query(kb, text_of(case), graphs=graphs)


def answer_from_store(case: Case) -> Result:
    """Answer the query of a case over its data, with the named graphs in the store; no graph sees the others."""
    kb = Reasoner(profile="none", equality="none")
    kb.add(parse_text(case["data"], "ntriples"))
    for number, (name, text) in enumerate(case["graphs"].items()):
        kb.add(_own_blanks(text, number), graph=name)
    return query(kb, text_of(case), default_graphs=["urn:reasoner:default"])


def _own_blanks(text: str, number: int) -> list[tuple[str, str, str]]:
    """Read a graph with blank nodes that are its own."""

    def own(term: str) -> str:
        return term.replace("_:", f"_:g{number}", 1) if term.startswith("_:") else term

    return [(own(s), p, own(o)) for s, p, o in parse_text(text, "ntriples")]
