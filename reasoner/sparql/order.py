"""Sorting solutions by the values of conditions.

The numbers that ids stand for, read in bulk where a double holds them exactly enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reasoner.columnar.kernels import Ids, Mask
from reasoner.sparql.comparison import sorted_terms
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.term import XSD


def ranks(ids: Ids, terms: QueryTerms) -> Ids:
    """Return the rank of each id in the order of ORDER BY: what is unbound first, equal values alike."""
    distinct, inverse = np.unique(ids, return_inverse=True)
    numbers = numbers_of(distinct, terms)
    if (numbers.read | (distinct < 0)).all():
        ranked = 1 + np.unique(numbers.values, return_inverse=True)[1].astype(np.int64)
        ranked[distinct < 0] = 0
        return ranked[inverse]
    texts = [text for text in terms.decode(distinct) if text is not None]
    rank_of = {text: rank for rank, group in enumerate(sorted_terms(texts), 1) for text in group}
    rank = np.zeros(distinct.size, dtype=np.int64)
    for place, text in enumerate(terms.decode(distinct)):
        rank[place] = 0 if text is None else rank_of[text]
    result: Ids = rank[inverse]
    return result


def sorting_order(columns: list[tuple[Ids, bool]], terms: QueryTerms) -> Ids:
    """Return the rows in the order of conditions, each with whether it is descending; ties keep their order."""
    keys = [-rank if descending else rank for ids, descending in columns for rank in [ranks(ids, terms)]]
    order: Ids = np.lexsort(keys[::-1]).astype(np.int64)
    return order


# Decimals of up to fifteen digits are in the same order as the doubles nearest to them.
_MOST_DIGITS = 15
_PLAIN_NUMBER = rf'^"(?P<lexical>[+-]?(?:[0-9]+|[0-9]+\.[0-9]+))"\^\^<{XSD}(?P<datatype>integer|decimal|double)>$'


class ReadNumbers(NamedTuple):
    """Numbers, which of them were read, which of these are integers by their datatype, and what is a plain string."""

    values: NDArray[np.float64]
    read: Mask
    integer: Mask
    string: Mask


def numbers_of(ids: Ids, terms: QueryTerms) -> ReadNumbers:
    """Return the numbers of distinct ids, read where they are integers, decimals or doubles written plainly.

    What was not read may still be a number, written in another way or with more digits.
    """
    texts = pa.array(terms.decode(ids), pa.string())
    found = pc.extract_regex(texts, _PLAIN_NUMBER)
    lexical, datatype = found.field("lexical"), found.field("datatype")
    whole = pc.invert(pc.match_substring(lexical, "."))
    fits = pc.and_(
        pc.less_equal(pc.utf8_length(lexical), _MOST_DIGITS), pc.or_(whole, pc.not_equal(datatype, "integer"))
    )
    read: Mask = pc.fill_null(pc.and_(fits, found.is_valid()), False).to_numpy(zero_copy_only=False).astype(np.bool_)
    values = np.zeros(ids.size, dtype=np.float64)
    chosen = lexical.filter(pa.array(read))
    # A leading plus sign is no part of a number for the parser.
    values[read] = pc.cast(pc.replace_substring_regex(chosen, r"^\+", ""), pa.float64()).to_numpy(zero_copy_only=False)
    integer = pc.fill_null(pc.equal(datatype, "integer"), False).to_numpy(zero_copy_only=False).astype(np.bool_)
    string = pc.fill_null(pc.ends_with(texts, '"'), False).to_numpy(zero_copy_only=False).astype(np.bool_)
    return ReadNumbers(values, read, read & integer, string)
