"""The equalities of a term with itself that are triples: those that were asserted, or all if they are asked for.

c = c holds for every term c that occurs, which tells nobody anything. So it is a triple only where it was asserted,
under the name that it was asserted with: c p c, if p equals owl:sameAs, is no reason to show c owl:sameAs c.

Which equalities merge terms, and which literals have one value: these stay apart, as they are written.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import permutations

import numpy as np

from loaders.arrow import flag_column
from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, Mask, is_member, pack, sort_distinct
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table
from reasoner.terms.term import OCCURS, SAME
from reasoner.terms.value import value_key


def mergeable(left: Ids, right: Ids, dictionary: Dictionary) -> Mask:
    """Tell which pairs of different terms may share a representative: two resources."""
    literal = dictionary.literal_mask()
    mask: Mask = ~(literal[left] | literal[right]) & (left != right)
    return mask


def equal_values(literals: Ids, dictionary: Dictionary) -> tuple[Ids, Ids]:
    """Return the pairs of literals of one value, in both orders (the W3C rule dt-eq).

    Only typed literals can be written in several ways, so that plain strings are not even looked at.
    """
    alone: dict[Hashable, int] = {}
    groups: dict[Hashable, list[int]] = {}
    for id, key in values_of(literals, dictionary):
        first = alone.setdefault(key, id)
        if first != id:
            groups.setdefault(key, [first]).append(id)
    return pairs_within(groups.values())


def values_of(literals: Ids, dictionary: Dictionary) -> Iterator[tuple[int, Hashable]]:
    """Yield literals with the keys of their values; a plain string is left out, which has one spelling only."""
    typed = typed_literals(literals, dictionary)
    for id, text in zip(typed.tolist(), dictionary.decode(typed), strict=True):
        yield id, value_key(text)


def typed_literals(literals: Ids, dictionary: Dictionary) -> Ids:
    """Return the literals that have a datatype or a language, and so may be spelled in several ways."""
    import pyarrow.compute as pc

    if not literals.size:
        return literals
    plain = pc.ends_with(dictionary.decode_arrow(literals), '"')
    return literals[~flag_column(plain)]


def pairs_within(groups: Iterable[Sequence[int]]) -> tuple[Ids, Ids]:
    """Return all pairs of different members of each group, in both orders."""
    pairs = [pair for group in groups for pair in permutations(group, 2)]
    if not pairs:
        return NO_KEYS, NO_KEYS
    left, right = np.array(pairs, dtype=np.int64).T
    return left, right


class OwnEqualities:
    """Which triples c = c a closure has.

    ``names`` are the IRIs that equality goes by; where owl:sameAs is a predicate like any other, there are none. What
    was ``asserted`` of them is looked up when it is asked for, unless all terms of ``every`` are their own equals.
    ``stored`` says that the facts have c = c for every c, as they do if the axioms of equality are among the rules.
    """

    def __init__(
        self,
        names: frozenset[int] = frozenset(),
        asserted: FactSet | None = None,
        *,
        every: Ids | None = None,
        stored: bool = False,
    ) -> None:
        self.names = names
        self._asserted = FactSet() if asserted is None else asserted
        self._every = every
        self._stored = stored

    @property
    def may_exist(self) -> bool:
        """Whether there can be any; whether there is one costs a look at what was asserted."""
        return any(map(self.may_have, self.names))

    def __iter__(self) -> Iterator[tuple[int, Ids]]:
        """Yield each name with the terms that are triples with themselves under it."""
        for name in sorted(self.names):
            if (terms := self.terms(name)).size:
                yield name, terms

    def may_have(self, name: int) -> bool:
        """Tell whether there can be such triples of a predicate."""
        return name in self.names and (self._every is not None or name in self._asserted)

    def hides(self, predicate: int) -> bool:
        """Tell whether facts c = c that are stored with a predicate are no triples for that reason."""
        return self._stored and predicate in self.names

    def terms(self, name: int) -> Ids:
        """Return the terms c of all triples c = c with a name, in order."""
        if not self.may_have(name):
            return NO_KEYS
        return self._every if self._every is not None else self._asserted.reflexive(name)

    def among(self, name: int, terms: Ids) -> Mask:
        """Tell for which terms c there is a triple c = c with a name."""
        if not self.may_have(name):
            return np.zeros(terms.size, dtype=np.bool_)
        if self._every is not None:
            return is_member(terms, self._every)
        return self._asserted.table(name).contains(terms, terms)

    def folded(self, representatives: Representatives) -> OwnEqualities:
        """Return the same over representatives, and under the one name that these have for equality."""
        found = [representatives.of(terms) for _, terms in self]
        if not found:
            return OwnEqualities(self.names & {SAME}, stored=self._stored)
        terms = sort_distinct(np.concatenate(found))
        table = Table.of_keys(pack(terms, terms), by_object=False)
        return OwnEqualities(self.names & {SAME}, FactSet({SAME: table}), stored=self._stored)


def equality_names(
    facts: FactSet, representatives: Representatives, dictionary: Dictionary, *, axioms: bool
) -> frozenset[int]:
    """Return the IRIs that equality goes by in (pi, I): owl:sameAs, and those that are equal to it."""
    equal = facts.table(SAME).objects_of(SAME) if axioms else representatives.class_of(SAME)
    return frozenset((SAME, *(id for id in equal.tolist() if id != SAME and dictionary.text(id).startswith("<"))))


def occurring_resources(facts: FactSet, representatives: Representatives, dictionary: Dictionary) -> Ids:
    """Return all terms but literals that occur in the closure of (pi, I), in order; each of them equals itself."""
    parts: list[Ids] = []
    for predicate in facts:
        s, o = facts.table(predicate).pairs()
        # There may be predicates of which no fact is left.
        if s.size:
            parts += [s, o] if predicate == OCCURS else [np.array([predicate], dtype=np.int64), s, o]
    if representatives:
        parts.append(representatives.members)
    if not parts:
        return NO_KEYS
    parts.append(np.array([SAME], dtype=np.int64))
    _, terms = representatives.expanded(sort_distinct(np.concatenate(parts)))
    terms = sort_distinct(terms)
    return terms[~dictionary.literal_mask()[terms]]
