"""Builtin conditions over columns of ids, each distinct value decided once."""

from __future__ import annotations

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.kernels import Ids, Mask
from reasoner.literals.builtins import BUILTINS
from reasoner.rules.encode import EncodedTerm, is_variable

_UNKNOWN, _TRUE, _FALSE = 0, 1, 2

# No IRI and no blank node meets these, so that only literals have to be decoded.
_LITERAL_FIRST = frozenset({"inValueSpace", "notInValueSpace", "isLiteral", "datatype", "lang"})

# Terms that are not both literals are compared by id.
_BY_IDENTITY = frozenset({"=", "!=", "equatable"})


class Conditions:
    """Decides builtins; answers about one variable are remembered by id, since terms never change."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._known: dict[tuple[str, tuple[EncodedTerm, ...]], np.ndarray[tuple[int], np.dtype[np.uint8]]] = {}

    def holds(self, name: str, terms: tuple[EncodedTerm, ...], bindings: Bindings) -> Mask:
        """Tell for which rows a builtin holds; all its variables are bound."""
        variables = list(dict.fromkeys(term for term in terms if is_variable(term)))
        if not variables:
            holds = BUILTINS[name].holds(*(self._dictionary.text(term) for term in terms))
            return np.full(bindings.size, holds, dtype=np.bool_)
        if len(variables) == 1:
            return self._unary(name, terms, bindings.columns[variables[0]])
        columns = [bindings.values(term) for term in terms]
        if name in _BY_IDENTITY:
            return self._binary(name, *columns)
        return self._many(name, columns)

    def _unary(self, name: str, terms: tuple[EncodedTerm, ...], values: Ids) -> Mask:
        key = (name, tuple(-1 if is_variable(term) else term for term in terms))
        known = self._known.get(key)
        if known is None or known.size < len(self._dictionary):
            grown = np.zeros(len(self._dictionary), dtype=np.uint8)
            if known is not None:
                grown[: known.size] = known
            known = self._known[key] = grown
        asked = np.unique(values[known[values] == _UNKNOWN])
        if asked.size and name in _LITERAL_FIRST and is_variable(terms[0]):
            literal = self._dictionary.literal_mask()[asked]
            known[asked[~literal]] = _FALSE
            asked = asked[literal]
        if asked.size:
            holds = BUILTINS[name].holds
            constants = [None if is_variable(term) else self._dictionary.text(term) for term in terms]
            for id, text in zip(asked.tolist(), self._dictionary.decode(asked), strict=True):
                answer = holds(*(text if constant is None else constant for constant in constants))
                known[id] = _TRUE if answer else _FALSE
        mask: Mask = known[values] == _TRUE
        return mask

    def _binary(self, name: str, left: Ids, right: Ids) -> Mask:
        """Decide what two terms have to do with one another; only pairs of different literals are decoded."""
        literal = self._dictionary.literal_mask()
        left_literal, right_literal = literal[left], literal[right]
        if name == "equatable":
            resources: Mask = ~(left_literal | right_literal)
            return resources
        mask: Mask = left == right if name == "=" else left != right
        unclear = np.flatnonzero(left_literal & right_literal & (left != right))
        if unclear.size:
            mask[unclear] = self._many(name, [left[unclear], right[unclear]])
        return mask

    def _many(self, name: str, columns: list[Ids]) -> Mask:
        distinct, inverse = np.unique(np.stack(columns), axis=1, return_inverse=True)
        texts = [self._dictionary.decode(row) for row in distinct]
        holds = BUILTINS[name].holds
        answers = np.array([holds(*values) for values in zip(*texts, strict=True)], dtype=np.bool_)
        mask: Mask = answers[inverse.reshape(-1)]
        return mask
