"""Read the XML syntax of OWL 2."""

from __future__ import annotations

from xml.parsers import expat

from loaders.errors import MOST_NESTED, NestingError
from ontologies.axioms import Ontology
from ontologies.build import Builder
from ontologies.syntax_tree import Leaf, Node, Place
from ontologies.vocabulary import PREFIXES, literal, resolve_iri
from ontologies.write_rdf import triples_of
from reasoner.errors import ParseError
from reasoner.rules.term import OWL

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
        self.bases.append(resolve_iri(self.bases[-1], attributes.get(f"{_XML} base", "")))
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
        return resolve_iri(self.bases[-1], reference)

    def expand(self, name: str, place: Place) -> str:
        prefix, colon, local = name.partition(":")
        if not colon or prefix not in self.prefixes:
            raise place.error(f"the prefix {prefix}: is not declared", name)
        return self.prefixes[prefix] + local


class _DataPropertyLeaf(Leaf):
    """A data property: only the key axiom has to tell it from an object property."""
