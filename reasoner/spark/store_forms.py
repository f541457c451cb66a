"""Normal forms of explicit facts in a store of Spark: what changes of them, and how facts are looked up by them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from reasoner.columnar.factset import FactSet
from reasoner.columnar.form_groups import FactsByClass, FormGroups
from reasoner.columnar.normal_forms import forms_of
from reasoner.spark.facts import parted
from reasoner.spark.fetched import mentioning, unwrapped
from reasoner.store.content import net_change
from reasoner.store.segment import BASE

if TYPE_CHECKING:
    from reasoner.columnar.persisted import Change
    from reasoner.columnar.store import Snapshot
    from reasoner.spark.engine import SparkEngine
    from reasoner.store.manifest import Manifest

# If more terms than this have moved, all is written anew, by the executors.
_MOST_MOVED = 1 << 16

_TABLE = "normal"


def changed_forms(
    engine: SparkEngine,
    before: Snapshot,
    after: Snapshot,
    changes_to: Callable[[Snapshot], tuple[FactSet, FactSet]],
) -> Change | None:
    """Return the rows that came and those that went between two states; None if that would be too many.

    ``changes_to`` tells which explicit facts came with a state, and which went.
    """
    if not before.representatives and not after.representatives:
        return forms_of(after.representatives, FactSet()), forms_of(after.representatives, FactSet())
    moved = after.representatives.moved_since(before.representatives)
    if moved.size > _MOST_MOVED:
        return None
    came, went = changes_to(after)
    return (
        forms_of(after.representatives, came, mentioning(engine, moved, after.explicit)),
        forms_of(before.representatives, went, mentioning(engine, moved, before.explicit)),
    )


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
