"""The syntax tree that the functional-style and the OWL/XML readers share, with positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from reasoner.errors import ParseError

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
