"""What each statement means for triples and rules, nothing being inferred."""

from __future__ import annotations

import pytest

from ontologies.axioms import Triple
from ontologies.evolution.blank_parts import isomorphic_graphs
from ontologies.evolution.compile_step import compile_step, evolved
from ontologies.evolution.parse_script import parse_script
from ontologies.evolution.working import TripleSet
from reasoner.rules.errors import ParseError, ReasonerError
from reasoner.rules.parser import parse_rules
from tests.evolution.ontology_strategies import PREFIX, functional, iri, turtle

SOME = ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ."


def after(before: list[Triple] | tuple[Triple, ...], text: str) -> tuple[Triple, ...]:
    return evolved(before, parse_script(PREFIX + text))


def same(first: object, second: object) -> bool:
    return isomorphic_graphs(first, second)  # type: ignore[arg-type]


def error(before: list[Triple], text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        after(before, text)
    return caught.value


def test_an_axiom_goes_with_its_expression_and_every_copy_of_it():
    before = [*turtle(SOME, "x"), *turtle(SOME, "y"), *turtle(":A rdfs:subClassOf :C .")]

    left = after(before, "remove SubClassOf(:A ObjectSomeValuesFrom(:p :B))")

    assert left == tuple(turtle(":A rdfs:subClassOf :C ."))


def test_a_restriction_that_says_more_is_another_one():
    before = turtle(SOME.replace(":B ]", ":B ; :note 7 ]"))

    assert "there is no such axiom" in str(error(before, "remove SubClassOf(:A ObjectSomeValuesFrom(:p :B))"))


def test_what_another_axiom_uses_of_an_expression_stays():
    shared = "_:e a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B . "
    before = turtle(f"{shared} :A rdfs:subClassOf _:e . :C rdfs:subClassOf _:e .")

    left = after(before, "remove SubClassOf(:A ObjectSomeValuesFrom(:p :B))")

    assert same(left, turtle(f"{shared} :C rdfs:subClassOf _:e ."))


def test_an_axiom_goes_with_the_remarks_about_it():
    before = functional(
        ['SubClassOf(Annotation(rdfs:comment "why") :A ObjectSomeValuesFrom(:p :B))', "SubClassOf(:A :C)"]
    )

    left = after(before, "remove SubClassOf(:A ObjectSomeValuesFrom(:p :B))")

    assert same(left, functional(["SubClassOf(:A :C)"]))


def test_types_that_tools_write_beside_do_not_hide_an_axiom():
    before = turtle(SOME.replace("a owl:Restriction", "a owl:Restriction , owl:Class"))

    assert after(before, "remove SubClassOf(:A ObjectSomeValuesFrom(:p :B))") == ()


def test_a_symmetric_axiom_is_found_the_other_way_round():
    assert after(turtle(":A owl:disjointWith :B ."), "remove DisjointClasses(:B :A)") == ()


def test_an_axiom_that_is_there_is_not_added_again_and_triples_are():
    before = turtle(SOME)
    step = parse_script(PREFIX + "add SubClassOf(:A ObjectSomeValuesFrom(:p :B))").steps[0]

    change = compile_step(step, TripleSet(before))

    assert not change
    assert "there already" in change.notes[0]
    assert len(after(before, "add { " + SOME + " }")) == 2 * len(before)


def test_a_remark_about_an_axiom_that_is_there_comes_alone():
    before = functional(["SubClassOf(:A ObjectSomeValuesFrom(:p :B))"])

    grown = after(before, 'add SubClassOf(Annotation(rdfs:comment "why") :A ObjectSomeValuesFrom(:p :B))')

    assert same(grown, functional(['SubClassOf(Annotation(rdfs:comment "why") :A ObjectSomeValuesFrom(:p :B))']))


def test_triples_with_blank_nodes_go_once_for_each_written():
    before = [*turtle(SOME, "x"), *turtle(SOME, "y")]

    assert same(after(before, "remove { " + SOME + " }"), turtle(SOME))
    assert after(before, "remove { " + SOME + SOME + " }") == ()


def test_blank_nodes_that_fit_in_several_ways_are_refused():
    before = turtle('[] :name "x" ; :age 1 . [] :name "x" ; :age 2 .')

    assert "fit in 2 ways" in str(error(before, 'remove { [] :name "x" . }'))
    assert len(after(before, 'remove { [] :name "x" ; :age 1 . }')) == 2


def test_removing_what_is_not_there_is_an_error_with_its_place():
    caught = error(turtle(":A rdfs:subClassOf :B ."), "\n  remove { :A rdfs:subClassOf :C . }")

    assert (caught.line, caught.column) == (3, 3)
    assert "no such explicit triple" in str(caught)


def test_a_rename_reaches_axioms_data_predicates_and_rules():
    facts = TripleSet(
        turtle(":p rdfs:domain :A . :x :p :y . :x a :A ."), parse_rules(f"?x a {iri('B')} :- ?x {iri('p')} ?y .")
    )
    change = compile_step(parse_script(PREFIX + "rename :p to :q").steps[0], facts)

    assert set(change.added) == set(turtle(":q rdfs:domain :A . :x :q :y ."))
    assert set(change.removed) == set(turtle(":p rdfs:domain :A . :x :p :y ."))
    assert change.rules_added[0].body[0].predicate == iri("q")
    assert len(change.rules_removed) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rename :Profesor to :B", "did you mean <http://e.org/Professor>?"),
        ("rename :Professor to :Person", "merge <http://e.org/Professor>, <http://e.org/Person> into"),
        ("rename :Professor to :Professor", "both names are the same"),
        ("rename owl:Class to :Class", "cannot be changed"),
        ("merge :Professor, :Persn into :Person", "did you mean <http://e.org/Person>?"),
        ("merge :Professor, :knows into :Thing", "a class and a property"),
        ("merge :Cat, :Cat into :Cat", "but itself"),
        ("merge :Cat, :Dog into :Pet", "remove this first"),
        ("merge :Fish, :Bird into :Pet", "remove this first"),
        ("move :Professor under :knows", "is a class and"),
        ("move :Person under :Professor", "is under <http://e.org/Person> itself"),
        ("move :Professor under :Person from :Cat", "not directly under"),
        ("move :Nobody under :Person", "nothing in the store is called"),
        ("deprecate :Cat replaced by :knows", "another one"),
        ("split :knows into :likes where :Cat", "patterns over ?x and ?y"),
        ("split :Cat into :knows otherwise", "and <http://e.org/knows> is none"),
        ("split owl:Thing into :A otherwise", "cannot be split"),
        ("split :Person into :A where { ?z :knows ?y }", "have to mention ?x"),
        ("remove rule [x]", "no rule of that name"),
        ("remove rule ?x a :A :- ?x a :B .", "no such rule"),
    ],
)
def test_what_cannot_be_is_an_error_that_says_what_to_do(text, words):
    before = turtle(
        ":Professor rdfs:subClassOf :Person . :Person a owl:Class . :knows a owl:ObjectProperty . "
        "owl:Thing a owl:Class . "
        ":Cat owl:disjointWith :Dog . :Cat rdfs:subClassOf :Pet . :Dog rdfs:subClassOf :Pet . "
        "[] a owl:AllDisjointClasses ; owl:members ( :Fish :Bird :Frog ) ."
    )

    assert words in str(error(before, text))


def test_a_merge_leaves_nothing_that_is_a_kind_of_itself():
    before = turtle(":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :x a :A . :y a :B . :A owl:equivalentClass :B .")

    assert set(after(before, "merge :A, :B into :N")) == set(turtle(":N rdfs:subClassOf :C . :x a :N . :y a :N ."))


def test_one_may_merge_into_one_of_them():
    assert set(after(turtle(":x :p :y . :x :q :z ."), "merge :p, :q into :p")) == set(turtle(":x :p :y . :x :p :z ."))


def test_a_move_leaves_restrictions_and_other_parents_as_asked():
    before = [*turtle(":A rdfs:subClassOf :B , :C . :D a owl:Class ."), *turtle(SOME)]

    assert same(
        after(before, "move :A under :D from :B"),
        [*turtle(":A rdfs:subClassOf :D , :C . :D a owl:Class ."), *turtle(SOME)],
    )
    assert same(after(before, "move :A under :D"), [*turtle(":A rdfs:subClassOf :D . :D a owl:Class ."), *turtle(SOME)])


def test_a_property_moves_among_properties():
    before = turtle(":p rdfs:subPropertyOf :q . :r a owl:ObjectProperty .")

    assert set(after(before, "move :p under :r")) == set(turtle(":p rdfs:subPropertyOf :r . :r a owl:ObjectProperty ."))


def test_what_is_deprecated_stays_known_as_its_replacement():
    before = turtle(":Old a owl:Class . :New a owl:Class . :x a :Old .")
    expected = turtle(
        ':Old owl:deprecated true ; rdfs:comment "why" ; <http://purl.org/dc/terms/isReplacedBy> :New ; '
        "rdfs:subClassOf :New ."
    )

    assert set(after(before, 'deprecate :Old replaced by :New "why"')) == {*before, *expected}


def test_a_split_by_expressions_defines_the_parts():
    left = after(turtle(":A a owl:Class . :x a :A ."), "split :A into :B where ObjectSomeValuesFrom(:p :C)")
    expected = functional(["EquivalentClasses(:B ObjectIntersectionOf(:A ObjectSomeValuesFrom(:p :C)))"])[1:]

    assert same(left, [*turtle(":A a owl:Class . :B a owl:Class ; rdfs:subClassOf :A . :x a :A ."), *expected])


def test_a_split_by_patterns_needs_a_store_to_ask():
    with pytest.raises(ReasonerError, match="apply the script to a store"):
        after(turtle(":A a owl:Class . :x a :A ."), "split :A into :B where { ?x :p ?y }")


def test_later_statements_of_a_step_see_what_earlier_ones_did():
    assert after([], "add SubClassOf(:A :B) rename :A to :C remove SubClassOf(:C :B)") == ()
