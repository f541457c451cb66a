"""The union-find against a naive partition."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.columnar import representatives
from reasoner.columnar.representatives import Representatives

PAIRS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=15)


def partition(pairs) -> dict[int, set]:
    classes = {term: {term} for term in range(21)}
    for left, right in pairs:
        union = classes[left] | classes[right]
        for member in union:
            classes[member] = union
    return classes


def merged(mapping: Representatives, pairs):
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return mapping.merged(array[:, 0], array[:, 1])


@settings(max_examples=200, deadline=None)
@given(st.lists(PAIRS, max_size=4), st.sampled_from([(64, 200_000), (1, 200_000), (1, 1)]))
def test_the_smallest_member_represents_its_class_whatever_the_method(batches, thresholds):
    before = representatives._HOOKING_FROM, representatives._LIBRARY_FROM
    representatives._HOOKING_FROM, representatives._LIBRARY_FROM = thresholds
    try:
        mapping, seen = Representatives(), []
        for batch in batches:
            old = mapping.of(np.arange(21))
            mapping, gone, targets = merged(mapping, batch)
            new = mapping.of(np.arange(21))
            seen += batch
            was_root = old == np.arange(21)
            assert gone.tolist() == [term for term in range(21) if was_root[term] and new[term] != term]
            assert targets.tolist() == new[gone].tolist()
    finally:
        representatives._HOOKING_FROM, representatives._LIBRARY_FROM = before
    classes = partition(seen)

    assert mapping.of(np.arange(21)).tolist() == [min(classes[term]) for term in range(21)]
    assert [mapping.of_one(term) for term in range(21)] == [min(classes[term]) for term in range(21)]
    for term in range(21):
        assert mapping.class_of(term).tolist() == sorted(classes[term])
    roots = np.array(sorted({min(members) for members in classes.values()}), dtype=np.int64)
    assert mapping.sizes(roots).tolist() == [len(classes[root]) for root in roots.tolist()]
    owner, members = mapping.expanded(roots)
    for position, root in enumerate(roots.tolist()):
        assert set(members[owner == position].tolist()) == classes[root]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(PAIRS, st.sets(st.integers(0, 20), max_size=3)), max_size=6), st.booleans())
def test_classes_are_merged_and_taken_apart_again_without_copying_the_others(steps, apart):
    """A step merges pairs, or takes the classes of some terms apart; ``apart`` keeps all changes in their own table."""
    before = representatives._FEW_OF
    representatives._FEW_OF = 0 if apart else before
    terms = np.arange(21)
    try:
        mapping = Representatives()
        expected = {term: {term} for term in range(21)}
        for step in steps:
            old = mapping
            if isinstance(step, set):
                roots = np.unique(mapping.of(np.array(sorted(step), dtype=np.int64)))
                members = mapping.expanded(roots)[1]
                mapping = mapping.with_classes(members, members)
                expected |= {member: {member} for term in step for member in expected[term]}
            else:
                mapping, _, _ = merged(mapping, step)
                for left, right in step:
                    union = expected[left] | expected[right]
                    expected |= dict.fromkeys(union, union)

            assert mapping.of(terms).tolist() == [min(expected[term]) for term in range(21)]
            assert [mapping.of_one(term) for term in range(21)] == [min(expected[term]) for term in range(21)]
            assert mapping.is_plural(terms).tolist() == [len(expected[term]) > 1 for term in range(21)]
            assert [mapping.class_of(term).tolist() for term in range(21)] == [sorted(expected[t]) for t in range(21)]
            roots = np.unique(mapping.of(terms))
            owner, members = mapping.expanded(roots)
            assert owner.tolist() == sorted(owner.tolist())
            assert sorted(zip(roots[owner].tolist(), members.tolist(), strict=True)) == sorted(
                (min(expected[term]), term) for term in range(21)
            )
            assert mapping.sizes(roots).tolist() == [len(expected[root]) for root in roots.tolist()]
            plural = [term for term in range(21) if len(expected[term]) > 1]
            assert mapping.members.tolist() == plural
            assert mapping.targets.tolist() == [min(expected[term]) for term in plural]
            moved = [t for t in range(21) if mapping.of_one(t) != old.of_one(t)]
            assert mapping.moved_since(old).tolist() == moved
    finally:
        representatives._FEW_OF = before


def test_no_equality_stores_nothing():
    mapping = Representatives()

    assert not mapping
    assert mapping.nbytes == 0
    assert mapping.of(np.array([3, 1])).tolist() == [3, 1]


def test_a_long_chain_is_one_class_by_every_method(monkeypatch):
    links = np.random.default_rng(3).permutation(5000)
    for thresholds in ((10**9, 10**9), (1, 10**9), (1, 1)):
        monkeypatch.setattr(representatives, "_HOOKING_FROM", thresholds[0])
        monkeypatch.setattr(representatives, "_LIBRARY_FROM", thresholds[1])
        mapping, gone, _ = Representatives().merged(links[1:], links[:-1])
        assert gone.size == 4999
        assert not mapping.of(np.arange(5000)).any()
