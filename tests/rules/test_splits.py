"""An atom's splits are exactly those of the facts that it can match."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Atom
from reasoner.rules.stratify import REST, TYPE_REST, Split, Vocabulary, splits_of
from reasoner.terms.term import RDF_TYPE, Variable

VOCABULARY = Vocabulary(frozenset({"<p>", "<q>"}), frozenset({"<A>", "<B>"}), {"<q>": frozenset({"<A>", '"A"'})})
PREDICATES = ["<p>", "<q>", "<unnamed>", RDF_TYPE]
OBJECTS = ["<A>", "<B>", "<Unnamed>", '"A"']
ATOMS = st.builds(
    Atom,
    st.just(Variable("s")),
    st.sampled_from([*PREDICATES, Variable("p")]),
    st.sampled_from([*OBJECTS, Variable("o")]),
)


@given(ATOMS)
def test_the_splits_of_an_atom_are_those_of_its_instances(atom):
    instances = [
        (predicate, object_)
        for predicate, object_ in itertools.product(PREDICATES, OBJECTS)
        if atom.predicate in (predicate, Variable("p")) and atom.object in (object_, Variable("o"))
    ]

    assert splits_of(atom, VOCABULARY) == {VOCABULARY.of_fact(*instance) for instance in instances}


def test_the_vocabulary_of_rules_is_what_their_atoms_name():
    rules = parse_rules("""
        ?x <p> ?y :- ?x <q> ?y, ?x a <A>, not ?x a <B>, ?x != <C> .
        ?x a ?y :- ?x ?z ?y, ?x ?z <D> .
        false :- ?x <r> ?y .
    """)

    vocabulary = Vocabulary.of_rules(rules)

    assert vocabulary == Vocabulary(frozenset({"<p>", "<q>", "<r>"}), frozenset({"<A>", "<B>", "<D>"}))
    assert len(set(vocabulary.splits)) == len(vocabulary.splits) == 8
    assert {REST, TYPE_REST} <= set(vocabulary.splits)


def test_splits_have_readable_names():
    knows, cat = "<http://e.org/a#knows>", "<http://e.org/Cat>"
    splits = [Split(knows), Split(knows, cat), Split(RDF_TYPE, cat), TYPE_REST, REST]

    names = ["knows", "knows(Cat)", "type(Cat)", "type(any other class)", "any other predicate"]
    assert [str(split) for split in splits] == names
