"""Structured Streaming as a source of transactions: a micro-batch is a commit, and its number is part of the commit.

Spark repeats the last batch after a crash if it cannot know whether it was processed. The number of a batch is kept in
the settings of the version that its commit makes, which takes effect as a whole: either both are there or neither is,
so that a repeated batch is recognised and passed over. With it is the id of the query, which a checkpoint keeps: under
another checkpoint the same numbers mean other rows.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.reasoner import Reasoner

FORMATS = ("ntriples", "patch")
_MEMORY = "_streams"


@dataclass(frozen=True, slots=True)
class Progress:
    """The last batch of a stream, and the id of the query that numbers its batches; None if that was not kept."""

    batch: int
    query: str | None = None


class Following:
    """A reasoner that follows a stream."""

    def __init__(self, kb: Reasoner, name: str, format: str, graph: str | None, strategy: str) -> None:
        if format not in FORMATS:
            raise ReasonerError(f"a stream of {format!r} cannot be followed; choose one of {', '.join(FORMATS)}")
        if format == "patch" and graph is not None:
            raise ReasonerError("a patch names its graphs itself; follow it without graph")
        self._kb = kb
        self._name = name
        self._format = format
        self._graph = graph
        self._strategy = strategy
        self._query: str | None = None
        self._begun = threading.Event()

    def start(self, stream: DataFrame, checkpoint: str | None, trigger: Mapping[str, Any] | None) -> Any:
        """Begin, where the checkpoint says; return Spark's streaming query."""
        if not stream.isStreaming:
            raise ReasonerError("the frame is no stream; make it with spark.readStream, or load its rows")
        if "value" not in stream.columns:
            raise ReasonerError(
                f"a stream is followed by its column value, and this one has {', '.join(stream.columns)}; rename one"
            )
        known = progress_of(self._kb).get(self._name)
        if known is not None:
            self._require_same(known, stream.sparkSession, checkpoint)
        writer = stream.select("value").writeStream.foreachBatch(self.process)
        if checkpoint is not None:
            writer = writer.option("checkpointLocation", checkpoint)
        try:
            query = (writer.trigger(**trigger) if trigger else writer).start()
            self._query = query.id
        finally:
            self._begun.set()
        return query

    def _require_same(self, known: Progress, session: SparkSession, checkpoint: str | None) -> None:
        """Raise an error unless a checkpoint goes on with the numbers of the batches that are known."""
        if checkpoint is None:
            raise ReasonerError(
                f"the stream {self._name!r} was followed before, and without its checkpoint the numbers of batches "
                "begin anew; give the folder, or another name"
            )
        found = query_of(session, checkpoint)
        if found is None or known.query not in (None, found):
            what = "is empty" if found is None else f"is that of query {found}"
            was = "" if known.query is None else f" by query {known.query}"
            raise ReasonerError(
                f"the stream {self._name!r} was followed{was} up to batch {known.batch}, and the checkpoint "
                f"{checkpoint} {what}: its batches would be taken for known ones; give the one of then, or another name"
            )

    def process(self, rows: DataFrame, batch: int) -> None:
        """Commit a batch, unless it is there already."""
        kb = self._kb
        # The first batch may come before Spark has told which query it belongs to.
        self._begun.wait()
        with kb._committing:
            before = progress_of(kb)
            known = before.get(self._name, Progress(-1))
            if known.query not in (None, self._query):
                raise ReasonerError(
                    f"the stream {self._name!r} is followed by two queries, {known.query} and {self._query}; "
                    "give each of them a name"
                )
            if batch <= known.batch:
                return
            lines = rows.toArrow().column("value").to_pylist()
            # A line each: a patch without a line end could be taken for the name of a file.
            text = "".join(f"{line}\n" for line in lines if line is not None)
            setattr(kb, _MEMORY, {**before, self._name: Progress(batch, self._query)})
            try:
                self._commit(text)
            except BaseException:
                setattr(kb, _MEMORY, before)
                raise

    def _commit(self, text: str) -> None:
        kb = self._kb
        change = kb.transaction(strategy=self._strategy)
        if self._format == "patch":
            change.apply_patch(text)
        else:
            from loaders.load import parse_text

            change.add(list(parse_text(text, "ntriples")), graph=self._graph)
        change.commit()


def progress_of(kb: Any) -> dict[str, Progress]:
    """Return where every stream is that a reasoner has followed, now or in an earlier life on disk."""
    known: dict[str, Progress] | None = kb.__dict__.get(_MEMORY)
    if known is not None:
        return dict(known)
    kept = {} if kb._home is None else kb._home.manifest.settings.get("streams", {})
    # Earlier stores have the batch alone.
    return {name: Progress(**at) if isinstance(at, dict) else Progress(at) for name, at in kept.items()}


def progress_to_keep(kb: Any) -> dict[str, dict[str, Any]]:
    """Return where the streams of a reasoner are as its settings on disk have it."""
    return {name: asdict(progress) for name, progress in progress_of(kb).items()}


def query_of(session: SparkSession, checkpoint: str) -> str | None:
    """Return the id of the query that a checkpoint belongs to; None if there is none yet."""
    from pyspark.errors import AnalysisException

    try:
        lines = session.read.text(f"{checkpoint.rstrip('/')}/metadata").collect()
    except AnalysisException:
        return None
    return str(json.loads(lines[0].value)["id"]) if lines else None
