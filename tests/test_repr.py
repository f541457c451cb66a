"""What a reasoner says of itself, which must cost nothing."""

from importlib.metadata import version

import reasoner
from reasoner import Reasoner

FACT = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")


def test_it_tells_settings_and_facts_and_does_not_reason(monkeypatch):
    kb = Reasoner(profile="none")
    kb.add([FACT])

    assert repr(kb) == "<Reasoner profile=none equality=rewrite engine=columnar: 1 asserted, not materialised>"
    assert not kb.is_materialised


def test_it_tells_what_was_inferred_before_and_after_a_change():
    kb = Reasoner(profile="none", equality="none")
    kb.add_rules("?y <http://e.org/q> ?x :- ?x <http://e.org/p> ?y .")
    kb.add([FACT])
    kb.materialise()
    assert "1 asserted, 1 inferred" in repr(kb)

    kb.remove([FACT])
    assert "0 asserted, 0 inferred" in repr(kb)
    assert kb.summary().inferred == 0


def test_it_tells_where_a_store_is(tmp_path):
    with Reasoner.open(tmp_path / "store", create=True, profile="none") as kb:
        assert repr(kb).endswith(f", version 1 of {tmp_path / 'store'}>")


def test_what_a_reasoner_returns_says_what_it_is():
    kb = Reasoner(profile="none")
    before = kb.transaction()
    assert repr(before) == "<Transaction not committed yet>"
    with kb.transaction() as transaction:
        transaction.add(FACT)

    assert repr(transaction.delta).startswith("<Delta asserted: +1 -0;")
    assert repr(transaction).startswith("<Transaction committed: asserted: +1 -0;")
    assert repr(kb.query("ASK { ?s ?p ?o }")) == "<Result ASK: yes>"
    assert repr(kb.query("SELECT ?s ?o { ?s <http://e.org/p> ?o }")) == "<Result SELECT ?s ?o: 1 row>"
    assert repr(kb.query("CONSTRUCT WHERE { ?s <http://e.org/q> ?o }")) == "<Result CONSTRUCT: 0 triples>"
    assert repr(kb.dynamic()) == "<DynamicSession strategy=auto: to be run, 0 updates waiting>"
    with kb.subscribe("SELECT ?s { ?s <http://e.org/p> ?o }") as subscription:
        assert repr(subscription) == "<Subscription ?s: active>"
    assert repr(subscription) == "<Subscription ?s: ended>"


def test_a_summary_prints_as_a_table():
    kb = Reasoner(profile="none", equality="none")
    kb.add_rules("?y <http://e.org/q> ?x :- ?x <http://e.org/p> ?y .")
    kb.add([FACT])

    lines = str(kb.materialise()).splitlines()

    assert "explicit facts              1" in lines and "of these inferred           1" in lines


def test_the_package_says_which_version_is_installed():
    assert reasoner.__version__ == version("reasoner-rdf")
