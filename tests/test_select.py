"""Patterns are answered over the closure, every equal term an answer of its own."""

import pytest

from loaders.load import parse_text
from reasoner import Reasoner, ReasonerError

PREFIX = "PREFIX : <http://e.org/> "
DATA = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:a owl:sameAs :b . :a :p :c . :c :q 5 . :d :q 7 ."""


@pytest.fixture
def kb() -> Reasoner:
    kb = Reasoner(profile="none")
    kb.add(parse_text(DATA, "turtle"))
    return kb


def names(rows, variable: str) -> set[str]:
    return {row[variable].removeprefix("<http://e.org/").removesuffix(">") for row in rows}


def test_answers_are_expanded(kb):
    assert names(kb.select(PREFIX + "?x :p :c"), "x") == {"a", "b"}


def test_equality_can_be_asked_for(kb):
    assert names(kb.select(PREFIX + ":a owl:sameAs ?n"), "n") == {"b"}
    assert names(kb.select(PREFIX + "?m owl:sameAs ?n, ?m :p :c"), "n") == {"a", "b"}
    assert names(kb.select("?m owl:sameAs ?n", ["m"]), "m") == {"a", "b"}


def test_that_terms_equal_themselves_can_be_asked_for(kb):
    assert names(kb.select(PREFIX + ":a owl:sameAs ?n", reflexive=True), "n") == {"a", "b"}
    assert names(kb.select(PREFIX + ":c owl:sameAs ?n", reflexive=True), "n") == {"c"}
    # a, b, c, d, p, q and owl:sameAs; a literal is no subject.
    assert len(kb.select("?m owl:sameAs ?n", ["m"], reflexive=True)) == 7
    assert kb.select(PREFIX + ":nowhere owl:sameAs ?n", reflexive=True) == []


def test_negation_and_filters_apply(kb):
    assert names(kb.select(PREFIX + "?x :q ?n, ?n > 5"), "x") == {"d"}
    assert names(kb.select(PREFIX + "?x :q ?n, not :a :p ?x"), "x") == {"d"}


def test_a_question_without_variables_is_answered_by_yes_or_no(kb):
    assert kb.select(PREFIX + ":b :p :c") == [{}]
    assert kb.select(PREFIX + ":b :p :d") == []


def test_a_term_that_no_fact_mentions_has_no_answers(kb):
    assert kb.select(PREFIX + "?x :p :nowhere") == []


def test_a_variable_that_no_pattern_binds_is_named(kb):
    with pytest.raises(ReasonerError, match=r"\?z"):
        kb.select(PREFIX + "?x :p ?y", ["z"])
