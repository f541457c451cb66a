"""Evaluating the algebra over frames, operator by operator.

Grouping over frames (18.5.1): counts in Spark, the other aggregates over the texts of each group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as f

from loaders.dictionary import Dictionary
from reasoner.columnar.bindings import Bindings, Solutions
from reasoner.spark.platform.python_tasks import mapped
from reasoner.spark.platform.scratch import ScratchRun
from reasoner.spark.query.patterns import FrameMatcher, FramePathMatcher, joined
from reasoner.spark.query.relation import (
    AT_DRIVER,
    ORDER,
    TRUTH,
    ColumnKind,
    DriverEvaluator,
    Expressions,
    Field,
    OverChild,
    Relation,
    appended,
    equal_rows,
    fresh,
    join,
    left_join,
    ranked,
    without_matches,
)
from reasoner.spark.query.source import FrameSource, Graphs, View
from reasoner.sparql.algebra import (
    Aggregate,
    Bgp,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphPattern,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    OrderBy,
    Project,
    ServicePattern,
    Slice,
    TriplePattern,
    Union,
    Values,
    Var,
    is_visible,
    is_volatile,
    patterns_of,
    substituted,
    visible,
)
from reasoner.sparql.budget import Budget
from reasoner.sparql.column_expression import VECTORISED
from reasoner.sparql.comparison import FALSE, TRUE
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.group import Groups, aggregated
from reasoner.sparql.order import sorting_order
from reasoner.sparql.plan import Trace
from reasoner.sparql.scope import looked_into, variables_of
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.term import XSD

BY_GROUP = "group by group in the executors"


def grouped(node: Group, solutions: Relation, expressions: Expressions, note: Callable[[str], None]) -> Relation:
    """Group solutions by keys; the argument of an aggregate becomes a column first."""
    solutions = solutions.unfolded(solutions.fields)
    missing = [key for key in node.keys if key not in solutions.fields]
    for key in missing:
        solutions = solutions.with_field(key, fresh(ColumnKind.ID, certain=False), f.lit(None).cast("long"))
    keys = {key: solutions.fields[key] for key in node.keys}
    visible = [field.column for name, field in solutions.fields.items() if is_visible(name)]
    fields: dict[str, Field] = dict(keys)
    columns: list[Column] = []
    for variable, aggregate in node.aggregates:
        argument: Column | None = None
        if aggregate.argument is not None:
            solutions, value = expressions.value(solutions, aggregate.argument)
            argument = value.column
            if aggregate.name != "COUNT" and value.kind is ColumnKind.ID:
                solutions = solutions.with_field(".value", value, value.column).decoded([".value"])
                argument = solutions.fields[".value"].column
        note(VECTORISED if aggregate.name == "COUNT" else BY_GROUP)
        field = fields[variable] = fresh(ColumnKind.TEXT, certain=aggregate.name == "COUNT")
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
        terms = QueryTerms(Dictionary())
        # Sorted, so that an answer does not depend on where rows happened to be.
        texts = sorted((member["text"] for member in members), key=lambda text: text or "")
        rows: Solutions = Bindings({}, len(texts))
        found, _ = aggregated(aggregate, Groups(rows, (), implicit=True), terms.encode(texts), terms, Budget())
        return terms.decode(found)[0]

    return value


_ASKED = ".asked:"
RANKED = "ranks of distinct values at the driver"


class FrameEvaluator:
    """Evaluates patterns to relations that Spark computes when somebody asks for their rows.

    ``kept`` are the intermediate results of paths, which have to live as long as the relation is read.
    """

    def __init__(self, source: FrameSource, graphs: Graphs, budget: Budget, trace: Trace) -> None:
        self.source = source
        self.kept: list[ScratchRun] = []
        self._graphs = graphs
        self._view = graphs.default
        self._budget = budget
        self._trace = trace
        self._expressions = Expressions(trace.note)
        self._driver = DriverEvaluator(budget)
        self._asked = 0

    def evaluate(self, node: Node) -> Relation:
        """Return the solutions of a pattern."""
        self._budget.check()
        with self._trace.operator(node):
            return self._evaluate(node)

    def _evaluate(self, node: Node) -> Relation:
        match node:
            case Bgp() | Join():
                return self._joined(node)
            case LeftJoin(left, right, conditions):
                return self._optional(self.evaluate(left), self.evaluate(right), conditions)
            case Union(left, right):
                return appended([self.evaluate(left), self.evaluate(right)])
            case Minus(left, right):
                return without_matches(self.evaluate(left), self.evaluate(right))
            case Filter(conditions, child):
                if any(map(is_volatile, conditions)):
                    return self._at_driver(node)
                return self._where(self.evaluate(child), conditions)
            case Extend(child, variable, expression):
                if is_volatile(expression):
                    return self._at_driver(node)
                return self._bound(self.evaluate(child), variable, expression)
            case Values(variables, rows):
                return self._inline(variables, rows)
            case GraphPattern():
                return self._in_graph(node)
            case Group(child, _, aggregates):
                arguments = [aggregate.argument for _, aggregate in aggregates if aggregate.argument is not None]
                if any(map(is_volatile, arguments)):
                    return self._at_driver(node)
                solutions, plain = self._with_truths(self.evaluate(child), arguments)
                named = dict(zip(arguments, plain, strict=True))
                chosen = tuple(
                    (name, replace(a, argument=None if a.argument is None else named[a.argument]))
                    for name, a in aggregates
                )
                return grouped(replace(node, aggregates=chosen), solutions, self._expressions, self._trace.note)
            case OrderBy(child, conditions):
                if any(is_volatile(expression) for expression, _ in conditions):
                    return self._at_driver(node)
                return self._sorted(self.evaluate(child), conditions)
            case Project(child, variables):
                return self.evaluate(child).projected(variables)
            case Distinct(Project(child, variables) as inner):
                with self._trace.operator(inner):
                    # What is not looked at need not be counted.
                    return self.evaluate(child).projected(variables, bag=False).distinct()
            case Distinct(child):
                return self.evaluate(child).distinct()
            case Slice(child, start, length):
                return self._sliced(child, start, length)
            case ServicePattern(name, _):
                shown = f"?{name.name}" if isinstance(name, Var) else name
                raise UnsupportedQueryError(f"SERVICE {shown} asks another endpoint, and this store asks none")

    def _sliced(self, node: Node, start: int, length: int | None) -> Relation:
        """Return a slice of solutions; of sorted ones the executors keep those that may be in it."""
        order = node.child if isinstance(node, Project) else node
        if length is None or not isinstance(order, OrderBy) or any(is_volatile(each) for each, _ in order.conditions):
            return self.evaluate(node).sliced(start, length)
        if isinstance(node, Project):
            with self._trace.operator(node):
                return self._sorted_first(order, start + length).projected(node.variables).sliced(start, length)
        return self._sorted_first(order, start + length).sliced(start, length)

    def _sorted_first(self, order: OrderBy, most: int) -> Relation:
        """Return sorted solutions of which only the first so many are all there."""
        with self._trace.operator(order):
            first = self._first(self.evaluate(order.child), order.conditions, most)
            return self._sorted(first, order.conditions)

    def _first(self, solutions: Relation, conditions: Sequence[tuple[Expression, bool]], most: int) -> Relation:
        """Return solutions among which are the first by an order, at most so many of each task."""
        solutions, plain = self._with_truths(solutions, [expression for expression, _ in conditions])
        shown = tuple(solutions.fields)
        for number, expression in enumerate(plain):
            solutions, field = self._expressions.value(solutions, expression)
            solutions = replace(solutions, fields={**solutions.fields, f".key{number}": field})
        # A folded column stands for several solutions.
        solutions = solutions.unfolded(shown).decoded([f".key{number}" for number in range(len(plain))])
        names = [solutions.fields[f".key{number}"].name for number in range(len(plain))]
        first = FirstOfTask(most, names, [descending for _, descending in conditions])
        frame = mapped(solutions.frame, first, solutions.frame.schema)
        return replace(solutions, frame=frame, fields={name: solutions.fields[name] for name in shown})

    def within(self, view: View, node: Node) -> Relation:
        """Evaluate a pattern in another graph."""
        before, self._view = self._view, view
        try:
            return self.evaluate(node)
        finally:
            self._view = before

    def _joined(self, node: Node) -> Relation:
        patterns: list[TriplePattern] = []
        found: Relation | None = None
        for part in _flattened(node):
            if isinstance(part, Bgp):
                patterns += part.patterns
            else:
                other = self.evaluate(part)
                found = other if found is None else join(found, other)
        return self._matched(patterns, found)

    def _matched(self, patterns: Sequence[TriplePattern], start: Relation | None) -> Relation:
        matcher = FrameMatcher(self.source, self._view)
        paths = FramePathMatcher(matcher, self.kept)

        def matches(pattern: TriplePattern) -> Relation:
            if isinstance(pattern.predicate, Var | str):
                return matcher.matches(pattern.subject, pattern.predicate, pattern.object)
            return paths.matches(pattern.subject, pattern.predicate, pattern.object)

        found = joined(patterns, start, matches, matcher.estimate)
        return Relation.unit(self.source) if found is None else found

    def _optional(self, left: Relation, right: Relation, conditions: Sequence[Expression]) -> Relation:
        """Extend solutions, and keep those that nothing extends as they are.

        With conditions, these are the ones that are not among those extended: equal solutions are extended alike.
        """
        if not conditions:
            return left_join(left, right)
        left = left.unfolded(left.fields)
        copies = {name: f"{_ASKED}{name}" for name in left.fields}
        numbered = left
        for name, copy in copies.items():
            field = left.fields[name]
            numbered = numbered.with_field(copy, fresh(field.kind, certain=field.certain), field.column)
        found = self._where(join(numbered, right), conditions)
        extended = found.projected(copies.values(), bag=False).distinct().renewed()
        extended = replace(extended, fields={name: extended.fields[copy] for name, copy in copies.items()})
        alone = replace(left, frame=equal_rows(left, extended, left.fields, "left_anti"))
        return appended([found.projected([name for name in found.fields if not name.startswith(_ASKED)]), alone])

    def _where(self, solutions: Relation, conditions: Iterable[Expression]) -> Relation:
        for condition in conditions:
            solutions, (plain,) = self._with_truths(solutions, [condition])
            solutions = self._expressions.where(solutions, plain)
            solutions = solutions.projected([name for name in solutions.fields if not name.startswith(TRUTH)])
        return solutions

    def _bound(self, solutions: Relation, variable: str, expression: Expression) -> Relation:
        solutions, (plain,) = self._with_truths(solutions, [expression])
        solutions, field = self._expressions.value(solutions, plain)
        if variable not in solutions.fields:
            return replace(solutions, fields={**solutions.fields, variable: field})
        # Only where solutions are substituted into a pattern can the variable be bound already.
        given = replace(solutions, fields={**solutions.fields, ".value": field})
        given = given.decoded([variable, ".value"])
        same = given.where(given.fields[variable].column == given.fields[".value"].column)
        return same.projected([name for name in same.fields if name != ".value"])

    def _with_truths(self, solutions: Relation, expressions: Sequence[Expression]) -> tuple[Relation, list[Expression]]:
        """Replace each EXISTS of expressions by a variable that holds its truth."""
        replacement: dict[Exists, Var] = {}
        for exists in [exists for expression in expressions for exists in patterns_of(expression)]:
            self._asked += 1
            name = f"{TRUTH}{self._asked}"
            solutions = self._exists(solutions, exists, name)
            replacement[exists] = Var(name)
        return solutions, [substituted(expression, replacement) for expression in expressions]

    def _exists(self, solutions: Relation, exists: Exists, name: str) -> Relation:
        aliased = self.source.has_equality_aliases
        solutions = solutions.unfolded(looked_into(exists.node, aliased=aliased))
        shared = [known for known in solutions.fields if known in variables_of(exists.node)]
        asked = solutions.projected(shared, bag=False).distinct().renewed()
        copies = {known: f"{_ASKED}{known}" for known in shared}
        for known, copy in copies.items():
            field = asked.fields[known]
            asked = asked.with_field(copy, fresh(field.kind, certain=field.certain), field.column)
        found = self._extended(asked, exists.node).projected(copies.values(), bag=False).distinct().renewed()
        marker = fresh(ColumnKind.ID)
        found = Relation(
            self.source,
            found.frame.withColumn(marker.name, f.lit(1)),
            {known: found.fields[copy] for known, copy in copies.items()},
        )
        frame = equal_rows(solutions, found, shared, "left")
        frame = frame.drop(*(field.name for field in found.fields.values()))
        held = marker.column.isNull() if exists.negated else marker.column.isNotNull()
        marked = replace(solutions, frame=frame)
        return marked.with_field(name, fresh(ColumnKind.TEXT), f.when(held, f.lit(TRUE)).otherwise(f.lit(FALSE)))

    def _extended(self, solutions: Relation, node: Node) -> Relation:
        """Return the solutions of a pattern in which given solutions are substituted, as EXISTS has it."""
        match node:
            case Bgp(patterns):
                return self._matched(patterns, solutions)
            case Join(left, right):
                return self._extended(self._extended(solutions, left), right)
            case Filter(conditions, child) if not any(map(is_volatile, conditions)):
                return self._where(self._extended(solutions, child), conditions)
            case Union(left, right):
                return appended([self._extended(solutions, part) for part in (left, right)])
            case LeftJoin(left, right, conditions):
                return self._optional(self._extended(solutions, left), self.evaluate(right), conditions)
            case Extend(child, variable, expression) if not is_volatile(expression):
                return self._bound(self._extended(solutions, child), variable, expression)
            case Minus(left, right):
                return without_matches(self._extended(solutions, left), self.evaluate(right))
            case _:
                return join(solutions, self.evaluate(node))

    def _inline(self, names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Relation:
        given = Relation.of_texts(self.source, names, rows)
        texts = {text for row in rows for text in row if text is not None}
        self.source.learn(texts)
        if not rows or any(self.source.id_of(text) is None for text in texts):
            return given
        # All are terms of the store, and ids are what patterns are joined by.
        ids = [[None if text is None else self.source.id_of(text) for text in row] for row in rows]
        fields = {name: replace(field, kind=ColumnKind.ID) for name, field in given.fields.items()}
        kinds = ", ".join(["unit int", *(f"{field.name} long" for field in fields.values())])
        frame = self.source.session.createDataFrame([(1, *row) for row in ids], kinds)
        return Relation(self.source, frame, fields)

    def _in_graph(self, node: GraphPattern) -> Relation:
        if not isinstance(node.name, Var):
            view = self._graphs.named(node.name)
            if view is None:
                return Relation.none(self.source, visible(node.child))
            return self.within(view, node.child)
        parts = [Relation.none(self.source, [node.name.name, *visible(node.child)])]
        for name in self._graphs.listed():
            view = self._graphs.named(name)
            assert view is not None
            parts.append(join(self.within(view, node.child), self._inline([node.name.name], [[name]])))
        return appended(parts)

    def _sorted(self, solutions: Relation, conditions: Sequence[tuple[Expression, bool]]) -> Relation:
        """Sort by the ranks of values, which the driver computes once for the distinct ones."""
        solutions, plain = self._with_truths(solutions, [expression for expression, _ in conditions])
        columns = []
        for expression, (_, descending) in zip(plain, conditions, strict=True):
            solutions, field = self._expressions.value(solutions, expression)
            given = replace(solutions, fields={**solutions.fields, ".key": field}).decoded([".key"])
            key = given.fields[".key"]
            keys = given.frame.select(key.name).where(key.column.isNotNull()).distinct()
            distinct = self.source.traffic.fetched(keys)
            texts = distinct.column(0).to_pylist()
            self._budget.check(len(texts))
            self._trace.note(RANKED)
            rank = fresh(ColumnKind.ID)
            ranks = self.source.session.createDataFrame(
                list(zip(texts, ranked(texts), strict=True)), f"{rank.name}t string, {rank.name} long"
            )
            frame = given.frame.join(f.broadcast(ranks), key.column == f.col(f"{rank.name}t"), "left")
            columns.append(f.coalesce(rank.column, f.lit(0)) * (-1 if descending else 1))
            fields = {name: known for name, known in given.fields.items() if name != ".key"}
            solutions = replace(given, frame=frame, fields=fields)
        return replace(solutions, frame=solutions.frame.withColumn(ORDER, f.array(*columns)), ordered=True)

    def _at_driver(self, node: OverChild) -> Relation:
        """Let the driver evaluate an operator on the collected solutions below it."""
        solutions = self.evaluate(node.child)
        expressions = _expressions_of(node)
        solutions, plain = self._with_truths(solutions, expressions)
        self._trace.note(AT_DRIVER)
        names, found = self._driver.evaluated(_with_expressions(node, plain), *collected(solutions, self._budget))
        result = Relation.of_texts(self.source, names, found)
        if isinstance(node, OrderBy):
            result = _in_order(result, found)
        return result.projected([name for name in result.fields if not name.startswith(TRUTH)])


class FirstOfTask:
    """Keeps the rows of a task that come first by the texts in some columns, in the order of ORDER BY."""

    def __init__(self, most: int, names: Sequence[str], descending: Sequence[bool]) -> None:
        self._most = most
        self._keys = list(zip(names, descending, strict=True))

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kept: list[pa.RecordBatch] = []
        for batch in batches:
            rows = pa.Table.from_batches([*kept, batch])
            if rows.num_rows > self._most:
                terms = QueryTerms(Dictionary())
                columns = [(terms.encode(rows.column(name).to_pylist()), turned) for name, turned in self._keys]
                rows = rows.take(sorting_order(columns, terms)[: self._most])
            kept = rows.to_batches()
        yield from kept


def _in_order(solutions: Relation, rows: Sequence[Sequence[str | None]]) -> Relation:
    """Return solutions of the driver in the order in which it has them."""
    numbered = [(place, *row) for place, row in enumerate(rows)]
    kinds = ", ".join([f"{ORDER} long", *(f"{field.name} string" for field in solutions.fields.values())])
    return replace(solutions, frame=solutions.source.session.createDataFrame(numbered, kinds), ordered=True)


def collected(solutions: Relation, budget: Budget) -> tuple[list[str], list[tuple[str | None, ...]]]:
    """Bring solutions to the driver: their variables, and rows of texts. Ids are decoded there, each once."""
    solutions = solutions.unfolded(solutions.fields)
    frame = solutions.frame.orderBy(ORDER) if solutions.ordered else solutions.frame
    names = list(solutions.fields)
    columns = [field.column for field in solutions.fields.values()]
    table = solutions.source.traffic.fetched(frame.select(*columns or [f.lit(1).alias("unit")]))
    budget.check(table.num_rows)
    values = [table.column(place).to_pylist() for place in range(len(names))]
    kinds = [field.kind for field in solutions.fields.values()]
    ids = {
        v for kind, column in zip(kinds, values, strict=True) if kind is ColumnKind.ID for v in column if v is not None
    }
    texts = solutions.source.decode(ids)
    decoded = [
        [None if v is None else texts[v] for v in column] if kind is ColumnKind.ID else column
        for kind, column in zip(kinds, values, strict=True)
    ]
    return names, list(zip(*decoded, strict=True)) if decoded else [()] * table.num_rows


def _expressions_of(node: Filter | Extend | OrderBy | Group) -> list[Expression]:
    match node:
        case Filter(conditions, _):
            return list(conditions)
        case Extend(_, _, expression):
            return [expression]
        case OrderBy(_, conditions):
            return [expression for expression, _ in conditions]
        case Group(_, _, aggregates):
            return [aggregate.argument for _, aggregate in aggregates if aggregate.argument is not None]


def _with_expressions(node: OverChild, plain: Sequence[Expression]) -> OverChild:
    match node:
        case Filter():
            return replace(node, conditions=tuple(plain))
        case Extend():
            return replace(node, expression=plain[0])
        case OrderBy(_, conditions):
            pairs = zip(plain, conditions, strict=True)
            return replace(node, conditions=tuple((expression, down) for expression, (_, down) in pairs))
        case _:
            left = iter(plain)
            pairs = [(n, a if a.argument is None else replace(a, argument=next(left))) for n, a in node.aggregates]
            return replace(node, aggregates=tuple(pairs))


def _flattened(node: Node) -> list[Node]:
    return [*_flattened(node.left), *_flattened(node.right)] if isinstance(node, Join) else [node]
