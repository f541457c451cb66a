"""What a notebook shows: tables and pictures that are well formed, in brief, and escape what they hold."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from reasoner import Reasoner
from reasoner.explanation.notebook import MOST_SHOWN, Classes

A, B, P, Q = (f"<http://e.org/{name}>" for name in ("a", "b&c", "p", "q"))
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"


@pytest.fixture
def kb():
    kb = Reasoner()
    kb.add([(A, SAME, B), (A, P, '"x < y"'), (A, Q, B)])
    kb.add_rules("[apart] false :- ?x <http://e.org/p> ?y, ?x <http://e.org/q> ?z .")
    return kb


def test_everything_that_a_user_gets_shows_itself(kb):
    shown = {
        "classes": kb.classes(),
        "violations": kb.violations(),
        "summary": kb.summary(),
        "answers": kb.query("SELECT * { ?s ?p ?o }"),
        "truth": kb.query("ASK {}"),
        "proof": kb.explain((B, P, '"x < y"')),
        "delta": kb.remove((A, SAME, B)),
    }

    for name, value in shown.items():
        html = value._repr_html_()
        tree = ElementTree.fromstring(html.replace("<br>", "<br/>"))
        assert "".join(tree.itertext()).strip(), name


def test_terms_are_brief_and_all_of_them_is_under_the_pointer(kb):
    html = kb.classes()._repr_html_()

    assert '<span title="&lt;http://e.org/b&amp;c&gt;">b&amp;c</span>' in html
    assert "apart" in kb.violations()._repr_html_() and "x &lt; y" in kb.violations()._repr_html_()


def test_a_long_list_is_cut_and_counted():
    classes = Classes((f"<http://e.org/{n}>", f"<http://e.org/{n}x>") for n in range(1200))

    assert "1,200 classes of equal terms, the first 50" in classes._repr_html_()
    assert classes._repr_html_().count("<tr>") == MOST_SHOWN + 1


def test_the_lists_are_lists(kb):
    assert kb.classes() == [(A, B)] and isinstance(kb.classes(), list)
    assert [found.rule for found in kb.violations()] == ["apart"]


def test_outputs_use_the_prefixes_of_the_input(tmp_path):
    data = tmp_path / "data.ttl"
    data.write_text(
        "@prefix shop: <http://shop.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
        "shop:gtin a owl:InverseFunctionalProperty . shop:a shop:gtin 1 . shop:b shop:gtin 1 ; shop:price 2 ."
        "shop:Pen owl:disjointWith shop:Ink . shop:a a shop:Pen, shop:Ink ."
    )
    kb = Reasoner()
    kb.load(data)
    triple = (
        "<http://shop.example/a>",
        "<http://shop.example/price>",
        '"2"^^<http://www.w3.org/2001/XMLSchema#integer>',
    )
    shown = {
        "classes": kb.classes(),
        "violations": kb.violations(),
        "answers": kb.query("PREFIX x: <http://shop.example/> SELECT ?s { ?s x:price ?o }"),
        "proof": kb.explain(triple),
        "other proofs": next(iter(kb.explanations(triple))),
        "transaction": kb.remove(
            ("<http://shop.example/b>", "<http://shop.example/gtin>", triple[2].replace("2", "1", 1))
        ),
        "update": kb.update("PREFIX : <http://shop.example/> INSERT DATA { :c :price 7 }"),
        "evolution": kb.evolve("prefix shop: <http://shop.example/> add SubClassOf(shop:Pen shop:Thing)", dry_run=True),
    }

    for name, value in shown.items():
        # All of a term is in a title, which shows up under the pointer.
        html = re.sub(r"<title>.*?</title>", "", value._repr_html_(), flags=re.DOTALL)
        text = "".join(ElementTree.fromstring(html).itertext())
        assert ("x:a" if name == "answers" else "shop:") in text, name
        assert "http://shop.example/" not in text, name


def test_proofs_reports_and_deltas_fold(kb):
    proof, delta = kb.explain((B, P, '"x < y"')), kb.update("DELETE WHERE { ?s <http://e.org/q> ?o }")
    report = kb.evolve("add SubClassOf(<http://e.org/C> <http://e.org/D>)", dry_run=True)

    for value in (proof, delta, report):
        html = value._repr_html_()
        assert html.count("<details") == html.count("</details>") >= 2
    assert proof._repr_html_().partition("</style>")[2].startswith('<details open="">')


def test_a_deep_proof_is_cut_where_browsers_would_give_up():
    kb = Reasoner(profile="none")
    kb.add_rules("?y <http://e.org/t> ?z :- ?x <http://e.org/t> ?z, ?x <http://e.org/next> ?y .")
    kb.add((f"<http://e.org/{n}>", "<http://e.org/next>", f"<http://e.org/{n + 1}>") for n in range(300))
    kb.add([("<http://e.org/0>", "<http://e.org/t>", A)])

    html = kb.explain(("<http://e.org/300>", "<http://e.org/t>", A))._repr_html_()

    assert "and so on" in html
    assert html.count("<details") == 101
