"""Comparing two states of a store of Spark by the few facts that can make their closures differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoner.columnar.compare import Comparison, Side
from reasoner.columnar.factset import FactSet
from reasoner.columnar.graphs import united
from reasoner.columnar.kernels import Ids
from reasoner.columnar.regroup import moved_terms
from reasoner.spark.engine import SparkEngine
from reasoner.spark.fetched import changes_between, lookup, mentioning
from reasoner.vocabulary import SAME

if TYPE_CHECKING:
    from reasoner.columnar.store import Snapshot
    from reasoner.spark.store import SparkStore


def compared(store: SparkStore, before: Snapshot, after: Snapshot) -> Comparison:
    """Compare two states, given what a comparison asks about a state and nothing else of it.

    That is what came and went of it, what is asked about the explicit facts that came and went, and the facts that
    mention a term whose class is another one. If owl:sameAs itself has got or lost an equal, that is everything.
    """
    engine = store.spark
    moved = moved_terms(before.representatives, after.representatives)
    names, names_now = (store.own_equalities(state).names for state in (before, after))
    if (moved.size and int(moved[0]) == SAME) or names != names_now:
        whole = Side(before.explicit, before.facts, before.representatives, names)
        return Comparison(whole, Side(after.explicit, after.facts, after.representatives, names_now), store.dictionary)
    told, known = changes_between(engine, before.explicit, after.explicit)
    came, went = changes_between(engine, before.facts, after.facts)
    asked = united(told, known)
    old = Side(known, _asked_of(engine, before, went, asked, moved), before.representatives, names)
    new = Side(told, _asked_of(engine, after, came, asked, moved), after.representatives, names_now)
    return Comparison(old, new, store.dictionary)


def _asked_of(engine: SparkEngine, state: Snapshot, own: FactSet, asked: FactSet, moved: Ids) -> FactSet:
    """Return what only this state holds, and of the facts that both may hold those that are asked about."""
    normal = engine.to_facts(engine.normalise(engine.of_facts(asked), state.representatives))
    found = united(own, lookup(engine, normal, state.facts))
    return united(found, mentioning(engine, moved, state.facts)) if moved.size else found
