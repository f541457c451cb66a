"""A dictionary over ready texts behaves as one that was filled term by term."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.dictionary import Dictionary, ReadyDictionary

TERMS = st.integers(0, 400).map(lambda number: f"<http://e.org/{number}>")
OPERATIONS = st.sampled_from(["encode", "find", "id_of", "lookup", "truncate", "text"])


@given(st.lists(TERMS, unique=True, max_size=300), st.data())
def test_whatever_is_asked_first(known, data):
    plain = Dictionary()
    plain.encode(known)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(known)), max_size=3)))
    parts = [known[a:b] for a, b in zip([0, *cuts], [*cuts, len(known)], strict=True)]
    ready = ReadyDictionary(lambda: [pa.array(part, pa.string()) for part in parts], len(known))

    for operation in data.draw(st.lists(OPERATIONS, max_size=6)):
        if operation in ("encode", "find"):
            terms = data.draw(st.lists(TERMS, max_size=300))
            assert getattr(ready, operation)(terms).tolist() == getattr(plain, operation)(terms).tolist()
        elif operation in ("id_of", "lookup"):
            term = data.draw(TERMS)
            assert getattr(ready, operation)(term) == getattr(plain, operation)(term)
        elif operation == "truncate":
            length = data.draw(st.integers(0, len(plain)))
            plain.truncate(length)
            ready.truncate(length)
        elif len(plain):
            id = data.draw(st.integers(0, len(plain) - 1))
            assert ready.text(id) == plain.text(id)
        ids = np.arange(len(plain))
        assert len(ready) == len(plain) and ready.decode(ids) == plain.decode(ids)


def test_what_was_marked_is_known_until_it_is_taken_back():
    terms = Dictionary()
    terms.encode([f"<{number}>" for number in range(9)])
    terms.mark(7)
    terms.truncate(8)
    assert terms.marked == 7
    terms.truncate(5)
    terms.encode(["<new>", "<newer>", "<newest>"])
    assert terms.marked == 5


def _ready(count: int) -> ReadyDictionary:
    return ReadyDictionary(lambda: [pa.array([f"<{number}>" for number in range(count)], pa.string())], count)


def test_the_index_is_made_once_scans_have_cost_as_much():
    terms = _ready(500)
    for number in range(60):
        assert terms.lookup(f"<{number}>") == number
        assert terms.lookup(f"<{number}>") == number
    assert not terms.is_indexed
    assert terms.encode(["<70>", "<new>", "<80>", "<new>"]).tolist() == [70, 500, 80, 500]
    assert not terms.is_indexed
    assert terms.id_of("<newer>") == 501
    assert terms.is_indexed
    assert terms.find(["<new>", "<newer>", "<499>", "<none>"]).tolist() == [500, 501, 499, -1]


def test_a_frozen_copy_knows_what_was_found_by_scans():
    terms = _ready(50)
    assert terms.id_of("<new>") == 50

    frozen = terms.frozen()
    terms.id_of("<later>")

    assert (frozen.lookup("<new>"), frozen.lookup("<3>"), frozen.lookup("<later>")) == (50, 3, None)


def test_terms_that_are_missing_from_the_file_are_an_error_when_they_are_read():
    terms = ReadyDictionary(lambda: [pa.array(["<a>"], pa.string())], 2)

    assert len(terms) == 2
    with pytest.raises(ValueError, match="1 terms are there, and 2 should be"):
        terms.text(0)
