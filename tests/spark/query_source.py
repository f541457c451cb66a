"""The tables of a knowledge base of the columnar engine, as frames that queries of Spark read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from reasoner import Reasoner
from reasoner.spark.query.source import FrameSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def source_of(session: SparkSession, kb: Reasoner, folder: str | None = None, *, at_driver: bool = True) -> FrameSource:
    """Return the state of a knowledge base as frames of rows at the driver, or of files in a folder.

    With ``at_driver`` the driver looks terms up; else the table of the dictionary is asked for them.
    """
    kb.session.settle()
    state, dictionary = kb.store.state, kb.store.dictionary
    ids = pa.array(range(len(dictionary)), pa.int64())
    tables = {
        "facts": pa.table(dict(zip("spo", state.facts.columns(), strict=True))),
        "explicit": pa.table(dict(zip("spo", state.explicit.columns(), strict=True))),
        "dictionary": pa.table({"id": ids, "text": dictionary.decode_arrow(ids.to_numpy())}),
        "members": pa.table({"id": state.representatives.members, "representative": state.representatives.targets}),
    }
    frames = {}
    for name, table in tables.items():
        if folder is None:
            frames[name] = session.createDataFrame(table)
        else:
            session.createDataFrame(table).write.parquet(f"{folder}/{name}")
            frames[name] = session.read.parquet(f"{folder}/{name}")
    return FrameSource(
        session,
        frames["facts"],
        frames["dictionary"],
        frames["members"] if state.representatives else None,
        explicit=frames["explicit"],
        equality=kb.store.own_equalities().names,
        axioms=kb.store.axioms,
        lookup=dictionary.lookup if at_driver else None,
        decode=(lambda ids: [dictionary.text(id) for id in ids]) if at_driver else None,
    )
