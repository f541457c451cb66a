"""The dictionary: ids are dense and stable, texts come back as they went in, and memory stays small."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loaders.dictionary
import loaders.texts
from loaders.dictionary import Dictionary

TERMS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def many(count: int, start: int = 0) -> list[str]:
    return [f"<http://example.org/resource/{number}>" for number in range(start, start + count)]


def test_ids_are_dense_in_order_of_first_appearance():
    dictionary = Dictionary()

    assert dictionary.encode(["b", "a", "b", "c"]).tolist() == [0, 1, 0, 2]
    assert dictionary.encode(pa.array(["c", "d"])).tolist() == [2, 3]
    assert len(dictionary) == 4


@pytest.mark.parametrize("count", [3, 5_000])
def test_finding_adds_nothing(count):
    dictionary = Dictionary()
    dictionary.encode(many(count))

    found = dictionary.find(many(count, start=count - 1))

    assert found.tolist() == [count - 1] + [-1] * (count - 1)
    assert len(dictionary) == count


def test_single_terms_and_batches_agree():
    dictionary = Dictionary()
    batch = dictionary.encode(many(3_000))
    singles = [dictionary.id_of(term) for term in many(4_000)]

    assert singles == list(range(4_000))
    assert batch.tolist() == singles[:3_000]
    assert dictionary.encode(many(4_000)).tolist() == singles
    assert dictionary.lookup(many(1, start=3_500)[0]) == 3_500
    assert dictionary.lookup("unknown") is None
    assert dictionary.text(3_999) == many(1, start=3_999)[0]


def test_decoding_follows_the_order_of_the_ids():
    dictionary = Dictionary()
    dictionary.encode(many(1_000))
    ids = np.array([999, 0, 0, 500], np.int32)

    expected = [many(1, start=int(id))[0] for id in ids]
    assert dictionary.decode(ids) == expected
    assert dictionary.decode_arrow(ids).to_pylist() == expected
    assert dictionary.decode(np.array([], np.int64)) == []


@pytest.mark.parametrize("id", [-1, 2])
def test_an_unknown_id_is_refused(id):
    dictionary = Dictionary()
    dictionary.encode(["a", "b"])

    with pytest.raises(IndexError, match="2 terms"):
        dictionary.text(id)
    with pytest.raises(IndexError, match="2 terms"):
        dictionary.decode(np.array([0, id]))


def test_the_literal_mask_grows_with_the_dictionary():
    dictionary = Dictionary()
    dictionary.encode(["<http://a/b>", '"x"', "_:b"])
    first = dictionary.literal_mask()
    dictionary.encode(['"y"@en', ""])

    assert first.tolist() == [False, True, False]
    assert dictionary.literal_mask().tolist() == [False, True, False, True, False]
    with pytest.raises(ValueError, match="read-only"):
        first[0] = True


def test_terms_with_the_same_hash_stay_apart(monkeypatch):
    """Every term collides with every other: only texts can tell them apart."""
    monkeypatch.setattr(loaders.dictionary, "hash", lambda term: 7, raising=False)
    dictionary = Dictionary()
    terms = many(400)

    assert dictionary.encode(terms).tolist() == list(range(400))
    assert dictionary.encode(terms[::-1]).tolist() == list(range(399, -1, -1))
    assert dictionary.find([*terms[:300], "other"]).tolist() == [*range(300), -1]
    assert dictionary.lookup(terms[37]) == 37


def test_texts_that_fill_several_segments_are_found_and_decoded(monkeypatch):
    monkeypatch.setattr(loaders.texts, "_FIRST_CAPACITY", 256)
    monkeypatch.setattr(loaders.texts, "_LAST_CAPACITY", 1024)
    dictionary = Dictionary()
    terms = [*many(20), "x" * 5_000, *many(500, start=20), '"literal"']
    for start in range(0, len(terms), 7):
        dictionary.encode(terms[start : start + 7])
    dictionary.encode(many(600, start=1_000))

    everything = terms + many(600, start=1_000)
    shuffled = np.random.default_rng(1).permutation(len(everything))
    assert dictionary.decode(shuffled) == [everything[id] for id in shuffled]
    assert dictionary.encode(everything).tolist() == list(range(len(everything)))
    assert np.flatnonzero(dictionary.literal_mask()).tolist() == [521]

    dictionary.truncate(21)
    assert dictionary.decode(np.arange(21)) == everything[:21]
    assert dictionary.encode(["new"]).tolist() == [21]


def test_what_is_truncated_was_never_seen():
    dictionary = Dictionary()
    dictionary.encode(many(1_000))
    before = dictionary.literal_mask(), dictionary.text_bytes
    dictionary.encode(['"literal"', *many(3_000)])
    dictionary.literal_mask()
    dictionary.truncate(1_000)

    assert len(dictionary) == 1_000
    assert dictionary.text_bytes == before[1]
    assert dictionary.lookup('"literal"') is None
    assert dictionary.encode(many(1_001)).tolist() == list(range(1_001))
    assert not dictionary.literal_mask().any()


def test_a_null_is_no_term():
    with pytest.raises(ValueError, match="null"):
        Dictionary().encode(pa.array([*many(1_000), None]))


def test_overhead_is_at_most_twenty_bytes_a_term():
    dictionary = Dictionary()
    for size in (10_000, 25_000, 60_000, 100_000):
        dictionary.encode(many(size))
        dictionary.literal_mask()
        assert dictionary.overhead_bytes / size <= 20
        assert dictionary.text_bytes == sum(map(len, many(size)))


def test_a_blank_scope_avoids_labels_that_are_already_there():
    dictionary = Dictionary()
    assert dictionary.new_blank_scope() == "f0"
    dictionary.encode(["_:f7_a", "_:f12", "_:x", "<f99_>", "_:f3-1"])

    assert dictionary.new_blank_scope() == "f8"
    assert dictionary.new_blank_scope() == "f9"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(TERMS, max_size=30), max_size=6), st.booleans())
def test_a_dictionary_behaves_as_a_dict(batches, in_bulk):
    dictionary, model = Dictionary(), {}
    small = 0 if in_bulk else 1_000
    original = loaders.dictionary._SMALL_BATCH, loaders.dictionary._SMALL_ROUND
    loaders.dictionary._SMALL_BATCH, loaders.dictionary._SMALL_ROUND = small, 0
    try:
        for batch in batches:
            expected = [model.setdefault(term, len(model)) for term in batch]
            assert dictionary.encode(batch).tolist() == expected
    finally:
        loaders.dictionary._SMALL_BATCH, loaders.dictionary._SMALL_ROUND = original
    assert dictionary.decode(np.arange(len(model))) == list(model)
    assert all(dictionary.lookup(term) == id for term, id in model.items())
