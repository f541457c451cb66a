"""The strategies that take up operations between their rounds."""

from __future__ import annotations

from reasoner.engine import F, M, P
from reasoner.maintenance.closure_modules import maintain_with_modules
from reasoner.maintenance.dred import maintain_by_dred
from reasoner.maintenance.dynamic import Maintain
from reasoner.maintenance.dynamic_update import DynamicUpdate
from reasoner.maintenance.fbf import maintain_by_fbf
from reasoner.maintenance.modular_strata import ModularStratum
from reasoner.maintenance.program import MaintenanceProgram
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.strategies import DEPTH

DYNAMIC_STRATEGIES = ("auto", "bf", "fbf", "dred")


def strategy_for_strata(name: str, program: MaintenanceProgram[F, P, M]) -> Maintain[F, P, M]:
    """Return what maintains one stratum.

    A stratum with a transitive predicate that modules close is maintained in one go: what arrives meanwhile is taken up
    when it is done.
    """
    if name == "dred":
        return maintain_by_dred
    depth = DEPTH if name == "fbf" else None
    kept: dict[MaintainedStratum[F, P, M], ModularStratum[F, P, M]] = {}

    def by_fbf(update: DynamicUpdate[F, P, M], stratum: MaintainedStratum[F, P, M]) -> None:
        if program.options.modules:
            modular = kept.get(stratum) or ModularStratum(update.engine, stratum)
            if stratum in program.strata:
                kept[stratum] = modular
            if modular.isolated or modular.entangled:
                with update.uninterrupted():
                    maintain_with_modules(update, modular, depth)
                return
        maintain_by_fbf(update, stratum, depth)

    return by_fbf
