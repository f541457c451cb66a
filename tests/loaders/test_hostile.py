"""Input made to exhaust memory or to end the process: refused with a clear error, in little memory."""

from __future__ import annotations

import gc
import gzip
import io
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import loaders.sources
from loaders.block import parse_block
from loaders.dictionary import Dictionary
from loaders.errors import LoadError, ParseError
from loaders.grammar import LineError, parse_line
from loaders.load import load, parse_text
from loaders.sources import Limit
from loaders.syntaxes import CheckedJson

ROOT = Path(__file__).resolve().parents[2]
TRIPLE = b"<http://e.org/s> <http://e.org/p> <http://e.org/o> .\n"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def rdf_xml(content: str, *, declarations: str = "", encoding: str = "UTF-8") -> bytes:
    doctype = f"<!DOCTYPE rdf:RDF [{declarations}]>" if declarations else ""
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>\n{doctype}\n<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="http://e.org/">'
        f'<rdf:Description rdf:about="http://e.org/s"><e:p>{content}</e:p></rdf:Description></rdf:RDF>\n'
    ).encode()


def laughs(levels: int) -> bytes:
    """Make a document that stands for ten to the power of its levels times itself."""
    inner = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, levels + 1))
    return rdf_xml(f"&l{levels};", declarations=f'<!ENTITY l0 "ha">{inner}')


def peak_megabytes(code: str, *arguments: str) -> tuple[str, float]:
    """Run code in a process of its own; return what it printed and the most memory it held.

    That is read where the kernel tells it of the program alone: ``getrusage`` counts the process that started it too.
    """
    ending = "print(next(int(line.split()[1]) / 1024 for line in open('/proc/self/status') if line[:5] == 'VmHWM'))"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code) + "\n" + ending, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    *said, peak = done.stdout.splitlines()
    return "\n".join(said), float(peak)


LOAD = """
    import sys
    from loaders.dictionary import Dictionary
    from loaders.errors import ReasonerError
    from loaders.load import load
    try:
        print(len(load(sys.argv[1], Dictionary(), format="".join(sys.argv[2:]) or None)))
    except ReasonerError as error:
        print(error)
"""


@pytest.mark.parametrize("levels", [4, 9, 30])
def test_entities_that_multiply_are_refused(levels):
    with pytest.raises(ParseError, match=r"<text>:2:\d+: the entity l\d stands for .*REASONER_MAX_ENTITY_CHARACTERS"):
        parse_text(laughs(levels), "rdfxml")


def test_one_entity_used_very_often_is_refused():
    document = rdf_xml("&long;" * 50_000, declarations=f'<!ENTITY long "{"x" * 4000}">')

    with pytest.raises(ParseError, match="REASONER_MAX_ENTITY_RATIO"):
        parse_text(document, "rdfxml")


def test_entities_as_ontologies_use_them_are_read():
    names = "".join(f"<rdf:Description rdf:about='&e;{number}'><p>&e;x</p></rdf:Description>" for number in range(2000))
    document = (
        '<!DOCTYPE rdf:RDF [<!ENTITY w "http://e.org/"><!ENTITY e "&w;names#">]>'
        f'<rdf:RDF xmlns:rdf="{RDF}" xmlns="&e;">{names}</rdf:RDF>'
    )

    triples = parse_text(document, "rdfxml")

    assert len(triples) == 2000
    assert triples[7] == ("<http://e.org/names#7>", "<http://e.org/names#p>", '"http://e.org/names#x"')


def test_a_reference_that_reads_cut_in_two_is_counted(monkeypatch):
    from loaders.syntaxes import CheckedXml

    document = rdf_xml("&long;" * 500, declarations=f'<!ENTITY long "{"x" * 4000}">')
    stream = CheckedXml(io.BytesIO(document))
    for _ in range(len(document) + 1):
        stream.read(1)

    error = stream.error()

    assert error is not None and "REASONER_MAX_ENTITY_RATIO" in error[0]


@pytest.mark.parametrize("encoding", ["utf-99", "zlib", "rot13", "base64", "hex", "no-such-thing"])
def test_an_encoding_that_is_none_of_text_is_named(encoding):
    with pytest.raises(LoadError, match=f"<text>: it declares the encoding {encoding}, .* convert it to UTF-8"):
        parse_text(rdf_xml("x", encoding=encoding), "rdfxml")


def test_an_encoding_with_a_name_without_end_is_refused():
    with pytest.raises((LoadError, ParseError), match="encoding"):
        parse_text(rdf_xml("x", encoding="UTF-" + "a" * 3000), "rdfxml")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "idna", "punycode", "unicode_escape", "raw-unicode-escape"])
def test_a_document_in_another_encoding_than_it_declares_is_refused_cleanly(encoding):
    document = rdf_xml("x", encoding=encoding)[:-1] + b"\\x\xff"

    with pytest.raises((LoadError, ParseError)):
        parse_text(document, "rdfxml")


@pytest.mark.parametrize("depth", [300, 3_000, 100_000])
@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"http://e.org/p":', "}"), ('[{"@list":', "}]")])
def test_deep_json_is_refused(opened, closed, depth):
    document = '{"@id": "http://e.org/s",\n"http://e.org/p":\n' + opened * depth + "1" + closed * depth + "}"

    with pytest.raises(ParseError, match=r"<text>:3:1: .*nested more than 256 deep; .*REASONER_MAX_NESTING"):
        parse_text(document, "jsonld")


def test_a_limit_can_be_set(monkeypatch):
    document = '{"@id": "http://e.org/s", "http://e.org/p": ' + "[" * 20 + "1" + "]" * 20 + "}"
    assert len(parse_text(document, "jsonld")) == 1
    monkeypatch.setenv(Limit.NESTING.variable, "10")

    with pytest.raises(ParseError, match="the limit is 10; set REASONER_MAX_NESTING"):
        parse_text(document, "jsonld")


@pytest.mark.parametrize("value", ["", "0", "-1", "many", "1.5"])
def test_a_limit_that_is_no_number_is_refused(monkeypatch, value):
    monkeypatch.setenv(Limit.NESTING.variable, value)

    with pytest.raises(LoadError, match=r"REASONER_MAX_NESTING is .*; set it to a whole number"):
        parse_text("{}", "jsonld")


@given(
    pieces=st.lists(
        st.sampled_from(["[", "{", "]", "}", '"a[{"', '"\\""', '"\\\\"', '"\\\\\\"]"', " ", "\n"]), max_size=60
    ),
    cuts=st.lists(st.integers(1, 9), min_size=1, max_size=40),
)
def test_nesting_is_followed_through_strings_escapes_and_pieces(pieces, cuts):
    depth, deepest = 0, 0
    for piece in pieces:
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(piece, 0)
        deepest = max(deepest, depth)
    stream = CheckedJson(io.BytesIO("".join(pieces).encode()))
    stream._deepest = 5

    position = 0
    while stream.read(cuts[position % len(cuts)]):
        position += 1

    assert (stream.error() is not None) == (deepest > 5)


@pytest.mark.parametrize("extension", ["gz", "zst"])
def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused_in_little_memory(tmp_path, extension):
    path = tmp_path / f"bomb.nt.{extension}"
    opened = gzip.open if extension == "gz" else zstandard.open
    with opened(path, "wb") as stream:
        for _ in range(300):
            stream.write(TRIPLE * 20_000)

    said, peak = peak_megabytes(LOAD, str(path))

    assert re.search(r"cannot read .*bomb.*: [\d,]+ bytes unpack to more than .*REASONER_MAX_UNPACKED_RATIO", said)
    assert peak < 500


def test_a_small_file_may_unpack_to_many_times_its_size(tmp_path):
    path = tmp_path / "data.nt.zst"
    path.write_bytes(zstandard.compress(TRIPLE * 100_000))

    assert path.stat().st_size * 200 < len(TRIPLE) * 100_000 < loaders.sources._ALWAYS_UNPACKED
    assert len(load(path, Dictionary())) == 100_000


def test_a_line_without_end_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "endless.nt"
    with path.open("wb") as stream:
        stream.write(TRIPLE * 3 + b'<http://e.org/s> <http://e.org/p> "')
        for _ in range(100):
            stream.write(b"x" * (1 << 20))

    said, peak = peak_megabytes(LOAD, str(path))

    assert re.search(r"endless\.nt:4:1: a line of more than 67,108,864 bytes; .*REASONER_MAX_LINE_BYTES", said)
    assert peak < 500


@pytest.mark.parametrize(
    ("format", "reason"),
    [("", "cannot tell the format of /dev/zero"), ("nt", "/dev/zero:1:1: a line of more than 67,108,864 bytes")],
)
def test_a_device_without_end_is_refused_in_little_memory(format, reason):
    said, peak = peak_megabytes(LOAD, "/dev/zero", format)

    assert said.startswith(reason)
    assert peak < 500


def test_only_the_long_line_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv(Limit.LINE_BYTES.variable, "200")
    path = tmp_path / "data.nt"
    path.write_bytes(TRIPLE * 500)
    assert len(load(path, Dictionary())) == 500
    path.write_bytes(TRIPLE * 500 + b"# " + b"x" * 300 + b"\n" + TRIPLE)

    with pytest.raises(ParseError, match=r"data\.nt:501:1: a line of more than 200 bytes"):
        load(path, Dictionary())


LINES = st.lists(
    st.sampled_from(
        [
            *("x", "<a>", ".", "", " ", "\r", "x\r", ".\r", "\t", "#", "<http://e.org/a>", "_:a", "a.", " ."),
            "<http://e.org/a>.",
            "<http://e.org/a> <http://e.org/b> <http://e.org/c> .",
            "<http://e.org/a> <http://e.org/b> <http://e.org/c> <http://e.org/g>.",
            "_:a <http://e.org/b> _:c _:g .",
            "_:a <http://e.org/b> _:c .\r",
        ]
    ),
    min_size=1,
    max_size=4,
)


@given(lines=LINES, quads=st.booleans())
def test_a_block_reads_as_its_lines_do(lines, quads):
    data = "".join(line + "\n" for line in lines).encode()
    expected = []
    for line in lines:
        for piece in line.split("\r"):
            try:
                statement = parse_line(piece, quads=quads)
            except LineError:
                continue
            expected += [tuple(statement)] if statement is not None else []

    block = parse_block(data, quads=quads, skip_errors=True)

    terms = block.terms.to_pylist()
    assert [tuple(terms[code] for code in row if code >= 0) for row in block.codes.tolist()] == expected


def test_documents_with_errors_leave_nothing_in_memory():
    broken = rdf_xml("x")[:-20]

    def checkers() -> int:
        gc.collect()
        return sum(type(thing).__name__ == "CheckedXml" for thing in gc.get_objects())

    before = checkers()
    for _ in range(20):
        with pytest.raises(ParseError):
            parse_text(broken, "rdfxml")

    assert checkers() == before
