"""This reasoner on Spark: materialisation beside what Spark itself needs, updates, and equality."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

from benchmarks.fact_sample import FactSample
from benchmarks.seconds import Seconds, Stopwatch
from benchmarks.systems.ours import Outcome
from benchmarks.systems.spark_load import TreeClock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from reasoner import Reasoner


def materialise(watch: Stopwatch, *, facts: str, ontology: str, options: dict[str, Any], warm_up: str = "") -> Outcome:
    """Materialise a data set on Spark, and do what cannot be avoided: read, make the closure distinct, and write."""
    session = new_session()
    if warm_up:
        _loaded(session, warm_up, ontology, options).materialise()
    kb = _loaded(session, facts, ontology, options)
    kb.prepare()
    with TreeClock() as clock:
        kb.session.materialise()
        size = len(kb.store.state.facts)
    watch.phases["reason"] = clock.seconds
    watch.phases["round"] = _round_without_news(kb)
    with tempfile.TemporaryDirectory() as folder, TreeClock() as clock:
        engine = kb.store.spark  # type: ignore[attr-defined]
        explicit, closure = (kb.store.state.explicit.spark, kb.store.state.facts.spark)  # type: ignore[attr-defined]
        session.sql(explicit.query().text).write.parquet(f"{folder}/explicit")
        engine.to_frame(closure).distinct().write.parquet(f"{folder}/closure")
    watch.phases["floor"] = clock.seconds
    counts = kb.store.counts()
    result = {name: counts[name] for name in ("explicit", "expanded", "terms")}
    session.stop()
    return result, {"triples": float(size)}


def _round_without_news(kb: Reasoner) -> Seconds:
    """Compare derived facts with the known ones, as a round of a fixpoint does: they are all known."""
    engine, facts = kb.store.spark, kb.store.state.facts.spark  # type: ignore[attr-defined]
    derived = engine.of_facts(engine.to_facts(engine.sample(facts, 1000)))
    with TreeClock() as clock:
        has_news = not engine.is_empty(engine.difference(derived, facts))
    if has_news:
        raise RuntimeError("facts of the materialisation are not in it")
    return clock.seconds


def change(watch: Stopwatch, *, facts: str, ontology: str, sizes: list[int]) -> Outcome:
    """Open a store on Spark that was written before, delete and add facts, and materialise it anew at the end."""
    from reasoner import Reasoner

    session = new_session()
    result: dict[str, int] = {}
    numbers: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        plain = Reasoner("dlp")
        plain.load(facts)
        sample = FactSample(plain.store)
        draws = {size: [sample.draw(size, number) for number in range(2)] for size in sizes}
        plain.load(ontology)
        plain.materialise()
        plain.save(f"{folder}/store")
        kb = Reasoner.open(f"{folder}/store", read_only=True, engine="spark", session=session)
        kb.detach()
        kb.prepare()
        tracker = session.sparkContext.statusTracker()
        for size, drawn in draws.items():
            for chosen in drawn:
                # The first draw warms up, the second counts.
                for kind in ("delete", "add"):
                    before = len(tracker.getJobIdsForGroup(None))
                    with TreeClock() as clock, kb.transaction(strategy="bf") as transaction:
                        (transaction.remove if kind == "delete" else transaction.add)(chosen)
                    watch.phases[f"{kind} {size}"] = clock.seconds
                    numbers[f"jobs to {kind} {size}"] = float(len(tracker.getJobIdsForGroup(None)) - before)
        result["maintained"] = len(kb.store.state.facts) - len(plain.store.state.facts)
        with TreeClock() as clock:
            kb.session.materialise()
            result["materialised"] = len(kb.store.state.facts) - len(plain.store.state.facts)
        watch.phases["materialise"] = clock.seconds
    session.stop()
    return result, numbers


def new_session(settings: dict[str, str] | None = None) -> SparkSession:
    from reasoner.spark.platform.session import spark_session

    usual = {"spark.sql.shuffle.partitions": 4, "spark.driver.memory": "2g"}
    return spark_session(master="local[2]", settings={**usual, **(settings or {})})


def _loaded(session: SparkSession, facts: str, ontology: str, options: dict[str, Any]) -> Reasoner:
    from reasoner import Reasoner

    kb = Reasoner(engine="spark", session=session, **options)
    kb.load(facts)
    kb.load(ontology)
    return kb
