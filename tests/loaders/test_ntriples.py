"""N-Triples and N-Quads: the vectorised reader, the careful one behind it, and both against another parser."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.block import parse_block
from loaders.grammar import LineError, parse_line
from loaders.terms import from_oxigraph, literal_text

S, P, O = "<http://a/s>", "<http://a/p>", "<http://a/o>"  # noqa: E741
INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"


def statements(text: str | bytes, *, quads: bool = False) -> list[tuple[str, ...]]:
    """Read a document in one block; fail at an error."""
    data = text.encode() if isinstance(text, str) else text
    block = parse_block(data if data.endswith(b"\n") else data + b"\n", quads=quads)
    assert not block.errors, block.errors
    terms = block.terms.to_pylist()
    return [tuple(terms[code] for code in row if code >= 0) for row in block.codes.tolist()]


@pytest.mark.parametrize(
    ("line", "term"),
    [
        (f"{S} {P} {O} .", O),
        (f"{S} {P} {O}.", O),
        (f"{S}\t{P}\t{O}\t.", O),
        (f"  {S}  {P}  {O}  .  ", O),
        (f"{S}{P}{O}.", O),
        (f"{S} {P} {O} . # a comment", O),
        (f"{S} {P} {O} .#", O),
        (f"{S} {P} {O} .\r", O),
        (f"{S} {P} _:a.b .", "_:a.b"),
        (f"{S} {P} _:a.b.", "_:a.b"),
        (f"{S} {P} _:1-é.", "_:1-é"),
        (f'{S} {P} "" .', '""'),
        (f'{S} {P} "a . <b> # c" .', '"a . <b> # c"'),
        (f'{S} {P} "é"@fr-CA .', '"é"@fr-CA'),
        (f'{S} {P} "x" @en .', '"x"@en'),
        (f'{S} {P} "x" ^^ {INTEGER} .', f'"x"^^{INTEGER}'),
        (f'{S} {P} "01"^^{INTEGER} .', f'"01"^^{INTEGER}'),
        (f'{S} {P} "x"^^<http://www.w3.org/2001/XMLSchema#string> .', '"x"'),
        (f'{S} {P} "\\n"^^<http://www.w3.org/2001/XMLSchema#string> .', '"\\n"'),
        (f'{S} {P} "\\u0041\\U0001F600\\\'" .', '"A\U0001f600\'"'),
        (f'{S} {P} "\\u0022\\u000A\\u0009\t\\u000B" .', '"\\"\\n\\t\\t\x0b"'),
        (f"{S} {P} <http://a/\\u00e9> .", "<http://a/é>"),
        (f"{S} {P} <http://é.example/ü?q=\ue000#ä> .", "<http://é.example/ü?q=\ue000#ä>"),
        (f"{S} {P} <http://[::1]:80/> .", "<http://[::1]:80/>"),
        (f"{S} {P} <urn:x> .", "<urn:x>"),
    ],
)
def test_valid_lines_give_canonical_terms(line, term):
    assert statements(line) == [(S, P, term)]
    assert parse_line(line.rstrip("\r")) == (S, P, term)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        (f'"x" {P} {O} .', 1, "subject"),
        (f'{S} "p" {O} .', 14, "predicate"),
        (f"{S} _:p {O} .", 14, "predicate"),
        (f"{S} {P} .", 27, "object"),
        (f"{S} {P} {O}", 39, "expected ."),
        (f"{S} {P} {O} . {S}", 42, "comment"),
        (f"{S} {P} {O} {O} .", 40, "expected ."),
        (f"{S} {P} <o> .", 27, "absolute"),
        (f"{S} {P} <http://a b> .", 36, "not allowed"),
        (f"{S} {P} <http://a/\\u0020> .", 27, "absolute"),
        (f"{S} {P} <http://a/\\n> .", 37, "escape"),
        (f"{S} {P} <http://a/%zz> .", 27, "absolute"),
        (f"{S} {P} <http://[::zz]/> .", 27, "absolute"),
        (f"{S} {P} <http://a/", 27, "closing"),
        (f'{S} {P} "x', 27, "closing"),
        (f'{S} {P} "a\\zb" .', 29, "escape"),
        (f'{S} {P} "a\\u12" .', 29, "escape"),
        (f'{S} {P} "\\ud800" .', 27, "escape"),
        (f'{S} {P} "x"@1 .', 30, "language"),
        (f'{S} {P} "x"@en- .', 33, "language"),
        (f'{S} {P} "x"@en--ltr .', 33, "language"),
        (f'{S} {P} "x"^^en .', 32, "datatype"),
        (f'{S} {P} "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .', 32, "langString"),
        (f"{S} {P} 'x' .", 27, "object"),
        (f"{S} {P} 1 .", 27, "object"),
        (f"{S} {P} _::a .", 27, "label"),
        (f"{S} {P} _:a. .", 32, "comment"),
        (f"{S} {P} {O}, {O} .", 39, "expected ."),
        (f"{S} {P} <<( {S} {P} {O} )>> .", 28, "not allowed"),
        ("@prefix : <http://a/> .", 1, "subject"),
    ],
)
def test_invalid_lines_are_placed(line, column, message):
    block = parse_block(f'{S} {P} "é" .\n{line}\n{S} {P} {O} .\n'.encode(), skip_errors=True)

    (error,) = block.errors
    assert (error.line, error.column, error.text) == (2, column, line)
    assert message in error.message
    assert len(block.codes) == 2
    with pytest.raises(LineError, match=f"column {column}:"):
        parse_line(line)


def test_invalid_utf8_is_placed():
    block = parse_block(f'{S} {P} "é'.encode() + b'\xff" .\n' + f"{S} {P} {O} .\n".encode(), skip_errors=True)

    assert [(error.line, error.column, error.message) for error in block.errors] == [(1, 29, "invalid UTF-8")]
    assert block.terms.to_pylist() == [S, P, O]


def test_statements_keep_their_order_whoever_reads_them():
    lines = [f'{S} {P} "{number}" .' if number % 3 else f'{S}  {P} "{number}".# odd' for number in range(20)]

    assert statements("\n".join(["", "# start", *lines])) == [(S, P, f'"{number}"') for number in range(20)]


def test_carriage_returns_end_lines_as_well():
    assert statements(f"{S} {P} {O} .\r\n{S} {P} _:b .\r{S} {P} _:c .\r\r\n") == [
        (S, P, O),
        (S, P, "_:b"),
        (S, P, "_:c"),
    ]


def test_terms_of_lines_that_are_left_out_do_not_appear():
    block = parse_block(f"{S} {P} <http://a/lost> <http://a/too> .\n".encode(), skip_errors=True)

    assert len(block.errors) == 1
    assert block.terms.to_pylist() == []


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        (f"{S} {P} {O} .", [O]),
        (f"{S} {P} {O} <http://a/g> .", [O, "<http://a/g>"]),
        (f"{S} {P} {O} <http://a/g>.", [O, "<http://a/g>"]),
        (f"{S} {P} {O} _:g .\r", [O, "_:g"]),
        (f'{S} {P} "a b" .', ['"a b"']),
        (f'{S} {P} "a <b>" .', ['"a <b>"']),
        (f'{S} {P} "a <b> ." _:g .', ['"a <b> ."', "_:g"]),
        (f'{S} {P} "x" @en <http://a/g> . # comment', ['"x"@en', "<http://a/g>"]),
        (f'{S} {P} "a\\u0020b"<http://a/g>.', ['"a b"', "<http://a/g>"]),
    ],
)
def test_quads_may_name_a_graph(line, rest):
    assert statements(f"{line}\n{S} {P} {O} _:other .", quads=True) == [(S, P, *rest), (S, P, O, "_:other")]


@pytest.mark.parametrize("graph", ['"literal"', "<relative>", "<http://a/g> <http://a/h>"])
def test_what_names_no_graph_is_an_error(graph):
    assert parse_block(f"{S} {P} {O} {graph} .\n".encode(), quads=True).errors


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=5))
def test_canonical_literals_are_read_as_they_are(texts):
    literals = [literal_text(text) for text in texts]

    assert statements("".join(f"{S} {P} {literal} .\n" for literal in literals)) == [(S, P, x) for x in literals]


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_fully_escaped_literals_are_brought_to_canonical_form(text):
    escaped = "".join(f"\\U{ord(character):08X}" for character in text)

    assert statements(f'{S} {P} "{escaped}" .') == [(S, P, literal_text(text))]


FRAGMENTS = [
    *(
        "<http://a/s>",
        "<http://a/p>",
        "<urn:x:y>",
        "<http://a/\\u00e9>",
        "<http://a/%41>",
        "<relative>",
        "<http://a b>",
    ),
    *("_:b", "_:b.c", "_:b.", "_:-", "_:é", '"x"', '"a b"', '"\\t\\u0041"', '"é"', '"\\x"', '"', '"x"@en', '"x"@en-us'),
    *("@fr", "^^<http://a/d>", "^^", " ", "  ", "\t", ".", " .", "#", "# c", "\\", "<", ">", "\r", "<http://[::1]/>"),
    *('"\x00"', '"\x0b"', "<http://a/{}>", "<http://a:x/>", "<a:>", '"x"^^<http://www.w3.org/2001/XMLSchema#string>'),
]
LINE = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=9).map("".join),
    st.tuples(*[st.sampled_from(FRAGMENTS)] * 3).map(lambda parts: " ".join(parts) + " ."),
    st.tuples(st.sampled_from([S, "_:b"]), st.just(P), st.sampled_from(FRAGMENTS)).map(lambda p: " ".join(p) + " ."),
)


@settings(max_examples=1000, deadline=None)
@given(LINE, st.booleans())
def test_another_parser_accepts_the_same_lines_and_reads_the_same_terms(line, quads):
    format = pyoxigraph.RdfFormat.N_QUADS if quads else pyoxigraph.RdfFormat.N_TRIPLES
    try:
        expected = [
            tuple(
                from_oxigraph(term)
                for term in (quad.subject, quad.predicate, quad.object, quad.graph_name)
                if not isinstance(term, pyoxigraph.DefaultGraph)
            )
            for quad in pyoxigraph.parse(line.encode(), format)
        ]
    except SyntaxError:
        expected = None
    padded = f"{S} {P} {O} .\n{line}\n".encode()

    block = parse_block(padded, quads=quads)

    assert (expected is None) == bool(block.errors), block.errors
    if expected is not None:
        assert statements(padded, quads=quads)[1:] == expected
