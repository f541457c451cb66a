"""A dictionary over ready texts behaves as one that was filled term by term."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from loaders.dictionary import Dictionary
from loaders.ready_dictionary import ReadyDictionary

TERMS = st.integers(0, 400).map(lambda number: f"<http://e.org/{number}>")
OPERATIONS = st.sampled_from(["encode", "find", "id_of", "lookup", "truncate", "text"])


@given(st.lists(TERMS, unique=True, max_size=300), st.data())
def test_whatever_is_asked_first(known, data):
    plain = Dictionary()
    plain.encode(known)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(known)), max_size=3)))
    parts = [known[a:b] for a, b in zip([0, *cuts], [*cuts, len(known)], strict=True)]
    ready = ReadyDictionary([pa.array(part, pa.string()) for part in parts])

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
