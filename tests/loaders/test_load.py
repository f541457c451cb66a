"""Loading: every syntax, compression and kind of source; all or nothing; blank nodes apart."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import zstandard

import loaders.load
from loaders.dictionary import Dictionary
from loaders.errors import LoadError, ParseError
from loaders.load import Loaded, load, parse_text, read_triples

EX = "http://example.org/"
TRIPLE = (f"<{EX}s>", f"<{EX}p>", '"caf\u00e9 \\"\\n"@fr')

DOCUMENTS = {
    "nt": f'<{EX}s> <{EX}p> "caf\\u00E9 \\"\\n"@fr .\n',
    "nq": f'<{EX}s> <{EX}p> "caf\\u00E9 \\"\\n"@fr .\n',
    "ttl": f'@prefix e: <{EX}> .\ne:s e:p """caf\u00e9 "\n"""@fr .\n',
    "trig": f'@prefix e: <{EX}> .\n{{ e:s e:p """caf\u00e9 "\n"""@fr . }}\n',
    "rdf": (
        f'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="{EX}">\n'
        f'<rdf:Description rdf:about="{EX}s"><e:p xml:lang="fr">caf\u00e9 "\n</e:p></rdf:Description></rdf:RDF>\n'
    ),
    "jsonld": f'{{"@id": "{EX}s", "{EX}p": {{"@value": "caf\u00e9 \\"\\n", "@language": "fr"}}}}\n',
}
COMPRESSORS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: zstandard.compress(data[:20]) + zstandard.compress(data[20:]),
}


def triples(dictionary: Dictionary, loaded: Loaded) -> list[tuple[str, ...]]:
    columns = [dictionary.decode(column) for column in (loaded.s, loaded.p, loaded.o)]
    return list(zip(*columns, strict=True))


def line(number: int) -> str:
    return f"<{EX}s{number}> <{EX}p> _:b{number % 7} .\n"


@pytest.mark.parametrize("compression", COMPRESSORS)
@pytest.mark.parametrize("extension", DOCUMENTS)
def test_every_syntax_is_read_under_every_compression(tmp_path, extension, compression):
    path = tmp_path / f"data.{extension}{compression}"
    path.write_bytes(COMPRESSORS[compression](DOCUMENTS[extension].encode()))
    dictionary = Dictionary()

    loaded = load(path, dictionary)

    assert triples(dictionary, loaded) == [TRIPLE]
    assert loaded.g is None
    assert (loaded.report.files, loaded.report.statements, loaded.report.errors) == (1, 1, ())
    assert read_triples(str(path)) == [TRIPLE]


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_the_content_tells_the_syntax_where_the_name_does_not(tmp_path, extension):
    path = tmp_path / "data"
    path.write_text("\ufeff" + DOCUMENTS[extension], encoding="utf-8")

    assert read_triples(path) == [TRIPLE]


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_a_named_format_wins_over_the_extension(tmp_path, extension):
    path = tmp_path / "data.nt"
    path.write_text(DOCUMENTS[extension], encoding="utf-8")

    assert read_triples(path, format=extension) == [TRIPLE]


def test_turtle_under_the_extension_of_ontologies_is_recognised(tmp_path):
    path = tmp_path / "ontology.owl"
    path.write_text(DOCUMENTS["ttl"], encoding="utf-8")

    assert read_triples(path) == [TRIPLE]


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(LoadError, match=r"unknown format 'word'.*turtle"):
        parse_text("", "word")


def test_binary_content_is_refused(tmp_path):
    (tmp_path / "data").write_bytes(b"\x00\x01\x02")
    with pytest.raises(LoadError, match="cannot tell the format"):
        load(tmp_path / "data", Dictionary())


def test_globs_folders_and_lists_are_read_in_order_and_once(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    names = ["b.nt", "a.ttl", "deep/er/c.nt.gz", "notes.txt", ".hidden/d.nt"]
    for number, name in enumerate(names):
        data = f"<{EX}{number}> <{EX}p> <{EX}o> .\n".encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)

    def subjects(sources):
        dictionary = Dictionary()
        return [s[len(EX) + 1 : -1] for s, _, _ in triples(dictionary, load(sources, dictionary))]

    assert subjects(tmp_path) == ["1", "0", "2"]
    assert subjects(str(tmp_path / "*.nt")) == ["0"]
    assert subjects(str(tmp_path / "**" / "*.nt*")) == ["0", "2"]
    assert subjects([tmp_path / "b.nt", tmp_path]) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("source", "message"), [("none.nt", "no such file"), ("*.nt", "no file matches"), ("", "folder")]
)
def test_sources_that_stand_for_nothing_are_refused(tmp_path, source, message):
    with pytest.raises(LoadError, match=message):
        load(tmp_path / source, Dictionary())


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_standard_input_is_read(monkeypatch, extension):
    data = gzip.compress(DOCUMENTS[extension].encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(data))))
    dictionary = Dictionary()

    assert triples(dictionary, load("-", dictionary)) == [TRIPLE]


def test_a_pipe_is_read():
    code = "from loaders.load import read_triples; print(len(read_triples('-')))"
    data = "".join(map(line, range(3000))).encode()
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)

    assert done.stdout.strip() == b"3000"


def test_named_graphs_become_a_column():
    document = f"@prefix e: <{EX}> . e:s e:p 1 . e:g {{ e:s e:p 2 }} _:g {{ e:s e:p 3 }}"
    dictionary = Dictionary()
    loaded = load(io.BytesIO(document.encode()), dictionary, format="trig")

    assert loaded.g is not None
    assert loaded.g[0] == -1
    assert dictionary.decode(loaded.g[1:]) == [f"<{EX}g>", "_:f0_g"]
    assert [o for _, _, o in parse_text(document, "trig")] == [
        f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in (1, 2, 3)
    ]


def test_relative_iris_resolve_against_the_base_or_the_file(tmp_path):
    path = tmp_path / "a b.ttl"
    path.write_text("<x> <#y> <> .")

    assert read_triples(path, base=EX) == [(f"<{EX}x>", f"<{EX}#y>", f"<{EX}>")]
    assert read_triples(path)[0][2] == f"<{path.resolve().as_uri()}>"
    with pytest.raises(LoadError, match="base"):
        read_triples(path, base="not absolute")


def test_blank_nodes_of_different_files_stay_apart(tmp_path):
    for name in ("one.nt", "two.nt"):
        (tmp_path / name).write_text(f"_:a <{EX}p> _:a .\n_:b <{EX}p> _:a .\n")
    dictionary = Dictionary()

    first = triples(dictionary, load(tmp_path, dictionary))
    second = triples(dictionary, load(tmp_path / "one.nt", dictionary))

    subjects = [s for s, _, _ in first + second]
    assert len(set(subjects)) == 6
    assert all(o == subjects[row // 2 * 2] for row, (_, _, o) in enumerate(first + second))


def test_blank_nodes_without_a_label_are_numbered_alike_in_every_run():
    document = f"[] <{EX}p> [ <{EX}p> _:x ] , _:x ."
    results = []
    for _ in range(2):
        dictionary = Dictionary()
        loaded = load([io.BytesIO(document.encode())] * 2, dictionary, format="turtle")
        results.append(triples(dictionary, loaded))

    assert results[0] == results[1]
    assert {term for row in results[0] for term in row if term.startswith("_:")} == {"_:f0-0", "_:f0-1", "_:f0_x"}


def test_labels_of_small_sources_are_kept_behind_their_prefix():
    document = f"_:b <{EX}p> [] ."

    assert parse_text(document, "turtle") == [("_:b", f"<{EX}p>", "_:bn1")]
    assert parse_text(document, "turtle", blank_prefix="o-") == [("_:o-b", f"<{EX}p>", "_:o-bn1")]


BROKEN = {
    "data.nt": (f"<{EX}s> <{EX}p> <{EX}o> .\n<{EX}s> <{EX}p> bad .\n<{EX}s> <{EX}p> <{EX}z> .\n", 2, 47, "bad", 2),
    "data.nq": (f"<{EX}s> <{EX}p> <{EX}o> .\n<{EX}s> <{EX}p> bad .\n<{EX}s> <{EX}p> <{EX}z> .\n", 2, 47, "bad", 2),
    "data.ttl": (f"@prefix : <{EX}> .\n:s :p :o .\n:s é :o .\n:s :p :z .\n", 3, 4, "é", 2),
    "data.trig": (f"@prefix : <{EX}> .\n:s :p :o .\n:s é :o .\n:s :p :z .\n", 3, 4, "é", 2),
    "data.jsonld": (f'{{"@id": "{EX}s",\n "{EX}p" 1}}', 2, None, "p", 0),
    "remote.jsonld": ('{\n"@context": "http://example.org/context"}', 2, None, "not fetched", 0),
    "ill.rdf": (DOCUMENTS["rdf"].replace("</e:p>", "</e:q>"), 4, None, "not well-formed", 0),
    "cut.rdf": (DOCUMENTS["rdf"].replace("</rdf:RDF>", ""), 5, None, "not well-formed", 0),
    "bad.rdf": (DOCUMENTS["rdf"].replace("<e:p", "\n\n<e:p rdf:ID='1 2'"), 5, None, "1 2", 0),
    "new.ttl": (f"@prefix : <{EX}> .\n:s :p :o, :z .\n:s :p <<( :a :b :c )>> .\n", 3, 7, "RDF 1.2", 2),
    "direction.ttl": (f'@prefix : <{EX}> .\n:s :p :o, :z .\n:s :p "x"@en--ltr .\n', 3, 10, "RDF 1.2", 2),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_error_is_placed_and_nothing_is_half_loaded(tmp_path, name):
    text, row, column, message, _ = BROKEN[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "a.nt").write_text(line(1))
    dictionary = Dictionary()
    dictionary.encode(["<http://a/before>"])

    with pytest.raises(ParseError) as caught:
        load([tmp_path / "a.nt", tmp_path / name], dictionary)

    error = caught.value
    assert (error.file, error.line) == (str(tmp_path / name), row)
    assert column is None or error.column == column
    assert message in str(error)
    assert error.text == (text.split("\n")[row - 1])
    assert dictionary.decode(np.arange(len(dictionary))) == ["<http://a/before>"]


@pytest.mark.parametrize("name", BROKEN)
def test_errors_are_skipped_and_reported_on_request(tmp_path, name):
    text, row, _, message, kept = BROKEN[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "z.nt").write_text(line(1))
    dictionary = Dictionary()

    loaded = load([tmp_path / name, tmp_path / "z.nt"], dictionary, skip_errors=True)

    assert loaded.report.skipped == 1
    (error,) = loaded.report.errors
    assert error.line == row
    assert message in str(error)
    assert loaded.report.statements == len(loaded) == kept + 1
    assert (dictionary.lookup(f"<{EX}z>") is not None) == (kept == 2)


def test_an_error_in_a_piped_document_shows_its_text():
    with pytest.raises(ParseError, match=r"<text>:2:.*:x ; \.\. \.") as caught:
        parse_text(f"@prefix : <{EX}> .\n:x ; .. .", "turtle")
    assert caught.value.text == ":x ; .. ."


def test_many_errors_are_each_placed():
    good, bad, newer = ":s :p :o .", ":s 'p' :o .", ":s :p <<( :a :b :c )>> ."
    document = "\n".join([f"@prefix : <{EX}> .", good, bad, newer, good, bad, newer, newer])
    report = load(io.BytesIO(document.encode()), Dictionary(), format="turtle", skip_errors=True).report

    assert sorted((error.line, error.text) for error in report.errors) == [
        *((3, bad), (4, newer), (6, bad), (7, newer), (8, newer)),
    ]
    assert report.statements == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("extension", ["nt", "ttl"])
def test_a_named_pipe_is_read(tmp_path, extension):
    path = tmp_path / f"pipe.{extension}"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as executor:
        executor.submit(path.write_text, DOCUMENTS[extension], encoding="utf-8")
        assert read_triples(path) == [TRIPLE]


@pytest.mark.parametrize("extension", ["nt", "ttl", "rdf"])
@pytest.mark.parametrize("compression", [".gz", ".bz2", ".zst"])
def test_cut_off_compressed_files_are_refused(tmp_path, extension, compression):
    data = gzip.compress if compression == ".gz" else bz2.compress if compression == ".bz2" else zstandard.compress
    path = tmp_path / f"data.{extension}{compression}"
    body = DOCUMENTS[extension] if extension == "rdf" else "".join(map(line, range(50_000)))
    whole = data(body.encode())
    path.write_bytes(whole[: len(whole) * 2 // 3])
    dictionary = Dictionary()

    with pytest.raises(LoadError, match="cannot read"):
        load(path, dictionary)
    assert len(dictionary) == 0


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16"])
def test_xml_in_other_encodings_is_read(tmp_path, encoding):
    text = DOCUMENTS["rdf"].replace('version="1.0"', f'version="1.0" encoding="{encoding}"')
    path = tmp_path / "data.rdf"
    path.write_bytes(text.encode(encoding))

    assert read_triples(path) == [TRIPLE]


def test_blocks_are_parsed_side_by_side_and_come_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(loaders.load, "_BLOCK_SIZE", 1000)
    lines = [line(number) for number in range(2000)]
    path = tmp_path / "data.nt"
    path.write_text("".join(lines) + f"<{EX}last> <{EX}p> _:b0 .")
    dictionary = Dictionary()

    loaded = triples(dictionary, load(path, dictionary))

    assert [s for s, _, _ in loaded] == [f"<{EX}s{number}>" for number in range(2000)] + [f"<{EX}last>"]
    assert {o for _, _, o in loaded} == {f"_:f0_b{number}" for number in range(7)}
    lines[1500] = "oops\n"
    path.write_text("".join(lines))
    with pytest.raises(ParseError, match=":1501:1: "):
        load(path, dictionary)


def test_only_the_first_errors_are_kept_but_all_are_counted(tmp_path):
    path = tmp_path / "data.nt"
    path.write_text("bad\n" * 2500 + line(1))

    report = load(path, Dictionary(), skip_errors=True).report

    assert (report.skipped, len(report.errors), report.statements) == (2500, 1000, 1)


def test_progress_is_reported_once_a_load_takes_long(tmp_path, monkeypatch):
    path = tmp_path / "data.nt"
    path.write_text("".join(map(line, range(100))))
    seen = []
    load(path, Dictionary(), progress=seen.append)
    assert seen == []

    monkeypatch.setattr(loaders.load, "_PATIENCE", 0)
    load([path, io.BytesIO(line(1).encode())], Dictionary(), progress=seen.append)
    assert seen[0].bytes_total is None
    seen.clear()
    load(path, Dictionary(), progress=seen.append)
    assert (seen[-1].files_done, seen[-1].statements, seen[-1].fraction) == (1, 100, 1.0)
    assert seen[-1].bytes_read == os.path.getsize(path)  # noqa: PTH202
    assert seen[-1].rate > 0


def test_an_empty_file_is_an_empty_graph(tmp_path):
    for name in ("a.nt", "a.ttl", "noextension"):
        (tmp_path / name).write_text("")
        assert read_triples(tmp_path / name) == []


def test_an_error_about_a_long_literal_quotes_its_beginning_only(tmp_path):
    path = tmp_path / "data.ttl"
    path.write_text('<a:a> <a:b> <a:c> .\n  <a:p> """first line' + "\nand more" * 500 + '\n"""@en ; <a:b> <a:c> .')

    with pytest.raises(ParseError) as caught:
        load(path, Dictionary())

    assert (caught.value.line, caught.value.message) == (2, '"""first line... is not a valid predicate')
