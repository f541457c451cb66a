"""Terms in files: looked up as if they were in memory, by the driver or by jobs, and never brought there in bulk."""

from __future__ import annotations

import gzip
import shutil

import pyarrow as pa
import pytest

from loaders.dictionary import Dictionary
from loaders.parted_dictionary import PartedDictionary
from reasoner import Reasoner, StoreError
from reasoner.spark import store_home, store_write, term_files
from reasoner.spark.platform import scratch as scratch_files
from reasoner.spark.platform.scratch import Scratch
from reasoner.spark.store import SparkStore
from reasoner.spark.term_files import TermFiles, write_terms
from reasoner.store.folder import read_manifest
from tests.spark.test_reasoner import quick  # noqa: F401

E = "http://e.org/"
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
FIRST = 7
TEXTS = [
    *(f"<{E}{'long/' * (n % 9)}{n}>" for n in range(700)),
    *(f'"{n} é\\n"' for n in range(300)),
    *(f"_:f{n % 12}_b{n}" for n in range(50)),
]


@pytest.fixture
def small_groups(monkeypatch):
    """Write files in many row groups."""
    monkeypatch.setitem(scratch_files.LOOKED_UP, "parquet.block.size", "2048")


@pytest.fixture
def few_at_driver(monkeypatch):
    """Leave all terms that Spark has read in files, and let it read small files too."""
    monkeypatch.setattr(term_files, "DRIVER_TERMS", 2)
    monkeypatch.setattr(store_write, "SMALL_BYTES", 0)


@pytest.fixture(params=["read by the driver", "read by jobs"])
def terms(request, quick, small_groups):  # noqa: F811
    """Return a dictionary of which all but a few terms are in files."""
    scratch = Scratch(quick)
    rows = pa.table({"id": range(FIRST, FIRST + len(TEXTS)), "text": TEXTS}).take(list(range(len(TEXTS)))[::-1])
    dictionary = PartedDictionary(Dictionary())
    dictionary.encode([f"<{E}first{n}>" for n in range(FIRST)])
    part = write_terms(scratch, quick.createDataFrame(rows).repartition(3), FIRST, FIRST + len(TEXTS))
    dictionary.keep_elsewhere(part)
    if request.param == "read by jobs":
        part._terms.rows = None
    yield dictionary
    del part, dictionary
    scratch.close()


def plain() -> Dictionary:
    dictionary = Dictionary()
    dictionary.encode([*(f"<{E}first{n}>" for n in range(FIRST)), *TEXTS])
    return dictionary


def test_terms_in_files_are_those_of_a_dictionary(terms):
    expected, ids = plain(), [900, 3, 8, 8, len(TEXTS)]
    asked = [TEXTS[5], TEXTS[800], "<http://e.org/unknown>", f"<{E}first2>", TEXTS[5], '"7"', TEXTS[-1]]

    assert len(terms) == len(expected)
    assert terms.decode(ids) == expected.decode(ids)
    assert terms.find(asked).tolist() == expected.find(asked).tolist()
    assert (
        terms.encode([*asked, "<http://e.org/new>"]).tolist()
        == expected.encode([*asked, "<http://e.org/new>"]).tolist()
    )
    assert terms.literal_mask().tolist() == expected.literal_mask().tolist()
    assert terms.text_bytes == expected.text_bytes
    assert terms.new_blank_scope() == expected.new_blank_scope() == "f12"


def test_terms_that_are_taken_back_are_not_found_any_more(terms):
    for dictionary in (terms, expected := plain()):
        dictionary.truncate(300)
        dictionary.encode([TEXTS[600], TEXTS[100]])

    assert len(terms) == 301
    assert terms.find(TEXTS[::37]).tolist() == expected.find(TEXTS[::37]).tolist()
    assert terms.decode(range(301)) == expected.decode(range(301))
    assert terms.literal_mask().tolist() == expected.literal_mask().tolist()


def test_a_lookup_reads_a_small_part_of_the_files(quick, small_groups, monkeypatch):  # noqa: F811
    scratch = Scratch(quick)
    rows = quick.createDataFrame(pa.table({"id": range(len(TEXTS)), "text": TEXTS})).coalesce(1)
    part = write_terms(scratch, rows, 0, len(TEXTS))
    read = []
    for files in (part._terms, part._hashes):
        ranges = files.rows._ranges
        monkeypatch.setattr(
            ranges, "read", lambda at, groups, columns, was=ranges.read: read.append(groups) or was(at, groups, columns)
        )

    assert part.find(pa.array([TEXTS[400]])).tolist() == [400]
    assert len(read) == 2
    assert part.texts(pa.array([401]).to_numpy()).to_pylist() == [TEXTS[401]]
    assert len(read) == 2, "a row group that was just read is still there"
    assert part._terms.rows._ranges.rows.size > 5
    scratch.close()


def lines(count: int, offset: int = 0) -> str:
    """Return statements with equal values, equal terms, blank nodes, and names that nothing else mentions."""
    rows = []
    for n in range(offset, offset + count):
        rows += [
            f'<{E}s{n}> <{E}age> "{n % 5:02}"{INTEGER} .',
            f'<{E}s{n}> <{E}age> "{n % 7}"{INTEGER} .',
            f"_:b{n} <{E}knows> <{E}s{n}> .",
            f'<{E}s{n}> <{E}name> "name {n}" .',
        ]
    return "\n".join([*rows, f"<{E}s{offset}> {SAME} <{E}s{offset + 1}> ."]) + "\n"


def known_by_names(kb) -> set[tuple[str, ...]]:
    """Return the closure, blank nodes by one name, which every load gives others."""
    return {tuple("_:" if text.startswith("_:") else text for text in triple) for triple in kb.triples()}


def prepared(kb, folder, *, count=12):
    (folder / "first.nt").write_text(lines(count))
    kb.add_rules(f"?x <{E}older> ?y :- ?x <{E}age> ?a, ?y <{E}age> ?b, ?a > ?b .")
    kb.load(folder / "first.nt")
    return kb


def changed(kb):
    with kb.transaction() as change:
        change.remove([(f"<{E}s3>", f"<{E}age>", f'"3"{INTEGER}'), (f"<{E}s0>", SAME, f"<{E}s1>")])
        change.add([(f"<{E}new>", f"<{E}age>", f'"+4"{INTEGER}'), (f"<{E}new>", SAME, f"<{E}s5>")])
    return kb


@pytest.mark.parametrize("place", ["in memory", "on disk"])
def test_a_reasoner_with_terms_in_files_gives_what_one_with_all_at_hand_gives(
    quick,  # noqa: F811
    few_at_driver,
    small_groups,
    tmp_path,
    place,
    monkeypatch,
):
    if place == "in memory":
        monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 0)
    else:
        # Checksums are then made and compared by the executors.
        monkeypatch.setattr(store_home, "DRIVER_BYTES", -1)
    (tmp_path / "second.nt").write_text(lines(5, 40))
    expected = prepared(Reasoner("rdfs"), tmp_path)
    spark = {"profile": "rdfs", "engine": "spark", "session": quick}
    kb = Reasoner(**spark) if place == "in memory" else Reasoner.open(tmp_path / "kb", create=True, **spark)
    prepared(kb, tmp_path)
    question = f'SELECT ?x {{ ?x <{E}older> <{E}s3> ; <{E}age> "04"{INTEGER} }}'

    assert [type(part).__name__ for part in kb.store.dictionary.parts] == ["HeldTerms", "TermFiles", "HeldTerms"]
    assert known_by_names(kb) == known_by_names(expected)
    assert kb.store.counts()["text_bytes"] == expected.store.counts()["text_bytes"]
    assert known_by_names(changed(kb)) == known_by_names(changed(expected))
    assert sorted(kb.query(question)) == sorted(expected.query(question))
    for each in (kb, expected):
        each.load(tmp_path / "second.nt")
    assert known_by_names(kb) == known_by_names(expected)
    assert len(kb.store.dictionary.kept) == 2
    kb.close()
    if place == "on disk":
        with Reasoner.open(tmp_path / "kb") as opened:
            assert known_by_names(opened) == known_by_names(expected)
        with Reasoner.open(tmp_path / "kb", engine="spark", session=quick) as again:
            assert again.store.dictionary.held == 0
            assert again.store.dictionary.parts[0].has_hashes
            assert known_by_names(again) == known_by_names(expected)
            assert sorted(again.query(question)) == sorted(expected.query(question))


def test_a_store_of_the_columnar_engine_is_opened_without_its_terms(quick, few_at_driver, tmp_path):  # noqa: F811
    with prepared(Reasoner.open(tmp_path / "kb", create=True, profile="none"), tmp_path) as kb:
        kb.materialise()
    expected = changed(prepared(Reasoner("none"), tmp_path))

    with Reasoner.open(tmp_path / "kb", engine="spark", session=quick) as opened:
        assert opened.store.dictionary.held == 0
        assert not opened.store.dictionary.parts[0].has_hashes
        changed(opened)
        assert known_by_names(opened) == known_by_names(expected)

    # From then on the hashes are part of the store; terms that came later have none.
    hashed, total = (
        sum(each.rows for each in read_manifest(tmp_path / "kb").segments(t)) for t in ("hashes", "dictionary")
    )
    assert hashed == total
    with Reasoner.open(tmp_path / "kb") as kb:
        kb.add([(f"<{E}s1>", f"<{E}knows>", f"<{E}latest>")])
    with Reasoner.open(tmp_path / "kb", engine="spark", session=quick) as opened:
        assert opened.store.dictionary.held == 1
        assert opened.store.dictionary.lookup(f"<{E}latest>") == total
        assert opened.store.dictionary.parts[0].has_hashes


def test_a_load_that_fails_leaves_the_dictionary_as_it_was(quick, few_at_driver, tmp_path, monkeypatch):  # noqa: F811
    kb = prepared(Reasoner("none", engine="spark", session=quick), tmp_path)
    before, size = known_by_names(kb), len(kb.store.dictionary)
    (tmp_path / "second.nt").write_text(lines(3, 70))

    def fail(*_):
        raise OSError("no more")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="no more"):
        patch.setattr(type(kb.store.spark), "union", fail)
        kb.load(tmp_path / "second.nt")

    assert len(kb.store.dictionary) == size
    assert known_by_names(kb) == before
    kb.load(tmp_path / "second.nt")
    assert kb.store.dictionary.lookup(f"<{E}s71>") >= size


def test_texts_do_not_come_to_the_driver_in_bulk(quick, few_at_driver, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 1000)
    asked = []
    texts = TermFiles.texts
    monkeypatch.setattr(TermFiles, "texts", lambda self, ids: asked.append(len(ids)) or texts(self, ids))
    (tmp_path / "many.nt").write_text(lines(1000))

    with Reasoner.open(tmp_path / "kb", create=True, profile="none", engine="spark", session=quick) as kb:
        kb.load(tmp_path / "many.nt")
        kb.materialise()
        frame = kb.dataframe("?s ?p ?o")
        assert frame.where("object = 'name 999'").count() == 1
        assert len(kb.store.dictionary) > 3000
        assert kb.store.dictionary.held < 50
        assert kb.write(f"{tmp_path}/out/") > 4000
        count = kb.write(tmp_path / "out.nt.gz")
        with gzip.open(tmp_path / "out.nt.gz", "rt") as written:
            lines_written = written.readlines()
        assert count == len(lines_written) == len(set(lines_written)) > 4000
        assert f'<{E}s999> <{E}name> "name 999" .\n' in lines_written
    with Reasoner.open(tmp_path / "kb", engine="spark", session=quick) as opened, opened.transaction() as change:
        change.add([(f"<{E}s7>", f"<{E}knows>", f"<{E}s8>")])
    assert 0 < sum(asked) < 100


@pytest.fixture(scope="module")
def stored(quick, tmp_path_factory):  # noqa: F811
    """Write a store whose terms are all in files of Spark's."""
    folder = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_files, "DRIVER_TERMS", 2)
        patch.setattr(store_write, "SMALL_BYTES", 0)
        with Reasoner.open(folder / "kb", create=True, profile="none", engine="spark", session=quick) as kb:
            prepared(kb, folder).materialise()
    return folder / "kb"


@pytest.mark.parametrize("table", ["dictionary", "hashes"])
@pytest.mark.parametrize("damage", ["missing", "torn", "changed"])
def test_damage_to_files_of_terms_is_told(quick, few_at_driver, stored, tmp_path, table, damage):  # noqa: F811
    folder = shutil.copytree(stored, tmp_path / "kb")
    path = folder / read_manifest(folder).segments(table)[-1].path
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(content[:-9] if damage == "torn" else content[:40] + b"\xff" + content[41:])

    with pytest.raises(StoreError, match=path.name):
        Reasoner.open(folder, engine="spark", session=quick)


def test_a_vacuum_takes_no_file_that_is_read(quick, few_at_driver, tmp_path):  # noqa: F811
    with prepared(Reasoner.open(tmp_path / "kb", create=True, profile="none"), tmp_path) as kb:
        kb.materialise()
        for n in range(14):
            with kb.transaction() as change:
                change.add([(f"<{E}late{n}>", f"<{E}knows>", f"<{E}s1>")])
    with Reasoner.open(tmp_path / "kb", engine="spark", session=quick) as opened:
        for n in range(14, 20):
            with opened.transaction() as change:
                change.add([(f"<{E}late{n}>", f"<{E}knows>", f"<{E}s1>")])
        opened.vacuum(keep=1)
        assert opened.store.dictionary.find([f"<{E}late{n}>" for n in range(20)]).min() > 0
        assert len(opened.select(f"?x <{E}knows> <{E}s1>")) == 22
