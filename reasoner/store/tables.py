"""The tables of a store: their columns, the order of their rows, and how their files are written.

Ids are dense from 0, owl:sameAs and rdf:type first. ``explicit``, ``facts`` and ``normal`` are split by predicate: a
frequent one has files of its own, without a column for it, and the others share files. ``normal`` has the explicit
facts that are not their own normal form: that form, and the fact as it was asserted. ``hashes`` leads from a text to
its id, for whoever does not have the dictionary in memory: it has the hashes (``loaders.text_hash``) of the texts whose
ids are less than the number of its rows, and need not be there at all. ``rules`` are those that a version was reasoned
with: one's own as they are, and of all others what many have in common, with their constants in ``parameters``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from reasoner.store.errors import StoreError
from reasoner.vocabulary import TYPE

# Rows that are read as a whole; rdf:type is read class by class, so that a class should not drag others along.
_GROUP = 1 << 17
_GROUP_OF_TYPES = 1 << 13
# Who looks up single terms reads those around them.
_GROUP_OF_TERMS = 1 << 14
# Who looks up classes of equal terms reads the facts about others near them.
_GROUP_OF_FORMS = 1 << 14

FACTS = ("explicit", "facts")
SPLIT = (*FACTS, "normal")


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a file, the columns that its rows are sorted by, and how many rows are one group of Parquet."""

    columns: tuple[str, ...]
    order: tuple[str, ...]
    group: int = _GROUP

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(name, _type_of(name), nullable=False) for name in self.columns])

    @property
    def parquet(self) -> dict[str, Any]:
        """How the file is encoded: sorted ids as small differences."""
        packed = {name: "DELTA_LENGTH_BYTE_ARRAY" if name == "text" else "DELTA_BINARY_PACKED" for name in self.columns}
        return {
            "row_group_size": self.group,
            "use_dictionary": False,
            "column_encoding": packed,
            "compression": "zstd",
            "write_statistics": [name for name in self.columns if name != "text"],
            # Spark reads pages again and again, long after the file was checked as a whole.
            "write_page_checksum": True,
        }


_TRIPLES = Layout(("s", "p", "o"), ("p", "s", "o"))
_PAIRS = Layout(("s", "o"), ("s", "o"))
_TYPES = Layout(("s", "o"), ("o", "s"), _GROUP_OF_TYPES)
_RAW = ("raw_s", "raw_p", "raw_o")
_FORMS = Layout(("s", "p", "o", *_RAW), ("p", "s", "o", *_RAW), _GROUP_OF_FORMS)
_FORMS_OF_ONE = Layout(("s", "o", *_RAW), ("s", "o", *_RAW), _GROUP_OF_FORMS)

# What holds of a table as a whole: the columns that tell its rows apart.
TABLES = {
    "dictionary": Layout(("id", "text"), ("id",), _GROUP_OF_TERMS),
    "hashes": Layout(("hash", "id"), ("hash", "id")),
    "explicit": _TRIPLES,
    "facts": _TRIPLES,
    "normal": _FORMS,
    "representatives": Layout(("id", "representative"), ("id", "representative")),
    "quads": Layout(("g", "s", "p", "o"), ("g", "p", "s", "o")),
    "values": _PAIRS,
    "rules": Layout(("rule", "own", "text"), ("rule",)),
    "parameters": Layout(("rule", "row", "position", "id"), ("rule", "row", "position")),
}


def layout_of(table: str, predicate: int | None = None) -> Layout:
    """Return how a file of a table is laid out, or of one predicate of it.

    >>> layout_of("facts").columns, layout_of("facts", 7).columns, layout_of("facts", 1).order
    (('s', 'p', 'o'), ('s', 'o'), ('o', 's'))
    """
    if table not in TABLES:
        raise StoreError(f"a store has no table {table!r}; its tables are {', '.join(TABLES)}")
    if predicate is None:
        return TABLES[table]
    if table not in SPLIT:
        raise StoreError(f"the table {table} is not split by predicate; write it without one")
    if table == "normal":
        return _FORMS_OF_ONE
    return _TYPES if predicate == TYPE else _PAIRS


def _type_of(column: str) -> pa.DataType:
    return pa.string() if column == "text" else pa.int64()
