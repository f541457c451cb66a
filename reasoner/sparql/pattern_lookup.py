"""The facts of a closure that match one triple pattern, found by table instead of by reading everything."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from reasoner.columnar.expand import Columns, Expansion
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.sparql.dataset import Graph
from reasoner.terms.term import SAME


class _Ends(NamedTuple):
    """The subject and the object of a pattern, as they are given and as their representatives; None is open."""

    s: int | None
    o: int | None
    subject: int | None
    object: int | None


class PatternLookup:
    """A graph, asked with patterns; it answers what ``Expansion`` would write out, and each fact once.

    A bound subject or object costs a binary search in every table that is asked, and the answers. A literal is met by
    value, and answered as it is written in the facts.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._facts = graph.facts
        self._classes = graph.classes
        self._own = graph.own
        self._literal = graph.dictionary.literal_mask()

    @cached_property
    def size(self) -> int:
        """How many facts there are."""
        return Expansion(self._facts, self._classes, self._graph.dictionary, self._own).count()

    def matches(self, s: int | None, p: int | None, o: int | None) -> Iterator[Columns]:
        """Yield (subjects, predicate, objects) of the facts with the given ids, piece by piece; None is open."""
        # A term that came after this state is in none of its facts.
        if any(id is not None and id >= self._literal.size for id in (s, p, o)):
            return
        if s is not None and self._literal[s]:
            return
        for spelling in [None] if o is None else self._graph.spellings(o).tolist():
            yield from self._matches(s, p, spelling)

    def _matches(self, s: int | None, p: int | None, o: int | None) -> Iterator[Columns]:
        ends = _Ends(s, o, *(None if id is None else self._classes.of_one(id) for id in (s, o)))
        for predicate in self._graph.readable_predicates if p is None else [self._classes.of_one(p)]:
            names = self._graph.names(predicate)
            if p is not None:
                names = [p] if p in names else []
            for subjects, objects in self._pairs(predicate, ends) if names else ():
                for name in names:
                    yield subjects, name, objects
            for name in names:
                if self._own.may_have(name) and (terms := self._own_terms(name, s, o)).size:
                    yield terms, name, terms

    def _own_terms(self, name: int, s: int | None, o: int | None) -> Ids:
        """Return the terms that are triples with themselves, given the ends of a pattern."""
        known = s if s is not None else o
        if known is None:
            return self._own.terms(name)
        terms = _column(known, 1 if o in (None, known) else 0)
        return terms[self._own.among(name, terms)]

    def _pairs(self, predicate: int, ends: _Ends) -> Iterator[tuple[Ids, Ids]]:
        for subjects, objects in self._stored(predicate, ends):
            if self._own.hides(predicate):
                apart = subjects != objects
                subjects, objects = subjects[apart], objects[apart]
            if subjects.size:
                yield subjects, objects
        if predicate == SAME and self._classes:
            yield from self._equal(ends.s, ends.o)

    def _stored(self, predicate: int, ends: _Ends) -> Iterator[tuple[Ids, Ids]]:
        """Yield what the facts of a predicate stand for."""
        table = self._facts.table(predicate)
        match ends:
            case _Ends(None, None):
                yield from self._whole(predicate)
            case _Ends(None, int(o), _, int(obj)):
                # Most tables have nothing to say about a term.
                if (found := table.subjects_of(obj)).size:
                    subjects = self._members(found)
                    subjects = subjects[~self._literal[subjects]]
                    yield subjects, _column(o, subjects.size)
            case _Ends(int(s), None, int(subject), _):
                if (found := table.objects_of(subject)).size:
                    objects = self._members(found)
                    yield _column(s, objects.size), objects
            case _Ends(int(s), int(o), int(subject), int(obj)):
                if table.contains(_column(subject, 1), _column(obj, 1))[0]:
                    yield _column(s, 1), _column(o, 1)

    def _whole(self, predicate: int) -> Iterator[tuple[Ids, Ids]]:
        if predicate not in self._facts:
            return
        expansion = Expansion(self._facts.only([predicate]), self._classes, self._graph.dictionary)
        shown = self._graph.names(predicate)[0]
        for subjects, name, objects in expansion.pieces(equalities=False):
            # Every name of a predicate has the same facts.
            if name == shown:
                yield subjects, objects

    def _members(self, representatives: Ids) -> Ids:
        return self._classes.expanded(representatives)[1] if self._classes else representatives

    def _equal(self, s: int | None, o: int | None) -> Iterator[tuple[Ids, Ids]]:
        """Yield the equalities of different resources that a class stands for."""
        if s is None and o is None:
            shown = self._graph.names(SAME)[0]
            expansion = Expansion(FactSet(), self._classes, self._graph.dictionary)
            yield from ((left, right) for left, name, right in expansion.pieces() if name == shown)
            return
        known = s if s is not None else o
        assert known is not None
        if self._literal[known]:
            return
        members = self._classes.class_of(known)
        others = members[~self._literal[members] & (members != known)]
        if s is None:
            yield others, _column(known, others.size)
            return
        if o is not None:
            others = others[others == o]
        yield _column(known, others.size), others


def _column(id: int, size: int) -> Ids:
    return np.full(size, id, dtype=np.int64)
