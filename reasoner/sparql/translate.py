"""The text of a query to the algebra: a descent through the grammar (19.8) that builds what section 18.2 makes of it.

Each production that nests or repeats is one function, which reads its tokens and returns its value. The rules that the
grammar cannot say are checked where their tokens are: variables that BIND and AS make are new, blank nodes stay within
one basic graph pattern, aggregates stand where they may, and what is selected from groups is grouped or aggregated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from loaders.errors import nesting_refused
from reasoner.sparql.algebra import (
    Aggregate,
    Bgp,
    Distinct,
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
    Query,
    ServicePattern,
    Slice,
    Term,
    TriplePattern,
    Union,
    Values,
    Var,
    balanced,
    is_visible,
    mentioned,
)
from reasoner.sparql.tokens import Names, Tokens
from reasoner.sparql.translate_triples import CONDITION_BEGINS, TRIPLE_BEGINS, ExpressionTranslator, TripleTranslator

Triple = tuple[Term, Term, Term]

# More than a store can hold has fewer; Python itself refuses thousands.
_MOST_DIGITS = 18
_FORMS = ("SELECT", "CONSTRUCT", "DESCRIBE", "ASK")


def translate(text: str, *, base: str = "", prefixes: Mapping[str, str] | None = None) -> Query:
    """Translate the text of a query; the last few hundred texts are remembered."""
    return _translated(text, base, tuple(sorted((prefixes or {}).items())))


@lru_cache(maxsize=512)
def _translated(text: str, base: str, prefixes: tuple[tuple[str, str], ...]) -> Query:
    return translate_anew(text, base=base, prefixes=dict(prefixes))


@nesting_refused("the query")
def translate_anew(text: str, *, base: str = "", prefixes: Mapping[str, str] | None = None) -> Query:
    """Translate the text of a query, whether or not it was translated before."""
    tokens = Tokens(text, "query")
    names = Names(tokens, base, prefixes or {})
    names.declarations()
    query = QueryTranslator(tokens, names).query()
    if tokens.kind != "end":
        raise tokens.unexpected()
    return query


def opening_of(text: str) -> tuple[str, int]:
    """Return what a text begins with, declarations aside: the kind of a token, and its place.

    >>> opening_of("PREFIX : <http://e.org/> select *")
    ('SELECT', 25)
    """
    tokens = Tokens(text, "query")
    while tokens.take("PREFIX") or tokens.take("BASE"):
        tokens.take("name")
        tokens.take("iri")
    return tokens.kind, tokens.written(tokens.place)


@dataclass(slots=True)
class GroupPattern:
    """What a group graph pattern is translated to.

    ``variables`` are those that it may bind, in order of appearance (18.2.1). Its ``filters`` are kept apart, because
    those of an OPTIONAL are conditions of the join.
    """

    node: Node
    variables: dict[str, None]
    filters: tuple[Expression, ...] = ()

    def filtered(self) -> Node:
        """Return the pattern with its filters."""
        return Filter(self.filters, self.node) if self.filters else self.node


@dataclass(frozen=True, slots=True)
class _Selected:
    """One item of SELECT: a variable, perhaps with the expression that it is made by, and where they stand."""

    name: str
    expression: Expression | None
    place: int
    places: Mapping[str, int]


@dataclass(slots=True)
class _Selection:
    """A SELECT clause: its items, the place of ``*`` if there is one, and the aggregates that the items have."""

    items: list[_Selected]
    all_at: int | None
    distinct: bool
    aggregates: dict[Aggregate, str]


class QueryTranslator:
    """Reads queries and their patterns; ``labels`` are those of blank nodes in patterns before, and are added to."""

    def __init__(self, tokens: Tokens, names: Names, labels: set[str] | None = None) -> None:
        self._tokens = tokens
        self._names = names
        self._labels = set() if labels is None else labels
        self.triples = TripleTranslator(tokens, names)
        self._expression = ExpressionTranslator(tokens, names, self.triples, lambda: self.group().filtered())
        self._helpers = 0

    def query(self) -> Query:
        """Read a query without its declarations."""
        tokens = self._tokens
        form = tokens.kind
        if form not in _FORMS:
            raise tokens.unexpected(*_FORMS)
        if form == "SELECT":
            selection = self._select_clause()
        else:
            tokens.advance()
            selection = _Selection([], None, False, {})
        described: list[Term] = []
        template: list[TriplePattern] | None = None
        if form == "DESCRIBE" and not tokens.take("*"):
            described.append(self.triples.variable_or_iri())
            while tokens.kind in ("variable", "iri", "name"):
                described.append(self.triples.variable_or_iri())
        if form == "CONSTRUCT" and tokens.kind == "{":
            template = self.template()
        default, named = self.dataset("FROM")
        if form == "CONSTRUCT" and template is None:
            tokens.expect("WHERE")
            self.triples.places = {}
            template = self.template()
            self._keep_labels_apart()
            found = GroupPattern(Bgp(tuple(template)), _variables(template))
        elif form == "DESCRIBE" and tokens.kind not in ("WHERE", "{"):
            found = GroupPattern(Bgp(), {})
        else:
            tokens.take("WHERE")
            found = self.group()
        node, variables = self._modified(found, selection, every=form != "SELECT" or selection.all_at is not None)
        return Query(
            form,
            node,
            variables,
            tuple(map(as_triple, template or ())),
            tuple(described) or (tuple(map(Var, variables)) if form == "DESCRIBE" else ()),
            default,
            named,
            self._names.base,
            self._names.prefixes,
        )

    def dataset(self, keyword: str) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """Read FROM and FROM NAMED, or USING and USING NAMED, as many as there are."""
        default: list[str] = []
        named: list[str] = []
        while self._tokens.take(keyword):
            (named if self._tokens.take("NAMED") else default).append(self._names.iri())
        return (tuple(default), tuple(named)) if default or named else (None, None)

    def template(self) -> list[TriplePattern]:
        """Read triples without paths, in braces."""
        self._tokens.open("{")
        found: list[TriplePattern] = []
        self.template_triples(found)
        self._tokens.close("}")
        return found

    def template_triples(self, found: list[TriplePattern]) -> None:
        """Read triples without paths, as many as there are."""
        while self._tokens.kind in TRIPLE_BEGINS:
            self.triples.triples(found, paths=False)
            if not self._tokens.take("."):
                break

    def where(self) -> Node:
        """Read a group graph pattern whose every variable is asked for."""
        found = self.group()
        return Project(found.filtered(), tuple(found.variables))

    def group(self) -> GroupPattern:
        """Read a group graph pattern (18.2.2.2 to 18.2.2.8)."""
        tokens = self._tokens
        tokens.open("{")
        if tokens.kind == "SELECT":
            found = self._subselect()
            tokens.close("}")
            return found
        outer, self.triples.places = self.triples.places, {}
        group = _GroupParts()
        filters: list[Expression] = []
        separated = True
        while tokens.kind != "}":
            if tokens.kind in TRIPLE_BEGINS:
                if not separated:
                    raise tokens.unexpected(".", "}")
                self.triples.triples(group.triples, paths=True)
                separated = tokens.take(".")
                continue
            if tokens.take("FILTER"):
                filters.append(self._expression.condition())
            else:
                self._end_triples(group)
                self._part(group)
            tokens.take(".")
            separated = True
        tokens.close("}")
        self._end_triples(group)
        self.triples.places = outer
        return GroupPattern(group.node(), group.variables, tuple(filters))

    def _end_triples(self, group: _GroupParts) -> None:
        """Make a basic graph pattern of the triples since the last one."""
        self._keep_labels_apart()
        self.triples.places = {}
        if group.triples:
            group.join(Bgp(tuple(group.triples)), _variables(group.triples))
            group.triples = []

    def _keep_labels_apart(self) -> None:
        for name, place in self.triples.places.items():
            if name.startswith("_:") and not name.startswith("_:."):
                if name in self._labels:
                    raise self._tokens.error(
                        f"the blank node {name} occurs in two patterns; use a variable to connect them", place
                    )
                self._labels.add(name)

    def _part(self, group: _GroupParts) -> None:
        """Read what is neither a triple nor a filter."""
        tokens = self._tokens
        kind = tokens.kind
        if kind == "{":
            self._alternatives(group)
        elif kind == "OPTIONAL":
            tokens.advance()
            found = self.group()
            group.replace(LeftJoin(group.node(), found.node, found.filters), found.variables)
        elif kind == "MINUS":
            tokens.advance()
            group.replace(Minus(group.node(), self.group().filtered()))
        elif kind == "GRAPH":
            tokens.advance()
            name = self.triples.variable_or_iri()
            found = self.group()
            group.join(GraphPattern(name, found.filtered()), _named(name) | found.variables)
        elif kind == "SERVICE":
            self._service(group)
        elif kind == "BIND":
            self._bind(group)
        elif kind == "VALUES":
            values = self._values()
            group.join(values, dict.fromkeys(values.variables))
        else:
            raise tokens.unexpected("}")

    def _alternatives(self, group: _GroupParts) -> None:
        alternatives = [self.group()]
        while self._tokens.take("UNION"):
            alternatives.append(self.group())
        variables = {name: None for found in alternatives for name in found.variables}
        group.join(balanced(Union, [found.filtered() for found in alternatives]), variables)

    def _service(self, group: _GroupParts) -> None:
        self._tokens.advance()
        silent = self._tokens.take("SILENT")
        name = self.triples.variable_or_iri()
        found = self.group()
        variables = _named(name) | found.variables
        if not silent:
            group.join(ServicePattern(name, found.filtered()), variables)
            return
        # Nobody is asked, which leaves one solution that binds nothing (SPARQL 1.1 Federated Query, 2.3).
        group.join(Values(tuple(variables), (tuple(None for _ in variables),)), variables)

    def _bind(self, group: _GroupParts) -> None:
        tokens = self._tokens
        tokens.advance()
        tokens.open("(")
        expression = self._expression()
        tokens.expect("AS")
        name = self._new_variable(group.variables, "BIND")
        tokens.close(")")
        group.replace(Extend(group.node(), name, expression), {name: None})

    def _new_variable(self, bound: Iterable[str], where: str) -> str:
        place = self._tokens.place
        name = self._tokens.expect("variable")[1:]
        self._require_new(name, bound, where, place)
        return name

    def _require_new(self, name: str, bound: Iterable[str], where: str, place: int) -> None:
        if name in bound:
            raise self._tokens.error(f"?{name} is bound already; {where} needs a new variable", place)

    def _values(self) -> Values:
        tokens = self._tokens
        place = tokens.place
        tokens.expect("VALUES")
        if tokens.kind == "variable":
            variables = [tokens.expect("variable")[1:]]
            tokens.open("{")
            rows = []
            while tokens.kind != "}":
                rows.append((self._cell(),))
            tokens.close("}")
            return Values(tuple(variables), tuple(rows))
        tokens.open("(")
        variables = []
        while tokens.kind != ")":
            variables.append(tokens.expect("variable")[1:])
        tokens.close(")")
        return Values(tuple(variables), self._rows(len(variables), place))

    def _rows(self, width: int, place: int) -> tuple[tuple[str | None, ...], ...]:
        tokens = self._tokens
        tokens.open("{")
        rows = []
        while tokens.kind != "}":
            tokens.open("(")
            row = []
            while tokens.kind != ")":
                row.append(self._cell())
            tokens.close(")")
            if len(row) != width:
                raise tokens.error(f"a row of VALUES has {len(row)} values for {width} variables", place)
            rows.append(tuple(row))
        tokens.close("}")
        return tuple(rows)

    def _cell(self) -> str | None:
        return None if self._tokens.take("UNDEF") else self.triples.constant()

    def _select_clause(self) -> _Selection:
        tokens = self._tokens
        tokens.expect("SELECT")
        distinct = tokens.take("DISTINCT") or tokens.take("REDUCED")
        selection = _Selection([], None, distinct, {})
        place = tokens.place
        if tokens.take("*"):
            selection.all_at = place
            return selection
        outer = self._expression.aggregates
        self._expression.aggregates = selection.aggregates
        while tokens.kind in ("variable", "("):
            selection.items.append(self._selected())
        self._expression.aggregates = outer
        if not selection.items:
            raise tokens.unexpected("variable", "(", "*")
        return selection

    def _selected(self) -> _Selected:
        tokens = self._tokens
        place = tokens.place
        if tokens.kind == "variable":
            name = tokens.expect("variable")[1:]
            return _Selected(name, None, place, {name: place})
        self._expression.places = {}
        tokens.open("(")
        expression = self._expression()
        tokens.expect("AS")
        place = tokens.place
        name = tokens.expect("variable")[1:]
        tokens.close(")")
        return _Selected(name, expression, place, self._expression.places)

    def _subselect(self) -> GroupPattern:
        outer = self._expression.aggregates, self._expression.places
        selection = self._select_clause()
        self._tokens.take("WHERE")
        node, variables = self._modified(self.group(), selection, every=selection.all_at is not None)
        self._expression.aggregates, self._expression.places = outer
        return GroupPattern(node, dict.fromkeys(variables))

    def _modified(self, found: GroupPattern, selection: _Selection, *, every: bool) -> tuple[Node, tuple[str, ...]]:
        """Read and apply grouping and the solution modifiers (18.2.4 and 18.2.5)."""
        tokens, expression = self._tokens, self._expression
        node, bound = found.filtered(), found.variables
        keys: list[str] = []
        by_key = tokens.kind == "GROUP"
        if by_key:
            node = self._group_keys(node, dict(bound), keys)
        expression.aggregates = selection.aggregates
        having: list[Expression] = []
        if tokens.take("HAVING"):
            having.append(expression.condition())
            while tokens.kind in CONDITION_BEGINS:
                having.append(expression.condition())
        ordered = self._order_conditions()
        expression.aggregates = None
        start, length = self._slice()
        if by_key or selection.aggregates:
            self._check_grouped(selection, keys)
            aggregates = tuple((variable, aggregate) for aggregate, variable in selection.aggregates.items())
            node = Group(node, tuple(keys), aggregates, implicit=not by_key)
            bound = dict.fromkeys(filter(is_visible, keys))
        if having:
            node = Filter(tuple(having), node)
        values = self._values() if tokens.kind == "VALUES" else None
        shown = dict(bound)
        if values is not None:
            node = _joined([node, values])
            shown |= dict.fromkeys(values.variables)
        made = dict(bound)
        for item in selection.items:
            if item.expression is not None:
                self._require_new(item.name, made, "SELECT", item.place)
                made[item.name] = shown[item.name] = None
                node = Extend(node, item.name, item.expression)
        if ordered:
            node = OrderBy(node, ordered)
        variables = tuple(shown if every else dict.fromkeys(item.name for item in selection.items))
        node = Project(node, variables)
        if selection.distinct:
            node = Distinct(node)
        if start is not None or length is not None:
            node = Slice(node, start or 0, length)
        return node, variables

    def _group_keys(self, node: Node, bound: dict[str, None], keys: list[str]) -> Node:
        """Read GROUP BY; return the pattern with the values of its expressions, and append the keys."""
        tokens = self._tokens
        tokens.expect("GROUP")
        tokens.expect("BY")
        while tokens.kind == "variable" or tokens.kind in CONDITION_BEGINS or not keys:
            expression: Expression
            name = None
            if tokens.kind == "variable":
                expression = Var(tokens.expect("variable")[1:])
            elif tokens.kind == "(":
                tokens.open("(")
                expression = self._expression()
                if tokens.take("AS"):
                    name = self._new_variable(bound, "GROUP BY")
                    bound[name] = None
                tokens.close(")")
            else:
                expression = self._expression.condition()
            if name is None and isinstance(expression, Var):
                keys.append(expression.name)
                continue
            if name is None:
                name = f".key{self._helpers}"
                self._helpers += 1
            keys.append(name)
            node = Extend(node, name, expression)
        return node

    def _check_grouped(self, selection: _Selection, keys: list[str]) -> None:
        if selection.all_at is not None:
            raise self._tokens.error("SELECT * cannot be used with GROUP BY; name the variables", selection.all_at)
        known = set(keys)
        for item in selection.items:
            used = {item.name} if item.expression is None else mentioned(item.expression)
            for name in sorted(filter(is_visible, used - known)):
                raise self._tokens.error(
                    f"?{name} is neither grouped nor aggregated; add it to GROUP BY, or SAMPLE it",
                    item.places.get(name, item.place),
                )
            known.add(item.name)

    def _order_conditions(self) -> tuple[tuple[Expression, bool], ...]:
        tokens = self._tokens
        found: list[tuple[Expression, bool]] = []
        if tokens.take("ORDER"):
            tokens.expect("BY")
            while tokens.kind in ("variable", "ASC", "DESC") or tokens.kind in CONDITION_BEGINS or not found:
                if tokens.kind == "variable":
                    found.append((Var(tokens.expect("variable")[1:]), False))
                    continue
                descending = tokens.take("DESC")
                if (descending or tokens.take("ASC")) and tokens.kind != "(":
                    raise tokens.unexpected("(")
                found.append((self._expression.condition(), descending))
        return tuple(found)

    def _slice(self) -> tuple[int | None, int | None]:
        """Read OFFSET and LIMIT, which may come in any order."""
        tokens = self._tokens
        found: dict[str, int] = {}
        while tokens.kind in ("LIMIT", "OFFSET") and tokens.kind not in found:
            clause = tokens.kind
            tokens.advance()
            if tokens.kind != "number" or not tokens.value.isdigit():
                raise tokens.unexpected("a whole number")
            if len(tokens.value) > _MOST_DIGITS:
                raise tokens.error(f"{clause} takes a number of at most {_MOST_DIGITS} digits", tokens.place)
            found[clause] = int(tokens.value)
            tokens.advance()
        return found.get("OFFSET"), found.get("LIMIT")


class _GroupParts:
    """A group graph pattern while it is being read: what was joined so far, and triples that are no pattern yet."""

    def __init__(self) -> None:
        self._joined: list[Node] = []
        self.variables: dict[str, None] = {}
        self.triples: list[TriplePattern] = []

    def join(self, node: Node, variables: Mapping[str, None]) -> None:
        self._joined.append(node)
        self.variables.update(variables)

    def replace(self, node: Node, variables: Mapping[str, None] | None = None) -> None:
        """Put something that was made of all so far in its place."""
        self._joined = [node]
        self.variables.update(variables or {})

    def node(self) -> Node:
        return _joined(self._joined)


def _joined(nodes: list[Node]) -> Node:
    """Join patterns; those that are empty have the one solution that changes nothing."""
    full = [node for node in nodes if not isinstance(node, Bgp) or node.patterns]
    return balanced(Join, full) if full else Bgp()


def as_triple(pattern: TriplePattern) -> Triple:
    """Return a pattern that has no path as a triple of a template."""
    assert isinstance(pattern.predicate, Var | str)
    return pattern.subject, pattern.predicate, pattern.object


def _variables(patterns: list[TriplePattern]) -> dict[str, None]:
    return {
        term.name: None
        for pattern in patterns
        for term in (pattern.subject, pattern.predicate, pattern.object)
        if isinstance(term, Var) and is_visible(term.name)
    }


def _named(term: Term) -> dict[str, None]:
    return {term.name: None} if isinstance(term, Var) else {}
