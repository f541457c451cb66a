"""Auxiliary classes, which rules need and answers never show.

``x Q x`` says that x belongs to the auxiliary class Q. As Q is a literal, which is no predicate of RDF, such a fact is
never an answer; and a variable predicate of a rule does not range over Q.
"""

from __future__ import annotations

from reasoner.literals.text import escape, unescape
from reasoner.rules.term import Term

_DATATYPE = "^^<urn:reasoner:auxiliary>"


def auxiliary(meaning: str) -> str:
    """Return the predicate of an auxiliary class, given what it means.

    >>> auxiliary("ObjectUnionOf(<A> <B>)")
    '"ObjectUnionOf(<A> <B>)"^^<urn:reasoner:auxiliary>'
    """
    return f'"{escape(meaning)}"{_DATATYPE}'


def is_auxiliary(term: Term) -> bool:
    """Tell whether a term stands for an auxiliary class."""
    return isinstance(term, str) and term.endswith(_DATATYPE)


def meaning_of(predicate: str) -> str:
    """Return what an auxiliary class means.

    >>> meaning_of(auxiliary('DataHasValue(<p> "a")'))
    'DataHasValue(<p> "a")'
    """
    return unescape(predicate[1 : -len(_DATATYPE) - 1])
