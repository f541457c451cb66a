"""Paths: a name, a file URL, and addresses of other machines, which are refused before anything is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loaders.local_path import local_name, local_path, scheme_of
from reasoner import Reasoner, ReasonerError
from reasoner.cli import main
from reasoner.store import file_system

FACT = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
LINE = " ".join(FACT) + " .\n"
ADDRESSES = ["ftp://host/store", "gs://bucket/store", "http://e.org/store", "dbfs:/store", "FTP://host/store"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def kb():
    kb = Reasoner(profile="none")
    kb.add([FACT])
    return kb


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("file:///tmp/a%20b%23.nt", "/tmp/a b#.nt"),
        ("file://localhost/tmp/x", "/tmp/x"),
        ("file:/tmp/x", "/tmp/x"),
        ("FILE:///tmp/x", "/tmp/x"),
        ("a:b.nt", "a:b.nt"),
        ("ab:c.nt", "ab:c.nt"),
        ("c:/x", "c:/x"),
        ("./hdfs:/x", "./hdfs:/x"),
    ],
)
def test_names_and_file_urls_lead_to_paths(given, path):
    assert local_name(given) == path
    assert local_path(given) == Path(path)


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_way_in_and_out_refuses_other_schemes_and_makes_nothing(kb, address, here):
    uses = [
        lambda: kb.save(address),
        lambda: kb.save(Path(address)),
        lambda: Reasoner.open(address, create=True),
        lambda: Reasoner.open(address),
        lambda: kb.write(address),
        lambda: kb.write_quads(address),
        lambda: kb.load(address),
        lambda: kb.load_ontology(address),
        lambda: kb.load_rules(address),
        lambda: kb.export(f"{address}.sqlite"),
        lambda: kb.keep_evolutions_in(address),
        lambda: kb.update("INSERT DATA { <http://e.org/c> <http://e.org/p> 1 }").write_patch(address),
        lambda: kb.query("SELECT * { ?s ?p ?o }").serialize(address),
    ]
    scheme = address.partition(":")[0].lower()
    for use in uses:
        with pytest.raises(ReasonerError, match=f"has the scheme {scheme}, and only local paths and file:// URLs"):
            use()
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("address", ["hdfs://host/out", "s3a://bucket/out"])
def test_what_is_local_only_refuses_the_urls_of_stores_as_well(kb, address, here):
    uses = [
        lambda: kb.export(f"{address}.sqlite"),
        lambda: kb.load_rules(address),
        lambda: kb.keep_evolutions_in(address),
        lambda: kb.update("INSERT DATA { <http://e.org/c> <http://e.org/p> 1 }").write_patch(address),
        lambda: kb.query("SELECT * { ?s ?p ?o }").serialize(address),
        lambda: kb.write(f"{address}/"),
    ]
    for use in uses:
        with pytest.raises(ReasonerError, match="and only local paths and file:// URLs can be used here; copy it"):
            use()
    assert list(here.iterdir()) == []


def test_a_server_that_cannot_be_reached_is_named_with_the_remedy_and_nothing_is_made(kb, here, monkeypatch):
    settings = {
        "ENDPOINT_URL": "http://127.0.0.1:1",
        "ACCESS_KEY_ID": "a",
        "SECRET_ACCESS_KEY": "b",
        "MAX_ATTEMPTS": "1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    file_system._remote.cache_clear()
    address = "s3://bucket/store"
    try:
        for use in (
            lambda: kb.save(address),
            lambda: kb.save(Path(address)),
            lambda: Reasoner.open(address, create=True),
            lambda: Reasoner.open(address),
            lambda: kb.write(f"{address}.nt"),
            lambda: kb.write_quads(f"{address}.nq"),
            lambda: kb.load(f"{address}.nt"),
            lambda: kb.load_ontology(f"{address}.ttl"),
        ):
            with pytest.raises(ReasonerError, match=r"s3://bucket/store.*see that AWS_ENDPOINT_URL"):
                use()
    finally:
        file_system._remote.cache_clear()
    assert list(here.iterdir()) == []


def test_an_address_is_refused_although_a_folder_of_its_name_is_there():
    Path("hdfs:/host/store").mkdir(parents=True)

    assert scheme_of("hdfs://host/store") == "hdfs"
    assert scheme_of("hdfs:/host/store") is None


@pytest.mark.parametrize("url", ["file://elsewhere/tmp/x", "file:///tmp/x?y", "file:///tmp/x#y", "file:///tmp/%00"])
def test_file_urls_that_name_no_file_of_this_machine_are_refused(url):
    with pytest.raises(ReasonerError, match=r"names a file of the machine|has a query or a fragment|has a zero byte"):
        local_path(url)


def test_a_name_with_a_colon_is_a_name(kb):
    Path("a:b.nt").write_text(LINE)
    Path("urn:x.nt").write_text(LINE)
    Path("dbfs:").mkdir()
    Path("dbfs:/c.nt").write_text(LINE)

    assert kb.load("a:b.nt", "urn:x.nt", "dbfs:/c.nt").statements == 3
    assert kb.write("out:put.nt") == 1
    assert Path("out:put.nt").read_text() == LINE


def test_everything_goes_by_file_urls(kb, here):
    url = here.as_uri()
    kb.save(f"{url}/a%20store")
    kb.write(f"{url}/out.nt")
    kb.export(f"{url}/out.sqlite").close()
    Path("rules.rules").write_text("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")

    with Reasoner.open(f"file:{here}/a%20store") as again:
        assert again.load(f"{url}/out.nt", f"{url}/o*.nt").files == 1
        again.load_ontology(f"{url}/out.nt")
        again.load_rules(f"{url}/rules.rules")
        assert len(list(again.triples())) == 2
    assert sorted(os.listdir(here)) == ["a store", "out.nt", "out.sqlite", "rules.rules"]  # noqa: PTH208


def test_commands_take_file_urls_and_refuse_other_schemes(here, capsys):
    Path("data.nt").write_text(LINE)
    url = here.as_uri()

    assert main(["load", f"{url}/store", f"{url}/data.nt", "--profile", "none", "-q"]) == 0
    assert main(["query", f"{url}/store", "ASK { ?s ?p ?o }", "-q"]) == 0
    assert main(["dump", f"{url}/store", "-o", f"{url}/out.nt", "-q"]) == 0
    assert main(["vacuum", f"{url}/store"]) == 0
    assert main(["update", f"{url}/store", "CLEAR ALL", "-q"]) == 0
    assert main(["info", f"{url}/store"]) == 0
    assert Path("out.nt").read_text() == LINE
    capsys.readouterr()
    remote = "ftp://host/store"
    for command in (
        ["load", remote, "data.nt"],
        ["vacuum", remote],
        ["info", remote],
        ["dump", remote],
        ["query", remote, "ASK { ?s ?p ?o }"],
        ["update", remote, "CLEAR ALL"],
        ["export", "store", "-o", remote],
        ["materialise", "data.nt", "-o", remote],
        ["check", remote],
    ):
        try:
            status = main(command)
        except SystemExit as end:
            status = end.code
        assert status == 2, command
        assert "ftp://host/store has the scheme ftp, and only local paths" in capsys.readouterr().err, command
    assert not Path("ftp:").exists()
