"""What a version of a store consists of: settings, counts, and the segments of every table."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reasoner.store.errors import StoreError
from reasoner.store.segment import BASE, Segment

FORMAT = 2
# Manifests of this format have the rules of one's own, which since then are in a table.
_WITH_OWN_RULES = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """One version; a table without an entry is not known, which for ``facts`` means: not materialised yet.

    ``settings`` are those of the reasoner, ``counts`` what the version holds, ``costs`` what was measured. A reader
    applies the segments of a table in order: a base or added segment adds its rows, a removed one takes them away.
    ``own_rules`` are the texts of one's own rules if a manifest of format 1 was read; else they are in a table.
    """

    version: int
    parent: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, tuple[Segment, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    own_rules: tuple[str, ...] = ()

    def segments(self, table: str) -> tuple[Segment, ...]:
        """Return the segments of a table in order."""
        return self.tables.get(table, ())

    @property
    def paths(self) -> frozenset[str]:
        """The data files that the version needs."""
        return frozenset(segment.path for segments in self.tables.values() for segment in segments)

    @property
    def size(self) -> int:
        """The bytes of these files."""
        return sum(segment.bytes for segments in self.tables.values() for segment in segments)

    def to_json(self) -> bytes:
        """Write the manifest with its own checksum at the end."""
        fields: dict[str, Any] = {
            "format": FORMAT,
            "version": self.version,
            "parent": self.parent,
            "created": self.created,
            "settings": dict(self.settings),
            "counts": dict(self.counts),
            "costs": dict(self.costs),
            "tables": {name: [segment.to_json() for segment in rows] for name, rows in self.tables.items()},
        }
        fields["crc"] = _checksum(fields)
        return (json.dumps(fields, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_json(cls, text: bytes, path: Path) -> Manifest:
        """Read a manifest; ``path`` is where it comes from, for errors."""
        try:
            fields = json.loads(text)
            known = fields["format"]
        except (ValueError, KeyError, TypeError):
            raise StoreError(f"{path} is torn or no manifest; {_REMEDY}") from None
        if known not in (_WITH_OWN_RULES, FORMAT):
            raise StoreError(
                f"{path} is of format {known}, and this version of reasoner reads format {FORMAT} and before; "
                "use the version of reasoner that wrote the store, or dump and load it again"
            )
        checksum = fields.pop("crc", None)
        if checksum is not None and checksum != _checksum(fields):
            raise StoreError(f"{path} is damaged: its checksum is wrong; {_REMEDY}")
        try:
            return cls(
                int(fields["version"]),
                fields.get("parent"),
                fields["settings"],
                {name: tuple(map(Segment.from_json, rows)) for name, rows in fields["tables"].items()},
                fields.get("counts", {}),
                fields.get("costs", {}),
                fields["created"],
                tuple(fields.get("rules", ())) if known == _WITH_OWN_RULES else (),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(f"{path} is no manifest of format {known} ({error!r}); {_REMEDY}") from error


def base_rows(segments: tuple[Segment, ...]) -> int:
    """Count the rows that a table began with."""
    return sum(segment.rows for segment in segments if segment.kind == BASE)


def _checksum(fields: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode())


_REMEDY = "restore it from a copy, or open an earlier version (version=N)"
