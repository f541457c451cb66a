"""Solutions as frames: a column of ids, of representatives that stand for classes, or of texts for each variable.

A *folded* column holds representatives, each of which stands for every member of its class. Patterns give folded
columns and joins on them stay folded; what can tell members apart unfolds them by a join with the members. A column of
*texts* holds terms that a query made, which have no ids. NULL is unbound.

Expressions over frames: three-valued logic and comparisons of terms in Spark, everything else by a function of ours.

An error of SPARQL is the NULL of SQL, whose AND, OR and NOT treat it alike. What needs the value of a literal runs in
the executors, row by row, by the evaluator that the columnar engine uses for single rows.

What only the driver can do: expressions that give another value each time, ranks of values, templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import reduce
from itertools import count
from typing import Any, TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.spark.query.source import FrameSource
from reasoner.sparql.algebra import (
    Call,
    Constant,
    Expression,
    Extend,
    Filter,
    Group,
    Node,
    OrderBy,
    Term,
    Values,
    Var,
    mentioned,
)
from reasoner.sparql.budget import Budget
from reasoner.sparql.column_expression import VECTORISED
from reasoner.sparql.comparison import TRUE, effective_truth
from reasoner.sparql.construct import TRIPLE, constructed, constructed_quads
from reasoner.sparql.dataset import Dataset, Graph
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.evaluate_expression import QueryMoment, compiled
from reasoner.sparql.operation import QuadTemplate
from reasoner.sparql.order import ranks
from reasoner.sparql.plan import Trace
from reasoner.sparql.result import Result
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.quads import TextQuad

_SERIAL = count()
ORDER = "sorting_order"


class ColumnKind(IntEnum):
    """What a column holds; two columns are compared as the larger of their kinds."""

    FOLDED = 0
    ID = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Field:
    """The column of a variable: its name in the frame, what it holds, and whether it is bound in every row."""

    name: str
    kind: ColumnKind
    certain: bool = True

    @property
    def column(self) -> Column:
        return f.col(self.name)


def fresh(kind: ColumnKind, *, certain: bool = True) -> Field:
    """Return a field under a name that no other has."""
    return Field(f"c{next(_SERIAL)}", kind, certain)


@dataclass(frozen=True, slots=True)
class Relation:
    """A bag of solutions, which nobody has computed yet. If ``ordered``, a column gives their order."""

    source: FrameSource
    frame: DataFrame
    fields: dict[str, Field]
    ordered: bool = False

    @classmethod
    def unit(cls, source: FrameSource) -> Relation:
        """Return the bag with one solution that binds nothing."""
        return cls(source, source.session.range(1).select(f.lit(1).alias("unit")), {})

    @classmethod
    def none(cls, source: FrameSource, names: Iterable[str] = ()) -> Relation:
        """Return the empty bag."""
        fields = {name: fresh(ColumnKind.ID) for name in names}
        kinds = ", ".join(f"{field.name} long" for field in fields.values()) or "unit int"
        return cls(source, source.session.createDataFrame([], kinds), fields)

    @classmethod
    def of_texts(cls, source: FrameSource, names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Relation:
        """Return solutions that are given by their texts."""
        fields = {
            name: fresh(ColumnKind.TEXT, certain=all(row[place] is not None for row in rows))
            for place, name in enumerate(names)
        }
        kinds = ", ".join(["unit int", *(f"{field.name} string" for field in fields.values())])
        return cls(source, source.session.createDataFrame([(1, *row) for row in rows], kinds), fields)

    def with_field(self, name: str, field: Field, column: Column) -> Relation:
        """Return these rows with a further column."""
        frame = self.frame.withColumn(field.name, column)
        return replace(self, frame=frame, fields={**self.fields, name: field})

    def where(self, condition: Column) -> Relation:
        return replace(self, frame=self.frame.where(condition))

    def renewed(self) -> Relation:
        """Return the same bag with other names in its frame, so that it can be joined with itself; no order is kept."""
        fields = {name: replace(field, name=fresh(field.kind).name) for name, field in self.fields.items()}
        columns = [field.column.alias(fields[name].name) for name, field in self.fields.items()]
        return Relation(self.source, self.frame.select(*columns or [f.lit(1).alias("unit")]), fields)

    def unfolded(self, names: Iterable[str]) -> Relation:
        """Return the bag with every member of a class in a row of its own, for some variables."""
        result = self
        for name in sorted({*names} & self.fields.keys()):
            field = self.fields[name]
            if field.kind is ColumnKind.FOLDED:
                new = fresh(ColumnKind.ID, certain=field.certain)
                members = self.source.members.select(
                    f.col("id").alias(f"{new.name}m"), f.col("representative").alias(f"{new.name}r")
                )
                frame = result.frame.join(members, field.column == f.col(f"{new.name}r"), "left")
                frame = frame.withColumn(new.name, f.coalesce(f.col(f"{new.name}m"), field.column))
                frame = frame.drop(f"{new.name}m", f"{new.name}r", field.name)
                result = replace(result, frame=frame, fields={**result.fields, name: new})
        return result

    def decoded(self, names: Iterable[str]) -> Relation:
        """Return the bag with texts in the place of ids, for some variables."""
        result = self.unfolded(names)
        for name in sorted({*names} & self.fields.keys()):
            field = result.fields[name]
            if field.kind is ColumnKind.ID:
                new = fresh(ColumnKind.TEXT, certain=field.certain)
                frame = _with_text(result.frame, self.source.dictionary, field, new).drop(field.name)
                result = replace(result, frame=frame, fields={**result.fields, name: new})
        return result

    def with_texts(self, names: Iterable[str]) -> tuple[Relation, dict[str, Column]]:
        """Return the bag with the texts of some variables in columns beside the others, and these columns."""
        result, columns = self.unfolded(names), {}
        for name in sorted({*names} & self.fields.keys()):
            field = result.fields[name]
            if field.kind is ColumnKind.ID:
                new = fresh(ColumnKind.TEXT)
                result = replace(result, frame=_with_text(result.frame, self.source.dictionary, field, new))
                field = new
            columns[name] = field.column
        return result, columns

    def lowered(self, kinds: dict[str, ColumnKind]) -> Relation:
        """Return the bag with variables in the kinds given, which are no lower than theirs."""
        ids = [name for name, kind in kinds.items() if kind is ColumnKind.ID]
        return self.unfolded(ids).decoded([name for name, kind in kinds.items() if kind is ColumnKind.TEXT])

    def projected(self, names: Iterable[str], *, bag: bool = True) -> Relation:
        """Return the columns of some variables; a variable that is never bound has an unbound one.

        Unless ``bag``, solutions that are equal may count once, so that what goes need not be unfolded.
        """
        kept = list(dict.fromkeys(names))
        result = self.unfolded(self.fields.keys() - set(kept)) if bag else self
        fields = {name: result.fields.get(name) or fresh(ColumnKind.ID, certain=False) for name in kept}
        columns = [
            field.column if name in result.fields else f.lit(None).cast("long").alias(field.name)
            for name, field in fields.items()
        ]
        columns += [f.col(ORDER)] if self.ordered else []
        frame = result.frame.select(*columns or [f.lit(1).alias("unit")])
        return Relation(self.source, frame, fields, self.ordered)

    def distinct(self) -> Relation:
        """Return every solution once; rows that differ while folded stand for different solutions."""
        names = [field.name for field in self.fields.values()]
        if not names:
            return replace(self, frame=self.frame.limit(1))
        if self.ordered:
            # Of equal solutions the first stays.
            return replace(self, frame=self.frame.groupBy(*names).agg(f.min(ORDER).alias(ORDER)))
        return replace(self, frame=self.frame.select(*names).distinct())

    def sliced(self, start: int, length: int | None) -> Relation:
        """Return a range of the solutions."""
        result = self.unfolded(self.fields)
        frame = result.frame.orderBy(ORDER) if self.ordered else result.frame
        frame = frame.offset(start) if start else frame
        return replace(result, frame=frame if length is None else frame.limit(length))


def aligned(left: Relation, right: Relation) -> tuple[Relation, Relation, list[str]]:
    """Return two bags whose shared variables are of the same kind each, and these variables."""
    shared = [name for name in left.fields if name in right.fields]
    kinds = {name: max(left.fields[name].kind, right.fields[name].kind) for name in shared}
    return left.lowered(kinds), right.lowered(kinds), shared


def join(left: Relation, right: Relation, how: str = "inner") -> Relation:
    """Return the join of two bags, or with ``how`` left the solutions that have no partner as well."""
    left, right, shared = aligned(left, right.renewed())
    frame = left.frame.join(right.frame, _compatible(left, right, shared), how)
    fields = dict(left.fields)
    for name, field in right.fields.items():
        known = left.fields.get(name)
        if known is None:
            fields[name] = replace(field, certain=field.certain and how == "inner")
        elif not known.certain:
            fields[name] = fresh(known.kind, certain=field.certain and how == "inner")
            frame = frame.withColumn(fields[name].name, f.coalesce(known.column, field.column))
    return Relation(left.source, frame.drop(*(right.fields[name].name for name in shared)), fields)


def left_join(left: Relation, right: Relation) -> Relation:
    """Return all solutions, extended where something extends them."""
    return join(left, right, "left")


def without_matches(left: Relation, right: Relation) -> Relation:
    """Return the solutions that no compatible solution of another bag shares a bound variable with (MINUS)."""
    left, right, shared = aligned(left, right.renewed())
    if not shared:
        return left
    right = right.projected(shared, bag=False)
    condition = _compatible(left, right, shared)
    if not any(left.fields[name].certain and right.fields[name].certain for name in shared):
        both = [left.fields[n].column.isNotNull() & right.fields[n].column.isNotNull() for n in shared]
        condition = condition & reduce(lambda a, b: a | b, both)
    return replace(left, frame=left.frame.join(right.frame, condition, "left_anti"))


def equal_rows(left: Relation, right: Relation, names: Iterable[str], how: str) -> DataFrame:
    """Join two bags by equality of variables, unbound being equal to unbound; kinds must be the same."""
    pairs = [left.fields[name].column.eqNullSafe(right.fields[name].column) for name in names]
    return left.frame.join(right.frame, reduce(lambda a, b: a & b, pairs, f.lit(True)), how)


def appended(parts: Sequence[Relation]) -> Relation:
    """Return the union of bags; a variable that a bag lacks is unbound in its rows."""
    if len(parts) == 1:
        return parts[0]
    names = list(dict.fromkeys(name for part in parts for name in part.fields))
    kinds = {name: max(part.fields[name].kind for part in parts if name in part.fields) for name in names}
    fields = {
        name: fresh(kind, certain=all(name in part.fields and part.fields[name].certain for part in parts))
        for name, kind in kinds.items()
    }
    frames = []
    for part in parts:
        lowered = part.lowered({name: kinds[name] for name in part.fields})
        columns = [
            (lowered.fields[name].column if name in part.fields else f.lit(None).cast(_TYPES[field.kind])).alias(
                field.name
            )
            for name, field in fields.items()
        ]
        frames.append(lowered.frame.select(*columns or [f.lit(1).alias("unit")]))
    return Relation(parts[0].source, reduce(DataFrame.unionAll, frames), fields)


_TYPES = {ColumnKind.FOLDED: "long", ColumnKind.ID: "long", ColumnKind.TEXT: "string"}


def _compatible(left: Relation, right: Relation, shared: Iterable[str]) -> Column:
    condition = f.lit(True)
    for name in shared:
        here, there = left.fields[name], right.fields[name]
        same = here.column == there.column
        for field in (here, there):
            same = same if field.certain else same | field.column.isNull()
        condition = condition & same
    return condition


def _with_text(frame: DataFrame, dictionary: DataFrame, field: Field, new: Field) -> DataFrame:
    key = f"{new.name}k"
    texts = dictionary.select(f.col("id").alias(key), f.col("text").alias(new.name))
    return frame.join(texts, field.column == f.col(key), "left").drop(key)


IN_EXECUTORS = "row by row in the executors"
# Hidden variables that hold the truth of an EXISTS begin so.
TRUTH = ".exists"


class Expressions:
    """Evaluates expressions without EXISTS; ``note`` is told how each was evaluated."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._moment = QueryMoment()
        # Fixed now, so that it is the same in all executors.
        self._moment.now  # noqa: B018

    def where(self, solutions: Relation, condition: Expression) -> Relation:
        """Keep the solutions in which a condition is true."""
        solutions, texts = self._prepared(solutions, condition)
        return solutions.where(self._truth(condition, solutions, texts))

    def value(self, solutions: Relation, expression: Expression) -> tuple[Relation, Field]:
        """Return solutions with the value of an expression in a column beside the others, and that column."""
        if isinstance(expression, Var) and expression.name in solutions.fields:
            self._note(VECTORISED)
            solutions = solutions.unfolded([expression.name])
            field = solutions.fields[expression.name]
            return _with_column(solutions, field.kind, field.column, certain=field.certain)
        if isinstance(expression, Constant):
            self._note(VECTORISED)
            return _with_column(solutions, ColumnKind.TEXT, f.lit(expression.text), certain=True)
        solutions, texts = solutions.with_texts(mentioned(expression))
        return _with_column(
            solutions, ColumnKind.TEXT, self._called(expression, texts, _text_of, "string"), certain=False
        )

    def _prepared(self, solutions: Relation, condition: Expression) -> tuple[Relation, Mapping[str, Column]]:
        """Return solutions with the variables of a condition unfolded, and their texts where it looks at them."""
        solutions = solutions.unfolded(mentioned(condition) - _only_bound(condition))
        return solutions.with_texts(_looked_at(condition, solutions))

    def _truth(self, condition: Expression, solutions: Relation, texts: Mapping[str, Column]) -> Column:
        fields = solutions.fields
        if isinstance(condition, Var) and condition.name.startswith(TRUTH):
            return fields[condition.name].column == TRUE
        if isinstance(condition, Call):
            match condition.name, condition.arguments:
                case "&&", (left, right):
                    return self._truth(left, solutions, texts) & self._truth(right, solutions, texts)
                case "||", (left, right):
                    return self._truth(left, solutions, texts) | self._truth(right, solutions, texts)
                case "!", (inner,):
                    return ~self._truth(inner, solutions, texts)
                case "BOUND", (Var(name),):
                    self._note(VECTORISED)
                    return fields[name].column.isNotNull() if name in fields else f.lit(False)
                case (("=" | "!=" | "SAMETERM"), (Var(name), Constant(text))) if _is_by_term(condition, solutions):
                    self._note(VECTORISED)
                    return _compared(condition.name, solutions, fields[name], text)
                case (("ISIRI" | "ISBLANK" | "ISLITERAL"), (Var(name),)) if name in texts:
                    self._note(VECTORISED)
                    return texts[name].startswith(_BEGINNINGS[condition.name])
        return self._called(condition, texts, _truth_of, "boolean")

    def _called(
        self,
        expression: Expression,
        texts: Mapping[str, Column],
        wrap: Callable[[Expression, list[str], QueryMoment], Callable[..., Any]],
        kind: str,
    ) -> Column:
        names = sorted(mentioned(expression) & texts.keys())
        # An unknown function is told here, and not by an executor.
        compiled(expression, {name: place for place, name in enumerate(names)}, self._moment)
        self._note(IN_EXECUTORS if names else VECTORISED)
        function = wrap(expression, names, self._moment)
        if not names:
            found = function()
            return f.lit(found).cast(kind)
        return f.udf(function, kind, useArrow=False)(*(texts[name] for name in names))


_BEGINNINGS = {"ISIRI": "<", "ISBLANK": "_:", "ISLITERAL": '"'}


def _truth_of(expression: Expression, names: list[str], moment: QueryMoment) -> Callable[..., bool | None]:
    evaluate = _text_of(expression, names, moment)

    def truth(*texts: str | None) -> bool | None:
        found = evaluate(*texts)
        try:
            return None if found is None else effective_truth(found)
        except ExpressionError:
            return None

    return truth


def _text_of(expression: Expression, names: list[str], moment: QueryMoment) -> Callable[..., str | None]:
    """Return an expression as a function of texts, which an executor compiles when it first calls it."""
    ready: list[Any] = []

    def text(*texts: str | None) -> str | None:
        if not ready:
            ready.append(compiled(expression, {name: place for place, name in enumerate(names)}, moment))
        try:
            found: str = ready[0](texts)
        except ExpressionError:
            return None
        return found

    return text


def _is_by_term(condition: Call, solutions: Relation) -> bool:
    """Tell whether a comparison is of a variable with a constant, and of the terms: a resource equals only itself."""
    match condition.name, condition.arguments:
        case "SAMETERM", (Var(name), Constant()):
            return name in solutions.fields
        case (("=" | "!="), (Var(name), Constant(text))):
            return name in solutions.fields and not text.startswith('"')
    return False


def _compared(operator: str, solutions: Relation, field: Field, text: str) -> Column:
    same = f.lit(text) if field.kind is ColumnKind.TEXT else f.lit(solutions.source.id_of(text))
    # A term that the store does not know equals none of its terms.
    equal = f.when(field.column.isNotNull(), f.coalesce(field.column == same, f.lit(False)))
    return ~equal if operator == "!=" else equal


def _looked_at(condition: Expression, solutions: Relation) -> set[str]:
    """Return the variables of which a condition needs the texts."""
    if isinstance(condition, Call):
        match condition.name, condition.arguments:
            case (("&&" | "||" | "!"), arguments):
                return set().union(*(_looked_at(argument, solutions) for argument in arguments))
            case "BOUND", _:
                return set()
            case _ if _is_by_term(condition, solutions):
                return set()
    if isinstance(condition, Var) and condition.name.startswith(TRUTH):
        return set()
    return mentioned(condition) & solutions.fields.keys()


def _only_bound(condition: Expression) -> set[str]:
    """Return the variables that a condition asks for nothing but whether they are bound."""
    if isinstance(condition, Call) and condition.name == "BOUND":
        return mentioned(condition)
    return set()


def _with_column(solutions: Relation, kind: ColumnKind, column: Column, *, certain: bool) -> tuple[Relation, Field]:
    field = fresh(kind, certain=certain)
    frame = solutions.frame.withColumn(field.name, column)
    return Relation(solutions.source, frame, solutions.fields, solutions.ordered), field


AT_DRIVER = "at the driver, on collected solutions"
Rows = Sequence[Sequence[str | None]]
OverChild = TypeVar("OverChild", Filter, Extend, OrderBy, Group)


class DriverEvaluator:
    """The columnar evaluator over no facts at all: what it works on are solutions that were collected."""

    def __init__(self, budget: Budget) -> None:
        graph = Graph(FactSet(), Dictionary())
        self._terms = QueryTerms(graph.dictionary)
        self._budget = budget
        dataset = Dataset(graph, {}, lambda name: graph, graph)
        self._evaluator = Evaluator(dataset, self._terms, budget, Trace())

    def evaluated(self, node: OverChild, names: Sequence[str], rows: Rows) -> tuple[list[str], Rows]:
        """Return the solutions of an operator over the solutions given."""
        found = self._evaluator.evaluate(replace(node, child=_inline(names, rows)))
        written = found.written_out(self._evaluator.classes, self._budget)
        # What the evaluator numbers solutions by is no variable.
        kept = [name for name in written.columns if not name.startswith(".solution")]
        columns = [self._terms.decode(written.columns[name]) for name in kept]
        return kept, list(zip(*columns, strict=True)) if columns else [()] * written.size

    def constructed(
        self, template: Sequence[tuple[Term, Term, Term]], names: Sequence[str], rows: Rows, shown: str
    ) -> Result:
        """Return the answer to a CONSTRUCT."""
        solutions = self._evaluator.evaluate(_inline(names, rows))
        triples = constructed(self._evaluator, solutions, template, self._terms, self._budget)
        return Result("CONSTRUCT", TRIPLE, triples, self._evaluator.classes, self._terms, self._budget, shown)

    def quads(self, template: QuadTemplate, names: Sequence[str], rows: Rows) -> list[TextQuad]:
        """Return the quads of a template over the solutions given."""
        solutions = self._evaluator.evaluate(_inline(names, rows))
        return list(constructed_quads(self._evaluator, solutions, template, self._terms, self._budget))


def ranked(texts: Sequence[str]) -> list[int]:
    """Return the rank of each term in the order of ORDER BY, equal values alike.

    >>> ranked(['"b"', "<a>", '"a"'])
    [3, 1, 2]
    """
    terms = QueryTerms(Dictionary())
    found: list[int] = ranks(terms.encode(texts), terms).tolist()
    return found


def _inline(names: Sequence[str], rows: Rows) -> Node:
    return Values(tuple(names), tuple(tuple(row) for row in rows))
