"""The closure, a class or a property as a frame with the columns that users of tables expect.

What a change did to the closure as a frame: nothing of it comes to the driver, however much it is.

Terms as the columns that users of tables expect: plain values, and what kind of term each was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from loaders.terms import LANG_STRING, XSD_STRING
from reasoner.columnar.representatives import moved_terms
from reasoner.rules.errors import ReasonerError
from reasoner.spark.query.answer import frame
from reasoner.spark.query.patterns import FrameMatcher
from reasoner.spark.query.source import FrameSource, View, facts_frame, source_of_state
from reasoner.sparql.algebra import Term, Var
from reasoner.terms.term import RDF_TYPE, XSD

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.store import ColumnarStore, Snapshot

_SHOWN = ("plain", "text", "ids")
_TRIPLE = ("subject", "predicate", "object")


def closure_frame(
    source: FrameSource,
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
    found = FrameMatcher(source, view or source.closure()).matches(*pattern)
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


def pattern_frame(source: FrameSource, text: str, terms: str, prefixes: Mapping[str, str] | None) -> DataFrame:
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


_COLUMNS = ["subject", "predicate", "object"]


class ClosureChange(Protocol):
    """A change of what a store holds, from one state to another."""

    @property
    def store(self) -> ColumnarStore:
        """The store that changed."""

    @property
    def before(self) -> Snapshot:
        """The state before the change."""

    @property
    def after(self) -> Snapshot:
        """The state after the change."""


def delta_frame(
    delta: ClosureChange, facts: tuple[FactSet, FactSet], terms: str, session: SparkSession | None
) -> DataFrame:
    """Return the triples that a closure gained and lost, with a column that tells which.

    ``facts`` are the facts over representatives that came and went. Where the classes of equals are the same, they tell
    the difference, with the explicit facts c = c that did. Where they are not, both closures are written out and
    compared.
    """
    require_shown(terms)
    old, new = (source_of_state(delta.store, state, session) for state in (delta.before, delta.after))
    regrouped = bool(moved_terms(delta.before.representatives, delta.after.representatives).size)
    regrouped = regrouped or old.equality != new.equality
    frames = []
    for change, source, other, normal in (("added", new, old, facts[0]), ("removed", old, new, facts[1])):
        if regrouped:
            known = closure_frame(other)
            view = source.with_facts(
                closure_frame(source).join(known, on=_COLUMNS, how="left_anti").toDF("s", "p", "o")
            )
        else:
            closure, known_own = source.closure(), other.closure().own
            own = closure.own
            if own is not None and known_own is not None:
                own = own.join(known_own, on=["s", "p", "o"], how="left_anti")
            view = replace(closure, facts=facts_frame(source.session, normal), equates=False, own=own)
        found = closure_frame(source, terms=terms, view=view)
        frames.append(found.select(f.lit(change).alias("change"), *_COLUMNS))
    return frames[0].union(frames[1])


_LITERAL = r'^"((?s).*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?$'
# No text has this character, as N-Triples writes it as an escape.
_ASIDE = "\x01"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'"}

# What a column of one datatype is cast to; decimals keep their digits as texts.
_TYPES = {
    **dict.fromkeys(("integer", "int", "long", "short", "byte", "nonNegativeInteger"), "long"),
    **dict.fromkeys(("double", "float"), "double"),
    "boolean": "boolean",
    "date": "date",
    "dateTime": "timestamp",
}


def plain(text: Column) -> Column:
    """Return IRIs without brackets, literals as their lexical form, and blank nodes as they are."""
    lexical = f.regexp_extract(text, _LITERAL, 1)
    lexical = f.replace(lexical, f.lit("\\\\"), f.lit(_ASIDE))
    for letter, character in _ESCAPES.items():
        lexical = f.replace(lexical, f.lit(f"\\{letter}"), f.lit(character))
    lexical = f.replace(lexical, f.lit(_ASIDE), f.lit("\\"))
    iri = text.substr(f.lit(2), f.length(text) - 2)
    return f.when(text.startswith("<"), iri).when(text.startswith('"'), lexical).otherwise(text)


def term_type(text: Column) -> Column:
    """Return iri, blank or literal."""
    return f.when(text.startswith("<"), "iri").when(text.startswith('"'), "literal").otherwise("blank")


def language(text: Column) -> Column:
    """Return the language tag of a literal, NULL for anything else."""
    found = f.regexp_extract(text, _LITERAL, 2)
    return f.when(text.startswith('"') & (found != ""), found)


def datatype(text: Column) -> Column:
    """Return the datatype of a literal, NULL for anything else."""
    found = f.regexp_extract(text, _LITERAL, 3)
    named = f.when(found != "", found).when(f.regexp_extract(text, _LITERAL, 2) != "", LANG_STRING)
    return f.when(text.startswith('"'), f.coalesce(named, f.lit(XSD_STRING)))


def typed_column(rows: DataFrame, column: str) -> Column:
    """Return a column of texts as values of Spark: of one type if all its terms are literals of one datatype.

    One job looks at the datatypes there are. A value that Spark cannot read leaves the whole column as plain texts.
    """
    text = f.col(column)
    kinds = rows.select(f.coalesce(datatype(text), f.lit("")).alias("kind")).distinct().limit(2).collect()
    name = kinds[0]["kind"].removeprefix(XSD) if len(kinds) == 1 else ""
    kind = _TYPES.get(name)
    if kind is None:
        return plain(text)
    cast = plain(text).try_cast(kind)
    return plain(text) if rows.where(cast.isNull()).limit(1).count() else cast
