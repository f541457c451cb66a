"""N-Triples statements as text: the few terms that every generator writes, and the way back to triples.

A *block* is a string of whole N-Triples lines, each ended by a newline. Generators yield blocks of some hundred
kilobytes at most, so that a data set of any size is written in bounded memory and without a function call a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"

TYPE = f"<{RDF}type>"
FIRST = f"<{RDF}first>"
REST = f"<{RDF}rest>"
NIL = f"<{RDF}nil>"
LABEL = f"<{RDFS}label>"
SUB_CLASS_OF = f"<{RDFS}subClassOf>"
SUB_PROPERTY_OF = f"<{RDFS}subPropertyOf>"
DOMAIN = f"<{RDFS}domain>"
RANGE = f"<{RDFS}range>"
CLASS = f"<{OWL}Class>"
RESTRICTION = f"<{OWL}Restriction>"
ON_PROPERTY = f"<{OWL}onProperty>"
SOME_VALUES_FROM = f"<{OWL}someValuesFrom>"
ALL_VALUES_FROM = f"<{OWL}allValuesFrom>"
INTERSECTION_OF = f"<{OWL}intersectionOf>"
UNION_OF = f"<{OWL}unionOf>"
HAS_KEY = f"<{OWL}hasKey>"
INVERSE_OF = f"<{OWL}inverseOf>"
SAME_AS = f"<{OWL}sameAs>"
ONTOLOGY = f"<{OWL}Ontology>"
OBJECT_PROPERTY = f"<{OWL}ObjectProperty>"
DATATYPE_PROPERTY = f"<{OWL}DatatypeProperty>"
TRANSITIVE_PROPERTY = f"<{OWL}TransitiveProperty>"
SYMMETRIC_PROPERTY = f"<{OWL}SymmetricProperty>"
FUNCTIONAL_PROPERTY = f"<{OWL}FunctionalProperty>"
INVERSE_FUNCTIONAL_PROPERTY = f"<{OWL}InverseFunctionalProperty>"


def statement(s: str, p: str, o: str) -> str:
    """Return one N-Triples line.

    >>> statement("<a:s>", "<a:p>", '"o"')
    '<a:s> <a:p> "o" .\\n'
    """
    return f"{s} {p} {o} .\n"


def some_values_from(label: str, property: str, filler: str) -> str:
    """Return the statements that make the blank node ``label`` the class of what has a ``property`` in ``filler``."""
    return (
        statement(label, TYPE, RESTRICTION)
        + statement(label, ON_PROPERTY, property)
        + statement(label, SOME_VALUES_FROM, filler)
    )


def list_of(label: str, members: Iterable[str]) -> str:
    """Return the statements of an RDF list that starts at the blank node ``label``; ``members`` must not be empty.

    >>> print(list_of("_:l", ["<a:x>", "<a:y>"]).replace(RDF, "rdf:"), end="")
    _:l <rdf:first> <a:x> .
    _:l <rdf:rest> _:l1 .
    _:l1 <rdf:first> <a:y> .
    _:l1 <rdf:rest> <rdf:nil> .
    """
    members = list(members)
    nodes = [label, *(f"{label}{position}" for position in range(1, len(members))), NIL]
    return "".join(
        statement(node, FIRST, member) + statement(node, REST, following)
        for node, member, following in zip(nodes, members, nodes[1:], strict=False)
    )


def triples(blocks: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the triples of ``blocks`` as three canonical N-Triples texts each.

    >>> list(triples([statement("<a:s>", "<a:p>", '"two words"')]))
    [('<a:s>', '<a:p>', '"two words"')]
    """
    for block in blocks:
        for line in block.splitlines():
            s, p, rest = line.split(" ", 2)
            yield s, p, rest[:-2]
