"""Which syntax a source is in: by name, by file extension, by content.

The prefixes that a document declares at its beginning, in whatever syntax it is; for output that people read.

Declarations are looked for as text and not by a parser, because the parsers of RDF/XML and of OWL's own syntaxes do not
tell them, and because what comes of a mistake is only a prefix too many or too few.
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePath

from loaders.errors import LoadError
from loaders.grammar import LineError, parse_line

SAMPLE_SIZE = 1 << 16


class Format(StrEnum):
    """The syntaxes of RDF that can be read."""

    NTRIPLES = "ntriples"
    NQUADS = "nquads"
    TURTLE = "turtle"
    TRIG = "trig"
    RDFXML = "rdfxml"
    JSONLD = "jsonld"

    @property
    def is_line_based(self) -> bool:
        """Tell whether every line stands for itself."""
        return self in (Format.NTRIPLES, Format.NQUADS)

    @property
    def can_resume(self) -> bool:
        """Tell whether reading can go on behind an error."""
        return self not in (Format.RDFXML, Format.JSONLD)


COMPRESSIONS = (".gz", ".bz2", ".zst")

_EXTENSIONS = {
    ".nt": Format.NTRIPLES,
    ".ntriples": Format.NTRIPLES,
    ".nq": Format.NQUADS,
    ".nquads": Format.NQUADS,
    ".ttl": Format.TURTLE,
    ".turtle": Format.TURTLE,
    ".n3": Format.TURTLE,
    ".trig": Format.TRIG,
    ".rdf": Format.RDFXML,
    ".rdfs": Format.RDFXML,
    ".owl": Format.RDFXML,
    ".xml": Format.RDFXML,
    ".jsonld": Format.JSONLD,
    ".json": Format.JSONLD,
}
# People save anything under these.
_LOOSE_EXTENSIONS = {".rdf", ".rdfs", ".owl", ".xml"}

# Anything may be in a file of these names; these words are in those that hold RDF.
_MARKS = {".xml": (b"rdf:RDF", b"22-rdf-syntax-ns#"), ".json": (b'"@',)}

_NAMES = {
    "nt": Format.NTRIPLES,
    "n-triples": Format.NTRIPLES,
    "application/n-triples": Format.NTRIPLES,
    "nq": Format.NQUADS,
    "n-quads": Format.NQUADS,
    "application/n-quads": Format.NQUADS,
    "ttl": Format.TURTLE,
    "text/turtle": Format.TURTLE,
    "application/trig": Format.TRIG,
    "rdf": Format.RDFXML,
    "xml": Format.RDFXML,
    "rdf/xml": Format.RDFXML,
    "rdf-xml": Format.RDFXML,
    "application/rdf+xml": Format.RDFXML,
    "json": Format.JSONLD,
    "json-ld": Format.JSONLD,
    "application/ld+json": Format.JSONLD,
} | {str(format): format for format in Format}

_XML = re.compile(rb"<(?:\?xml|!DOCTYPE|!--|rdf:RDF|[A-Za-z_][\w.-]*(?::[\w.-]+)?\s+(?:xmlns|[\w.-]+:[\w.-]+\s*=))")
_OBO = re.compile(rb"format-version:\s*[\d.]+\s*\n")
_JSON = re.compile(rb'\{\s*["}]|\[\s*[{\[\]"]')
_COMMENTS = re.compile(rb"(?:\s+|#[^\n]*\n)*")
_GRAPH_BLOCK = re.compile(
    rb"^\s*(?:GRAPH\s+)?(?:<[^<>\s]*>|[\w.-]*:[\w.-]*|_:[\w.-]+)?\s*\{", re.MULTILINE | re.IGNORECASE
)
_STRING = re.compile(rb'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


def format_named(name: str) -> Format:
    """Return the format that a user means by ``name``, which may be a media type.

    >>> format_named("ttl")
    <Format.TURTLE: 'turtle'>
    """
    try:
        return _NAMES[name.strip().lower().lstrip(".")]
    except KeyError:
        raise LoadError(f"unknown format {name!r}; choose one of {', '.join(Format)}") from None


def format_of_name(name: str) -> Format | None:
    """Return the format that a file name promises, compression aside, or None."""
    return _EXTENSIONS.get(_extension(name))


def promises_rdf(name: str, sample: bytes) -> bool:
    """Tell whether a file of a folder that somebody names is one to read: by its name, and where that says little, such
    as .xml, by what is in it.

    >>> promises_rdf("README.md", b"# Data"), promises_rdf("data.ttl", b""), promises_rdf("pom.xml", b"<project/>")
    (False, True, False)
    """
    marks = _MARKS.get(_extension(name))
    return format_of_name(name) is not None and (marks is None or any(mark in sample for mark in marks))


def detect_format(name: str, sample: bytes) -> Format:
    """Decide the format of a source from its name and its first bytes.

    The extension counts, except where many syntaxes share it or the content is plainly XML.

    >>> detect_format("data.ttl.gz", b""), detect_format("<stdin>", b'<http://a/s> <http://a/p> "x" .')
    (<Format.TURTLE: 'turtle'>, <Format.NTRIPLES: 'ntriples'>)
    """
    promised = format_of_name(name)
    body = sample[_leading_comments(sample) :]
    if _extension(name) == ".obo" or (promised is None and _OBO.match(body)):
        raise LoadError(
            f"{name} is in OBO format, which is no RDF syntax: convert it, for example with ROBOT "
            f"(robot convert --input {name} --output {PurePath(name).with_suffix('.owl')}), or take the .owl file that "
            "most ontologies publish beside it"
        )
    if _XML.match(body) or _is_utf16(sample):
        return Format.RDFXML
    if promised is not None and _extension(name) not in _LOOSE_EXTENSIONS:
        return promised
    found = _format_of_text(sample, body)
    if found is None:
        if promised is None:
            raise LoadError(f"cannot tell the format of {name}; name it with format=, one of {', '.join(Format)}")
        return promised
    return found


def _extension(name: str) -> str:
    path = PurePath(name)
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return path.suffix.lower()


def _leading_comments(sample: bytes) -> int:
    match = _COMMENTS.match(sample)
    return match.end() if match else 0


def _is_utf16(sample: bytes) -> bool:
    return sample.startswith((b"\xff\xfe", b"\xfe\xff"))


def _format_of_text(sample: bytes, body: bytes) -> Format | None:
    if not body:
        # Nothing but comments is an empty graph in every syntax that has comments.
        return Format.NTRIPLES
    if b"\0" in sample:
        return None
    if _JSON.match(body):
        return Format.JSONLD
    lines = _statements_by_line(sample)
    if lines is not None:
        return lines
    if _GRAPH_BLOCK.search(_STRING.sub(b'""', body)):
        return Format.TRIG
    return Format.TURTLE


def _statements_by_line(sample: bytes) -> Format | None:
    """Return N-Triples or N-Quads if every whole line of the sample is a statement of it."""
    lines = sample.split(b"\n")
    if len(lines) > 1:
        # The sample may end in the middle of a line.
        lines.pop()
    quads = False
    for line in lines:
        try:
            statement = parse_line(line.rstrip(b"\r").decode(), quads=True)
        except (LineError, UnicodeDecodeError):
            return None
        quads |= statement is not None and len(statement) == 4
    return Format.NQUADS if quads else Format.NTRIPLES


_NAME = r"(?:[A-Za-z_][\w.-]*)?"
_NAMESPACE = r"[A-Za-z][A-Za-z0-9+.-]*:[^<>\s\"'{}|^`\\&]*"
# One way a syntax: Turtle and SPARQL, functional syntax, RDF/XML, OWL/XML.
_TURTLE = re.compile(rf"(?:^|\.)\s*@?prefix\s+({_NAME}):\s*<({_NAMESPACE})>", re.MULTILINE | re.IGNORECASE)
_FUNCTIONAL = re.compile(rf"^\s*Prefix\s*\(\s*({_NAME}):\s*=\s*<({_NAMESPACE})>\s*\)", re.MULTILINE)
_RDFXML = re.compile(rf"\sxmlns:({_NAME})\s*=\s*[\"']({_NAMESPACE})[\"']")
_OWLXML = re.compile(rf"<(?:\w+:)?Prefix\s+name\s*=\s*[\"']({_NAME}):?[\"']\s+IRI\s*=\s*[\"']({_NAMESPACE})[\"']")
# A term of a JSON-LD context is a prefix if its IRI ends in a mark that is not a letter.
_CONTEXT = re.compile(r'"@context"\s*:\s*\{([^{}]*)')
_JSONLD = re.compile(rf'"({_NAME})"\s*:\s*"({_NAMESPACE}[#/:?])"')


def declared_prefixes(sample: bytes) -> dict[str, str]:
    """Return the prefixes that the beginning of a document declares, with their namespaces.

    >>> declared_prefixes(b"@prefix : <http://e.org/> . @prefix x: <urn:x:> . :a x:p :b .")
    {'': 'http://e.org/', 'x': 'urn:x:'}
    """
    text = sample.decode(errors="replace")
    found: dict[str, str] = {}
    for name, namespace in (
        *_TURTLE.findall(text),
        *_FUNCTIONAL.findall(text),
        *_RDFXML.findall(text),
        *_OWLXML.findall(text),
        *(pair for context in _CONTEXT.findall(text) for pair in _JSONLD.findall(context)),
    ):
        found.setdefault(name, namespace)
    return found
