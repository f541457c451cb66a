"""A frozen dictionary beside one that grows and shrinks, against a plain list."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.dictionary import Dictionary, FrozenDictionary

STEPS = st.lists(st.tuples(st.sampled_from(["grow", "grow in bulk", "fail"]), st.integers(1, 400)), max_size=8)


def check(frozen: FrozenDictionary, known: list[str], unknown: list[str]) -> None:
    assert len(frozen) == len(known)
    assert [frozen.lookup(term) for term in known] == list(range(len(known)))
    assert [frozen.lookup(term) for term in unknown] == [None] * len(unknown)
    assert frozen.decode(np.arange(len(known))) == known
    assert frozen.find(known + unknown).tolist() == [*range(len(known)), *(-1 for _ in unknown)]
    assert frozen.literal_mask().tolist() == [term.startswith('"') for term in known]


@settings(deadline=None)
@given(STEPS)
def test_it_stays_what_it_was_whatever_the_dictionary_becomes(steps):
    """Ids of terms that were taken back are given out again, to other terms."""
    terms = Dictionary()
    known: list[str] = []
    kept: list[tuple[FrozenDictionary, list[str]]] = []
    made = 0
    for kind, count in steps:
        new = [f'"{made + n}"' if n % 3 else f"<http://e.org/{made + n}>" for n in range(count)]
        made += count
        kept.append((FrozenDictionary(terms), list(known)))
        if kind == "grow in bulk":
            terms.encode(new * 2)
        else:
            for term in new:
                terms.id_of(term)
        if kind == "fail":
            terms.truncate(len(known))
        else:
            known += new
    for frozen, then in kept:
        check(frozen, then, [term for term in known if term not in set(then)][:50])


def test_it_takes_no_new_terms():
    frozen = FrozenDictionary(Dictionary())

    for change in (lambda: frozen.encode(["a"]), lambda: frozen.id_of("a"), lambda: frozen.truncate(0)):
        with pytest.raises(TypeError, match="frozen"):
            change()


def test_readers_in_other_threads_find_what_there_was_while_it_grows():
    terms = Dictionary()
    known = [f"<http://e.org/{n}>" for n in range(1000)]
    terms.encode(known)
    frozen = FrozenDictionary(terms)
    stop = threading.Event()
    wrong: list[str] = []

    def read() -> None:
        while not stop.is_set():
            if frozen.lookup(known[777]) != 777 or frozen.lookup("<http://e.org/later/5>") is not None:
                wrong.append("lookup")
            if frozen.decode(np.array([3, 999])) != [known[3], known[999]]:
                wrong.append("decode")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(60):
        for n in range(50):
            terms.id_of(f"<http://e.org/later/{turn}/{n}>")
        terms.encode([f"<http://e.org/bulk/{turn}/{n}>" for n in range(600)])
        terms.id_of("<http://e.org/later/5>")
        if turn % 7 == 0:
            terms.truncate(1000)
    stop.set()
    for reader in readers:
        reader.join()

    assert wrong == []
