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
from typing import TYPE_CHECKING, Any

from reasoner.rules.errors import ReasonerError
from reasoner.spark.platform.session import is_connect
from reasoner.state.request import CommitRequest, require_strategy
from reasoner.state.state import StreamProgress
from reasoner.state.transaction import Transaction

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.state.request import RuleRequest
    from reasoner.state.session import Session
    from reasoner.terms.quads import QuadRequest

FORMATS = ("ntriples", "patch")


class Following:
    """A session that follows a stream."""

    def __init__(self, session: Session, name: str, format: str, graph: str | None, strategy: str) -> None:
        if format not in FORMATS:
            raise ReasonerError(f"a stream of {format!r} cannot be followed; choose one of {', '.join(FORMATS)}")
        if format == "patch" and graph is not None:
            raise ReasonerError("a patch names its graphs itself; follow it without graph")
        self._session = session
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
        if is_connect(stream.sparkSession):
            raise ReasonerError(
                "a session of Spark Connect hands batches to functions in the process of its server, where this "
                "reasoner is not; follow the stream with a session of the driver's process (spark-submit), or read "
                "the files with kb.load"
            )
        known = self._session.state.streams.get(self._name)
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

    def _require_same(self, known: StreamProgress, session: SparkSession, checkpoint: str | None) -> None:
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
        session = self._session
        # The first batch may come before Spark has told which query it belongs to.
        self._begun.wait()
        with session.lock:
            known = session.state.streams.get(self._name, StreamProgress(-1))
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
            quads, rules = self._requested(text)
            streams = {self._name: StreamProgress(batch, self._query)}
            session.commit(CommitRequest(quads, rules, self._strategy, streams=streams))

    def _requested(self, text: str) -> tuple[QuadRequest, RuleRequest]:
        """Return what a batch asks for."""
        require_strategy(self._strategy, None)
        session, strategy = self._session, self._strategy
        change = Transaction(lambda quads, rules: session.commit(CommitRequest(quads, rules, strategy)))
        if self._format == "patch":
            change.apply_patch(text)
        else:
            from loaders.load import parse_text

            change.add(list(parse_text(text, "ntriples")), graph=self._graph)
        return change.requested


def query_of(session: SparkSession, checkpoint: str) -> str | None:
    """Return the id of the query that a checkpoint belongs to; None if there is none yet."""
    from pyspark.errors import AnalysisException

    try:
        lines = session.read.text(f"{checkpoint.rstrip('/')}/metadata").collect()
    except AnalysisException:
        return None
    return str(json.loads(lines[0].value)["id"]) if lines else None
