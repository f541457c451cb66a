"""The files that executors write: evenly large, on disk in time, and read no further than a lookup needs."""

from __future__ import annotations

import random

import numpy as np
import pytest

from reasoner import Reasoner
from reasoner.columnar import persisted
from reasoner.columnar.factset import FactSet
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import table_of
from reasoner.spark import store_home
from reasoner.spark.store import SparkStore
from reasoner.store import folder
from reasoner.store.local_disk import LocalDisk
from reasoner.terms.term import TYPE
from tests.spark.scans import scans_of
from tests.spark.test_reasoner import on_spark

E = "http://e.org/"
A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
MEMBERS, PAIRS = 19_000, 800


def iri(name):
    return f"<{E}{name}>"


def of_one_class():
    """Draw facts of which 95 % are members of one class."""
    draw = random.Random(1)
    things = [iri(f"thing{n}") for n in range(MEMBERS)]
    draw.shuffle(things)
    yield from ((thing, A, iri("Thing")) for thing in things)
    yield from ((things[n], A, iri(f"Rare{n % 20}")) for n in range(100))
    yield from ((iri(f"thing{n * 20}"), iri("knows"), things[draw.randrange(MEMBERS)]) for n in range(PAIRS))
    yield from ((things[n], iri(f"seldom{n % 10}"), things[n + 1]) for n in range(100))


@pytest.fixture(scope="module")
def skewed(spark, tmp_path_factory):
    """Write a store of some forty files, most of them of one class; note what was on disk before its version was."""
    path = tmp_path_factory.mktemp("skewed") / "kb"
    synced, on_disk = [], []
    sync, replace = LocalDisk.sync, LocalDisk.replace
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(persisted, "_FEWEST", 200)
        patch.setattr(store_home, "FILE_ROWS", 500)
        patch.setattr(LocalDisk, "sync", lambda disk, paths: sync(disk, synced.extend(each := list(paths)) or each))
        patch.setattr(LocalDisk, "replace", lambda *given: on_disk.extend(synced) or replace(*given))
        kb = on_spark(spark, driver_rows=0)
        kb.add(of_one_class())
        kb.save(path)
    return path, set(on_disk)


@pytest.fixture(scope="module")
def large(spark, skewed):
    """Open the store with Spark, all facts in files, and let it find out once what it wants to know of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 0)
        kb = Reasoner.open(skewed[0], read_only=True, engine="spark", session=spark)
        kb.query("ASK { ?s ?p ?o }")
        yield kb


def files_of(path, predicate):
    return [segment for segment in folder.read_manifest(path).segments("facts") if segment.predicate == predicate]


def test_a_class_with_most_of_the_facts_is_written_by_several_tasks(spark, skewed):
    types = files_of(skewed[0], TYPE)

    assert spark.conf.get("spark.sql.adaptive.enabled") == "true"
    assert sum(segment.rows for segment in types) == MEMBERS + 100
    assert len(types) >= 30
    assert max(segment.rows for segment in types) < 1500


def test_files_of_executors_are_on_disk_before_a_version_names_them(skewed):
    path, on_disk = skewed

    assert {path / name for name in folder.read_manifest(path).paths} <= on_disk


def test_a_class_in_several_files_is_read_by_both_engines(skewed, large):
    facts = set(of_one_class())
    rare = {s for s, _, o in facts if o == iri("Rare7")}

    for kb in (Reasoner.open(skewed[0], read_only=True), large):
        assert len(kb.query(f"SELECT ?x {{ ?x a {iri('Thing')} }}", terms="text")) == MEMBERS
        assert {row.x for row in kb.query(f"SELECT ?x {{ ?x a {iri('Rare7')} }}", terms="text")} == rare
        assert set(kb.triples()) == facts


def asked(spark, kb, query):
    """Return how many answers there are, and the files and rows that were read for them."""
    answers = []
    scans = scans_of(spark, lambda: answers.extend(kb.query(query, terms="text").rows()))
    return len(answers), sum(scan.files for scan in scans), sum(scan.rows for scan in scans)


def test_a_class_is_read_from_the_row_groups_of_its_range(spark, skewed, large):
    answers, files, rows = asked(spark, large, f"SELECT ?x {{ ?x a {iri('Rare7')} }}")

    assert (answers, files) == (5, len(files_of(skewed[0], TYPE)))
    assert rows <= 2 * max(segment.rows for segment in files_of(skewed[0], TYPE)) < MEMBERS / 6


def test_the_facts_of_a_subject_are_read_from_the_row_groups_of_their_range(spark, skewed, large):
    pairs = files_of(skewed[0], large.store.dictionary.lookup(iri("knows")))

    answers, files, rows = asked(spark, large, f"SELECT ?y {{ {iri('thing40')} {iri('knows')} ?y }}")

    assert len(pairs) > 1
    assert (answers, files) == (1, len(pairs))
    assert rows <= max(segment.rows for segment in pairs) < PAIRS


def test_an_object_is_looked_up_in_the_files_of_its_predicate_and_no_others(spark, skewed, large):
    """They are sorted by subject, so that all of their row groups may have it."""
    pairs = files_of(skewed[0], large.store.dictionary.lookup(iri("knows")))
    known = next(o for _, p, o in of_one_class() if p == iri("knows"))

    answers, files, rows = asked(spark, large, f"SELECT ?x {{ ?x {iri('knows')} {known} }}")

    assert (answers > 0, files) == (True, len(pairs))
    assert rows <= PAIRS


def test_what_explicit_facts_stand_for_is_read_from_the_files_of_their_predicates(spark, skewed, large):
    """Under a mapping, facts over representatives may be those of members of a class."""
    engine, explicit = large.store.spark, large.store.state.explicit
    knows = large.store.dictionary.lookup(iri("knows"))
    merged = [(s, o) for s, p, o in of_one_class() if p == iri("knows")][:2]
    (first, o), (second, _) = (tuple(large.store.dictionary.find(pair).tolist()) for pair in merged)
    members = np.array(sorted((first, second)))
    mapping = Representatives(members, np.full(2, members[0]))
    chosen = FactSet.of_columns(members[:1], np.array([knows]), np.array([o]))
    found = []

    scans = scans_of(
        spark,
        lambda: found.append(
            engine.to_facts(engine.standing_for(explicit.spark, mapping, engine.of_facts(chosen))).columns()
        ),
    )

    assert [column.tolist() for column in found[0]] == [[first], [knows], [o]]
    pairs = [segment for segment in folder.read_manifest(skewed[0]).segments("explicit") if segment.predicate == knows]
    assert sum(scan.rows for scan in scans if scan.rows > 1) <= PAIRS
    assert max(scan.files for scan in scans) == len(pairs)


def test_a_rare_predicate_is_read_from_the_shared_files(spark, skewed, large):
    answers, files, rows = asked(spark, large, f"SELECT ?x ?y {{ ?x {iri('seldom3')} ?y }}")

    assert (answers, files) == (10, len(files_of(skewed[0], None)))
    assert rows <= 100


def test_tables_of_a_set_that_spark_holds_can_be_replaced_and_counted(spark):
    store = SparkStore(spark)
    try:
        for number in (1, 2):
            pairs = table_of(np.arange(number), np.arange(number), by_object=False)
            assert len(store.state.explicit.with_tables({7: pairs})) == number
    finally:
        store.close()
