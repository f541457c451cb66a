"""The steps of a distributed load, one after the other in this process, on random files cut at random places."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loaders.dictionary import Dictionary
from loaders.formats import Format
from loaders.load import load as load_alone
from reasoner.spark.loading import parse
from reasoner.spark.loading.dictionary import COUNT, NEW_TERMS, number_buckets, spread_batches
from reasoner.spark.loading.load import decode_parts, gather
from reasoner.spark.loading.parse import CODES, NOTES, ParseSettings, buckets_of, parse_pieces
from reasoner.spark.loading.pieces import LineRange, RdfFile, packed_rows, unpack
from reasoner.terms.term import RESERVED_TERMS

TERMS = ["<u:a>", "<u:b>", '"x"', '"é"@en', '"a\\"b"', "_:n", "_:m", RESERVED_TERMS[1]]
NODES = [term for term in TERMS if not term.startswith('"')]
IRIS = [term for term in NODES if not term.startswith("_")]

statement = st.tuples(st.sampled_from(NODES), st.sampled_from(IRIS), st.sampled_from(TERMS)).map(
    lambda terms: " ".join(terms) + " ."
)
line = st.one_of(statement, statement, st.sampled_from(["", "# note", "bad line", "<u:a> <u:b> <u:b> . # x", "\t"]))
document = st.lists(line, max_size=25).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)


def run_steps(segments, files, buckets, known=()):
    """Do what Spark does: give rows to tasks by their targets and origins, in an order that is chance."""
    options = ParseSettings(buckets, None, skip_errors=True)
    pieces = [(segment,) for segment in segments]
    numbers = pa.RecordBatch.from_pydict({"id": list(range(len(pieces)))})
    rows = list(packed_rows(parse_pieces([numbers], pieces, options)))
    notes = [bytes(data) for _, target, data in rows if target == NOTES]
    findings = gather(notes, files, 0, skip_errors=True)
    for_buckets = [row for row in rows if row[1] >= 0][::-1]
    if known:
        table = pa.RecordBatch.from_pydict({"id": list(range(len(known))), "text": list(known)})
        for_buckets += packed_rows(spread_batches([table], buckets))
    numbered = list(packed_rows(number_buckets([_batch(for_buckets)], findings.scopes, buckets)))
    first, first_ids = len(known or RESERVED_TERMS), {}
    for _, bucket, data in sorted((row for row in numbered if row[0] == COUNT), key=lambda row: row[1]):
        first_ids[bucket], first = first, first + int(bytes(data))
    texts = dict(enumerate(known or RESERVED_TERMS))
    for origin, bucket, data in numbered:
        if origin == NEW_TERMS:
            texts.update(enumerate(unpack(data).column("text").to_pylist(), first_ids[bucket]))
    for_parts = [row for row in rows if row[1] == CODES] + [row for row in numbered if row[0] >= 0]
    statements = [row for batch in decode_parts([_batch(for_parts)], first_ids, "spo") for row in batch.to_pylist()]
    return texts, Counter(tuple(texts[row[name]] for name in "spo") for row in statements), findings


def _batch(rows):
    columns = list(zip(*((origin, target, bytes(data)) for origin, target, data in rows), strict=True)) or [[], [], []]
    types = {"origin": pa.int64(), "target": pa.int64(), "data": pa.binary()}
    return pa.RecordBatch.from_arrays(
        [pa.array(column, kind) for column, kind in zip(columns, types.values(), strict=True)], names=list(types)
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.lists(document, min_size=1, max_size=3),
    cuts=st.lists(st.floats(0, 1), max_size=4),
    buckets=st.integers(1, 9),
    kept=st.sampled_from([1, 3, 1 << 22]),
)
def test_any_files_cut_anywhere_give_the_terms_statements_and_errors_of_the_loader(
    tmp_path: Path, documents, cuts, buckets, kept
):
    files, segments = [], []
    for number, text in enumerate(documents):
        path = tmp_path / f"{number}.nt"
        path.write_bytes(text.encode())
        size = len(text.encode())
        files.append(RdfFile(number, str(path), size, Format.NTRIPLES, path, is_plain=True))
        bounds = [0, *sorted(int(cut * size) for cut in cuts), size]
        segments += [
            LineRange(number, str(path), path, Format.NTRIPLES, start, stop) for start, stop in pairwise(bounds)
        ]
    dictionary = Dictionary()
    dictionary.encode(RESERVED_TERMS)
    alone = load_alone([str(file.path) for file in files], dictionary, skip_errors=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "_STATEMENTS_KEPT", kept)
        patch.setattr(parse, "BLOCK_SIZE", 40)
        texts, statements, findings = run_steps(segments, files, buckets)

    assert sorted(texts) == list(range(len(dictionary)))
    assert set(texts.values()) == set(dictionary.decode(np.arange(len(dictionary))))
    columns = (dictionary.decode(column) for column in (alone.s, alone.p, alone.o))
    assert statements == Counter(zip(*columns, strict=True))
    assert findings.statements == alone.report.statements
    assert list(map(str, findings.errors)) == list(map(str, alone.report.errors))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=document, known=st.lists(st.sampled_from(IRIS[:2]), unique=True), buckets=st.integers(1, 9))
def test_known_terms_keep_their_ids(tmp_path: Path, text, known, buckets):
    path = tmp_path / "d.nt"
    path.write_bytes(text.encode())
    size = len(text.encode())
    before = [*RESERVED_TERMS, *known, *(f"<u:other{n}>" for n in range(20))]
    file = RdfFile(0, str(path), size, Format.NTRIPLES, path, is_plain=True)

    texts, _, _ = run_steps([LineRange(0, str(path), path, Format.NTRIPLES, 0, size)], [file], buckets, before)

    assert [texts[id] for id in range(len(before))] == before
    assert len(set(texts.values())) == len(texts)
    assert sorted(texts) == list(range(len(texts)))


@given(st.lists(st.text()), st.integers(1, 1000))
def test_equal_texts_are_in_one_bucket_wherever_they_lie(texts, count):
    found = buckets_of(pa.array(["other", *texts, *texts], pa.string()).slice(1), count).tolist()

    assert found[: len(texts)] == found[len(texts) :]
    assert all(0 <= bucket < count for bucket in found)


def test_texts_are_spread_evenly():
    texts = pa.array([f"<http://e.org/department{n % 7}/student{n}/profile>" for n in range(70_000)])

    sizes = np.bincount(buckets_of(texts, 7), minlength=7)

    assert sizes.min() > 9_500 and sizes.max() < 10_500


def test_a_bucket_depends_on_every_byte_of_a_long_text():
    places = defaultdict(set)
    for place in (0, 70_000, 139_999):
        text = bytearray(b"x" * 140_000)
        for letter in b"abcdefgh":
            text[place] = letter
            places[place].update(buckets_of(pa.array([text.decode()]), 1 << 30).tolist())

    assert all(len(found) == 8 for found in places.values())
