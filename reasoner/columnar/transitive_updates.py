"""Keeping the closure of a transitive predicate up to date: what its edges derive, lose and gain, as rows of bits.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, section 5 (algorithms 4-6), in bulk.

    Del (49-58)  all R(u, w) of a closed R with u = a or R(u, a), and w = b or R(b, w), for some R(a, b) that goes
    Red (59-63)  the R(u, w) that went and are reachable by the steps that are left
    Add (41-48)  as Del over what R was before, with R(a, b) that come, which may follow one another

Deviation: since R is closed, what an edge derives is a product of two of its rows, so that lines 50-57 and 42-47, which
walk from edge to edge, need no rounds. ``unsupported`` is not in the paper: where external facts are known not to
depend on R, it computes exactly the facts that are lost, without overdeleting any, as the paper proposes in section 8.
Nor are ``steps_between`` and ``reached``, by which B/F looks for a proof of facts of R: the facts that can be steps of
a chain to one of them, and the facts that chains of proved steps derive.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reasoner.columnar.closure import (
    Bits,
    ComponentLevels,
    Reachability,
    add_rows,
    bits_of,
    column_blocks,
    facts_from,
    facts_into,
    rows_of,
    set_bits,
)
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, expand, is_member, pack, ranges, sort_distinct, unpack
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table


def derived_by_edges(table: Table, edges: Keys) -> Keys:
    """Return the facts of a closed table that chains with one of its ``edges`` derive, the edges among them."""
    left, right = unpack(edges)
    starts, ends = sort_distinct(left), sort_distinct(right)

    def rows(after: Bits) -> Bits:
        found = np.zeros((starts.size, after.shape[1]), dtype=np.uint64)
        add_rows(found, starts.searchsorted(left), after, ends.searchsorted(right))
        return found

    return _product(table, starts, ends, rows)


def derived_by_new_edges(table: Table, edges: Keys) -> Keys:
    """Return what a closed table lacks once it has some new edges, these among it."""
    left, right = unpack(edges)
    starts, ends = sort_distinct(left), sort_distinct(right)
    # A chain goes from the end of one new edge by a fact, or by nothing, to the start of the next.
    near, far = unpack(facts_from(table, ends))
    onward = is_member(far, starts)
    same = starts[is_member(starts, ends)]
    near, far = np.concatenate((near[onward], same)), np.concatenate((far[onward], same))
    graph = ComponentLevels(
        ends.size + starts.size,
        np.concatenate((ends.size + starts.searchsorted(left), ends.searchsorted(near))),
        np.concatenate((ends.searchsorted(right), ends.size + starts.searchsorted(far))),
    )

    def rows(after: Bits) -> Bits:
        nothing = np.zeros((starts.size, after.shape[1]), dtype=np.uint64)
        return graph.spread(np.concatenate((after, nothing)))[ends.size :]

    return table.lacking(_product(table, starts, ends, rows))


def steps_between(table: Table, goals: Keys) -> Keys:
    """Return the facts of a closed table from a start of a goal, or what it has, to an end of one, or what has it."""
    starts, ends = (sort_distinct(side) for side in unpack(goals))
    keys = facts_from(table, _reached(table, starts))
    before = sort_distinct(np.concatenate((ends, unpack(facts_into(table, ends))[1])))
    return sort_distinct(keys[is_member(unpack(keys)[1], before)])


def reached(steps: Table, goals: Keys, mapping: Representatives) -> Keys:
    """Return the pairs whose normal form is a goal and that chains of steps connect, without the steps themselves."""
    keys = steps.keys()
    starts, ends = (sort_distinct(side) for side in unpack(keys))
    pairs = goals
    for nodes in (starts, ends):
        # The other side comes first now, so that two turns bring each side to the nodes that it stands for.
        form = mapping.of(nodes)
        order = np.argsort(form, kind="stable")
        wanted, other = unpack(pairs)
        at, position = expand(form[order].searchsorted(wanted), form[order].searchsorted(wanted, "right"))
        pairs = pack(other[at], nodes[order][position])
    pairs = pairs[~steps.contains(*unpack(pairs))]
    if pairs.size == 0:
        return NO_KEYS
    return sort_distinct(pairs[Reachability(starts, keys).reaches(pairs)])


def rederived(left: Table, gone: Keys, external: Table | None) -> Keys:
    """Return those of the facts ``gone`` that chains of facts derive, external ones or, if None, any that are left.

    A node of which no fact has gone reaches what it has left.
    """
    nodes = sort_distinct(unpack(gone)[0])
    steps = facts_from(left if external is None else external, nodes)
    return gone[Reachability(nodes, steps, left).reaches(gone)]


def unsupported(table: Table, lost: Keys, external: Keys, *, nearby: bool) -> Keys:
    """Return the facts of a closed table that do not follow from external facts any more after some were ``lost``.

    ``external`` are all that are left, or only those from the sources of ``neighbourhood`` if ``nearby``.
    """
    nodes = _sources(table, lost) if nearby else sort_distinct(unpack(lost)[0])
    steps = Reachability(nodes, external, table if nearby else None)
    # An edge that other steps make up for may be left out of any chain.
    lost = lost[~steps.reaches(lost)]
    if lost.size == 0:
        return NO_KEYS
    left, right = unpack(lost)
    nodes, ends = steps.nodes, sort_distinct(right)
    known = is_member(right, nodes)
    inner_left, inner_right = unpack(external)
    inside = is_member(inner_right, nodes)
    before = ComponentLevels(
        nodes.size,
        nodes.searchsorted(np.concatenate((left[known], inner_left[inside]))),
        nodes.searchsorted(np.concatenate((right[known], inner_right[inside]))),
    )
    found = []
    for targets in column_blocks(_reached(table, ends), nodes.size):
        after = _rows_and_selves(table, ends, targets)
        seeds = np.zeros((nodes.size, after.shape[1]), dtype=np.uint64)
        add_rows(seeds, nodes.searchsorted(left), after, ends.searchsorted(right))
        row, column = set_bits(before.spread(seeds) & ~steps.to(targets))
        found.append(pack(nodes[row], targets[column]))
    return _joined(found)


def neighbourhood(table: Table, lost: Keys, most: int) -> Keys | None:
    """Return the facts with a subject that some lost edge can be reached from, None if there are more than ``most``."""
    sources = _sources(table, lost)
    size = 0
    for keys in table.subject_runs():
        low, high = ranges(keys, sources)
        size += int((high - low).sum())
    return facts_from(table, sources) if size <= most else None


def _sources(table: Table, edges: Keys) -> Ids:
    starts = sort_distinct(unpack(edges)[0])
    return sort_distinct(np.concatenate((starts, unpack(facts_into(table, starts))[1])))


def _reached(table: Table, ends: Ids) -> Ids:
    return sort_distinct(np.concatenate((ends, unpack(facts_from(table, ends))[1])))


def _rows_and_selves(table: Table, nodes: Ids, targets: Ids) -> Bits:
    """Return the bits of what each node has in a table, and of itself."""
    itself = np.flatnonzero(is_member(nodes, targets))
    return rows_of(table, nodes, targets) | bits_of(
        nodes.size, targets.size, itself, targets.searchsorted(nodes[itself])
    )


def _product(table: Table, starts: Ids, ends: Ids, rows: Callable[[Bits], Bits]) -> Keys:
    """Return (u, w) for all u that are a start or have one in the table, and all w in the row of that start.

    ``rows`` makes the rows of starts from those of ends: each end itself, and what it has in the table.
    """
    start, source = unpack(facts_into(table, starts))
    start, source = np.concatenate((starts, start)), np.concatenate((starts, source))
    order = np.argsort(source, kind="stable")
    start, source = starts.searchsorted(start[order]), source[order]
    sources = sort_distinct(source)
    found = []
    for targets in column_blocks(_reached(table, ends), sources.size + ends.size + starts.size):
        bits = np.zeros((sources.size, -(-targets.size // 64)), dtype=np.uint64)
        add_rows(bits, sources.searchsorted(source), rows(_rows_and_selves(table, ends, targets)), start)
        row, column = set_bits(bits)
        found.append(pack(sources[row], targets[column]))
    return _joined(found)


def _joined(parts: list[Keys]) -> Keys:
    return sort_distinct(np.concatenate(parts)) if parts else NO_KEYS
