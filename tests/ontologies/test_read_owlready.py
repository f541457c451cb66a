from __future__ import annotations

import pytest

from ontologies.read import read_ontology
from tests.ontologies.reading import axiom_texts

owlready2 = pytest.importorskip("owlready2")


@pytest.fixture
def world():
    world = owlready2.World()
    ontology = world.get_ontology("http://e/#")
    with ontology:

        class Animal(owlready2.Thing): ...

        class Lion(Animal): ...

        class eats(Animal >> Animal, owlready2.TransitiveProperty): ...

        class age(owlready2.DataProperty, owlready2.FunctionalProperty): ...

        age.range = [int]
        Lion.is_a.append(eats.some(Animal))
        Lion.is_a.append(age.min(1, owlready2.ConstrainedDatatype(int, min_inclusive=3)))
        Lion("leo").age = 4
        rule = owlready2.Imp()
        rule.set_as_rule("Animal(?x), age(?x, ?n), greaterThan(?n, 3) -> Lion(?x)")
    yield world
    world.close()


EXPECTED = {
    "SubClassOf(:Lion :Animal)",
    "SubClassOf(:Lion ObjectSomeValuesFrom(:eats :Animal))",
    "TransitiveObjectProperty(:eats)",
    "ObjectPropertyRange(:eats :Animal)",
    "FunctionalDataProperty(:age)",
    "DataPropertyRange(:age xsd:integer)",
    'SubClassOf(:Lion DataMinCardinality(1 :age DatatypeRestriction(xsd:integer xsd:minInclusive "3"^^xsd:integer)))',
    "ClassAssertion(:Lion :leo)",
    'DataPropertyAssertion(:age :leo "4"^^xsd:integer)',
}


def test_a_world_is_read_whole_and_in_silence(world, capsys: pytest.CaptureFixture[str]) -> None:
    ontology = read_ontology(world)
    texts = axiom_texts(ontology)
    assert set(texts) >= EXPECTED
    assert sum(text.startswith("DLSafeRule(") for text in texts) == 1
    assert (ontology.iri, ontology.unread) == ("<http://e/>", ())
    assert capsys.readouterr() == ("", "")


def test_an_ontology_of_a_world_is_read_like_the_world(world) -> None:
    assert set(axiom_texts(read_ontology(world.get_ontology("http://e/#")))) >= EXPECTED
