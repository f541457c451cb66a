"""Many axioms in one question: ruled out together, shown one by one."""

from __future__ import annotations

import pytest

from reasoner.entailment.situation import Situations
from tests.entailment.notation import PREFIXES, knowing

PREMISES = """:p rdfs:domain :A . :q owl:inverseOf :p . :A rdfs:subClassOf :B . :r a owl:ObjectProperty .
:C1 a owl:Class . :C2 a owl:Class . :C3 a owl:Class . :C4 a owl:Class ."""
NOT_ENTAILED = [
    f":C{first} rdfs:subClassOf :C{second} ." for first in range(1, 5) for second in range(1, 5) if first != second
]
ENTAILED = [":q rdfs:range :B .", ":p rdfs:domain :B ."]


@pytest.fixture
def situations_found(monkeypatch):
    """Collect the situations that are worked out."""
    found = []
    work_out = Situations._found
    monkeypatch.setattr(Situations, "_found", lambda self, *given: found.append(given) or work_out(self, *given))
    return found


def test_axioms_that_do_not_follow_are_ruled_out_in_one_situation(situations_found):
    answer = knowing(PREMISES).entails(PREFIXES + " ".join(NOT_ENTAILED))

    assert [part.entailed for part in answer.parts] == [False] * len(NOT_ENTAILED)
    assert len(situations_found) == 1


def test_together_gives_what_one_by_one_gives():
    kb = knowing(PREMISES)
    together = kb.entails(PREFIXES + " ".join([*NOT_ENTAILED, *ENTAILED]))
    apart = [bool(kb.entails(PREFIXES + axiom)) for axiom in (*NOT_ENTAILED, *ENTAILED)]

    assert sorted(part.entailed for part in together.parts) == sorted(apart)
    assert sum(apart) == len(ENTAILED)


def test_what_one_axiom_assumes_proves_nothing_about_another():
    """Were somebody in :C, then :a would be in :D, and whoever is in :E would be in :F."""
    premises = """:C rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :a ] . :p rdfs:range :D .
    :E rdfs:subClassOf [ owl:onProperty :q ; owl:hasValue :a ] .
    [ owl:onProperty :q ; owl:someValuesFrom :D ] rdfs:subClassOf :F . :G a owl:Class ."""
    kb = knowing(premises)

    answer = kb.entails(PREFIXES + ":C rdfs:subClassOf :G . :E rdfs:subClassOf :F . :G rdfs:subClassOf :C .")

    assert [part.entailed for part in answer.parts] == [False, False, False]


def test_axioms_that_contradict_one_another_are_asked_one_by_one():
    kb = knowing(":A owl:disjointWith :B . :C rdfs:subClassOf :A, :B . :D a owl:Class . :E a owl:Class .")

    answer = kb.entails(PREFIXES + ":C rdfs:subClassOf :D . :D rdfs:subClassOf :E . :E rdfs:subClassOf :D .")

    assert [part.entailed for part in answer.parts] == [True, False, False]
