"""What notebooks show, in a real browser: text stays inside its boxes, folds open, and no page grows wider."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loaders.load import parse_text
from reasoner import Reasoner

LONG = "A" + "WideNameWithoutAnySpaceInIt" * 6
DATA = f"""@prefix : <http://e.org/> . @prefix other: <http://other.example/some/long/namespace/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Mother rdfs:subClassOf :Parent . :Parent rdfs:subClassOf :Person . :Person owl:disjointWith :Robot .
:ancestor a owl:TransitiveProperty . :ssn a owl:InverseFunctionalProperty .
:eve a :Mother ; :ssn "1" ; :ancestor :seth ; rdfs:comment "{"a long text " * 40}{"x" * 300}" .
:eva :ssn "1" . :WWWWWWWWMMMMMMMM :ssn "1" . other:名前の長い個体です :ssn "1" . other:{LONG} :ssn "1" .
:e4 :ssn "1" . :e5 :ssn "1" . :e6 :ssn "1" . :e7 :ssn "1" .
:seth :ancestor :enos . :enos :ancestor :mahalalel . :eva a :Robot .
"""

# Texts of a picture that reach beyond the box of their group, or beyond the picture.
OVERFLOWING = """
const found = [];
for (const svg of document.querySelectorAll("svg")) {
  const edge = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll("text")) {
    const box = text.parentElement.tagName === "g" ? text.parentElement.querySelector("rect") : null;
    const inner = text.getBoundingClientRect(), outer = box ? box.getBoundingClientRect() : edge;
    if (inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5 ||
        inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1)
      found.push([text.textContent, inner.left - outer.left, inner.right - outer.right, inner.bottom - outer.bottom]);
  }
}
return found;
"""


def outputs() -> dict[str, object]:
    kb = Reasoner()
    kb.add(parse_text(DATA, "turtle"))
    kb.prefixes.update({"": "http://e.org/", "other": "http://other.example/some/long/namespace/"})
    kb.materialise()
    proof = kb.explain(
        (f"<http://other.example/some/long/namespace/{LONG}>", "<http://e.org/ancestor>", "<http://e.org/mahalalel>")
    )
    assert proof is not None and proof.height > 1
    script = f'prefix : <http://e.org/> step "{"a long name " * 12}" remove SubClassOf(:Mother :Parent) '
    script += f"add SubClassOf(:Person :{LONG})"
    return {
        "classes": kb.classes(),
        "violations": kb.violations(),
        "answers": kb.query("SELECT * { ?s ?p ?o }"),
        "proof": proof,
        "summary": kb.summary(),
        "evolution": kb.evolve(script, dry_run=True, allow_inconsistent=True),
        "entailment": Reasoner().entails("<urn:a> <urn:p> <urn:b> ."),
        "delta": kb.update('PREFIX : <http://e.org/> DELETE DATA { :eve :ssn "1" } ; INSERT DATA { :seth a :Robot }'),
    }


@pytest.fixture
def show(driver, tmp_path: Path) -> Callable[[str], None]:
    """Show an output as a notebook does, on a page of one column."""

    def show(html: str, colours: str = "color: #222; background: #fff") -> None:
        page = tmp_path / "output.html"
        page.write_text(
            f"<!DOCTYPE html><meta charset='utf-8'><body style='margin: 0; font: 14px sans-serif; {colours}'>"
            f"<div style='width: 760px; padding: 12px'>{html}</div>",
            encoding="utf-8",
        )
        driver.get(page.as_uri())

    return show


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    return {name: value._repr_html_() for name, value in outputs().items()}


@pytest.mark.parametrize(
    "name", ["classes", "violations", "answers", "proof", "summary", "evolution", "entailment", "delta"]
)
def test_an_output_stays_inside_its_box(driver, show, shown, name):
    show(shown[name])
    driver.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")

    assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert driver.execute_script(OVERFLOWING) == []
    cells = "return [...document.querySelectorAll('td, th')].filter(each => each.scrollWidth > each.clientWidth + 1)"
    assert [cell.text for cell in driver.execute_script(cells)] == []


def test_a_proof_folds_and_unfolds(driver, show, shown):
    show(shown["proof"])
    top = driver.find_element("css selector", ".reasoner > details")
    assert top.get_attribute("open") is not None
    inner = driver.find_element("css selector", ".reasoner > details > details, .reasoner > details > .leaf")
    assert inner.is_displayed()

    top.find_element("css selector", "summary").click()

    assert not inner.is_displayed()
