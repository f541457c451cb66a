"""Following streams: a micro-batch is a commit, and none is committed twice, whatever Spark sends again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.spark.store import SparkStore
from reasoner.state import persistence
from tests.spark.quick_session import quickly

E = "http://e.org/"
RULE = f"?x <{E}ancestor> ?y :- ?x <{E}parent> ?y . ?x <{E}ancestor> ?z :- ?x <{E}ancestor> ?y, ?y <{E}ancestor> ?z ."


def line(s: str, p: str, o: str) -> str:
    return f"<{E}{s}> <{E}{p}> <{E}{o}> ."


def put(folder: Path, name: str, *lines: str) -> None:
    """Let a file appear in a folder whole."""
    folder.mkdir(exist_ok=True)
    (folder.parent / name).write_text("\n".join(lines) + "\n")
    # Spark takes files in the order of their times.
    moment = 1_700_000_000 + int(name[0])
    os.utime(folder.parent / name, (moment, moment))
    (folder.parent / name).rename(folder / name)


def stream_of(spark, folder: Path):
    return spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder))


def run(query) -> None:
    query.awaitTermination(120)
    assert query.exception() is None and not query.isActive


NOW = {"availableNow": True}


def test_every_file_is_a_commit_with_what_follows_from_it(spark, tmp_path):
    kb = Reasoner(profile="none")
    kb.add_rules(RULE)
    put(tmp_path / "in", "1.nt", line("a", "parent", "b"))
    put(tmp_path / "in", "2.nt", line("b", "parent", "c"))
    with quickly(spark):
        run(kb.follow(stream_of(spark, tmp_path / "in"), checkpoint=str(tmp_path / "at"), trigger=NOW))

    assert (f"<{E}a>", f"<{E}ancestor>", f"<{E}c>") in set(kb.triples())
    assert kb.followed() == {"stream": 1}


def test_a_batch_that_spark_sends_again_is_passed_over(spark, tmp_path):
    store, where = tmp_path / "store", {"checkpoint": str(tmp_path / "at"), "trigger": NOW, "name": "patches"}
    put(tmp_path / "in", "1.rdfp", f"A {line('a', 'p', 'b')}", f"A {line('a', 'p', 'c')}")
    put(tmp_path / "in", "2.rdfp", f"D {line('a', 'p', 'b')}", f"A {line('a', 'p', 'd')}")
    with quickly(spark):
        with Reasoner.open(store, create=True, profile="none") as kb:
            run(kb.follow(stream_of(spark, tmp_path / "in"), format="patch", **where))
            assert kb.followed() == {"patches": 1}
            # Somebody else takes back what the second batch did, so that doing it again would show.
            kb.remove((f"<{E}a>", f"<{E}p>", f"<{E}d>"))
        # Spark has processed the batch, but crashed before it noted so.
        for noted in (tmp_path / "at" / "commits").glob("*1*"):
            noted.unlink()
        put(tmp_path / "in", "3.rdfp", f"A {line('a', 'p', 'e')}")
        with Reasoner.open(store) as kb:
            assert kb.followed() == {"patches": 1}
            run(kb.follow(stream_of(spark, tmp_path / "in"), format="patch", **where))
            assert {o for _, _, o in kb.triples()} == {f"<{E}c>", f"<{E}e>"}
            assert kb.followed() == {"patches": 2}


def test_a_batch_that_fails_is_not_counted(spark, tmp_path):
    store, where = tmp_path / "store", {"checkpoint": str(tmp_path / "at"), "trigger": NOW}
    put(tmp_path / "in", "1.rdfp", f"A {line('a', 'p', 'b')}")
    put(tmp_path / "in", "2.rdfp", "this is no patch")
    with quickly(spark), Reasoner.open(store, create=True, profile="none") as kb:
        query = kb.follow(stream_of(spark, tmp_path / "in"), format="patch", **where)
        with pytest.raises(Exception, match="expected H, TX, TC"):
            query.awaitTermination(120)

        assert kb.followed() == {"stream": 0}
        assert len(set(kb.triples())) == 1
        with pytest.raises(ReasonerError, match="without its checkpoint"):
            kb.follow(stream_of(spark, tmp_path / "in"), format="patch")
    shutil.rmtree(tmp_path / "at")


@pytest.mark.parametrize("engine", ["columnar", "spark"])
def test_another_checkpoint_under_a_known_name_is_refused(spark, tmp_path, monkeypatch, engine):
    """Its batches begin with number 0, which is known: they would all be passed over."""
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 0)
    place = {"engine": engine, "session": spark} if engine == "spark" else {}
    first, second = ({"checkpoint": str(tmp_path / name), "trigger": NOW} for name in ("first", "second"))
    store, folder = tmp_path / "store", tmp_path / "in"
    put(folder, "1.nt", line("a", "p", "b"))
    with quickly(spark):
        with Reasoner.open(store, create=True, profile="none", **place) as kb:
            run(kb.follow(stream_of(spark, folder), **first))
        put(folder, "2.nt", line("a", "p", "c"))
        with Reasoner.open(store, **place) as kb:
            with pytest.raises(ReasonerError, match=r"up to batch 0, .*second is empty: .*another name"):
                kb.follow(stream_of(spark, folder), **second)
            run(kb.follow(stream_of(spark, folder), name="other", **second))
            assert kb.followed() == {"stream": 0, "other": 1}
            with pytest.raises(ReasonerError, match=r"followed by query .* up to batch 0, .*second is that of query"):
                kb.follow(stream_of(spark, folder), **second)
            run(kb.follow(stream_of(spark, folder), **first))
            assert kb.followed() == {"stream": 1, "other": 1}
            assert len(set(kb.triples())) == 2


def test_two_queries_under_one_name_do_not_pass_over_batches_of_each_other(spark, tmp_path):
    kb = Reasoner(profile="none")
    for name in ("slow", "fast"):
        (tmp_path / name).mkdir()
    with quickly(spark):
        slow = kb.follow(stream_of(spark, tmp_path / "slow"), checkpoint=str(tmp_path / "one"))
        try:
            put(tmp_path / "fast", "1.nt", line("a", "p", "b"))
            run(kb.follow(stream_of(spark, tmp_path / "fast"), checkpoint=str(tmp_path / "two"), trigger=NOW))
            put(tmp_path / "slow", "2.nt", line("a", "p", "c"))
            with pytest.raises(Exception, match="is followed by two queries"):
                slow.awaitTermination(120)
        finally:
            slow.stop()

    assert len(set(kb.triples())) == 1


def test_a_store_that_knows_the_batch_alone_is_followed_on(spark, tmp_path, monkeypatch):
    """As earlier versions have written it."""
    store, folder, at = tmp_path / "store", tmp_path / "in", str(tmp_path / "at")
    put(folder, "1.nt", line("a", "p", "b"))
    with quickly(spark):
        with monkeypatch.context() as patch:
            patch.setattr(
                persistence, "progress_to_keep", lambda streams: {name: at.batch for name, at in streams.items()}
            )
            with Reasoner.open(store, create=True, profile="none") as kb:
                run(kb.follow(stream_of(spark, folder), checkpoint=at, trigger=NOW))
        put(folder, "2.nt", line("a", "p", "c"))
        with Reasoner.open(store) as kb:
            assert kb.followed() == {"stream": 0}
            with pytest.raises(ReasonerError, match="nowhere is empty"):
                kb.follow(stream_of(spark, folder), checkpoint=str(tmp_path / "nowhere"))
            run(kb.follow(stream_of(spark, folder), checkpoint=at, trigger=NOW))
            assert kb.followed() == {"stream": 1}


def test_what_cannot_be_followed_is_refused(spark, tmp_path):
    kb = Reasoner(profile="none")
    with pytest.raises(ReasonerError, match="no stream"):
        kb.follow(spark.range(1))
    with pytest.raises(ReasonerError, match="column value"):
        kb.follow(spark.readStream.format("rate").load().drop("value"))
    with pytest.raises(ReasonerError, match="ntriples, patch"):
        kb.follow(spark.range(1), format="turtle")
