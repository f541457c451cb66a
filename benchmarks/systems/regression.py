"""The work of every day in small pieces, each beside a yardstick that none of our code can change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.seconds import Seconds, Stopwatch
from benchmarks.systems.ours import Outcome

if TYPE_CHECKING:
    from reasoner import Reasoner
    from reasoner.terms.term import TextTriple

Task = Callable[[], object]

# A piece of work is repeated within a round until it has taken so long: clocks and caches disturb what is shorter.
_LONG_ENOUGH = 0.02
_CHANGED = 100


def rounds(
    watch: Stopwatch, *, facts: str, ontology: str, classes: dict[str, str], graph: dict[str, str], count: int
) -> Outcome:
    """Do every task ``count`` times, in turn with the yardstick; the result says that all of them did their work.

    The numbers ``NAME/ROUND`` are how many times as long as the yardstick beside it a task took in a round.
    """
    tasks, result = _tasks(facts, ontology, classes, graph)
    yardstick = _yardstick()
    times = {name: _often_enough(task) for name, task in tasks.items()}
    numbers: dict[str, float] = {}
    with watch.phase("rounds"):
        for number in range(1, count + 1):
            for name, task in tasks.items():
                before, taken, after = _cpu(yardstick), _cpu(task, times[name]), _cpu(yardstick)
                numbers[f"{name}/{number}"] = taken / min(before, after)
    return result, numbers


def _tasks(
    facts: str, ontology: str, classes: dict[str, str], graph: dict[str, str]
) -> tuple[dict[str, Task], dict[str, int]]:
    from benchmarks.fact_sample import FactSample
    from benchmarks.lubm_queries import LUBM_QUERIES
    from loaders.dictionary import Dictionary
    from loaders.load import load
    from reasoner.sparql.translate import translate_anew

    university, equal, dag = _loaded(facts, ontology), _loaded(**classes), _loaded(**graph)
    for kb in (university, equal, dag):
        kb.materialise()
    changed = _loaded(facts, ontology)
    sample = FactSample(changed.store).draw(_CHANGED, 1)
    changed.materialise()
    large = "SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?y OPTIONAL { ?y ?q ?z } FILTER(?y > 1 && ?x != ?y) } GROUP BY ?x"

    def ask() -> None:
        for query in LUBM_QUERIES.values():
            for row in university.query(query, terms="text"):
                tuple(row)

    tasks: dict[str, Task] = {
        "load LUBM(1)": lambda: load([facts], Dictionary()),
        "reason on LUBM(1)": _starting_over(university),
        "reason on two classes of 100 equal terms": _starting_over(equal),
        "reason on a transitive property": _starting_over(dag),
        "delete and add 100 facts": lambda: _there_and_back(changed, sample),
        "answer the queries of LUBM": ask,
        "read a query by the grammar": lambda: translate_anew(large),
    }
    result = {name: len(kb.store.state.facts) for name, kb in (("lubm", university), ("equal", equal), ("dag", dag))}
    return tasks, result


def _loaded(facts: str, ontology: str) -> Reasoner:
    from reasoner import Reasoner

    kb = Reasoner(profile="dlp")
    kb.load(facts)
    kb.load_ontology(ontology)
    kb.prepare()
    return kb


def _starting_over(kb: Reasoner) -> Task:
    def task() -> None:
        kb.session.start_over(anew=True)
        kb.materialise()

    return task


def _there_and_back(kb: Reasoner, triples: list[TextTriple]) -> None:
    for added, removed in ([], triples), (triples, []):
        with kb.transaction(strategy="bf") as change:
            change.remove(removed)
            change.add(added)


def _yardstick() -> Task:
    """Return work on columns and on Python's own objects, as ours is."""
    import numpy as np

    column = np.random.default_rng(0).integers(0, 1 << 40, 150_000)
    words = [str(number) for number in column[:40_000].tolist()]

    def task() -> None:
        ordered = np.sort(column)
        ordered.searchsorted(column[:40_000])
        counts: dict[str, int] = {}
        for word in words:
            counts[word[:5]] = counts.get(word[:5], 0) + 1

    return task


def _often_enough(task: Task) -> int:
    _cpu(task)
    return max(1, round(_LONG_ENOUGH / max(_cpu(task), 1e-4)))


def _cpu(task: Task, times: int = 1) -> float:
    began = Seconds.now()
    for _ in range(times):
        task()
    return (Seconds.now() - began).cpu / times
