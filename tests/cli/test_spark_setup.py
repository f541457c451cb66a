"""``reasoner spark-setup``."""

from __future__ import annotations

import pytest

from reasoner.cli import main
from reasoner.rules.errors import ReasonerError
from reasoner.spark.platform import jars


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Keep out what this machine has fetched."""
    monkeypatch.setenv("REASONER_CACHE", str(tmp_path))
    return tmp_path


def test_what_is_there_is_listed(capsys):
    folder = jars._jar_folder()
    folder.mkdir(parents=True)
    (folder / "a.jar").write_bytes(b"")

    assert main(["spark-setup"]) == 0
    assert capsys.readouterr().out == f"{folder / 'a.jar'}\n"


@pytest.mark.parametrize(("options", "status"), [((), 2), (("--optional",), 0)])
def test_what_cannot_be_fetched_fails_unless_it_is_optional(capsys, monkeypatch, options, status):
    def fail(*, repository):
        raise ReasonerError(f"not found in {repository}")

    monkeypatch.setattr("reasoner.cli.spark_setup.fetch_jars", fail)

    assert main(["spark-setup", *options, "--repository", "https://e.org/"]) == status
    told = capsys.readouterr()
    assert "not found in https://e.org/" in told.out + told.err


def test_with_optional_and_quiet_a_failure_takes_one_short_line_without_a_host(capsys, monkeypatch):
    def fail(*, repository):
        raise ReasonerError("Host repository.example not found. url=https://repository.example/graphframes.pom")

    monkeypatch.setattr("reasoner.cli.spark_setup.fetch_jars", fail)

    assert main(["spark-setup", "--optional", "--quiet"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert told.out.count("\n") == 1 and len(told.out) < 80 and "repository.example" not in told.out
