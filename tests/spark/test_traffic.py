"""What comes to the driver: little of a store that is in files, whatever is asked of it."""

from __future__ import annotations

import pytest

from reasoner import Reasoner
from reasoner.spark.platform.traffic import Statistics
from tests.spark.test_reasoner import TYPE, fact, iri, on_spark, quick  # noqa: F401

RULES = """PREFIX e: <http://e.org/>
?x a e:Member :- ?x e:in ?y .
?x e:in ?z :- ?x e:in ?y, ?y e:part ?z .
false :- ?x e:in ?y, ?x e:bars ?y .
"""
SIZE = 6000


@pytest.fixture(scope="module")
def kb(quick):  # noqa: F811
    """A store whose facts are all in files."""
    kb = on_spark(quick, driver_rows=500)
    kb.add_rules(RULES)
    kb.add([fact(f"x{n} in g{n % 60}") for n in range(SIZE)] + [fact(f"g{n} part h{n % 5}") for n in range(60)])
    kb.add([fact("x7 bars h2")])
    yield kb
    kb.store.close()


def taken(kb, work):
    before = kb.statistics
    work()
    return kb.statistics - before


def test_rows_that_come_to_the_driver_are_counted_and_few(kb):
    """Reasoning gives more than 18,000 facts, of which a question and a small update take what they are about."""
    found = {
        "materialise": taken(kb, kb.session.materialise),
        "explain": taken(kb, lambda: kb.explain((iri("x7"), iri("in"), iri("h2")))),
        "violations": taken(kb, lambda: kb.violations()),
        "update": taken(
            kb, lambda: kb.update("INSERT DATA { <http://e.org/new> <http://e.org/in> <http://e.org/g3> }")
        ),
        "query": taken(kb, lambda: kb.query("SELECT ?x { ?x <http://e.org/in> <http://e.org/h2> } LIMIT 10")),
    }
    assert len(kb.store.state.facts) > 3 * SIZE
    assert found["materialise"].rows_to_driver < 500
    assert found["explain"].rows_to_driver < 2 * SIZE / 60 + 100
    assert found["update"].rows_to_driver < 500
    assert found["query"].rows_to_driver == 10
    # The one violation, and what tells whether it repeats another.
    assert found["violations"].rows_to_driver < 10
    assert found["materialise"].jobs > 0, found
    assert all(each.rows_to_driver > 0 for name, each in found.items() if name != "materialise"), found


def test_progress_tells_rounds_facts_and_jobs(quick):  # noqa: F811
    kb = on_spark(quick, driver_rows=0)
    kb.add_rules(RULES)
    kb.add([fact("x in g"), fact("g part h")])
    news: list[str] = []

    kb.materialise(progress=news.append)

    assert any(text.startswith("round 1: ") and text.endswith(" jobs") and "new facts, " in text for text in news)
    assert kb.statistics.jobs > 0
    kb.store.close()


def test_nothing_is_counted_without_spark():
    kb = Reasoner("none")
    kb.add([(iri("a"), TYPE, iri("b"))])
    kb.materialise()

    assert kb.statistics == Statistics(0, 0, 0)
    assert kb.statistics.rows_to_driver == 0
