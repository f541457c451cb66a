"""This reasoner while a stream of small updates comes in, as a measured system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.checksum import Checksum
from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome

if TYPE_CHECKING:
    from reasoner import Reasoner
    from reasoner.state.delta import Delta
    from reasoner.terms.term import TextTriple

    # Whether a fact comes, and the fact.
    Update = tuple[bool, TextTriple]

# How many updates after its deletion a fact comes back.
_LATER = 4


def stream(watch: Stopwatch, *, facts: str, ontology: str, options: dict[str, Any], updates: int, way: str) -> Outcome:
    """Take facts out, each of which comes back a little later but for every fourth, in one of the ``WAYS``.

    The numbers are the rule instances that all updates took; the result is a checksum of the closure after them.
    """
    from benchmarks.fact_sample import FactSample
    from reasoner import Reasoner

    kb = Reasoner(**options)
    with watch.phase("load"):
        kb.load(facts)
        sample = FactSample(kb.store)
        kb.load_ontology(ontology)
        kb.prepare()
    with watch.phase("reason"):
        kb.materialise()
    with watch.phase("warm up"):
        WAYS[way](kb, _updates(sample.draw(8, 0)))
    coming = _updates(sample.draw(updates, 1))
    with watch.phase("stream"):
        deltas = WAYS[way](kb, coming)
    instances = sum(delta.work.total for delta in deltas)
    return Checksum(kb.store.dictionary).closure(kb.store, kb.store.state), {"instances": instances}


def _updates(drawn: Sequence[TextTriple]) -> list[Update]:
    found: list[Update] = []
    for at, fact in enumerate(drawn):
        found.append((False, fact))
        if at >= _LATER and at % 4:
            found.append((True, drawn[at - _LATER]))
    return found


def _consecutive(kb: Reasoner, updates: Iterable[Update]) -> list[Delta]:
    """Commit update after update."""
    deltas = []
    for comes, fact in updates:
        with kb.transaction(strategy="bf") as change:
            (change.add if comes else change.remove)(fact)
        deltas.append(change.delta)
    return deltas


def _batch(kb: Reasoner, updates: Iterable[Update]) -> list[Delta]:
    """Commit what all updates come down to."""
    with kb.transaction(strategy="bf") as change:
        for comes, fact in updates:
            (change.add if comes else change.remove)(fact)
    return [change.delta]


def _sparse(kb: Reasoner, updates: Iterable[Update]) -> list[Delta]:
    """Submit each update when the one before it is done."""
    session, deltas = kb.dynamic(strategy="bf"), []
    for comes, fact in updates:
        session.submit(**{"add" if comes else "remove": fact})
        deltas += session.run()
    return deltas


def _dense(kb: Reasoner, updates: Iterable[Update]) -> list[Delta]:
    """Submit the next update before each round, whatever is under way."""
    session, coming, deltas = kb.dynamic(strategy="bf"), iter(updates), []

    def submit() -> bool:
        for comes, fact in coming:
            session.submit(**{"add" if comes else "remove": fact})
            return True
        return False

    while submit():
        deltas += session.run(lambda: submit() and None)
    return deltas


def _background(kb: Reasoner, updates: Iterable[Update]) -> list[Delta]:
    """Submit all updates to a session that works in the background."""
    with kb.dynamic(strategy="bf") as session:
        tickets = [session.submit(**{"add" if comes else "remove": fact}) for comes, fact in updates]
    return list({id(ticket.delta): ticket.delta for ticket in tickets}.values())


WAYS: dict[str, Callable[[Reasoner, Iterable[Update]], list[Delta]]] = {
    "consecutive": _consecutive,
    "batch": _batch,
    "sparse": _sparse,
    "dense": _dense,
    "background": _background,
}
