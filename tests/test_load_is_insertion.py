"""A load into what is materialised gives what starting over gives, and is maintained where it is small."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import InconsistentError, Reasoner, ReasonerError, StoreError
from reasoner.state.draft import Draft
from tests.strategies import RANDOM, drawn

E = "http://e.org/"
RULES = f"""
?x <{E}r> ?y :- ?x <{E}p> ?y .
?x <{E}r> ?z :- ?x <{E}r> ?y, ?y <{E}p> ?z .
?x owl:sameAs ?y :- ?x <{E}id> ?z, ?y <{E}id> ?z .
?x a <{E}Lonely> :- ?x <{E}q> ?y, not ?x <{E}r> ?y .
"""
DATA = [(f"<{E}a{n}>", f"<{E}p>", f"<{E}b{n}>") for n in range(20)]
NAMES = st.sampled_from([f"<{E}{name}>" for name in "abcdef"] + ["_:b"])
FACTS = st.tuples(NAMES, st.sampled_from([f"<{E}{name}>" for name in ("p", "q", "id")]), NAMES)


def lines(triples, graph: str = "") -> str:
    return "".join(f"{' '.join(triple)} {graph}.\n" for triple in triples)


def seen(kb):
    return sorted(kb.triples()), sorted(map(sorted, kb.classes())), sorted(kb.quads(), key=str)


def filled(kb, facts=DATA):
    kb.add_rules(RULES)
    kb.add(facts)
    kb.materialise()
    return kb


@pytest.fixture
def maintained(monkeypatch):
    """Return a reasoner for which it is an error to reason over everything again."""

    def refuse(*_):
        raise AssertionError("everything is materialised again")

    kb = filled(Reasoner("none"))
    # To this clock no strategy takes long, however busy the machine is.
    kb.store.clock = lambda: 0.0
    monkeypatch.setattr(Draft, "reason", refuse)
    return kb


@settings(RANDOM, max_examples=drawn(60))
@given(before=st.lists(FACTS, min_size=8, max_size=30, unique=True), come=st.lists(FACTS, max_size=4), data=st.data())
def test_random_loads_give_what_starting_over_gives(tmp_path_factory, before, come, data):
    path = tmp_path_factory.mktemp("load") / "come.nq"
    path.write_text(lines(come[:2]) + lines(come[2:], f"<{E}g> "))
    graph = data.draw(st.sampled_from([None, f"<{E}h>"]))
    at_once, later = Reasoner("none"), filled(Reasoner("none"), before)
    at_once.add_rules(RULES)
    at_once.add(before)
    at_once.load(path, graph=graph)
    later.load(path, graph=graph)

    assert later.is_materialised == (len(come) * 4 <= len(before))
    assert not at_once.is_materialised
    assert seen(later) == seen(at_once)


def test_a_small_load_is_maintained_and_a_large_one_is_not(maintained, tmp_path):
    (tmp_path / "few.nt").write_text(lines([(f"<{E}b1>", f"<{E}p>", f"<{E}c>"), DATA[3]]))
    (tmp_path / "many.nt").write_text(lines((f"<{E}x{n}>", f"<{E}p>", f"<{E}y>") for n in range(9)))

    report = maintained.load(tmp_path / "few.nt")
    assert (report.statements, maintained.is_materialised) == (2, True)
    assert (f"<{E}a1>", f"<{E}r>", f"<{E}c>") in set(maintained.triples())
    assert len(maintained.store.state.explicit) == len(DATA) + 1
    maintained.load(tmp_path / "many.nt")
    assert not maintained.is_materialised
    with pytest.raises(AssertionError, match="materialised again"):
        list(maintained.triples())


def test_a_load_that_breaks_a_constraint_is_rejected_and_leaves_no_trace(tmp_path):
    kb = Reasoner("none", constraints="reject")
    kb.add_rules(f"false :- ?x <{E}p> ?x .")
    filled(kb)
    before, terms = seen(kb), len(kb.store.dictionary)
    (tmp_path / "bad.nt").write_text(lines([(f"<{E}new>", f"<{E}p>", f"<{E}new>")]))

    with pytest.raises(InconsistentError):
        kb.load(tmp_path / "bad.nt")

    assert (seen(kb), len(kb.store.dictionary), kb.is_materialised) == (before, terms, True)
    kb.load(_good(tmp_path))
    assert (f"<{E}b2>", f"<{E}r>", f"<{E}d>") in set(kb.triples())


def test_a_small_load_is_a_version_of_a_store_and_refused_by_one_that_is_read_only(tmp_path):
    filled(Reasoner("none")).save(tmp_path / "store")
    with Reasoner.open(tmp_path / "store", read_only=True) as kb, pytest.raises(StoreError, match="for reading only"):
        kb.load(_good(tmp_path))
    with Reasoner.open(tmp_path / "store") as kb:
        kb.load(_good(tmp_path))
        assert (kb.version, kb.is_materialised) == (2, True)
    with Reasoner.open(tmp_path / "store") as kb:
        assert (f"<{E}a2>", f"<{E}r>", f"<{E}d>") in set(kb.triples())


def test_an_axiom_that_a_load_brings_takes_effect(tmp_path):
    kb = Reasoner("rdfs")
    kb.add([(f"<{E}a{n}>", f"<{E}p>", f"<{E}b>") for n in range(9)])
    kb.materialise()
    path = tmp_path / "axiom.nt"
    path.write_text(f"<{E}p> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <{E}q> .\n")

    kb.load(path)

    assert (f"<{E}a1>", f"<{E}q>", f"<{E}b>") in set(kb.triples())


def test_a_malformed_load_changes_nothing(maintained, tmp_path):
    (tmp_path / "bad.nt").write_text(lines([DATA[0]]) + "<a\n")
    before = len(maintained.store.dictionary)

    with pytest.raises(ReasonerError, match=r"bad\.nt:2"):
        maintained.load(tmp_path / "bad.nt")

    assert (len(maintained.store.dictionary), maintained.is_materialised) == (before, True)


def _good(folder: Path) -> Path:
    path = folder / "good.nt"
    path.write_text(lines([(f"<{E}b2>", f"<{E}p>", f"<{E}d>")]))
    return path
