"""SPARQL Query Results XML Format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from loaders.terms import literal_text
from reasoner.errors import ReasonerError
from reasoner.sparql.format_json import term_object

if TYPE_CHECKING:
    from reasoner.sparql.result import Result

_NAMESPACE = "http://www.w3.org/2005/sparql-results#"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_xml(result: Result) -> str:
    """Write rows or a truth value."""
    head = "".join(f"<variable name={quoteattr(name)}/>" for name in result.variables)
    if result.type == "ASK":
        body = f"<boolean>{str(result.askAnswer).lower()}</boolean>"
    else:
        rows = (
            "<result>"
            + "".join(
                f"<binding name={quoteattr(name)}>{_element(text)}</binding>"
                for name, text in zip(result.variables, row, strict=True)
                if text is not None
            )
            + "</result>"
            for row in result.texts()
        )
        body = f"<results>{''.join(rows)}</results>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="{_NAMESPACE}"><head>{head}</head>{body}</sparql>\n'


def read_xml(text: str) -> Result:
    """Read rows or a truth value."""
    from reasoner.sparql.result import Result

    try:
        document = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise ReasonerError(f"not the XML of query results: {error}") from error
    truth = document.find(f"{{{_NAMESPACE}}}boolean")
    if truth is not None:
        return Result.of_truth((truth.text or "").strip() == "true")
    names = [variable.get("name", "") for variable in document.iter(f"{{{_NAMESPACE}}}variable")]
    rows = []
    for solution in document.iter(f"{{{_NAMESPACE}}}result"):
        bound = {binding.get("name", ""): _text(binding[0]) for binding in solution if len(binding)}
        rows.append([bound.get(name) for name in names])
    return Result.of_rows(names, rows)


def _element(text: str) -> str:
    term = term_object(text)
    if found := _NOT_XML.search(term["value"]):
        raise ReasonerError(f"XML cannot hold the character {found[0]!r} of {text[:80]}; write json instead")
    # A reader of XML takes a carriage return for a line feed unless it is written as a reference.
    value = escape(term["value"], {"\r": "&#13;"})
    if term["type"] != "literal":
        return f"<{term['type']}>{value}</{term['type']}>"
    attribute = ""
    if "xml:lang" in term:
        attribute = f" xml:lang={quoteattr(term['xml:lang'])}"
    elif "datatype" in term:
        attribute = f" datatype={quoteattr(term['datatype'])}"
    return f"<literal{attribute}>{value}</literal>"


def _text(element: ElementTree.Element) -> str:
    kind, value = element.tag.rpartition("}")[2], element.text or ""
    if kind == "uri":
        return f"<{value.strip()}>"
    if kind == "bnode":
        return f"_:{value.strip()}"
    return literal_text(value, element.get(_LANGUAGE), element.get("datatype"))
