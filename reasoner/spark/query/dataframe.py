"""What a reasoner hands to users of Spark: closures and answers as frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as DataFrame
    from pyspark.sql import SparkSession as SparkSession

    from reasoner.columnar.store import ColumnarStore

_QUERY_WORDS = ("select", "prefix", "base")


def dataframe(
    answering: Callable[[], ColumnarStore],
    pattern: str,
    *,
    cls: str | None,
    property: str | None,
    terms: str,
    details: bool,
    typed: bool,
    prefixes: Mapping[str, str] | None,
    session: SparkSession | None,
) -> DataFrame:
    """Return what is entailed as a frame of Spark, of either engine, as far as its facts fit a driver.

    ``answering`` gives the store that answers, once everything is materialised.
    """
    from reasoner.spark.query.frames import closure_frame, pattern_frame, require_shown
    from reasoner.spark.query.source import source_of

    require_shown(terms)
    if cls is not None and property is not None:
        raise ReasonerError("a frame is of a class or of a property; ask for each, and join them by subject")
    source = source_of(answering(), session)
    if cls is not None or property is not None or pattern.split() == ["?s", "?p", "?o"]:
        return closure_frame(source, cls, property, terms, details=details, typed=typed)
    if not pattern.lower().lstrip().startswith(_QUERY_WORDS):
        pattern = f"SELECT * {{ {pattern} }}"
    return pattern_frame(source, pattern, terms, prefixes)
