"""What a reasoner says of itself, which must cost nothing."""

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
