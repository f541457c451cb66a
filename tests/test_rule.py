"""The rule representation guards its own invariants."""

import pytest

from reasoner.rules.errors import UnsafeRuleError
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import Variable

X, Y = Variable("x"), Variable("y")


def test_a_head_variable_that_nothing_binds_is_rejected_by_name():
    with pytest.raises(UnsafeRuleError, match=r"\?y"):
        Rule("r", Atom(X, "<p>", Y), (Atom(X, "<q>", X),))


def test_a_negated_variable_that_nothing_binds_is_rejected():
    with pytest.raises(UnsafeRuleError, match=r"\?y"):
        Rule("r", Atom(X, "<p>", X), (Atom(X, "<q>", X),), negative=(Atom(X, "<q>", Y),))
