"""Documents on S3 and HDFS: loaded, written and named by their URLs, by the class and by commands."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from reasoner import ParseError, Reasoner, ReasonerError
from reasoner.cli import main
from reasoner.store.file_system import file_system, place_of

LINES = "".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/{n + 1}> .\n" for n in range(4))


def put(url: str, data: bytes) -> str:
    file_system(place_of(url)).write_new(place_of(url), data)
    return url


def content(url: str) -> bytes:
    return file_system(place_of(url)).read(place_of(url)).to_pybytes()


def test_files_folders_and_patterns_are_loaded(base):
    lines = LINES.splitlines(keepends=True)
    put(f"{base}/data/a.nt", lines[0].encode())
    put(f"{base}/data/deep/b.nt.gz", gzip.compress(lines[1].encode()))
    put(f"{base}/data/_SUCCESS", b"")
    put(f"{base}/data/readme.md", b"no RDF")
    put(f"{base}/c.ttl", lines[2].encode())
    loaded = [Reasoner(profile="none") for _ in range(3)]

    assert loaded[0].load(f"{base}/data/a.nt").statements == 1
    assert loaded[1].load(f"{base}/data").files == 2
    assert loaded[2].load(f"{base}/*.ttl", f"{base}/data/*.nt").files == 2
    assert len(list(loaded[2].triples())) == 2
    with pytest.raises(ReasonerError, match=rf"{base}/none\.nt is no file"):
        loaded[0].load(f"{base}/none.nt")


def test_errors_and_relative_names_are_those_of_the_url(base):
    put(f"{base}/broken.nt", b"<http://e.org/a> nonsense .\n")
    put(f"{base}/relative.ttl", b"<#me> a <http://e.org/C> .")
    kb = Reasoner(profile="none")

    with pytest.raises(ParseError) as error:
        kb.load(f"{base}/broken.nt")
    assert error.value.file == f"{base}/broken.nt"
    kb.load(f"{base}/relative.ttl")
    assert [s for s, _, _ in kb.triples()] == [f"<{base}/relative.ttl#me>"]


def test_an_ontology_is_loaded(base):
    put(f"{base}/o.ttl", b"@prefix e: <http://e.org/> . e:C <http://www.w3.org/2000/01/rdf-schema#subClassOf> e:D .")
    kb = Reasoner()
    kb.add([("<http://e.org/a>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e.org/C>")])
    kb.load_ontology(f"{base}/o.ttl")

    assert any(s == "<http://e.org/a>" and o == "<http://e.org/D>" for s, _, o in kb.triples())
    assert kb.prefixes["e"] == "http://e.org/"


def test_what_is_written_is_there_whole_or_not_at_all(base):
    kb = Reasoner(profile="none")
    kb.update("INSERT DATA { <http://e.org/a> <http://e.org/p> 1 . GRAPH <http://e.org/g> { <http://e.org/a> a 2 } }")

    assert kb.write(f"{base}/out/all.nt") == 2
    assert kb.write(f"{base}/out/all.ttl.gz") == 2
    assert kb.write_quads(f"{base}/out/all.nq") == 2
    assert content(f"{base}/out/all.nt").count(b"\n") == 2
    assert b"http://e.org/a" in gzip.decompress(content(f"{base}/out/all.ttl.gz"))
    assert b"<http://e.org/g>" in content(f"{base}/out/all.nq")
    before = content(f"{base}/out/all.nt")
    with pytest.raises(ReasonerError):
        kb.write(f"{base}/out/all.nt", format="nonsense")
    assert content(f"{base}/out/all.nt") == before
    assert len(file_system(place_of(base)).files(place_of(base))) == 3


def test_commands_take_urls(base, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    put(f"{base}/data.nt", LINES.encode())
    store = f"{base}/kb"

    assert main(["load", store, f"{base}/data.nt", "--profile", "none", "-q"]) == 0
    assert main(["update", store, "INSERT DATA { <http://e.org/x> <http://e.org/p> 1 }", "-q"]) == 0
    assert main(["load", store, f"{base}/data.nt", "-q"]) == 0
    assert main(["info", store]) == 0
    assert main(["vacuum", store]) == 0
    capsys.readouterr()
    assert main(["query", store, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "-q"]) == 0
    assert "5" in capsys.readouterr().out
    assert main(["dump", store, "-o", "out.nt", "-q"]) == 0
    assert len(Path("out.nt").read_text().splitlines()) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["out.nt"]
