"""Terms of rules: variables, and constants as their canonical N-Triples text."""

from __future__ import annotations

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


def is_literal(term: Term) -> bool:
    """Tell whether a term is a literal constant."""
    return isinstance(term, str) and term.startswith('"')
