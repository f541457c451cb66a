"""Loading N-Triples with Spark: this project's loader, and the plain way with two other parsers."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.seconds import Seconds, Stopwatch
from benchmarks.systems.ours import Outcome

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame, SparkSession

    Load = Callable[[SparkSession, str, str], None]


def ours(watch: Stopwatch, *, facts: str, warm_up: str) -> Outcome:
    """Load with ``reasoner.spark.loading``."""
    return _measured(watch, _load_ours, facts, warm_up)


def rdflib(watch: Stopwatch, *, facts: str, warm_up: str) -> Outcome:
    """Parse with rdflib in ``mapInPandas``, and number terms with joins."""
    return _measured(watch, lambda *rest: _load_plainly(_parse_with_rdflib, *rest), facts, warm_up)


def oxigraph(watch: Stopwatch, *, facts: str, warm_up: str) -> Outcome:
    """Parse with pyoxigraph in ``mapInPandas``, and number terms with joins."""
    return _measured(watch, lambda *rest: _load_plainly(_parse_with_oxigraph, *rest), facts, warm_up)


def _measured(watch: Stopwatch, load: Load, facts: str, warm_up: str) -> Outcome:
    """Load into Parquet folders in a warm session, and compare what is in them."""
    from reasoner.spark.platform.session import spark_session

    session = spark_session(
        master="local[2]",
        settings={"spark.sql.shuffle.partitions": 4, "spark.driver.memory": "2g"},
    )
    with tempfile.TemporaryDirectory() as folder:
        load(session, warm_up, f"{folder}/warm-up")
        with TreeClock() as clock:
            load(session, facts, f"{folder}/measured")
        watch.phases["load"] = clock.seconds
        result = _contents(session, f"{folder}/measured")
    session.stop()
    return result, {}


class TreeClock:
    """Takes the processor time of this process and of all that descend from it: Java, and the workers of Spark.

    It looks several times a second, since nobody counts the time of a worker once it has ended.
    """

    def __init__(self) -> None:
        self._ticks: dict[tuple[int, str], int] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> TreeClock:
        self._look()
        self._before = self._total()
        self._began = time.perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()
        self.seconds = Seconds(self._total() - self._before, time.perf_counter() - self._began)

    def _watch(self) -> None:
        while not self._done.wait(0.1):
            self._look()

    def _total(self) -> float:
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def _look(self) -> None:
        found: dict[int, tuple[str, int]] = {}
        children: dict[int, list[int]] = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                values = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except OSError:
                # A process may end while it is looked at.
                continue
            number = int(entry.parent.name)
            children.setdefault(int(values[1]), []).append(number)
            found[number] = values[19], int(values[11]) + int(values[12])
        pending = [os.getpid()]
        while pending:
            number = pending.pop()
            if number in found:
                # Numbers come again; together with the time of the start they do not.
                started, ticks = found[number]
                self._ticks[number, started] = ticks
            pending += children.get(number, [])


def _contents(session: SparkSession, folder: str) -> dict[str, int]:
    """Count, and add up the hashes of statements as texts, whatever their order and the ids of their terms."""
    statements, terms = session.read.parquet(f"{folder}/statements"), session.read.parquet(f"{folder}/dictionary")
    for name in "spo":
        statements = statements.join(terms.selectExpr(f"id AS {name}", f"text AS {name}_text"), name)
    hashed = statements.selectExpr("xxhash64(s_text, p_text, o_text) AS hash")
    total = hashed.selectExpr("sum(CAST(hash AS decimal(38, 0))) AS total").collect()[0].total
    used = terms.selectExpr("id").join(statements.selectExpr("explode(array(s, p, o)) AS id"), "id", "left_semi")
    return {"statements": hashed.count(), "terms": used.count(), "checksum": int(total)}


def _load_ours(session: SparkSession, facts: str, folder: str) -> None:
    from reasoner.spark.loading.load import load

    with load(session, facts) as loaded:
        loaded.dictionary.write.parquet(f"{folder}/dictionary")
        loaded.statements.write.parquet(f"{folder}/statements")


def _load_plainly(parse: Callable[[Any], Any], session: SparkSession, facts: str, folder: str) -> None:
    """Parse lines into columns of text, number the distinct terms densely, and join their ids back."""
    triples = session.read.text(facts).mapInPandas(parse, "s string, p string, o string").persist()
    terms = triples.selectExpr("explode(array(s, p, o)) AS text").distinct()
    _dense(terms).write.parquet(f"{folder}/dictionary")
    dictionary = session.read.parquet(f"{folder}/dictionary")
    encoded = triples
    for name in "spo":
        encoded = encoded.join(dictionary.selectExpr(f"text AS {name}", f"id AS {name}_id"), name)
    encoded.selectExpr("s_id AS s", "p_id AS p", "o_id AS o").write.parquet(f"{folder}/statements")
    triples.unpersist()


def _dense(terms: DataFrame) -> DataFrame:
    """Number rows from 0: the number within the partition, and the sizes of the partitions before it."""
    numbered = terms.selectExpr("text", "monotonically_increasing_id() AS place").persist()
    counts = numbered.groupBy((numbered.place / (1 << 33)).cast("int").alias("partition")).count().collect()
    first, starts = 0, []
    for row in sorted(counts):
        starts.append((row.partition, first))
        first += row["count"]
    session = terms.sparkSession
    offsets = session.createDataFrame(starts, "partition int, first bigint").hint("broadcast")
    placed = numbered.selectExpr("text", "CAST(place >> 33 AS int) AS partition", "place & 8589934591 AS place")
    return placed.join(offsets, "partition").selectExpr("first + place AS id", "text")


def _parse_with_rdflib(batches: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
    import pandas
    from rdflib.plugins.parsers.ntriples import W3CNTriplesParser

    class Sink:
        """Takes triples from the parser without the cost of a graph."""

        def __init__(self) -> None:
            self.rows: list[tuple[str, str, str]] = []

        def triple(self, s: Any, p: Any, o: Any) -> None:
            self.rows.append((s.n3(), p.n3(), o.n3()))

    for batch in batches:
        sink = Sink()
        W3CNTriplesParser(sink).parsestring("\n".join(batch["value"]))  # type: ignore[arg-type]
        yield pandas.DataFrame(sink.rows, columns=["s", "p", "o"])


def _parse_with_oxigraph(batches: Iterable[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
    import pandas
    from pyoxigraph import RdfFormat, parse

    for batch in batches:
        text = "\n".join(batch["value"])
        rows = [(str(s), str(p), str(o)) for s, p, o, _ in parse(input=text, format=RdfFormat.N_TRIPLES)]
        yield pandas.DataFrame(rows, columns=["s", "p", "o"])
