"""Both engines read and write the same stores on disk."""

from __future__ import annotations

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.columnar import persisted
from reasoner.spark import store_home, term_files
from reasoner.spark.query import answer, frames
from reasoner.spark.store import SparkStore
from reasoner.store.folder import is_store
from tests.notation import RDF_TYPE
from tests.spark.test_reasoner import CHANGE, FACTS, FEW_RULES, fact, filled, on_spark, quick, seen  # noqa: F401
from tests.store.stored_rules import other_rules
from tests.store.test_rules import ANCESTORS, subclass


def changed(kb):
    with kb.transaction(strategy="bf") as change:
        change.remove(CHANGE[0])
        change.add(CHANGE[1])
    return kb


def test_what_spark_wrote_is_opened_and_changed_by_the_columnar_engine(quick, tmp_path, monkeypatch):  # noqa: F811
    # Even few facts of a predicate are then worth a file.
    monkeypatch.setattr(persisted, "_FEWEST", 2)
    kb = filled(on_spark(quick, driver_rows=4), FEW_RULES)
    expected = seen(kb)

    kb.save(tmp_path / "store")

    with Reasoner.open(tmp_path / "store") as opened:
        assert opened.is_materialised
        assert seen(opened) == expected
        changed(opened)
    again = Reasoner.open(tmp_path / "store", read_only=True)
    assert seen(again) == seen(changed(filled(Reasoner("none"), FEW_RULES)))


def test_what_the_columnar_engine_wrote_is_opened_and_changed_by_spark(quick, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(persisted, "_FEWEST", 2)
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 4)
    filled(Reasoner("none")).save(tmp_path / "store")
    expected = changed(filled(Reasoner("none")))

    with Reasoner.open(tmp_path / "store", engine="spark", session=quick) as kb:
        changed(kb)
        assert kb.version == 2
        assert seen(kb) == seen(expected)

    for settings in ({}, {"engine": "spark", "session": quick}):
        assert seen(Reasoner.open(tmp_path / "store", read_only=True, **settings)) == seen(expected)
    assert seen(Reasoner.open(tmp_path / "store", version=1)) == seen(filled(Reasoner("none")))


def test_what_spark_keeps_survives_a_vacuum(quick, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 4)
    settings = {"engine": "spark", "session": quick}

    with Reasoner.open(tmp_path, create=True, profile="none", **settings) as kb:
        filled(kb, FEW_RULES)
        kb.materialise()
        changed(kb)
        kb.vacuum()
        found = seen(kb)

    assert found == seen(changed(filled(Reasoner("none"), FEW_RULES)))
    assert seen(Reasoner.open(tmp_path, read_only=True)) == found


@pytest.mark.parametrize("first", ["spark", "columnar"])
def test_rules_that_one_engine_wrote_are_those_of_the_other(quick, tmp_path, monkeypatch, caplog, first):  # noqa: F811
    """Terms stay in files, so that the ids of constants come from there."""
    monkeypatch.setattr(term_files, "DRIVER_TERMS", 8)
    engines = {"columnar": {}, "spark": {"engine": "spark", "session": quick}}
    second = "columnar" if first == "spark" else "spark"
    kb = Reasoner("dlp", **engines[first])
    kb.add(subclass(number) for number in range(2, 12))
    kb.add_rules(ANCESTORS)
    kb.save(tmp_path)
    before = other_rules(tmp_path)

    with Reasoner.open(tmp_path, **engines[second]) as opened:
        assert [rule.name for rule in opened.own_rules()] == ["direct", "through others", "direct"]
        opened.update("INSERT DATA { <http://e.org/a> a <http://e.org/C11> }")
        assert opened.version == 2 and other_rules(tmp_path) == before
        opened.remove(subclass(7))
        with opened.transaction() as change:
            change.add(("<http://e.org/new>", subclass(7)[1], "<http://e.org/C2>"))
    expected = {constants for _, constants in before} - {(subclass(7)[2], subclass(7)[0])}
    expected |= {("<http://e.org/C2>", "<http://e.org/new>")}
    assert {constants for _, constants in other_rules(tmp_path)} == expected
    with Reasoner.open(tmp_path, **engines[first]) as again:
        again.update("INSERT DATA { <http://e.org/b> a <http://e.org/new> }")
        assert ("<http://e.org/b>", RDF_TYPE, "<http://e.org/C1>") in set(again.triples())
    assert not [record for record in caplog.records if record.name == "reasoner.store"]


@pytest.mark.parametrize("engines", [("spark", "columnar"), ("columnar", "spark")])
def test_engines_take_turns(quick, tmp_path, engines):  # noqa: F811
    session = {"spark": {"session": quick}, "columnar": {}}
    first, second = engines
    with Reasoner.open(tmp_path, create=True, profile="none", engine=first, **session[first]) as kb:
        filled(kb)
    with Reasoner.open(tmp_path, engine=second, **session[second]) as kb:
        changed(kb)
    with Reasoner.open(tmp_path, engine=first, **session[first]) as kb:
        kb.remove(fact("m likes d"))

    expected = changed(filled(Reasoner("none")))
    expected.remove(fact("m likes d"))
    again = Reasoner.open(tmp_path, read_only=True)
    assert seen(again) == seen(expected)
    assert FACTS[4] not in set(again.triples())


def test_a_failure_of_spark_is_told_by_whoever_meets_it(quick, tmp_path, monkeypatch):  # noqa: F811
    from pyspark.errors import PySparkRuntimeError

    def fail(*_, **__):
        raise PySparkRuntimeError("task 3: java.lang.OutOfMemoryError: Java heap space")

    kb = on_spark(quick, driver_rows=0)
    kb.add(FACTS)
    kb.materialise()
    monkeypatch.setattr(store_home, "write_base", fail)
    monkeypatch.setattr(frames, "closure_frame", fail)
    monkeypatch.setattr(answer, "query", fail)

    for work in (lambda: kb.save(tmp_path / "kb"), kb.dataframe, lambda: kb.query("ASK { ?s ?p ?o }")):
        with pytest.raises(ReasonerError, match="Spark has failed: a process of Spark has run out of memory; raise"):
            work()
    assert not is_store(tmp_path / "kb")
