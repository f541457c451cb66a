"""Expressions (19.8, [107]-[128]): operators by their precedence, builtins, functions, aggregates, EXISTS."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reasoner.sparql.algebra import Node, balanced
from reasoner.sparql.expression import Aggregate, Call, Constant, Exists, Expression, Var
from reasoner.sparql.names import Names
from reasoner.sparql.tokens import KEYWORDS, Tokens
from reasoner.sparql.translate_triples import TripleTranslator

# How strongly operators bind. Comparisons do not follow one another; all others are worked out from the left.
_OR, _AND, _COMPARISON, _SUM, _PRODUCT = range(1, 6)
_STRENGTH = {
    "||": _OR,
    "&&": _AND,
    **dict.fromkeys(("=", "!=", "<", ">", "<=", ">=", "IN", "NOT", "NOT IN"), _COMPARISON),
    **dict.fromkeys("+-", _SUM),
    **dict.fromkeys("*/", _PRODUCT),
}
_UNARY = {"!": "!", "-": "unary -", "+": "unary +"}

# The fewest and the most arguments of each builtin; None is any number.
_BUILTINS: dict[str, tuple[int, int | None]] = {
    **dict.fromkeys(("RAND", "NOW", "UUID", "STRUUID"), (0, 0)),
    "BNODE": (0, 1),
    **dict.fromkeys(("STR", "LANG", "DATATYPE", "BOUND", "IRI", "URI", "ABS", "CEIL", "FLOOR", "ROUND"), (1, 1)),
    **dict.fromkeys(("STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI", "TIMEZONE", "TZ"), (1, 1)),
    **dict.fromkeys(("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS"), (1, 1)),
    **dict.fromkeys(("MD5", "SHA1", "SHA256", "SHA384", "SHA512"), (1, 1)),
    **dict.fromkeys(("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"), (1, 1)),
    **dict.fromkeys(("LANGMATCHES", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE", "STRAFTER"), (2, 2)),
    **dict.fromkeys(("STRLANG", "STRDT", "SAMETERM"), (2, 2)),
    **dict.fromkeys(("SUBSTR", "REGEX"), (2, 3)),
    "IF": (3, 3),
    "REPLACE": (3, 4),
    **dict.fromkeys(("CONCAT", "COALESCE"), (0, None)),
}
_LITERALS = frozenset({"string", "number", "TRUE", "FALSE"})
_SYNONYMS = {"URI": "IRI", "ISURI": "ISIRI"}
_AGGREGATES = frozenset({"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"})
_CALLS = frozenset({*_BUILTINS, *_AGGREGATES, "EXISTS", "NOT"})
_KNOWN = frozenset({*KEYWORDS, *_CALLS, "TRUE", "FALSE"})

# What a condition without brackets can begin with: a call.
CONDITION_BEGINS = _CALLS | {"(", "iri", "name"}


class ExpressionTranslator:
    """Reads expressions; ``group`` reads the pattern of an EXISTS."""

    def __init__(self, tokens: Tokens, names: Names, triples: TripleTranslator, group: Callable[[], Node]) -> None:
        self._tokens = tokens
        self._names = names
        self._triples = triples
        self._group = group
        # The aggregates met since somebody began to collect them; None where none may occur.
        self.aggregates: dict[Aggregate, str] | None = None
        # Where each variable that is in no aggregate was met last, while aggregates are collected.
        self.places: dict[str, int] = {}

    def __call__(self) -> Expression:
        """Read an expression; an aggregate becomes the variable that will hold it.

        1  read operands and the operators between them, as long as an operator may follow
        2  combine what the strongest operators connect, then what weaker ones do

        So brackets are the only thing that makes this call itself, and no chain of operators is too long.
        """
        tokens = self._tokens
        operands: list[Expression] = [self._operand()]  # 1
        operators: list[str] = []
        compared = listed = False
        while strength := self._strength():
            if strength <= _AND:
                compared = listed = False
            elif listed or (compared and strength == _COMPARISON):
                # Nothing is calculated with a list of IN, and no comparison compared.
                break
            compared = compared or strength == _COMPARISON
            if tokens.kind == "number":
                # The sign of a number that follows an operand is an operator ([116]).
                operators.append(tokens.value[0])
                operands.append(Constant(self._triples.number(tokens.value[1:])))
                tokens.advance()
            elif tokens.kind in ("IN", "NOT"):
                operators.append("NOT IN" if tokens.take("NOT") else "IN")
                tokens.expect("IN")
                operands.append(Call("IN", self._arguments()))
                listed = True
            else:
                operators.append(tokens.kind)
                tokens.advance()
                operands.append(self._operand())
        return _combined(operands, operators) if operators else operands[0]  # 2

    def condition(self) -> Expression:
        """Read the condition of FILTER, HAVING or ORDER BY: an expression in brackets, or a call."""
        tokens = self._tokens
        if tokens.kind == "(":
            tokens.open("(")
            expression = self()
            tokens.close(")")
            return expression
        if tokens.kind not in CONDITION_BEGINS:
            raise tokens.unexpected("(", "a function", known=_KNOWN)
        called = self._operand()
        if isinstance(called, Constant):
            raise tokens.unexpected("(")
        return called

    def _strength(self) -> int:
        """Tell how strong the operator that follows is; 0 if there is none."""
        tokens = self._tokens
        if tokens.kind == "number":
            return _SUM if tokens.value[0] in "+-" else 0
        return _STRENGTH.get(tokens.kind, 0)

    def _operand(self) -> Expression:
        tokens = self._tokens
        kind, place = tokens.kind, tokens.place
        if kind == "variable":
            name = tokens.expect(kind)[1:]
            if self.aggregates is not None:
                self.places[name] = place
            return Var(name)
        if kind in _LITERALS:
            return Constant(self._triples.constant())
        if kind in ("iri", "name"):
            iri = self._names.iri()
            return Call(iri, self._arguments(distinct=True)) if tokens.kind == "(" else Constant(iri)
        if kind == "(":
            return self.condition()
        if kind in _UNARY:
            tokens.advance()
            if tokens.kind in _UNARY:
                raise tokens.unexpected()
            return Call(_UNARY[kind], (self._operand(),))
        if kind in ("EXISTS", "NOT"):
            negated = tokens.take("NOT")
            tokens.expect("EXISTS")
            collected, self.aggregates = self.aggregates, None
            node = self._group()
            self.aggregates = collected
            return Exists(node, negated)
        if kind in _AGGREGATES:
            return self._aggregate()
        if kind not in _BUILTINS:
            raise tokens.unexpected(known=_KNOWN)
        tokens.advance()
        arguments = self._arguments()
        self._check_builtin(kind, arguments, place)
        kind = _SYNONYMS.get(kind, kind)
        return Call(kind, (*arguments, Constant(f"<{self._names.base}>")) if kind == "IRI" else arguments)

    def _arguments(self, *, distinct: bool = False) -> tuple[Expression, ...]:
        tokens = self._tokens
        tokens.open("(")
        found: list[Expression] = []
        if tokens.kind != ")":
            if distinct:
                # The grammar lets functions with IRIs be aggregates; there are none.
                tokens.take("DISTINCT")
            found.append(self())
            while tokens.take(","):
                found.append(self())
        tokens.close(")")
        return tuple(found)

    def _check_builtin(self, name: str, arguments: Sequence[Expression], place: int) -> None:
        least, most = _BUILTINS[name]
        if not least <= len(arguments) <= (len(arguments) if most is None else most):
            count = str(least) if least == most else f"{least} or {most}"
            plural = "" if most == 1 else "s"
            raise self._tokens.error(f"{name} takes {count} argument{plural}, not {len(arguments)}", place)
        if name == "BOUND" and not isinstance(arguments[0], Var):
            raise self._tokens.error("BOUND takes a variable", place)

    def _aggregate(self) -> Expression:
        tokens = self._tokens
        name, collected = tokens.kind, self.aggregates
        if collected is None:
            raise tokens.error("an aggregate cannot stand here", tokens.place)
        tokens.advance()
        tokens.open("(")
        self.aggregates = None
        distinct = tokens.take("DISTINCT")
        argument = None if name == "COUNT" and tokens.take("*") else self()
        separator = " "
        if name == "GROUP_CONCAT" and tokens.take(";"):
            tokens.expect("SEPARATOR")
            tokens.expect("=")
            separator = tokens.text_of_string()
        self.aggregates = collected
        tokens.close(")")
        found = Aggregate(name, argument, distinct, separator)
        return Var(collected.setdefault(found, f".aggregate{len(collected)}"))


def _combined(operands: list[Expression], operators: list[str]) -> Expression:
    """Combine operands by the operators between them, the strongest first."""
    for strength in sorted({_STRENGTH[operator] for operator in operators}, reverse=True):
        runs: list[tuple[list[str], list[Expression]]] = [([], [operands[0]])]
        weaker: list[str] = []
        for operator, operand in zip(operators, operands[1:], strict=True):
            if _STRENGTH[operator] == strength:
                runs[-1][0].append(operator)
                runs[-1][1].append(operand)
            else:
                weaker.append(operator)
                runs.append(([], [operand]))
        operands = [_applied(strength, *run) if run[0] else run[1][0] for run in runs]
        operators = weaker
    return operands[0]


def _applied(strength: int, operators: list[str], operands: list[Expression]) -> Expression:
    operator = operators[0]
    if strength <= _AND:
        return balanced(lambda left, right: Call(operator, (left, right)), operands)
    if operator not in ("IN", "NOT IN"):
        return Call("".join(operators), tuple(operands))
    left, right = operands
    assert isinstance(right, Call)
    found = Call("IN", (left, *right.arguments))
    return found if operator == "IN" else Call("!", (found,))
