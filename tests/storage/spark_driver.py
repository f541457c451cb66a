"""A process that works with Spark on a store at a URL: makes it, changes it, opens it again; prints what it holds.

It is a process of its own because the libraries by which Spark reads S3 must be there when its Java process starts.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from reasoner import Reasoner
from reasoner.spark import store_write, term_files
from reasoner.spark.platform.session import spark_session
from reasoner.spark.store import SparkStore
from tests.spark.fault_driver import SMALL, changed, loaded
from tests.storage import servers


def session() -> Any:
    settings: dict[str, Any] = dict(SMALL)
    if "AWS_ENDPOINT_URL" in os.environ:
        settings |= {
            "spark.jars": ",".join(map(str, sorted(servers.connector().parent.glob("*.jar")))),
            "spark.hadoop.fs.s3a.endpoint": os.environ["AWS_ENDPOINT_URL"],
            "spark.hadoop.fs.s3a.endpoint.region": os.environ["AWS_REGION"],
            "spark.hadoop.fs.s3a.path.style.access": True,
        }
    return spark_session(master="local[2]", settings=settings)


def main(base: str) -> None:
    # Nothing is small: facts and terms go to files that the executors write and read.
    SparkStore.__init__.__kwdefaults__["driver_rows"] = 0
    term_files.DRIVER_TERMS = 0
    store_write.SMALL_BYTES = 0
    spark = session()
    store = f"{base}/kb"

    def opened(**how: Any) -> Reasoner:
        return Reasoner.open(store, engine="spark", session=spark, **how)

    with Reasoner("none", engine="spark", session=spark) as made:
        loaded(made)
        parts = made.write(f"{base}/parts/")
        made.save(store)
    with opened() as kb:
        kb.load(f"{base}/more.nt")
        kb.materialise()
        changed(kb)
        version, triples = kb.version, sorted(kb.triples())
        kb.write(f"{base}/all.nt")
        kb.vacuum()
    with opened(read_only=True) as kb:
        assert sorted(kb.triples()) == triples
    print(json.dumps({"version": version, "triples": triples, "parts": parts}))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
