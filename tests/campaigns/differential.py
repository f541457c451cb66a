"""Random queries over data with equal terms, against another library and asked in other ways: ``make differential``.

Each query is answered as usual, and so that the answer has to be the same:

- by pyoxigraph, over the closure written out as plain triples;
- over the closure written out, as a store in which owl:sameAs has no meaning (representatives against expanded);
- with the axioms of equality as rules (rewriting against axioms);
- over a store on disk whose predicates have files of their own (predicate partitioning);
- over the same facts in another order, after others have come and gone;
- on Spark, with the usual budget of the driver and with none (``--engine spark``).

Queries whose answer by pyoxigraph is known to be wrong are not compared with it; ``FAULTS`` names each with the reason.
It is asked in a process of its own, because it cannot be stopped: what takes it longer than two seconds is counted as
such and not compared, and so are queries of which one way makes more rows than ``MOST_ROWS``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Self

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import NonInteractiveExampleWarning

from reasoner import Reasoner, ReasonerError
from reasoner.requests import query
from reasoner.sparql.errors import QueryTooLargeError
from tests.campaigns.record import Record
from tests.campaigns.steps import spark_of_campaigns
from tests.sparql.naive import Bag, Triple, bag, oxigraph_bag
from tests.sparql.strategies import data, queries
from tests.store.conftest import small_limits

QUERIES = 100_000
BATCH = 400
MOST_ROWS = 200_000
# How many queries share one set of data.
_ALIKE = 20
_SECONDS = 2.0
_LONG_FRACTION = re.compile(r'^("-?\d+\.\d{18})\d+(?="\^\^<http://www.w3.org/2001/XMLSchema#decimal>$)')

FAULTS: dict[str, tuple[re.Pattern[str], str]] = {
    "alternatives in paths": (
        re.compile(r"\([^()]*\|[^()]*\)(?![+*])"),
        "a pair that two branches of a path lead to is one solution for each; pyoxigraph gives one for both",
    ),
    "paths of length zero or one": (
        re.compile(r":\w+\?"),
        "a pair that is there by zero steps and by one is one solution; pyoxigraph gives two",
    ),
    "COUNT(DISTINCT *)": (
        re.compile(r"COUNT\(\s*DISTINCT\s*\*"),
        "solutions are counted once each; pyoxigraph counts all",
    ),
}


def main(arguments: list[str] | None = None) -> int:
    """Ask queries until enough were asked or the time is over; return 0 if no two answers differ."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.differential", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--queries", type=int, default=QUERIES, help="queries in all, earlier runs included")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no batch after this")
    parser.add_argument("--batch", type=int, default=BATCH, help="queries of one seed (400)")
    parser.add_argument("--seed", type=int, help="run one seed again, and record nothing")
    parser.add_argument("--engine", choices=("columnar", "spark"), default="columnar", help="with Spark too")
    options = parser.parse_args(arguments)
    record = Record("differential" if options.engine == "columnar" else "differential-spark")
    began = time.monotonic()
    if options.seed is not None:
        asked, differences = run_seed(options.seed, options.batch, options.engine)
        print(f"differential: seed {options.seed}, {asked['queries']} queries, {differences} differences", flush=True)
        return 1 if differences else 0
    while record.total["queries"] < options.queries and time.monotonic() - began < options.minutes * 60:
        number = record.next_seed
        record.add(number, *run_seed(number, options.batch, options.engine))
    print(record.summary("queries and comparisons"), flush=True)
    return 1 if record.failures else 0


def run_seed(number: int, count: int, engine: str) -> tuple[Counter[str], int]:
    """Ask queries of one seed in every way; return what was asked and compared, and how often answers differ."""
    counts: Counter[str] = Counter()
    differences = 0
    for facts, texts in _drawn(number, count):
        with ExitStack() as stack:
            ways = dict(_ways(facts, engine, stack))
            usual = ways.pop("usual")
            for text in texts:
                counts["queries"] += 1
                expected = _asked(usual, text, "usual", counts)
                for name, way in ways.items() if expected is not None else ():
                    if name == "pyoxigraph" and any(pattern.search(text) for pattern, _ in FAULTS.values()):
                        continue
                    if (found := _asked(way, text, name, counts)) is None:
                        continue
                    counts[f"against {name}"] += 1
                    assert expected is not None
                    if found != expected and _rounded(found) != _rounded(expected):
                        differences += 1
                        more, less = list((found - expected).items())[:2], list((expected - found).items())[:2]
                        print(f"seed {number}, {name}: {text}\n  over {facts}\n  more {more}, less {less}", flush=True)
    return counts, differences


def _rounded(found: Bag) -> Bag:
    """Return solutions with 18 digits of a fraction, as many as every processor has to give; ours gives more."""
    rounded: Bag = Counter()
    for solution, times in found.items():
        rounded[frozenset((name, _LONG_FRACTION.sub(r"\1", text)) for name, text in solution)] += times
    return rounded


def _asked(way: Callable[[str], Bag], text: str, name: str, counts: Counter[str]) -> Bag | None:
    """Return the answer of a way; None, which is counted, if it is too large."""
    try:
        return way(text)
    except (QueryTooLargeError, TimeoutError):
        counts[f"too large: {name}"] += 1
        return None


def _drawn(number: int, count: int) -> Iterator[tuple[list[Triple], list[str]]]:
    """Draw data and queries over them, by the strategies of the tests."""
    found: list[tuple[list[Triple], list[str]]] = []
    few = min(_ALIKE, count)

    @seed(number)
    @settings(
        max_examples=-(-count // few),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data(), st.lists(queries(), min_size=few, max_size=few))
    def draw(facts: list[Triple], texts: list[str]) -> None:
        found.append((facts, texts))

    draw()
    yield from found


def _ways(facts: list[Triple], engine: str, stack: ExitStack) -> Iterator[tuple[str, Callable[[str], Bag]]]:
    """Yield the ways to answer queries over some facts, the usual one first."""
    kb = _store(facts)
    closure = list(kb.triples())
    yield "usual", lambda text: _ours(kb, text)
    yield "pyoxigraph", stack.enter_context(_Oxigraph(closure)).answer
    written = _store(closure, equality="none")
    yield "the closure written out", lambda text: _ours(written, text)
    axioms = _store(facts, equality="axiomatise")
    if set(axioms.triples()) == set(closure):
        yield "axioms of equality", lambda text: _ours(axioms, text)
    shuffled = list(facts)
    random.Random(str(facts)).shuffle(shuffled)
    padded = _store([*shuffled, *(("<urn:pad>", f"<urn:p{n}>", f"<urn:o{n}>") for n in range(3))])
    padded.remove([("<urn:pad>", f"<urn:p{n}>", f"<urn:o{n}>") for n in range(3)])
    yield "another order, after a removal", lambda text: _ours(padded, text)
    partitioned = _partitioned(facts)
    yield "a partitioned store", lambda text: _ours(partitioned, text)
    if engine == "spark":
        for name, in_files in (("Spark", False), ("Spark with nothing in the driver", True)):
            yield name, partial(_ours, _on_spark(facts, in_files, stack))


def _on_spark(facts: list[Triple], in_files: bool, stack: ExitStack) -> Reasoner:
    """Return a store of the same facts on Spark, whose driver has room for all of them or for none."""
    from tests.engines import SparkMaker

    maker = SparkMaker(spark_of_campaigns(), in_files=in_files)
    stack.callback(maker.close)
    kb = maker(profile="none")
    kb.add(facts)
    kb.materialise()
    return kb


class _Oxigraph:
    """Lets pyoxigraph answer in a process of its own, which is ended if it takes too long."""

    def __init__(self, closure: list[Triple]) -> None:
        self._closure = closure
        self._context = multiprocessing.get_context("fork")
        self._process: Any = None
        self._ours: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def answer(self, text: str) -> Bag:
        """Return the solutions of a query, or raise ``TimeoutError``."""
        if self._process is None:
            self._ours, theirs = self._context.Pipe()
            self._process = self._context.Process(target=_answer_by_oxigraph, args=(self._closure, theirs))
            self._process.start()
            theirs.close()
        self._ours.send(text)
        if not self._ours.poll(_SECONDS):
            self._end()
            raise TimeoutError
        found = self._ours.recv()
        return found if isinstance(found, Counter) else Counter({frozenset({("error", str(found))}): 1})

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._ours.close()
            self._process = None


def _answer_by_oxigraph(closure: list[Triple], theirs: Any) -> None:
    with suppress(EOFError):
        while True:
            text = theirs.recv()
            try:
                theirs.send(oxigraph_bag(closure, text))
            except (ValueError, RuntimeError, OSError, SyntaxError) as error:
                theirs.send(f"{type(error).__name__}: {error}")


def _store(facts: list[Triple], equality: str = "rewrite") -> Reasoner:
    kb = Reasoner(profile="none", equality=equality)
    kb.add(facts)
    kb.materialise()
    return kb


def _partitioned(facts: list[Triple]) -> Reasoner:
    """Return a store as it is read again from a disk on which predicates have files of their own."""
    with tempfile.TemporaryDirectory() as folder, small_limits():
        with Reasoner.open(folder, create=True, profile="none") as kb:
            kb.add(facts)
        kb = Reasoner.open(folder, read_only=True)
        kb.summary()
        _ours(kb, "SELECT * { ?s ?p ?o }")
        return kb


def _ours(kb: Reasoner, text: str) -> Bag:
    try:
        found = query(kb, text, terms="text", timeout=60, most_rows=MOST_ROWS)
    except QueryTooLargeError:
        raise
    except ReasonerError as error:
        return Counter({frozenset({("error", str(error))}): 1})
    return bag(dict(zip(found.variables, row, strict=True)) for row in found)


if __name__ == "__main__":
    warnings.simplefilter("ignore", NonInteractiveExampleWarning)
    sys.exit(main())
