"""A transaction: explicit facts in and out, applied together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType

from reasoner.delta import Delta
from reasoner.violation import TextTriple

Commit = Callable[[list[TextTriple], list[TextTriple]], Delta]


class Transaction:
    """Collects changes; on leaving its ``with`` block they are committed, unless an error leaves it too.

    What is said later about a triple counts. ``delta`` is there after the commit.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._wanted: dict[TextTriple, bool] = {}
        self._delta: Delta | None = None

    @property
    def delta(self) -> Delta:
        """What the transaction did."""
        if self._delta is None:
            raise RuntimeError("the transaction has not been committed yet")
        return self._delta

    def add(self, triples: Iterable[TextTriple]) -> None:
        """Make triples explicit."""
        self._wanted.update(dict.fromkeys(triples, True))

    def remove(self, triples: Iterable[TextTriple]) -> None:
        """Take triples out of the explicit facts; those that are not among them stay as they are."""
        self._wanted.update(dict.fromkeys(triples, False))

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            added = [triple for triple, comes in self._wanted.items() if comes]
            removed = [triple for triple, comes in self._wanted.items() if not comes]
            self._delta = self._commit(added, removed)
