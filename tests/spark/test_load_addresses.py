"""Loading by the executors through the reasoner: from any file system of Spark, into any graph."""

from __future__ import annotations

from itertools import count

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.spark import store_write
from tests.spark.test_reasoner import FACTS, iri, quick  # noqa: F401

HOSTS = count()
LINES = "".join(f"{' '.join(each)} .\n" for each in FACTS)


@pytest.fixture
def kb(quick, monkeypatch):  # noqa: F811
    monkeypatch.setattr(store_write, "SMALL_BYTES", 0)
    return Reasoner("none", engine="spark", session=quick)


@pytest.fixture
def elsewhere(quick, tmp_path):  # noqa: F811
    """Show a folder at an address that Spark alone can read, as that of a cluster's file system."""
    # Spark remembers what it has seen of a host.
    host = f"host{next(HOSTS)}"
    settings = quick.sparkContext._jsc.hadoopConfiguration()
    settings.set(f"fs.viewfs.mounttable.{host}.link./data", tmp_path.as_uri())
    yield f"viewfs://{host}/data"
    settings.unset(f"fs.viewfs.mounttable.{host}.link./data")


def test_a_local_file_can_be_named_by_its_address(kb, tmp_path):
    (tmp_path / "data.nt").write_text(LINES)

    report = kb.load((tmp_path / "data.nt").as_uri())

    assert report.statements == len(FACTS)
    assert sorted(kb.triples()) == sorted(FACTS)


def test_files_of_another_file_system_are_loaded(kb, tmp_path, elsewhere):
    (tmp_path / "data.nt").write_text(LINES)
    (tmp_path / "more.ttl").write_text("<http://e.org/x> <http://e.org/y> <http://e.org/z> .")
    (tmp_path / "local.nt").write_text(LINES)

    report = kb.load(f"{elsewhere}/data.nt", f"{elsewhere}/*.ttl", tmp_path / "local.nt")

    assert (report.files, report.statements) == (3, 2 * len(FACTS) + 1)
    assert sorted(kb.triples()) == sorted([*FACTS, (iri("x"), iri("y"), iri("z"))])


@pytest.mark.parametrize("name", ["data.nt", "data.nq"])
def test_a_load_can_name_the_graph_of_all_that_it_brings(kb, tmp_path, elsewhere, name):
    text = LINES if name.endswith("nt") else LINES.replace(" .\n", " <http://e.org/other> .\n")
    (tmp_path / name).write_text(text)

    kb.load(f"{elsewhere}/{name}", graph=iri("g"))

    assert kb.graphs() == {iri("g"): len(FACTS)}
    assert sorted(kb.triples(graph=iri("g"))) == sorted(FACTS)


def test_an_address_that_stands_for_nothing_is_named(kb, elsewhere):
    with pytest.raises(ReasonerError, match=r"no such file: viewfs://host.*/missing\.nt"):
        kb.load(f"{elsewhere}/missing.nt", graph=iri("g"))
    with pytest.raises(ReasonerError, match='No FileSystem for scheme "nowhere"'):
        kb.load("nowhere://host/data.nt")
    assert list(kb.triples()) == []


def test_quads_in_a_graph_that_is_reserved_are_refused_and_leave_nothing(kb, tmp_path):
    (tmp_path / "data.nq").write_text(
        f"{' '.join(FACTS[0])} <urn:reasoner:inferred> .\n{' '.join(FACTS[1])} <http://e.org/g> .\n"
    )
    known = len(kb.store.dictionary)

    with pytest.raises(ReasonerError, match="<urn:reasoner:inferred> can be asked and not changed"):
        kb.load(tmp_path / "data.nq")

    assert (len(kb.store.dictionary), kb.graphs(), list(kb.triples())) == (known, {}, [])


def test_a_failure_of_spark_is_told_by_what_it_means(kb, tmp_path, monkeypatch):
    from pyspark.errors import PySparkRuntimeError

    from reasoner.spark.loading import load as loading

    def fail(*_):
        raise PySparkRuntimeError("task 3: No space left on device")

    (tmp_path / "data.nt").write_text(LINES)
    monkeypatch.setattr(loading, "number_terms", fail)

    with pytest.raises(ReasonerError, match="Spark has failed: there is no space left for what Spark writes"):
        kb.load(tmp_path / "data.nt")
