"""Build axioms from a syntax tree; the types of a dataclass's fields are the grammar of its arguments.

The syntax tree that the functional-style and the OWL/XML readers share, with positions.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, TypeAlias

import ontologies.axioms as axiom_types
import ontologies.expressions as expression_types
from ontologies.axioms import (
    Annotation,
    Axiom,
    AxiomAnnotation,
    Declaration,
    DLSafeRule,
    HasKey,
    Ontology,
    RuleAtom,
    Triple,
)
from ontologies.expressions import DatatypeRestriction, Facet
from reasoner.rules.errors import ParseError
from reasoner.terms.term import Variable

LeafKind: TypeAlias = Literal["iri", "blank", "literal", "number", "variable"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece of syntax begins; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def error(self, message: str, text: str = "") -> ParseError:
        """Return, not raise, the error of this place."""
        return ParseError(message, file=self.file, line=self.line, column=self.column, text=text)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A constant, a number or the name of a SWRL variable; ``text`` is the constant's canonical N-Triples text."""

    kind: LeafKind
    text: str
    place: Place


@dataclass(slots=True)
class Node:
    """A constructor with its arguments; a parenthesised group without a name has the name ``""``."""

    name: str
    place: Place
    children: list[Tree] = field(default_factory=list)


Tree: TypeAlias = Leaf | Node


def describe(tree: Tree) -> str:
    """Name a piece of syntax in an error message."""
    if isinstance(tree, Leaf):
        return f"{tree.kind} {tree.text}"
    return tree.name or "a parenthesised list"


_ENTITY_KINDS = ("Class", "Datatype", "ObjectProperty", "DataProperty", "AnnotationProperty", "NamedIndividual")

# What a field type accepts: kinds of leaves, and constructors whose name has a prefix or is listed.
_LEAVES: dict[str, tuple[str, ...]] = {
    "ClassExpression": ("iri",),
    "NamedClass": ("iri",),
    "DataRange": ("iri",),
    "Datatype": ("iri",),
    "ObjectPropertyExpression": ("iri",),
    "SubObjectProperty": ("iri",),
    "NamedObjectProperty": ("iri",),
    "DataProperty": ("iri",),
    "AnnotationProperty": ("iri",),
    "Individual": ("iri", "blank"),
    "Entity": ("iri", "blank"),
    "Literal": ("literal",),
    "str": ("iri", "blank", "literal"),
    "RuleTerm": ("iri", "blank", "literal", "variable"),
}
_RANGES = ("DataIntersectionOf", "DataUnionOf", "DataComplementOf", "DataOneOf", "DatatypeRestriction")
_PROPERTIES = ("ObjectInverseOf", "ObjectPropertyChain")
_CLASSES = tuple(
    name
    for name in vars(expression_types)
    if name.startswith(("Object", "Data")) and name not in (*_RANGES, *_PROPERTIES) and "Property" not in name
)
_CONSTRUCTORS: dict[str, tuple[str, ...]] = {
    "ClassExpression": _CLASSES,
    "DataRange": _RANGES,
    "ObjectPropertyExpression": ("ObjectInverseOf",),
    "SubObjectProperty": _PROPERTIES,
}
_WORDS = {
    "ClassExpression": "a class expression",
    "DataRange": "a data range",
    "ObjectPropertyExpression": "an object property",
    "SubObjectProperty": "an object property or a chain",
    "NamedClass": "a class",
    "DataProperty": "a data property",
    "RuleTerm": "a variable, an individual or a literal",
    "str": "an IRI, an anonymous individual or a literal",
    "Entity": "an IRI or an anonymous individual",
}
_ATOMS = tuple(name for name in vars(axiom_types) if name.endswith("Atom") and name != "RuleAtom")
_AXIOMS = frozenset(
    name for name, value in vars(axiom_types).items() if isinstance(value, type) and issubclass(value, Axiom)
) - {"Axiom", "ObjectPropertyCharacteristic"}


@dataclass(slots=True)
class Builder:
    """Collects the axioms and annotations of one document."""

    iri: str | None = None
    version: str | None = None
    imports: list[str] = field(default_factory=list)
    axioms: list[Axiom] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    axiom_annotations: list[AxiomAnnotation] = field(default_factory=list)

    def add(self, node: Node) -> None:
        """Take in one child of the ontology: an import, an annotation or an axiom."""
        if node.name == "Import":
            self.imports.append(_leaf(_only(node), "NamedClass"))
        elif node.name == "Annotation":
            self.annotations.append(_annotation(node))
        else:
            remarks = tuple(_annotation(child) for child in _annotation_nodes(node))
            axiom = build_axiom(node)
            self.axioms.append(axiom)
            if remarks:
                self.axiom_annotations.append(AxiomAnnotation(axiom, remarks))

    def finish(self, triples: tuple[Triple, ...] = ()) -> Ontology:
        """Return the ontology, with the triples that it maps to."""
        return Ontology(
            axioms=tuple(self.axioms),
            triples=triples,
            iri=self.iri,
            version=self.version,
            imports=tuple(self.imports),
            annotations=tuple(self.annotations),
            axiom_annotations=tuple(self.axiom_annotations),
        )


def build_axiom(node: Node) -> Axiom:
    """Build one axiom without its annotations; raise ``ParseError`` at the argument that does not fit."""
    if node.name not in _AXIOMS:
        raise node.place.error(f"expected an axiom, found {describe(node)}")
    arguments = [child for child in node.children if not (isinstance(child, Node) and child.name == "Annotation")]
    plain = Node(node.name, node.place, arguments)
    if node.name == "Declaration":
        return _declaration(plain)
    if node.name == "HasKey":
        return _key(plain)
    if node.name == "DLSafeRule":
        return _rule(plain)
    built = _construct(plain, getattr(axiom_types, node.name))
    assert isinstance(built, Axiom)
    return built


def _annotation_nodes(node: Node) -> list[Node]:
    return [child for child in node.children if isinstance(child, Node) and child.name == "Annotation"]


def _annotation(node: Node) -> Annotation:
    nested = tuple(_annotation(child) for child in _annotation_nodes(node))
    parts = [child for child in node.children if not (isinstance(child, Node) and child.name == "Annotation")]
    if len(parts) != 2:
        raise node.place.error("an annotation has a property and a value")
    return Annotation(_leaf(parts[0], "AnnotationProperty"), _leaf(parts[1], "str"), nested)


def _declaration(node: Node) -> Declaration:
    inner = _only(node)
    if not isinstance(inner, Node) or inner.name not in _ENTITY_KINDS:
        raise inner.place.error(f"expected one of {', '.join(_ENTITY_KINDS)}, found {describe(inner)}")
    return Declaration(inner.name, _leaf(_only(inner), "Entity"))


def _key(node: Node) -> HasKey:
    if len(node.children) != 3:
        raise node.place.error("HasKey has a class, a list of object properties and a list of data properties")
    groups = node.children[1:]
    for group in groups:
        if not isinstance(group, Node) or group.name:
            raise group.place.error(f"expected a parenthesised list of properties, found {describe(group)}")
    objects, data = (group.children for group in groups if isinstance(group, Node))
    return HasKey(
        _argument(node.children[0], "ClassExpression"),
        tuple(_argument(child, "ObjectPropertyExpression") for child in objects),
        tuple(_argument(child, "DataProperty") for child in data),
    )


def _rule(node: Node) -> DLSafeRule:
    parts = {child.name: child for child in node.children if isinstance(child, Node)}
    if len(node.children) != 2 or parts.keys() != {"Body", "Head"}:
        raise node.place.error("DLSafeRule has a Body and a Head")
    return DLSafeRule(_atoms(parts["Body"]), _atoms(parts["Head"]))


def _atoms(node: Node) -> tuple[RuleAtom, ...]:
    atoms: list[RuleAtom] = []
    for child in node.children:
        if not isinstance(child, Node) or child.name not in _ATOMS:
            raise child.place.error(f"expected an atom of a rule, found {describe(child)}")
        atoms.append(_construct(child, getattr(axiom_types, child.name)))
    return tuple(atoms)


def _construct(node: Node, constructor: type[Any]) -> Any:
    """Spread the arguments over the fields: a tuple field takes all that the fields after it leave."""
    if constructor is DatatypeRestriction:
        return _restriction(node)
    signature = fields(constructor)
    children = list(node.children)
    values: list[Any] = []
    for position, part in enumerate(signature):
        kind = str(part.type)
        if kind.startswith("tuple["):
            following = len(signature) - position - 1
            taken, children = children[: len(children) - following], children[len(children) - following :]
            if not taken:
                raise node.place.error(f"{node.name} has too few arguments")
            values.append(tuple(_argument(child, kind[6:-6]) for child in taken))
        elif children:
            values.append(_argument(children.pop(0), kind))
        elif part.default is MISSING:
            raise node.place.error(f"{node.name} has too few arguments")
    if children:
        raise children[0].place.error(f"{node.name} has too many arguments", describe(children[0]))
    return constructor(*values)


def _restriction(node: Node) -> DatatypeRestriction:
    if len(node.children) < 3 or len(node.children) % 2 == 0:
        raise node.place.error("DatatypeRestriction has a datatype and pairs of a facet and a value")
    pairs = zip(node.children[1::2], node.children[2::2], strict=True)
    facets = tuple(Facet(_leaf(facet, "NamedClass"), _leaf(value, "Literal")) for facet, value in pairs)
    return DatatypeRestriction(_leaf(node.children[0], "Datatype"), facets)


def _argument(tree: Tree, kind: str) -> Any:
    if kind == "int":
        return _number(tree)
    if isinstance(tree, Leaf):
        return _leaf(tree, kind)
    if tree.name not in _CONSTRUCTORS.get(kind, ()):
        raise tree.place.error(f"expected {_words(kind)}, found {describe(tree)}")
    return _construct(tree, getattr(expression_types, tree.name))


def _leaf(tree: Tree, kind: str) -> Any:
    if not isinstance(tree, Leaf) or tree.kind not in _LEAVES[kind]:
        raise tree.place.error(f"expected {_words(kind)}, found {describe(tree)}")
    return Variable(tree.text) if tree.kind == "variable" else tree.text


def _number(tree: Tree) -> int:
    if not isinstance(tree, Leaf) or tree.kind != "number":
        raise tree.place.error(f"expected a number, found {describe(tree)}")
    return int(tree.text)


def _only(node: Node) -> Tree:
    if len(node.children) != 1:
        raise node.place.error(f"{node.name} has one argument")
    return node.children[0]


def _words(kind: str) -> str:
    return _WORDS.get(kind, f"a{'n' if kind[0] in 'AEIOU' else ''} {kind.lower()}")
