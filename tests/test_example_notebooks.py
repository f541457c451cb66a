"""The notebooks of the examples run from top to bottom, and are committed with outputs that fit every machine."""

from __future__ import annotations

import re

import nbformat
import pytest

from docs.generate.notebooks import EXAMPLES, NOTEBOOKS, executed

# What a notebook is there to show, in its outputs. That of Spark runs in tests/spark.
SHOWN = {
    "product_catalogue": ("2 classes of equal terms", "prp-ifp", "Highlighter", "classes split: 1"),
    "ontology_release": (
        "would make the store INCONSISTENT",
        "ObjectPropertyDomain(:teaches :Staff)",
        "applied: 3 steps",
        "taken back: 1 step",
    ),
}
# The style and the texts under the pointer are no part of what is read.
_HIDDEN = re.compile(r"<style>.*?</style>|<title>.*?</title>|<[^>]*>", re.DOTALL)


def outputs_of(notebook) -> str:
    texts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            texts.append(_HIDDEN.sub("", data.get("text/html") or data.get("text/plain") or output.get("text", "")))
    return "\n".join(texts)


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_runs_and_shows_what_it_is_for(name):
    shown = outputs_of(executed(EXAMPLES / f"{name}.ipynb"))

    assert [text for text in SHOWN[name] if text not in shown] == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_committed_small_with_outputs_and_without_traces_of_a_machine(name):
    path = EXAMPLES / f"{name}.ipynb"
    notebook, text = nbformat.read(path, as_version=4), path.read_text(encoding="utf-8")

    nbformat.validate(notebook)
    assert path.stat().st_size < 100_000
    assert all(cell.outputs or cell.source.startswith("import") for cell in notebook.cells if cell.cell_type == "code")
    assert not re.search(r"/home/|/root/|/tmp/|/work/|/Users/| at 0x[0-9a-f]|Traceback", text)
    assert [text for text in SHOWN.get(name, ()) if text not in outputs_of(notebook)] == []


def test_every_notebook_is_known_and_listed():
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")

    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == set(NOTEBOOKS)
    assert [name for name in NOTEBOOKS if f"[{name}.ipynb]({name}.ipynb)" not in listed] == []
