"""Which predicates have facts about a term, against a search through all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.columnar import factset
from reasoner.columnar import factset as predicate_index
from reasoner.columnar.factset import FactSet
from tests.maintenance.stepping import PLAIN
from tests.maintenance.test_strategies import assert_all_agree
from tests.strategies import RANDOM, drawn, programs, updates

IDS = st.integers(0, 14)
FACTS = st.lists(st.tuples(IDS, st.integers(0, 9), IDS), max_size=12, unique=True)
STEPS = st.lists(st.tuples(st.booleans(), FACTS), max_size=8)


def fact_set(facts) -> FactSet:
    return FactSet.of_columns(*np.array(sorted(facts), dtype=np.int64).reshape(-1, 3).T)


@pytest.fixture(params=[2, 1024], ids=["with large tables", "small tables"], autouse=True)
def always_indexed(request, monkeypatch):
    monkeypatch.setattr(factset, "_INDEXED_FROM", 1)
    monkeypatch.setattr(predicate_index, "_INDEXED_UP_TO", request.param)


def test_every_predicate_with_a_fact_about_a_term_is_found():
    @settings(max_examples=200, deadline=None)
    @given(FACTS, STEPS, st.lists(IDS, min_size=1, max_size=3, unique=True))
    def check(start, steps, terms):
        found, expected = fact_set(start), set(start)
        wanted = np.array(sorted(terms), dtype=np.int64)
        for adds, facts in steps:
            found.predicates_about(wanted)
            if adds:
                found = found.union(fact_set(set(facts) - expected))
                expected |= set(facts)
            else:
                found = found.difference(fact_set(facts))
                expected -= set(facts)
            about = {p for s, p, o in expected if {s, p, o} & set(terms)}
            assert about <= set(found.predicates_about(wanted)) <= {p for _, p, _ in expected}
            assert len(found) == len(expected)

    check()


def test_few_predicates_are_found_for_a_term_of_few():
    facts = fact_set((1000 + at, at, 2000 + at) for at in range(200))

    assert facts.predicates_about(np.array([1007])) == [7]
    grown = facts.union(fact_set([(1007, 300, 5), (9, 12, 1007)]))
    assert sorted(grown.predicates_about(np.array([1007]))) == [7, 12, 300]
    assert sorted(grown.difference(fact_set([(1007, 7, 2007)])).predicates_about(np.array([1007]))) == [12, 300]


@settings(RANDOM, max_examples=drawn(25))
@given(st.data())
def test_strategies_agree_where_every_predicate_is_looked_up(data):
    program = data.draw(programs(negation=False, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(factset, "_INDEXED_FROM", 1)
        assert_all_agree(program, steps, PLAIN, equality="rewrite", modules=True)
