"""The values of typed literals in files: which literals may have one value, without their texts at the driver.

A table (hash, id) is made of the typed literals of a dictionary when values are first asked for, sorted by a hash of
what they denote. Literals of one value have one hash; whether those of one hash have one value, texts decide.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from loaders.parted_dictionary import PartedDictionary
from loaders.text_hash import text_hashes
from reasoner.columnar.kernels import sort_distinct
from reasoner.literals.value import key_name, value_key
from reasoner.spark.python_tasks import mapped
from reasoner.spark.term_files import Owner, RowFiles, TermFiles, by_hash, files_of, written

if TYPE_CHECKING:
    import pyarrow as pa

    from reasoner.spark.scratch import Scratch

_SCHEMA = "hash long, id long"
_TYPED = "left(text, 1) = '\"' AND right(text, 1) <> '\"'"


class ValueFiles:
    """The hashes of values of a dictionary's literals that are not at the driver."""

    def __init__(self, scratch: Scratch, dictionary: PartedDictionary) -> None:
        self._scratch = scratch
        self._dictionary = dictionary
        self._owner = Owner()
        self._made: WeakKeyDictionary[TermFiles, RowFiles] = WeakKeyDictionary()

    def __bool__(self) -> bool:
        """Tell whether there are any files."""
        return bool(self._dictionary.kept)

    def may_equal(self, keys: Iterable[Hashable]) -> Any:
        """Return the literals in files, sorted by id, that may have one of some values."""
        import pyarrow as pa

        hashes = sort_distinct(text_hashes(pa.array(sorted({key_name(key) for key in keys}), pa.string())))
        found = [self._found(part, files, hashes) for part, files in self._files()]
        return sort_distinct(pa.concat_arrays([pa.array([], pa.int64()), *found]).to_numpy())

    def repeated(self, held: dict[int, Hashable]) -> str:
        """Return the query (id) for the literals that may have one value with another, ``held`` being at the driver."""
        import pyarrow as pa

        names = pa.array([key_name(key) for key in held.values()], pa.string())
        at_driver = pa.table({"hash": text_hashes(names), "id": pa.array(list(held), pa.int64())})
        self._owner = Owner()
        views = [files.view for _, files in self._files()] + [self._scratch.table_view(self._owner, at_driver)]
        rows = " UNION ALL ".join(f"SELECT hash, id FROM {view}" for view in views)
        several = f"SELECT hash FROM ({rows}) GROUP BY hash HAVING count(*) > 1"
        return f"SELECT id FROM ({rows}) JOIN ({several}) USING (hash) WHERE id < {len(self._dictionary)}"

    def _files(self) -> Iterator[tuple[TermFiles, RowFiles]]:
        for part in files_of(self._dictionary):
            if part not in self._made:
                frame = mapped(self._scratch.session.sql(f"{part.query} AND {_TYPED}"), _valued, _SCHEMA)
                self._made[part] = written(self._scratch, by_hash(frame, part.end - part.first), _SCHEMA)
            yield part, self._made[part]

    def _found(self, part: TermFiles, files: RowFiles, hashes: Any) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        found = None if files.rows is None else files.rows.about(hashes)
        if found is None:
            owner = Owner()
            wanted = self._scratch.table_view(owner, pa.table({"hash": hashes}))
            ids = self._scratch.rows(f"SELECT id FROM {files.view} JOIN {wanted} USING (hash)")["id"].combine_chunks()
        else:
            ids = found[1]
        return ids.filter(pc.less(ids, part.end))


def _valued(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return, in a task, the hashes of the values of literals."""
    import pyarrow as pa

    for batch in batches:
        names = [key_name(value_key(text)) for text in batch.column("text").to_pylist()]
        yield pa.RecordBatch.from_pydict({"hash": text_hashes(pa.array(names, pa.string())), "id": batch.column("id")})
