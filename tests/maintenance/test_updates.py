"""After every update (pi, I) is what materialising from scratch gives, and the delta says what changed."""

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from loaders.load import parse_text
from reasoner import Reasoner, ReasonerError, UnstratifiableError
from reasoner.terms.term import RDF_TYPE
from tests.strategies import RANDOM, programs, updates

PREFIXES = "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "


def materialised(rules, facts) -> Reasoner:
    kb = Reasoner(profile="none", modules=False)
    kb.add_rules(rules)
    kb.add(facts)
    kb.materialise()
    return kb


def state(kb: Reasoner) -> tuple:
    """Return (pi, I) in a form that does not depend on ids."""
    classes = {frozenset(members) for members in kb.classes()}
    return classes, set(kb.triples())


def assert_delta(delta, before: set, after: set, explicit_before: set, explicit_after: set) -> None:
    assert set(delta.asserted_added) == explicit_after - explicit_before
    assert set(delta.asserted_removed) == explicit_before - explicit_after
    gained = after - before - set(delta.asserted_added)
    lost = before - after - set(delta.asserted_removed)
    assert set(delta.inferred_added) == gained
    assert set(delta.inferred_removed) == lost


@settings(RANDOM, max_examples=350)
@given(st.data())
def test_updates_give_what_starting_over_gives(data):
    program = data.draw(programs(negation=False, constraints=False))
    kb = materialised(program.rules, program.facts)
    explicit = set(program.facts)
    for added, removed in data.draw(updates(program.facts)):
        before, explicit_before = set(kb.triples()), set(explicit)
        explicit = (explicit - set(removed)) | set(added)
        with kb.transaction() as change:
            change.remove(removed)
            change.add(added)
        fresh = materialised(program.rules, sorted(explicit))
        event(change.delta.strategy)

        assert state(kb) == state(fresh)
        assert len(list(kb.triples())) == len(set(kb.triples()))
        assert_delta(change.delta, before, set(kb.triples()), explicit_before, explicit)


@settings(RANDOM, max_examples=60)
@given(st.data())
def test_what_cannot_be_maintained_is_materialised_again(data):
    program = data.draw(programs())
    explicit = set(program.facts)
    try:
        kb = materialised(program.rules, program.facts)
        for added, removed in data.draw(updates(program.facts)):
            explicit = (explicit - set(removed)) | set(added)
            with kb.transaction() as change:
                change.remove(removed)
                change.add(added)
            assert state(kb) == state(materialised(program.rules, sorted(explicit)))
    except UnstratifiableError:
        return


@settings(RANDOM, max_examples=80)
@given(st.data())
def test_taking_out_what_was_put_in_restores_the_store(data):
    program = data.draw(programs(negation=False, constraints=False))
    kb = materialised(program.rules, program.facts)
    before = state(kb)
    ((added, _), *_) = data.draw(updates(program.facts, max_steps=1)) or [(frozenset(), frozenset())]
    new = set(added) - set(program.facts)
    with kb.transaction() as change:
        change.add(new)
    with kb.transaction() as change:
        change.remove(new)

    assert state(kb) == before


def test_the_example_of_paper_2_section_3_1(make_reasoner):
    """Deleting an equality's only cause adds facts over representatives, and deletes facts of the closure."""
    rules = """
        ?y1 owl:sameAs ?y2 :- ?y1 <http://e.org/R> ?x, ?y2 <http://e.org/R> ?x .
        ?y1 owl:sameAs ?y2 :- ?x <http://e.org/R> ?y1, ?x <http://e.org/R> ?y2 ."""
    kb = make_reasoner(profile="none")
    kb.add_rules(rules)
    kb.add(parse_text(PREFIXES + ":a :R :b . :c :R :d . :a :R :d .", "turtle"))
    assert len(kb.classes()) == 2

    delta = kb.remove(parse_text(PREFIXES + ":a :R :d .", "turtle"), strategy="bf")

    assert delta.strategy == "bf"
    assert kb.classes() == []
    assert set(kb.normal_triples()) == set(parse_text(PREFIXES + ":a :R :b . :c :R :d .", "turtle"))
    assert len(delta.inferred_removed) == 5


def test_a_change_of_the_ontology_is_maintained_like_any_other(make_reasoner):
    kb = make_reasoner(profile="owl2rl")
    kb.add(parse_text(PREFIXES + ":p a owl:SymmetricProperty . :a :p :b .", "turtle"))
    assert kb.select("?x <http://e.org/p> <http://e.org/a>")

    delta = kb.remove(parse_text(PREFIXES + ":p a owl:SymmetricProperty .", "turtle"), strategy="bf")

    assert delta.strategy == "bf"
    assert kb.select("?x <http://e.org/p> <http://e.org/a>") == []


def test_an_error_inside_a_transaction_changes_nothing(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add(parse_text(PREFIXES + ":a :p :b .", "turtle"))
    before = set(kb.triples())

    with pytest.raises(ZeroDivisionError), kb.transaction() as change:
        change.add(parse_text(PREFIXES + ":c :p :d .", "turtle"))
        raise ZeroDivisionError

    assert set(kb.triples()) == before


def test_removing_what_is_not_explicit_does_nothing(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
    kb.add(parse_text(PREFIXES + ":a :p :b .", "turtle"))

    delta = kb.remove(parse_text(PREFIXES + ":a :q :b . :x :y :z .", "turtle"))

    assert delta.asserted_removed == delta.inferred_removed == ()
    assert len(list(kb.triples())) == 2


def test_a_strategy_that_cannot_be_used_says_why(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules("?x a <http://e.org/Term> :- ?x owl:sameAs ?x .")
    kb.add(parse_text(PREFIXES + ":a :p :b .", "turtle"))

    with pytest.raises(ReasonerError, match="asks which terms occur"):
        kb.remove(parse_text(PREFIXES + ":a :p :b .", "turtle"), strategy="bf")


def test_a_large_transitive_predicate_is_closed_by_reachability_rather_than_by_joins(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules("?x <http://e.org/p> ?z :- ?x <http://e.org/p> ?y, ?y <http://e.org/p> ?z .")
    chain = [(f"<http://e.org/{n}>", "<http://e.org/p>", f"<http://e.org/{n + 1}>") for n in range(250)]
    kb.add(chain)

    delta = kb.remove([chain[100]])

    assert delta.strategy == "bf"
    assert delta.work.total < 1000
    assert len(list(kb.triples())) == 101 * 100 // 2 + 150 * 149 // 2


def test_an_explicit_fact_about_a_class_is_not_taken_for_all_that_it_stands_for(make_reasoner):
    """Found by chance once: a q b stands behind a p a only while p equals q, which has to be checked as well."""
    rules = """
        ?x <http://e.org/p> ?z :- ?x <http://e.org/p> ?y, ?y <http://e.org/p> ?z .
        ?y owl:sameAs ?z :- ?x <http://e.org/p> ?y, ?x <http://e.org/p> ?z ."""
    kb = make_reasoner(profile="none", modules=False)
    kb.add_rules(rules)
    kb.add(parse_text(PREFIXES + ":a a :A ; :p :a ; :q :b . :p owl:sameAs :q .", "turtle"))

    delta = kb.remove(parse_text(PREFIXES + ":a a :A .", "turtle"), strategy="bf")

    assert {frozenset(members) for members in kb.classes()} == {
        frozenset({"<http://e.org/a>", "<http://e.org/b>"}),
        frozenset({"<http://e.org/p>", "<http://e.org/q>"}),
    }
    assert len(delta.inferred_removed) == 1


def test_a_head_that_needs_a_proved_and_a_lost_fact_is_doubted(make_reasoner):
    """Found by chance once: a fact that is proved again must still be there for heads of what is lost."""
    rules = """
        ?x <http://e.org/p> ?y :- ?x a <http://e.org/A>, ?y a <http://e.org/A> .
        ?x a <http://e.org/A> :- ?x <http://e.org/s> ?y ."""
    kb = make_reasoner(profile="none")
    kb.add_rules(rules)
    kb.add(parse_text(PREFIXES + ":b a :A ; :s :a . :a :s :a .", "turtle"))

    kb.remove(parse_text(PREFIXES + ":b a :A . :a :s :a .", "turtle"), strategy="bf")

    assert kb.select("?x <http://e.org/p> ?y") == [{"x": "<http://e.org/b>", "y": "<http://e.org/b>"}]


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
@pytest.mark.parametrize("strategy", ["bf", "fbf", "dred"])
def test_a_fact_with_very_many_proofs_is_not_proved_in_all_ways(profile, strategy):
    """One of 2,000 degrees of a university goes; that it is one follows from any other."""
    subproperty, range_ = (f"<http://www.w3.org/2000/01/rdf-schema#{name}>" for name in ("subPropertyOf", "range"))
    kb = Reasoner(profile)
    kb.add([("<undergrad>", subproperty, "<degreeFrom>"), ("<degreeFrom>", range_, "<University>")])
    degrees = [(f"<s{number}>", "<undergrad>", "<u>") for number in range(2_000)]
    kb.add(degrees)
    kb.materialise()

    with kb.transaction(strategy=strategy) as change:
        change.remove(degrees[1_000])

    assert kb.entails(("<u>", RDF_TYPE, "<University>"))
    assert not kb.entails(("<s1000>", "<degreeFrom>", "<u>"))
    assert change.delta.work.total < 100


DECLARATIONS = ("ObjectProperty", "DatatypeProperty", "SymmetricProperty", "TransitiveProperty", "FunctionalProperty")


@pytest.mark.parametrize("declared", DECLARATIONS)
def test_what_is_declared_of_equality_that_it_says_anyway_leaves_updates_to_maintenance(make_reasoner, declared):
    """OWL 2 RL derives that owl:sameAs is a subproperty of itself: that asks nothing about the terms that occur."""
    owl = "http://www.w3.org/2002/07/owl#"
    text = f":a :p :b . :b :p :c . :a <{owl}sameAs> :d . <{owl}sameAs> a <{owl}{declared}> ."
    kb, again = make_reasoner(), make_reasoner(equality="axiomatise")
    for each in (kb, again):
        each.add(parse_text(PREFIXES + text, "turtle"))
        each.materialise()
    for strategy in ("bf", "dred"):
        for change in (":d :p :e .", f":b <{owl}sameAs> :e .", f":a <{owl}sameAs> :d ."):
            for removes in (True, False, True):
                for each, how in ((kb, strategy), (again, "rematerialise")):
                    with each.transaction(strategy=how) as transaction:
                        chosen = transaction.remove if removes else transaction.add
                        chosen(list(parse_text(PREFIXES + change, "turtle")))
                    assert transaction.delta.strategy in (how, "none")
                assert _but_reflexive(kb) == _but_reflexive(again)


def _but_reflexive(kb) -> set:
    return {(s, p, o) for s, p, o in kb.triples() if s != o or not p.endswith("sameAs>")}
