"""The closure, a class or a property as a frame with the columns that users of tables expect."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from reasoner.errors import ReasonerError
from reasoner.rules.term import RDF_TYPE
from reasoner.spark.query.answer import frame
from reasoner.spark.query.patterns import Matcher
from reasoner.spark.query.source import Source, View
from reasoner.spark.query.term_columns import datatype, language, plain, term_type
from reasoner.spark.query.term_columns import typed as typed_column
from reasoner.sparql.algebra import Term
from reasoner.sparql.expression import Var

_SHOWN = ("plain", "text", "ids")
_TRIPLE = ("subject", "predicate", "object")


def closure_frame(
    source: Source,
    cls: str | None = None,
    property: str | None = None,
    terms: str = "ids",
    *,
    details: bool = False,
    typed: bool = False,
    view: View | None = None,
) -> DataFrame:
    """Return all triples, or those of a class or of a property without what is the same in all of them.

    They are those of the closure unless another ``view`` is given.
    """
    subject, predicate, obj = (Var(name) for name in _TRIPLE)
    pattern: tuple[Term, Term, Term] = (subject, predicate, obj)
    if cls is not None:
        pattern = (subject, RDF_TYPE, _iri(cls))
    elif property is not None:
        pattern = (subject, _iri(property), obj)
    names = [term.name for term in pattern if isinstance(term, Var)]
    found = Matcher(source, view or source.closure()).matches(*pattern)
    found = found.unfolded(names) if terms == "ids" else found.decoded(names)
    rows = found.frame.select(*(found.fields[name].column.alias(name) for name in names))
    if terms == "ids":
        return rows
    columns = [f.col(name) if terms == "text" else plain(f.col(name)) for name in names]
    if property is not None and typed and terms == "plain":
        columns[-1] = typed_column(rows, "object")
    columns = [column.alias(name) for column, name in zip(columns, names, strict=True)]
    if details and "object" in names:
        text = f.col("object")
        columns += [
            term_type(text).alias("object_type"),
            language(text).alias("object_lang"),
            datatype(text).alias("object_datatype"),
        ]
    return rows.select(*columns)


def pattern_frame(source: Source, text: str, terms: str, prefixes: Mapping[str, str] | None) -> DataFrame:
    """Return the answers to a SELECT, a column for each variable."""
    rows = frame(source, text, prefixes=prefixes, ids=terms == "ids")
    if terms != "plain":
        return rows
    return rows.select(*(plain(f.col(f"`{name}`")).alias(name) for name in rows.columns))


def require_shown(terms: str) -> None:
    """Make sure that terms are to be shown in one of the ways that there are."""
    if terms not in _SHOWN:
        raise ReasonerError(f"terms cannot be shown as {terms!r}; choose one of {', '.join(_SHOWN)}")


def _iri(name: str) -> str:
    return name if name.startswith("<") else f"<{name}>"
