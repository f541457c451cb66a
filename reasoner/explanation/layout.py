"""Where the steps of a proof stand in a picture: columns by distance from the conclusion, no two steps in one place.

A step stands one column to the right of the last step that uses it. It belongs to that step, and the steps that belong
to one step, with all that belongs to them, take rows of their own; so steps never overlap, and a step that is shared
stands once. A step is level with the middle of those that belong to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from reasoner.explanation.proof import Proof


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns count from the left, the conclusion being in column 0. ``row`` is how far from the top the middle of a
    step is, in the unit of the heights that were given, and ``depth`` how far the picture goes down.
    ``owner`` is the step that a premise stands beside.
    """

    column: dict[Proof, int]
    owner: dict[Proof, Proof]
    row: dict[Proof, float]
    column_count: int
    depth: float


def lay_out(proof: Proof, heights: dict[Proof, float]) -> Layout:
    """Place the steps of a proof, given the height of each, gaps included."""
    steps = proof.steps
    column = dict.fromkeys(steps, 0)
    owner: dict[Proof, Proof] = {}
    # A step comes after its premises, so from the end backward all that use a step come before it.
    for step in reversed(steps):
        for premise in dict.fromkeys(step.premises):
            if column[step] + 1 > column[premise]:
                column[premise] = column[step] + 1
                owner[premise] = step
    owned: dict[Proof, list[Proof]] = {step: [] for step in steps}
    for step in steps:
        for premise in dict.fromkeys(step.premises):
            if owner[premise] is step:
                owned[step].append(premise)
    row, bottom = _rows(steps, owned, heights)
    return Layout(column, owner, row, max(column.values()) + 1, bottom)


def _rows(
    steps: tuple[Proof, ...], owned: dict[Proof, list[Proof]], heights: dict[Proof, float]
) -> tuple[dict[Proof, float], float]:
    """Give each step the rows that it needs with all that belongs to it, and its middle among them."""
    needed: dict[Proof, float] = {}
    for step in steps:
        needed[step] = max(heights[step], sum(needed[below] for below in owned[step]))
    top = {steps[-1]: 0.0}
    row: dict[Proof, float] = {}
    waiting = [steps[-1]]
    while waiting:
        step = waiting.pop()
        # Children that need fewer rows than their owner stand in the middle of its rows.
        start = top[step] + (needed[step] - sum(needed[below] for below in owned[step])) / 2
        for below in owned[step]:
            top[below] = start
            start += needed[below]
        waiting += owned[step]
    for step in steps:
        premises = owned[step]
        middle = (row[premises[0]] + row[premises[-1]]) / 2 if premises else top[step] + needed[step] / 2
        low, high = top[step] + heights[step] / 2, top[step] + needed[step] - heights[step] / 2
        row[step] = min(max(middle, low), high)
    return row, needed[steps[-1]]
