"""Terms as the columns that users of tables expect: plain values, and what kind of term each was."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from loaders.terms import LANG_STRING, XSD_STRING
from reasoner.rules.term import XSD

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


def typed(rows: DataFrame, column: str) -> Column:
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
