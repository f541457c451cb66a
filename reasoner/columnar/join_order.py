"""Joining patterns and relations, the one that gives the fewest rows next: the loop behind rule bodies and queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from reasoner.columnar.bindings import Bindings, V


class Operand(Protocol[V]):
    """What a join may take next: the facts that a pattern matches, or a relation."""

    @property
    def variables(self) -> frozenset[V]:
        """The variables that it binds."""
        ...

    def rows(self, bindings: Bindings[V]) -> float:
        """Estimate the rows of its join with bindings."""
        ...

    def joined(self, bindings: Bindings[V], rest: Sequence[Any]) -> Iterable[Bindings[V]]:
        """Join it with bindings, in one or more pieces, before the rest is joined; no piece if nothing matches."""
        ...


def join_in_order(
    bindings: Bindings[V],
    operands: Sequence[Operand[V]],
    after: Callable[[Bindings[V], Any, Sequence[Any]], Bindings[V]],
    found: Callable[[Bindings[V]], None],
) -> None:
    """Call ``found`` with the join of bindings and operands, in one or more pieces.

        1  if nothing is open, this is it
        2  take the operand that is estimated to give the fewest rows; what shares no variable only if nothing else does
        3  join it, and go on with every piece that has rows

    ``after`` is given every piece, the operand that was joined, and those that are still open; it tries conditions and
    drops columns that nothing reads any more.
    """
    if not operands:  # 1
        found(bindings)
        return
    at = _next(bindings, operands) if len(operands) > 1 else 0  # 2
    chosen, rest = operands[at], [*operands[:at], *operands[at + 1 :]]
    for piece in chosen.joined(bindings, rest):  # 3
        piece = after(piece, chosen, rest)
        if piece.size:
            join_in_order(piece, rest, after, found)


def _next(bindings: Bindings[V], operands: Sequence[Operand[V]]) -> int:
    places: Sequence[int] = range(len(operands))
    if bindings.columns:
        connected = [
            at for at in places if not (known := operands[at].variables) or not known.isdisjoint(bindings.columns)
        ]
        if len(connected) == 1:
            return connected[0]
        places = connected or places
    best, fewest = places[0], float("inf")
    for at in places:
        rows = operands[at].rows(bindings)
        if rows < fewest:
            best, fewest = at, rows
            if not rows:
                break
    return best
