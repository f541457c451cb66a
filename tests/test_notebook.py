"""What a notebook shows: tables and pictures that are well formed, in brief, and escape what they hold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from reasoner import Reasoner
from reasoner.notebook import MOST_SHOWN, Classes

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
