"""The names of OWL 2 that readers and translators share, and the text of literals."""

from __future__ import annotations

from urllib.parse import urljoin

from reasoner.terms.term import OWL, RDF, RDFS, XSD

SWRL = "http://www.w3.org/2003/11/swrl#"
SWRLB = "http://www.w3.org/2003/11/swrlb#"

PREFIXES = {"owl": OWL, "rdf": RDF, "rdfs": RDFS, "xsd": XSD, "swrl": SWRL, "swrlb": SWRLB}


def owl(name: str) -> str:
    """Write a name of the OWL vocabulary as a constant.

    >>> owl("Thing")
    '<http://www.w3.org/2002/07/owl#Thing>'
    """
    return f"<{OWL}{name}>"


def rdf(name: str) -> str:
    """Write a name of the RDF vocabulary as a constant."""
    return f"<{RDF}{name}>"


def rdfs(name: str) -> str:
    """Write a name of the RDF Schema vocabulary as a constant."""
    return f"<{RDFS}{name}>"


def xsd(name: str) -> str:
    """Write a name of the XML Schema datatypes as a constant."""
    return f"<{XSD}{name}>"


def swrl(name: str) -> str:
    """Write a name of the SWRL vocabulary as a constant."""
    return f"<{SWRL}{name}>"


THING = owl("Thing")
NOTHING = owl("Nothing")
LITERAL = rdfs("Literal")
DIFFERENT_FROM = owl("differentFrom")
TOP_OBJECT_PROPERTY = owl("topObjectProperty")
BOTTOM_OBJECT_PROPERTY = owl("bottomObjectProperty")
TOP_DATA_PROPERTY = owl("topDataProperty")
BOTTOM_DATA_PROPERTY = owl("bottomDataProperty")
TOP_PROPERTIES = frozenset({TOP_OBJECT_PROPERTY, TOP_DATA_PROPERTY})
BOTTOM_PROPERTIES = frozenset({BOTTOM_OBJECT_PROPERTY, BOTTOM_DATA_PROPERTY})
NIL = rdf("nil")

# The datatypes that the OWL 2 RL profile requires; the whole OWL 2 datatype map adds the real and rational numbers.
RL_DATATYPES = frozenset(
    {rdf("PlainLiteral"), rdf("XMLLiteral"), rdf("langString"), LITERAL}
    | {
        xsd(name)
        for name in (
            *("decimal", "integer", "nonNegativeInteger", "nonPositiveInteger", "positiveInteger", "negativeInteger"),
            *("long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
            *("float", "double", "string", "normalizedString", "token", "language", "Name", "NCName", "NMTOKEN"),
            *("boolean", "hexBinary", "base64Binary", "anyURI", "dateTime", "dateTimeStamp"),
        )
    }
)
DATATYPE_MAP = RL_DATATYPES | {owl("real"), owl("rational")}

# Data types that people use although OWL 2 has no value space for them.
OTHER_DATATYPES = frozenset(
    {rdf("HTML")}
    | {
        xsd(name)
        for name in (
            *("date", "time", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay", "duration", "anySimpleType"),
            *("dayTimeDuration", "yearMonthDuration", "QName", "NOTATION", "ID", "IDREF", "ENTITY", "anyAtomicType"),
        )
    }
)

ANNOTATION_PROPERTIES = frozenset(
    {rdfs(name) for name in ("label", "comment", "seeAlso", "isDefinedBy")}
    | {
        owl(name)
        for name in ("versionInfo", "deprecated", "priorVersion", "backwardCompatibleWith", "incompatibleWith")
    }
)

_ESCAPES = str.maketrans(
    {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"},
)
_PLAIN_LITERAL = RDF + "PlainLiteral"


def literal(lexical: str, datatype: str | None = None, language: str | None = None) -> str:
    """Write a literal as a constant; ``datatype`` is an IRI without angle brackets.

    An ``rdf:PlainLiteral`` is written as the plain or language-tagged literal that it stands for.

    >>> literal("tall", language="en")
    '"tall"@en'
    >>> literal("chat@fr", "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral")
    '"chat"@fr'
    """
    if datatype == _PLAIN_LITERAL and language is None:
        lexical, _, tag = lexical.rpartition("@") if "@" in lexical else (lexical, "", "")
        datatype, language = None, tag or None
    quoted = f'"{lexical.translate(_ESCAPES)}"'
    if language:
        return f"{quoted}@{language}"
    if datatype is None or datatype == XSD + "string":
        return quoted
    return f"{quoted}^^<{datatype}>"


_UNESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "\\": "\\"}


def lexical_form(constant: str) -> str:
    """Return the unescaped lexical form of a literal constant.

    >>> lexical_form('"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
    '1'
    """
    quoted = constant[1 : constant.rindex('"')]
    if "\\" not in quoted:
        return quoted
    pieces = iter(quoted)
    return "".join(_UNESCAPES[next(pieces)] if piece == "\\" else piece for piece in pieces)


def is_reserved(constant: str) -> bool:
    """Tell whether an IRI belongs to the RDF, RDF Schema, OWL, or SWRL vocabularies."""
    return constant.startswith((f"<{OWL}", f"<{RDF}", f"<{RDFS}", f"<{SWRL}"))


def resolve_iri(base: str | None, reference: str) -> str:
    """Resolve a relative reference; a fragment goes onto any base, even one that is not hierarchical.

    Raise ``ValueError`` if one of the two has a host that is none.

    >>> resolve_iri("urn:example:zoo", "#Lion")
    'urn:example:zoo#Lion'
    """
    if not base or ":" in reference.split("/")[0].split("#")[0]:
        return reference
    if reference.startswith("#"):
        return base.split("#")[0] + reference
    return urljoin(base, reference)
