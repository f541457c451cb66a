"""Systems that answer SPARQL queries: this reasoner, ``pyoxigraph`` and ``rdflib``, over one and the same closure.

An answer counts as given when every value of every row has been read, row by row, as a term of the system's own kind:
a text with us, an object with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import count, repeat
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Result
from benchmarks.seconds import Seconds, Stopwatch
from benchmarks.systems.ours import Outcome

if TYPE_CHECKING:
    from reasoner import Reasoner

# Queries take turns, round by round, so that a busy moment of the machine does not meet all the askings of one. In a
# round a query is asked until it has taken so long, but no more often than that; a slow one is asked no more at all.
_ROUNDS, _LONG_ENOUGH, _MOST = 5, 0.1, 40
_TOO_LONG = 5.0

Rows = Iterable[Iterable[Any]]


def closure(
    watch: Stopwatch, *, facts: str, ontology: str | None = None, options: dict[str, Any], target: str
) -> Outcome:
    """Write the closure to a file of N-Triples."""
    kb = _materialised(facts, ontology, options)
    return {"statements": kb.write(target)}, {}


def ours(
    watch: Stopwatch,
    *,
    queries: dict[str, str],
    facts: str,
    ontology: str | None = None,
    options: dict[str, Any],
    terms: str = "text",
) -> Outcome:
    """Load, reason, and ask this reasoner."""
    from loaders.terms import from_rdflib

    with watch.phase("load"):
        kb = _materialised(facts, ontology, options)
    text = from_rdflib if terms == "rdflib" else str
    return ask(watch, queries, lambda query: kb.query(query, terms=terms), text), {}


def oxigraph(watch: Stopwatch, *, queries: dict[str, str], facts: str) -> Outcome:
    """Load a closure into pyoxigraph's store in memory, optimise it, and ask."""
    from pyoxigraph import RdfFormat, Store

    from loaders.terms import from_oxigraph

    store = Store()
    with watch.phase("load"):
        store.bulk_load(path=facts, format=RdfFormat.N_TRIPLES)
        store.optimize()

    def answer(query: str) -> Rows:
        rows: Any = store.query(query)
        return rows

    return ask(watch, queries, answer, from_oxigraph), {}


def rdflib_graph(watch: Stopwatch, *, queries: dict[str, str], facts: str) -> Outcome:
    """Load a closure into a graph of rdflib, prepare the queries, and ask."""
    from rdflib import Graph
    from rdflib.plugins.sparql import prepareQuery

    from loaders.terms import from_rdflib

    graph = Graph()
    with watch.phase("load"):
        graph.parse(facts, format="nt")
    prepared = {query: prepareQuery(query) for query in queries.values()}

    def answer(query: str) -> Rows:
        rows: Any = graph.query(prepared.get(query, query))
        return rows

    return ask(watch, queries, answer, from_rdflib), {}


def ask(watch: Stopwatch, queries: dict[str, str], answer: Callable[[str], Rows], text: Callable[[Any], str]) -> Result:
    """Ask every query many times over; return how many answers it has, and a checksum of them as texts.

    The phase ``again NAME`` is the median time of a query that has been asked before, ``new NAME`` that of one whose
    text is new: a blank at its end is enough for that, and whoever remembers nothing takes as long as before.
    """
    found: Result = {}
    for name, query in queries.items():
        found |= _checked(name, answer(query), text)
    taken: dict[str, list[Seconds]] = {f"{kind} {name}": [] for name in queries for kind in ("again", "new")}
    new_texts = {name: _new_texts(query) for name, query in queries.items()}
    for _ in range(_ROUNDS):
        for name, query in queries.items():
            if sum(one.cpu for one in taken[f"again {name}"]) < _TOO_LONG:
                _ask_for_a_while(answer, repeat(query), taken[f"again {name}"])
                _ask_for_a_while(answer, new_texts[name], taken[f"new {name}"])
    for phase, times in taken.items():
        watch.phases[phase] = Seconds(median(one.cpu for one in times), median(one.wall for one in times))
    return found


def _materialised(facts: str, ontology: str | None, options: dict[str, Any]) -> Reasoner:
    from reasoner import Reasoner

    kb = Reasoner(**options)
    kb.load(facts)
    if ontology is not None:
        kb.load_ontology(ontology)
    kb.materialise()
    return kb


def _checked(name: str, rows: Rows, text: Callable[[Any], str]) -> Result:
    answers, total = 0, 0
    for row in rows:
        written = "\t".join(text(value) for value in row)
        total += int.from_bytes(blake2b(written.encode(), digest_size=8).digest())
        answers += 1
    return {f"answers of {name}": answers, f"checksum of {name}": total % 2**64}


def _new_texts(query: str) -> Iterator[str]:
    return (query + " " * turn for turn in count(1))


def _ask_for_a_while(answer: Callable[[str], Rows], texts: Iterator[str], taken: list[Seconds]) -> None:
    """Ask a query some times and append how long each took; the first asking after other queries does not count."""
    spent, asked = 0.0, 0
    while asked == 0 or (spent < _LONG_ENOUGH and asked <= _MOST):
        query = next(texts)
        began = Seconds.now()
        for row in answer(query):
            tuple(row)
        one = Seconds.now() - began
        # What takes long is not asked once more for the sake of warm caches.
        if asked or one.cpu >= _LONG_ENOUGH:
            taken.append(one)
        spent += one.cpu
        asked += 1
