"""The strategies by name: how the strata above equality are brought up to date."""

from __future__ import annotations

from typing import Any

from reasoner.maintenance.dred import maintain_by_dred
from reasoner.maintenance.fbf import maintain_by_fbf
from reasoner.maintenance.maintain import MaintainStratum

STRATEGIES = ("auto", "bf", "fbf", "dred", "rematerialise")

# How deep fbf searches for proofs if nobody says so.
DEPTH = 2


def stratum_strategy(name: str, depth: int | None = None) -> MaintainStratum[Any, Any, Any]:
    """Return the strategy of a name; ``depth`` is how far fbf searches backward before it gives a fact up for lost."""
    if name == "dred":
        return maintain_by_dred
    if name == "fbf":
        limit = DEPTH if depth is None else depth
        return lambda update, stratum: maintain_by_fbf(update, stratum, limit)
    return maintain_by_fbf
