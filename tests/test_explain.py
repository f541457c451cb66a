"""Every fact of the closure has a proof whose steps replay, and what does not hold has none."""

from __future__ import annotations

from itertools import islice

from hypothesis import given, reject, settings

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.explanation.check import check_proof
from reasoner.explanation.explain import explanations
from reasoner.explanation.proof import Proof
from reasoner.rules.errors import UnstratifiableError
from reasoner.terms.term import SAME_AS, Variable
from tests import oracle
from tests.engines import Make
from tests.notation import Fact, fact, facts, rules
from tests.strategies import RANDOM, Program, minimised, programs

MOST_FACTS = 40
PREFIXES = "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "


def loaded(program: Program, equality: str = "rewrite", make: Make = Reasoner) -> Reasoner:
    kb = make(profile="none", equality=equality)
    kb.add_rules(program.rules)
    kb.add(program.facts)
    return kb


def several(kb: Reasoner, triple: Fact, most: int) -> list[Proof]:
    kb.materialise()
    return list(explanations(kb.store.proofs(), kb.session.program(), triple, most))


def proved(kb: Reasoner, triple: Fact, closure: set[Fact], explicit: set[Fact]) -> Proof:
    """Explain a triple and check the proof with what an oracle says holds."""
    proof = kb.explain(triple)
    assert proof is not None, triple
    assert proof.triple == triple
    assert check_proof(proof, kb.rules(), explicit.__contains__, closure.__contains__) == [], str(proof)
    return proof


def assert_explained(
    program: Program, equality: str = "rewrite", make: Make = Reasoner, most: int = MOST_FACTS
) -> None:
    """Compare with the oracle: all that it derives has a proof, and nothing else has."""
    try:
        closure = oracle.closure(program.rules, program.facts, equality != "none", limit=20_000)
    except (oracle.TooLarge, oracle.Unstratified):
        reject()
    kb = loaded(program, equality, make)
    explicit = set(program.facts)
    # Classes make closures of thousands of facts; some from all over it tell as much as all of them.
    ordered = sorted(closure)
    for triple in ordered[:: 1 + len(ordered) // most]:
        proof = proved(kb, triple, closure, explicit)
        assert (proof.rule is None) == (triple in explicit)
    terms = sorted({term for triple in closure for term in triple})
    for absent in islice(((s, p, o) for s in terms for p in terms for o in terms if (s, p, o) not in closure), most):
        assert kb.explain(absent) is None, absent


@settings(RANDOM, max_examples=60)
@given(programs(equality=False, negation=False, constraints=False, variable_predicates=True, builtins=True))
@minimised
def test_without_equality_every_inferred_fact_has_a_proof_whose_steps_replay(program):
    assert_explained(program, equality="none")


@settings(RANDOM, max_examples=120)
@given(programs(negation=False, constraints=False))
@minimised
def test_under_equality_every_inferred_fact_has_a_proof_whose_steps_replay(program):
    assert_explained(program)


@settings(RANDOM, max_examples=60)
@given(programs(negation=False, constraints=False, variable_predicates=True, builtins=True))
@minimised
def test_with_variable_predicates_and_literals_every_inferred_fact_has_a_proof_whose_steps_replay(program):
    assert_explained(program)


@settings(RANDOM, max_examples=60)
@given(programs(constraints=False, objects=True))
@minimised
def test_with_negation_every_inferred_fact_has_a_proof_whose_steps_replay(program):
    try:
        assert_explained(program)
    except UnstratifiableError:
        reject()


@settings(RANDOM, max_examples=12)
@given(programs(negation=False, constraints=False))
@minimised
def test_axiomatised_equality_is_explained_by_its_axioms(program):
    assert_explained(program, equality="axiomatise")


@settings(RANDOM, max_examples=60)
@given(programs(negation=False, constraints=False))
@minimised
def test_further_proofs_are_right_and_different_and_come_in_order_of_height(program):
    try:
        closure = oracle.closure(program.rules, program.facts, limit=20_000)
    except oracle.TooLarge:
        reject()
    kb = loaded(program)
    explicit = set(program.facts)
    ordered = sorted(closure)
    for triple in ordered[:: 1 + len(ordered) // 6]:
        proofs = several(kb, triple, most=4)
        for proof in proofs:
            assert check_proof(proof, kb.rules(), explicit.__contains__, closure.__contains__) == [], str(proof)
        assert [proof.height for proof in proofs] == sorted(proof.height for proof in proofs)
        assert len({frozenset((step.triple, step.rule, step.binding) for step in p.steps) for p in proofs}) == len(
            proofs
        )


@settings(RANDOM, max_examples=80)
@given(programs(equality=False, negation=False, constraints=False))
@minimised
def test_no_proof_is_lower_than_the_first(program):
    """The round in which naive evaluation first meets a fact is the least height that a proof can have."""
    kb = loaded(program, equality="none")
    known, height = set(program.facts), 0
    while True:
        heads = oracle.instances(program.rules, known, equality=False)
        new = {ground(rule, dict(found)) for rule, found in heads} - known
        if not new:
            break
        height += 1
        for triple in sorted(new)[:10]:
            assert kb.explain(triple).height == height
        known |= new
        if len(known) > 300:
            reject()


def ground(rule, found: dict[str, str]) -> Fact:
    s, p, o = (found[term.name] if isinstance(term, Variable) else term for term in rule.head)
    return s, p, o


def test_an_explicit_fact_is_its_own_proof(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add(facts("a p b"))

    proof = kb.explain(fact("a p b"))

    assert proof.kind == "explicit" and proof.premises == () and proof.height == proof.size == 0


def test_a_chain_of_stated_equalities_is_spelt_out(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add(facts("a same b, c same b, c p d"))

    proof = kb.explain(fact("a p d"))

    assert set(proof.leaves) == set(facts("a same b, c same b, c p d"))
    assert [step.rule for step in proof.steps if step.rule] == ["eq-sym, eq-trans", "eq-rep-s"]


def test_an_equality_that_a_rule_derived_names_the_rule_and_its_facts(make_reasoner):
    kb = make_reasoner(profile="owl2rl")
    kb.add(parse_text(PREFIXES + ":ssn a owl:InverseFunctionalProperty . :a :ssn 7 . :b :ssn 7 .", "turtle"))

    proof = kb.explain(("<http://e.org/b>", SAME_AS, "<http://e.org/a>"))

    assert proof.rule == "prp-ifp"
    assert len(proof.leaves) == 3


def test_a_class_that_facts_about_other_members_made_is_rebuilt_link_by_link(make_reasoner):
    """The facts that make e and f equal are about c and d, whose names are gone once they are equal themselves."""
    program = Program(
        tuple(rules("?y same ?z :- ?x p ?y, ?x p ?z")), tuple(facts("a same b, a p c, b p d, d p e, c p f"))
    )
    kb = loaded(program, make=make_reasoner)

    proof = kb.explain(fact("e same f"))

    assert check_proof(proof, kb.rules(), set(program.facts).__contains__) == []
    assert proof.height == 2
    assert set(proof.leaves) == set(program.facts)


def test_a_thousand_links_of_a_class_are_proved_one_by_one(make_reasoner):
    count = 1000
    kb = make_reasoner(profile="none")
    kb.add_rules(rules("?x same ?y :- ?x key ?k, ?y key ?k"))
    explicit = [fact(f"m{number} key k{number + place}") for number in range(count) for place in (0, 1)]
    kb.add(explicit)

    proof = kb.explain(fact(f"m0 same m{count - 1}"))

    assert check_proof(proof, kb.rules(), set(explicit).__contains__) == []
    assert (proof.height, len(proof.premises)) == (1, count - 1)


def test_members_of_a_large_class_that_share_a_key_are_linked_directly(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules(rules("?x same ?y :- ?x key ?k, ?y key ?k"))
    kb.add([fact(f"m{number} key k") for number in range(2000)])

    proof = kb.explain(fact("m1500 same m1600"))

    assert set(proof.leaves) == {fact("m1500 key k"), fact("m1600 key k")}


def test_a_thousand_rules_deep_is_not_too_deep(make_reasoner):
    kb = make_reasoner(profile="none", equality="none")
    kb.add_rules(rules("?y type A :- ?x p ?y, ?x type A"))
    kb.add([fact("n0 type A"), *(fact(f"n{number} p n{number + 1}") for number in range(1100))])

    proof = kb.explain(fact("n1100 type A"))

    assert proof.height == 1100
    assert len(str(proof).splitlines()) == 2201


def test_a_long_path_of_a_transitive_property_is_found_though_its_closure_is_large(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules(rules("?x p ?z :- ?x p ?y, ?y p ?z"))
    explicit = [fact(f"n{number} p n{number + 1}") for number in range(300)]
    kb.add(explicit)

    proof = kb.explain(fact("n0 p n300"))

    assert check_proof(proof, kb.rules(), set(explicit).__contains__) == []
    assert set(proof.leaves) == set(explicit)


def test_a_term_equals_itself_because_a_fact_mentions_it(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add(facts("a p b"))

    assert kb.explain(fact("b same b")).leaves == (fact("a p b"),)
    assert kb.explain(fact("b same b")).rule == "eq-ref"
    assert kb.explain(fact("c same c")) is None


def test_a_negated_atom_and_a_condition_are_told(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules(rules("?x type D :- ?x n ?v, ?v >= 18, not ?x type C"))
    kb.add(facts("a n 20"))

    proof = kb.explain(fact("a type D"))

    assert proof.absent == (fact("a type C"),)
    assert "20 >= 18    [holds]" in str(proof)
    assert "not <a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <C>    [does not hold]" in str(proof)


def test_literals_of_one_value_are_equal_by_their_value(make_reasoner):
    kb = make_reasoner(profile="owl2rl")
    key = ":ssn a owl:InverseFunctionalProperty . :a :ssn 7 . :b :ssn 07 ."
    kb.add(parse_text(PREFIXES + key, "turtle"))

    proof = kb.explain(("<http://e.org/a>", SAME_AS, "<http://e.org/b>"))

    assert check_proof(proof, kb.rules(), set(parse_text(PREFIXES + key, "turtle")).__contains__) == []
    assert {step.rule for step in proof.steps} == {None, "dt-eq", "prp-ifp"}


def test_a_fact_that_is_explicit_and_derived_has_both_proofs(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules(rules("?x q ?y :- ?x p ?y\n?x q ?y :- ?y r ?x"))
    kb.add(facts("a q b, a p b, b r a"))

    proofs = several(kb, fact("a q b"), most=9)

    assert proofs[0].rule is None
    assert {proof.rule for proof in proofs} == {None, "rule-1", "rule-2"}
    assert len(proofs) == 3


def test_what_does_not_hold_has_no_proof(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add(facts("a p b"))

    assert kb.explain(fact("b p a")) is None
    assert kb.explain(fact("x p a")) is None
    assert several(kb, fact("b p a"), most=3) == []
