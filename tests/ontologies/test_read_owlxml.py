from __future__ import annotations

import pytest

from ontologies.axioms import SubClassOf
from ontologies.read import read_owlxml
from reasoner.rules.errors import ParseError

HEAD = '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://e/o">\n'


def test_names_are_resolved_against_the_ontology() -> None:
    text = HEAD + '<SubClassOf><Class IRI="#A"/><Class abbreviatedIRI="owl:Thing"/></SubClassOf></Ontology>'
    thing = "<http://www.w3.org/2002/07/owl#Thing>"
    assert read_owlxml(text).axioms == (SubClassOf("<http://e/o#A>", thing),)
    assert read_owlxml(text.encode()).axioms == read_owlxml(text).axioms


def test_a_prefixed_document_is_read_like_any_other() -> None:
    text = (
        '<o:Ontology xmlns:o="http://www.w3.org/2002/07/owl#" xml:base="http://e/o">'
        '<o:SubClassOf><o:Class IRI="#A"/><o:Class IRI="#B"/></o:SubClassOf></o:Ontology>'
    )
    assert read_owlxml(text).axioms == (SubClassOf("<http://e/o#A>", "<http://e/o#B>"),)


@pytest.mark.parametrize(
    ("body", "line", "column", "message"),
    [
        ('<SubClassOf><Class IRI="#A"/></SubClassOf>', 2, 1, "too few"),
        ('<SubClassOf>\n<Class IRI="#A"/><Literal>x</Literal></SubClassOf>', 3, 18, "expected a class expression"),
        ('<SubClassOf><Class IRI="#A"/><Class abbreviatedIRI="x:B"/></SubClassOf>', 2, 30, "prefix x: is not declared"),
        ("<SubClassOf><Class/></SubClassOf>", 2, 13, "IRI or abbreviatedIRI"),
        ("<Unheard/>", 2, 1, "expected an axiom"),
        ('<Class IRI="#A"/>', 2, 1, "expected an axiom"),
        ("text", 2, 1, "text is not allowed"),
        ("<SubClassOf></Other>", 2, 15, "mismatched tag"),
        ('<Prefix name="x"/>', 2, 1, "Prefix needs"),
        ('<x:Axiom xmlns:x="urn:x"/>', 2, 1, "OWL namespace"),
        (
            '<SubClassOf><Class IRI="#A"/><ObjectMinCardinality cardinality="two"/></SubClassOf>',
            2,
            30,
            "not a number",
        ),
        ("<HasKey/>", 2, 1, "HasKey has"),
    ],
)
def test_malformed_documents_are_errors_with_their_place(body: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ParseError, match=message) as error:
        read_owlxml(f"{HEAD}{body}</Ontology>", file="zoo.owx")
    assert (error.value.file, error.value.line, error.value.column) == ("zoo.owx", line, column)


def test_another_root_element_is_an_error() -> None:
    with pytest.raises(ParseError, match="the element Ontology"):
        read_owlxml('<Class xmlns="http://www.w3.org/2002/07/owl#"/>')
