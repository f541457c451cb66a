"""Versions that nobody needs, and the files that were only theirs.

Many small segments become few larger ones, at a cost that follows the changes and not the store.

Every commit leaves small files behind. As in a log-structured merge tree, segments have levels by their size, each
level a multiple of the one below; once a level is full, its segments are merged into one, which mostly is of a higher
level. A row is so rewritten a logarithmic number of times. When changes have grown to a part of what they change, the
engine writes a new base instead, which costs a constant number of rows for each changed one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from reasoner.store.file_system import Place, StoreError, file_system
from reasoner.store.folder import CURRENT, DATA, LOCK, MANIFESTS, current_version, read_manifest, versions
from reasoner.store.folder import FILE as NAMESPACES
from reasoner.store.manifest import base_rows, net_change, with_predicate
from reasoner.store.segment import ADDED, BASE, REMOVED, Segment, write_segment

# The version that a data file was written for, or a folder that Spark writes such files to.
_VERSION = re.compile(r"[^/]+/\.?([0-9]{8,})-")


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """What was removed: versions, files of data, and the bytes of these."""

    versions: int
    files: int
    bytes: int


def vacuum(folder: Place, keep: int = 1) -> Vacuumed:
    """Remove all but the last ``keep`` versions, and every data file that none of these needs.

    Only who holds the lock may do so: the files of a commit under way belong to no version yet. Where there is no lock,
    files of versions that may still be committed stay: those after the current one. Manifests go first, so that an
    interruption leaves no version without its files.
    """
    if keep < 1:
        raise StoreError(f"{folder}: keep={keep} would remove the current version; keep 1 or more")
    numbers = versions(folder)
    kept = numbers[-keep:]
    needed = {path for number in kept for path in read_manifest(folder, number).paths}
    files, is_locked = file_system(folder), isinstance(folder, Path)
    current = current_version(folder) if is_locked else max(kept)
    for name in files.files(folder / MANIFESTS):
        number = name.removesuffix(".json")
        # What has a higher number than the current version is left of a commit that never was, if there is a lock.
        is_manifest = name.endswith(".json") and number.isdigit()
        if is_manifest and int(number) not in kept and (is_locked or int(number) <= current):
            files.delete(folder / MANIFESTS / name)
    count = bytes_removed = 0
    for name, size in files.files(folder / DATA).items():
        found = _VERSION.match(name)
        is_under_way = not is_locked and (found is None or int(found[1]) > current)
        if f"{DATA}/{name}" not in needed and not is_under_way:
            files.delete(folder / DATA / name)
            bytes_removed += size
            count += 1
    return Vacuumed(len(numbers) - len(kept), count, bytes_removed)


def remove_store(folder: Place) -> None:
    """Remove a store, and the folder too if nothing else is in it; only who holds the lock may do so."""
    files = file_system(folder)
    files.delete(folder / CURRENT)
    for name in (MANIFESTS, DATA):
        files.delete_folder(folder / name)
    for name in (NAMESPACES, LOCK):
        files.delete(folder / name)
    if isinstance(folder, Path):
        with suppress(OSError):
            folder.rmdir()


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


def tidied(folder: Place, table: str, version: int, segments: Sequence[Segment]) -> tuple[Segment, ...]:
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
