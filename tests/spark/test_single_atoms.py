"""Rules with one body atom are one join, and write what each of them would write."""

from __future__ import annotations

import pytest

from reasoner.spark.body import gathered
from reasoner.spark.chaining import body_over
from tests.notation import facts, rules
from tests.spark.engines import Engines, pairs
from tests.strategies import Program

SIMPLE = """?x type D :- ?x type C
?x type E :- ?x type C
?x r ?y :- ?x p ?y
?y q ?x :- ?x p ?y
?x type C :- ?x q ?y
?y type D :- ?x q ?y
?x q b :- ?x type C
a q ?y :- ?x r ?y"""
OTHERS = """?x type D :- ?x p b
?x type C :- ?x p ?x
?x q ?z :- ?x type ?z
?x q ?y :- ?x ?z ?y
?y type C :- a p ?y
?x r ?z :- ?x p ?y, ?y q ?z
?x type D :- ?x p ?y, not ?x type C"""
SAME = """?y same ?x :- ?x r ?y
?x q ?y :- ?x same ?y"""
FACTS = "a p b, b p b, c q a, a r c, a type C, b type C, c type D, c type E, a same b"


def gathered_in_files(spark, text, *, equality):
    """Return what is gathered of rules, and the heads that both engines find for all of them."""
    engines = Engines(spark, Program(tuple(rules(text)), tuple(facts(FACTS))), equality=equality)
    spark_engine, driver = engines.spark.engine, engines.columnar.engine
    given = engines.spark.placed(engines.explicit)
    assert given.local is None
    plans = driver.compile(engines.columnar.program.rules)
    found = gathered((body_over(plan, given.segments) for plan in plans), equality=equality)
    heads = spark_engine.to_facts(spark_engine.evaluate(plans, given)), driver.evaluate(plans, engines.explicit)
    return *found, *map(pairs, heads)


@pytest.mark.parametrize("equality", [True, False])
def test_simple_rules_are_one_query(spark, equality):
    single, others, heads, expected = gathered_in_files(spark, SIMPLE, equality=equality)

    assert [len(each.rows) for each in single] == [8]
    assert single[0].query().count("JOIN") == 1
    assert others == []
    assert heads == expected


@pytest.mark.parametrize("equality", [True, False])
def test_what_is_not_so_simple_is_left_alone(spark, equality):
    single, others, heads, expected = gathered_in_files(spark, OTHERS, equality=equality)

    assert single == []
    assert sum(len(body.plan.template.rules) for body in others) == 7
    assert heads == expected


def test_rules_about_equality_are_simple_only_without_it(spark):
    single, others, heads, expected = gathered_in_files(spark, SAME, equality=True)
    assert (single, len(others)) == ([], 2)
    assert heads == expected

    single, others, heads, expected = gathered_in_files(spark, SAME, equality=False)
    assert ([len(each.rows) for each in single], others) == ([2], [])
    assert heads == expected


def test_a_list_of_many_classes_is_not_written_out(spark):
    many = "\n".join(f"?x type D{at} :- ?x type C{at}" for at in range(150))

    (single,), _, heads, expected = gathered_in_files(spark, f"{many}\n?x type D :- ?x type C", equality=False)

    assert len(single.rows) == 151
    assert "o IN" not in single.query()
    assert heads == expected
