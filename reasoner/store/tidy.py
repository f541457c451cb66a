"""Many small segments become few larger ones, at a cost that follows the changes and not the store.

Every commit leaves small files behind. As in a log-structured merge tree, segments have levels by their size, each
level a multiple of the one below; once a level is full, its segments are merged into one, which mostly is of a higher
level. A row is so rewritten a logarithmic number of times. When changes have grown to a part of what they change, the
engine writes a new base instead, which costs a constant number of rows for each changed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from reasoner.store.content import net_change, with_predicate
from reasoner.store.manifest import base_rows
from reasoner.store.segment import ADDED, BASE, REMOVED, Segment, write_segment

# A level is full with so many segments, and holds segments of up to so many times the rows of the level below.
_FULL = 16
_GROWTH = 8
_SMALLEST = 128

# Changes may be this part of their base, and are always let be up to so many rows.
_PART_OF_BASE = 4
_FEW = 4096


def needs_base(segments: Sequence[Segment], rows: int) -> bool:
    """Tell whether a table should be written anew instead of with so many further changes."""
    base = base_rows(tuple(segments))
    changes = sum(segment.rows for segment in segments if segment.kind != BASE) + rows
    return changes > max(base // _PART_OF_BASE, _FEW) or (base == 0 and not segments)


def tidied(folder: Path, table: str, version: int, segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return segments with the same content, some of the last ones merged if they have become many."""
    start = _first_to_merge(segments)
    if start == len(segments):
        return tuple(segments)
    few = segments[start:]
    if table == "dictionary":
        merged = [(ADDED, pa.concat_tables([with_predicate(folder, table, segment) for segment in few]))]
    else:
        added, removed = net_change(folder, table, few)
        merged = [(REMOVED, removed), (ADDED, added)]
    written = [
        write_segment(folder, table, version, kind, rows, mark="-merged") for kind, rows in merged if rows.num_rows
    ]
    return (*segments[:start], *written)


def _first_to_merge(segments: Sequence[Segment]) -> int:
    """Return where the longest run of last segments begins that fills a level, their number if none does."""
    found, start = len(segments), len(segments)
    highest = 0
    while start > 0 and segments[start - 1].kind != BASE:
        level = _level(segments[start - 1].rows)
        if level > highest:
            highest = level
        start -= 1
        if len(segments) - start >= _FULL * (highest + 1):
            found = start
    return found


def _level(rows: int) -> int:
    level, most = 0, _SMALLEST
    while rows > most:
        level, most = level + 1, most * _GROWTH
    return level
