"""The operations of SPARQL 1.1 Update, as values.

Relative IRIs that an update would store, where nobody could read them again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reasoner.rules.errors import ReasonerError
from reasoner.sparql.algebra import Node, Term

# A triple and the graph that it is in; None is the default graph.
QuadTemplate = tuple[tuple[Term, Term, Term, Term | None], ...]


@dataclass(frozen=True, slots=True)
class Modify:
    """``DELETE { delete } INSERT { insert } WHERE { where }``; without ``where`` both are data.

    A blank node is a variable whose name begins with ``_:``; there is none in ``delete``. ``default`` and ``named`` are
    the graphs that USING and WITH let ``where`` read, None where they say nothing.
    """

    delete: QuadTemplate = ()
    insert: QuadTemplate = ()
    where: Node | None = None
    default: tuple[str, ...] | None = None
    named: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """``LOAD <iri> INTO GRAPH graph``; if it is ``silent``, what cannot be read is nothing to load.

    Without a graph, triples go to the default graph and quads to the graphs that they name.
    """

    iri: str
    silent: bool = False
    graph: str | None = None


@dataclass(frozen=True, slots=True)
class Clear:
    """``CLEAR`` or ``DROP`` of a graph by its name, or of DEFAULT, NAMED or ALL; an empty graph is no graph."""

    graph: str


@dataclass(frozen=True, slots=True)
class Create:
    """``CREATE GRAPH graph``, which does nothing but fail if the graph is there."""

    graph: str
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Transfer:
    """``ADD``, ``COPY`` or ``MOVE`` of what one graph asserts to another; None is the default graph."""

    kind: str
    source: str | None
    target: str | None
    silent: bool = False


Operation = Modify | Load | Clear | Create | Transfer


_RELATIVE = re.compile(r'(?:|.*"\^\^)(<(?![A-Za-z][A-Za-z0-9+.-]*:)[^<>]*>)', re.DOTALL)


def refuse_relative_iris(operations: Sequence[Operation]) -> None:
    """Refuse an update that inserts a relative IRI, which a base would have made absolute.

    >>> refuse_relative_iris([Create("<http://e.org/g>", silent=False)])
    >>> refuse_relative_iris([Create("<g>", silent=False)])
    Traceback (most recent call last):
    ...
    loaders.errors.ReasonerError: <g> is a relative IRI, which would be stored as it is; begin the update with \
BASE <...>, or give a base (--base IRI, base="...")
    """
    for term in _stored(operations):
        if found := _RELATIVE.fullmatch(term):
            raise ReasonerError(
                f"{found[1]} is a relative IRI, which would be stored as it is; begin the update with BASE <...>, "
                'or give a base (--base IRI, base="...")'
            )


def _stored(operations: Iterable[Operation]) -> Iterator[str]:
    """Yield the terms that operations may bring into the store."""
    for operation in operations:
        match operation:
            case Modify():
                yield from (term for quad in operation.insert for term in quad if isinstance(term, str))
            case Load(graph=str(graph)) | Create(graph=graph) | Transfer(target=str(graph)):
                yield graph
