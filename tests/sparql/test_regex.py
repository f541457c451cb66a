"""REGEX and REPLACE: two engines that agree, and patterns that run away."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.requests import query
from reasoner.sparql import regex_column
from reasoner.sparql.errors import QueryTimeoutError
from reasoner.sparql.regex_syntax import regex_of
from reasoner.terms.value import literal_text
from tests.sparql.notation import PREFIX

RUNAWAY = '"^(a+)+$"'
# Looking ahead keeps the pattern from the engine that is always in time.
BACKTRACKING = r'"^(a+)+(?!b)$"'

atoms = st.sampled_from([*"ab.^$", r"\d", r"\w", r"\s", r"\.", "[ab]", "[^a]", "[a-c1]", r"[\d_-]", r"[\S]", "é", " "])
patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "{2}", "{1,2}", "{2,}?"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
        inner.map("({})".format),
        inner.map("(?:{})".format),
    ),
    max_leaves=6,
)
texts = st.text("ab1.é _-\n", max_size=12)
flags = st.text("ims", max_size=2)


def by_hand(pattern: str, given: str) -> re.Pattern[str]:
    """Compile a pattern for Python, with the end that XPath means."""
    end = "$" if "m" in given else r"\\Z"
    options = sum(getattr(re, flag.upper()) for flag in set(given))
    return re.compile(re.sub(r"(?<!\\)\$", end, pattern), options)


def strings(*given: str) -> Reasoner:
    kb = Reasoner(profile="none")
    kb.add([(f"<http://e.org/{place}>", "<http://e.org/p>", literal_text(text)) for place, text in enumerate(given)])
    return kb


@settings(max_examples=300, deadline=None)
@given(patterns, flags, st.lists(texts, min_size=1, max_size=5))
def test_a_pattern_is_found_where_python_finds_it(pattern, given, found_in):
    assert regex_of(pattern, given).linear is not None
    call = f"REGEX(?o, {literal_text(pattern)}, {literal_text(given)})"

    answers = query(strings(*found_in), PREFIX + f"SELECT ?o ({call} AS ?r) {{ ?s :p ?o }}")

    expected = {text: by_hand(pattern, given).search(text) is not None for text in found_in}
    assert {str(row.o): row.r.toPython() for row in answers} == expected


@settings(max_examples=300, deadline=None)
@given(patterns, flags, st.sampled_from(["-", "[$0]", "<$1>", r"\\$2", ""]), texts)
def test_a_pattern_is_replaced_as_python_replaces_it(pattern, given, template, text):
    arguments = ", ".join(map(literal_text, (pattern, template, given)))

    (row,) = query(strings(text), PREFIX + f"SELECT (REPLACE(?o, {arguments}) AS ?r) {{ ?s :p ?o }}")

    expression = by_hand(pattern, given)
    groups = {f"${number}": number for number in range(expression.groups + 1)}

    def filled(match: re.Match[str]) -> str:
        return re.sub(r"\\.|\$\d", lambda part: _part(part[0], match, groups), template)

    expected = None if expression.search("") else expression.sub(filled, text)
    assert (None if row.r is None else str(row.r)) == expected


def _part(part: str, match: re.Match[str], groups: dict[str, int]) -> str:
    if part[0] == "\\":
        return part[1]
    return match[groups[part]] or "" if part in groups else ""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (r'REGEX("a\n", "a$")', "false"),
        (r'REGEX("a\nb", "a$", "m")', "true"),
        (r'REGEX("a\nb", "a.b")', "false"),
        (r'REGEX("a\nb", "a.b", "s")', "true"),
        ('REGEX("ab", " a # b ", "x")', "false"),
        ('REGEX("a#b", " a # b ", "x")', "true"),
        ('REGEX("a b", "a[ ]b", "x")', "true"),
        ('REGEX("A.B", "a.b", "qi")', "true"),
        ('REGEX("AxB", "a.b", "qi")', "false"),
        (r'REGEX("É", "^\\p{Lu}$")', "true"),
        (r'REGEX("é", "^\\p{Lu}$")', "false"),
        (r'REGEX("abab", "^(ab)\\1$")', "true"),
        (r'REGEX("ab", "a(?=b)")', "true"),
        (r'REGEX("a b", "\\bb")', "true"),
        (r'REGEX("a\\", "\\\\$")', "true"),
        ('REGEX("a", "a", "z")', None),
        ('REGEX("a", "(")', None),
        (r'REGEX("a", "\\p{IsGreek}")', None),
        ('REGEX(1, "1")', None),
        ('REGEX(STR(1), "1")', "true"),
        ('REGEX(STR(<http://e.org/a>), "^http.*a$")', "true"),
        ('REGEX(STR(BNODE()), "a")', None),
        ('REPLACE(STR("chat"@fr), "c", "C")', "Chat"),
        ('REGEX("a", "a"@en)', None),
        ('REGEX("a]", "[]]")', "true"),
        ('REPLACE("abcabc", "(b)(c)?", "$2$1")', "acbacb"),
        ('REPLACE("abc", "b", "$1")', "ac"),
        (r'REPLACE("abc", "b", "\\$")', "a$c"),
        (r'REPLACE("abc", "b", "\\\\")', r"a\c"),
        (r'REPLACE("abc", "b", "\\x")', None),
        ('REPLACE("a.c", ".", "$1", "q")', "a$1c"),
        ('REPLACE("abcdefghijk", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "$10")', "jk"),
        ('REPLACE("chat"@fr, "c(?=h)", "C")', "Chat"),
        (r'REPLACE("abc", "(?=b)|b", "-")', "a--c"),
    ],
)
@pytest.mark.parametrize("timeout", [None, 20])
def test_a_call_gives_what_xpath_says(call, expected, timeout):
    (row,) = query(Reasoner(profile="none"), f"SELECT ({call} AS ?r) {{}}", timeout=timeout)

    assert (None if row.r is None else str(row.r)) == expected


def test_patterns_may_come_from_the_data_and_stand_within_other_expressions():
    kb = strings("a+", "b", "c(")

    answers = query(
        kb,
        PREFIX + 'SELECT ?o (IF(COALESCE(REGEX("aab", ?o), true), REPLACE("aab", ?o, "-"), "none") AS ?r) { ?s :p ?o }',
    )

    assert {str(row.o): None if row.r is None else str(row.r) for row in answers} == {
        "a+": "-b",
        "b": "aa-",
        "c(": None,
    }


@pytest.mark.parametrize("call", [f"REGEX(?o, {RUNAWAY})", f'REPLACE(?o, {RUNAWAY}, "-") = "-"'])
def test_a_pattern_that_would_run_away_is_matched_in_no_time(call):
    began = time.monotonic()

    assert not query(strings("a" * 5000 + "!"), PREFIX + f"ASK {{ ?s :p ?o FILTER({call}) }}")
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("call", [f"REGEX(?o, {BACKTRACKING})", f'REPLACE(?o, {BACKTRACKING}, "$1") = ""'])
def test_a_pattern_that_runs_away_is_stopped_at_the_limit(call):
    kb = strings("a" * 40 + "!")
    began = time.monotonic()

    with pytest.raises(QueryTimeoutError, match=r"stopped after its time limit of 0\.5 s"):
        query(kb, PREFIX + f"ASK {{ ?s :p ?o FILTER({call}) }}", timeout=0.5)
    assert time.monotonic() - began < 2
    assert not query(kb, PREFIX + 'ASK { ?s :p ?o FILTER(REGEX(?o, "b(?=c)")) }', timeout=20)


def test_a_process_for_patterns_is_used_again():
    kb = strings("ab")
    text = PREFIX + 'ASK { ?s :p ?o FILTER(REGEX(?o, "a(?=b)")) }'

    found = []
    for _ in range(2):
        assert query(kb, text, timeout=20)
        found.append([process.pid for waiting in regex_column._idle.values() for process in waiting])

    assert found[0] == found[1] and len(found[0]) == 1


def test_a_pattern_whose_process_dies_is_said_to_have_failed(monkeypatch):
    from reasoner.rules.errors import ReasonerError

    kb, text = strings("ab"), PREFIX + 'ASK { ?s :p ?o FILTER(REGEX(?o, "a(?=b)")) }'
    monkeypatch.setattr(regex_column.backtracking, "received", lambda _: None)

    with pytest.raises(ReasonerError, match="could not be matched; write it simpler"):
        query(kb, text, timeout=20)
