"""The equalities that a replay has reached: classes, and the links that made them.

A link is a proved equality. Links carry the round in which they were proved, so that a chain can be asked for as of a
round: it then rests on nothing that came later, and no equality is ever justified by itself. This is the proof forest
of congruence closure (Nieuwenhuis, Oliveras: Proof-Producing Congruence Closure, 2005, section 3).

Deviation: all links are kept, not one for each union, and a chain is the shortest path instead of the only one.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, Protocol, TypeVar


class Dated(Protocol):
    """Something that was proved in a round."""

    @property
    def round(self) -> int: ...


L = TypeVar("L", bound=Dated)


class EqualityForest(Generic[L]):
    """Classes of terms, each term labelled by one of its class."""

    def __init__(self) -> None:
        self._label: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}
        self._links: dict[int, list[tuple[int, L]]] = {}

    def label(self, term: int) -> int:
        """Return what all terms that are equal by now have in common."""
        return self._label.get(term, term)

    def are_equal(self, left: int, right: int) -> bool:
        return self.label(left) == self.label(right)

    def members(self, term: int) -> list[int]:
        """Return the terms that are equal to a term by now, itself included."""
        return self._members.get(self.label(term), [term])

    def link(self, left: int, right: int, link: L) -> bool:
        """Add an equality; tell whether it makes two classes one. The smaller class takes the label of the larger."""
        self._links.setdefault(left, []).append((right, link))
        self._links.setdefault(right, []).append((left, link))
        kept, gone = self.label(left), self.label(right)
        if kept == gone:
            return False
        if len(self.members(kept)) < len(self.members(gone)):
            kept, gone = gone, kept
        moved = self._members.pop(gone, [gone])
        self._members.setdefault(kept, [kept]).extend(moved)
        self._label.update(dict.fromkeys(moved, kept))
        return True

    def chain(self, left: int, right: int, latest: int) -> list[L]:
        """Return the fewest links that lead from one term to another, none of a round after ``latest``."""
        came: dict[int, tuple[int, L] | None] = {left: None}
        queue = deque([left])
        while right not in came:
            here = queue.popleft()
            for there, link in self._links.get(here, ()):
                if there not in came and link.round <= latest:
                    came[there] = (here, link)
                    queue.append(there)
        path: list[L] = []
        last = came[right]
        while last is not None:
            path.append(last[1])
            last = came[last[0]]
        return path[::-1]


class PendingUnions:
    """The equalities of a round that is under way, over the labels of the round before."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, label: int) -> int:
        parent = self._parent
        while label in parent:
            above = parent[label]
            if above in parent:
                parent[label] = parent[above]
            label = above
        return label

    def unite(self, left: int, right: int) -> bool:
        """Make two labels one; tell whether they were two."""
        left, right = self.find(left), self.find(right)
        if left != right:
            self._parent[right] = left
        return left != right
