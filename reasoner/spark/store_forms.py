"""Normal forms of explicit facts in a store of Spark: how they are written, and how facts are looked up by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reasoner.columnar.form_groups import FactsByClass, FormGroups
from reasoner.columnar.normal_forms import forms_of, whole_forms
from reasoner.spark.facts import parted
from reasoner.spark.fetched import mentioning, unwrapped
from reasoner.spark.store_files import write_forms
from reasoner.store.content import net_change
from reasoner.store.segment import ADDED, BASE, REMOVED, Segment, write_segment
from reasoner.store.tidy import needs_base, tidied

if TYPE_CHECKING:
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.store import Snapshot
    from reasoner.spark.engine import SparkEngine
    from reasoner.store.manifest import Manifest

# If more terms than this have moved, all is written anew, by the executors.
_MOST_MOVED = 1 << 16

_TABLE = "normal"


def write_changed_forms(
    engine: SparkEngine,
    folder: Path,
    manifest: Manifest,
    before: Snapshot,
    after: Snapshot,
    version: int,
    changes_to: Callable[[Snapshot], tuple[FactSet, FactSet]],
) -> tuple[Segment, ...]:
    """Write what differs between the state of a version and another, or all of it; return the segments.

    ``changes_to`` tells which explicit facts came with a state, and which went.
    """
    segments = manifest.segments(_TABLE)
    if _TABLE not in manifest.tables:
        return _whole(engine, folder, after, version)
    same_facts = before.explicit is after.explicit
    if (same_facts and before.representatives is after.representatives) or not (
        before.representatives or after.representatives
    ):
        return segments
    moved = after.representatives.moved_since(before.representatives)
    if moved.size > _MOST_MOVED:
        return _whole(engine, folder, after, version)
    came, went = changes_to(after)
    rows = [
        (kind, forms_of(state.representatives, changed, mentioning(engine, moved, state.explicit)))
        for kind, changed, state in ((REMOVED, went, before), (ADDED, came, after))
    ]
    changes = sum(table.num_rows for _, table in rows)
    if not changes:
        return segments
    if needs_base(segments, changes):
        return _whole(engine, folder, after, version)
    new = [write_segment(folder, _TABLE, version, kind, table) for kind, table in rows if table.num_rows]
    return tidied(folder, _TABLE, version, [*segments, *new])


def look_up_by_class(engine: SparkEngine, folder: Path, manifest: Manifest, state: Snapshot) -> None:
    """Let explicit facts in files be found by the normal forms of a version that holds a state."""
    facts = unwrapped(engine, state.explicit)
    runs = [segment.run for segment in facts.segments]
    for run in runs:
        if isinstance(run.groups, FactsByClass):
            run.groups = run.groups.plain
    segments, parts = manifest.segments(_TABLE), parted(facts)
    if not segments or parts is None or len(parts[0]) != 1:
        return
    ((file,), leaving, joining) = parts
    if file.run.groups is None or isinstance(file.run.groups, FactsByClass):
        return
    base = [segment for segment in segments if segment.kind == BASE]
    came, went = net_change(folder, _TABLE, [segment for segment in segments if segment.kind != BASE])
    paths, rows = [folder / segment.path for segment in base], sum(segment.rows for segment in base)
    forms = FormGroups(paths, rows, came, went)
    file.run.groups = FactsByClass(file.run.groups, state.representatives, forms, leaving, joining)


def _whole(engine: SparkEngine, folder: Path, state: Snapshot, version: int) -> tuple[Segment, ...]:
    explicit = unwrapped(engine, state.explicit)
    if explicit.local is None:
        return tuple(write_forms(engine, explicit, state.representatives, folder, version))
    pieces = whole_forms(replace(state, explicit=explicit.local))
    return tuple(
        write_segment(folder, _TABLE, version, BASE, table, predicate=predicate) for predicate, table in pieces
    )
