"""Asking tables of Spark in SPARQL: the entry points, and the forms of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from reasoner.spark.query.at_driver import AT_DRIVER, DriverEvaluator
from reasoner.spark.query.constants import constants_of
from reasoner.spark.query.evaluate import FrameEvaluator, collected
from reasoner.spark.query.graphs import Graphs
from reasoner.spark.query.relation import ORDER
from reasoner.spark.query.source import Source
from reasoner.sparql.algebra import Bgp, Join, Query, TriplePattern, Values
from reasoner.sparql.budget import MOST_ROWS, Budget
from reasoner.sparql.construct import TRIPLE
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.expression import Var
from reasoner.sparql.plan import Step, Trace
from reasoner.sparql.result import Result
from reasoner.sparql.translate import translate


def query(
    source: Source,
    text: str | Query,
    *,
    expand: bool = True,
    timeout: float | None = None,
    most_rows: int = MOST_ROWS,
    base: str = "",
    prefixes: Mapping[str, str] | None = None,
    terms: str = "rdflib",
    default_graphs: Sequence[str] | None = None,
    named_graphs: Sequence[str] | None = None,
    budget: Budget | None = None,
) -> Result:
    """Answer a SPARQL 1.1 query over the tables of a source; the answer is brought to the driver.

    The arguments are those of ``reasoner.sparql.query``. After ``timeout`` seconds the jobs of the query are cancelled.
    """
    translated = translate(text, base=base, prefixes=prefixes) if isinstance(text, str) else text
    budget = budget or Budget(timeout, most_rows)
    evaluator = _evaluator(source, translated, expand, budget, Trace(), default_graphs, named_graphs)
    with _stopped_in_time(source, budget):
        match translated.form:
            case "ASK":
                found = evaluator.evaluate(translated.node)
                return Result.of_truth(bool(found.frame.limit(1).count()))
            case "CONSTRUCT":
                names, rows = collected(evaluator.evaluate(translated.node), budget)
                return DriverEvaluator(budget).constructed(translated.template, names, rows, terms)
            case "DESCRIBE":
                return _described(evaluator, translated, budget, terms)
            case _:
                found = evaluator.evaluate(translated.node).projected(translated.variables)
                names, rows = collected(found, budget)
                return Result.of_rows(names, rows, terms)


def frame(
    source: Source,
    text: str | Query,
    *,
    expand: bool = True,
    base: str = "",
    prefixes: Mapping[str, str] | None = None,
    ids: bool = False,
) -> DataFrame:
    """Return the answer to a SELECT as a frame with a column of N-Triples texts for each variable, or of their ids.

    Spark computes it when somebody asks for its rows.
    """
    translated = translate(text, base=base, prefixes=prefixes) if isinstance(text, str) else text
    if translated.form != "SELECT":
        raise UnsupportedQueryError(f"only a SELECT gives a table, and this is a {translated.form}; use query")
    evaluator = _evaluator(source, translated, expand, Budget(), Trace(), None, None)
    found = evaluator.evaluate(translated.node).projected(translated.variables)
    source.keep(evaluator.kept)
    found = found.unfolded(found.fields) if ids else found.decoded(found.fields)
    rows = found.frame.orderBy(ORDER) if found.ordered else found.frame
    return rows.select(*(field.column.alias(name) for name, field in found.fields.items()))


@dataclass(frozen=True, slots=True)
class FramePlan:
    """How a query is evaluated: its operators, each below the one that reads it, and the plan that Spark made of them.

    ``slow`` are the operators that look at terms one by one, ``at_driver`` those that collect solutions first.
    """

    steps: tuple[Step, ...]
    spark: str

    @property
    def slow(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if not step.vectorised)

    @property
    def at_driver(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if AT_DRIVER in step.ways)

    def __str__(self) -> str:
        return "\n".join(map(_shown, self.steps))


def explain_plan(
    source: Source,
    text: str | Query,
    *,
    expand: bool = True,
    base: str = "",
    prefixes: Mapping[str, str] | None = None,
) -> FramePlan:
    """Tell how a query is evaluated; only what the driver has to do on the way is done."""
    trace = Trace(on=True)
    translated = translate(text, base=base, prefixes=prefixes) if isinstance(text, str) else text
    evaluator = _evaluator(source, translated, expand, Budget(), trace, None, None)
    found = evaluator.evaluate(translated.node)
    return FramePlan(tuple(trace.steps), _physical_plan(source.session, found.frame))


def _physical_plan(session: SparkSession, frame: DataFrame) -> str:
    """Return what Spark would do for a frame, as it tells by itself."""
    name = f"reasoner_plan_{uuid4().hex}"
    frame.createOrReplaceTempView(name)
    try:
        return str(session.sql(f"EXPLAIN SELECT * FROM {name}").collect()[0][0])
    finally:
        session.catalog.dropTempView(name)


def _evaluator(
    source: Source,
    translated: Query,
    expand: bool,
    budget: Budget,
    trace: Trace,
    default: Sequence[str] | None,
    named: Sequence[str] | None,
) -> FrameEvaluator:
    if translated.default is not None or translated.named is not None:
        default, named = translated.default or (), translated.named or ()
    source.learn(constants_of(translated.node))
    return FrameEvaluator(source, Graphs(source, default, named, expand=expand), budget, trace)


def _described(evaluator: FrameEvaluator, translated: Query, budget: Budget, shown: str) -> Result:
    """Return what is said about resources, and about the blank nodes that this leads to."""
    names = [term.name for term in translated.described if isinstance(term, Var)]
    frontier = {term for term in translated.described if isinstance(term, str)}
    if names:
        solutions = evaluator.evaluate(translated.node)
        parts = [solutions.projected([name], bag=False).distinct() for name in names]
        for part in parts:
            frontier |= {row[0] for row in collected(part, budget)[1] if row[0] is not None}
    seen, triples = set(frontier), set[tuple[str | None, ...]]()
    while frontier:
        given = Values(("s",), tuple((text,) for text in sorted(frontier)))
        about = Join(given, Bgp((TriplePattern(Var("s"), Var("p"), Var("o")),)))
        found = collected(evaluator.evaluate(about).projected(TRIPLE), budget)[1]
        triples.update(found)
        frontier = {row[2] for row in found if row[2] is not None and row[2].startswith("_:")} - seen
        seen |= frontier
    result = Result.of_rows(TRIPLE, sorted(triples, key=repr), shown)
    result.type = "DESCRIBE"
    return result


@contextmanager
def _stopped_in_time(source: Source, budget: Budget) -> Iterator[None]:
    """Cancel the jobs of a query when its time is up, and say that this is why they ended."""
    if budget.left == float("inf"):
        yield
        return
    context, tag = source.session.sparkContext, f"reasoner-{uuid4().hex}"
    context.addJobTag(tag)
    timer = Timer(budget.left, context.cancelJobsWithTag, [tag])
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception:
        budget.check()
        raise
    finally:
        timer.cancel()
        context.removeJobTag(tag)


def _shown(step: Step) -> str:
    ways = "; ".join(dict.fromkeys(step.ways))
    what = f"{'  ' * step.depth}{step.name} {step.detail}".rstrip()
    return f"{what}  [{ways}]" if ways else what
