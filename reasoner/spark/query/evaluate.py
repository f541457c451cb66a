"""Evaluating the algebra over frames, operator by operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pyspark.sql import functions as f

from reasoner.spark.query.aggregates import grouped
from reasoner.spark.query.at_driver import AT_DRIVER, DriverEvaluator, OverChild, ranked
from reasoner.spark.query.expressions import TRUTH, Expressions
from reasoner.spark.query.graphs import Graphs
from reasoner.spark.query.paths import PathMatcher
from reasoner.spark.query.patterns import Matcher, joined
from reasoner.spark.query.relation import (
    ORDER,
    Kind,
    Relation,
    appended,
    equal_rows,
    fresh,
    join,
    left_join,
    without_matches,
)
from reasoner.spark.query.source import Source, View
from reasoner.spark.run import Run
from reasoner.sparql.algebra import (
    Bgp,
    Distinct,
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
    Service,
    Slice,
    TriplePattern,
    Union,
    Values,
    visible,
)
from reasoner.sparql.budget import Budget
from reasoner.sparql.comparison import FALSE, TRUE
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.expression import Exists, Expression, Var, is_volatile, patterns_of, substituted
from reasoner.sparql.plan import Trace
from reasoner.sparql.scope import looked_into, variables_of

_ASKED = ".asked:"
RANKED = "ranks of distinct values at the driver"


class FrameEvaluator:
    """Evaluates patterns to relations that Spark computes when somebody asks for their rows.

    ``kept`` are the intermediate results of paths, which have to live as long as the relation is read.
    """

    def __init__(self, source: Source, graphs: Graphs, budget: Budget, trace: Trace) -> None:
        self.source = source
        self.kept: list[Run] = []
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
                return self.evaluate(child).sliced(start, length)
            case Service(name, _):
                shown = f"?{name.name}" if isinstance(name, Var) else name
                raise UnsupportedQueryError(f"SERVICE {shown} asks another endpoint, and this store asks none")

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
        matcher = Matcher(self.source, self._view)
        paths = PathMatcher(matcher, self.kept)

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
        marker = fresh(Kind.ID)
        found = Relation(
            self.source,
            found.frame.withColumn(marker.name, f.lit(1)),
            {known: found.fields[copy] for known, copy in copies.items()},
        )
        frame = equal_rows(solutions, found, shared, "left")
        frame = frame.drop(*(field.name for field in found.fields.values()))
        held = marker.column.isNull() if exists.negated else marker.column.isNotNull()
        marked = replace(solutions, frame=frame)
        return marked.with_field(name, fresh(Kind.TEXT), f.when(held, f.lit(TRUE)).otherwise(f.lit(FALSE)))

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
        fields = {name: replace(field, kind=Kind.ID) for name, field in given.fields.items()}
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
            rank = fresh(Kind.ID)
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
    ids = {v for kind, column in zip(kinds, values, strict=True) if kind is Kind.ID for v in column if v is not None}
    texts = solutions.source.decode(ids)
    decoded = [
        [None if v is None else texts[v] for v in column] if kind is Kind.ID else column
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
