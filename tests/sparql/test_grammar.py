"""The grammar: what is written down is read back, whatever the layout, and no text does anything but that or fail."""

from __future__ import annotations

import subprocess
import sys
import time
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.errors import MOST_NESTED
from loaders.terms import literal_text
from reasoner import Reasoner
from reasoner.requests import query
from reasoner.sparql.algebra import Bgp, Call, Constant, Filter, Project
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.operation import Modify
from reasoner.sparql.translate import translate_anew
from reasoner.sparql.translate_update import translate_update
from tests.sparql.written import renamed, written_query, written_update

ONE = Constant('"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
SEEDS = st.integers(0, 2**32)


@settings(deadline=None, max_examples=300)
@given(SEEDS)
def test_a_query_that_is_written_down_is_read_back(seed):
    written = written_query(seed)

    assert renamed(translate_anew(written.text)) == renamed(written.value), written.text


@settings(deadline=None, max_examples=300)
@given(SEEDS)
def test_an_update_that_is_written_down_is_read_back(seed):
    written = written_update(seed)

    assert renamed(translate_update(written.text)) == renamed(written.value), written.text


@settings(deadline=None, max_examples=300)
@given(SEEDS)
def test_a_text_with_a_change_anywhere_is_read_or_refused_with_its_place(seed):
    """Mistakes of all kinds: pieces that are missing, doubled, exchanged, or foreign."""
    random = Random(seed)
    unit = random.choice(["query", "update"])
    text = (written_query if unit == "query" else written_update)(seed).text
    for _ in range(random.choice([1, 1, 2, 5])):
        place, end = sorted(random.choices(range(len(text) + 1), k=2))
        end = min(end, place + random.choice([0, 1, 1, 4, 40]))
        text = text[:place] + random.choice([*FOREIGN, text[place:end] * 2]) + text[end:]

    require_read_or_refused(text, unit)


@settings(deadline=None, max_examples=100)
@given(SEEDS)
def test_a_text_that_ends_too_early_is_read_or_refused_with_its_place(seed):
    text = written_query(seed).text

    for end in range(0, len(text), 1 + len(text) // 40):
        require_read_or_refused(text[:end], "query")


@settings(deadline=None)
@given(st.text(), st.sampled_from(["query", "update"]))
def test_any_text_is_read_or_refused_with_its_place(text, unit):
    require_read_or_refused(text, unit)
    require_read_or_refused(f"ASK {{ {text} }}" if unit == "query" else f"INSERT DATA {{ {text} }}", unit)


FOREIGN = [
    *(
        "",
        "",
        " ",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ".",
        ";",
        ",",
        "<",
        ">",
        '"',
        "'",
        '"""',
        "\\",
        "\\u00",
        "\\u0041",
        "#",
    ),
    *(
        "?",
        "$",
        "@",
        "^",
        "^^",
        "|",
        "||",
        "!",
        "=",
        "+",
        "-1",
        "1e",
        "_:",
        ":",
        "a",
        "\0",
        "é",
        "\ud800",
        "//[",
        "<//[>",
    ),
    *(
        "SELECT",
        "WHERE",
        "FILTER",
        "NOT",
        "IN",
        "AS",
        "GROUP BY",
        "COUNT(*)",
        "SUM(",
        "VALUES",
        "UNDEF",
        "GRAPH",
        "DATA",
    ),
]


def require_read_or_refused(text: str, unit: str) -> None:
    """Require that a text is translated, or that the error names a place in it; only SILENT may hide a graph."""
    try:
        (translate_anew if unit == "query" else translate_update)(text)
    except QuerySyntaxError as error:
        lines = text.split("\n")
        assert 1 <= error.line <= len(lines), text
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1, text
        assert error.message and str(error).count("\n") == 2, text


def read(text: str) -> Any:
    """Translate a text within the depth that Python allows by itself, a part of which is in use."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        return translate_anew(text)
    finally:
        sys.setrecursionlimit(before)


LONG = {
    "triple patterns": "SELECT * { " + "?s ?p ?o . " * 10_000 + "}",
    "properties": "SELECT * { ?s ?p ?o" + " ; ?p ?o, ?q" * 10_000 + " }",
    "alternatives": "SELECT * { " + " UNION ".join(["{ ?s ?p ?o }"] * 3_000) + " }",
    "groups": "SELECT * { " + "{ ?s ?p ?o } " * 3_000 + "}",
    "values": "SELECT * { VALUES ?x { " + "1 " * 10_000 + "} }",
    "rows": "SELECT * { VALUES (?x ?y) { " + "(1 UNDEF) " * 10_000 + "} }",
    "conjunction": "ASK { FILTER(" + " && ".join(["?x"] * 5_000) + ") }",
    "disjunction of conjunctions": "ASK { FILTER(" + " || ".join(["?x && ?y = 1"] * 5_000) + ") }",
    "sum": "ASK { FILTER(" + "+".join(["1"] * 5_000) + ") }",
    "sum of products": "ASK { FILTER(" + " - ".join(["1 * 2 / 3"] * 5_000) + ") }",
    "list": "ASK { FILTER(?x IN (" + ", ".join(["1"] * 10_000) + ")) }",
    "collection": "ASK { ?x ?p (" + "1 " * 10_000 + ") }",
    "sequence": "ASK { ?x " + "/".join(["<p>"] * 5_000) + " ?y }",
    "choice": "ASK { ?x " + "|".join(["<p>"] * 5_000) + " ?y }",
    "filters": "ASK { " + "FILTER(?x) " * 10_000 + "}",
    "selected": "SELECT " + "?x " * 10_000 + "{}",
    "string": 'ASK { ?x ?p """' + "a'\"\n" * 50_000 + ' """ }',
    "comments": "#\n" * 50_000 + "ASK {}",
    "prefixes": "".join(f"PREFIX p{number}: <urn:{number}>\n" for number in range(10_000)) + "ASK { ?x a p9999:x }",
}


@pytest.mark.parametrize("kind", LONG)
def test_a_query_may_be_long_as_long_as_it_is_flat(kind):
    assert read(LONG[kind]).form in ("SELECT", "ASK")


@pytest.mark.parametrize(
    ("kind", "answer"),
    [("alternatives", True), ("sequence", True), ("sum of products", True), ("disjunction of conjunctions", False)],
)
def test_a_long_query_is_answered_within_the_depth_that_python_allows(kind, answer):
    kb = Reasoner("none")
    kb.add([("<s>", "<p>", "<s>")])
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        found = query(kb, LONG[kind])
    finally:
        sys.setrecursionlimit(before)

    assert bool(found) is answer


NESTED = {
    "groups": ("SELECT * ", "{", "?s ?p ?o", "}"),
    "subqueries": ("SELECT * { ", "{ SELECT * { ", "?s ?p ?o", "} }", " }"),
    "optional": ("SELECT * { ", "OPTIONAL { ", "?s ?p ?o", "}", " }"),
    "graphs": ("SELECT * { ", "GRAPH ?g { ", "?s ?p ?o", "}", " }"),
    "brackets": ("ASK { FILTER(", "(", "1", ")", ") }"),
    "operators": ("ASK { FILTER(", "1 || 2 && 3 = 4 + 5 * (", "1", ")", ") }"),
    "negation": ("ASK { FILTER(", "!(", "1", ")", ") }"),
    "functions": ("ASK { FILTER(", "STR(", "1", ")", ") }"),
    "lists": ("ASK { FILTER(", "1 IN (", "1", ")", ") }"),
    "exists": ("ASK { ", "FILTER NOT EXISTS { ", "?s ?p ?o", "}", " }"),
    "paths": ("ASK { ?s ", "^(", "<p>", ")*", " ?o }"),
    "blank nodes": ("ASK { ?s ?p ", "[ ?p ", "?o", " ]", " }"),
    "collections": ("ASK { ?s ?p ", "( ", "?o", " )", " }"),
}


@pytest.mark.parametrize("kind", NESTED)
def test_nesting_has_one_bound_whatever_is_nested(kind):
    before, opened, middle, closed, *after = NESTED[kind]
    brackets = sum(opened.count(bracket) for bracket in "{([")
    levels = (MOST_NESTED - before.count("{") - before.count("(")) // brackets

    def nested(count: int) -> str:
        return before + opened * count + middle + closed * count + "".join(after)

    assert read(nested(levels)).form
    with pytest.raises(QuerySyntaxError, match="the query is nested too deeply") as caught:
        read(nested(levels + 1))
    # The bracket that is one too many is shown, also if nothing ever closes it.
    assert caught.value.text[caught.value.column - 1] in "{(["
    with pytest.raises(QuerySyntaxError, match="the query is nested too deeply"):
        read(before + opened * 100_000)


@pytest.mark.parametrize(
    "text",
    [
        Random(1).randbytes(1 << 20).decode("latin-1"),
        "ASK { ?x ?p " + Random(2).randbytes(1 << 20).decode("latin-1"),
        "a." * (1 << 19),
        "PREFIX " + "a." * (1 << 19),
        "<" * (1 << 20),
        'ASK { ?s ?p """' + '"" ' * (1 << 18),
        "ASK { ?s ?p " + "'" * (1 << 20),
        'ASK { ?s ?p "' + "\\\\" * (1 << 19),
        "#" * (1 << 20),
        " \n#" * (1 << 18) + "!",
        "ASK { ?s ?p e:" + "%41" * (1 << 18) + "%4 }",
        "ASK { ?s ?p _:" + "a." * (1 << 19),
        "ASK { ?s ?p " + "1" * (1 << 20) + "e }",
        "SELECT " + "x" * (1 << 20),
        "ASK { ?s ?p " + "x" * (1 << 20) + ":y }",
        "ASK {} LIMIT " + "9" * (1 << 20),
    ],
    ids=lambda text: text[:16] + text[-4:],
)
def test_a_megabyte_that_is_no_query_is_refused_in_one_pass(text):
    began = time.process_time()

    with pytest.raises(QuerySyntaxError):
        translate_anew(text)

    # One pass takes milliseconds; two ways through a megabyte would take hours.
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("SELECT ?x { ?x a ?y FILTR(?x) }", 1, 21, "unexpected 'FILTR', did you mean FILTER?"),
        ("SELECT ?x { FILTER(STRLN(?x) > 1) }", 1, 20, "unexpected 'STRLN', did you mean STRLEN?"),
        ("SLECT * {}", 1, 1, "unexpected 'SLECT', did you mean SELECT?"),
        ("SELECT * { ?s ?p ?o named:x ?p ?o }", 1, 21, "unexpected 'named:x', expected '.' or '}'"),
        ("SELECT * { ?s ?p ?o ?s ?p ?o }", 1, 21, "unexpected '?s', expected '.' or '}'"),
        ("SELECT * {\n ?s ?p }", 2, 8, "unexpected '}', expected a variable or an IRI or a literal or a blank node"),
        ("SELECT * { ?s ?p 'a }", 1, 18, "the string is not closed on its line"),
        ("SELECT * { ?s ?p '''a }", 1, 18, "the string that begins here is not closed by '''"),
        (r"SELECT * { ?s ?p 'a\q' }", 1, 20, r"unknown escape \q; a backslash is written \\"),
        (r"SELECT * { ?\u0073 ?p 'caf\u00E9' ? }", 1, 35, "unexpected '?'"),
        ("SELECT * { FILTER(1 = 2 = 3) }", 1, 25, "unexpected '=', expected ')'"),
        ("SELECT * { FILTER(1 IN (2) + 3) }", 1, 28, "unexpected '+', expected ')'"),
        ("SELECT * { FILTER(!!1) }", 1, 20, "unexpected '!'"),
        ("SELECT * { FILTER STRLEN(1, 2) }", 1, 19, "STRLEN takes 1 argument, not 2"),
        ("SELECT * { FILTER REGEX(1) }", 1, 19, "REGEX takes 2 or 3 arguments, not 1"),
        ("SELECT * { FILTER BOUND(1) }", 1, 19, "BOUND takes a variable"),
        ("SELECT * { FILTER(COUNT(*) > 1) }", 1, 19, "an aggregate cannot stand here"),
        ("SELECT (SUM(COUNT(*)) AS ?x) {}", 1, 13, "an aggregate cannot stand here"),
        ("SELECT ?x { ?x ?p ?y } GROUP BY ?x HAVING EXISTS { FILTER(MIN(?y)) }", 1, 59, "an aggregate cannot stand"),
        ("SELECT (?x + SUM(?x) + ?y AS ?z) { ?x ?p ?y } GROUP BY ?x", 1, 24, "?y is neither grouped nor aggregated"),
        ("SELECT (1 AS ?x) { ?x ?p ?y }", 1, 14, "?x is bound already"),
        ("SELECT * {} LIMIT 1 LIMIT 2", 1, 21, "unexpected 'LIMIT'"),
        ("SELECT * {} LIMIT -1", 1, 19, "unexpected '-1', expected a whole number"),
        ("SELECT * {} ORDER BY", 1, 21, "unexpected end of the query, expected '(' or a function"),
        ("PREFIX a <urn:x> ASK {}", 1, 8, "unexpected 'a', expected a prefix with its colon"),
        ("BASE <http://e.org/> ASK { <//[> ?p ?o }", 1, 28, "cannot be made absolute"),
        ("ASK {} ASK {}", 1, 8, "unexpected 'ASK'"),
        ("", 1, 1, "unexpected end of the query, expected 'SELECT' or 'CONSTRUCT' or 'DESCRIBE' or 'ASK'"),
    ],
)
def test_an_error_tells_what_is_there_and_what_could_be(text, line, column, message):
    with pytest.raises(QuerySyntaxError) as caught:
        translate_anew(text)

    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-1", Constant('"-1"^^<http://www.w3.org/2001/XMLSchema#integer>')),
        ("1-1", Call("-", (ONE, ONE))),
        ("1 -1*1", Call("-", (ONE, Call("*", (ONE, ONE))))),
        ("- 1", Call("unary -", (ONE,))),
        ("1+1+1", Call("++", (ONE, ONE, ONE))),
        ("(1+1)+1", Call("+", (Call("+", (ONE, ONE)), ONE))),
    ],
)
def test_a_sign_belongs_to_a_number_unless_an_operand_comes_before(text, value):
    found = translate_anew(f"ASK {{ FILTER({text}) }}").node

    assert isinstance(found, Project) and found.child == Filter((value,), Bgp())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1-1-1", "-1"), ("8/2/2", "2"), ("2*3/4*2", "3"), ("1-2+3-4", "-2"), ("1+'a'+2", None)],
)
def test_a_chain_of_operators_is_worked_out_from_the_left(text, expected):
    (row,) = query(Reasoner("none"), f"SELECT (({text}) AS ?x) {{}}")

    assert (None if row[0] is None else str(row[0])) == expected


def test_a_literal_as_n_triples_write_it_is_the_same_literal():
    for lexical in ("C:\\u0041", "\\", "\\\\U0001F600", '"\n\t', "café"):
        literal = literal_text(lexical)
        (operation,) = translate_update(f"INSERT DATA {{ <a:s> <a:p> {literal} }}")

        assert operation == Modify(insert=(("<a:s>", "<a:p>", literal, None),))


def test_reading_needs_no_other_library():
    code = (
        "import sys; from reasoner.sparql.translate import translate;"
        "from reasoner.sparql.translate_update import translate_update;"
        "translate('SELECT ?x { ?x a/^a+ 1 FILTER(?x > 1) }'); translate_update('CLEAR ALL');"
        "print(sorted({'rdflib', 'pyparsing'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
