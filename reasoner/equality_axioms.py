"""Equality as ordinary rules, for comparison: the axioms of a congruence (paper 2, rules 1 to 4 of section 2).

The condition ``equatable`` says what rewriting says by itself: literals stay as they are written. That those of one
value are equal, rules read where they compare literals (``rules.value_joins``).
"""

from __future__ import annotations

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import SAME_AS, Variable

_S, _P, _O, _OTHER = Variable("s"), Variable("p"), Variable("o"), Variable("other")
_FACT = Atom(_S, _P, _O)


def _replacement(name: str, term: Variable, head: Atom) -> Rule:
    return Rule(
        name,
        head,
        (_FACT, Atom(term, SAME_AS, _OTHER)),
        conditions=(Builtin("equatable", (term, _OTHER)),),
        sources=("equality is a congruence",),
    )


def _reflexivity(term: Variable) -> Rule:
    return Rule("eq-ref", Atom(term, SAME_AS, term), (_FACT,), sources=("equality is reflexive",))


EQUALITY_AXIOMS = (
    _replacement("eq-rep-s", _S, Atom(_OTHER, _P, _O)),
    _replacement("eq-rep-p", _P, Atom(_S, _OTHER, _O)),
    _replacement("eq-rep-o", _O, Atom(_S, _P, _OTHER)),
    *(_reflexivity(term) for term in (_S, _P, _O)),
)
