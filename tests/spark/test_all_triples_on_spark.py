"""All triples are the same ones on Spark, with facts at the driver and in files, whoever is asked for them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.terms.term import SAME_AS
from tests.engines import Make
from tests.notation import Fact, fact, facts
from tests.strategies import RANDOM
from tests.test_all_triples import (  # noqa: F401
    POOL,
    filled,
    fits,
    queried,
    selected,
    test_a_predicate_of_which_no_fact_is_left_occurs_no_more,
    test_it_comes_and_goes_as_an_explicit_triple,
    test_it_is_one_under_the_name_that_it_was_asserted_with,
    test_representatives_alone_show_it_of_the_representative,
    test_that_a_term_equals_itself_is_a_triple_where_it_was_asserted,
    wanted,
)

pytestmark = pytest.mark.parametrize("make_reasoner", ["spark", "spark in files"], indirect=True)

# Classes, equal predicates, another name of equality, and terms that were said to equal themselves in each of these.
EXPLICIT = facts("a same b, b same b, c same c, p same q, a p c, c q c, e same same, a e a, c e a, d e d, q same q")


def assert_one_meaning(kb: Reasoner, triples: set[Fact], target: Path) -> None:
    assert set(kb.triples()) == triples
    assert kb.summary().expanded == len(triples)
    assert kb.write(target / "closure.nt") == len(triples)
    lines = {f"{s} {p} {o} ." for s, p, o in triples}
    assert set((target / "closure.nt").read_text().splitlines()) == lines
    assert kb.write(f"{target}/parts/") == len(triples)
    assert {line for part in (target / "parts").glob("part-*") for line in part.read_text().splitlines()} == lines
    assert {tuple(row) for row in kb.dataframe(terms="text").collect()} == triples
    for pattern in ((None, None, None), ("<a>", None, None), (None, SAME_AS, None), (None, "<e>", None)):
        expected = {triple for triple in triples if fits(triple, pattern)}
        assert set(selected(kb, pattern)) == set(queried(kb, pattern)) == expected
    for pattern in (("<c>", SAME_AS, "<c>"), ("<d>", SAME_AS, "<d>"), ("<d>", "<e>", "<d>")):
        assert bool(selected(kb, pattern)) == bool(queried(kb, pattern)) == (pattern in triples)


@pytest.mark.parametrize("equality", ["rewrite", "axiomatise"])
def test_every_interface_gives_the_same_triples(make_reasoner: Make, tmp_path: Path, equality: str):
    kb = make_reasoner(profile="none", equality=equality)
    kb.add(EXPLICIT)
    triples = wanted(set(EXPLICIT), "", equality)

    assert_one_meaning(kb, triples, tmp_path)


@settings(RANDOM, max_examples=2)
@given(st.lists(st.sampled_from(POOL), min_size=6, max_size=9, unique=True), st.sampled_from(POOL))
def test_patterns_of_every_shape_find_the_same_triples(make_reasoner: Make, explicit: list[Fact], probe: Fact):
    kb = make_reasoner(profile="none")
    kb.add(explicit)
    triples = wanted(set(explicit), "", "rewrite")

    for chosen in product((False, True), repeat=3):
        pattern = tuple(term if is_bound else None for term, is_bound in zip(probe, chosen, strict=True))
        expected = {triple for triple in triples if fits(triple, pattern)}
        assert set(selected(kb, pattern)) == set(queried(kb, pattern)) == expected
    assert set(kb.triples()) == triples
    assert kb.summary().expanded == len(triples)


def test_updates_keep_the_meaning_and_frames_of_deltas_tell_the_difference(make_reasoner: Make):
    kb = filled(make_reasoner, "a same b, b same b, c same c, a e a")
    kb.materialise()
    explicit = {*facts("a same b, b same b, c same c, a e a")}
    triples = wanted(explicit, "", "rewrite")
    # Such a triple for another one, and then another name of equality.
    for removed, added in (("c same c", "d same d"), ("b same b", "e same same")):
        before, before_explicit = triples, set(explicit)
        explicit = (explicit - {*facts(removed)}) | {*facts(added)}
        with kb.transaction() as change:
            change.remove(facts(removed))
            change.add(facts(added))
        triples, delta = wanted(explicit, "", "rewrite"), change.delta
        assert set(kb.triples()) == triples
        assert set(delta.inferred_added) == triples - before - explicit
        assert set(delta.inferred_removed) == before - triples - before_explicit
        assert (delta.counts.gained, delta.counts.lost) == (len(triples - before), len(before - triples))
        # Where classes merge, a frame compares closures as a whole, which takes long.
        if not delta.classes_merged:
            rows = {tuple(row) for row in delta.to_dataframe(terms="text").collect()}
            came, went = triples - before, before - triples
            assert rows == {("added", *new) for new in came} | {("removed", *old) for old in went}


def test_a_store_that_is_opened_has_the_same_triples(make_reasoner: Make, tmp_path: Path):
    kb = filled(make_reasoner, "c same c, a p b")
    kb.save(tmp_path / "store")

    with Reasoner.open(tmp_path / "store", engine="spark") as opened:
        assert set(opened.triples()) == {*facts("c same c, a p b")}
        assert queried(opened, (None, SAME_AS, None)) == [fact("c same c")]
