"""Read the functional-style syntax of OWL 2."""

from __future__ import annotations

import re

from loaders.errors import Nesting
from loaders.terms import unescape
from ontologies.axioms import Axiom, Ontology
from ontologies.build import Builder, Leaf, Node, Place, Tree, build_axiom
from ontologies.vocabulary import PREFIXES, literal, resolve_iri
from ontologies.write_rdf import triples_of

TOKEN = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
  | (?P<iri><[^\x00-\x20<>"{}|^`\\]*>)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<caret>\^\^)
  | (?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
  | (?P<open>\()
  | (?P<close>\))
  | (?P<equals>=)
  | (?P<blank>_:[^\s()<>"=@^]+)
  | (?P<number>\d+(?![^\s()]))
  | (?P<name>[^\s()<>"=@^\#]+)
    """,
    re.VERBOSE | re.DOTALL,
)
# The standard escapes quotes and backslashes only; we also read, and write, the escapes of Turtle.
_ESCAPE = re.compile(r"\\(?:[tbnrf]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|(.))", re.DOTALL)
_STANDARD_PREFIXES = {f"{name}:": value for name, value in PREFIXES.items()} | {
    "xml:": "http://www.w3.org/XML/1998/namespace"
}


def read_functional(text: str, *, file: str = "<text>", base: str | None = None, blank_prefix: str = "") -> Ontology:
    """Read an ontology document; raise ``ParseError`` with line and column where it breaks the grammar.

    Anonymous individuals keep their labels, behind ``blank_prefix``.

    >>> read_functional("Ontology(SubClassOf(<urn:A> <urn:B>))").axioms
    (SubClassOf(sub='<urn:A>', super='<urn:B>'),)
    """
    parser = _Parser(text, file, base, blank_prefix)
    builder = parser.document()
    ontology = builder.finish()
    return builder.finish(triples_of(ontology, blank_prefix))


def read_axiom(text: str, *, prefixes: dict[str, str] | None = None) -> Axiom:
    """Read one axiom; ``prefixes`` maps names (without the colon) to IRIs, beyond the standard ones.

    >>> read_axiom("TransitiveObjectProperty(:part)", prefixes={"": "urn:"})
    TransitiveObjectProperty(property='<urn:part>')
    """
    parser = _Parser(text, "<text>", None, "")
    parser.prefixes |= {f"{name}:": value for name, value in (prefixes or {}).items()}
    axiom = build_axiom(parser.node())
    if parser.kind != "end":
        raise parser.place.error("unexpected text after the axiom", parser.text)
    return axiom


class _Parser:
    """A recursive-descent parser that looks one token ahead."""

    def __init__(self, source: str, file: str, base: str | None, blank_prefix: str) -> None:
        self.blank_prefix = blank_prefix
        self.source = source
        self.file = file
        self.base = base
        self.prefixes = dict(_STANDARD_PREFIXES)
        self.nesting = Nesting(f"an expression of {file}")
        self.offset = 0
        self.line = 1
        self.line_start = 0
        self.advance()

    def advance(self) -> None:
        """Read the next token into ``kind``, ``text`` and ``place``."""
        while True:
            self.place = Place(self.file, self.line, self.offset - self.line_start + 1)
            if self.offset == len(self.source):
                self.kind, self.text = "end", ""
                return
            match = TOKEN.match(self.source, self.offset)
            if match is None:
                raise self.place.error("unexpected character", self.source[self.offset : self.offset + 40])
            self.kind, self.text = match.lastgroup or "", match.group()
            self.offset = match.end()
            if newlines := self.text.count("\n"):
                self.line += newlines
                self.line_start = match.start() + self.text.rindex("\n") + 1
            if self.kind != "space":
                return

    def take(self, kind: str, words: str) -> str:
        """Consume a token of a kind, or fail saying what was expected."""
        if self.kind != kind:
            raise self.place.error(
                f"expected {words}, found {'the end of the text' if self.kind == 'end' else ''}", self.text
            )
        text = self.text
        self.advance()
        return text

    def document(self) -> Builder:
        while self.kind == "name" and self.text == "Prefix":
            self.prefix()
        if self.kind != "name" or self.text != "Ontology":
            raise self.place.error("expected Prefix( or Ontology(", self.text)
        self.advance()
        self.take("open", "(")
        builder = Builder()
        names: list[str] = []
        while len(names) < 2 and self.kind in ("iri", "name") and not (self.kind == "name" and ":" not in self.text):
            names.append(self.iri())
        builder.iri, builder.version = (*names, None, None)[:2]
        if self.base is None and names:
            self.base = names[0][1:-1]
        while self.kind != "close":
            builder.add(self.node())
        self.advance()
        if self.kind != "end":
            raise self.place.error("unexpected text after the ontology", self.text)
        return builder

    def prefix(self) -> None:
        self.advance()
        self.take("open", "(")
        place = self.place
        name = self.take("name", "a prefix name")
        if not name.endswith(":"):
            raise place.error("a prefix name ends in a colon", name)
        self.take("equals", "=")
        self.prefixes[name] = self.resolve(self.take("iri", "an IRI in angle brackets")[1:-1])
        self.take("close", ")")

    def node(self) -> Node:
        """Read ``Name( arguments )``."""
        place = self.place
        name = self.take("name", "an axiom or expression")
        if self.kind != "open":
            raise place.error("expected an axiom or expression with its arguments in parentheses", name)
        return self.arguments(name, place)

    def arguments(self, name: str, place: Place) -> Node:
        self.take("open", "(")
        node = Node(name, place)
        while self.kind != "close":
            if self.kind == "end":
                raise place.error(f"the parenthesis of {name or 'this list'} is never closed")
            with self.nesting:
                node.children.append(self.tree())
        self.advance()
        return node

    def tree(self) -> Tree:
        place = self.place
        if self.kind == "open":
            return self.arguments("", place)
        if self.kind == "string":
            return Leaf("literal", self.literal(), place)
        if self.kind == "blank":
            return Leaf("blank", f"_:{self.blank_prefix}{self.take('blank', '')[2:]}", place)
        if self.kind == "number":
            return Leaf("number", self.take("number", ""), place)
        if self.kind == "name" and ":" not in self.text:
            return _variable(self.node())
        return Leaf("iri", self.iri(), place)

    def literal(self) -> str:
        place = self.place
        quoted = self.take("string", "a literal")
        try:
            lexical = _ESCAPE.sub(lambda match: match[1] or unescape(match[0]), quoted[1:-1])
        except ValueError as error:
            raise place.error(str(error), quoted) from None
        if self.kind == "language":
            return literal(lexical, language=self.take("language", "a language tag")[1:])
        if self.kind == "caret":
            self.advance()
            return literal(lexical, self.iri()[1:-1])
        return literal(lexical)

    def iri(self) -> str:
        """Read a full or an abbreviated IRI as a constant."""
        place = self.place
        if self.kind == "iri":
            return f"<{self.resolve(self.take('iri', '')[1:-1])}>"
        name = self.take("name", "an IRI")
        prefix, colon, local = name.partition(":")
        if prefix + colon not in self.prefixes:
            raise place.error(f"the prefix {prefix + colon} is not declared", name)
        return f"<{self.prefixes[prefix + colon]}{local}>"

    def resolve(self, reference: str) -> str:
        try:
            return resolve_iri(self.base, reference)
        except ValueError as error:
            raise self.place.error(f"an IRI cannot be made absolute against {self.base} ({error})", reference) from None


def _variable(node: Node) -> Tree:
    if node.name != "Variable":
        return node
    if len(node.children) != 1 or not isinstance(node.children[0], Leaf):
        raise node.place.error("Variable has one IRI")
    return Leaf("variable", node.children[0].text.strip("<>"), node.place)
