"""Terms to ids, bucket by bucket: equal texts meet, terms that are known keep their ids, new ones are counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reasoner.rules.errors import ReasonerError
from reasoner.spark.loading.parse import UNSCOPED, buckets_of
from reasoner.spark.loading.pieces import SCHEMA, pack, packed_rows, row_batch, unpack
from reasoner.spark.platform.python_tasks import mapped
from reasoner.terms.term import OCCURS, RESERVED_TERMS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DICTIONARY_SCHEMA = "id bigint, text string"

# Rows of the step that numbers terms, by their origin: ids go back to parts, which count from 0.
_KNOWN = -1
NEW_TERMS, COUNT = -2, -3

_KNOWN_AT_ONCE = 1 << 20
_SCOPED = r"^_:f([0-9]{1,18})[_-]"
_LONGEST_COLUMN = 1 << 30


def first_dictionary(session: SparkSession) -> DataFrame:
    """Return the dictionary of an empty store, which holds the reserved terms."""
    # Rows that are part of the query take no task of Python, as a data frame made from Python would.
    rows = ", ".join(f"({id}L, '{term}')" for id, term in enumerate(RESERVED_TERMS))
    return session.sql(f"SELECT id, text FROM VALUES {rows} AS reserved(id, text)")


def size_and_scopes(dictionary: DataFrame) -> tuple[int, int]:
    """Return the next free id of a dictionary, and the next free number of a file's blank nodes.

    Raise ``ReasonerError`` if the reserved terms are not where every store has them.
    """
    reserved = " OR ".join(f"(id = {id} AND text = '{term}')" for id, term in enumerate(RESERVED_TERMS))
    found = dictionary.selectExpr(
        "max(id) AS last",
        "count(*) AS terms",
        f"count_if({reserved}) AS reserved",
        f"max(CAST(nullif(regexp_extract(text, r'{_SCOPED}', 1), '') AS bigint)) AS scope",
    ).collect()[0]
    if found.reserved != len(RESERVED_TERMS) or found.terms != found.last + 1:
        raise ReasonerError(
            f"the dictionary to extend has {found.terms} terms up to id {found.last}; it must have dense ids from 0, "
            f"and begin with {' and '.join(RESERVED_TERMS)}"
        )
    return int(found.terms), 0 if found.scope is None else int(found.scope) + 1


def spread_known(dictionary: DataFrame, buckets: int) -> DataFrame:
    """Return the rows that bring the terms of a dictionary to their buckets."""

    def spread(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from spread_batches(batches, buckets)

    return mapped(dictionary.select("id", "text"), spread, SCHEMA)


def number_terms(rows: DataFrame, scopes: Mapping[int, str], buckets: int) -> DataFrame:
    """Return, for rows that lie together by bucket, the ids for the parts, the new terms, and how many these are.

    New terms are numbered from -1 downwards in every bucket: where their ids begin is known when all are counted.
    The reserved terms are known in any case. ``scopes`` are the prefixes of the files' blank nodes.
    """

    def number(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from number_buckets(batches, scopes, buckets)

    return mapped(rows, number, SCHEMA)


def new_terms(numbered: DataFrame, first_ids: Mapping[int, int]) -> DataFrame:
    """Return the new terms with their ids, for the first id of every bucket."""

    def table(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _, bucket, data in packed_rows(batches):
            texts = unpack(data).column("text")
            ids = np.arange(first_ids[bucket], first_ids[bucket] + len(texts))
            yield pa.RecordBatch.from_pydict({"id": pa.array(ids), "text": texts.cast(pa.string())})

    return mapped(numbered.where(f"origin = {NEW_TERMS}"), table, DICTIONARY_SCHEMA)


def first_new_ids(numbered: DataFrame, first: int) -> tuple[dict[int, int], int]:
    """Return the first new id of every bucket, and the size of the dictionary with all of them."""
    counts = numbered.where(f"origin = {COUNT}").select("target", "data").collect()
    first_ids: dict[int, int] = {}
    for row in sorted(counts, key=lambda row: int(row.target)):
        first_ids[row.target] = first
        first += int(bytes(row.data))
    if first > OCCURS:
        raise ReasonerError(f"{first} terms are more than a store can hold, which is {OCCURS}")
    return first_ids, first


def spread_batches(batches: Iterable[pa.RecordBatch], buckets: int) -> Iterator[pa.RecordBatch]:
    """Do, in a task, what ``spread_known`` promises."""
    kept: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        kept.append(batch)
        count += batch.num_rows
        if count >= _KNOWN_AT_ONCE:
            yield from _spread_table(pa.Table.from_batches(kept), buckets)
            kept, count = [], 0
    if count:
        yield from _spread_table(pa.Table.from_batches(kept), buckets)


def _spread_table(table: pa.Table, buckets: int) -> Iterator[pa.RecordBatch]:
    table = table.combine_chunks()
    targets = buckets_of(table.column("text").chunk(0).cast(pa.string()), buckets)
    order = np.argsort(targets, kind="stable")
    ordered, sorted_targets = table.take(pa.array(order)).combine_chunks(), targets[order]
    starts = np.flatnonzero(np.diff(sorted_targets, prepend=-1))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        part = ordered.slice(start, stop - start)
        data = pack(id=part.column("id").combine_chunks(), text=part.column("text").combine_chunks())
        yield row_batch((_KNOWN, int(sorted_targets[start]), data))


def number_buckets(
    batches: Iterable[pa.RecordBatch], scopes: Mapping[int, str], buckets: int
) -> Iterator[pa.RecordBatch]:
    """Do, in a task, what ``number_terms`` promises."""
    reserved = dict(zip(RESERVED_TERMS, buckets_of(pa.array(RESERVED_TERMS), buckets).tolist(), strict=True))
    received: dict[int, list[tuple[int, pa.RecordBatch]]] = defaultdict(list)
    for origin, bucket, data in packed_rows(batches):
        received[bucket].append((origin, unpack(data)))
    for bucket in sorted(received):
        # The order of arrival is chance; that of the parts is not.
        parts = sorted(received.pop(bucket), key=lambda part: part[0])
        known = [part for origin, part in parts if origin == _KNOWN]
        here = [(id, term) for id, term in enumerate(RESERVED_TERMS) if reserved[term] == bucket]
        known_ids = np.array([id for id, _ in here], np.int64)
        known_texts = pa.array([term for _, term in here], pa.string())
        if known:
            # The reserved terms are among them.
            known_ids = np.concatenate([part.column("id").to_numpy() for part in known])
            known_texts = _concatenated([part.column("text") for part in known])
        texts = _concatenated([known_texts, *(part.column("text") for _, part in parts[len(known) :])])
        encoded = texts.dictionary_encode()
        distinct, codes = encoded.dictionary, encoded.indices.to_numpy()
        # Known terms come first and differ from one another, so the first codes are theirs.
        ids = np.concatenate([known_ids, -1 - np.arange(len(distinct) - len(known_ids))])
        place = len(known_ids)
        for origin, part in parts[len(known) :]:
            yield row_batch((origin, bucket, pack(id=ids[codes[place : place + part.num_rows]])))
            place += part.num_rows
        fresh = distinct.slice(len(known_ids))
        if len(fresh):
            yield row_batch(
                (NEW_TERMS, bucket, pack(text=_scoped(fresh, scopes))), (COUNT, bucket, str(len(fresh)).encode())
            )


def _concatenated(texts: list[pa.Array]) -> pa.Array:
    if any(text.type != pa.string() for text in texts) or sum(text.nbytes for text in texts) > _LONGEST_COLUMN:
        texts = [text.cast(pa.large_string()) for text in texts]
    return pa.concat_arrays(texts)


def _scoped(texts: pa.Array, scopes: Mapping[int, str]) -> pa.Array:
    """Put the prefix of its file before the label of every blank node."""
    mask = pc.starts_with(texts, UNSCOPED)
    blanks = texts.filter(mask)
    if not len(blanks):
        return texts
    parts = pc.extract_regex(blanks, rf"^{UNSCOPED}(?P<file>[0-9]+)(?P<label>(?s:.*))$")
    files = parts.field("file").cast(pa.int64()).to_pylist()
    prefixes = pa.array([f"_:{scopes[file]}" for file in files], texts.type)
    return pc.replace_with_mask(texts, mask, pc.binary_join_element_wise(prefixes, parts.field("label"), ""))
