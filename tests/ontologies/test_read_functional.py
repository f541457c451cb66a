from __future__ import annotations

import pytest

from ontologies.axioms import DataPropertyAssertion, SubClassOf
from ontologies.expressions import DataSomeValuesFrom, ObjectMinCardinality
from ontologies.read_functional import read_axiom, read_functional
from ontologies.write_functional import write_functional
from reasoner.rules.errors import ParseError


def test_an_axiom_prints_as_it_was_written() -> None:
    text = (
        'SubClassOf(:A DataSomeValuesFrom(:p DatatypeRestriction(xsd:string xsd:pattern "a\\\\d \\"b\\"" xsd:length '
        '"3"^^xsd:integer)))'
    )
    assert write_functional(read_axiom(text, prefixes={"": "urn:"}), {"": "urn:"}) == text


@pytest.mark.parametrize(
    "text",
    [
        "HasKey(owl:Thing (<urn:p> ObjectInverseOf(<urn:q>)) ())",
        "EquivalentObjectProperties(<urn:p> ObjectInverseOf(<urn:q>) <urn:r>)",
        "SubClassOf(DataAllValuesFrom(<urn:p> <urn:q> rdfs:Literal) ObjectExactCardinality(3 <urn:p> <urn:C>))",
        'DataPropertyRange(<urn:p> DataUnionOf(DataComplementOf(xsd:int) DataOneOf("a"@en-GB "b")))',
        "DLSafeRule(Body(SameIndividualAtom(Variable(<urn:x>) <urn:a>)) "
        "Head(DifferentIndividualsAtom(Variable(<urn:x>) <urn:b>)))",
        "SubAnnotationPropertyOf(<urn:p> rdfs:label)",
        "AnnotationPropertyRange(<urn:p> xsd:string)",
    ],
)
def test_printing_and_reading_are_inverse(text: str) -> None:
    axiom = read_axiom(text)
    assert write_functional(axiom) == text
    assert read_axiom(write_functional(axiom)) == axiom


def test_an_unqualified_cardinality_is_over_everything() -> None:
    axiom = read_axiom("SubClassOf(<urn:A> ObjectMinCardinality(2 <urn:p>))")
    assert axiom == SubClassOf("<urn:A>", ObjectMinCardinality(2, "<urn:p>", "<http://www.w3.org/2002/07/owl#Thing>"))
    assert read_axiom("SubClassOf(<urn:A> ObjectMinCardinality(2 <urn:p> owl:Thing))") == axiom


def test_several_data_properties_share_a_range() -> None:
    axiom = read_axiom("SubClassOf(<urn:A> DataSomeValuesFrom(<urn:p> <urn:q> xsd:int))")
    assert isinstance(axiom, SubClassOf)
    assert isinstance(axiom.super, DataSomeValuesFrom)
    assert axiom.super.properties == ("<urn:p>", "<urn:q>")


@pytest.mark.parametrize(
    ("written", "constant"),
    [
        ('"a"', '"a"'),
        ('"a"^^xsd:string', '"a"'),
        ('"a"@EN', '"a"@EN'),
        ('"a@en"^^rdf:PlainLiteral', '"a"@en'),
        ('"a@"^^rdf:PlainLiteral', '"a"'),
        ('"line\nbreak \\\\ \\""', '"line\\nbreak \\\\ \\""'),
    ],
)
def test_literals_are_read_as_canonical_constants(written: str, constant: str) -> None:
    axiom = read_axiom(f"DataPropertyAssertion(<urn:p> <urn:a> {written})")
    assert axiom == DataPropertyAssertion("<urn:p>", "<urn:a>", constant)


def test_relative_names_are_resolved_against_the_ontology() -> None:
    ontology = read_functional("Ontology(<http://e/o> SubClassOf(<#A> <B>))")
    assert ontology.axioms == (SubClassOf("<http://e/o#A>", "<http://e/B>"),)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("Ontology(SubClassOf(<urn:A>))", 1, 10, "too few"),
        ("Ontology(\n  SubClassOf(<urn:A> <urn:B> <urn:C>))", 2, 30, "too many"),
        ("Ontology(\n SubClassOf(<urn:A> ex:B))", 2, 21, "prefix ex: is not declared"),
        ("Ontology(SubClassOf(<urn:A> DataUnionOf(xsd:int xsd:int)))", 1, 29, "expected a class expression"),
        ('Ontology(ClassAssertion(<urn:A> "a"))', 1, 33, "expected an individual"),
        ("Ontology(\n\nUnheardOf(<urn:A>))", 3, 1, "expected an axiom"),
        ("Ontology(SubClassOf(<urn:A> <urn:B>)", 1, 37, "expected"),
        ("Ontology(SubClassOf(<urn:A> <urn:B>", 1, 10, "never closed"),
        ("Ontology() x", 1, 12, "after the ontology"),
        ("Prefix(a=<urn:>) Ontology()", 1, 8, "ends in a colon"),
        ('Ontology(SubClassOf(<urn:A> "unclosed))', 1, 29, "unexpected character"),
        ("Class(<urn:A>)", 1, 1, "expected Prefix"),
        ("Ontology(SubClassOf(<urn:A> ObjectMinCardinality(<urn:p> <urn:B>)))", 1, 50, "expected a number"),
        ("Ontology(Declaration(Thing(<urn:A>)))", 1, 22, "expected one of Class"),
        ("Ontology(HasKey(<urn:A> <urn:p>))", 1, 10, "HasKey has"),
        ("Ontology(DLSafeRule(Body(Atom())))", 1, 10, "a Body and a Head"),
        ("Ontology(SubClassOf(<urn:A> DatatypeRestriction(xsd:int)))", 1, 29, "expected a class expression"),
    ],
)
def test_malformed_text_is_an_error_with_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ParseError, match=message) as error:
        read_functional(text, file="zoo.ofn")
    assert (error.value.file, error.value.line, error.value.column) == ("zoo.ofn", line, column)


def test_text_after_an_axiom_is_an_error() -> None:
    with pytest.raises(ParseError, match="after the axiom"):
        read_axiom("SubClassOf(<urn:A> <urn:B>) <urn:C>")
