"""What subscriptions deliver adds up to the difference between full answers, on random programs and updates."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.sparql import answer_changes
from reasoner.subscriptions.subscription import AnswerChange
from tests.strategies import RANDOM, minimised, programs, updates

# Joins, projections, constants, variables that recur, any predicate, equality, filters, and what is compared whole.
QUERIES = (
    "?x <p> ?y",
    "?x <p> ?y, ?y <q> ?z",
    "?x ?p ?x",
    "?x a ?c",
    "?x owl:sameAs ?y",
    "<a> ?p ?y, ?x ?p <b>",
    "?x ?p ?y, ?p ?q ?z",
    "?x <p> ?y, not ?y <q> ?x",
    "SELECT ?x { ?x <p> ?y . ?y <q> ?z }",
    "SELECT DISTINCT ?y ?nothing { ?x a <A> . ?x ?p ?y }",
    "SELECT ?x { ?x <p> [] ; <q> [] }",
    "ASK { ?x <p> ?y . ?y <p> ?x }",
    "ASK { <a> <p> <b> }",
    "{ ?x <p> ?y FILTER(?x != ?y && isIRI(?y)) }",
    "SELECT ?x { ?x <r> ?y FILTER(STR(?y) > 'a') }",
    "SELECT ?x ?y { ?x <p> ?y OPTIONAL { ?y <q> ?z } }",
    "SELECT ?c (COUNT(*) AS ?n) { ?x a ?c } GROUP BY ?c",
    "SELECT ?y { <a> <p>+ ?y }",
)


class Ledger:
    """Adds up what a subscription delivers."""

    def __init__(self, kb: Reasoner, query: str) -> None:
        self.kb = kb
        self.query = query
        self.subscription = kb.subscribe(query, self.take, initial=True)
        self.numbers: list[int] = []

    def take(self, change: AnswerChange) -> None:
        if change.initial:
            self.answers = Counter(change.added)
            return
        assert change.added or change.removed
        self.numbers.append(change.number)
        for row in change.removed:
            self.answers[row] -= 1
        for row in change.added:
            self.answers[row] += 1

    def check(self) -> None:
        """Compare with asking from scratch."""
        assert set(self.answers.values()) <= {0, 1}, self.query
        assert {row for row, count in self.answers.items() if count} == full_answers(self.kb, self.query), self.query
        assert self.numbers == sorted(set(self.numbers))


def full_answers(kb: Reasoner, query: str) -> set[tuple[str | None, ...]]:
    """Ask a query by the evaluator that subscriptions replace; patterns are put into SPARQL by hand."""
    if query.startswith(("?", "<")):
        parts = [part.strip() for part in query.split(",")]
        body = " ".join(
            f"FILTER NOT EXISTS {{ {part[4:]} }}" if part.startswith("not ") else f"{part} ." for part in parts
        )
        query = f"PREFIX owl: <http://www.w3.org/2002/07/owl#> SELECT * {{ {body} }}"
    elif query.startswith("{"):
        query = "SELECT * " + query
    result = kb.query(query, terms="text")
    if query.startswith("ASK"):
        return {()} if result.rows()[0] else set()
    return set(result.rows())


def check_program(program, steps, equality: str, **settings: object) -> None:
    kb = Reasoner(profile="none", equality=equality)
    kb.add_rules(program.rules)
    kb.add(program.facts)
    ledgers = [Ledger(kb, query) for query in QUERIES]
    for added, removed in steps:
        with kb.transaction() as change:
            change.remove(list(removed))
            change.add(list(added))
        for ledger in ledgers:
            ledger.check()


@pytest.mark.parametrize("equality", ["rewrite", "none", "axiomatise"])
@settings(RANDOM, max_examples=20)
@given(data=st.data())
def test_deliveries_add_up_to_the_difference_of_answers(equality, data):
    with_equality = equality != "none"
    # Over the axioms of equality every negation is above owl:sameAs and below it.
    allowed = {"equality": with_equality, "variable_predicates": True, "negation": equality != "axiomatise"}
    program = data.draw(programs(**allowed, constraints=False))
    steps = data.draw(updates(program.facts, equality=with_equality))

    minimised(lambda smaller: check_program(smaller, steps, equality))(program)


@settings(RANDOM, max_examples=10)
@given(data=st.data())
def test_massive_changes_are_compared_whole_with_the_same_result(data):
    program = data.draw(programs(constraints=False))
    steps = data.draw(updates(program.facts))

    few = answer_changes._FEW
    answer_changes._FEW = 0
    try:
        check_program(program, steps, "rewrite")
    finally:
        answer_changes._FEW = few
