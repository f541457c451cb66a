"""No answer is yes if some small interpretation speaks against it: random questions against the model theory."""

from __future__ import annotations

from random import Random

import pytest

from ontologies.axioms import Ontology
from ontologies.write_functional import write_functional
from tests.entailment.random_questions import counterexample, random_conclusion, random_premises, reasoner_of

TRIES = 300


@pytest.mark.parametrize("seed", range(12))
def test_what_is_said_to_be_entailed_holds_in_every_interpretation_of_the_premises(seed):
    random = Random(seed)
    premises = random_premises(random)
    kb = reasoner_of(premises)
    told = "; ".join(map(write_functional, premises))
    if why := kb.inconsistency(patience=1):
        assert counterexample(random, premises, None, TRIES) is None, f"{told}: {why}"
        return
    for _ in range(3):
        conclusion = random_conclusion(random)
        answer = kb.entails(Ontology((conclusion,)), patience=1)
        found = counterexample(random, premises, conclusion, TRIES)
        assert not (answer and found), f"{told} does not entail {write_functional(conclusion)}: {found}\n{answer}"


@pytest.mark.parametrize("seed", range(6))
def test_premises_entail_themselves(seed):
    premises = random_premises(Random(seed))

    assert reasoner_of(premises).entails(Ontology(premises)), "; ".join(map(write_functional, premises))
