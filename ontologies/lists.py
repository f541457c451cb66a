"""RDF lists: read the members of the lists of a graph, and say what is wrong with those that are not lists."""

from __future__ import annotations

from collections.abc import Iterable

from ontologies.vocabulary import NIL, rdf
from reasoner.errors import ReasonerError

FIRST = rdf("first")
REST = rdf("rest")


class MalformedListError(ReasonerError):
    """A node that is used as a list and is none: a cell lacks a part, has it twice, or leads back to itself."""

    def __init__(self, head: str, reason: str) -> None:
        self.head = head
        self.reason = reason
        super().__init__(f"{head} is not a list: {reason}")


class Lists:
    """The lists of a graph, indexed by their cells.

    >>> lists = Lists([("_:l", FIRST, "<urn:a>"), ("_:l", REST, NIL)])
    >>> lists.members("_:l")
    ('<urn:a>',)
    """

    __slots__ = ("_first", "_rest")

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        self._first: dict[str, set[str]] = {}
        self._rest: dict[str, set[str]] = {}
        for subject, predicate, object in triples:
            if predicate == FIRST:
                self._first.setdefault(subject, set()).add(object)
            elif predicate == REST:
                self._rest.setdefault(subject, set()).add(object)

    def members(self, head: str) -> tuple[str, ...]:
        """Return the members of the list at ``head``, in order; raise ``MalformedListError`` if it is none."""
        members: list[str] = []
        seen: set[str] = set()
        cell = head
        while cell != NIL:
            if cell in seen:
                raise MalformedListError(head, f"it comes back to the cell {cell}")
            seen.add(cell)
            members.append(_only(self._first, "rdf:first", head, cell))
            cell = _only(self._rest, "rdf:rest", head, cell)
        return tuple(members)


def _only(index: dict[str, set[str]], name: str, head: str, cell: str) -> str:
    values = index.get(cell, ())
    if len(values) != 1:
        raise MalformedListError(head, f"the cell {cell} has {len(values) or 'no'} {name}")
    (value,) = values
    return value
