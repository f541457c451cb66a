"""A parse tree to the algebra, as section 18.2 of SPARQL 1.1 has it, with the rules that the grammar cannot say.

Deviation: rdflib's own translation is not used. It accepts undeclared prefixes, blank nodes shared between patterns and
variables that are not grouped; it leaves EXISTS outside of FILTER and BIND as it is, and loses the order of SELECT *.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from loaders.errors import NestingError
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
    Query,
    Service,
    Slice,
    Term,
    Union,
    Values,
    visible,
)
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.expression import Aggregate, Expression, Var, mentioned
from reasoner.sparql.names import Names
from reasoner.sparql.parse import parse_tree, resolve_escapes
from reasoner.sparql.plain_query import plain_query
from reasoner.sparql.translate_expression import ExpressionTranslator
from reasoner.sparql.translate_pattern import PatternTranslator

_EMPTY = Bgp()


def translate(text: str, *, base: str = "", prefixes: Mapping[str, str] | None = None) -> Query:
    """Translate the text of a query; the last few hundred texts are remembered."""
    try:
        return _translated(text, base, tuple(sorted((prefixes or {}).items())))
    except RecursionError:
        raise NestingError("the query") from None


@lru_cache(maxsize=512)
def _translated(text: str, base: str, prefixes: tuple[tuple[str, str], ...]) -> Query:
    if plain := plain_query(text, base, dict(prefixes)):
        return plain
    prologue, body = parse_tree(text)
    return Translator(Names(resolve_escapes(text), prologue, base, dict(prefixes))).query(body)


class Translator:
    """Translates parse trees that share their names, and ``labels`` of blank nodes that were in patterns before."""

    def __init__(self, names: Names, labels: set[str] | None = None) -> None:
        self._names = names
        self._patterns = PatternTranslator(names, labels)
        self._expression = ExpressionTranslator(names, self._group)
        self._helpers = 0

    def query(self, tree: Any) -> Query:
        """Translate the body of a query."""
        form = tree.name.removesuffix("Query").upper()
        default, named = self._dataset(tree)
        described: tuple[Term, ...] = ()
        template: tuple[tuple[Term, Term, Term], ...] = ()
        if form == "DESCRIBE":
            described = tuple(self._patterns.term(term) for term in tree.var or ())
        node = _EMPTY if tree.where is None else self._group(tree.where)
        if form == "CONSTRUCT":
            given = tree.template if tree.template is not None else self._short_template(tree.where)
            template = self._patterns.template(given)
        node, variables = self._modified(tree, node, every=form != "SELECT" or not tree.projection)
        if form == "DESCRIBE" and not tree.var:
            described = tuple(Var(name) for name in variables)
        names = self._names
        return Query(form, node, variables, template, described, default, named, names.base, names.prefixes)

    def _short_template(self, where: Any) -> list[Any]:
        # The grammar drops a template that is empty, and has a name of its own for a pattern that is the template.
        if where is None or where.name != "FakeGroupGraphPatten":
            return []
        return [triples for part in where.part for triples in part.triples]

    def _dataset(self, tree: Any) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        if not tree.datasetClause:
            return None, None
        default = [self._names.text_of(clause.default) for clause in tree.datasetClause if clause.default is not None]
        named = [self._names.text_of(clause.named) for clause in tree.datasetClause if clause.named is not None]
        return tuple(default), tuple(named)

    def _group(self, tree: Any) -> Node:
        """Translate a group graph pattern (18.2.2.2 to 18.2.2.8)."""
        node, filters = self._group_and_filters(tree)
        return Filter(filters, node) if filters else node

    def _group_and_filters(self, tree: Any) -> tuple[Node, tuple[Expression, ...]]:
        if tree.name == "SubSelect":
            return self._subselect(tree), ()
        node: Node = _EMPTY
        filters: list[Expression] = []
        block: list[Any] = []
        for part in tree.part or ():
            if part.name == "Filter":
                filters.append(self._expression(part.expr))
            elif part.name == "TriplesBlock":
                block += part.triples
            else:
                node = _joined(node, self._patterns.bgp(block))
                block = []
                node = self._part(node, part)
        return _joined(node, self._patterns.bgp(block)), tuple(filters)

    def _part(self, node: Node, part: Any) -> Node:
        match part.name:
            case "OptionalGraphPattern":
                right, conditions = self._group_and_filters(part.graph)
                return LeftJoin(node, right, conditions)
            case "MinusGraphPattern":
                return Minus(node, self._group(part.graph))
            case "GroupOrUnionGraphPattern":
                return _joined(node, _union([self._group(graph) for graph in part.graph]))
            case "GraphGraphPattern":
                return _joined(node, GraphPattern(self._patterns.term(part.term), self._group(part.graph)))
            case "InlineData":
                return _joined(node, self._values(part))
            case "Bind":
                self._require_new(str(part.var), visible(node), "BIND")
                return Extend(node, str(part.var), self._expression(part.expr))
            case _:
                service = Service(self._patterns.term(part.term), self._group(part.graph))
                return _joined(node, _nothing_bound(visible(service)) if part.silent else service)

    def _values(self, tree: Any) -> Values:
        variables = tuple(map(str, tree.var or ()))
        rows = []
        for row in tree.value or ():
            cells = [row] if _is_cell(row) else list(row)
            if not variables:
                # The grammar reads an empty row as rdf:nil.
                cells = []
            if len(cells) != len(variables):
                raise QuerySyntaxError(
                    f"a row of VALUES has {len(cells)} values for {len(variables)} variables",
                    self._names.text,
                    max(0, self._names.text.upper().find("VALUES")),
                )
            rows.append(tuple(None if _is_undefined(cell) else self._names.text_of(cell) for cell in cells))
        return Values(variables, tuple(rows))

    def _subselect(self, tree: Any) -> Node:
        aggregates = self._expression.aggregates
        node, _ = self._modified(tree, self._group(tree.where), every=not tree.projection)
        self._expression.aggregates = aggregates
        return node

    def _modified(self, tree: Any, node: Node, *, every: bool) -> tuple[Node, tuple[str, ...]]:
        """Apply grouping and the solution modifiers (18.2.4 and 18.2.5)."""
        in_scope = visible(node)
        keys: list[str] = []
        for condition in tree.groupby.condition if tree.groupby else ():
            node, key = self._group_key(node, condition)
            keys.append(key)
        collected: dict[Aggregate, str] = {}
        self._expression.aggregates = collected
        selected: list[tuple[str, Expression | None]] = [
            (str(item.var), None) if item.evar is None else (str(item.evar), self._expression(item.expr))
            for item in tree.projection or ()
        ]
        having = tuple(map(self._expression, tree.having.condition if tree.having else ()))
        ordered = tuple(
            (self._expression(condition.expr), str(condition.order or "").upper() == "DESC")
            for condition in (tree.orderby.condition if tree.orderby else ())
        )
        self._expression.aggregates = None
        grouped = bool(tree.groupby or collected)
        if grouped:
            self._check_grouped(tree, selected, keys, every=every)
            aggregates = tuple((variable, aggregate) for aggregate, variable in collected.items())
            node = Group(node, tuple(keys), aggregates, implicit=not tree.groupby)
        if having:
            node = Filter(having, node)
        if tree.valuesClause:
            node = _joined(node, self._values(tree.valuesClause))
        bound = in_scope if not grouped else keys
        for name, expression in selected:
            if expression is not None:
                self._require_new(name, bound, "SELECT")
                bound = [*bound, name]
                node = Extend(node, name, expression)
        if ordered:
            node = OrderBy(node, ordered)
        variables = tuple(visible(node) if every else dict.fromkeys(name for name, _ in selected))
        node = Project(node, variables)
        modifier = str(tree.modifier or "").upper()
        if modifier in ("DISTINCT", "REDUCED"):
            node = Distinct(node)
        if tree.limitoffset:
            limit, offset = tree.limitoffset.limit, tree.limitoffset.offset
            node = Slice(node, 0 if offset is None else int(offset), None if limit is None else int(limit))
        return node, variables

    def _group_key(self, node: Node, condition: Any) -> tuple[Node, str]:
        if getattr(condition, "name", "") == "GroupAs":
            expression = self._expression(condition.expr)
            name = None if condition.var is None else str(condition.var)
        else:
            expression, name = self._expression(condition), None
        if name is None and isinstance(expression, Var):
            return node, expression.name
        if name is None:
            name = f".key{self._helpers}"
            self._helpers += 1
        else:
            self._require_new(name, visible(node), "GROUP BY")
        return Extend(node, name, expression), name

    def _check_grouped(
        self, tree: Any, selected: list[tuple[str, Expression | None]], keys: list[str], *, every: bool
    ) -> None:
        if every and tree.name in ("SelectQuery", "SubSelect"):
            self._refuse("SELECT * cannot be used with GROUP BY; name the variables", "*")
        known = set(keys)
        for name, expression in selected:
            used = {name} if expression is None else mentioned(expression)
            for variable in sorted(used - known):
                if not variable.startswith("."):
                    self._refuse(
                        f"?{variable} is neither grouped nor aggregated; add it to GROUP BY, or SAMPLE it",
                        f"?{variable}",
                    )
            known.add(name)

    def _require_new(self, name: str, bound: list[str], where: str) -> None:
        if name in bound:
            self._refuse(f"?{name} is bound already; {where} needs a new variable", f"?{name}")

    def _refuse(self, message: str, token: str) -> None:
        raise QuerySyntaxError(message, self._names.text, max(0, self._names.text.rfind(token)))


def _nothing_bound(variables: list[str]) -> Values:
    """Return the one solution that a SERVICE SILENT has that nobody asked (SPARQL 1.1 Federated Query, 2.3)."""
    return Values(tuple(variables), (tuple(None for _ in variables),))


def _union(alternatives: list[Node]) -> Node:
    """Unite alternatives in halves, so that thousands of them are a dozen levels deep."""
    if len(alternatives) == 1:
        return alternatives[0]
    middle = len(alternatives) // 2
    return Union(_union(alternatives[:middle]), _union(alternatives[middle:]))


def _joined(left: Node, right: Node) -> Node:
    if left == _EMPTY:
        return right
    return left if right == _EMPTY else Join(left, right)


def _is_cell(tree: Any) -> bool:
    """Tell a value from a row of values."""
    from rdflib.plugins.sparql.parserutils import CompValue

    return isinstance(tree, CompValue | str)


def _is_undefined(cell: Any) -> bool:
    from rdflib.term import Identifier

    return isinstance(cell, str) and not isinstance(cell, Identifier)
