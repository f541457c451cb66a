"""Small updates: the neighbourhood of a change comes to the driver, and the columnar engine does the rest there.

The facts about the terms of a change are fetched from the files that hold them, and those about the terms that it
leads to, round by round (``by_key``): a store is neither shuffled nor written anew, however large it is. A change that
leads too far is left to the distributed engine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.nearby import TooFarError, change_of
from reasoner.columnar.representatives import Representatives
from reasoner.maintenance.maintain import maintain
from reasoner.maintenance.program import Change, MaintenanceProgram, prepare_maintenance
from reasoner.maintenance.update import Work
from reasoner.spark.by_key import FactsByKey, PartedFacts
from reasoner.spark.engine import SparkEngine
from reasoner.spark.facts import DRIVER_ROWS, parted
from reasoner.spark.fetched import lookup, unwrapped, with_change

if TYPE_CHECKING:
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.store import Snapshot

# A change of more facts than this is not small.
MOST_CHANGES = 10_000

# What the terms of a change lead to is fetched before anybody asks for it, unless there are more terms than this.
_FETCHED_AHEAD = 64


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
        sides = [parted(unwrapped(engine, facts)) for facts in (change.before, state.facts)]
        if sides[0] is None or sides[1] is None:
            return None
        before = self._with_values(PartedFacts(*sides[0]), change.before, state.values)
        sets = FactsByKey(engine, [before, PartedFacts(*sides[1])], self.most)
        near, (explicit, facts) = sets.near, sets.sets
        gone, come = values
        gone = gone.difference(lookup(engine, gone, change.after))
        come = come.difference(lookup(engine, come, change.before))
        removed, added = removed.union(gone.difference(removed)), added.union(come.difference(added))
        try:
            # Rules mostly lead from subjects to their objects: these are fetched before they are asked for.
            near.need("s", removed.union(added).columns()[0])
            reached = near.objects_at_hand()
            reached = reached[~engine.driver.dictionary.literal_mask()[reached]]
            if reached.size <= _FETCHED_AHEAD:
                near.need("s", reached)
            after = explicit.difference(removed).union(added)
            whole = Change(explicit, after, removed, added)
            result = maintain(
                self._program(program), strategy, whole, facts, state.representatives, work, overdelete=overdelete
            )
            came, went = change_of(facts, result.facts)
        except TooFarError:
            return None
        return with_change(engine, state.facts, went, came), result.representatives

    def _with_values(self, side: PartedFacts, explicit: FactSet, values: FactSet) -> PartedFacts:
        """Let equalities of literals join what is explicit, unless they are so already."""
        if not len(values):
            return side
        joining = side.joining.union(values.difference(lookup(self._engine, values, explicit)))
        return replace(side, joining=joining)

    def _program(self, program: Any) -> MaintenanceProgram[FactSet, Plans, Representatives]:
        if self._compiled is None or self._compiled[0] is not program:
            driver = ColumnarEngine(self._engine.driver.dictionary, equality=self._engine.equality)
            self._compiled = program, prepare_maintenance(driver, program.program, program.options)
        return self._compiled[1]
