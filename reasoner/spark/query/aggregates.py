"""Grouping over frames (18.5.1): counts in Spark, the other aggregates over the texts of each group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as f

from loaders.dictionary import Dictionary
from reasoner.rules.term import XSD
from reasoner.spark.query.expressions import Expressions
from reasoner.spark.query.relation import Field, Kind, Relation, fresh
from reasoner.sparql.algebra import Group, is_visible
from reasoner.sparql.budget import Budget
from reasoner.sparql.column_expression import VECTORISED
from reasoner.sparql.expression import Aggregate
from reasoner.sparql.group import Groups, aggregated
from reasoner.sparql.solutions import Solutions
from reasoner.sparql.terms import Terms

BY_GROUP = "group by group in the executors"


def grouped(node: Group, solutions: Relation, expressions: Expressions, note: Callable[[str], None]) -> Relation:
    """Group solutions by keys; the argument of an aggregate becomes a column first."""
    solutions = solutions.unfolded(solutions.fields)
    missing = [key for key in node.keys if key not in solutions.fields]
    for key in missing:
        solutions = solutions.with_field(key, fresh(Kind.ID, certain=False), f.lit(None).cast("long"))
    keys = {key: solutions.fields[key] for key in node.keys}
    visible = [field.column for name, field in solutions.fields.items() if is_visible(name)]
    fields: dict[str, Field] = dict(keys)
    columns: list[Column] = []
    for variable, aggregate in node.aggregates:
        argument: Column | None = None
        if aggregate.argument is not None:
            solutions, value = expressions.value(solutions, aggregate.argument)
            argument = value.column
            if aggregate.name != "COUNT" and value.kind is Kind.ID:
                solutions = solutions.with_field(".value", value, value.column).decoded([".value"])
                argument = solutions.fields[".value"].column
        note(VECTORISED if aggregate.name == "COUNT" else BY_GROUP)
        field = fields[variable] = fresh(Kind.TEXT, certain=aggregate.name == "COUNT")
        columns.append(_aggregated(aggregate, argument, visible).alias(field.name))
    frame = solutions.frame
    if not columns:
        frame = frame.select(*(field.name for field in keys.values())).distinct()
    else:
        frame = frame.groupBy(*(field.name for field in keys.values())).agg(*columns)
        if not keys and not node.implicit:
            # Without a solution there is no group, unless there is one of everything.
            frame = frame.join(solutions.frame.limit(1).select(f.lit(1).alias("some")), f.lit(True), "left_semi")
    return Relation(solutions.source, frame, fields)


def _aggregated(aggregate: Aggregate, argument: Column | None, visible: list[Column]) -> Column:
    if aggregate.name == "COUNT":
        if argument is None:
            # A struct is no NULL, whatever its parts are.
            rows = f.struct(*visible) if visible else f.lit(1)
            number = f.count_distinct(rows) if aggregate.distinct else f.count(f.lit(1))
        else:
            number = f.count_distinct(argument) if aggregate.distinct else f.count(argument)
        return f.concat(f.lit('"'), number.cast("string"), f.lit(f'"^^<{XSD}integer>'))
    assert argument is not None
    # In structs, as a list leaves NULL out, which is an error that most aggregates have to see.
    members = f.collect_list(f.struct(argument.alias("text")))
    return f.udf(_of_group(aggregate), "string", useArrow=False)(members)


def _of_group(aggregate: Aggregate) -> Callable[[list[Any]], str | None]:
    def value(members: list[Any]) -> str | None:
        terms = Terms(Dictionary())
        # Sorted, so that an answer does not depend on where rows happened to be.
        texts = sorted((member["text"] for member in members), key=lambda text: text or "")
        rows = Solutions({}, len(texts))
        found, _ = aggregated(aggregate, Groups(rows, (), implicit=True), terms.encode(texts), terms, Budget())
        return terms.decode(found)[0]

    return value
