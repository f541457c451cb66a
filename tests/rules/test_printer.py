"""What is printed is read back as the same rules."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.rules.errors import ReasonerError
from reasoner.rules.parser import parse_rules
from reasoner.rules.printer import print_rule, print_rules
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import Variable
from tests.rules.strategies import odd_rules

GOLDEN = Path(__file__).parent / "golden"


@given(st.lists(odd_rules(), max_size=4))
@settings(max_examples=150, deadline=None)
def test_printed_rules_are_read_back_as_they_were(rules):
    assert parse_rules(print_rules(rules)) == tuple(replace(rule, sources=()) for rule in rules)


@given(odd_rules())
@settings(max_examples=50, deadline=None)
def test_a_single_rule_needs_no_header_and_takes_one_line(rule):
    printed = print_rule(rule)

    assert "\n" not in printed and "\r" not in printed
    assert parse_rules(printed) == (replace(rule, sources=()),)


@given(st.lists(odd_rules(), max_size=3))
@settings(max_examples=50, deadline=None)
def test_given_prefixes_are_declared_and_used(rules):
    prefixes = {"": "http://example.org/", "o": "http://www.w3.org/2002/07/owl#", "x": "urn:x:"}

    printed = print_rules(rules, prefixes)

    assert printed.startswith("PREFIX : <http://example.org/>\n")
    assert parse_rules(printed) == tuple(replace(rule, sources=()) for rule in rules)


def test_the_golden_document_is_printed_as_recorded():
    """The source has every liberty of the language, the expectation none."""
    rules = parse_rules((GOLDEN / "family.rules").read_text(encoding="utf-8"))

    assert print_rules(rules) == (GOLDEN / "family.printed.rules").read_text(encoding="utf-8")


def test_printing_is_a_fixpoint():
    printed = (GOLDEN / "family.printed.rules").read_text(encoding="utf-8")

    assert print_rules(parse_rules(printed)) == printed


def test_sources_become_a_comment_on_the_same_line():
    rule = Rule("r", Atom("<a>", "<b>", "<c>"), (), sources=("SubClassOf(A\n B)", "Other(C)"))

    assert print_rule(rule) == "[r] <a> <b> <c> .  # SubClassOf(A B); Other(C)"


def test_namespaces_with_the_same_last_word_get_different_prefixes():
    rules = parse_rules("<http://a/x#a> <http://a/x#b> <http://b/x#a> . <http://b/x#c> <http://b/x#b> <http://a/x#b> .")

    printed = print_rules(rules)

    assert len({line.split()[1] for line in printed.splitlines() if line.startswith("PREFIX")}) == 2
    assert parse_rules(printed) == tuple(replace(rule, name=f"rule-{n}") for n, rule in enumerate(rules, 1))


def test_a_variable_that_cannot_be_written_is_refused():
    x = Variable("x 1")
    with pytest.raises(ReasonerError, match="'x 1'"):
        print_rule(Rule("r", Atom(x, "<p>", x), (Atom(x, "<q>", x),)))
