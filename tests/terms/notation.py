"""A short way to write literals in tests."""

from reasoner.terms.term import RDF, RDFS, XSD

_NAMESPACES = {"xsd": XSD, "rdf": RDF, "rdfs": RDFS}


def datatype(name: str) -> str:
    """Expand ``byte`` or ``rdf:XMLLiteral`` to an IRI; a name without a prefix is one of XML Schema."""
    prefix, _, local = name.rpartition(":")
    return _NAMESPACES[prefix or "xsd"] + local


def typed(lexical: str, name: str) -> str:
    """Write a typed literal whose lexical form needs no escapes."""
    return f'"{lexical}"^^<{datatype(name)}>'
