"""Expressions of rdflib's parse tree to our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reasoner.sparql.algebra import Node
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.expression import Aggregate, Call, Constant, Exists, Expression, Var
from reasoner.sparql.names import Names

_CHAINS = {"ConditionalOrExpression": "||", "ConditionalAndExpression": "&&"}
_UNARY = {"UnaryNot": "!", "UnaryMinus": "unary -", "UnaryPlus": "unary +"}
_ARGUMENTS = ("arg", "arg1", "arg2", "arg3", "text", "start", "length", "pattern", "replacement", "flags")
_SYNONYMS = {"URI": "IRI", "ISURI": "ISIRI"}


class ExpressionTranslator:
    """Translates expressions; ``group`` translates the patterns of EXISTS."""

    def __init__(self, names: Names, group: Callable[[Any], Node]) -> None:
        self._names = names
        self._group = group
        # The aggregates met since somebody began to collect them; None where none may occur.
        self.aggregates: dict[Aggregate, str] | None = None

    def __call__(self, tree: Any) -> Expression:
        """Translate an expression; an aggregate becomes the variable that will hold it."""
        from rdflib.plugins.sparql.parserutils import CompValue
        from rdflib.term import BNode, Identifier, Variable

        if isinstance(tree, Variable):
            return Var(str(tree))
        if isinstance(tree, Identifier) and not isinstance(tree, BNode):
            return Constant(self._names.text_of(tree))
        if not isinstance(tree, CompValue):
            return self(tree[0])
        name = tree.name
        if name in ("pname", "literal"):
            return Constant(self._names.text_of(tree))
        if name in _CHAINS:
            return _balanced(_CHAINS[name], [self(part) for part in (tree.expr, *(tree.other or ()))])
        if name in ("AdditiveExpression", "MultiplicativeExpression"):
            return self._chained(tree, tree.op or ())
        if name == "RelationalExpression":
            return self._relation(tree)
        if name in _UNARY:
            return Call(_UNARY[name], (self(tree.expr),))
        if name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            return Exists(self._group(tree.graph), name == "Builtin_NOTEXISTS")
        if name.startswith("Aggregate_"):
            return self._aggregate(tree)
        if name == "Function":
            return self._function(tree)
        return self._builtin(tree)

    def _chained(self, tree: Any, operators: Any) -> Expression:
        result = self(tree.expr)
        for operator, other in zip(operators, tree.other or (), strict=True):
            result = Call(str(operator), (result, self(other)))
        return result

    def _relation(self, tree: Any) -> Expression:
        left = self(tree.expr)
        if tree.op is None:
            return left
        operator = " ".join(str(tree.op).upper().split())
        if operator not in ("IN", "NOT IN"):
            return Call(operator, (left, self(tree.other)))
        found = Call("IN", (left, *self._listed(tree.other)))
        return Call("!", (found,)) if operator == "NOT IN" else found

    def _listed(self, tree: Any) -> tuple[Expression, ...]:
        """Translate an expression list; the grammar gives rdf:nil for an empty one, and a single item bare."""
        from rdflib.namespace import RDF
        from rdflib.plugins.sparql.parserutils import CompValue
        from rdflib.term import Identifier

        if isinstance(tree, Identifier) and tree == RDF.nil:
            return ()
        return (self(tree),) if isinstance(tree, CompValue | Identifier) else tuple(map(self, tree))

    def _builtin(self, tree: Any) -> Expression:
        name = tree.name.removeprefix("Builtin_").upper()
        name = _SYNONYMS.get(name, name)
        if name in ("CONCAT", "COALESCE"):
            return Call(name, self._listed(tree.arg))
        given = [dict.__getitem__(tree, key) for key in _ARGUMENTS if key in tree]
        arguments = tuple(map(self, given))
        if name == "IRI":
            return Call(name, (*arguments, Constant(f"<{self._names.base}>")))
        return Call(name, arguments)

    def _function(self, tree: Any) -> Expression:
        return Call(self._names.text_of(tree.iri), tuple(map(self, tree.expr or ())))

    def _aggregate(self, tree: Any) -> Expression:
        if self.aggregates is None:
            place = self._names.text.upper().find(tree.name.removeprefix("Aggregate_").upper()[:5])
            raise QuerySyntaxError("an aggregate cannot stand here", self._names.text, max(0, place))
        collected, self.aggregates = self.aggregates, None
        try:
            argument = None if isinstance(tree.vars, str) and str(tree.vars) == "*" else self(tree.vars)
        finally:
            self.aggregates = collected
        separator = " " if tree.separator is None else str(tree.separator)
        found = Aggregate(tree.name.removeprefix("Aggregate_").upper(), argument, bool(tree.distinct), separator)
        return Var(collected.setdefault(found, f".aggregate{len(collected)}"))


def _balanced(operator: str, parts: list[Expression]) -> Expression:
    """Combine parts by an operator for which brackets make no difference, in a tree as flat as can be."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Call(operator, (_balanced(operator, parts[:middle]), _balanced(operator, parts[middle:])))
