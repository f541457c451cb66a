"""Small updates: the neighbourhood of a change comes to the driver, and the columnar engine does the rest there.

The facts about the terms of a change are fetched from the files that hold them, and those about the terms that it
leads to, round by round: a store is neither shuffled nor written anew, however large it is. Files are cut down by
predicate and by the ranges of their row groups; the driver reads what is left of them itself, or by one job where it is
much. A change that leads too far is left to the distributed engine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.columnar.nearby import Neighbourhood, TooFarError, change_of
from reasoner.columnar.representatives import Representatives
from reasoner.maintenance.maintain import maintain
from reasoner.maintenance.program import Change, MaintenanceProgram, prepare_maintenance
from reasoner.maintenance.work import Work
from reasoner.spark.engine import DRIVER_ROWS, SparkEngine
from reasoner.spark.facts import Segments, parted, read_files, reading
from reasoner.spark.fetched import lookup, unwrapped, with_change
from reasoner.spark.scratch import facts_of
from reasoner.spark.set_operations import in_list
from reasoner.vocabulary import TYPE

if TYPE_CHECKING:
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.store import Snapshot

# A change of more facts than this is not small.
MOST_CHANGES = 10_000

# More ids than this are joined with, and not listed.
_LISTED = 1000

_Side = tuple[Segments, FactSet, FactSet]
_WHERE = {"s": "s", "o": "o", "class": "o", "p": "p"}
_ASKED: dict[str, Callable[[Ids], dict[str, Any]]] = {
    "s": lambda ids: {"s": ids},
    "o": lambda ids: {"o": ids, "types": False},
    "class": lambda ids: {"p": [TYPE], "o": ids},
    "p": lambda ids: {"p": ids},
}


class SmallUpdates:
    """Maintains states of one engine near a change; programs are compiled once more, for the columnar engine.

    At most ``most`` facts are fetched for one change.
    """

    def __init__(self, engine: SparkEngine, most: int = DRIVER_ROWS) -> None:
        self._engine = engine
        self.most = most
        self._compiled: tuple[Any, MaintenanceProgram[FactSet, Plans, Representatives]] | None = None

    def maintained(
        self,
        program: Any,
        strategy: Any,
        change: Change[FactSet],
        state: Snapshot,
        values: tuple[FactSet, FactSet],
        work: Work,
        *,
        overdelete: bool,
    ) -> tuple[FactSet, Representatives] | None:
        """Return (pi, I) after a change of explicit facts; None if it is not small, or leads too far.

        ``values`` are the equalities of literals that go and come with it; those that stay, the driver has.
        """
        engine = self._engine
        if unwrapped(engine, state.facts).local is not None:
            return None
        if len(change.removed) + len(change.added) > MOST_CHANGES:
            return None
        removed, added = (engine.to_facts(unwrapped(engine, part)) for part in (change.removed, change.added))
        sets = [parted(unwrapped(engine, facts)) for facts in (change.before, state.facts)]
        if any(each is None for each in sets):
            return None
        files = [each[0] for each in sets if each is not None]
        dictionary = engine.driver.dictionary
        near = Neighbourhood(lambda kind, ids: self._fetched(files, kind, ids), len(dictionary), self.most)
        sides = [each for each in sets if each is not None]
        sides[0] = self._with_values(sides[0], change.before, state.values)
        explicit, facts = (near.facts(_counts(each[0]), _classes(each[0]), *each[1:]) for each in sides)
        gone, come = values
        gone = gone.difference(lookup(engine, gone, change.after))
        come = come.difference(lookup(engine, come, change.before))
        removed, added = removed.union(gone.difference(removed)), added.union(come.difference(added))
        try:
            # Rules mostly lead from subjects to their objects: these are fetched before they are asked for.
            near.need("s", removed.union(added).columns()[0])
            reached = near.objects_at_hand()
            near.need("s", reached[~dictionary.literal_mask()[reached]])
            after = explicit.difference(removed).union(added)
            whole = Change(explicit, after, removed, added)
            result = maintain(
                self._program(program), strategy, whole, facts, state.representatives, work, overdelete=overdelete
            )
            came, went = change_of(facts, result.facts)
        except TooFarError:
            return None
        return with_change(engine, state.facts, went, came), result.representatives

    def nearby(self, state: Snapshot) -> Snapshot:
        """Return a state whose facts come to the driver about the terms that are asked for, or the same if they are
        there already; who asks for a whole table gets it."""
        engine = self._engine
        sides = [parted(unwrapped(engine, facts)) for facts in (state.explicit, state.facts)]
        if unwrapped(engine, state.facts).local is not None or None in sides:
            return state
        sets = [side for side in sides if side is not None]
        files = [side[0] for side in sets]
        near = Neighbourhood(
            lambda kind, ids: self._fetched(files, kind, ids), len(engine.driver.dictionary), sys.maxsize
        )
        explicit, facts = (near.facts(_counts(side[0]), _classes(side[0]), *side[1:]) for side in sets)
        return replace(state, explicit=explicit, facts=facts)

    def _with_values(self, side: _Side, explicit: FactSet, values: FactSet) -> _Side:
        """Let equalities of literals join what is explicit, unless they are so already."""
        if not len(values):
            return side
        files, leaving, joining = side
        return files, leaving, joining.union(values.difference(lookup(self._engine, values, explicit)))

    def _program(self, program: Any) -> MaintenanceProgram[FactSet, Plans, Representatives]:
        if self._compiled is None or self._compiled[0] is not program:
            driver = ColumnarEngine(self._engine.driver.dictionary, equality=self._engine.equality)
            self._compiled = program, prepare_maintenance(driver, program.program, program.options)
        return self._compiled[1]

    def _fetched(self, files: Sequence[Segments], kind: str, ids: Ids) -> list[FactSet]:
        """Bring the facts of several sets about some terms to the driver: it reads them itself, or else by one job."""
        near = [read_files(segments, **_ASKED[kind](ids)) for segments in files]
        read = [facts for facts in near if facts is not None]
        return read if len(read) == len(near) else self._fetched_by_job(files, kind, ids)

    def _fetched_by_job(self, files: Sequence[Segments], kind: str, ids: Ids) -> list[FactSet]:
        engine, column = self._engine, _WHERE[kind]
        owner = None
        if ids.size <= _LISTED:
            where = in_list(column, ids.tolist())
        else:
            owner = engine.scratch.held(FactSet.of_columns(ids, ids * 0, ids))
            where = f"{column} IN (SELECT s FROM {owner.view})"
        if kind == "o":
            where += f" AND p <> {TYPE}"
        if kind == "class":
            where = f"p = {TYPE} AND {where}"
        predicate = TYPE if kind == "class" else int(ids[0]) if kind == "p" and ids.size == 1 else None
        texts = (
            f"SELECT {at}L AS part, s, p, o FROM ({_reading(segments, where, predicate)})"
            for at, segments in enumerate(files)
        )
        rows = engine.scratch.rows(" UNION ALL ".join(texts))
        part = rows.column("part").to_numpy()
        return [facts_of(rows.filter(part == at)) for at in range(len(files))]


def _reading(files: Segments, where: str, predicate: int | None) -> str:
    """Return the query for the facts of files that meet a condition, in as few tasks as it takes."""
    if predicate is not None:
        return reading(files, where, predicate)
    views = (segment.run.view_by_term or segment.run.view for segment in files)
    parts = [f"SELECT s, p, o FROM {view} WHERE {where}" for view in views]
    return " UNION ALL ".join(parts) or reading((), where)


def _counts(files: Segments) -> dict[int, int]:
    counts: dict[int, int] = {}
    for segment in files:
        for predicate, rows in segment.run.counts.items():
            counts[predicate] = counts.get(predicate, 0) + rows
    return counts


def _classes(files: Segments) -> frozenset[int]:
    return frozenset[int]().union(*(segment.run.classes for segment in files))
