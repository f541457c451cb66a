"""The examples run as they are, and print what they are there to show."""

import runpy
import sys

import pytest

from tests.documents import ROOT

EXAMPLES = ROOT / "examples"
# Run in tests/spark, where there is a session.
ELSEWHERE = ("spark_pipeline",)

PRINTED = {
    "deduplicate_catalogue": (
        "a1 = b7 = c3",
        "Highlighter: 0.99 in the cheapest of 3 shops",
        "[by prp-ifp]",
        "1 product split",
    ),
    "ontology_release": (
        "refused: <http://uni.example/cid>",
        "applied: True, consistent: True",
        "taken back: staff or student; still applied: ['one word for teachers', 'students may teach']",
    ),
    "rdflib_one_line": ("the same answers: True",),
}


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_runs_and_shows_what_it_is_for(name, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])

    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")

    printed = capsys.readouterr().out
    assert [line for line in PRINTED[name] if line not in printed] == []
    assert list(tmp_path.iterdir()) == [], "an example leaves no files where it is run"


def test_every_example_is_run_and_listed():
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    names = {path.stem for path in EXAMPLES.glob("*.py")}

    assert names == {*PRINTED, *ELSEWHERE}
    assert [name for name in names if f"[{name}.py]({name}.py)" not in listed] == []
