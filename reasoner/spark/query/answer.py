"""Asking tables of Spark in SPARQL: the entry points, and the forms of an answer.

The constants of a query, which are looked up in the dictionary all at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from reasoner.columnar.kernels import Ids
from reasoner.spark.query.evaluate import FrameEvaluator, collected
from reasoner.spark.query.relation import AT_DRIVER, ORDER, DriverEvaluator
from reasoner.spark.query.source import FrameSource, Graphs
from reasoner.sparql.algebra import (
    Alternative,
    Bgp,
    Constant,
    Distinct,
    Expression,
    Extend,
    Filter,
    GraphPattern,
    Group,
    Inverse,
    Join,
    LeftJoin,
    Link,
    Minus,
    NegatedSet,
    Node,
    OrderBy,
    Path,
    PathSequence,
    Project,
    Query,
    RepeatedPath,
    ServicePattern,
    Slice,
    TriplePattern,
    Union,
    Values,
    Var,
    parts,
    patterns_of,
)
from reasoner.sparql.budget import MOST_ROWS, Budget
from reasoner.sparql.construct import TRIPLE
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.operation import Modify
from reasoner.sparql.plan import OperatorStep, Trace
from reasoner.sparql.result import Result
from reasoner.sparql.translate import translate
from reasoner.terms.quads import TextQuad

# How often the jobs of a query whose time is up are interrupted, in seconds.
_INTERRUPT_EVERY = 0.5


def query(
    source: FrameSource,
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

    The arguments are those of ``reasoner.requests.query``. After ``timeout`` seconds the jobs of the query are
    cancelled.
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


def matched_quads(source: FrameSource, operation: Modify, budget: Budget) -> tuple[list[TextQuad], list[TextQuad]]:
    """Return the quads that an operation with a WHERE removes, and those that it adds; these come to the driver."""
    assert operation.where is not None
    templates = (operation.delete, operation.insert)
    names = [term.name for template in templates for quad in template for term in quad if isinstance(term, Var)]
    source.learn(constants_of(operation.where))
    graphs = Graphs(source, operation.default, operation.named)
    evaluator = FrameEvaluator(source, graphs, budget, Trace())
    with _stopped_in_time(source, budget):
        found = evaluator.evaluate(operation.where)
        bound, rows = collected(found.projected(name for name in names if name in found.fields), budget)
    driver = DriverEvaluator(budget)
    removed, added = (driver.quads(template, bound, rows) for template in templates)
    return removed, added


def frame(
    source: FrameSource,
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


def solutions_of(source: FrameSource, translated: Query) -> tuple[dict[str, Ids], int]:
    """Return the answers to a SELECT that binds all of its variables as columns of ids, and how many they are."""
    found = frame(source, translated, ids=True)
    rows = source.traffic.fetched(found if found.columns else found.selectExpr("1 AS unit"))
    return {name: rows.column(name).to_numpy() for name in found.columns}, rows.num_rows


@dataclass(frozen=True, slots=True)
class FramePlan:
    """How a query is evaluated: its operators, each below the one that reads it, and the plan that Spark made of them.

    ``slow`` are the operators that look at terms one by one, ``at_driver`` those that collect solutions first.
    """

    steps: tuple[OperatorStep, ...]
    spark: str

    @property
    def slow(self) -> tuple[OperatorStep, ...]:
        return tuple(step for step in self.steps if not step.vectorised)

    @property
    def at_driver(self) -> tuple[OperatorStep, ...]:
        return tuple(step for step in self.steps if AT_DRIVER in step.ways)

    def __str__(self) -> str:
        return "\n".join(map(_shown, self.steps))


def explain_plan(
    source: FrameSource,
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
    source: FrameSource,
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
def _stopped_in_time(source: FrameSource, budget: Budget) -> Iterator[None]:
    """Cancel the jobs of a query when its time is up, and say that this is why they ended."""
    if budget.left == float("inf"):
        yield
        return
    session, tag, ended = source.session, f"reasoner-{uuid4().hex}", Event()

    def interrupt() -> None:
        # A job that begins after its time is up, because planning took it, is not touched by an earlier interrupt.
        while not ended.wait(max(budget.left, _INTERRUPT_EVERY)):
            session.interruptTag(tag)

    session.addTag(tag)
    Thread(target=interrupt, daemon=True).start()
    try:
        yield
    except Exception:
        budget.check()
        raise
    finally:
        ended.set()
        session.removeTag(tag)


def _shown(step: OperatorStep) -> str:
    ways = "; ".join(dict.fromkeys(step.ways))
    what = f"{'  ' * step.depth}{step.name} {step.detail}".rstrip()
    return f"{what}  [{ways}]" if ways else what


def constants_of(node: Node) -> Iterator[str]:
    """Yield the terms that a pattern names."""
    match node:
        case Bgp(patterns):
            for pattern in patterns:
                for term in (pattern.subject, pattern.predicate, pattern.object):
                    if isinstance(term, str):
                        yield term
                    elif not isinstance(term, Var):
                        yield from _of_path(term)
        case Join(left, right) | Union(left, right) | Minus(left, right):
            yield from constants_of(left)
            yield from constants_of(right)
        case LeftJoin(left, right, conditions):
            yield from constants_of(left)
            yield from constants_of(right)
            yield from _of_expressions(conditions)
        case Filter(conditions, child):
            yield from constants_of(child)
            yield from _of_expressions(conditions)
        case Extend(child, _, expression):
            yield from constants_of(child)
            yield from _of_expressions((expression,))
        case OrderBy(child, conditions):
            yield from constants_of(child)
            yield from _of_expressions(tuple(expression for expression, _ in conditions))
        case Group(child) | Project(child) | Distinct(child) | Slice(child):
            yield from constants_of(child)
        case Values(_, rows):
            yield from (text for row in rows for text in row if text is not None)
        case GraphPattern(name, child) | ServicePattern(name, child):
            yield from [name] if isinstance(name, str) else []
            yield from constants_of(child)


def _of_expressions(expressions: tuple[Expression, ...]) -> Iterator[str]:
    for expression in expressions:
        yield from (part.text for part in parts(expression) if isinstance(part, Constant))
        for exists in patterns_of(expression):
            yield from constants_of(exists.node)


def _of_path(path: Path) -> Iterator[str]:
    match path:
        case Link(predicate):
            yield predicate
        case Inverse(inner) | RepeatedPath(inner):
            yield from _of_path(inner)
        case PathSequence(first, second) | Alternative(first, second):
            yield from _of_path(first)
            yield from _of_path(second)
        case NegatedSet(forward, backward):
            yield from (*(forward or ()), *(backward or ()))
