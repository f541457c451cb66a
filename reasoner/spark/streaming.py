"""Structured Streaming as a source of transactions: a micro-batch is a commit, and its number is part of the commit.

Spark repeats the last batch after a crash if it cannot know whether it was processed. The number of a batch is kept in
the settings of the version that its commit makes, which takes effect as a whole: either both are there or neither is,
so that a repeated batch is recognised and passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from reasoner.reasoner import Reasoner

FORMATS = ("ntriples", "patch")
_MEMORY = "_streams"


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

    def start(self, stream: DataFrame, checkpoint: str | None, trigger: Mapping[str, Any] | None) -> Any:
        """Begin, where the checkpoint says; return Spark's streaming query."""
        if not stream.isStreaming:
            raise ReasonerError("the frame is no stream; make it with spark.readStream, or load its rows")
        if "value" not in stream.columns:
            raise ReasonerError(
                f"a stream is followed by its column value, and this one has {', '.join(stream.columns)}; rename one"
            )
        if checkpoint is None and batches_of(self._kb).get(self._name) is not None:
            raise ReasonerError(
                f"the stream {self._name!r} was followed before, and without its checkpoint the numbers of batches "
                "begin anew; give the folder, or another name"
            )
        writer = stream.select("value").writeStream.foreachBatch(self.process)
        if checkpoint is not None:
            writer = writer.option("checkpointLocation", checkpoint)
        return (writer.trigger(**trigger) if trigger else writer).start()

    def process(self, rows: DataFrame, batch: int) -> None:
        """Commit a batch, unless it is there already."""
        kb = self._kb
        with kb._committing:
            before = batches_of(kb)
            if batch <= before.get(self._name, -1):
                return
            lines = rows.toArrow().column("value").to_pylist()
            # A line each: a patch without a line end could be taken for the name of a file.
            text = "".join(f"{line}\n" for line in lines if line is not None)
            setattr(kb, _MEMORY, {**before, self._name: batch})
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


def batches_of(kb: Any) -> dict[str, int]:
    """Return the last batch of every stream that a reasoner has followed, now or in an earlier life on disk."""
    known: dict[str, int] | None = kb.__dict__.get(_MEMORY)
    if known is not None:
        return dict(known)
    home = kb._home
    return {} if home is None else dict(home.manifest.settings.get("streams", {}))
