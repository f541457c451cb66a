"""Conditions over columns say what the builtins say of single terms."""

import numpy as np
import pytest

from loaders.dictionary import Dictionary
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.match import Conditions
from tests.terms.test_builtins import DOES_NOT_HOLD, HOLDS

CASES = [(case, True) for case in HOLDS] + [(case, False) for case in DOES_NOT_HOLD]


@pytest.mark.parametrize("bound", ["all", "first", "none"])
@pytest.mark.parametrize(("case", "expected"), CASES)
def test_a_column_is_decided_as_its_terms_are(case, expected, bound):
    name, *texts = case
    dictionary = Dictionary()
    ids = [dictionary.id_of(text) for text in texts]
    count = {"all": len(ids), "first": 1, "none": 0}[bound]
    terms = tuple(-1 - position if position < count else id for position, id in enumerate(ids))
    bindings = Bindings({-1 - position: np.array([id, id]) for position, id in enumerate(ids[:count])}, 2)

    for _ in range(2):  # the second answer comes from memory
        assert Conditions(dictionary).holds(name, terms, bindings).tolist() == [expected, expected]


def test_answers_are_kept_as_the_dictionary_grows():
    dictionary = Dictionary()
    conditions = Conditions(dictionary)
    first = dictionary.id_of("<http://e.org/a>")
    assert conditions.holds("isIRI", (-1,), Bindings({-1: np.array([first])}, 1)).tolist() == [True]
    second = dictionary.id_of("_:b")
    assert conditions.holds("isIRI", (-1,), Bindings({-1: np.array([first, second])}, 2)).tolist() == [True, False]
