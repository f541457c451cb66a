"""The example of Volz et al. (2005) by script: the dynasty of the Bachs becomes symmetric, and is so no more."""

from __future__ import annotations

from datasets.bach import ANCESTOR_OF, BACH, IN_DYNASTY, bach, edge
from loaders.load import parse_text
from reasoner import Reasoner
from tests.engines import Make

PREFIX = f"prefix : <{BACH}>\n"


def family(make: Make) -> Reasoner:
    kb, dataset = make("dlp"), bach()
    kb.add(parse_text(dataset.ontology + "".join(dataset.facts()), "ntriples"))
    kb.materialise()
    return kb


def dynasty(kb: Reasoner) -> set[tuple[str, str]]:
    return {(s, o) for s, p, o in kb.triples() if p == IN_DYNASTY}


def test_adding_the_axiom_adds_the_other_direction_and_removing_it_takes_that_away(make_reasoner):
    kb = family(make_reasoner)
    before = dynasty(kb)

    (step,) = kb.evolve(PREFIX + "add SymmetricObjectProperty(:inDynasty)").steps

    assert len(before) == 24
    assert dynasty(kb) == before | {(o, s) for s, o in before}
    assert step.rules_gained == ("[SymmetricObjectProperty] ?y :inDynasty ?x :- ?x :inDynasty ?y .",)
    assert [(fact.name, fact.inferred_added) for fact in step.facts if not fact.is_class] == [(IN_DYNASTY, 24)]
    kb.evolve(PREFIX + "remove SymmetricObjectProperty(:inDynasty)")
    assert dynasty(kb) == before


def test_the_update_of_example_3_is_a_step_too(make_reasoner):
    kb = family(make_reasoner)

    kb.evolve(
        PREFIX
        + 'step "example 3" remove { :JohannSebastian :ancestorOf :WilhelmFriedemann . }'
        + " add { :JohannSebastian :ancestorOf :JohannChristian . }"
    )

    ancestors = {triple for triple in kb.triples() if triple[1] == ANCESTOR_OF}
    assert {edge("j", "jc2"), edge("j", "wf")} <= ancestors
    assert edge("ja", "wf") not in ancestors
