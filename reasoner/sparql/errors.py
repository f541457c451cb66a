"""What a query can end in besides answers; every message names the thing and the remedy."""

from __future__ import annotations

from reasoner.rules.errors import ParseError, ReasonerError
from reasoner.rules.errors import QueryTooLargeError as QueryTooLargeError


class QuerySyntaxError(ParseError):
    """A text that is no SPARQL query, shown with its line, its column and a caret under the offending place."""

    def __init__(self, message: str, query: str, position: int) -> None:
        before = query[:position]
        line = before.count("\n") + 1
        start = before.rfind("\n") + 1
        end = query.find("\n", position)
        super().__init__(
            message,
            file="<query>",
            line=line,
            column=position - start + 1,
            text=query[start : end if end >= 0 else len(query)].rstrip("\r"),
        )

    def __str__(self) -> str:
        margin = "".join("\t" if character == "\t" else " " for character in self.text[: self.column - 1])
        return f"line {self.line}, column {self.column}: {self.message}\n  {self.text}\n  {margin}^"


class UnsupportedQueryError(ReasonerError):
    """A query that is well-formed and asks for something that this store has not."""


class QueryTimeoutError(ReasonerError):
    """A query that ran into its time limit."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the query was stopped after its time limit of {seconds:g} s; narrow it, add LIMIT, or raise timeout"
        )


class QueryStoppedError(ReasonerError):
    """A query that nobody waits for any more."""

    def __init__(self) -> None:
        super().__init__("the query was stopped before its end; ask it again")


class QueryMemoryError(ReasonerError):
    """A query that would hold more memory than allowed."""

    def __init__(self, needed: float, most: int, rows: float | None = None) -> None:
        step = "the query" if rows is None else f"a step of the query gives {rows:,.0f} rows, with which it"
        super().__init__(
            f"{step} takes {needed / (1 << 20):,.0f} MB, more than the {most / (1 << 20):,.0f} MB allowed; "
            "join its parts by a shared variable, narrow it, add LIMIT, or raise most_memory (--max-memory)"
        )


class PoolExhaustedError(ReasonerError):
    """A query for which others leave no memory."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"the queries under way take the {most / (1 << 20):,.0f} MB that all may take together "
            "(--max-total-memory); try again, or ask for less"
        )


class ValueTooLargeError(ReasonerError):
    """A query that computes a string or a number that is larger than allowed."""

    def __init__(self, what: str, size: int, unit: str, most: int, setting: str) -> None:
        self.setting = setting
        super().__init__(
            f"{what} gives {size:,} {unit}, more than the {most:,} allowed; compute less, or raise {setting} "
            f"(--{setting.replace('most_', 'max-')})"
        )


class ExpressionError(Exception):
    """The type error of SPARQL: it makes a FILTER fail and leaves a BIND unbound, and never leaves the query."""
