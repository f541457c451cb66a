"""Search finds what looking at every name and label finds, and goes on doing so while terms come and go."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.columnar.term_search import TermSearch, labels_of

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
LETTERS = "abAé"
IRIS = st.text(LETTERS, min_size=1, max_size=3).map(lambda name: f"<http://e.org/{name}>")
LABELS = st.text(LETTERS, min_size=1, max_size=3).map(lambda text: f'"{text}"')
TRIPLES = st.lists(st.one_of(st.tuples(IRIS, IRIS, IRIS), st.tuples(IRIS, st.just(LABEL), LABELS)), max_size=8)


def check() -> None:
    """Let a search take all the time it wants."""


def expected(kb: Reasoner, text: str) -> set[str]:
    """Look at every name and every label."""
    wanted, found = text.lower(), set()
    for s, p, o in kb.triples():
        found |= {term for term in (s, p, o) if term[0] == "<" and wanted in re.split("[/#:]", term[1:-1])[-1].lower()}
        if p == LABEL and wanted in o.strip('"').lower():
            found.add(s)
    return found


@settings(deadline=None, max_examples=60)
@given(first=TRIPLES, second=TRIPLES, text=st.text(LETTERS, min_size=1, max_size=2))
def test_search_finds_what_looking_at_everything_finds(first, second, text):
    kb, search = Reasoner(profile="none"), TermSearch()
    kb.add(first)
    kb.materialise()
    assert {match.term for match in search.matches(kb.store, text, 1000, check)} == expected(kb, text)

    with kb.transaction() as change:
        change.add(second)
        change.remove([triple for triple in first if triple not in second][::2])
    assert {match.term for match in search.matches(kb.store, text, 1000, check)} == expected(kb, text)


def test_names_that_are_or_begin_with_the_text_come_first():
    kb = Reasoner(profile="none")
    names = ["xcat", "cats", "cat", "concatenate"]
    kb.add([(f"<http://e.org/{name}>", "<http://e.org/p>", "<http://e.org/o>") for name in names])
    kb.materialise()

    found = [match.term[len("<http://e.org/") : -1] for match in TermSearch().matches(kb.store, "CAT", 10, check)]

    assert found == ["cat", "cats", "xcat", "concatenate"]


def test_a_search_can_be_stopped():
    kb = Reasoner(profile="none")
    kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
    kb.materialise()

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        TermSearch().matches(kb.store, "a", 10, stop)


def test_labels_are_in_english_if_they_can_be_and_each_name_keeps_its_own():
    kb = Reasoner()
    a, b, same = "<http://e.org/a>", "<http://e.org/b>", "<http://www.w3.org/2002/07/owl#sameAs>"
    kb.add([(a, LABEL, '"eins"@de'), (a, LABEL, '"one"@en'), (b, LABEL, '"zwei"@de'), (a, same, b)])
    kb.materialise()

    assert labels_of(kb.store, [a, b, "<http://e.org/unknown>", '"x"']) == {a: '"one"@en', b: '"zwei"@de'}
