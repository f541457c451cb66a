"""Terms: variables of rules, constants as their canonical N-Triples text, and triples of such texts.

Ids that mean the same in every store, and the terms behind them.

Caches of texts kept within bytes: a number of entries says nothing about what they take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"


def iri(text: str) -> str:
    """Write an absolute IRI as a constant.

    >>> iri("http://example.org/a")
    '<http://example.org/a>'
    """
    return f"<{text}>"


RDF_TYPE = iri(RDF + "type")
SAME_AS = iri(OWL + "sameAs")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a rule; ``name`` is without the question mark."""

    name: str

    def __str__(self) -> str:
        return "?" + self.name


# A constant is a plain string in canonical N-Triples form: <iri>, _:label, "lex", "lex"@tag, "lex"^^<datatype>;
# xsd:string is never written out, so that equal terms are equal strings.
Term = Variable | str

# A triple of constants.
TextTriple = tuple[str, str, str]


def is_literal(term: Term) -> bool:
    """Tell whether a term is a literal constant."""
    return isinstance(term, str) and term.startswith('"')


# owl:sameAs has the smallest id, so that it represents whatever becomes equal to it (paper 2, section 2).
SAME = 0
TYPE = 1
RESERVED_TERMS = (SAME_AS, RDF_TYPE)

# (c, OCCURS, c) says that the term c occurs in some fact. It stands for the virtual reflexive equality c = c, is kept
# only where a rule asks for it, and never leaves the engine.
OCCURS = (1 << 31) - 1


# Shorter texts are not counted: as many as a cache has entries take little.
_SHORT = 1000
_MOST_CHARACTERS = 1 << 26


class CacheRoom:
    """Empties a cache whenever the long texts that came into it have taken up its room.

    The function that is cached says what it is called with, which it is only for what the cache does not hold.

    >>> cleared = []
    >>> room = CacheRoom(5_000)
    >>> for _ in range(3): room.take("x" * 2_000, lambda: cleared.append(1))
    >>> cleared
    [1]
    """

    def __init__(self, most: int = _MOST_CHARACTERS) -> None:
        self._most = most
        self._taken = 0

    def take(self, text: str, clear: Callable[[], object]) -> None:
        """Count a text that comes into the cache, and ``clear`` the cache if that is too much."""
        if len(text) > _SHORT:
            self._taken += len(text)
            if self._taken > self._most:
                self._taken = 0
                clear()
