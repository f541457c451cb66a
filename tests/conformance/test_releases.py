"""Releases of real ontologies: the difference of two, as the text of a script, leads from one to the other and back."""

import pytest

from ontologies.evolution.blank_parts import isomorphic_graphs
from ontologies.evolution.diff import diff_ontologies
from ontologies.evolution.script import print_script
from ontologies.read import read_ontology
from reasoner import Reasoner
from tests.conformance.suite import need

RELEASES = [
    ("schema-28.0.ttl.gz", "schema-30.0.ttl.gz"),
    ("dcat2.ttl.gz", "dcat3.ttl.gz"),
    ("ro-v2024-04-24.owl.gz", "ro-v2025-12-17.owl.gz"),
    ("pato-base-v2024-03-28.owl.gz", "pato-base-v2025-05-14.owl.gz"),
]


@pytest.mark.parametrize("names", RELEASES, ids=lambda names: names[0].split("-")[0].split(".")[0])
def test_a_script_leads_from_release_to_release_and_back(names):
    old, new = (read_ontology(str(need("ontologies", name))) for name in names)
    kb = Reasoner("none")
    kb.add(old.triples)
    before = set(kb.store.texts(kb.store.state.explicit))

    kb.evolve(print_script(diff_ontologies(old, new)))
    assert isomorphic_graphs(kb.store.texts(kb.store.state.explicit), new.triples)

    kb.undo_evolution()
    assert set(kb.store.texts(kb.store.state.explicit)) == before
