"""The readers of all syntaxes give the same axioms for the same ontology."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.load import parse_text
from ontologies.axioms import Ontology
from ontologies.read import read_ontology, read_owlxml
from ontologies.read_functional import read_functional
from ontologies.read_rdf import ontology_of_triples
from ontologies.write_functional import write_functional
from reasoner.rules.errors import ParseError, ReasonerError
from tests.ontologies.zoo import FUNCTIONAL, OWLXML, TURTLE

READERS = {
    "functional": lambda: read_functional(FUNCTIONAL),
    "owlxml": lambda: read_owlxml(OWLXML),
    "turtle": lambda: ontology_of_triples(parse_text(TURTLE, "turtle")),
}


@pytest.fixture(params=READERS)
def zoo(request: pytest.FixtureRequest) -> Ontology:
    return READERS[request.param]()


def texts(ontology: Ontology) -> set[str]:
    """Print axioms with one name for the only blank node."""
    return {_anonymous(write_functional(axiom)) for axiom in ontology.axioms}


def _anonymous(text: str) -> str:
    return " ".join("_:b" if word.startswith("_:") else word for word in text.rstrip(")").split(" "))


def test_axioms_are_the_same_in_every_syntax(zoo: Ontology) -> None:
    assert texts(zoo) == texts(read_functional(FUNCTIONAL))
    assert len(zoo.axioms) == 31


def test_headers_and_annotations_are_the_same_in_every_syntax(zoo: Ontology) -> None:
    expected = read_functional(FUNCTIONAL)
    assert (zoo.iri, zoo.version, zoo.imports) == ("<http://e/zoo>", "<http://e/zoo/1>", ("<http://e/other>",))
    assert zoo.annotations == expected.annotations != ()
    assert zoo.axiom_annotations == expected.axiom_annotations != ()


def test_every_triple_is_accounted_for(zoo: Ontology) -> None:
    assert ontology_of_triples(zoo.triples).unread == ()


def test_triples_of_any_reader_read_back_as_the_same_axioms(zoo: Ontology) -> None:
    again = ontology_of_triples(zoo.triples)
    assert set(again.axioms) == set(zoo.axioms)
    assert again.axiom_annotations == zoo.axiom_annotations


@pytest.mark.parametrize(
    ("name", "text"),
    [("zoo.ofn", FUNCTIONAL), ("zoo.owl", FUNCTIONAL), ("zoo.owx", OWLXML), ("zoo.owl", OWLXML), ("zoo.ttl", TURTLE)],
)
def test_a_file_is_read_by_extension_or_content(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert texts(read_ontology(path)) == texts(read_functional(FUNCTIONAL))


def test_a_named_format_wins_over_the_extension(tmp_path: Path) -> None:
    path = tmp_path / "zoo.txt"
    path.write_text(TURTLE, encoding="utf-8")
    assert len(read_ontology(path, format="turtle").axioms) == 31


def test_blank_nodes_of_two_documents_have_different_labels(tmp_path: Path) -> None:
    labels = []
    for name in ("first", "second"):
        path = tmp_path / f"{name}.ofn"
        path.write_text(f"Ontology(SubClassOf(<urn:{name}> ObjectComplementOf(<urn:B>)))", encoding="utf-8")
        labels.append({term for triple in read_ontology(path).triples for term in triple if term.startswith("_:")})
    assert labels[0] and labels[1] and not labels[0] & labels[1]


def test_several_documents_are_one_ontology(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<urn:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:B> .")
    (tmp_path / "b.ttl").write_text("<urn:B> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:C> .")
    assert len(read_ontology(tmp_path).axioms) == 2


def test_text_that_is_not_utf8_is_an_error_with_a_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.ofn"
    path.write_bytes(b"Ontology(\n  \xff)")
    with pytest.raises(ParseError) as error:
        read_ontology(path)
    assert (error.value.line, error.value.column) == (2, 3)


def test_what_is_no_source_is_an_error_that_says_what_is() -> None:
    with pytest.raises(ReasonerError, match="owlready2"):
        read_ontology(42)
