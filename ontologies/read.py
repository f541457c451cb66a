"""Read an ontology from wherever it is: a file in any RDF syntax, OWL/XML or functional-style syntax, or owlready2.

Read an owlready2 world or ontology through the triples that it holds.

Read the XML syntax of OWL 2.
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from hashlib import sha256
from typing import Any
from xml.parsers import expat

from loaders.errors import MOST_NESTED, NestingError, ReasonerError, nesting_refused
from loaders.formats import SAMPLE_SIZE, declared_prefixes
from loaders.sources import Source, expand_sources
from ontologies.axioms import Ontology, Triple
from ontologies.build import Builder, Leaf, Node, Place
from ontologies.read_functional import read_functional
from ontologies.read_rdf import ontology_of_triples
from ontologies.vocabulary import PREFIXES, literal, resolve_iri
from ontologies.write_rdf import triples_of
from reasoner.rules.errors import ParseError
from reasoner.terms.term import OWL

# The name that owlready2 gives to what belongs to no ontology.
_NOWHERE = "<http://anonymous>"


def read_owlready(source: Any) -> Ontology:
    """Read an ``owlready2.World`` or ``owlready2.Ontology``; anything else is an error that says what can be read.

    The source itself is not changed. owlready2 is not imported here: whoever has such an object has it already.
    """
    if not (callable(getattr(source, "save", None)) and hasattr(source, "graph")):
        raise ReasonerError(
            f"cannot read an ontology from {type(source).__name__}; give a path, a stream or an owlready2 world"
        )
    from loaders.load import parse_text

    output = io.BytesIO()
    source.save(file=output, format="ntriples")
    content = output.getvalue()
    triples = parse_text(content, "ntriples", blank_prefix=blank_prefix(content))
    return ontology_of_triples(triple for triple in triples if triple[0] != _NOWHERE)


FUNCTIONAL, OWLXML = "functional", "owlxml"
OWL_EXTENSIONS = (".ofn", ".owx")
_NAMES = {
    "ofn": FUNCTIONAL,
    "functional": FUNCTIONAL,
    "owl-functional": FUNCTIONAL,
    "text/owl-functional": FUNCTIONAL,
    "owx": OWLXML,
    "owlxml": OWLXML,
    "owl/xml": OWLXML,
    "application/owl+xml": OWLXML,
}
_FUNCTIONAL_START = re.compile(rb"(?:\s|#[^\n]*\n)*(?:Prefix|Ontology)\s*\(")
_OWLXML_START = re.compile(
    rb"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*<(?:[\w.-]+:)?Ontology[\s>]", re.DOTALL
)


def read_ontology(source: Any, *, format: str | None = None, base: str | None = None) -> Ontology:
    """Read an ontology from a path, a binary stream, ``-`` for standard input, or an owlready2 world or ontology.

    A list has the documents of one ontology.

    The syntax is told by content and extension unless ``format`` names it: ``functional``, ``owlxml``, or any that
    ``loaders`` know. Imports are not followed: ``ontologies.imports`` does that. Blank nodes of different documents get
    different labels.
    """
    documents = source if isinstance(source, list) else [source]
    if not all(
        isinstance(one, (str, os.PathLike, Source)) or callable(getattr(one, "read", None)) for one in documents
    ):
        return read_owlready(source)
    read = [_read(one, format, base) for one in expand_sources(source)]
    return read[0] if len(read) == 1 else _union(read)


def read_document(path: os.PathLike[str], *, base: str | None = None) -> tuple[tuple[Triple, ...], dict[str, str]]:
    """Read the triples and the prefixes of one document, as ``read_ontology`` has them, without looking for axioms."""
    (source,) = expand_sources(path)
    with source.open() as opened:
        content = opened.stream.read()
    if _sniff(source.name, content) is None:
        from loaders.load import read_triples

        return tuple(read_triples(path, base=base, blank_prefix=blank_prefix(content))), _prefixes(content)
    with nesting_refused(f"an expression of {source.name}"):
        return tuple(_read_content(source, content, None, base).triples), _prefixes(content)


def blank_prefix(content: bytes) -> str:
    """Return a prefix that keeps the blank nodes of a document apart from those of any other."""
    return f"o{sha256(content).hexdigest()[:10]}_"


def _read(source: Source, format: str | None, base: str | None) -> Ontology:
    with source.open() as opened:
        content = opened.stream.read()
    with nesting_refused(f"an expression of {source.name}"):
        ontology = _read_content(source, content, format, base)
    return replace(ontology, prefixes=tuple(_prefixes(content).items()))


def _read_content(source: Source, content: bytes, format: str | None, base: str | None) -> Ontology:
    chosen = _NAMES.get(format.lower().lstrip("."), format) if format else _sniff(source.name, content)
    prefix = blank_prefix(content)
    if chosen == FUNCTIONAL:
        return read_functional(_decode(content, source.name), file=source.name, base=base, blank_prefix=prefix)
    if chosen == OWLXML:
        return read_owlxml(content, file=source.name, base=base, blank_prefix=prefix)
    # Loaded late: RDF syntaxes need parsers that the other two can do without.
    from loaders.load import read_triples

    again = source.path if source.path is not None else io.BytesIO(content)
    return ontology_of_triples(read_triples(again, format=chosen, base=base, blank_prefix=prefix))


def _prefixes(content: bytes) -> dict[str, str]:
    return declared_prefixes(content[:SAMPLE_SIZE])


def _sniff(name: str, content: bytes) -> str | None:
    """Tell the syntaxes of OWL by content; None leaves the decision among RDF syntaxes to the loaders."""
    if name.lower().endswith(".ofn") or _FUNCTIONAL_START.match(content):
        return FUNCTIONAL
    if name.lower().endswith(".owx") or _OWLXML_START.match(content):
        return OWLXML
    return None


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise ParseError("the text is not UTF-8", file=name, line=line, column=column) from None


def _union(documents: list[Ontology]) -> Ontology:
    """Put documents together; the first that has a name gives it."""
    named = next((document for document in documents if document.iri), documents[0])
    return Ontology(
        axioms=tuple(dict.fromkeys(axiom for document in documents for axiom in document.axioms)),
        triples=tuple(dict.fromkeys(triple for document in documents for triple in document.triples)),
        iri=named.iri,
        version=named.version,
        imports=tuple(dict.fromkeys(name for document in documents for name in document.imports)),
        unread=tuple(triple for document in documents for triple in document.unread),
        annotations=tuple(remark for document in documents for remark in document.annotations),
        axiom_annotations=tuple(remark for document in documents for remark in document.axiom_annotations),
        # The first document that declares a prefix counts.
        prefixes=tuple(dict(pair for document in reversed(documents) for pair in document.prefixes).items()),
    )


_ENTITIES = ("Class", "Datatype", "ObjectProperty", "DataProperty", "AnnotationProperty", "NamedIndividual")
_TEXT_ELEMENTS = ("Literal", "IRI", "AbbreviatedIRI", "Import")
_XML = "http://www.w3.org/XML/1998/namespace"


def read_owlxml(
    text: str | bytes, *, file: str = "<text>", base: str | None = None, blank_prefix: str = ""
) -> Ontology:
    """Read an OWL/XML document; raise ``ParseError`` with line and column where it breaks the grammar.

    Anonymous individuals keep their labels, behind ``blank_prefix``.
    """
    reader = _Reader(file, base, blank_prefix)
    parser = expat.ParserCreate(namespace_separator=" ")
    reader.attach(parser)
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        message = expat.errors.messages[error.code]
        raise ParseError(message, file=file, line=error.lineno, column=error.offset + 1) from None
    builder = reader.builder
    return builder.finish(triples_of(builder.finish(), blank_prefix))


class _Reader:
    """Turns the events of the XML parser into syntax trees, and hands each finished axiom to the builder."""

    def __init__(self, file: str, base: str | None, blank_prefix: str) -> None:
        self.blank_prefix = blank_prefix
        self.file = file
        self.builder = Builder()
        self.prefixes = dict(PREFIXES)
        self.bases: list[str] = [base or ""]
        self.stack: list[Node] = []
        self.attributes: list[dict[str, str]] = []
        self.text: list[str] = []

    def attach(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters

    def place(self) -> Place:
        return Place(self.file, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        namespace, _, name = tag.rpartition(" ")
        place = self.place()
        if namespace + " " not in (OWL + " ", " ") or (not self.stack and name != "Ontology"):
            expected = "an element of the OWL namespace" if self.stack else "the element Ontology"
            raise place.error(f"expected {expected}", f"<{name}>")
        if len(self.stack) > MOST_NESTED:
            raise NestingError(f"an expression of {self.file}")
        self.bases.append(self.resolve(attributes.get(f"{_XML} base", "")))
        self.stack.append(Node(name, place))
        self.attributes.append(attributes)
        self.text = []
        if len(self.stack) == 1:
            self.header(attributes)

    def header(self, attributes: dict[str, str]) -> None:
        address = attributes.get("ontologyIRI")
        if address:
            self.builder.iri = f"<{address}>"
            self.bases[-1] = self.bases[-1] or address
        if version := attributes.get("versionIRI"):
            self.builder.version = f"<{version}>"

    def characters(self, text: str) -> None:
        if self.stack and self.stack[-1].name in _TEXT_ELEMENTS:
            self.text.append(text)
        elif text.strip():
            raise self.place().error("text is not allowed here", text)

    def end(self, _tag: str) -> None:
        node, attributes = self.stack.pop(), self.attributes.pop()
        tree = self.finish(node, attributes)
        self.bases.pop()
        if len(self.stack) > 1:
            self.stack[-1].children += tree
        elif self.stack and node.name != "Prefix":
            if len(tree) != 1 or not isinstance(tree[0], Node):
                raise node.place.error("expected an axiom", node.name)
            self.builder.add(tree[0])

    def finish(self, node: Node, attributes: dict[str, str]) -> list[Leaf | Node]:
        """Turn a closed element into the tree that the functional-style syntax would give."""
        name, place = node.name, node.place
        if name == "Prefix":
            if not {"name", "IRI"} <= attributes.keys():
                raise place.error("Prefix needs the attributes name and IRI")
            self.prefixes[attributes["name"]] = self.resolve(attributes["IRI"])
            return []
        if name == "Literal":
            value = literal("".join(self.text), attributes.get("datatypeIRI"), attributes.get(f"{_XML} lang"))
            return [Leaf("literal", value, place)]
        if name in ("IRI", "AbbreviatedIRI", "Import"):
            written = "".join(self.text).strip()
            address = self.expand(written, place) if name == "AbbreviatedIRI" else self.resolve(written)
            leaf = Leaf("iri", f"<{address}>", place)
            return [Node("Import", place, [leaf])] if name == "Import" else [leaf]
        if name == "AnonymousIndividual":
            label = attributes.get("nodeID", "").removeprefix("_:")
            return [Leaf("blank", f"_:{self.blank_prefix}{label}", place)]
        if name in _ENTITIES:
            leaf = Leaf("iri", f"<{self.entity(attributes, place)}>", place)
            return [Node(name, place, [leaf])] if self.stack[-1].name == "Declaration" else [self.mark(leaf, name)]
        if name == "Variable":
            return [Leaf("variable", self.entity(attributes, place), place)]
        return self.construct(node, attributes)

    def construct(self, node: Node, attributes: dict[str, str]) -> list[Leaf | Node]:
        if "cardinality" in attributes:
            if not attributes["cardinality"].isdecimal():
                raise node.place.error("the cardinality is not a number", attributes["cardinality"])
            node.children.insert(0, Leaf("number", attributes["cardinality"], node.place))
        elif node.name == "BuiltInAtom":
            node.children.insert(0, Leaf("iri", f"<{self.entity(attributes, node.place)}>", node.place))
        elif node.name == "FacetRestriction":
            facet = Leaf("iri", f"<{self.resolve(attributes.get('facet', ''))}>", node.place)
            return [facet, *node.children]
        elif node.name == "HasKey":
            self.group_key(node)
        return [node]

    def group_key(self, node: Node) -> None:
        """Put the properties of a key into the two lists that the functional-style syntax has."""
        parts = [part for part in node.children if not (isinstance(part, Node) and part.name == "Annotation")]
        remarks = [part for part in node.children if isinstance(part, Node) and part.name == "Annotation"]
        if not parts:
            raise node.place.error("HasKey has a class and properties")
        data = [part for part in parts[1:] if isinstance(part, _DataPropertyLeaf)]
        objects = [part for part in parts[1:] if not isinstance(part, _DataPropertyLeaf)]
        groups = [Node("", node.place, [*objects]), Node("", node.place, [*data])]
        node.children = [*remarks, parts[0], *groups]

    def mark(self, leaf: Leaf, name: str) -> Leaf:
        return _DataPropertyLeaf(leaf.kind, leaf.text, leaf.place) if name == "DataProperty" else leaf

    def entity(self, attributes: dict[str, str], place: Place) -> str:
        if "IRI" in attributes:
            return self.resolve(attributes["IRI"])
        if "abbreviatedIRI" in attributes:
            return self.expand(attributes["abbreviatedIRI"], place)
        raise place.error("the element needs the attribute IRI or abbreviatedIRI")

    def resolve(self, reference: str) -> str:
        try:
            return resolve_iri(self.bases[-1], reference)
        except ValueError as error:
            message = f"an IRI cannot be made absolute against {self.bases[-1]} ({error})"
            raise self.place().error(message, reference) from None

    def expand(self, name: str, place: Place) -> str:
        prefix, colon, local = name.partition(":")
        if not colon or prefix not in self.prefixes:
            raise place.error(f"the prefix {prefix}: is not declared", name)
        return self.prefixes[prefix] + local


class _DataPropertyLeaf(Leaf):
    """A data property: only the key axiom has to tell it from an object property."""
