"""How much there is of every class and of every property: all that holds, and what of it was asserted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.factset import shown_facts
from reasoner.columnar.kernels import Ids
from reasoner.columnar.representatives import Representatives
from reasoner.terms.term import SAME, TYPE

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore


@dataclass(frozen=True, slots=True)
class VocabularySize:
    """The facts of one class or property: how many hold, and how many of these are explicit."""

    name: str
    facts: int
    asserted: int

    @property
    def inferred(self) -> int:
        return self.facts - self.asserted


def class_sizes(store: ColumnarStore) -> list[VocabularySize]:
    """Return the members of every class, every equal name for itself, the largest class first."""
    state = store.state
    literal, representatives = store.dictionary.literal_mask(), state.representatives
    subjects, classes = state.facts.table(TYPE).pairs()
    resources = ~literal[subjects]
    weights = _weights(representatives, subjects[resources])
    known, totals = _summed(classes[resources], weights)
    owner, names = representatives.expanded(known)
    stated, counts = _summed(state.explicit.table(TYPE).pairs()[1], None)
    asserted = dict(zip(stated.tolist(), counts.tolist(), strict=True))
    return _sorted(store, names, totals[owner], lambda id: asserted.get(id, 0))


def property_sizes(store: ColumnarStore) -> list[VocabularySize]:
    """Return the facts of every property, every equal term for itself, the most used property first."""
    state = store.state
    literal, representatives = store.dictionary.literal_mask(), state.representatives
    own = store.own_equalities(state)
    totals: Counter[int] = Counter()
    for predicate in shown_facts(state.facts, store.engine.auxiliary):
        s, o = state.facts.table(predicate).pairs()
        rdf = ~literal[s]
        if own.hides(predicate):
            rdf &= s != o
        total = int((_weights(representatives, s[rdf]) * _weights(representatives, o[rdf])).sum())
        totals.update(dict.fromkeys(representatives.class_of(predicate).tolist(), total))
    if representatives:
        # That the members of a class are equal is stored nowhere.
        _, ends, members = representatives.classes()
        owner = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))[~literal[members]]
        sizes = np.bincount(owner, minlength=ends.size)
        equalities = int((sizes * (sizes - 1)).sum())
        totals.update(dict.fromkeys(representatives.class_of(SAME).tolist(), equalities))
    totals.update({name: terms.size for name, terms in own})
    # No blank node is a predicate of RDF, whatever it equals.
    totals = Counter({name: total for name, total in totals.items() if store.dictionary.text(name)[0] == "<"})
    names = np.fromiter(totals, np.int64, len(totals))
    counts = np.fromiter(totals.values(), np.int64, len(totals))
    return _sorted(store, names, counts, lambda id: state.explicit.table(id).size)


def _weights(representatives: Representatives, ids: Ids) -> Ids:
    return representatives.sizes(ids) if representatives else np.ones(ids.size, dtype=np.int64)


def _summed(keys: Ids, weights: Ids | None) -> tuple[Ids, Ids]:
    """Return the distinct keys, and how often each occurs, or what its weights come to."""
    if not keys.size:
        return keys, keys
    known, place = np.unique(keys, return_inverse=True)
    return known, np.bincount(place, weights, known.size).astype(np.int64)


def _sorted(store: ColumnarStore, names: Ids, totals: Ids, asserted: Callable[[int], int]) -> list[VocabularySize]:
    texts = store.dictionary.decode(names)
    rows = zip(names.tolist(), texts, totals.tolist(), strict=True)
    sizes = [VocabularySize(text, total, asserted(id)) for id, text, total in rows if total and text[0] != '"']
    return sorted(sizes, key=lambda size: (-size.facts, size.name))
