"""What a reasoner hands to users of Spark: closures, changes and answers as frames, and streams that it follows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reasoner.errors import ReasonerError
from reasoner.spark.failures import failures_told

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.store import ColumnarStore
    from reasoner.spark.traffic import Statistics, Traffic

_QUERY_WORDS = ("select", "prefix", "base")


class ChangeFrame:
    """A difference between two closures, which can be had as a frame of Spark."""

    def to_dataframe(self, *, terms: str = "plain", session: SparkSession | None = None) -> DataFrame:
        """Return what the closure gained and lost as a frame of Spark, computed where the facts are.

        The column change is added or removed; ``terms`` are shown as by ``Reasoner.dataframe``. The frame can be read
        for as long as the delta is there.
        """
        from reasoner.spark.query.delta_frame import delta_frame

        delta: Any = self
        return delta_frame(delta, self._normal_changes, terms, session)

    @cached_property
    def _normal_changes(self) -> tuple[FactSet, FactSet]:
        """The facts over representatives that came and went; kept, because frames read them."""
        delta: Any = self
        difference, old, new = delta.store.engine.difference, delta.before.facts, delta.after.facts
        return difference(new, old), difference(old, new)


class SparkFrames:
    """A reasoner whose closure can be had as frames of Spark; of either engine, as far as its facts fit a driver."""

    store: ColumnarStore

    if TYPE_CHECKING:

        @property
        def answering(self) -> ColumnarStore: ...

        def _materialised(self) -> None: ...

    @failures_told
    def dataframe(
        self,
        pattern: str = "?s ?p ?o",
        *,
        cls: str | None = None,
        property: str | None = None,
        terms: str = "plain",
        details: bool = False,
        typed: bool = True,
        prefixes: Mapping[str, str] | None = None,
        session: SparkSession | None = None,
    ) -> DataFrame:
        """Return what is entailed as a frame of Spark, which computes it when its rows are asked for.

        The pattern of all triples gives the columns subject, predicate and object; ``cls`` (an IRI) those that are of a
        class, in the column subject; ``property`` (an IRI) the columns subject and object, the objects as numbers,
        dates or truth values if all are literals of one datatype, unless ``typed`` is off. Any other pattern, or a
        SELECT, gives a column for each variable. Every equal term has rows of its own.

        ``terms`` are ``plain`` (IRIs without brackets, literals without quotes), N-Triples ``text``, or ``ids``. With
        ``details`` the columns object_type, object_lang and object_datatype tell what an object is.
        """
        from reasoner.spark.query.frames import closure_frame, pattern_frame, require_shown
        from reasoner.spark.query.of_store import source_of

        require_shown(terms)
        if cls is not None and property is not None:
            raise ReasonerError("a frame is of a class or of a property; ask for each, and join them by subject")
        self._materialised()
        source = source_of(self.answering, session)
        if cls is not None or property is not None or pattern.split() == ["?s", "?p", "?o"]:
            return closure_frame(source, cls, property, terms, details=details, typed=typed)
        if not pattern.lower().lstrip().startswith(_QUERY_WORDS):
            pattern = f"SELECT * {{ {pattern} }}"
        return pattern_frame(source, pattern, terms, prefixes)

    @property
    def statistics(self) -> Statistics:
        """What Spark has done for this reasoner so far: jobs, and rows that came to the driver; zeros without Spark.

        Subtract an earlier one to see what an operation took.
        """
        from reasoner.spark.traffic import Statistics

        traffic: Traffic | None = getattr(self.store, "traffic", None)
        return Statistics() if traffic is None else traffic.statistics

    def follow(
        self,
        stream: DataFrame,
        *,
        name: str = "stream",
        format: str = "ntriples",
        checkpoint: str | None = None,
        graph: str | None = None,
        trigger: Mapping[str, Any] | None = None,
        strategy: str = "auto",
    ) -> Any:
        """Commit every micro-batch of a stream as one transaction, exactly once; return Spark's streaming query.

        ``stream`` has a column value of text: lines of N-Triples that are added to ``graph``, or with ``format`` patch
        RDF Patches. The number of the last batch is part of each commit, under the ``name`` of the stream: a batch that
        Spark sends again after a crash is passed over. ``checkpoint`` is Spark's folder for where the stream is; a name
        goes on with the checkpoint that it began with. ``trigger`` is Spark's, such as ``{"availableNow": True}``.
        """
        from reasoner.spark.streaming import Following

        kb: Any = self
        return Following(kb, name, format, graph, strategy).start(stream, checkpoint, trigger)

    def followed(self) -> dict[str, int]:
        """Return the streams that this reasoner has followed, each with its last batch."""
        from reasoner.spark.streaming import progress_of

        return {name: progress.batch for name, progress in progress_of(self).items()}

    def _kept(self) -> Any:
        """Keep the last batches of streams with what else a version on disk is kept with."""
        from dataclasses import replace

        from reasoner.spark.streaming import progress_to_keep

        kept = super()._kept()  # type: ignore[misc]
        streams = progress_to_keep(self)
        return replace(kept, settings={**kept.settings, "streams": streams}) if streams else kept
