"""Expressions over one row of terms: the slow path that is right for every expression."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from uuid import uuid4

from reasoner.literals.text import literal_text
from reasoner.rules.term import XSD
from reasoner.sparql.budget import Budget
from reasoner.sparql.comparison import TRUE, boolean, effective_truth, equals
from reasoner.sparql.errors import ExpressionError, UnsupportedQueryError
from reasoner.sparql.expression import Call, Constant, Expression, Var
from reasoner.sparql.functions import BUILTINS
from reasoner.sparql.numbers import digits_of
from reasoner.sparql.strings import simple

Row = Sequence[str | None]
Evaluated = Callable[[Row], str]

# Functions whose value can be longer than their argument, and those that calculate.
_LENGTHENING = frozenset({"ENCODE_FOR_URI", "UCASE", "LCASE", "REPLACE"})
_CALCULATING = frozenset("+-*/")


class Moment:
    """What is the same throughout one query: its time, its blank nodes, and its limits."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._began = time.time()
        self.row = 0
        self._made = 0
        self._labelled: dict[tuple[int, str], str] = {}

    @cached_property
    def now(self) -> str:
        """The time of the query, which NOW gives wherever it stands."""
        began = datetime.fromtimestamp(self._began, UTC)
        return literal_text(began.isoformat(timespec="milliseconds"), XSD + "dateTime")

    @cached_property
    def _scope(self) -> str:
        return f"q{uuid4().hex[:12]}"

    def blank(self, label: str | None = None) -> str:
        """Return a new blank node, or the one of this solution for a label."""
        if label is not None and (known := self._labelled.get((self.row, label))) is not None:
            return known
        self._made += 1
        made = f"_:{self._scope}b{self._made}"
        if label is not None:
            self._labelled[self.row, label] = made
        return made


def compiled(expression: Expression, places: Mapping[str, int], moment: Moment) -> Evaluated:
    """Return a function from a row of terms, None where unbound, to the value; it raises ``ExpressionError``."""
    if isinstance(expression, Constant):
        text = expression.text
        return lambda row: text
    if isinstance(expression, Var):
        return _variable(expression.name, places)
    assert isinstance(expression, Call), "an EXISTS is replaced by a variable before"
    arguments = [compiled(argument, places, moment) for argument in expression.arguments]
    match expression.name:
        case "||":
            return _either(*arguments)
        case "&&":
            return _both(*arguments)
        case "!":
            inner = arguments[0]
            return lambda row: boolean(not effective_truth(inner(row)))
        case "BOUND":
            bound = expression.arguments[0]
            assert isinstance(bound, Var)
            place = places.get(bound.name)
            return lambda row: boolean(place is not None and row[place] is not None)
        case "IF":
            condition, then, otherwise = arguments
            return lambda row: then(row) if effective_truth(condition(row)) else otherwise(row)
        case "COALESCE":
            return _first_without_error(arguments)
        case "IN":
            return _listed(arguments[0], arguments[1:])
        case "NOW":
            return lambda row: moment.now
        case "BNODE":
            if not arguments:
                return lambda row: moment.blank()
            label = arguments[0]
            return lambda row: moment.blank(simple(label(row)))
        case operators if operators[0] in "+-*/" and len(operators) > 1:
            return _chained(operators, arguments, moment.budget)
    return _called(expression.name, arguments, moment.budget)


def _variable(name: str, places: Mapping[str, int]) -> Evaluated:
    place = places.get(name)

    def evaluate(row: Row) -> str:
        value = None if place is None else row[place]
        if value is None:
            raise ExpressionError(f"?{name} is not bound")
        return value

    return evaluate


def _called(name: str, arguments: list[Evaluated], budget: Budget) -> Evaluated:
    builtin = BUILTINS.get(name)
    if builtin is None:
        raise UnsupportedQueryError(
            f"unknown function {name}; of functions with IRIs there are the casts of XML Schema"
        )
    apply = builtin.apply
    if not builtin.least <= len(arguments) <= (len(arguments) if builtin.most is None else builtin.most):

        def refuse(row: Row) -> str:
            raise ExpressionError(f"{name} takes another number of arguments")

        return refuse
    if name == "CONCAT":
        return _joined(apply, arguments, budget)
    if name in _LENGTHENING:
        return _lengthened(name, apply, arguments, budget)
    if name in _CALCULATING:
        return _calculated(name, apply, arguments, budget)
    if len(arguments) == 1:
        only = arguments[0]
        return lambda row: apply(only(row))
    if len(arguments) == 2:
        first, second = arguments
        return lambda row: apply(first(row), second(row))
    return lambda row: apply(*(argument(row) for argument in arguments))


def _chained(operators: str, arguments: list[Evaluated], budget: Budget) -> Evaluated:
    """Return a sum or a product of many parts, worked out from the left."""
    pair: list[Evaluated] = [lambda pair: pair[0] or "", lambda pair: pair[1] or ""]
    steps = [_called(operator, pair, budget) for operator in operators]

    def evaluate(row: Row) -> str:
        value = arguments[0](row)
        for step, argument in zip(steps, arguments[1:], strict=True):
            value = step((value, argument(row)))
        return value

    return evaluate


def _joined(apply: Callable[..., str], arguments: list[Evaluated], budget: Budget) -> Evaluated:
    """Return CONCAT, which looks at its arguments one by one: all of them together may be more than memory holds."""

    def evaluate(row: Row) -> str:
        texts: list[str] = []
        total = 0
        for argument in arguments:
            texts.append(argument(row))
            total += len(texts[-1])
            budget.allow_characters(total, "CONCAT")
        return apply(*texts)

    return evaluate


def _lengthened(name: str, apply: Callable[..., str], arguments: list[Evaluated], budget: Budget) -> Evaluated:
    def evaluate(row: Row) -> str:
        text = apply(*(argument(row) for argument in arguments))
        budget.allow_characters(len(text), name)
        return text

    return evaluate


def _calculated(name: str, apply: Callable[..., str], arguments: list[Evaluated], budget: Budget) -> Evaluated:
    """Return an operator on numbers of so many digits that it takes no time worth speaking of."""
    left, right = arguments

    def evaluate(row: Row) -> str:
        first, second = left(row), right(row)
        for text in (first, second):
            budget.allow_digits(digits_of(text), f"an argument of {name}")
        found = apply(first, second)
        budget.allow_digits(digits_of(found), name)
        return found

    return evaluate


def _truth(evaluate: Evaluated, row: Row) -> bool | None:
    try:
        return effective_truth(evaluate(row))
    except ExpressionError:
        return None


def _either(left: Evaluated, right: Evaluated) -> Evaluated:
    """Return ``||``: true if one side is, whatever error the other has."""

    def evaluate(row: Row) -> str:
        first = _truth(left, row)
        if first:
            return TRUE
        second = _truth(right, row)
        if second:
            return TRUE
        if first is None or second is None:
            raise ExpressionError("neither side is true, and one is an error")
        return boolean(False)

    return evaluate


def _both(left: Evaluated, right: Evaluated) -> Evaluated:
    """Return ``&&``: false if one side is, whatever error the other has."""

    def evaluate(row: Row) -> str:
        first = _truth(left, row)
        if first is False:
            return boolean(False)
        second = _truth(right, row)
        if second is False:
            return boolean(False)
        if first is None or second is None:
            raise ExpressionError("neither side is false, and one is an error")
        return TRUE

    return evaluate


def _first_without_error(arguments: list[Evaluated]) -> Evaluated:
    def evaluate(row: Row) -> str:
        for argument in arguments:
            try:
                return argument(row)
            except ExpressionError:
                continue
        raise ExpressionError("no argument of COALESCE has a value")

    return evaluate


def _listed(wanted: Evaluated, members: list[Evaluated]) -> Evaluated:
    """Return ``IN``: true if the value equals a member, an error if it may and an error hides it."""

    def evaluate(row: Row) -> str:
        value = wanted(row)
        failed = False
        for member in members:
            try:
                if equals(value, member(row)):
                    return TRUE
            except ExpressionError:
                failed = True
        if failed:
            raise ExpressionError("a member of the list cannot be compared")
        return boolean(False)

    return evaluate
