"""Both engines give the same (pi, I), deltas and answers while facts and rules, or axioms, come and go at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, ReasonerError, UnstratifiableError
from reasoner.spark.term_files import write_terms
from reasoner.state.delta import PARTS, Delta
from tests.engines import Make
from tests.maintenance.rule_stepping import Step, changing_programs
from tests.maintenance.stepping import assert_same_state
from tests.maintenance.test_rule_changes_ontology import AXIOMS, DECLARATIONS, FACTS, of_axioms
from tests.spark.test_query import bag
from tests.sparql.strategies import iri, queries
from tests.strategies import RANDOM, Program

# Programs of the tests have short names, and queries those of a namespace.
PREDICATES = {name: iri(name) for name in "pqr"}
RESOURCES = {name: iri(name) for name in "abcde"}
# Terms whose ids have to be the same in both stores, so that states can be compared to the bit.
PROBES = [*PREDICATES.values(), *RESOURCES.values(), *(f"<{name}>" for name in "ABCDEstuv")]
EVERYTHING = "SELECT * { ?s ?p ?o }"

at_the_driver = pytest.mark.parametrize("make_reasoner", ["spark"], indirect=True)
in_files = pytest.mark.parametrize("make_reasoner", ["spark in files"], indirect=True)


def renamed(program: Program, steps: list[Step]) -> tuple[Program, list[Step]]:
    """Return a program and its changes over the names that random queries mention."""
    names = {f"<{short}>": long for short, long in (PREDICATES | RESOURCES).items()}

    def triple(old):
        return tuple(names.get(term, term) if isinstance(term, str) else term for term in old)

    def rule(old):
        head = type(old.head)(*triple(old.head)) if old.head else None
        body, negative = (tuple(type(atom)(*triple(atom)) for atom in part) for part in (old.body, old.negative))
        conditions = tuple(replace(each, arguments=triple(each.arguments)) for each in old.conditions)
        return replace(old, head=head, body=body, negative=negative, conditions=conditions)

    return Program(tuple(map(rule, program.rules)), tuple(map(triple, program.facts))), [
        Step(
            frozenset(map(triple, step.added)),
            frozenset(map(triple, step.removed)),
            tuple(map(rule, step.rules_added)),
            tuple(map(rule, step.rules_removed)),
        )
        for step in steps
    ]


def taken(kb: Reasoner, step: Step, strategy: str) -> Delta:
    """Take a step, by another strategy if the one that is asked for cannot be used for it."""
    try:
        with kb.transaction(strategy=strategy) as change:
            change.remove(sorted(step.removed))
            change.add(sorted(step.added))
            change.remove_rules(step.rules_removed)
            change.add_rules(step.rules_added)
    except UnstratifiableError:
        raise
    except ReasonerError as refusal:
        assert strategy != "auto", refusal
        return taken(kb, step, "auto")
    return change.delta


def told(delta: Delta) -> dict[str, object]:
    """Return everything that a delta says but how it came about."""
    parts = {part: Counter(delta.iterate(part)) for part in PARTS}
    classes = {"merged": sorted(delta.classes_merged), "split": sorted(delta.classes_split)}
    rules = {"gained rules": set(delta.rules_gained), "lost rules": set(delta.rules_lost)}
    violations = {
        "appeared": Counter((each.rule, each.triples) for each in delta.violations_appeared),
        "went": Counter((each.rule, each.triples) for each in delta.violations_went),
    }
    return {"counts": delta.counts, **parts, **classes, **rules, **violations}


def assert_same(expected: Reasoner, found: Reasoner, asked: list[str]) -> None:
    """Compare (pi, I) to the bit, and answers as bags."""
    assert found.store.dictionary.find(PROBES).tolist() == expected.store.dictionary.find(PROBES).tolist()
    assert_same_state(found.store.state, expected.store.state)
    assert found.violations() == expected.violations()
    for text in asked:
        assert bag(found.query(text, terms="text")) == bag(expected.query(text, terms="text")), text


def filled(make: Make, profile: str, rules, facts) -> Reasoner:
    kb = make(profile=profile)
    kb.add_rules(rules)
    kb.add(facts)
    kb.materialise()
    return kb


def with_terms_in_files(kb: Reasoner) -> Reasoner:
    """Let a reasoner of Spark read all terms that it has so far from files."""
    engine, dictionary = kb.store.spark, kb.store.dictionary
    terms = engine.session.sql(f"SELECT id, text FROM {engine.terms.view()}")
    dictionary.take_place([write_terms(engine.scratch, terms, 0, len(dictionary))])
    return kb


def assert_agree_on_rules(
    make: Make, data: st.DataObject, *, most_steps: int, asked: int, terms_in_files: bool = False
) -> None:
    """Exchange facts and rules, by one strategy on Spark and by starting over in memory."""
    program, steps = renamed(*data.draw(changing_programs(max_steps=most_steps)))
    strategy = data.draw(st.sampled_from(["bf", "dred", "fbf", "auto"]))
    texts = [data.draw(queries()) for _ in range(asked)]
    try:
        expected = filled(Reasoner, "none", program.rules, program.facts)
    except UnstratifiableError:
        reject()
    found = filled(make, "none", program.rules, program.facts)
    if terms_in_files:
        with_terms_in_files(found)
    assert_same(expected, found, texts)
    for step in steps:
        try:
            delta = taken(expected, step, "rematerialise")
        except UnstratifiableError:
            with pytest.raises(UnstratifiableError):
                taken(found, step, strategy)
            assert_same(expected, found, texts)
            break
        assert told(taken(found, step, strategy)) == told(delta)
        assert_same(expected, found, texts)


def assert_agree_on_axioms(make: Make, data: st.DataObject, profile: str, *, most_steps: int) -> None:
    """Exchange axioms of an ontology, and facts with them."""
    kept = of_axioms(DECLARATIONS)
    held = set(data.draw(st.lists(st.sampled_from(AXIOMS), min_size=3, max_size=9, unique=True)))
    facts = set(data.draw(st.lists(st.sampled_from(FACTS), min_size=6, max_size=14, unique=True)))
    start = sorted(kept | of_axioms(held) | facts)
    expected, found = (filled(one, profile, (), start) for one in (Reasoner, make))
    assert_same(expected, found, [EVERYTHING])
    for _ in range(data.draw(st.integers(1, most_steps))):
        before = of_axioms(held) | facts
        held ^= set(data.draw(st.lists(st.sampled_from(AXIOMS), min_size=1, max_size=3, unique=True)))
        facts ^= set(data.draw(st.lists(st.sampled_from(FACTS), max_size=2, unique=True)))
        after = of_axioms(held) | facts
        step = Step(frozenset(after - before - kept), frozenset(before - after - kept), (), ())
        assert told(taken(found, step, "auto")) == told(taken(expected, step, "rematerialise"))
        assert_same(expected, found, [EVERYTHING])


@at_the_driver
@settings(RANDOM, max_examples=30)
@given(data=st.data())
def test_states_deltas_and_answers_agree_while_facts_and_rules_change(make_reasoner, data):
    assert_agree_on_rules(make_reasoner, data, most_steps=3, asked=3)


@in_files
@settings(RANDOM, max_examples=2)
@given(data=st.data())
def test_states_deltas_and_answers_agree_while_facts_in_files_and_rules_change(make_reasoner, data):
    assert_agree_on_rules(make_reasoner, data, most_steps=1, asked=1, terms_in_files=True)


@at_the_driver
@settings(RANDOM, max_examples=6)
@given(data=st.data())
def test_states_deltas_and_answers_agree_while_terms_are_in_files(make_reasoner, data):
    assert_agree_on_rules(make_reasoner, data, most_steps=2, asked=1, terms_in_files=True)


@at_the_driver
@pytest.mark.parametrize("profile", ["dlp", "owl2rl", "rdfs", "lower", "upper"])
@settings(RANDOM, max_examples=3)
@given(data=st.data())
def test_states_deltas_and_answers_agree_while_axioms_change(make_reasoner, profile, data):
    assert_agree_on_axioms(make_reasoner, data, profile, most_steps=3)


@in_files
@settings(RANDOM, max_examples=1)
@given(data=st.data())
def test_states_deltas_and_answers_agree_while_axioms_change_and_facts_are_in_files(make_reasoner, data):
    assert_agree_on_axioms(make_reasoner, data, "dlp", most_steps=1)
