"""What a session of Spark Connect has to do for a reasoner; runs in a process of its own, and prints what it saw."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from reasoner import Reasoner, ReasonerError
from reasoner.spark import store_write
from reasoner.spark.store import SparkStore
from tests.spark.connect_facts import FACTS, QUERY, RULES, UPDATE


def main(folder: Path) -> None:
    session = (
        SparkSession.builder.remote("local[2]")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    before = {name: session.conf.get(name) for name in ("spark.sql.shuffle.partitions", "spark.sql.session.timeZone")}
    # Facts are in files, all but single ones, and files are read by executors.
    SparkStore.__init__.__kwdefaults__["driver_rows"] = 2
    store_write.SMALL_BYTES = 0
    told: dict[str, object] = {}
    kb = Reasoner("none", engine="spark", session=session)
    kb.add_rules(RULES)
    (folder / "facts.nt").write_text(FACTS)
    kb.load(folder / "facts.nt")
    kb.materialise()
    told["is distributed"] = kb.store.is_distributed
    told["closure"] = sorted(map(list, kb.triples()))
    told["answers"] = sorted(row.x.n3() for row in kb.query(QUERY, timeout=300))
    kb.update(UPDATE)
    told["violations"] = sorted(str(violation) for violation in kb.violations())
    kb.save(folder / "store")
    with Reasoner.open(folder / "store", engine="spark", session=session) as opened:
        told["reopened"] = sorted(map(list, opened.triples()))
    try:
        kb.follow(session.readStream.text(str(folder)))
    except ReasonerError as error:
        told["stream"] = str(error)
    pairs = " . ".join(f"?s{n} ?p{n} ?o{n}" for n in range(8))
    try:
        kb.query(f"SELECT * {{ {pairs} }}", timeout=2.0)
    except ReasonerError as error:
        told["timeout"] = type(error).__name__
    told["settings kept"] = before == {name: session.conf.get(name) for name in before}
    session.stop()
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
