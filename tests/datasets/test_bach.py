"""The Bach family behaves as example 3 of the paper says."""

from datasets.bach import ANCESTOR_OF, DELETED, EDGES, IN_DYNASTY, INSERTED, bach, edge, person
from datasets.statements import LABEL, SUB_PROPERTY_OF, TRANSITIVE_PROPERTY, TYPE


def closure(edges):
    edges = set(edges)
    while extra := {(a, d) for a, b in edges for c, d in edges if b == c} - edges:
        edges |= extra
    return edges


def test_the_facts_are_the_nine_edges_of_the_paper_and_readable_names():
    facts = list(bach().fact_triples())

    assert {fact for fact in facts if fact[1] == ANCESTOR_OF} == {edge(*pair) for pair in EDGES}
    assert (person("js"), LABEL, '"Johann Sebastian Bach"') in facts
    assert len(facts) == 9 + 9


def test_the_ontology_is_table_3():
    axioms = set(bach().ontology_triples())

    assert (ANCESTOR_OF, SUB_PROPERTY_OF, IN_DYNASTY) in axioms
    assert (ANCESTOR_OF, TYPE, TRANSITIVE_PROPERTY) in axioms


def test_the_update_changes_what_the_paper_says():
    before = closure(EDGES)
    after = closure({*EDGES, INSERTED} - {DELETED})

    assert before - after == {("js", "wf"), ("ja", "wf"), ("c", "wf")}
    assert after - before == {("js", "jc2"), ("ja", "jc2"), ("c", "jc2"), ("j", "jc2")}
