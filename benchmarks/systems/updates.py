"""This reasoner while facts go out and come back in, as a measured system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Result
from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome

if TYPE_CHECKING:
    from reasoner import Reasoner
    from reasoner.columnar.store import Snapshot
    from reasoner.terms.term import TextTriple

    Commit = Callable[[Stopwatch, str, list[TextTriple], list[TextTriple]], str]

# Not a strategy of transactions: reasoning alone, with compiled rules, without the price of a transaction.
MATERIALISE = "materialise"


def change(
    watch: Stopwatch,
    *,
    facts: str,
    ontology: str,
    options: dict[str, Any],
    strategy: str,
    sizes: Sequence[float],
    draws: int | Sequence[int] = 3,
    checked: int | None = None,
    predicate: str | None = None,
    expanded: bool = True,
    memory: bool = False,
) -> Outcome:
    """Take random facts out and put them back in, each as a transaction of its own, timed from its start to its delta.

    A size below one is a share of the facts. Every size is drawn ``draws`` times, or as often as ``draws`` says of it,
    from the facts of ``predicate`` if that is given; a draw is the same in every process. The phases are
    ``delete SIZE/DRAW`` and ``add SIZE/DRAW``, after one change of middling size as the phase ``warm up``;
    materialising needs none, having been done once. With ``memory`` the last deletion is made once more, untimed, to
    see the most memory that it takes.

    The result are checksums of the closure after each change of the first ``checked`` draws, or of the facts over
    representatives if these must not be ``expanded``. They are taken at the end, because questions leave indexes
    behind from which changes would profit.
    """
    from benchmarks.fact_sample import FactSample
    from reasoner import Reasoner

    kb = Reasoner(**options)
    with watch.phase("load"):
        kb.load(facts)
        sample = FactSample(kb.store, predicate)
        kb.load_ontology(ontology)
        kb.prepare()
    with watch.phase("reason"):
        kb.materialise()
    commit = _materialising(kb) if strategy == MATERIALISE else _transactions(kb, strategy)
    there = _ThereAndBack(kb, commit)
    if strategy != MATERIALISE:
        with watch.phase("warm up"):
            there.go(Stopwatch(), "warm up", sample.draw(sorted(sizes)[len(sizes) // 2], 0))
    times = [draws] * len(sizes) if isinstance(draws, int) else draws
    labels = [(size, number) for size, most in zip(sizes, times, strict=True) for number in range(1, most + 1)]
    for size, number in labels:
        kept = checked is None or number <= checked
        there.go(watch, f"{size:g}/{number}", sample.draw(size, number), kept=kept)
    numbers = {**there.numbers(), "explicit": len(sample), "facts": len(kb.store.state.facts)}
    if memory:
        numbers["peak bytes"] = _peak_bytes(commit, sample.draw(*labels[-1]))
    return there.checksums(expanded=expanded), numbers


def stream(
    watch: Stopwatch,
    *,
    facts: str,
    ontology: str,
    options: dict[str, Any],
    strategy: str,
    steps: Sequence[tuple[str, int | list[TextTriple]]],
    rules: str = "",
    given: Sequence[TextTriple] = (),
    patience: float | None = None,
) -> Outcome:
    """Take facts out and put them back in, step by step, each as a transaction of its own.

    A step is a label and facts, or how many to draw. The phases are ``delete LABEL/STEP`` and ``add LABEL/STEP``; a
    label that has taken more than ``patience`` seconds of processor time is left out from then on. ``rules`` and the
    facts ``given`` come in addition to the ontology. The result are checksums of the closure after the first deletion
    of each label.
    """
    from benchmarks.fact_sample import FactSample
    from reasoner import Reasoner

    kb = Reasoner(**options)
    kb.load(facts)
    sample = FactSample(kb.store)
    kb.load_ontology(ontology)
    kb.add(tuple(triple) for triple in given)
    if rules:
        kb.add_rules(rules)
    kb.materialise()
    there = _ThereAndBack(kb, _transactions(kb, strategy))
    spent: dict[str, float] = {}
    for number, (label, what) in enumerate(steps, start=1):
        if patience is not None and spent.get(label, 0.0) > patience:
            continue
        triples = sample.draw(what, number) if isinstance(what, int) else [(s, p, o) for s, p, o in what]
        there.go(watch, f"{label}/{number}", triples, kept=label not in spent)
        spent[label] = spent.get(label, 0.0) + watch.phases[f"delete {label}/{number}"].cpu
    return there.checksums(expanded=False), there.numbers()


class _ThereAndBack:
    """Makes changes, and keeps of each what is looked into later: the states before and after, the work, and how."""

    def __init__(self, kb: Reasoner, commit: Commit) -> None:
        self.kb = kb
        self.commit = commit
        self.states: dict[str, tuple[Snapshot, Snapshot]] = {}
        self.instances: dict[str, int] = {}
        self.used: dict[str, str] = {}

    def go(self, watch: Stopwatch, label: str, triples: list[TextTriple], *, kept: bool = False) -> None:
        """Take triples out and put them back in; ``kept`` tells whether the states are looked into later."""
        for name, added, removed in (f"delete {label}", [], triples), (f"add {label}", triples, []):
            before = self._change(watch, name, added, removed)
            if kept:
                self.states[name] = before, self.kb.store.state

    def _change(self, watch: Stopwatch, name: str, added: list[TextTriple], removed: list[TextTriple]) -> Snapshot:
        store = self.kb.store
        before = store.state
        # The engine counts on and on, except that a materialisation starts from nothing.
        store.engine.instances = 0
        self.used[name] = self.commit(watch, name, added, removed)
        self.instances[name] = store.engine.instances
        return before

    def numbers(self) -> dict[str, float]:
        """Return rule instances considered, facts over representatives that went and that came, and the strategy."""
        found: dict[str, float] = {f"{name} instances": count for name, count in self.instances.items()}
        found |= {f"{name} by {strategy}": 1 for name, strategy in self.used.items()}
        for name, (before, after) in self.states.items():
            found[f"{name} went"] = len(before.facts.difference(after.facts))
            found[f"{name} came"] = len(after.facts.difference(before.facts))
        return found

    def checksums(self, *, expanded: bool) -> Result:
        """Return checksums of what held after each change."""
        from benchmarks.checksum import Checksum

        checksum = Checksum(self.kb.store.dictionary)
        found: Result = {}
        for name, (_, state) in self.states.items():
            one = checksum.closure(self.kb.store, state) if expanded else checksum.stored(state)
            found |= {f"{key} after {name}": value for key, value in one.items()}
        return found


def _transactions(kb: Reasoner, strategy: str) -> Commit:
    def commit(watch: Stopwatch, name: str, added: list[TextTriple], removed: list[TextTriple]) -> str:
        with watch.phase(name), kb.transaction(strategy=strategy) as change:
            change.remove(removed)
            change.add(added)
        return change.delta.strategy

    return commit


def _materialising(kb: Reasoner) -> Commit:
    from reasoner.columnar.factset import FactSet

    def commit(watch: Stopwatch, name: str, added: list[TextTriple], removed: list[TextTriple]) -> str:
        with kb.session.changing() as draft:
            store = draft.store
            store.remove_columns(*store.encode(removed))
            store.add_columns(*store.encode(added))
            # As if loaded just now: tables with holes and patches are slower to read.
            explicit = FactSet.of_columns(*store.state.explicit.columns())
            store.state = replace(store.state, explicit=explicit)
        with watch.phase(name):
            kb.materialise()
        return MATERIALISE

    return commit


def _peak_bytes(commit: Commit, triples: list[TextTriple]) -> int:
    """Return the most memory that a deletion took beyond what was there; tracing it takes time, so it is not timed."""
    import tracemalloc

    tracemalloc.start()
    commit(Stopwatch(), "traced", [], triples)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
