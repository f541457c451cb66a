"""Terms, triples and property paths (19.8, [75]-[113]): what patterns, templates and data have in common.

Deviation: the grammar has productions for triples with and without paths; here ``paths`` tells which are meant.

Expressions (19.8, [107]-[128]): operators by their precedence, builtins, functions, aggregates, EXISTS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loaders.terms import literal_text
from reasoner.sparql.algebra import (
    Aggregate,
    Alternative,
    Call,
    Constant,
    Exists,
    Expression,
    Inverse,
    Link,
    NegatedSet,
    Node,
    Path,
    PathSequence,
    RepeatedPath,
    Term,
    TriplePattern,
    Var,
    balanced,
)
from reasoner.sparql.tokens import KEYWORDS, Names, Tokens
from reasoner.terms.term import RDF, RDF_TYPE, XSD

_FIRST, _REST, _NIL = (f"<{RDF}{name}>" for name in ("first", "rest", "nil"))
_LITERALS = frozenset({"string", "number", "TRUE", "FALSE"})
_CONSTANTS = _LITERALS | {"iri", "name"}
_TERMS = _CONSTANTS | {"variable", "blank"}
_NODES = frozenset("[(")

# What a triple can begin with.
TRIPLE_BEGINS = _TERMS | _NODES


class TripleTranslator:
    """Reads terms and triples.

    ``places`` tells where each variable and blank node was met first since somebody gave it another dictionary. A blank
    node is a variable whose name begins with ``_:``, and with ``_:.`` if it has no label.
    """

    def __init__(self, tokens: Tokens, names: Names) -> None:
        self._tokens = tokens
        self._names = names
        self._anonymous = 0
        self.places: dict[str, int] = {}

    def variable(self) -> str:
        """Read a variable; return its name."""
        place = self._tokens.place
        name = self._tokens.expect("variable")[1:]
        self.places.setdefault(name, place)
        return name

    def variable_or_iri(self) -> Term:
        """Read a variable or an IRI."""
        if self._tokens.kind == "variable":
            return Var(self.variable())
        if self._tokens.kind not in ("iri", "name"):
            raise self._tokens.unexpected("variable", "iri")
        return self._names.iri()

    def constant(self) -> str:
        """Read an IRI or a literal; return its canonical text."""
        if self._tokens.kind in _LITERALS:
            return self._literal()
        if self._tokens.kind not in _CONSTANTS:
            raise self._tokens.unexpected("iri", "a literal")
        return self._names.iri()

    def number(self, written: str) -> str:
        """Return the literal of a number, which keeps the lexical form that it is written with."""
        kind = "double" if "e" in written or "E" in written else "decimal" if "." in written else "integer"
        return f'"{written}"^^<{XSD}{kind}>'

    def _literal(self) -> str:
        tokens = self._tokens
        if tokens.kind == "number":
            text = self.number(tokens.value)
            tokens.advance()
            return text
        if tokens.kind != "string":
            text = f'"{tokens.kind.lower()}"^^<{XSD}boolean>'
            tokens.advance()
            return text
        lexical = tokens.text_of_string()
        if tokens.kind == "language":
            language = tokens.value[1:]
            tokens.advance()
            return literal_text(lexical, language)
        if not tokens.take("^^"):
            return literal_text(lexical)
        return literal_text(lexical, datatype=self._names.iri()[1:-1])

    def triples(self, found: list[TriplePattern], *, paths: bool) -> None:
        """Read the triples of one subject, and add them to those that were found before."""
        tokens = self._tokens
        before = len(found)
        if tokens.kind in _NODES:
            subject = self._node(found, paths)
            # A blank node with properties, and a list with members, say enough by themselves.
            if len(found) > before and not self._verb_follows(paths):
                return
        else:
            subject = self._term()
        self._properties(subject, found, paths)

    def _verb_follows(self, paths: bool) -> bool:
        kind = self._tokens.kind
        return kind in ("variable", "iri", "name", "a") or (paths and kind in ("^", "!", "("))

    def _properties(self, subject: Term, found: list[TriplePattern], paths: bool) -> None:
        tokens = self._tokens
        self._objects(subject, self._verb(paths), found, paths)
        while tokens.take(";"):
            # Semicolons may follow one another, and the last property.
            if self._verb_follows(paths):
                self._objects(subject, self._verb(paths), found, paths)

    def _objects(self, subject: Term, verb: Term | Path, found: list[TriplePattern], paths: bool) -> None:
        self._object(subject, verb, found, paths)
        while self._tokens.take(","):
            self._object(subject, verb, found, paths)

    def _object(self, subject: Term, verb: Term | Path, found: list[TriplePattern], paths: bool) -> None:
        if self._tokens.kind in _NODES:
            # The triple comes before those of the node that is its object.
            place = len(found)
            node = self._node(found, paths)
            found.insert(place, TriplePattern(subject, verb, node))
        else:
            found.append(TriplePattern(subject, verb, self._term()))

    def _term(self) -> Term:
        tokens = self._tokens
        kind = tokens.kind
        if kind == "variable":
            return Var(self.variable())
        if kind == "blank":
            name = tokens.value
            self.places.setdefault(name, tokens.place)
            tokens.advance()
            return Var(name)
        if kind not in _CONSTANTS:
            raise tokens.unexpected("variable", "iri", "a literal", "a blank node")
        return self._names.iri() if kind in ("iri", "name") else self._literal()

    def _node(self, found: list[TriplePattern], paths: bool) -> Term:
        """Read a blank node in brackets or a list, and add the triples that say what it is."""
        tokens = self._tokens
        place = tokens.place
        if tokens.kind == "(":
            return self._list(found, paths)
        node = self._blank(place)
        tokens.open("[")
        if tokens.kind != "]":
            self._properties(node, found, paths)
        tokens.close("]")
        return node

    def _list(self, found: list[TriplePattern], paths: bool) -> Term:
        tokens = self._tokens
        place = tokens.place
        tokens.open("(")
        first: Term = _NIL
        last: Term | None = None
        while tokens.kind != ")":
            cell = self._blank(place)
            if last is None:
                first = cell
            else:
                found.append(TriplePattern(last, _REST, cell))
            self._object(cell, _FIRST, found, paths)
            last = cell
        if last is not None:
            found.append(TriplePattern(last, _REST, _NIL))
        tokens.close(")")
        return first

    def _blank(self, place: int) -> Var:
        self._anonymous += 1
        name = f"_:.{self._anonymous}"
        self.places[name] = place
        return Var(name)

    def _verb(self, paths: bool) -> Term | Path:
        tokens = self._tokens
        if tokens.kind == "variable":
            return Var(self.variable())
        if not paths:
            return RDF_TYPE if tokens.take("a") else self.variable_or_iri()
        path = self._path()
        return path.predicate if isinstance(path, Link) else path

    def _path(self) -> Path:
        alternatives = [self._sequence()]
        while self._tokens.take("|"):
            alternatives.append(self._sequence())
        return balanced(Alternative, alternatives)

    def _sequence(self) -> Path:
        steps = [self._step()]
        while self._tokens.take("/"):
            steps.append(self._step())
        return balanced(PathSequence, steps)

    def _step(self) -> Path:
        return Inverse(self._repeated()) if self._tokens.take("^") else self._repeated()

    def _repeated(self) -> Path:
        tokens = self._tokens
        path: Path
        if tokens.kind == "(":
            tokens.open("(")
            path = self._path()
            tokens.close(")")
        elif tokens.take("!"):
            path = self._negated()
        else:
            path = Link(self._predicate())
        if tokens.take("?"):
            return RepeatedPath(path, zero=True, many=False)
        if tokens.take("*"):
            return RepeatedPath(path, zero=True, many=True)
        return RepeatedPath(path, zero=False, many=True) if tokens.take("+") else path

    def _predicate(self) -> str:
        if self._tokens.take("a"):
            return RDF_TYPE
        if self._tokens.kind not in ("iri", "name"):
            raise self._tokens.unexpected("a property or a path")
        return self._names.iri()

    def _negated(self) -> Path:
        tokens = self._tokens
        forward: list[str] = []
        backward: list[str] = []
        if tokens.kind != "(":
            (backward if tokens.take("^") else forward).append(self._predicate())
        else:
            tokens.open("(")
            while tokens.kind != ")":
                (backward if tokens.take("^") else forward).append(self._predicate())
                if not tokens.take("|"):
                    break
                if tokens.kind == ")":
                    raise tokens.unexpected("a property")
            tokens.close(")")
        # An empty set negates nothing and so matches every predicate, forward.
        return NegatedSet(tuple(forward) if forward or not backward else None, tuple(backward) if backward else None)


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
