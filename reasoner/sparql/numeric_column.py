"""The numbers that ids stand for, read in bulk where a double holds them exactly enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reasoner.columnar.kernels import Ids, Mask
from reasoner.rules.term import XSD
from reasoner.sparql.terms import Terms

# Decimals of up to fifteen digits are in the same order as the doubles nearest to them.
_MOST_DIGITS = 15
_PLAIN_NUMBER = rf'^"(?P<lexical>[+-]?(?:[0-9]+|[0-9]+\.[0-9]+))"\^\^<{XSD}(?P<datatype>integer|decimal|double)>$'


class ReadNumbers(NamedTuple):
    """Numbers, which of them were read, which of these are integers by their datatype, and what is a plain string."""

    values: NDArray[np.float64]
    read: Mask
    integer: Mask
    string: Mask


def numbers_of(ids: Ids, terms: Terms) -> ReadNumbers:
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
