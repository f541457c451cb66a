"""Terms in files: a table (id, text) for queries, which the driver looks single terms up in, and nothing more.

A second table (hash, id), sorted by the hashes of texts, leads from a text to its id. It is part of a store on disk;
where there is none it is made when a text is first looked up. Where the driver does not see the files, a job looks
terms up.

The values of typed literals in files: which literals may have one value, without their texts at the driver.

A table (hash, id) is made of the typed literals of a dictionary when values are first asked for, sorted by a hash of
what they denote. Literals of one value have one hash; whether those of one hash have one value, texts decide.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from loaders.parted_dictionary import PartedDictionary
from loaders.texts import text_hashes
from reasoner.columnar.kernels import sort_distinct
from reasoner.columnar.row_groups import KeyedRows, ids_of, mask_of_bitmaps, matched, ordered_texts, texts_of
from reasoner.spark.platform.python_tasks import mapped
from reasoner.spark.platform.scratch import Scratch
from reasoner.spark.platform.shared_folder import UnsharedFolderError
from reasoner.store.file_system import Place, StoreError
from reasoner.terms.value import key_name, value_key

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

# Fewer terms are in the memory of the driver, where they are looked up sooner.
DRIVER_TERMS = 1 << 18
# The hashes that one file has.
_FILE_ROWS = 1 << 21
_BITMAP = 1 << 15
_TERMS, _HASHES = "id long, text string", "hash long, id long"
_SCOPED = r"^_:f([0-9]{1,18})[_-]"


class Owner:
    """Whom a view belongs to: it goes when nobody refers to its owner any more."""


class RowFiles:
    """Files of a table of two columns: a view of them for queries, and what the driver may read of them by itself."""

    def __init__(
        self, scratch: Scratch, owner: Owner, view: str, schema: str, paths: Sequence[Place] | None, rows: int
    ) -> None:
        self.scratch = scratch
        self.view = view
        self.paths = paths
        self._owner = owner
        key, value = (part.split()[0] for part in schema.split(", "))
        self.rows = None if paths is None else KeyedRows(paths, rows, key, value)


def written(scratch: Scratch, frame: DataFrame, schema: str, rows: int | None = None) -> RowFiles:
    """Write a frame into the scratch folder; where it is known how many ``rows`` it has, no others may be written."""
    owner = Owner()
    view, paths, found = scratch.frame_written(owner, frame, schema)
    if rows is not None and found != rows:
        raise UnsharedFolderError(
            scratch.folder, f"{rows:,} rows were to be written there, and executors had {found:,}"
        )
    return RowFiles(scratch, owner, view, schema, paths, found)


def _stored(scratch: Scratch, paths: Sequence[Place], schema: str, rows: int) -> RowFiles:
    owner = Owner()
    return RowFiles(scratch, owner, scratch.file_view(owner, schema, paths), schema, paths, rows)


class TermFiles:
    """The terms of a table with ids from ``first`` to before ``end``."""

    def __init__(self, terms: RowFiles, first: int, end: int, hashes: RowFiles | None = None) -> None:
        self._terms = terms
        self._known_hashes = hashes
        self.first = first
        self.end = end

    @property
    def query(self) -> str:
        """The query for the terms, as (id, text)."""
        return f"SELECT id, text FROM {self._terms.view} WHERE id >= {self.first} AND id < {self.end}"

    @property
    def hash_query(self) -> str:
        """The query for the hashes of their texts, as (hash, id)."""
        return f"SELECT hash, id FROM {self._hashes.view} WHERE id >= {self.first} AND id < {self.end}"

    @property
    def paths(self) -> list[Place]:
        """The files that are read, as far as they are known."""
        both = (self._terms, self._known_hashes)
        return [path for files in both if files is not None for path in files.paths or ()]

    @property
    def has_hashes(self) -> bool:
        """Whether the hashes of the texts have been made."""
        return self._known_hashes is not None

    @cached_property
    def text_bytes(self) -> int:
        return int(self._rows(f"SELECT sum(octet_length(text)) AS bytes FROM ({self.query})")["bytes"][0].as_py())

    def find(self, texts: pa.StringArray) -> Any:
        import pyarrow as pa

        if self._terms.rows is not None and (index := self._hashes.rows) is not None:
            found = ids_of(index, self._terms.rows, texts, self.first, self.end)
            if found is not None:
                self._terms.scratch.traffic.read(len(texts))
                return found
        wanted = self._terms.scratch.table_view(owner := Owner(), pa.table({"text": texts}))
        rows = self._rows(f"SELECT id, text FROM ({self.query}) JOIN {wanted} USING (text)")
        del owner
        return matched(texts, rows["id"].to_numpy(), rows["text"].combine_chunks().cast(pa.string()))

    def texts(self, ids: Any) -> pa.StringArray:
        import pyarrow as pa

        try:
            found = None if self._terms.rows is None else texts_of(self._terms.rows, ids)
            if found is not None:
                self._terms.scratch.traffic.read(len(found))
                return found.cast(pa.string())
            wanted = self._terms.scratch.table_view(owner := Owner(), pa.table({"id": ids}))
            rows = self._rows(f"SELECT id, text FROM ({self.query}) JOIN {wanted} USING (id)").sort_by("id")
            del owner
            return ordered_texts(ids, rows["id"].to_numpy(), rows["text"].combine_chunks().cast(pa.string()))
        except ValueError as error:
            where = self.paths[0].parent if self.paths else self._terms.scratch.folder
            raise StoreError(f"{where}: the dictionary is damaged: {error}; open an earlier version") from error

    def all_texts(self) -> pa.StringArray:
        """Return the texts of all terms, which are to be few."""
        import pyarrow as pa

        return self.texts(pa.array(range(self.first, self.end), pa.int64()).to_numpy())

    def literals(self) -> Any:
        # A bitmap has positions from 1 on.
        number, place = "bitmap_bucket_number(id + 1)", "bitmap_bit_position(id + 1)"
        rows = self._rows(
            f"SELECT {number} - 1 AS bucket, bitmap_construct_agg({place}) AS bits FROM ({self.query})"
            f" WHERE left(text, 1) = '\"' GROUP BY {number}"
        )
        return mask_of_bitmaps(rows["bucket"].to_numpy(), rows["bits"], _BITMAP, self.first, self.end)

    def highest_scope(self) -> int:
        return self._highest_scope

    def before(self, end: int) -> TermFiles:
        return TermFiles(self._terms, self.first, end, self._known_hashes)

    @cached_property
    def _highest_scope(self) -> int:
        number = f"max(CAST(nullif(regexp_extract(text, r'{_SCOPED}', 1), '') AS bigint))"
        found = self._rows(f"SELECT {number} AS scope FROM ({self.query}) WHERE left(text, 2) = '_:'")["scope"][0]
        return -1 if found.as_py() is None else int(found.as_py())

    @property
    def _hashes(self) -> RowFiles:
        if self._known_hashes is None:
            scratch = self._terms.scratch
            frame = mapped(scratch.session.sql(self.query), _hashed, _HASHES)
            rows = self.end - self.first
            self._known_hashes = written(scratch, by_hash(frame, rows), _HASHES, rows)
        return self._known_hashes

    def _rows(self, query: str) -> pa.Table:
        return self._terms.scratch.rows(query)


def files_of(dictionary: PartedDictionary) -> list[TermFiles]:
    """Return the parts of a dictionary of Spark's that are in files."""
    found = [part for part in dictionary.kept if isinstance(part, TermFiles)]
    if len(found) != len(dictionary.kept):
        raise TypeError("a dictionary of Spark's has its terms at the driver and in files, and nowhere else")
    return found


def write_terms(scratch: Scratch, added: DataFrame, first: int, end: int) -> TermFiles:
    """Write new terms (id, text) into the scratch folder, and return them as a part of a dictionary."""
    return TermFiles(written(scratch, added, _TERMS, end - first), first, end)


def stored_terms(
    scratch: Scratch, terms: Sequence[Place], total: int, hashes: Sequence[Place], hashed: int
) -> list[TermFiles]:
    """Return the terms in files of a store: those whose hashes are there, and those whose hashes have to be made."""
    table, parts = _stored(scratch, terms, _TERMS, total), []
    if hashed:
        parts.append(TermFiles(table, 0, hashed, _stored(scratch, hashes, _HASHES, hashed)))
    if hashed < total:
        parts.append(TermFiles(table, hashed, total))
    return parts


def by_hash(hashes: DataFrame, rows: int) -> DataFrame:
    """Return a frame (hash, id) such that each of its files has a range of hashes, sorted."""
    files = max(1, rows // _FILE_ROWS)
    if files == 1:
        return hashes.coalesce(1).sortWithinPartitions("hash")
    place = f"shiftrightunsigned(shiftrightunsigned(hash, 32) * {files}, 32)"
    spread = hashes.selectExpr("hash", "id", f"{place} AS place").repartition(files, "place")
    return spread.drop("place").sortWithinPartitions("hash")


def hashes_of(scratch: Scratch, dictionary: PartedDictionary, first: int) -> DataFrame:
    """Return a frame (hash, id) of all terms with ids from ``first`` on, wherever they are."""
    import pyarrow as pa

    queries = [part.hash_query for part in files_of(dictionary) if part.end > first]
    frame = scratch.session.sql(f"SELECT * FROM ({' UNION ALL '.join(queries)}) WHERE id >= {first}")
    held = dictionary.held_from(first)
    if not held.size:
        return frame
    table = pa.table({"hash": text_hashes(dictionary.decode_arrow(held)), "id": held})
    return frame.unionAll(scratch.session.createDataFrame(table))


def _hashed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return, in a task, the hashes of terms."""
    import pyarrow as pa

    for batch in batches:
        hashes = text_hashes(batch.column("text").cast(pa.string()))
        yield pa.RecordBatch.from_pydict({"hash": pa.array(hashes), "id": batch.column("id")})


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
