"""Class trees: the sizes that the paper gives, and subclass axioms whose number does not change the yield."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from datasets.dataset import DatasetError
from datasets.hierarchies import HIERARCHY, database_like, dl_like, subclass_axioms, taxonomy
from datasets.statements import (
    CLASS,
    DOMAIN,
    FIRST,
    OBJECT_PROPERTY,
    ON_PROPERTY,
    RANGE,
    REST,
    SOME_VALUES_FROM,
    SUB_CLASS_OF,
    TYPE,
    UNION_OF,
)


def name(local: str) -> str:
    return f"<{HIERARCHY}{local}>"


@pytest.mark.parametrize(("depth", "classes"), [(3, 155), (4, 780), (5, 3905)])
def test_a_taxonomy_is_a_symmetric_tree_with_five_instances_a_class(depth, classes):
    tree = taxonomy(depth=depth)
    axioms, facts = list(tree.ontology_triples()), list(tree.fact_triples())

    assert [o for _, p, o in axioms if p == TYPE] == [CLASS] * classes
    assert set(Counter(o for _, p, o in axioms if p == SUB_CLASS_OF).values()) == {5}
    assert sum(p == SUB_CLASS_OF for _, p, _ in axioms) == classes - 5
    assert set(Counter(o for _, _, o in facts).values()) == {5}
    assert len({s for s, _, _ in facts}) == len(facts) == 5 * classes


def test_children_are_named_after_their_parent():
    axioms = set(taxonomy(depth=2).ontology_triples())

    assert (name("c12"), SUB_CLASS_OF, name("c1")) in axioms


def test_names_stay_apart_when_a_class_has_many_children():
    axioms = set(taxonomy(depth=2, branching=12).ontology_triples())

    assert sum(p == TYPE for _, p, _ in axioms) == 12 + 144
    assert {o for s, p, o in axioms if p == SUB_CLASS_OF and s == name("c1_12")} == {name("c1")}


@pytest.mark.parametrize("build", [database_like, dl_like])
def test_every_class_has_five_properties_and_every_third_instance_values_of_them(build):
    made = build(depth=3)
    properties = {s for s, p, o in made.ontology_triples() if (p, o) == (TYPE, OBJECT_PROPERTY)}
    values = [fact for fact in made.fact_triples() if fact[1] != TYPE]

    assert len(properties) == 5 * 155
    assert len(values) == 155 * 5 // 3 * 5
    assert {p for _, p, _ in values} <= properties
    assert set(Counter(s for s, _, _ in values).values()) == {5}


def test_the_paper_counts_property_values_as_we_do():
    """The paper's figures are for 3950 classes: 19,750 instances, of which every third has five values."""
    assert 3950 * 5 // 3 * 5 == 32_915


def test_values_agree_with_the_domains_and_ranges_of_a_database_like_ontology():
    made = database_like(depth=2, seed=3)
    axioms, facts = list(made.ontology_triples()), list(made.fact_triples())
    domain = {s: o for s, p, o in axioms if p == DOMAIN}
    range_ = {s: o for s, p, o in axioms if p == RANGE}
    class_of = {s: o for s, p, o in facts if p == TYPE}

    assert all((class_of[s], class_of[o]) == (domain[p], range_[p]) for s, p, o in facts if p != TYPE), (
        "values are where the axioms say"
    )


def test_the_conjunctive_query_of_the_paper_has_an_answer():
    """c1 and some p0 in c12."""
    facts = set(database_like(depth=3).fact_triples())

    assert [
        s for s, p, o in facts if p == name("p0") and (o, TYPE, name("c12")) in facts and (s, TYPE, name("c1")) in facts
    ]


def test_classes_of_a_dl_like_ontology_are_defined_by_unions_with_existentials():
    axioms = list(dl_like(depth=2).ontology_triples())
    objects = {(s, p): o for s, p, o in axioms if p in (UNION_OF, FIRST, REST, ON_PROPERTY, SOME_VALUES_FROM)}
    definitions = defaultdict(set)
    for s, p, o in axioms:
        if p == SUB_CLASS_OF and s.startswith("_:"):
            members = objects[s, UNION_OF]
            some = objects[objects[members, REST], FIRST]
            definitions[o].add((objects[members, FIRST], objects[some, ON_PROPERTY], objects[some, SOME_VALUES_FROM]))

    assert definitions.keys() == {name(f"c{number}") for number in range(1, 6)}
    assert definitions[name("c1")] == {
        (name("c12"), name("p4"), name("c11")),
        (name("c13"), name("p0"), name("c12")),
        (name("c14"), name("p1"), name("c13")),
        (name("c15"), name("p2"), name("c14")),
    }
    assert (name("c11"), SUB_CLASS_OF, name("c1")) in axioms


def test_the_existentials_of_a_dl_like_ontology_apply_to_some_facts():
    made = dl_like(depth=2)
    axioms, facts = set(made.ontology_triples()), set(made.fact_triples())
    wanted = {}
    for s, p, o in axioms:
        if p == ON_PROPERTY:
            wanted[o] = next(value for node, property, value in axioms if (node, property) == (s, SOME_VALUES_FROM))

    assert any(p in wanted and (o, TYPE, wanted[p]) in facts for _, p, o in facts)


@pytest.mark.parametrize("axioms", [5, 100, 1000])
def test_the_number_of_derived_types_does_not_depend_on_the_number_of_axioms(axioms):
    made = subclass_axioms(axioms=axioms, instances=400, seed=1)
    parents = {s: o for s, p, o in made.ontology_triples() if p == SUB_CLASS_OF}
    asserted = {(s, o) for s, _, o in made.fact_triples()}
    derived = set()
    for instance, class_ in asserted:
        while class_ in parents:
            class_ = parents[class_]
            derived.add((instance, class_))

    assert len(parents) == axioms
    assert len(asserted) == 400
    assert len(derived - asserted) == 400 * 5


def test_axioms_that_make_no_whole_chains_are_refused():
    with pytest.raises(DatasetError, match=r"axioms must be a multiple of depth \(5\), not 7"):
        subclass_axioms(axioms=7)
