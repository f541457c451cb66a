"""The language of scripts: what is read, how it is written, and what errors say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontologies.axioms import SubClassOf
from ontologies.evolution.parse_script import parse_script
from ontologies.evolution.script import (
    AddAxioms,
    AddRules,
    AddTriples,
    Deprecate,
    Merge,
    Move,
    Remark,
    RemoveAxioms,
    RemoveRuleNamed,
    RemoveRules,
    RemoveTriples,
    Rename,
    Script,
    SplitTerm,
    print_script,
)
from reasoner.rules.errors import ParseError
from tests.evolution.ontology_strategies import FACTS, PREFIX, SHAPES, axiom_texts, iri
from tests.strategies import RANDOM

WHOLE = """
# A year of changes.
prefix : <http://e.org/>
@prefix ex: <http://example.org/ns#> .

step "new things"
  # Tutors are staff.
  add SubClassOf(:Tutor :Staff)
      SubClassOf(Annotation(rdfs:comment "a (bracket)") :Tutor ObjectSomeValuesFrom(:teaches :Course))
  add { :tutor7 a :Tutor ; ex:age 7 ; :knows [ :name "}" ] . }  # a brace in a string
  add rule [adult] ?x a :Adult :- ?x ex:age ?n, ?n >= 18 .
step "old things"
  remove DisjointClasses(:A :B :C) remove { :a :b _:x . _:x :c "d"@en . }
  remove rule [adult]
  remove rule ?x a :Child, ?x a :Minor :- ?x ex:age ?n, ?n < 18 .
step "names"
  rename :Prof to :Professor
  merge :Student, :Pupil into :Learner
  split :Staff into :Teacher where ObjectSomeValuesFrom(:teaches owl:Thing),
    :Dean where { ?x :headOf ?y, not ?x a :Tutor },
    :Other otherwise
  split :knows into :likes where :Friend
  move :Dean under :Boss from :Staff   move :Tutor under :Learner
  deprecate :Pupil replaced by :Learner "two words for one \\"thing\\""
  deprecate :Old
"""


def script(text: str) -> Script:
    return parse_script(PREFIX + text, file="change.evolve")


def test_a_script_of_everything_reads_as_its_statements():
    read = parse_script(WHOLE)
    kinds = [[type(statement) for statement in step.statements] for step in read.steps]

    assert read.step_names == ("new things", "old things", "names")
    assert kinds == [
        [Remark, Remark, AddAxioms, AddTriples, AddRules],
        [RemoveAxioms, RemoveTriples, RemoveRuleNamed, RemoveRules],
        [Rename, Merge, SplitTerm, SplitTerm, Move, Move, Deprecate, Deprecate],
    ]
    assert dict(read.prefixes) == {"": "http://e.org/", "ex": "http://example.org/ns#"}
    assert len(read.steps[0].statements[2].axioms) == 2
    assert len(read.steps[0].statements[2].annotations) == 1
    assert len(read.steps[1].statements[3].rules) == 2
    assert read.steps[2].statements[6].reason == 'two words for one "thing"'


def test_what_is_written_reads_back_as_the_same_script_and_is_written_the_same_again():
    read = parse_script(WHOLE)
    text = print_script(read)

    assert parse_script(text) == read
    assert print_script(parse_script(text)) == text


@settings(RANDOM, max_examples=60)
@given(st.lists(st.tuples(st.booleans(), axiom_texts(SHAPES + FACTS)), min_size=1, max_size=6))
def test_every_axiom_is_written_so_that_it_reads_back(axioms):
    read = script(" ".join(f"{'add' if comes else 'remove'} {text}" for comes, text in axioms))

    assert parse_script(print_script(read)) == read


def test_statements_before_any_step_are_a_step_called_main():
    assert script("rename :A to :B").step_names == ("main",)
    assert parse_script("").steps == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("renam :A to :B", 2, 1, "did you mean 'rename'?"),
        ("rename :A into :B", 2, 11, "expected 'to'"),
        ("rename x:A to :B", 2, 8, "the prefix x: is not declared"),
        ("\n  add SubClassOf(:A)", 3, 7, "too few arguments"),
        ("add\n  SubClassOf(:A :B)\n  SubClasOf(:A :B)", 4, 3, "expected an axiom, found SubClasOf"),
        ("add SubClassOf(:A :B", 2, 5, "never closed"),
        ("add {\n  :a :b .\n}", 3, 9, ""),
        ("add { :a :b :c .", 2, 5, "} is missing"),
        ("add rule ?x a :A :- ?x a :B", 2, 10, "a full stop is missing"),
        ("add rule\n ?x a :A :- ?x nonsense .", 3, 16, "expected a predicate"),
        ("add 7", 2, 5, "expected an axiom such as"),
        ("step names", 2, 6, "expected the name of the step"),
        ('step "a" step "a"', 2, 15, "there is a step 'a' already"),
        ("split :A into :B when :C", 2, 18, "expected 'where'"),
        ("split :A into :B otherwise, :C otherwise", 2, 1, "only one part"),
        ("split :A into :B otherwise, :B where :C", 2, 1, "named twice"),
        ("split :A into :B where ObjectUnionOf()", 2, 24, "too few"),
        ("split :A into :B where { ?x :p }", 2, 32, "expected a term"),
        ("move :A under", 2, 14, "but the text ends here"),
        ("deprecate :A replaced :B", 2, 23, "expected 'by'"),
        ("add Import(<http://e.org/other>)", 2, 1, "no axioms"),
    ],
)
def test_an_error_names_the_place_and_what_was_expected(text, line, column, words):
    with pytest.raises(ParseError) as caught:
        script(text)

    assert words in str(caught.value)
    assert (caught.value.file, caught.value.line, caught.value.column) == ("change.evolve", line, column)


def test_a_rule_without_safety_is_refused():
    with pytest.raises(Exception, match=r"change.evolve:2:10.*unsafe"):
        script("add rule ?x a ?y :- ?x a :A .")


def test_axioms_are_those_of_the_prefixes_in_force():
    (statement,) = script("add SubClassOf(:A :B)").steps[0].statements

    assert statement.axioms == (SubClassOf(iri("A"), iri("B")),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "add SubClassOf(:A :B)\n    SubClasOf(:C :B)",
            "3:5: expected an axiom, found SubClasOf; did you mean SubClassOf?",
        ),
        ("add SubClassOf(:A ObjectSomeValueFrom(:p :B))", "did you mean ObjectSomeValuesFrom?"),
        ("split :A into :B where ObjectSomeOf(:p :C)", "2:24"),
    ],
)
def test_a_word_that_is_like_one_of_owl_is_suggested(text: str, message: str):
    with pytest.raises(ParseError) as error:
        parse_script(PREFIX + text)

    assert message in str(error.value)
