"""Expressions over frames: three-valued logic and comparisons of terms in Spark, everything else by a function of ours.

An error of SPARQL is the NULL of SQL, whose AND, OR and NOT treat it alike. What needs the value of a literal runs in
the executors, row by row, by the evaluator that the columnar engine uses for single rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as f

from reasoner.spark.query.relation import Field, Kind, Relation, fresh
from reasoner.sparql.column_expression import VECTORISED
from reasoner.sparql.comparison import TRUE, effective_truth
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.evaluate_expression import Moment, compiled
from reasoner.sparql.expression import Call, Constant, Expression, Var, mentioned

IN_EXECUTORS = "row by row in the executors"
# Hidden variables that hold the truth of an EXISTS begin so.
TRUTH = ".exists"


class Expressions:
    """Evaluates expressions without EXISTS; ``note`` is told how each was evaluated."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._moment = Moment()
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
            return _with_column(solutions, Kind.TEXT, f.lit(expression.text), certain=True)
        solutions, texts = solutions.with_texts(mentioned(expression))
        return _with_column(solutions, Kind.TEXT, self._called(expression, texts, _text_of, "string"), certain=False)

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
        wrap: Callable[[Expression, list[str], Moment], Callable[..., Any]],
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


def _truth_of(expression: Expression, names: list[str], moment: Moment) -> Callable[..., bool | None]:
    evaluate = _text_of(expression, names, moment)

    def truth(*texts: str | None) -> bool | None:
        found = evaluate(*texts)
        try:
            return None if found is None else effective_truth(found)
        except ExpressionError:
            return None

    return truth


def _text_of(expression: Expression, names: list[str], moment: Moment) -> Callable[..., str | None]:
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
    same = f.lit(text) if field.kind is Kind.TEXT else f.lit(solutions.source.id_of(text))
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


def _with_column(solutions: Relation, kind: Kind, column: Column, *, certain: bool) -> tuple[Relation, Field]:
    field = fresh(kind, certain=certain)
    frame = solutions.frame.withColumn(field.name, column)
    return Relation(solutions.source, frame, solutions.fields, solutions.ordered), field
