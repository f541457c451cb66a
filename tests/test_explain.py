"""Proofs hold up: leaves are explicit, and every step is an instance of the rule that it names."""

from itertools import product

from hypothesis import given, settings

from loaders.load import parse_text
from reasoner import Proof, Reasoner
from reasoner.rules.rule import Rule
from reasoner.rules.term import SAME_AS, Variable
from tests.strategies import RANDOM, programs

PREFIXES = "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "


def is_instance(rule: Rule, proof: Proof) -> bool:
    """Tell whether some order of the premises, with repetition, makes the step an instance of the rule."""
    facts = [premise.triple for premise in proof.premises]
    for order in product(facts, repeat=len(rule.body)):
        if set(order) != set(facts):
            continue
        binding: dict[str, str] = {}
        pairs = [(rule.head, proof.triple), *zip(rule.body, order, strict=True)]
        if all(
            binding.setdefault(term.name, value) == value if isinstance(term, Variable) else term == value
            for atom, fact in pairs
            for term, value in zip(atom, fact, strict=True)
        ):
            return True
    return False


def assert_sound(proof: Proof, kb: Reasoner, rules, explicit: set) -> None:
    if proof.rule is None:
        assert proof.triple in explicit
        return
    assert any(rule.name == proof.rule and is_instance(rule, proof) for rule in rules), str(proof)
    for premise in proof.premises:
        assert_sound(premise, kb, rules, explicit)


@settings(RANDOM, max_examples=120)
@given(programs(equality=False, negation=False, constraints=False, variable_predicates=False))
def test_every_inferred_fact_has_a_proof_whose_steps_replay(program):
    kb = Reasoner(profile="none", equality="none")
    kb.add_rules(program.rules)
    kb.add(program.facts)
    for triple in list(kb.triples(inferred_only=True))[:20]:
        proof = kb.explain(triple)
        assert proof is not None and proof.triple == triple
        assert_sound(proof, kb, program.rules, set(program.facts))


@settings(RANDOM, max_examples=150)
@given(programs(negation=False, constraints=False))
def test_under_equality_every_fact_has_a_proof_of_what_was_asked(program):
    kb = Reasoner(profile="none")
    kb.add_rules(program.rules)
    kb.add(program.facts)
    for triple in list(kb.triples(inferred_only=True))[:20]:
        proof = kb.explain(triple)
        assert proof is not None and proof.triple == triple
        explicit = set(program.facts)
        assert all(leaf in explicit for leaf in proof.leaves)


def test_a_chain_of_stated_equalities_is_spelt_out():
    kb = Reasoner(profile="none")
    kb.add(parse_text(PREFIXES + ":a owl:sameAs :b . :c owl:sameAs :b . :c :p :d .", "turtle"))

    proof = kb.explain(("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/d>"))

    assert set(proof.leaves) == set(parse_text(PREFIXES + ":a owl:sameAs :b . :c owl:sameAs :b . :c :p :d .", "turtle"))


def test_an_equality_that_a_rule_derived_names_the_rule_and_its_facts():
    kb = Reasoner(profile="owl2rl")
    kb.add(parse_text(PREFIXES + ":ssn a owl:InverseFunctionalProperty . :a :ssn 7 . :b :ssn 7 .", "turtle"))

    proof = kb.explain(("<http://e.org/b>", SAME_AS, "<http://e.org/a>"))

    assert "prp-ifp" in str(proof)
    assert len(proof.leaves) == 3


def test_what_does_not_hold_has_no_proof():
    kb = Reasoner(profile="none")
    kb.add(parse_text(PREFIXES + ":a :p :b .", "turtle"))

    assert kb.explain(("<http://e.org/b>", "<http://e.org/p>", "<http://e.org/a>")) is None
    assert kb.explain(("<http://e.org/x>", "<http://e.org/p>", "<http://e.org/a>")) is None
