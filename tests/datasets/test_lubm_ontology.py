"""The univ-bench ontology: the published one, and its part in OWL 2 RL."""

from __future__ import annotations

import pytest

from datasets.lubm_ontology import lubm_ontology, lubm_ontology_in_rl, term
from datasets.statements import (
    CLASS,
    INTERSECTION_OF,
    RESTRICTION,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    TRANSITIVE_PROPERTY,
    TYPE,
    triples,
)

from .conformance import needs_lubm, sample

ANNOTATIONS = ("#label>", "#comment>", "#versionInfo>")


@pytest.fixture(scope="module")
def axioms():
    return set(triples([lubm_ontology()]))


def test_it_has_43_classes_25_object_and_7_data_properties(axioms):
    kinds = [o.rsplit("#", 1)[1][:-1] for _, p, o in axioms if p == TYPE]

    assert kinds.count("Class") == 43
    assert kinds.count("ObjectProperty") + kinds.count("TransitiveProperty") == 25
    assert kinds.count("DatatypeProperty") == 7


def test_it_says_what_the_benchmark_queries_depend_on(axioms):
    assert (term("subOrganizationOf"), TYPE, TRANSITIVE_PROPERTY) in axioms
    assert (term("headOf"), SUB_PROPERTY_OF, term("worksFor")) in axioms
    assert (term("worksFor"), SUB_PROPERTY_OF, term("memberOf")) in axioms
    assert (term("GraduateStudent"), SUB_CLASS_OF, term("Person")) in axioms
    assert (term("GraduateStudent"), SUB_CLASS_OF, term("Student")) not in axioms


@needs_lubm
def test_it_equals_the_published_ontology_but_for_annotations():
    compare = pytest.importorskip("rdflib.compare")
    from rdflib import Graph

    published = "\n".join(
        line for block in sample("univ-bench.nt.gz") for line in block.splitlines() if not is_annotation(line)
    )
    ours, theirs = (Graph().parse(data=text, format="nt") for text in (lubm_ontology(), published))

    assert len(ours) == len(theirs) > 200
    assert compare.isomorphic(ours, theirs)


def is_annotation(line: str) -> bool:
    return line.split(" ", 2)[1].endswith(ANNOTATIONS)


def test_in_rl_existentials_stand_on_the_left_only():
    axioms = set(triples([lubm_ontology_in_rl()]))
    restrictions = {s for s, p, o in axioms if (p, o) == (TYPE, RESTRICTION)}
    defined = {s for s, p, _ in axioms if p == INTERSECTION_OF}

    assert len(restrictions) == 6
    assert not restrictions & {o for _, p, o in axioms if p == SUB_CLASS_OF}
    assert all(name.startswith("_:") and (name, TYPE, CLASS) in axioms for name in defined)
    assert (term("Student"), SUB_CLASS_OF, term("Person")) in axioms
