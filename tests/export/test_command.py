"""``reasoner export``: from data and from stores, into files."""

from __future__ import annotations

from reasoner import Reasoner
from tests.cli.conftest import family, run  # noqa: F401
from tests.export.reading import read_export
from tests.notation import facts


def test_data_are_exported_with_what_they_entail(run, family, tmp_path):  # noqa: F811
    outcome = run("export", family, "-o", tmp_path / "out.sqlite")

    assert outcome.status == 0 and "of classes" in outcome.err
    tables = read_export(tmp_path / "out.sqlite", "sqlite")
    assert ("<http://e.org/eva>",) in tables["class_Parent"]
    assert ("<http://e.org/eve>", "<http://e.org/enos>") in tables["property_ancestor"]


def test_a_store_is_exported_once_for_each_version(run, tmp_path):  # noqa: F811
    with Reasoner.open(tmp_path / "store", create=True, profile="none") as kb:
        kb.add(facts("a p b"))
    words = ("export", tmp_path / "store", "-o", tmp_path / "out", "--to", "parquet", "--ids")

    first, second = run(*words), run(*words)

    assert "1 row" in first.err and "up to date already" in second.err
    assert len(read_export(tmp_path / "out", "parquet")["terms"]) == 2


def test_a_name_that_tells_no_format_takes_one_line(run, family, tmp_path):  # noqa: F811
    outcome = run("export", family, "-o", tmp_path / "out.xyz")

    assert outcome.status == 2 and outcome.err.count("\n") == 1 and ".duckdb" in outcome.err
