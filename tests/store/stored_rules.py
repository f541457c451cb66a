"""The rules of a version as somebody else reads them, files that say something else, and manifests of earlier days."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from reasoner.store.folder import manifest_path, publish, read_manifest
from reasoner.store.manifest import read_table
from reasoner.store.segment import BASE, write_segment

Constants = tuple[str, ...]


def rows_of(folder: Path, table: str, version: int | None = None) -> set[tuple]:
    """Apply the segments of a table in order, with nothing but a reader of Parquet."""
    found: set[tuple] = set()
    manifest = manifest_path(folder, version or read_manifest(folder).version)
    for segment in json.loads(manifest.read_bytes())["tables"][table]:
        rows = {tuple(row.values()) for row in pq.read_table(folder / segment["path"]).to_pylist()}
        found = found - rows if segment["kind"] == "removed" else found | rows
    return found


def own_texts(folder: Path, version: int | None = None) -> list[str]:
    """Return the texts of one's own rules, in their order."""
    return [text for _, own, text in sorted(rows_of(folder, "rules", version)) if own]


def other_rules(folder: Path, version: int | None = None) -> set[tuple[str, Constants]]:
    """Return every other rule: its text with places, and the constants for them."""
    terms = dict(rows_of(folder, "dictionary", version))
    rows: dict[tuple[int, int], dict[int, str]] = {}
    for rule, row, position, id in rows_of(folder, "parameters", version):
        rows.setdefault((rule, row), {})[position] = terms[id]
    found = set()
    for number, own, text in rows_of(folder, "rules", version):
        constants = [tuple(of[key] for key in sorted(of)) for (rule, _), of in rows.items() if rule == number]
        found |= {(text, each) for each in constants or [()]} if not own else set()
    return found


def tampered(folder: Path, table: str, change: Callable[[list[dict]], list[dict]]) -> Path:
    """Let a table of the current version have other rows, in a file that is sound as such, and return that file."""
    manifest = read_manifest(folder)
    rows = read_table(folder, manifest, table)
    other = pa.Table.from_pylist(change(rows.to_pylist()), rows.schema)
    segment = write_segment(folder, table, manifest.version, BASE, other, mark="-tampered")
    publish(folder, replace(manifest, tables={**manifest.tables, table: (segment,)}))
    return folder / segment.path


def as_format_one(folder: Path) -> None:
    """Turn the current version into what an earlier release wrote: rules of one's own in JSON, and no others."""
    own, path = own_texts(folder), manifest_path(folder, read_manifest(folder).version)
    fields = json.loads(path.read_bytes())
    fields |= {"format": 1, "rules": own}
    fields["counts"] = {name: fields["counts"][name] for name in ("terms", "explicit", "facts")}
    for table in ("rules", "parameters"):
        del fields["tables"][table]
    # A manifest without a checksum is not checked.
    del fields["crc"]
    path.write_text(json.dumps(fields))
