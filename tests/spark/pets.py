"""The little world of the tests of frames: a dog that has two names."""

from __future__ import annotations

E = "http://e.org/"
TYPE, SAME = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://www.w3.org/2002/07/owl#sameAs>"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"


def iri(name: str) -> str:
    return f"<{E}{name}>"


TWO_NAMES = [
    (iri("Dog"), SUBCLASS, iri("Animal")),
    (iri("rex"), TYPE, iri("Dog")),
    (iri("rex"), SAME, iri("king")),
]
