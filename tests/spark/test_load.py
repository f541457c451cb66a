"""Loading with Spark gives the terms and statements that loading on one machine gives."""

from __future__ import annotations

import bz2
import gzip
import random
from collections import Counter
from pathlib import Path

import pytest
import zstandard

from loaders.dictionary import Dictionary
from loaders.errors import LoadError, ParseError
from loaders.load import load as load_alone
from reasoner.rules.errors import ReasonerError
from reasoner.spark.loading import pieces
from reasoner.spark.loading.load import LoadedFrames, load
from reasoner.terms.term import RESERVED_TERMS

MESSY = r"""# a comment
<http://e.org/s> <http://e.org/p> "plain" .

<http://e.org/s>	<http://e.org/p>	"tab\tquote\" backslash\\ line\n" . # behind
<http://e.org/s><http://e.org/p>"no space"@en-GB.
   <http://e.org/s>   <http://e.org/p>   "12"^^<http://www.w3.org/2001/XMLSchema#integer>   .
<http://e.org/s> <http://e.org/p> "text"^^<http://www.w3.org/2001/XMLSchema#string> .
<http://e.org/s> <http://e.org/p> "caf\u00e9 \U0001F600" .
<http://e.org/s> <http://e.org/p> "café 😀 日本語"@ja .
<http://e.org/é> <http://e.org/\u00e9> <http://e.org/%C3%A9> .
_:a <http://e.org/p> _:b .
_:b.c <http://e.org/p> _:a .
<http://e.org/s> <http://e.org/p> "" .
<http://www.w3.org/2002/07/owl#Thing> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> _:a .
"""


def lines(seed: int, count: int, graphs: bool = False) -> str:
    """Write random statements over few terms, so that terms recur in many places."""
    draw = random.Random(seed)
    names = [f"<http://e.org/{'x' * draw.randrange(40)}{n}>" for n in range(60)]
    literals = [f'"{"é" * draw.randrange(3)}{n}"@en' for n in range(40)]
    blanks = [f"_:b{n}" for n in range(20)]
    made = []
    for _ in range(count):
        graph = " " + draw.choice([*names[:3], "_:g"]) if graphs and draw.random() < 0.7 else ""
        s, o = draw.choice(names + blanks), draw.choice(names + literals + blanks)
        made.append(f"{s} {draw.choice(names[:5])} {o}{graph} .{draw.choice(['', ' ', ' # note'])}")
    return draw.choice(["\n", "\r\n"]).join(made) + draw.choice(["", "\n"])


def terms_and_statements(loaded: LoadedFrames) -> tuple[set[str], Counter[tuple[str | None, ...]]]:
    """Collect a result as texts, after checking that ids are dense and begin with the reserved terms."""
    texts = {row.id: row.text for row in loaded.dictionary.collect()}
    assert sorted(texts) == list(range(loaded.terms))
    assert [texts[id] for id in range(len(RESERVED_TERMS))] == list(RESERVED_TERMS)
    assert len(set(texts.values())) == len(texts)
    rows = loaded.statements.collect()
    return set(texts.values()), Counter(tuple(None if id is None else texts[id] for id in row) for row in rows)


def alone(sources, **options) -> tuple[set[str], Counter[tuple[str | None, ...]]]:
    dictionary = Dictionary()
    dictionary.encode(RESERVED_TERMS)
    loaded = load_alone(sources, dictionary, **options)
    columns = [dictionary.decode(column) for column in (loaded.s, loaded.p, loaded.o)]
    if loaded.g is not None:
        columns.append([None if id < 0 else dictionary.text(id) for id in loaded.g.tolist()])
    return {dictionary.text(id) for id in range(len(dictionary))}, Counter(zip(*columns, strict=True))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of files of all kinds, to be cut into many pieces."""
    monkeypatch.setattr(pieces, "SMALLEST_PIECE", 16000)
    monkeypatch.setattr(pieces, "LARGEST_PIECE", 16000)
    (tmp_path / "messy.nt").write_text(MESSY, encoding="utf-8")
    (tmp_path / "mark.nt").write_bytes(b"\xef\xbb\xbf" + lines(1, 50).encode())
    (tmp_path / "long.nt").write_text(f'<http://e.org/s> <http://e.org/p> "{"long " * 5000}" .\n' + lines(2, 100))
    (tmp_path / "quads.nq").write_text(lines(3, 150, graphs=True), encoding="utf-8")
    (tmp_path / "more.nt.gz").write_bytes(gzip.compress(lines(4, 200).encode()))
    (tmp_path / "more.nq.bz2").write_bytes(bz2.compress(lines(5, 100, graphs=True).encode()))
    (tmp_path / "more.nt.zst").write_bytes(zstandard.compress(lines(6, 100).encode()))
    (tmp_path / "empty.nt").write_text("")
    (tmp_path / "one with spaces.ttl").write_text(
        "@prefix : <http://e.org/> . :s :p [ :q 1, 2.5, true ], (:a :b) . _:a :p <relative> .", encoding="utf-8"
    )
    (tmp_path / "graphs.trig").write_text("@prefix : <http://e.org/> . :g { :s :p _:x, [] } :s :p _:x .")
    (tmp_path / "people.jsonld").write_text('{"@id": "http://e.org/j", "http://e.org/p": {"http://e.org/q": 1}}')
    (tmp_path / "owl.rdf").write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">'
        '<rdf:Description rdf:about="http://e.org/s"><e:p rdf:parseType="Resource"><e:q>x</e:q></e:p>'
        "</rdf:Description></rdf:RDF>"
    )
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "deep.nt").write_text(lines(7, 300), encoding="utf-8")
    (inner / "notes.txt").write_text("not RDF")
    return tmp_path


def test_a_folder_of_all_kinds_of_files_loads_as_on_one_machine(spark, folder):
    with load(spark, folder) as loaded:
        assert terms_and_statements(loaded) == alone(folder)
        assert loaded.report.files == 13
        assert loaded.report.statements == loaded.statements.count() > 1000
        assert loaded.report.names == tuple(sorted(loaded.report.names))


def test_what_spark_reads_itself_loads_as_on_one_machine(spark, folder):
    """Files are known by address here, so files are numbered in the order of addresses, as in a folder."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", 16000)
    try:
        with load(spark, folder.as_uri(), base="http://e.org/base", through_spark=True) as loaded:
            assert terms_and_statements(loaded) == alone(folder, base="http://e.org/base")
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def test_the_same_files_give_the_same_ids(spark, folder):
    with load(spark, folder / "*.nt") as first, load(spark, folder / "*.nt") as second:
        assert sorted(first.dictionary.collect()) == sorted(second.dictionary.collect())
        assert sorted(first.statements.collect()) == sorted(second.statements.collect())


def test_a_dictionary_is_extended_and_its_terms_keep_their_ids(spark, folder):
    with (
        load(spark, [folder / "messy.nt", folder / "quads.nq"]) as first,
        load(spark, [folder / "messy.nt", folder / "inner"], first.dictionary) as second,
    ):
        before = {row.text: row.id for row in first.dictionary.collect()}
        after = {row.text: row.id for row in second.dictionary.collect()}
        added = {row.text: row.id for row in second.added.collect()}

    assert before.items() <= after.items()
    assert added == {text: id for text, id in after.items() if text not in before}
    assert sorted(added.values()) == list(range(first.terms, second.terms))
    assert "_:f1_a" not in after and {"_:f0_a", "_:f2_a", "_:f3_b1"} <= after.keys()


def test_explicit_facts_are_a_set_and_quads_name_their_graphs(spark, tmp_path):
    (tmp_path / "d.nq").write_text("<u:s> <u:p> <u:o> .\n" * 3 + "<u:s> <u:p> <u:o> <u:g> .\n" * 2)

    with load(spark, tmp_path) as loaded:
        texts = {row.id: row.text for row in loaded.dictionary.collect()}
        assert [[texts[id] for id in row] for row in loaded.explicit.collect()] == [["<u:s>", "<u:p>", "<u:o>"]]
        assert [[texts[id] for id in row] for row in loaded.quads.collect()] == [["<u:g>", "<u:s>", "<u:p>", "<u:o>"]]
        assert loaded.statements.count() == 5


def test_without_named_graphs_there_are_no_quads(spark, tmp_path):
    (tmp_path / "d.nq").write_text("<u:s> <u:p> <u:o> .\n")

    with load(spark, tmp_path) as loaded:
        assert loaded.statements.columns == ["s", "p", "o"]
        assert loaded.quads.columns == ["g", "s", "p", "o"] and loaded.quads.isEmpty()


@pytest.mark.parametrize("through_spark", [False, True])
def test_a_bad_line_stops_the_load_and_says_where_it_is(spark, folder, through_spark):
    text = lines(8, 400).replace("\r", "").rstrip("\n").split("\n")
    text[321] = "<http://e.org/s> <http://e.org/p> no ."
    text[350] = "worse"
    (folder / "inner" / "deep.nt").write_text("\n".join(text), encoding="utf-8")
    source = (folder / "inner").as_uri() if through_spark else folder / "inner"

    with pytest.raises(ParseError) as error:
        load(spark, source, through_spark=through_spark)

    assert error.value.file.endswith("deep.nt") and (error.value.line, error.value.column) == (322, 35)
    assert "no ." in error.value.text


@pytest.mark.parametrize("through_spark", [False, True])
def test_bad_lines_can_be_skipped_and_are_counted(spark, folder, through_spark):
    text = lines(9, 500).replace("\r", "").rstrip("\n").split("\n")
    for place in (0, 99, 250, 499):
        text[place] = f"bad {place}"
    (folder / "bad.nt").write_text("\n".join(text), encoding="utf-8")
    (folder / "bad.rdf").write_text("<rdf:RDF")
    (folder / "bad.ttl").write_text("<u:s> <u:p> [], <u:o> . <u:s> oops . <u:s> <u:p> <u:o2> .")
    expected = Dictionary()
    report = load_alone(folder, expected, skip_errors=True, base="http://e.org/base").report

    source = folder.as_uri() if through_spark else folder
    options = {"skip_errors": True, "base": "http://e.org/base"}
    with load(spark, source, through_spark=through_spark, **options) as loaded:
        assert terms_and_statements(loaded) == alone(folder, **options)
        found = [(Path(error.file).name, error.line, error.column, error.message) for error in loaded.report.errors]
        wanted = [(Path(error.file).name, error.line, error.column, error.message) for error in report.errors]
        assert found == wanted
        assert loaded.report.skipped == report.skipped > 5


def test_a_damaged_file_is_named(spark, tmp_path):
    (tmp_path / "cut.nt.gz").write_bytes(gzip.compress(lines(1, 500).encode())[:-50])

    with pytest.raises(LoadError, match=r"cannot read .*cut\.nt\.gz"):
        load(spark, tmp_path)


@pytest.mark.parametrize("through_spark", [False, True])
def test_what_stands_for_nothing_is_named(spark, tmp_path, through_spark):
    with pytest.raises(LoadError, match=r"missing\.nt"):
        load(spark, str(tmp_path / "missing.nt"), through_spark=through_spark)


def test_standard_input_is_refused(spark):
    with pytest.raises(LoadError, match="cannot be read by many tasks"):
        load(spark, "-")


def test_a_dictionary_that_is_none_is_refused(spark, tmp_path):
    (tmp_path / "d.nt").write_text("<u:s> <u:p> <u:o> .\n")
    broken = spark.createDataFrame([(0, "<u:s>"), (1, "<u:p>")], "id bigint, text string")

    with pytest.raises(ReasonerError, match="must have dense ids from 0, and begin with"):
        load(spark, tmp_path, broken)
