"""What is asked of a store in files brings to the driver what it is about, and not the store."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from loaders.dictionary import Dictionary
from reasoner import Reasoner, ReasonerError
from reasoner.columnar.membership import facts_about
from reasoner.spark.facts import DRIVER_ROWS_VARIABLE
from reasoner.spark.query.evaluate import FirstOfTask
from reasoner.sparql.order import sorting_order
from reasoner.sparql.terms import QueryTerms
from tests.spark.test_reasoner import SUBCLASS, TYPE, fact, iri, on_spark, quick  # noqa: F401


@pytest.fixture(scope="module")
def kb(quick):  # noqa: F811
    """A store in files of which the driver takes few rows at a time."""
    kb = on_spark(quick, driver_rows=10)
    kb.add([fact(f"x{n} in g{n % 3}") for n in range(90)] + [fact("g0 part h")])
    kb.materialise()
    kb.store.spark.place.fetched_rows = 50
    yield kb
    kb.store.close()


def test_a_table_is_read_about_the_terms_that_are_asked_for(kb):
    table = kb.store.state.facts.table(kb.store.id_of(iri("in")))
    before = kb.statistics

    found = table.objects_of(kb.store.id_of(iri("x7")))

    assert found.tolist() == [kb.store.id_of(iri("g1"))]
    assert (kb.statistics - before).rows_to_driver == 1


def test_more_facts_than_the_driver_takes_are_refused_with_their_number_and_never_half_known(kb):
    facts = kb.store.state.facts
    facts.forget()
    table = facts.table(kb.store.id_of(iri("in")))

    with pytest.raises(ReasonerError, match=r"90 facts, all of <http://e\.org/in>, would come to the driver, which"):
        table.pairs()
    with pytest.raises(ReasonerError, match=r"more than 50 facts about .* would come to the driver"):
        table.object_runs(np.array([kb.store.id_of(iri(f"g{n}")) for n in range(3)]))
    assert table.subjects_of(kb.store.id_of(iri("g0"))).size == 30
    with pytest.raises(ReasonerError, match=r"all 91 facts would come to the driver"):
        facts.columns()


def test_facts_about_a_term_are_found_among_many_predicates(quick):  # noqa: F811
    kb = on_spark(quick, driver_rows=10)
    kb.add([fact(f"a p{n} b{n}") for n in range(70)])
    kb.materialise()

    found = facts_about(kb.store.state.facts, np.array([kb.store.id_of(iri("b7"))]))

    assert kb.store.texts(found) == [fact("a p7 b7")]
    kb.store.close()


def test_what_reads_many_facts_is_left_to_spark_and_gives_the_same(kb):
    expected = Reasoner("none")
    expected.add(kb.triples())

    for patterns in ("?x {in} ?y, ?y {part} ?z", "?x {in} ?y, not ?y {part} {h}", "{x7} {in} ?y", "?x {in} ?x"):
        text = patterns.format(**{name: iri(name) for name in ("in", "part", "h", "x7")})
        assert kb.select(text) == expected.select(text)
    text = 'PREFIX e: <http://e.org/> ?x e:in ?y, differentValue("1", "2")'
    assert kb.select(text, ["y"]) == expected.select(text, ["y"])
    assert sorted(kb.quads()) == sorted(expected.quads())


def test_an_update_whose_pattern_matches_much_is_matched_by_spark(quick):  # noqa: F811
    update = """PREFIX e: <http://e.org/>
        DELETE { ?x e:in ?y } INSERT { ?y e:has ?x . GRAPH e:g { ?y e:has [] } } WHERE { ?x e:in ?y . ?y e:part e:h }"""
    found, expected = on_spark(quick, driver_rows=10), Reasoner("none")
    for each in (found, expected):
        each.add([fact(f"x{n} in g{n % 40}") for n in range(2100)] + [fact("g0 part h"), fact("g1 part h")])
        each.materialise()

    deltas = [each.update(update) for each in (found, expected)]

    assert deltas[0].counts == deltas[1].counts
    assert found.graphs() == expected.graphs()
    assert sorted(t for t in found.triples() if "_:" not in t[2]) == sorted(
        t for t in expected.triples() if "_:" not in t[2]
    )
    found.store.close()


def test_the_number_of_rows_at_the_driver_is_a_number(quick, monkeypatch):  # noqa: F811
    monkeypatch.setenv(DRIVER_ROWS_VARIABLE, "many")

    with pytest.raises(ReasonerError, match="REASONER_DRIVER_ROWS is 'many'; set it to a number of facts"):
        Reasoner("none", engine="spark", session=quick)


def test_a_rehearsal_is_done_where_the_facts_are_and_leaves_the_store_as_it_was(quick):  # noqa: F811
    script = """prefix : <http://e.org/>
        step "groups"
          add SubClassOf(:Dog :Animal)"""
    dogs = [(iri(f"d{n}"), TYPE, iri("Dog")) for n in range(30)]
    found, expected = on_spark(quick, driver_rows=10, profile="rdfs"), Reasoner("rdfs")
    for kb in (found, expected):
        kb.add([*dogs, (iri("Animal"), SUBCLASS, iri("Being"))])
        kb.materialise()
    before = len(found.store.dictionary), len(found.store.state.facts)

    reports = [kb.evolve(script, dry_run=True) for kb in (found, expected)]

    assert found.store.is_distributed
    assert [step.facts for step in reports[0].steps] == [step.facts for step in reports[1].steps]
    assert (len(found.store.dictionary), len(found.store.state.facts)) == before
    found.store.close()


@pytest.mark.parametrize("descending", [False, True])
def test_the_first_rows_of_a_task_are_those_that_sorting_all_puts_first(descending):
    number = "<http://www.w3.org/2001/XMLSchema#integer>"
    keys = [None, *(f'"{n * 7 % 100}"^^{number}' for n in range(100)), *(f"<http://e.org/{n % 9}>" for n in range(20))]
    batches = [
        pa.RecordBatch.from_pydict({"key": keys[at : at + 13], "row": list(range(at, min(at + 13, len(keys))))})
        for at in range(0, len(keys), 13)
    ]

    (kept,) = FirstOfTask(5, ["key"], [descending])(batches)

    terms = QueryTerms(Dictionary())
    order = sorting_order([(terms.encode(keys), descending)], terms)
    assert kept.column("key").to_pylist() == [keys[row] for row in order[:5].tolist()]
