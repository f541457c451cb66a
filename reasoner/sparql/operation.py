"""The operations of SPARQL 1.1 Update on a store of one graph, as values."""

from __future__ import annotations

from dataclasses import dataclass

from reasoner.sparql.algebra import Node, Term

Template = tuple[tuple[Term, Term, Term], ...]


@dataclass(frozen=True, slots=True)
class Modify:
    """``DELETE { delete } INSERT { insert } WHERE { where }``; without ``where`` both are data.

    A blank node is a variable whose name begins with ``_:``; there is none in ``delete``.
    """

    delete: Template = ()
    insert: Template = ()
    where: Node | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """``LOAD <iri>``; if it is ``silent``, what cannot be read is nothing to load."""

    iri: str
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Clear:
    """``CLEAR`` or ``DROP`` of the default graph, or of all, which is the same in a store of one graph."""


Operation = Modify | Load | Clear
