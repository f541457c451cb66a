"""Rules in the syntax of Nemo."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.nemo_rules import nemo_program
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Rule

PREFIX = "PREFIX e: <urn:e:>\n"


def rules(text: str) -> list[Rule]:
    return list(parse_rules(PREFIX + text))


def test_classes_and_properties_become_predicates_that_are_filled_from_the_file():
    program = nemo_program(rules("?x a e:B :- ?x e:p ?y, ?y a e:A ."), Path("/facts.nt"))

    assert program.load == '@import triple :- ntriples{resource="/facts.nt"} .\n'
    assert program.rules == "class2(?x) :- property0(?x, ?y), class1(?y) .\n"
    assert program.predicates == {"<urn:e:p>": "property0", "<urn:e:A>": "class1", "<urn:e:B>": "class2"}
    type_of = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert program.split.splitlines() == [
        "property0(?x, ?y) :- triple(?x, <urn:e:p>, ?y) .",
        f"class1(?x) :- triple(?x, {type_of}, <urn:e:A>) .",
        f"class2(?x) :- triple(?x, {type_of}, <urn:e:B>) .",
    ]


def test_constants_are_written_as_in_n_triples_and_negation_with_a_tilde():
    program = nemo_program(rules('?x e:p "v"@en :- ?x e:q e:c, not ?x a e:A .'), Path("/facts.nt"))

    assert program.rules == 'property2(?x, "v"@en) :- property0(?x, <urn:e:c>), ~class1(?x) .\n'


def test_a_constraint_derives_nothing_and_is_left_out():
    constraint = Rule("never", None, rules("?x e:p ?y :- ?x e:q ?y .")[0].body)

    assert nemo_program([constraint], Path("/facts.nt")).text == '@import triple :- ntriples{resource="/facts.nt"} .\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("?x e:p ?y :- ?x ?q ?y .", "stands for a property"),
        ("?x e:p ?c :- ?x a ?c .", "stands for a class"),
        ("?x e:p ?y :- ?x a e:p, ?x e:q ?y .", "both as class and as property"),
        ("?x e:p ?y :- ?x e:q ?y, ?y > 5 .", "conditions"),
    ],
)
def test_what_split_predicates_cannot_express_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        nemo_program(rules(text), Path("/facts.nt"))
