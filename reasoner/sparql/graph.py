"""One graph that a query reads: facts over representatives, and how they stand for the closure."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, sort_distinct
from reasoner.columnar.literal_values import spellings_of
from reasoner.columnar.own_equalities import OwnEqualities
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table
from reasoner.vocabulary import OCCURS, SAME

# Rows are few of a table if there are so many times as many facts in it.
_FEW_OF = 16


class Graph:
    """Facts with the mapping that they are normal under.

    ``mapping`` brings constants to representatives. ``classes`` are the classes that answers are written out for: the
    mapping itself, or nothing if representatives are answer enough. ``own`` are the equalities of a term with itself
    that are answers, as they are without a mapping to representatives. ``values`` are the equalities between
    literals of one value: a literal in a pattern asks for all of them, a variable joins literals as they are written.
    """

    def __init__(
        self,
        facts: FactSet,
        dictionary: Dictionary,
        mapping: Representatives | None = None,
        *,
        expand: bool = True,
        own: OwnEqualities | None = None,
        values: FactSet | None = None,
    ) -> None:
        self.facts = facts
        self.dictionary = dictionary
        self.mapping = mapping or Representatives()
        self.classes = self.mapping if expand else Representatives()
        own = OwnEqualities() if own is None else own
        self.own = own if expand else own.folded(self.mapping)
        self.values = FactSet() if values is None else values
        self._with_literal_subjects: dict[int, bool] = {}
        self._names: dict[int, list[int]] = {}
        # What queries found out and the next ones can use: ids of constants, texts of ids, orders of joins.
        self.constants: dict[str, int] = {}
        self.texts: dict[int, str] = {}
        self.orders: dict[int, tuple[tuple[object, object], list[Any]]] = {}

    def spellings(self, id: int) -> Ids:
        """Return the terms that a constant of a pattern asks for: a literal is asked for by value."""
        return spellings_of(self.values, id)

    @cached_property
    def predicates(self) -> list[int]:
        """The predicates of stored facts, as representatives."""
        return [predicate for predicate in self.facts if predicate != OCCURS]

    def table(self, predicate: int) -> Table:
        """Return the facts of a predicate, given as a representative."""
        return self.facts.table(predicate if predicate != OCCURS else -1)

    def names(self, predicate: int) -> list[int]:
        """Return the IRIs that a predicate is known under."""
        known = self._names.get(predicate)
        if known is None:
            members = self.classes.class_of(predicate).tolist() if self.classes else [predicate]
            texts = self.dictionary.decode(np.array(members))
            known = [name for name, text in zip(members, texts, strict=True) if text.startswith("<")]
            self._names[predicate] = known
        return known

    def may_have_literal_subjects(self, predicate: int, rows: int) -> bool:
        """Tell whether rows of a table have to be looked at for literals; a look at few costs less than to know."""
        if predicate not in self._with_literal_subjects and rows * _FEW_OF < self.table(predicate).size:
            return True
        return self.has_literal_subjects(predicate)

    def has_literal_subjects(self, predicate: int) -> bool:
        """Tell whether a table holds facts about literals, which are no RDF and never an answer."""
        known = self._with_literal_subjects.get(predicate)
        if known is None:
            literal = self.dictionary.literal_mask()
            known = bool(literal[self.table(predicate).pairs()[0]].any())
            self._with_literal_subjects[predicate] = known
        return known

    @cached_property
    def equates(self) -> bool:
        """Whether there can be equalities that are not stored."""
        return bool(self.classes) or self.own.may_exist

    @cached_property
    def has_equality_aliases(self) -> bool:
        """Whether owl:sameAs equals another term."""
        return bool(self.classes) and self.classes.class_of(SAME).size > 1

    @cached_property
    def equal_resources(self) -> tuple[Ids, Ids, Ids]:
        """The classes of two or more resources: where each begins and ends, and all their members in a row."""
        _, ends, members = self.classes.classes()
        literal = self.dictionary.literal_mask()[members] if members.size else np.empty(0, dtype=np.bool_)
        if not literal.any():
            return np.concatenate(([0], ends[:-1])).astype(np.int64) if ends.size else ends, ends, members
        owner = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))[~literal]
        counts = np.bincount(owner, minlength=ends.size)
        large = counts > 1
        stops = np.cumsum(counts)
        return (stops - counts)[large], stops[large], members[~literal]

    @cached_property
    def nodes(self) -> Ids:
        """The subjects and objects of the graph, every equal term for itself."""
        literal = self.dictionary.literal_mask()
        parts: list[Ids] = [NO_KEYS]
        for predicate in self.predicates:
            if not self.names(predicate):
                continue
            s, o = self.table(predicate).pairs()
            if self.has_literal_subjects(predicate):
                s, o = s[~literal[s]], o[~literal[s]]
            if self.own.hides(predicate):
                s, o = s[s != o], o[s != o]
            parts += [s, o]
        _, found = self.classes.expanded(sort_distinct(np.concatenate(parts)))
        starts, stops, members = self.equal_resources
        inside = [members[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        return sort_distinct(np.concatenate([found, *inside, *(terms for _, terms in self.own)]))


def merged(graphs: list[Graph], dictionary: Dictionary) -> Graph:
    """Return the merge of graphs, as FROM asks for it; their equalities are facts like any other."""
    facts = FactSet()
    for graph in graphs:
        facts = facts.union(graph.facts.difference(facts))
    return Graph(facts, dictionary)
