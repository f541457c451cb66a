"""The value of an ``rdf:XMLLiteral``: its content in canonical XML."""

from __future__ import annotations


def canonical_xml(lexical: str) -> str | None:
    """Return the canonical form of well-formed XML content; None if it is not well-formed.

    Contents with the same elements, attributes and text have the same form, whatever the order of attributes, the
    quotes or the abbreviation of empty elements.

    >>> canonical_xml("<b y='2' x='1'/>")
    '<b x="1" y="2"></b>'
    """
    from xml.etree import ElementTree

    # The wrapper makes a document of the content; it also keeps a document type, and so any entity, out.
    try:
        document = ElementTree.canonicalize(f"<content>{lexical}</content>", with_comments=True)
    except (ElementTree.ParseError, UnicodeEncodeError):
        return None
    return document.removeprefix("<content>").removesuffix("</content>")
