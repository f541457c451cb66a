"""The facts of one predicate: a few sorted runs of packed (subject, object) pairs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from reasoner.columnar.kernels import (
    LOW,
    NO_KEYS,
    SHIFT,
    Ids,
    Keys,
    Mask,
    is_member,
    merge,
    pack,
    sort_distinct,
    sort_runs,
    swap,
    unpack,
    value_range,
)

# A run is merged into its predecessor once it has a quarter of its size: a fact is then copied a logarithmic
# number of times, and a lookup visits a logarithmic number of runs.
_MERGE_RATIO = 4

# Dead keys are taken out of runs once they are this part of them.
_DEAD_RATIO = 8

# Keys are only marked as dead if they are fewer than this part of a table: reading around them costs something too.
_MARK_RATIO = 24

# Of tables of up to so many facts the terms at either end are kept as sets, where they are asked for.
_SMALL = 1 << 16


class Run:
    """Sorted, distinct keys in the table's main order; the other order is made on first use and kept."""

    __slots__ = ("_ends", "_firsts", "_other", "_seconds", "main")

    def __init__(self, main: Keys) -> None:
        self.main = main
        self._other: Keys | None = None
        self._firsts: int | None = None
        self._seconds: int | None = None
        self._ends: list[frozenset[int] | None] = [None, None]

    @property
    def other(self) -> Keys:
        if self._other is None:
            self._other = sort_runs(swap(self.main))
        return self._other

    def distinct(self, *, first: bool) -> int:
        """Count the distinct first (or second) components."""
        if first:
            if self._firsts is None:
                self._firsts = _count_firsts(self.main)
            return self._firsts
        if self._seconds is None:
            self._seconds = _count_firsts(self.other)
        return self._seconds

    def ends(self, *, first: bool) -> frozenset[int]:
        """Return the distinct first (or second) components, for runs of few keys."""
        found = self._ends[first]
        if found is None:
            column = self.main >> SHIFT if first else self.main & LOW
            found = self._ends[first] = frozenset(column.tolist())
        return found

    @property
    def nbytes(self) -> int:
        return self.main.nbytes + (self._other.nbytes if self._other is not None else 0)


class Table:
    """An immutable set of (subject, object) pairs.

    ``by_object`` tells the main order of its keys: object first (as for rdf:type, which is read by class) or
    subject first. Runs are pairwise disjoint and get smaller; they are shared between tables, never changed. ``dead``
    are the sorted keys of runs that are facts no more: taking a few facts out of a large table copies nothing.
    """

    __slots__ = ("by_object", "dead", "runs", "size")

    # Whether looking at its runs costs more than asking for facts; see ``reasoner.columnar.nearby``.
    is_partial = False

    def __init__(self, runs: Sequence[Run], *, by_object: bool, dead: Keys = NO_KEYS) -> None:
        self.runs = tuple(runs)
        self.by_object = by_object
        self.dead = dead
        self.size = sum(run.main.size for run in self.runs) - dead.size

    @classmethod
    def of_keys(cls, keys: Keys, *, by_object: bool) -> Table:
        """Make a table of sorted, distinct keys in main order."""
        return cls([Run(keys)] if keys.size else [], by_object=by_object)

    @property
    def held_runs(self) -> Sequence[Run]:
        """The runs that are in memory, which here are all."""
        return self.runs

    @property
    def nbytes(self) -> int:
        return sum(run.nbytes for run in self.held_runs) + self.dead.nbytes

    def keys(self) -> Keys:
        """Return all keys in main order, sorted."""
        if len(self.runs) == 1:
            keys = self.runs[0].main
        else:
            keys = NO_KEYS
            for run in reversed(self.runs):
                keys = merge(run.main, keys)
        return keys[~mask_of(keys, self.dead)] if self.dead.size else keys

    def pairs(self) -> tuple[Ids, Ids]:
        """Return the subjects and the objects of all facts."""
        first, second = unpack(self.keys())
        return (second, first) if self.by_object else (first, second)

    def subject_runs(self, wanted: Ids | None = None) -> list[Keys]:
        """Return the runs as sorted (subject, object) keys, the dead among them; who tells which subjects are
        ``wanted`` need not get others."""
        return [run.other if self.by_object else run.main for run in self.runs]

    def object_runs(self, wanted: Ids | None = None) -> list[Keys]:
        """Return the runs as sorted (object, subject) keys, the dead among them; who tells which objects are
        ``wanted`` need not get others."""
        return [run.main if self.by_object else run.other for run in self.runs]

    def lacks(self, names: Collection[int], *, subjects: bool) -> bool:
        """Tell whether none of some names is a subject (or an object); False where finding out would take long."""
        if self.is_partial or self.size > _SMALL:
            return False
        return all(run.ends(first=subjects != self.by_object).isdisjoint(names) for run in self.runs)

    def runs_about(self, terms: Ids) -> Sequence[Run]:
        """Return runs that hold all facts about some terms."""
        return self.runs

    def main_keys(self, subjects: Ids, objects: Ids) -> Keys:
        """Pack pairs in this table's main order."""
        return pack(objects, subjects) if self.by_object else pack(subjects, objects)

    def contains(self, subjects: Ids, objects: Ids) -> Mask:
        """Tell which pairs are facts."""
        return self.contains_keys(self.main_keys(subjects, objects))

    def contains_keys(self, keys: Keys) -> Mask:
        """Tell which keys in main order are facts."""
        if len(self.runs) == 1:
            found = is_member(keys, self.runs[0].main)
        else:
            found = np.zeros(keys.size, dtype=np.bool_)
            for run in self.runs:
                found |= is_member(keys, run.main)
        return found & ~is_member(keys, self.dead) if self.dead.size else found

    def lacking(self, keys: Keys) -> Keys:
        """Return those of the sorted, distinct main-order keys that are no facts; the smaller side is searched for."""
        if self.size == 0 or keys.size == 0:
            return keys
        if self.size * 4 < keys.size and not self.dead.size:
            known = np.zeros(keys.size, dtype=np.bool_)
            for run in self.runs:
                known |= mask_of(keys, run.main)
        else:
            known = self.contains_keys(keys)
        return keys[~known] if known.any() else keys

    def minus(self, other: Table) -> Table:
        """Return the facts that are not in another table; of runs that both share only the dead are looked at."""
        if self is other:
            return Table((), by_object=self.by_object)
        if other.size * _MARK_RATIO < self.size and not other.dead.size:
            return self.without(other.keys())
        if other.is_partial:
            return Table.of_keys(other.lacking(self.keys()), by_object=self.by_object)
        shared = {id(run) for run in other.runs}
        if not any(id(run) in shared for run in self.runs):
            if self.size == other.size and np.array_equal(self.keys(), other.keys()):
                return Table((), by_object=self.by_object)
            return Table.of_keys(other.lacking(self.keys()), by_object=self.by_object)
        own = [run.main for run in self.runs if id(run) not in shared]
        gone = NO_KEYS if other.dead is self.dead else other.dead[~is_member(other.dead, self.dead)]
        keys = sort_distinct(np.concatenate((gone, *own)))
        keys = keys[self.contains_keys(keys)]
        return Table.of_keys(other.lacking(keys), by_object=self.by_object)

    def within(self, other: Table) -> Table:
        """Return the facts that are in another table as well, which is the larger one."""
        keys = self.keys()
        mask = other.contains_keys(keys)
        return self if mask.all() else Table.of_keys(keys[mask], by_object=self.by_object)

    def objects_of(self, subject: int) -> Ids:
        """Return the objects of one subject."""
        objects = _seconds(self.subject_runs(), subject)
        return objects[self._alive(np.full(objects.size, subject), objects)] if self.dead.size else objects

    def subjects_of(self, obj: int) -> Ids:
        """Return the subjects of one object."""
        subjects = _seconds(self.object_runs(), obj)
        return subjects[self._alive(subjects, np.full(subjects.size, obj))] if self.dead.size else subjects

    def _alive(self, subjects: Ids, objects: Ids) -> Mask:
        """Tell which of the pairs that runs gave are facts still."""
        return ~is_member(self.main_keys(subjects, objects), self.dead)

    def objects(self) -> Ids:
        """Return the distinct objects in order."""
        if self.dead.size:
            return sort_distinct(self.pairs()[1])
        parts = []
        for keys in self.object_runs():
            firsts = keys >> SHIFT
            parts.append(firsts[np.append(True, firsts[1:] != firsts[:-1])])
        return sort_distinct(np.concatenate(parts)) if parts else NO_KEYS

    def count(self, *, subject: int | None = None, obj: int | None = None) -> int:
        """Count the facts of one subject or of one object, the dead included: an upper bound."""
        if subject is not None:
            slices = [value_range(keys, subject) for keys in self.subject_runs()]
        elif obj is not None:
            slices = [value_range(keys, obj) for keys in self.object_runs()]
        else:
            return self.size
        return sum(high - low for low, high in slices)

    def fan_out(self, *, from_subject: bool) -> float:
        """Estimate how many facts a subject (or an object) has, from the largest run."""
        if not self.runs:
            return 0.0
        largest = self.runs[0]
        return largest.main.size / largest.distinct(first=from_subject != self.by_object)

    def added(self, keys: Keys) -> Table:
        """Return this table with sorted, distinct main-order keys that it does not hold yet."""
        if keys.size == 0:
            return self
        return self.with_runs([Run(keys)])

    def with_facts_of(self, other: Table) -> Table:
        """Return the union with a disjoint table; its runs are shared if nothing in them is dead."""
        return self.with_runs([Run(other.keys())] if other.dead.size else other.runs)

    def with_runs(self, new: Sequence[Run]) -> Table:
        """Return this table with further runs, disjoint from its own facts; small neighbours are merged."""
        dead = self.dead
        if dead.size:
            back = [is_member(run.main, dead) for run in new]
            returning = [run.main[mask] for run, mask in zip(new, back, strict=True)]
            dead = dead[~mask_of(dead, sort_distinct(np.concatenate([NO_KEYS, *returning])))]
            new = [Run(run.main[~mask]) if mask.any() else run for run, mask in zip(new, back, strict=True)]
        runs = [*self.runs, *(run for run in new if run.main.size)]
        while len(runs) > 1 and runs[-1].main.size * _MERGE_RATIO > runs[-2].main.size:
            last = runs.pop()
            runs[-1] = Run(merge(runs[-1].main, last.main))
        return Table(runs, by_object=self.by_object, dead=dead)

    def without(self, keys: Keys) -> Table:
        """Return this table without the given sorted, distinct main-order keys; few of them are only marked."""
        gone = keys[self.contains_keys(keys)]
        if gone.size == 0:
            return self
        dead = merge(self.dead, gone)
        if dead.size * _DEAD_RATIO < self.size + self.dead.size:
            return Table(self.runs, by_object=self.by_object, dead=dead)
        runs = [(run, mask_of(run.main, dead)) for run in self.runs]
        left = [run if not mask.any() else Run(run.main[~mask]) for run, mask in runs]
        return Table([run for run in left if run.main.size], by_object=self.by_object)


def table_of(subjects: Ids, objects: Ids, *, by_object: bool) -> Table:
    """Make a table of pairs in any order, with repetitions."""
    keys = pack(objects, subjects) if by_object else pack(subjects, objects)
    return Table.of_keys(sort_distinct(keys), by_object=by_object)


def _count_firsts(keys: Keys) -> int:
    if keys.size == 0:
        return 0
    firsts = keys >> SHIFT
    return 1 + int(np.count_nonzero(firsts[1:] != firsts[:-1]))


def _seconds(runs: list[Keys], value: int) -> Ids:
    parts = []
    for keys in runs:
        low, high = value_range(keys, value)
        if high > low:
            parts.append(unpack(keys[low:high])[1])
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else NO_KEYS


def mask_of(base: Keys, keys: Keys) -> Mask:
    """Mark in the sorted ``base`` the keys that occur in it; cheap where they are few."""
    mask = np.zeros(base.size, dtype=np.bool_)
    mask[base.searchsorted(keys[is_member(keys, base)])] = True
    return mask
