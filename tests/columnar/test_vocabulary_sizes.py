"""Sizes of classes and properties are what counting the closure gives, whatever equals whatever."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.columnar.vocabulary_sizes import class_sizes, property_sizes
from reasoner.terms.term import RDF_TYPE, SAME_AS

NAMES = [f"<http://e.org/{name}>" for name in "abcdpq"]
SUBJECTS = [*NAMES, "_:x"]
OBJECTS = [*SUBJECTS, '"1"', '"01"^^<http://www.w3.org/2001/XMLSchema#integer>']
TRIPLES = st.lists(
    st.tuples(
        st.sampled_from(SUBJECTS), st.sampled_from([*NAMES, RDF_TYPE, RDF_TYPE, SAME_AS]), st.sampled_from(OBJECTS)
    ),
    max_size=12,
)
RULE = "?y <http://e.org/q> ?x :- ?x <http://e.org/p> ?y ."


@settings(deadline=None, max_examples=40)
@given(triples=TRIPLES, profile=st.sampled_from(["none", "owl2rl"]))
def test_sizes_are_what_counting_the_closure_gives(triples, profile):
    kb = Reasoner(profile=profile)
    kb.add_rules(RULE)
    kb.add([triple for triple in triples if not (triple[1] == SAME_AS and triple[2].startswith('"'))])
    kb.materialise()
    whole, inferred = list(kb.triples()), set(kb.triples(inferred_only=True))
    asserted = [triple for triple in whole if triple not in inferred]

    for sizes, pick in (
        (property_sizes(kb.store), lambda triple: [triple[1]]),
        (class_sizes(kb.store), lambda triple: [triple[2]] if triple[1] == RDF_TYPE and triple[2][0] != '"' else []),
    ):
        told = {size.name: (size.facts, size.asserted) for size in sizes}
        all_, stated = (Counter(name for triple in part for name in pick(triple)) for part in (whole, asserted))
        assert told == {name: (number, stated[name]) for name, number in all_.items()}
