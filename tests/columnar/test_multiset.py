"""Multisets of facts against counters of Python."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from reasoner.columnar.factset import FactSet
from reasoner.columnar.multiset import ColumnarMultiset
from reasoner.columnar.store import ColumnarStore
from tests.notation import Fact, fact

NAMES = [fact(f"{s} {p} {o}") for s in "abcd" for p in ("p", "type") for o in "xyz"]


def read(store: ColumnarStore, some: ColumnarMultiset) -> dict[Fact, int]:
    found = dict.fromkeys(NAMES, 0)
    for times in range(1, 100):
        for triple in store.texts(some.occurring(some.facts, times)):
            found[triple] = times
    return {triple: times for triple, times in found.items() if times}


@pytest.mark.parametrize("seed", range(3))
def test_a_multiset_adds_and_subtracts_as_its_definition_says(seed):
    """Motik et al. 2019, section 5.3: multiplicities add up, and what has none left is not in the difference."""
    random, store = Random(seed), ColumnarStore()

    def encoded(triple: Fact) -> FactSet:
        return FactSet.of_columns(*store.encode([triple]))

    known: Counter[Fact] = Counter()
    some = ColumnarMultiset(FactSet())
    for _ in range(60):
        change = Counter(random.choices(NAMES, k=random.randint(0, 12)))
        part = ColumnarMultiset(FactSet())
        for triple, times in change.items():
            part = part.plus(ColumnarMultiset.of_facts(encoded(triple), times))
        kind = random.choice(["plus", "plus", "minus", "minus", "without"])
        if kind == "plus":
            known, some = known + change, some.plus(part)
        elif kind == "minus":
            known, some = known - change, some.minus(part)
        else:
            known = Counter({triple: times for triple, times in known.items() if triple not in change})
            some = some.without(part.facts)

        assert read(store, some) == known
        between = {triple for triple, times in known.items() if triple in change and 2 <= times <= 3}
        assert set(store.texts(some.occurring(part.facts, 2, 3))) == between
