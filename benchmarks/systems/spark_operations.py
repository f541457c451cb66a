"""Every public operation on a store of Spark, with the rows that it brings to the driver."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.seconds import Seconds, Stopwatch
from benchmarks.systems.ours import Outcome
from reasoner.spark.fetched import FetchedFacts

if TYPE_CHECKING:
    from reasoner import Reasoner

UB = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
STUDENT = "<http://www.Department0.University0.edu/UndergraduateStudent3>"
PREFIXES = f"PREFIX ub: <{UB}> "

# Few, but more than single changes have: what was changed since the files were written is at the driver.
DRIVER_ROWS = 500

# What one operation took: rows that came to the driver, jobs, and seconds by the clock.
Taken = tuple[int, int, float]


def operations(folder: Path) -> Iterator[tuple[str, Callable[[Reasoner], Any]]]:
    """Yield the operations by name, in an order in which each finds what it needs; files go to a folder.

    Each shows a few rows at most, so that all others that come to the driver come unasked.
    """
    yield "materialise", lambda kb: kb.session.materialise()
    yield "summary", lambda kb: kb.summary()
    yield "first ten triples", lambda kb: list(islice(kb.triples(), 10))
    yield "first ten inferred triples", lambda kb: list(islice(kb.triples(inferred_only=True), 10))
    yield "first ten quads", lambda kb: list(islice(kb.quads(), 10))
    yield "SELECT LIMIT 10", lambda kb: kb.query(f"{PREFIXES} SELECT * {{ ?x ub:memberOf ?y }} LIMIT 10")
    yield "ORDER BY LIMIT 10", lambda kb: kb.query(f"{PREFIXES} SELECT ?x {{ ?x a ub:Person }} ORDER BY ?x LIMIT 10")
    yield "COUNT", lambda kb: kb.query(f"{PREFIXES} SELECT (COUNT(*) AS ?n) {{ ?x a ub:Person }}")
    yield "ASK", lambda kb: kb.query(f"{PREFIXES} ASK {{ ?x ub:headOf ?y }}")
    yield "DESCRIBE", lambda kb: kb.query(f"DESCRIBE {STUDENT}")
    yield "select by subject", lambda kb: kb.select(f"{STUDENT} ?p ?o")
    yield "select by join", lambda kb: kb.select(f"{PREFIXES} ?x ub:headOf ?y, ?y a ub:Department")
    yield "classes", lambda kb: kb.classes()
    yield "violations", lambda kb: kb.violations()
    yield "is_consistent", lambda kb: kb.is_consistent()
    yield "explain", lambda kb: kb.explain((STUDENT, TYPE, f"<{UB}Person>"))
    yield "explanations", lambda kb: list(kb.explanations((STUDENT, TYPE, f"<{UB}Person>"), most=2))
    yield "entails a fact", lambda kb: kb.entails(f"{STUDENT} a <{UB}Person> .")
    yield (
        "entails an axiom",
        lambda kb: kb.entails(f"<{UB}Lecturer> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <{UB}Person> ."),
    )
    yield "transaction", _transaction
    yield "delta as a frame", lambda kb: _transaction(kb, "e").delta.to_dataframe().limit(5).collect()
    yield "removal", lambda kb: kb.remove([(f"<{UB}new1>", f"<{UB}memberOf>", f"<{UB}place>")])
    yield "INSERT DATA", lambda kb: kb.update(f"{PREFIXES} INSERT DATA {{ ub:new2 ub:memberOf ub:place }}")
    yield (
        "update WHERE, one subject",
        lambda kb: kb.update(f"{PREFIXES} INSERT {{ ?y ub:seen {STUDENT} }} WHERE {{ {STUDENT} ub:memberOf ?y }}"),
    )
    yield (
        "update WHERE, a join",
        lambda kb: kb.update(
            f"{PREFIXES} DELETE {{ ?y ub:seen ?x }} INSERT {{ ?y ub:led ub:x }}"
            " WHERE { ?x ub:headOf ?y . ?x ub:worksFor ?y }"
        ),
    )
    yield "commit with a subscription", _with_subscription
    yield "dynamic session", _dynamic
    yield "rule added", lambda kb: _with_rule(kb)
    yield "dry run of an axiom", lambda kb: kb.evolve(_SCRIPT, dry_run=True)
    yield "evolution", lambda kb: kb.evolve(_SCRIPT)
    yield "undo", lambda kb: kb.undo_evolutions()
    yield "graph added", lambda kb: _in_graph(kb)
    yield "graphs", lambda kb: kb.graphs()
    yield "dataframe", lambda kb: kb.dataframe(cls=f"{UB}Person").limit(5).collect()
    yield "load", lambda kb: kb.load(_small_file(folder))
    yield "write", lambda kb: kb.write(f"{folder}/closure/")
    yield "save", lambda kb: kb.save(folder / "copy")


_SCRIPT = f"""prefix ub: <{UB}>
step "beginners"
  add SubClassOf(ub:UndergraduateStudent ub:Beginner)
"""


def measured(kb: Reasoner, folder: Path, leave_out: Collection[str] = ()) -> dict[str, Taken]:
    """Run all operations on a store, but for those to leave out, and return what each took."""
    found: dict[str, Taken] = {}
    for name, operation in operations(folder):
        if name in leave_out:
            continue
        _forget(kb)
        before, began = kb.statistics, Seconds.now()
        operation(kb)
        taken = kb.statistics - before
        found[name] = taken.rows_to_driver, taken.jobs, (Seconds.now() - began).wall
    return found


def every_operation(watch: Stopwatch, *, facts: str, ontology: str, options: dict[str, Any]) -> Outcome:
    """Run all operations on a data set of which the driver holds nothing."""
    from benchmarks.systems.spark_reasoning import new_session
    from reasoner import Reasoner
    from reasoner.spark.store import SparkStore

    session = new_session({"spark.driver.maxResultSize": "8m"})
    kb = Reasoner(engine="spark", session=session, **options)
    kb.session.use(SparkStore(session, driver_rows=DRIVER_ROWS))
    kb.load(facts)
    kb.load(ontology)
    with tempfile.TemporaryDirectory() as folder:
        found = measured(kb, Path(folder))
    for name, (_, _, seconds) in found.items():
        watch.phases[name] = Seconds(seconds, seconds)
    session.stop()
    return {}, {name: float(rows) for name, (rows, _, _) in found.items()}


def _forget(kb: Reasoner) -> None:
    """Let the store forget what it has read for the operations before."""
    state = kb.store.state
    for facts in (state.explicit, state.facts):
        if isinstance(facts, FetchedFacts):
            facts.forget()


def _transaction(kb: Reasoner, name: str = "new1") -> Any:
    with kb.transaction() as change:
        change.add([(f"<{UB}{name}>", f"<{UB}memberOf>", f"<{UB}place>")])
    return change


def _with_subscription(kb: Reasoner) -> None:
    with kb.subscribe(f"{PREFIXES} SELECT ?x {{ ?x a ub:Person . ?x ub:memberOf ub:place }}") as changes:
        _transaction(kb, "new3")
        changes.get(timeout=0)


def _dynamic(kb: Reasoner) -> None:
    with kb.dynamic() as session:
        session.submit(add=[(f"<{UB}new4>", f"<{UB}memberOf>", f"<{UB}place>")])


def _with_rule(kb: Reasoner) -> None:
    with kb.transaction() as change:
        change.add_rules(f"{PREFIXES} ?x a ub:Head :- ?x ub:headOf ?y .")


def _in_graph(kb: Reasoner) -> None:
    with kb.transaction() as change:
        change.add([(f"<{UB}new5>", f"<{UB}memberOf>", f"<{UB}place>")], graph="<http://e.org/g>")


def _small_file(folder: Path) -> Path:
    path = folder / "more.nt"
    path.write_text("".join(f"<{UB}loaded{n}> <{UB}memberOf> <{UB}place> .\n" for n in range(20)))
    return path
