"""How equality classes differ between two mappings: what merged, what fell apart, and what stayed together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reasoner.columnar.kernels import Ids, Mask, sort_distinct
from reasoner.columnar.representatives import Representatives, connected_smallest

IdClasses = list[list[int]]


def moved_terms(before: Representatives, after: Representatives) -> Ids:
    """Return the terms whose class is another in one mapping than in the other."""
    moved = after.moved_since(before)
    # A class changes for all its members, also for those whose representative stays.
    for mapping in (before, after):
        moved = sort_distinct(np.concatenate((moved, mapping.expanded(sort_distinct(mapping.of(moved)))[1])))
    return moved


def blocks_of(terms: Ids, left: Representatives, right: Representatives) -> Ids:
    """Return for each of the sorted terms the first term that is equal to it in both mappings."""
    order = np.lexsort((terms, right.of(terms), left.of(terms)))
    ordered = terms[order]
    old, new = left.of(ordered), right.of(ordered)
    starts = np.flatnonzero(np.append(True, (old[1:] != old[:-1]) | (new[1:] != new[:-1])))[: terms.size]
    first = np.empty_like(terms)
    first[order] = np.repeat(ordered[starts], np.diff(starts, append=terms.size))
    return first


class Regrouping:
    """The classes that differ between two mappings, in groups.

    A group holds the old classes that share terms with the same new classes, and these; a term alone is a class. In a
    group, classes *merged* if a new class unites terms of several old ones, and *split* if terms of an old class are in
    several new ones; where terms changed sides both are true. ``terms`` are all terms of such classes.
    """

    def __init__(self, before: Representatives, after: Representatives) -> None:
        self.terms = moved_terms(before, after)
        self._before, self._after = before, after
        position = np.arange(self.terms.size)
        left = np.concatenate((position, position))
        right = np.concatenate([self.terms.searchsorted(mapping.of(self.terms)) for mapping in (before, after)])
        self._groups = connected_smallest(self.terms, left, right)
        self._names = sort_distinct(self._groups)
        old = self._counted(sort_distinct(before.of(self.terms)))
        new = self._counted(sort_distinct(after.of(self.terms)))
        together = self._counted(sort_distinct(blocks_of(self.terms, before, after)))
        self._merged: Mask = together > new
        self._split: Mask = together > old

    def counts(self) -> tuple[int, int]:
        """Return in how many groups classes merged, and in how many they split."""
        return int(np.count_nonzero(self._merged)), int(np.count_nonzero(self._split))

    def merged(self) -> Iterator[tuple[IdClasses, IdClasses]]:
        """Yield the old and the new classes of each group in which classes merged."""
        return self._chosen(self._merged)

    def split(self) -> Iterator[tuple[IdClasses, IdClasses]]:
        """Yield the old and the new classes of each group in which classes split."""
        return self._chosen(self._split)

    def _counted(self, firsts: Ids) -> Ids:
        """Count, group by group, the terms that stand for one thing each."""
        groups = self._groups[self.terms.searchsorted(firsts)]
        return np.bincount(self._names.searchsorted(groups), minlength=self._names.size)

    def _chosen(self, wanted: Mask) -> Iterator[tuple[IdClasses, IdClasses]]:
        order = np.argsort(self._groups, kind="stable")
        ends = self._groups[order].searchsorted(self._names, "right")
        starts = np.concatenate(([0], ends[:-1])) if ends.size else ends
        for group in np.flatnonzero(wanted).tolist():
            terms = self.terms[order[starts[group] : ends[group]]]
            yield _classes(terms, self._before), _classes(terms, self._after)


def _classes(terms: Ids, mapping: Representatives) -> IdClasses:
    """Part sorted terms by their representatives."""
    classes: dict[int, list[int]] = {}
    for representative, term in zip(mapping.of(terms).tolist(), terms.tolist(), strict=True):
        classes.setdefault(representative, []).append(term)
    return list(classes.values())
