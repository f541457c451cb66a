"""The errors of the reasoner; every one is a ``ReasonerError`` and names the remedy."""

from __future__ import annotations

from loaders.errors import ParseError, ReasonerError

__all__ = ["ParseError", "QueryTooLargeError", "ReasonerError", "UnsafeRuleError", "UnstratifiableError"]


class UnsafeRuleError(ReasonerError):
    """A rule with a variable that no positive body atom binds."""

    def __init__(self, rule: str, unbound: frozenset[str]) -> None:
        self.rule = rule
        self.unbound = unbound
        names = ", ".join("?" + name for name in sorted(unbound))
        super().__init__(f"rule {rule} is unsafe: {names} must occur in a positive body atom")


class UnstratifiableError(ReasonerError):
    """A program in which a relation depends on its own negation."""

    def __init__(self, cycle: tuple[str, ...]) -> None:
        self.cycle = cycle
        super().__init__("the rules cannot be stratified, negation occurs in the cycle " + " <- ".join(cycle))


class QueryTooLargeError(ReasonerError):
    """A query with more intermediate rows than allowed."""

    def __init__(self, rows: float, most: int) -> None:
        super().__init__(
            f"a step of the query gives {rows:,.0f} rows, more than the {most:,} allowed; "
            "join its parts by a shared variable, narrow it, or raise most_rows"
        )
