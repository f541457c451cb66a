"""The datatypes that OWL 2 RL supports, with their inclusions and bounds, as data.

The list is that of section 4.2 of OWL 2 Profiles. An entry of ``SUPERTYPES`` names the smallest supported datatypes
whose value spaces include that of its key. These are inclusions of value spaces, which are more than the derivations
of XML Schema: every ``xsd:unsignedByte`` is an ``xsd:short``, every ``xsd:language`` an ``xsd:NCName``.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from reasoner.terms.term import RDF, RDFS, XSD

PLAIN_LITERAL = RDF + "PlainLiteral"
XML_LITERAL = RDF + "XMLLiteral"
RDFS_LITERAL = RDFS + "Literal"

_XSD_SUPERTYPES: dict[str, tuple[str, ...]] = {
    "integer": ("decimal",),
    "nonNegativeInteger": ("integer",),
    "nonPositiveInteger": ("integer",),
    "positiveInteger": ("nonNegativeInteger",),
    "negativeInteger": ("nonPositiveInteger",),
    "long": ("integer",),
    "int": ("long",),
    "short": ("int",),
    "byte": ("short",),
    "unsignedLong": ("nonNegativeInteger",),
    "unsignedInt": ("unsignedLong", "long"),
    "unsignedShort": ("unsignedInt", "int"),
    "unsignedByte": ("unsignedShort", "short"),
    "normalizedString": ("string",),
    "token": ("normalizedString",),
    "NMTOKEN": ("token",),
    "Name": ("NMTOKEN",),
    "NCName": ("Name",),
    "language": ("NCName",),
    "dateTimeStamp": ("dateTime",),
}
_XSD_TOPS = ("decimal", "float", "double", "boolean", "hexBinary", "base64Binary", "anyURI", "dateTime")

SUPERTYPES: Mapping[str, tuple[str, ...]] = {
    RDFS_LITERAL: (),
    PLAIN_LITERAL: (RDFS_LITERAL,),
    XML_LITERAL: (RDFS_LITERAL,),
    XSD + "string": (PLAIN_LITERAL,),
    **{XSD + name: (RDFS_LITERAL,) for name in _XSD_TOPS},
    **{XSD + name: tuple(XSD + above for above in supertypes) for name, supertypes in _XSD_SUPERTYPES.items()},
}

SUPPORTED: frozenset[str] = frozenset(SUPERTYPES)

# Inclusive bounds of the integer datatypes; None is unbounded.
INTEGER_RANGES: Mapping[str, tuple[Decimal | None, Decimal | None]] = {
    XSD + name: (None if low is None else Decimal(low), None if high is None else Decimal(high))
    for name, low, high in (
        ("integer", None, None),
        ("nonNegativeInteger", 0, None),
        ("nonPositiveInteger", None, 0),
        ("positiveInteger", 1, None),
        ("negativeInteger", None, -1),
        ("long", -(2**63), 2**63 - 1),
        ("int", -(2**31), 2**31 - 1),
        ("short", -(2**15), 2**15 - 1),
        ("byte", -(2**7), 2**7 - 1),
        ("unsignedLong", 0, 2**64 - 1),
        ("unsignedInt", 0, 2**32 - 1),
        ("unsignedShort", 0, 2**16 - 1),
        ("unsignedByte", 0, 2**8 - 1),
    )
}


def all_supertypes(datatype: str) -> frozenset[str]:
    """Return every supported datatype whose value space includes that of ``datatype``, itself among them.

    >>> sorted(name.rpartition("#")[2] for name in all_supertypes(XSD + "string"))
    ['Literal', 'PlainLiteral', 'string']
    """
    found: set[str] = set()
    open_datatypes = [datatype] if datatype in SUPERTYPES else []
    while open_datatypes:
        current = open_datatypes.pop()
        if current not in found:
            found.add(current)
            open_datatypes += SUPERTYPES[current]
    return frozenset(found)
