"""The command line with ``--engine spark``, in the session of the tests: it says what it says without."""

from __future__ import annotations

import pytest

from tests.cli.conftest import family, run  # noqa: F401
from tests.spark.quick_session import quickly


@pytest.fixture(scope="module", autouse=True)
def quick(spark):
    """Let commands find an active session, as those of a user's program do."""
    with quickly(spark) as session:
        yield session


def test_a_file_is_materialised_and_written_by_spark(run, family, tmp_path):  # noqa: F811
    files = {engine: tmp_path / f"{engine}.nt" for engine in ("columnar", "spark")}

    outcomes = [run("materialise", family, "-o", file, "--engine", engine, "-q") for engine, file in files.items()]

    assert [outcome.status for outcome in outcomes] == [0, 0]
    written, expected = (sorted(files[engine].read_text().splitlines()) for engine in ("spark", "columnar"))
    assert written == expected != []


def test_a_store_is_loaded_updated_and_asked_by_spark(run, family, tmp_path):  # noqa: F811
    store = tmp_path / "store"
    on_spark = ("--engine", "spark")

    loaded = run("load", store, family, "-q", *on_spark)
    updated = run(
        "update",
        store,
        "-q",
        "DELETE DATA { <http://e.org/seth> <http://e.org/ancestor> <http://e.org/enos> }",
        *on_spark,
    )
    asked = run("query", store, "-q", "--full-iris", "SELECT ?x ?y { ?x <http://e.org/ancestor> ?y }", *on_spark)

    assert (loaded.status, updated.status, asked.status) == (0, 0, 0)
    assert [line.split() for line in asked.lines if "ev" in line] == [
        ["<http://e.org/eve>", "<http://e.org/seth>"],
        ["<http://e.org/eva>", "<http://e.org/seth>"],
    ]
    assert "enos" not in asked.out


def test_the_demonstration_tells_the_same_story_on_spark(run):  # noqa: F811
    outcome = run("demo", "--engine", "spark")

    assert outcome.status == 0
    for part in ("loaded 3,417 statements", "visitor0:0, visitor0:1", "by cax-sco", "Is it still a chair? No"):
        assert part in outcome.out, part
