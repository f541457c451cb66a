"""The files themselves: how they are split and sorted, how they grow, and files of other writers."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reasoner import Reasoner, StoreError
from reasoner.store.folder import publish, read_manifest
from reasoner.store.manifest import Manifest, read_table
from reasoner.store.segment import BASE, TABLES, layout_of, read_segment, segment_of
from reasoner.store.vacuum import tidied
from reasoner.terms.term import TYPE
from tests.notation import RDF_TYPE, fact
from tests.store.conftest import FAMILY
from tests.store.contents import over_texts, triples_of


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Make a store of 30,000 types, 10,000 facts of one predicate, and 2,000 predicates of one fact each."""
    folder = tmp_path_factory.mktemp("large") / "kb"
    kb = Reasoner(profile="none")
    kb.add((f"<n{n}>", RDF_TYPE, f"<C{n % 100}>") for n in range(30_000))
    kb.add((f"<n{n}>", "<next>", f"<n{n + 1}>") for n in range(10_000))
    kb.add((f"<n{n}>", f"<p{n}>", "<o>") for n in range(2_000))
    kb.save(folder)
    return folder


def test_frequent_predicates_have_files_of_their_own_and_rare_ones_share_one(large):
    segments = read_manifest(large).segments("facts")

    assert len(segments) == 3
    assert {segment.rows for segment in segments} == {30_000, 10_000, 2_000}
    assert [segment.predicate for segment in segments].count(None) == 1


@pytest.mark.parametrize("table", ["explicit", "facts"])
def test_every_file_is_sorted_as_its_table_says(large, table):
    for segment in read_manifest(large).segments(table):
        rows, layout = read_segment(large, table, segment), layout_of(table, segment.predicate)
        keys = list(zip(*(rows[name].to_pylist() for name in layout.order), strict=True))
        assert keys == sorted(set(keys))
        assert rows.schema.types == [pa.int64()] * len(layout.columns)


def test_a_class_is_found_without_reading_the_others(large):
    manifest = read_manifest(large)
    terms = read_table(large, manifest, "dictionary").to_pydict()
    wanted = dict(zip(terms["text"], terms["id"], strict=True))["<C7>"]
    (segment,) = (segment for segment in manifest.segments("facts") if segment.predicate == TYPE)
    metadata = pq.read_metadata(large / segment.path)
    place = metadata.row_group(0).to_dict()["columns"][1]["path_in_schema"]
    bounds = [metadata.row_group(group).column(1).statistics for group in range(metadata.num_row_groups)]

    assert place == "o" and metadata.num_row_groups >= 4
    assert sum(bound.min <= wanted <= bound.max for bound in bounds) <= 2
    found = pq.read_table(large / segment.path, filters=[("o", "=", wanted)])
    assert found.num_rows == 300


def test_a_small_commit_writes_little_and_many_of_them_leave_few_files(large):
    sizes = []
    with Reasoner.open(large) as kb:
        for number in range(120):
            before = set(large.rglob("*.parquet"))
            with kb.transaction() as change:
                change.add(fact(f"m{number} next n{number}"))
                change.remove(fact(f"n{number * 7} next n{number * 7 + 1}"))
            sizes.append(sum(path.stat().st_size for path in set(large.rglob("*.parquet")) - before))
        manifest = read_manifest(large)
        bases = [[s for s in each.segments("facts") if s.kind == BASE] for each in (manifest, read_manifest(large, 1))]
        assert bases[0] == bases[1]
        assert max(sizes) < 20_000 and sum(sizes) / len(sizes) < 6_000
        assert all(len(manifest.segments(name)) < 40 for name in TABLES)
        assert sum(segment.rows for segment in manifest.segments("facts")) < 42_000 + 2 * 2 * 120
        facts = read_table(large, manifest, "facts").to_pydict()
        assert set(zip(facts["s"], facts["p"], facts["o"], strict=True)) == triples_of(kb.store.state.facts)
    with Reasoner.open(large, read_only=True) as reader:
        assert triples_of(reader.store.state.facts) == triples_of(kb.store.state.facts)


def test_merging_nothing_is_nothing(large):
    segments = read_manifest(large, 1).segments("facts")
    assert tidied(large, "facts", 99, segments) == segments


def test_files_of_another_writer_are_read_whatever_their_order(tmp_path):
    """As Spark may leave them: several files, rows in no order, optional columns, a dictionary in pieces."""
    texts = ["<http://www.w3.org/2002/07/owl#sameAs>", RDF_TYPE, "<a>", "<b>", "<p>", "<q>", "<C>"]
    for name, columns in {
        "data/dictionary/part-1.parquet": {"id": [6, 1, 3], "text": [texts[6], texts[1], texts[3]]},
        "data/dictionary/part-0.parquet": {"id": [5, 4, 2, 0], "text": [texts[5], texts[4], texts[2], texts[0]]},
        "data/explicit/p=4.parquet": {"o": [2, 3], "s": [3, 2]},
        "data/explicit/types.parquet": {"s": [3, 2], "o": [6, 6]},
        "data/explicit/rest.parquet": {"p": [5, 5], "s": [3, 2], "o": [2, 2]},
        "data/rules/rules.parquet": {"text": ["?x <q> ?y :- ?x <p> ?y ."], "rule": [7], "own": [1]},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), tmp_path / name)
    tables = {
        "dictionary": tuple(
            segment_of(tmp_path, "dictionary", f"data/dictionary/part-{part}.parquet", BASE) for part in (1, 0)
        ),
        "explicit": (
            segment_of(tmp_path, "explicit", "data/explicit/p=4.parquet", BASE, predicate=4),
            segment_of(tmp_path, "explicit", "data/explicit/types.parquet", BASE, predicate=1),
            segment_of(tmp_path, "explicit", "data/explicit/rest.parquet", BASE),
        ),
        "rules": (segment_of(tmp_path, "rules", "data/rules/rules.parquet", BASE),),
    }
    publish(tmp_path, Manifest(1, None, {"profile": "none"}, tables))

    with Reasoner.open(tmp_path) as kb:
        assert set(kb.triples()) == {
            *(fact("a p b"), fact("b p a"), fact("a type C"), fact("b type C")),
            *(fact("b q a"), fact("a q a"), fact("a q b")),
        }
        kb.remove(fact("a p b"))
        expected = over_texts(kb)
    with Reasoner.open(tmp_path) as kb:
        assert over_texts(kb) == expected
    with pytest.raises(StoreError, match="is no file of facts: it lacks p"):
        segment_of(tmp_path, "facts", "data/explicit/types.parquet", BASE)


def test_a_dictionary_with_gaps_is_refused(tmp_path):
    (tmp_path / "data/dictionary").mkdir(parents=True)
    pq.write_table(pa.table({"id": [0, 2], "text": ["<a>", "<b>"]}), tmp_path / "data/dictionary/0.parquet")
    tables = {"dictionary": (segment_of(tmp_path, "dictionary", "data/dictionary/0.parquet", BASE),)}
    publish(tmp_path, Manifest(1, None, {}, tables))
    with pytest.raises(StoreError, match="the dictionary of version 1 is damaged: ids of terms are missing"):
        Reasoner.open(tmp_path)


WRITER = """
import sys
from reasoner import Reasoner
with Reasoner.open(sys.argv[1]) as kb:
    print("open", flush=True)
    for number in range(2_000):
        with kb.transaction() as change:
            change.remove((f"<a{number - 1}>", "<parent>", f"<b{number - 1}>"))
            change.add((f"<a{number}>", "<parent>", f"<b{number}>"))
        kb.vacuum()
"""


def test_readers_see_whole_versions_while_somebody_writes_and_vacuums(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.add_rules("?y <child> ?x :- ?x <parent> ?y .")
    seen = set()
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as writer:
        try:
            assert writer.stdout.readline() == "open\n"
            while len(seen) < 15:
                with Reasoner.open(tmp_path, read_only=True) as kb:
                    closure = set(kb.triples())
                    pairs = {(s, o) for s, p, o in closure if p == "<parent>" and s[2:-1].isdigit()}
                    assert len(pairs) == (1 if kb.version > 2 else 0)
                    assert {(s, o) for o, p, s in closure if p == "<child>" and s[2:-1].isdigit()} == pairs
                    seen.add(kb.version)
        finally:
            writer.kill()
    assert max(seen) > 15
