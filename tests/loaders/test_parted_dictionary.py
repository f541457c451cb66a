"""A dictionary in parts is one dictionary: whatever is asked, it answers as one that has all terms in memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.dictionary import Dictionary
from loaders.parted_dictionary import HeldTerms, PartedDictionary

texts = st.sampled_from([*(f"<http://e/{n}>" for n in range(12)), *(f'"{n}"' for n in range(6)), "_:f2_a", "_:f7-b"])
batches = st.lists(texts, max_size=8)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("encode"), batches),
        st.tuples(st.just("keep"), batches),
        st.tuples(st.just("truncate"), st.integers(0, 20)),
        st.tuples(st.just("scope"), st.none()),
        st.tuples(st.just("read"), batches),
    ),
    max_size=14,
)


class ListedTerms:
    """Terms that are kept in a list."""

    def __init__(self, first, texts):
        self.first, self.known = first, texts
        self.end = first + len(texts)
        self.text_bytes = sum(len(text.encode()) for text in texts)

    def find(self, texts):
        ids = [self.first + self.known.index(text) if text in self.known else -1 for text in texts.to_pylist()]
        return np.array(ids, dtype=np.int64)

    def texts(self, ids):
        return pa.array([self.known[id - self.first] for id in ids.tolist()], pa.string())

    def literals(self):
        return np.array([text.startswith('"') for text in self.known], dtype=np.bool_)

    def highest_scope(self):
        return max((int(text[3]) for text in self.known if text.startswith("_:f")), default=-1)

    def before(self, end):
        return ListedTerms(self.first, self.known[: end - self.first])


def check(parted: PartedDictionary, plain: Dictionary, asked: list[str]) -> None:
    size = len(plain)
    assert len(parted) == size
    assert parted.decode(np.arange(size)[::-1]) == plain.decode(np.arange(size)[::-1])
    assert [parted.text(id) for id in range(size)] == [plain.text(id) for id in range(size)]
    assert parted.find(asked).tolist() == plain.find(asked).tolist()
    assert [parted.lookup(text) for text in asked] == [plain.lookup(text) for text in asked]
    assert parted.literal_mask().tolist() == plain.literal_mask().tolist()
    assert parted.text_bytes == plain.text_bytes
    held = {id for part in parted.parts if isinstance(part, HeldTerms) for id in range(part.first, part.end)}
    assert parted.held_from(1).tolist() == sorted(held - {0})
    assert parted.held == len(held)
    assert len(held) + sum(part.end - part.first for part in parted.kept) == size


@settings(max_examples=300, deadline=None)
@given(batches, steps)
def test_parts_answer_as_one(first, steps):
    plain, begin = Dictionary(), Dictionary()
    for dictionary in (plain, begin):
        dictionary.encode(first)
    parted = PartedDictionary(begin)
    asked = [*first, "<http://e/unknown>"]
    for step, value in steps:
        if step == "encode":
            assert parted.encode(value).tolist() == plain.encode(value).tolist()
            asked += value
        elif step == "keep":
            new = [text for text in dict.fromkeys(value) if plain.lookup(text) is None]
            parted.keep_elsewhere(ListedTerms(len(plain), new))
            plain.encode(new)
            asked += value
        elif step == "truncate":
            for dictionary in (plain, parted):
                dictionary.truncate(value)
        elif step == "scope":
            assert parted.new_blank_scope() == plain.new_blank_scope()
        else:
            check(parted, plain, value)
    check(parted, plain, asked)


def parted_in_three() -> PartedDictionary:
    terms = PartedDictionary(Dictionary())
    terms.encode(["<http://e/a>"])
    terms.keep_elsewhere(ListedTerms(1, ["<http://e/b>", '"c"']))
    terms.encode(["<http://e/d>"])
    return terms


def test_a_frozen_one_stays_as_it_was():
    terms = parted_in_three()
    frozen = terms.frozen()
    mask = frozen.literal_mask().tolist()
    terms.encode(["<http://e/e>", '"f"'])
    terms.keep_elsewhere(ListedTerms(6, ['"g"']))

    assert (len(frozen), len(terms)) == (4, 7)
    assert frozen.lookup('"f"') is None
    assert frozen.lookup('"g"') is None
    assert frozen.literal_mask().tolist() == mask == [False, False, True, False]
    assert frozen.text(2) == '"c"'
    with pytest.raises(TypeError, match="frozen"):
        frozen.encode(["<http://e/z>"])


def test_a_mask_that_was_handed_out_does_not_change():
    terms = parted_in_three()
    mask = terms.literal_mask()
    terms.truncate(2)
    terms.encode(['"x"', "<http://e/y>"])

    assert mask.tolist() == [False, False, True, False]
    assert terms.literal_mask().tolist() == [False, False, True, False]
    assert terms.decode(range(4)) == ["<http://e/a>", "<http://e/b>", '"x"', "<http://e/y>"]


def test_marks_are_lost_with_the_terms():
    terms = parted_in_three()
    terms.mark(4)
    assert terms.marked == 4

    terms.truncate(2)
    terms.encode(["<http://e/y>", "<http://e/z>"])
    assert terms.marked == 2


def test_ids_that_no_term_has_are_told():
    terms = parted_in_three()
    for wrong in (-1, 4):
        with pytest.raises(IndexError, match=f"no term has the id {wrong}; the dictionary holds 4 terms"):
            terms.text(wrong)


def test_other_places_take_over_all_terms_or_none():
    terms = parted_in_three()
    with pytest.raises(ValueError, match="holds 4 terms"):
        terms.take_place([ListedTerms(0, ["<http://e/a>"])])
    terms.take_place([ListedTerms(0, terms.decode(range(4)))])

    assert terms.held == 0
    assert terms.encode(["<http://e/d>", "<http://e/e>"]).tolist() == [3, 4]


def test_kept_terms_begin_with_the_next_free_id():
    with pytest.raises(ValueError, match="the next free id is 4, and the terms begin with 7"):
        parted_in_three().keep_elsewhere(ListedTerms(7, ["<http://e/z>"]))
