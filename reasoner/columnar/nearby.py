"""Tables of which only a neighbourhood is at hand; what is missing is fetched when it is asked for.

A change of a few facts reads a few facts of a large store. A ``Neighbourhood`` knows about which subjects and objects
everything has been fetched, from several sets of facts at once, and fetches what is asked for beyond that: all facts
about all the terms of one question together. Its tables can do what other tables can, so that the engine works on them
as they are. Who asks for a table as a whole gets it as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import RLock

import numpy as np

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, Mask, is_member, merge, sort_distinct, unpack
from reasoner.columnar.table import Run, Table
from reasoner.terms.term import TYPE

# Guesses for what has not been fetched, which decide only the order of joins.
_FACTS_OF_TERM = 4.0
_PART_OF_TABLE = 64


class TooFarError(Exception):
    """More facts are asked for than may come to hand."""


class Neighbourhood:
    """What has been fetched of some sets of facts.

    ``fetch`` is asked by subjects, by objects of all predicates but rdf:type, by classes, or by one predicate: just one
    of these is given, and the answer has the facts of every set. ``known`` is the number of terms that the sets may
    mention. Once more than ``most`` facts have come, ``TooFarError`` is raised.
    """

    def __init__(self, fetch: Callable[[str, Ids], Sequence[FactSet]], known: int, most: int) -> None:
        self._fetch = fetch
        self._known = known
        self._most = most
        # How many facts have come so far.
        self.held = 0
        self._lock = RLock()
        self._complete = {"s": NO_KEYS, "o": NO_KEYS, "class": NO_KEYS, "p": NO_KEYS}
        self._sets: list[dict[int, NearbyPredicate]] = []

    def facts(self, counts: Mapping[int, int], classes: frozenset[int], leaving: FactSet, joining: FactSet) -> FactSet:
        """Return the next of the sets, given how many facts its predicates have and which classes it names; some of
        these ``leaving`` it, and others, which are not fetched, ``joining`` it."""
        near = {p: NearbyPredicate(self, p, rows, classes) for p, rows in counts.items()}
        self._sets.append(near)
        tables: dict[int, Table] = {p: joining.table(p) for p in joining}
        for p, each in near.items():
            tables[p] = NearbyTable(each, joining.table(p), leaving.table(p).keys())
        return FactSet(tables)

    def objects_at_hand(self) -> Ids:
        """Return the objects of all facts that have been fetched, types aside."""
        parts = [near.known.pairs()[1] for each in self._sets for near in each.values() if not near.by_object]
        return sort_distinct(np.concatenate([NO_KEYS, *parts]))

    @property
    def nbytes(self) -> int:
        """The memory of what has been fetched, a key for each fact."""
        return self.held * NO_KEYS.itemsize

    def need_predicates(self, predicates: Iterable[int]) -> None:
        """Fetch all facts of some predicates."""
        self.need("p", np.fromiter(predicates, dtype=np.int64))

    def need(self, kind: str, ids: Ids) -> None:
        """Fetch what is missing of the facts about some subjects (s), objects (o), classes, or of predicates (p).

        Several threads may ask; a question that fails leaves what is known as it was.
        """
        asked = sort_distinct(ids)
        # Notes that terms occur have a predicate that is no term.
        asked = asked[(asked < self._known) | (kind == "p")]
        with self._lock:
            asked = asked[~is_member(asked, self._complete[kind])]
            if not asked.size:
                return
            for near, found in zip(self._sets, self._fetch(kind, asked), strict=True):
                self.held += len(found)
                for predicate in found:
                    near[predicate].take(found.table(predicate))
            self._complete[kind] = merge(self._complete[kind], asked)
            if self.held > self._most:
                raise TooFarError


class NearbyPredicate:
    """One predicate of a set: what has been fetched of it so far."""

    def __init__(self, around: Neighbourhood, predicate: int, rows: int, classes: frozenset[int]) -> None:
        self._around = around
        self.predicate = predicate
        self.rows = rows
        self.by_object = predicate == TYPE
        self.classes = classes
        self.known = Table((), by_object=self.by_object)

    def take(self, found: Table) -> None:
        self.known = self.known.added(self.known.lacking(found.keys()))

    def need_subjects(self, ids: Ids) -> None:
        if self.known.size < self.rows:
            self._around.need("s", ids)

    def need_objects(self, ids: Ids) -> None:
        if self.known.size < self.rows:
            self._around.need("class" if self.by_object else "o", ids)

    def need_all(self) -> None:
        if self.known.size < self.rows:
            self._around.need("p", np.array([self.predicate]))


class NearbyTable(Table):
    """What a predicate had, without the ``dead``, and what has joined it since."""

    __slots__ = ("joined", "near")
    is_partial = True

    def __init__(self, near: NearbyPredicate, joined: Table, dead: Keys) -> None:
        self.by_object = near.by_object
        self.near = near
        self.joined = joined
        self.dead = dead
        self.size = near.rows + joined.size - dead.size

    @property
    def runs(self) -> tuple[Run, ...]:  # type: ignore[override]
        self.near.need_all()
        return self._seen().runs

    def _seen(self) -> Table:
        """Return what is at hand."""
        return Table((*self.near.known.runs, *self.joined.runs), by_object=self.by_object, dead=self.dead)

    def whole(self) -> Table:
        """Return everything as a plain table."""
        self.near.need_all()
        return self._seen()

    def keys(self) -> Keys:
        return self.whole().keys()

    def subject_runs(self, wanted: Ids | None = None) -> list[Keys]:
        if wanted is None:
            self.near.need_all()
        else:
            self.near.need_subjects(wanted)
        return self._seen().subject_runs()

    def object_runs(self, wanted: Ids | None = None) -> list[Keys]:
        if wanted is None:
            self.near.need_all()
        else:
            self.near.need_objects(wanted)
        return self._seen().object_runs()

    def runs_about(self, terms: Ids) -> Sequence[Run]:
        self.near.need_subjects(terms)
        self.near.need_objects(terms)
        return self._seen().runs

    def contains_keys(self, keys: Keys) -> Mask:
        # What has joined or left is known without asking.
        known = is_member(keys, self.dead)
        for run in self.joined.runs:
            known |= is_member(keys, run.main)
        first, second = unpack(keys[~known])
        self.near.need_subjects(second if self.by_object else first)
        return self._seen().contains_keys(keys)

    def lacking(self, keys: Keys) -> Keys:
        return keys[~self.contains_keys(keys)] if keys.size else keys

    def minus(self, other: Table) -> Table:
        if self is other:
            return Table((), by_object=self.by_object)
        if not isinstance(other, NearbyTable):
            return self.without(other.keys())
        if other.near is not self.near:
            return self.whole().minus(other)
        keys = merge(self.joined.keys(), other.dead[~is_member(other.dead, self.dead)])
        return Table.of_keys(other.lacking(keys[self.contains_keys(keys)]), by_object=self.by_object)

    def within(self, other: Table) -> Table:
        return self.whole().within(other) if isinstance(other, NearbyTable) else other.within(self)

    def objects_of(self, subject: int) -> Ids:
        self.near.need_subjects(np.array([subject]))
        return self._seen().objects_of(subject)

    def subjects_of(self, obj: int) -> Ids:
        self.near.need_objects(np.array([obj]))
        return self._seen().subjects_of(obj)

    def objects(self) -> Ids:
        if not self.by_object:
            return self.whole().objects()
        named = np.array(sorted(self.near.classes), dtype=np.int64)
        return sort_distinct(np.concatenate((named, self.joined.objects())))

    def count(self, *, subject: int | None = None, obj: int | None = None) -> int:
        if subject is None and obj is None:
            return self.size
        return self.joined.count(subject=subject, obj=obj) + max(1, self.near.rows // _PART_OF_TABLE)

    def fan_out(self, *, from_subject: bool) -> float:
        return _FACTS_OF_TERM if from_subject or not self.by_object else float(max(1, self.size // _PART_OF_TABLE))

    def with_runs(self, new: Sequence[Run]) -> Table:
        keys = sort_distinct(np.concatenate([NO_KEYS, *(run.main for run in new)]))
        back = is_member(keys, self.dead)
        dead = self.dead[~is_member(self.dead, keys[back])]
        return NearbyTable(self.near, self.joined.added(keys[~back]), dead)

    def without(self, keys: Keys) -> Table:
        gone = keys[self.contains_keys(keys)]
        if not gone.size:
            return self
        here = self.joined.contains_keys(gone)
        return NearbyTable(self.near, self.joined.without(gone[here]), merge(self.dead, gone[~here]))


def change_of(before: FactSet, after: FactSet) -> tuple[FactSet, FactSet]:
    """Return what came to a set of a neighbourhood, and what went, until it became another."""
    came: dict[int, Table] = {}
    went: dict[int, Table] = {}
    for predicate in {*before, *after}:
        old, new = before.table(predicate), after.table(predicate)
        if old is new:
            continue
        if isinstance(old, NearbyTable) and isinstance(new, NearbyTable) and old.near is new.near:
            came[predicate] = new.minus(old)
            went[predicate] = old.minus(new)
            continue
        old, new = (table.whole() if isinstance(table, NearbyTable) else table for table in (old, new))
        came[predicate], went[predicate] = new.minus(old), old.minus(new)
    return FactSet(came), FactSet(went)
