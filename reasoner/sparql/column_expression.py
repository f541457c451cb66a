"""Expressions over columns of ids: vectorised where ids tell enough, else once for each distinct value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reasoner.columnar.bindings import UNBOUND, Bindings, Solutions, row_keys
from reasoner.columnar.kernels import Ids, Mask
from reasoner.sparql.algebra import Call, Constant, Expression, Var, is_volatile, mentioned, parts
from reasoner.sparql.budget import Budget
from reasoner.sparql.comparison import effective_truth
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.evaluate_expression import QueryMoment, compiled
from reasoner.sparql.order import numbers_of, ranks
from reasoner.sparql.regex_column import ARGUMENTS, characters, matched
from reasoner.sparql.strings import string_parts
from reasoner.sparql.terms import QueryTerms

# Three-valued truth: 1 and 0, and -1 for an error.
Truth = NDArray[np.int8]
_ERROR = -1

_COMPARISONS = {"=": np.equal, "<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal}

VECTORISED = "vectorised"
BY_VALUE = "once for each distinct value"
BY_ROW = "row by row"

_PIECE = 1 << 14

# The column that numbers solutions for functions that give each solution a value of its own.
SOLUTION = ".solution"
_MATCH = ".match"


class ColumnExpressions:
    """Evaluates expressions over solutions in which nothing that the expression mentions is folded."""

    def __init__(self, terms: QueryTerms, budget: Budget) -> None:
        self._terms = terms
        self._budget = budget
        self._moment = QueryMoment(budget)
        # How the expressions since the last look were evaluated, for the plan that users see.
        self.ways: set[str] = set()

    def holds(self, condition: Expression, solutions: Solutions) -> Mask:
        """Tell for which rows a condition is true; an error is not."""
        holds: Mask = self._truth(condition, solutions) == 1
        return holds

    def values(self, expression: Expression, solutions: Solutions) -> Ids:
        """Return the value of an expression in each row, unbound where it has none."""
        if isinstance(expression, Var):
            self.ways.add(VECTORISED)
            return _column(expression.name, solutions)
        if isinstance(expression, Constant):
            self.ways.add(VECTORISED)
            return np.full(solutions.size, self._terms.id_of(expression.text), dtype=np.int64)
        return self._by_value(expression, solutions)

    def _truth(self, condition: Expression, solutions: Solutions) -> Truth:
        if isinstance(condition, Call):
            match condition.name, condition.arguments:
                case "&&", (left, right):
                    return _both(self._truth(left, solutions), self._truth(right, solutions))
                case "||", (left, right):
                    return _either(self._truth(left, solutions), self._truth(right, solutions))
                case "!", (inner,):
                    return _negated(self._truth(inner, solutions))
                case "BOUND", (Var(name),):
                    self.ways.add(VECTORISED)
                    return (self.values(Var(name), solutions) >= 0).astype(np.int8)
                case (("=" | "!=" | "SAMETERM"), (_, _)):
                    return self._equality(condition, solutions)
                case (("<" | ">" | "<=" | ">="), (_, _)):
                    return self._order(condition, solutions)
                case (("ISIRI" | "ISBLANK" | "ISLITERAL"), (Var(name),)):
                    return self._kind(condition.name, self.values(Var(name), solutions))
        ids = self._by_value(condition, solutions)
        return self._effective(ids)

    def _kind(self, name: str, ids: Ids) -> Truth:
        if name != "ISLITERAL":
            return self._of_distinct(ids, lambda text: text.startswith("<" if name == "ISIRI" else "_:"))
        self.ways.add(VECTORISED)
        found = self._terms.is_literal(ids).astype(np.int8)
        found[ids < 0] = _ERROR
        return found

    def _effective(self, ids: Ids) -> Truth:
        return self._of_distinct(ids, effective_truth)

    def _of_distinct(self, ids: Ids, test: Callable[[str], bool]) -> Truth:
        distinct, inverse = np.unique(ids, return_inverse=True)
        truth = np.full(distinct.size, _ERROR, dtype=np.int8)
        for place, text in self._budget.counted(self._terms.decode(distinct)):
            if text is not None:
                try:
                    truth[place] = test(text)
                except ExpressionError:
                    continue
        result: Truth = truth[inverse]
        return result

    def _equality(self, condition: Call, solutions: Solutions) -> Truth:
        """Compare ids; only different literals, which may have one value all the same, are looked at."""
        left, right = (self.values(argument, solutions) for argument in condition.arguments)
        truth = (left == right).astype(np.int8)
        if condition.name != "SAMETERM":
            # A literal need not even equal itself: NaN does not.
            literal = self._terms.is_literal(left) & self._terms.is_literal(right)
            open_rows = np.flatnonzero(literal & (left >= 0) & (right >= 0))
            truth[open_rows] = self._compared("=", left[open_rows], right[open_rows])
        truth[(left < 0) | (right < 0)] = _ERROR
        return _negated(truth) if condition.name == "!=" else truth

    def _order(self, condition: Call, solutions: Solutions) -> Truth:
        left, right = (self.values(argument, solutions) for argument in condition.arguments)
        truth = np.full(solutions.size, _ERROR, dtype=np.int8)
        open_rows = np.flatnonzero(self._terms.is_literal(left) & self._terms.is_literal(right))
        truth[open_rows] = self._compared(condition.name, left[open_rows], right[open_rows])
        return truth

    def _compared(self, operator: str, left: Ids, right: Ids) -> Truth:
        """Compare literals: plain numbers and plain strings all at once, and only the rest by value."""
        if left.size == 0:
            return np.empty(0, dtype=np.int8)
        distinct, inverse = np.unique(np.concatenate((left, right)), return_inverse=True)
        found = numbers_of(distinct, self._terms)
        first, second = inverse[: left.size], inverse[left.size :]
        truth: Truth = _COMPARISONS[operator](found.values[first], found.values[second]).astype(np.int8)
        strings = found.string[first] & found.string[second]
        if strings.any():
            rank = np.zeros(distinct.size, dtype=np.int64)
            rank[found.string] = ranks(distinct[found.string], self._terms)
            truth[strings] = _COMPARISONS[operator](rank[first[strings]], rank[second[strings]])
        rest = np.flatnonzero(~(strings | (found.read[first] & found.read[second])))
        if rest.size < left.size:
            self.ways.add(VECTORISED)
        if rest.size:
            part = Bindings({"left": left[rest], "right": right[rest]}, rest.size)
            truth[rest] = self._effective(self._by_value(Call(operator, (Var("left"), Var("right"))), part))
        return truth

    def _by_value(self, expression: Expression, solutions: Solutions) -> Ids:
        if solutions.size == 0:
            return np.empty(0, dtype=np.int64)
        expression, solutions = self._with_matches(expression, solutions)
        if isinstance(expression, Var):
            self.ways.add(BY_VALUE)
            return _column(expression.name, solutions)
        names = sorted(mentioned(expression) & solutions.columns.keys())
        columns = [solutions.columns[name] for name in names]
        if is_volatile(expression):
            self.ways.add(BY_ROW)
            numbers = solutions.columns.get(SOLUTION)
            return self._evaluated(expression, names, columns, solutions.size, numbers)
        if not columns:
            self.ways.add(VECTORISED)
            return np.repeat(self._evaluated(expression, names, columns, 1), solutions.size)
        self.ways.add(BY_VALUE)
        _, first, inverse = np.unique(row_keys(columns), return_index=True, return_inverse=True)
        values = self._evaluated(expression, names, [column[first] for column in columns], first.size)
        return values[inverse]

    def _with_matches(self, expression: Expression, solutions: Solutions) -> tuple[Expression, Solutions]:
        """Replace REGEX and REPLACE by columns that hold their values; an error is unbound, which is one again."""
        if not any(isinstance(part, Call) and part.name in ARGUMENTS for part in parts(expression)):
            return expression, solutions
        assert isinstance(expression, Call)
        arguments = []
        for argument in expression.arguments:
            argument, solutions = self._with_matches(argument, solutions)
            arguments.append(argument)
        least, most = ARGUMENTS.get(expression.name, (1, 0))
        if not least <= len(arguments) <= most:
            return Call(expression.name, tuple(arguments)), solutions
        read = string_parts
        if isinstance(arguments[0], Call) and arguments[0].name == "STR":
            read, arguments[0] = characters, arguments[0].arguments[0]
        # Constants among the arguments are no way of evaluating it.
        ways = set(self.ways)
        columns = [self.values(argument, solutions) for argument in arguments]
        self.ways -= {VECTORISED} - ways
        name = f"{_MATCH}{len(solutions.columns)}"
        found = matched(expression.name, columns, self._terms, self._budget, read)
        return Var(name), solutions.with_columns({name: found})

    def _evaluated(
        self, expression: Expression, names: list[str], columns: list[Ids], size: int, numbers: Ids | None = None
    ) -> Ids:
        evaluate = compiled(expression, {name: place for place, name in enumerate(names)}, self._moment)
        pieces: list[Ids] = []
        # In pieces: the texts of millions of rows would take memory, and time during which nobody looks at the clock.
        for start in range(0, size, _PIECE):
            end = min(start + _PIECE, size)
            texts = [self._terms.decode(column[start:end]) for column in columns]
            rows = list(zip(*texts, strict=True)) if columns else [()] * (end - start)
            found: list[str | None] = [None] * (end - start)
            for place, row in self._budget.counted(rows):
                if numbers is not None:
                    self._moment.row = int(numbers[start + place])
                try:
                    found[place] = evaluate(row)
                except ExpressionError:
                    continue
            pieces.append(self._terms.encode(found))
        return np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int64)

    def blank(self) -> str:
        """Return a blank node that occurs nowhere else."""
        return self._moment.blank()


def _column(name: str, solutions: Solutions) -> Ids:
    """Return the column of a variable, which is unbound in all rows if no pattern mentions it."""
    column = solutions.columns.get(name)
    return np.full(solutions.size, UNBOUND, dtype=np.int64) if column is None else column


def _negated(truth: Truth) -> Truth:
    return np.where(truth == _ERROR, _ERROR, 1 - truth).astype(np.int8)


def _both(left: Truth, right: Truth) -> Truth:
    error = (left == _ERROR) | (right == _ERROR)
    result = np.where((left == 0) | (right == 0), 0, np.where(error, _ERROR, 1))
    return result.astype(np.int8)


def _either(left: Truth, right: Truth) -> Truth:
    error = (left == _ERROR) | (right == _ERROR)
    result = np.where((left == 1) | (right == 1), 1, np.where(error, _ERROR, 0))
    return result.astype(np.int8)
