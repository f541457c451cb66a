"""Sorting solutions by the values of conditions."""

from __future__ import annotations

import numpy as np

from reasoner.columnar.kernels import Ids
from reasoner.sparql.comparison import sorted_terms
from reasoner.sparql.numeric_column import numbers_of
from reasoner.sparql.terms import Terms


def ranks(ids: Ids, terms: Terms) -> Ids:
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


def sorting_order(columns: list[tuple[Ids, bool]], terms: Terms) -> Ids:
    """Return the rows in the order of conditions, each with whether it is descending; ties keep their order."""
    keys = [-rank if descending else rank for ids, descending in columns for rank in [ranks(ids, terms)]]
    order: Ids = np.lexsort(keys[::-1]).astype(np.int64)
    return order
