"""Scripts at work on a store: the result is that of starting over, rehearsals change nothing, undoing restores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ontologies.axioms import Triple
from ontologies.evolution.blank_parts import isomorphic_graphs
from ontologies.evolution.diff import diff_triples
from reasoner import Reasoner
from reasoner.evolution.journal import Journal
from reasoner.evolution.report import InconsistentEvolutionError
from reasoner.reasoner import STRATEGIES
from reasoner.rules.errors import ReasonerError
from reasoner.terms.term import RDF_TYPE
from tests.engines import Make
from tests.evolution.ontology_strategies import PREFIX, iri, ontologies, turtle
from tests.evolution.script_strategies import resolved, steps
from tests.strategies import RANDOM

PROFILES = ("dlp", "owl2rl", "rdfs", "lower")


def store(
    triples: tuple[Triple, ...] | list[Triple], profile: str = "dlp", make: Make = Reasoner, **options: Any
) -> Reasoner:
    kb = make(profile, **options)
    kb.add(triples)
    kb.materialise()
    return kb


def closure(kb: Reasoner) -> tuple[object, ...]:
    """Return what a store holds, whatever representatives it chose."""
    least = {term: min(members) for members in kb.classes() for term in members}
    violations = {
        (found.rule, frozenset(tuple(least.get(term, term) for term in triple) for triple in found.triples))
        for found in kb.violations()
    }
    return set(kb.triples()), {frozenset(members) for members in kb.classes()}, violations


def bits(kb: Reasoner) -> tuple[object, ...]:
    """Return the state of a store to the bit, ids of terms that it no longer mentions apart."""
    explicit = set(kb.store.texts(kb.store.state.explicit))
    # A rule of two axioms is named after the one that is read first.
    rules = {(rule.head, rule.body, rule.negative, rule.conditions, frozenset(rule.sources)) for rule in kb.rules()}
    return explicit, set(kb.normal_triples()), kb.classes(), set(kb.own_rules()), rules


def text_of(statements: list[str], kb: Reasoner) -> str:
    explicit = kb.store.texts(kb.store.state.explicit)
    return PREFIX + "\n".join(resolved(statement, explicit) for statement in statements)


@settings(RANDOM, max_examples=40)
@given(ontologies(most=8), steps(), st.sampled_from(PROFILES))
def test_evolving_is_starting_over_with_what_the_script_leaves(triples, drawn, profile):
    assert_evolving_is_starting_over(triples, drawn, profile)


def assert_evolving_is_starting_over(triples, drawn, profile, make: Make = Reasoner) -> None:
    kb = store(triples, profile, make)
    for number, statements in enumerate(drawn):
        text = text_of(statements, kb)
        before, state, terms = bits(kb), kb.store.state, len(kb.store.dictionary)
        try:
            rehearsed = kb.evolve(text, dry_run=True)
            assert kb.store.state is state and len(kb.store.dictionary) == terms and bits(kb) == before
            applied = kb.evolve(text, allow_inconsistent=bool(number % 2))
        except InconsistentEvolutionError as refused:
            assert refused.evolution.steps[0].violations_appeared
            assert bits(kb) == before
            continue
        except ReasonerError:
            assert bits(kb) == before
            continue

        assert [step.facts for step in rehearsed.steps] == [step.facts for step in applied.steps]
        for step in applied.steps:
            assert step.after.asserted - step.before.asserted == sum(
                fact.asserted_added - fact.asserted_removed for fact in step.facts
            )
        anew = store(kb.store.texts(kb.store.state.explicit), profile, make)
        anew.add_rules(kb.own_rules())
        assert closure(kb) == closure(anew)


@settings(RANDOM, max_examples=35)
@given(ontologies(most=8), steps(), st.sampled_from(PROFILES))
def test_undoing_all_steps_restores_the_store_to_the_bit(triples, drawn, profile):
    assert_undoing_restores(triples, drawn, profile)


def assert_undoing_restores(triples, drawn, profile, make: Make = Reasoner) -> None:
    kb = store(triples, profile, make)
    passed = [bits(kb)]
    for statements in drawn:
        before = len(kb.evolutions())
        try:
            kb.evolve(text_of(statements, kb), allow_inconsistent=True)
        except ReasonerError:
            continue
        if len(kb.evolutions()) > before:
            passed.append(bits(kb))

    for expected in reversed(passed[:-1]):
        kb.undo_evolution(allow_inconsistent=True)
        assert bits(kb) == expected
    assert kb.evolutions() == []


@settings(RANDOM, max_examples=30)
@given(ontologies(most=8), st.sampled_from(["A", "B", "p", "q", "a", "b"]), st.sampled_from(PROFILES))
def test_renaming_and_reasoning_may_change_places(triples, name, profile):
    kb = store(triples, profile)

    def renamed(given: Iterable[Triple]) -> set[Triple]:
        return {tuple(iri("New") if term == iri(name) else term for term in triple) for triple in given}

    assume(any(iri(name) in triple for triple in triples))
    expected = renamed(kb.triples()), renamed(triples)

    kb.evolve(PREFIX + f"rename :{name} to :New", allow_inconsistent=True)

    assert (set(kb.triples()), set(kb.store.texts(kb.store.state.explicit))) == expected


@settings(RANDOM, max_examples=30)
@given(ontologies(most=6), ontologies(most=6), st.booleans(), st.sampled_from(PROFILES))
def test_evolving_by_a_difference_gives_the_store_of_the_new_version(old, new, renames, profile):
    kb = store(old, profile)

    kb.evolve(diff_triples(old, new, detect_renames=renames), allow_inconsistent=True)

    explicit = kb.store.texts(kb.store.state.explicit)
    assert isomorphic_graphs(explicit, new)
    assert closure(kb) == closure(store(explicit, profile))


ZOO = ":Cat rdfs:subClassOf :Animal . :tom a :Cat . :rex a :Dog . :Animal a owl:Class . :Dog owl:disjointWith :Cat ."


def test_a_report_tells_what_came_and_went():
    kb = store(turtle(ZOO))

    (step,) = kb.evolve(PREFIX + "add SubClassOf(:Dog :Animal) remove DisjointClasses(:Dog :Cat)").steps

    assert (step.axioms_gained, len(step.axioms_lost)) == (("SubClassOf(:Dog :Animal)",), 1)
    assert step.rules_gained == ("[SubClassOf] ?x a :Animal :- ?x a :Dog .",)
    assert len(step.rules_lost) == 1
    assert {fact.name for fact in step.affected} == {
        *(iri("Animal"), "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"),
        "<http://www.w3.org/2002/07/owl#disjointWith>",
    }
    (fact,) = [fact for fact in step.facts if fact.name == iri("Animal")]
    assert (fact.is_class, fact.inferred_added, fact.size) == (True, 1, 1)
    assert (step.before.inferred, step.after.inferred) == (1, 2)


def test_facts_that_only_become_inferred_are_counted_on_both_sides():
    kb = store(turtle(ZOO))

    (step,) = kb.evolve(PREFIX + "split :Cat into :Tomcat otherwise").steps
    facts = {fact.name: fact for fact in step.facts}

    assert (facts[iri("Cat")].asserted_removed, facts[iri("Cat")].inferred_added) == (1, 1)
    assert step.after.inferred == step.before.inferred + sum(
        fact.inferred_added - fact.inferred_removed for fact in step.facts
    )


def test_a_script_may_be_a_file(tmp_path: Path):
    path = tmp_path / "two words.evolve"
    path.write_text(PREFIX + "rename :tom to :tim")
    kb = store(turtle(ZOO))

    assert kb.evolve(str(path)).script == str(path)
    assert kb.evolutions()[0].script == str(path)


def test_equal_terms_that_are_merged_and_split_are_told():
    kb = store(turtle(":a :id :k . :b :id :k . :id a owl:ObjectProperty ."))

    (merged,) = kb.evolve(PREFIX + "add InverseFunctionalObjectProperty(:id)").steps
    (split,) = kb.evolve(PREFIX + "remove InverseFunctionalObjectProperty(:id)").steps

    assert merged.classes_merged == ((((iri("a"),), (iri("b"),)), ((iri("a"), iri("b")),)),)
    assert len(split.classes_split) == 1


def test_a_script_that_would_make_the_store_inconsistent_is_refused_unless_allowed():
    kb = store(turtle(ZOO))
    text = PREFIX + 'step "fine" add SubClassOf(:Dog :Animal) step "bad" add ClassAssertion(:Dog :tom)'
    before = bits(kb)

    with pytest.raises(InconsistentEvolutionError, match="the step 'bad' would make the store inconsistent"):
        kb.evolve(text)
    assert bits(kb) == before
    assert not kb.evolve(text, dry_run=True).is_consistent
    assert kb.evolve(text, allow_inconsistent=True).applied
    assert len(kb.violations()) == 1


def test_one_step_can_be_taken_alone_and_an_unknown_one_is_an_error():
    kb = store(turtle(ZOO))
    text = PREFIX + 'step "one" rename :tom to :tim step "two" rename :rex to :max'

    assert [step.name for step in kb.evolve(text, steps=["two"]).steps] == ["two"]
    with pytest.raises(ReasonerError, match="did you mean 'one'"):
        kb.evolve(text, steps=["ones"])
    assert kb.select(f"?x a {iri('Dog')}") == [{"x": iri("max")}]


def test_a_split_by_patterns_asks_what_holds_and_moves_what_is_explicit():
    kb = store(
        turtle(ZOO + ":tom :owner :ann . :sue a :Animal ; :owner :ann . :bob a :Animal . :owner a owl:ObjectProperty .")
    )

    kb.evolve(PREFIX + "split :Animal into :Pet where { ?x :owner ?y }, :Wild otherwise")

    assert kb.select(f"?x a {iri('Pet')}") == [{"x": iri("sue")}]
    assert kb.select(f"?x a {iri('Wild')}") == [{"x": iri("bob")}]
    assert len(kb.select(f"?x a {iri('Animal')}")) == 3


def test_a_split_by_an_expression_sorts_later_data_too():
    kb = store(turtle(ZOO + ":owner a owl:ObjectProperty . :tom :owner :ann . :ann a :Person ."))

    kb.evolve(PREFIX + "split :Animal into :Pet where ObjectSomeValuesFrom(:owner :Person)")
    with kb.transaction() as change:
        change.add(turtle(":flip a :Animal ; :owner :ann ."))

    assert kb.select(f"?x a {iri('Pet')}") == [{"x": iri("tom")}, {"x": iri("flip")}]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_gives_the_same(strategy: str):
    kb = store(turtle(ZOO + ":a :id :k . :b :id :k ."), maintenance="counting" if strategy == "counting" else None)
    text = PREFIX + "add InverseFunctionalObjectProperty(:id) SubClassOf(:Dog :Animal) rename :Cat to :Feline"

    kb.evolve(text, strategy=strategy)
    assert closure(kb) == closure(store(kb.store.texts(kb.store.state.explicit)))
    kb.undo_evolution(strategy=strategy)

    assert closure(kb) == closure(store(turtle(ZOO + ":a :id :k . :b :id :k .")))


def test_own_rules_come_go_and_come_back():
    kb = store(turtle(ZOO))

    kb.evolve(PREFIX + "add rule [pet] ?x a :Pet :- ?x a :Cat .")
    assert kb.select(f"?x a {iri('Pet')}") == [{"x": iri("tom")}]
    kb.evolve(PREFIX + "remove rule [pet]")
    assert kb.own_rules() == ()
    kb.undo_evolution()
    assert kb.select(f"?x a {iri('Pet')}") == [{"x": iri("tom")}]


def test_renamed_facts_stay_in_their_graphs_and_come_back_to_them():
    kb = Reasoner("dlp")
    kb.add(turtle(":tom a :Cat ."), graph=iri("g"))
    kb.add(turtle(":tom a :Cat . :rex a :Dog ."))
    before = bits(kb), kb.graphs(), set(kb.triples(graph=iri("g")))

    kb.evolve(PREFIX + "rename :Cat to :Feline")
    assert set(kb.triples(graph=iri("g"))) == set(turtle(":tom a :Feline ."))
    kb.undo_evolution()

    assert (bits(kb), kb.graphs(), set(kb.triples(graph=iri("g")))) == before


def test_undoing_what_was_changed_since_is_refused():
    kb = store(turtle(ZOO))
    with pytest.raises(ReasonerError, match="no step to take back"):
        kb.undo_evolution()
    kb.evolve(PREFIX + "rename :tom to :tim")
    kb.remove(turtle(":tim a :Cat ."))

    with pytest.raises(ReasonerError, match="undo what was done since"):
        kb.undo_evolution()


def test_a_store_on_disk_keeps_its_journal(tmp_path: Path):
    folder = tmp_path / "store"
    with Reasoner.open(folder, create=True, profile="dlp") as kb:
        kb.add(turtle(ZOO))
        kb.materialise()
        before = bits(kb)
        kb.evolve(
            PREFIX + 'rename :Cat to :Feline add { :tom :knows [ :name "x" ] . } add rule [r] ?x a :R :- ?x a :Feline .'
        )
    with Reasoner.open(folder) as kb:
        assert [entry.name for entry in kb.evolutions()] == ["main"]
        assert kb.select(f"?x a {iri('R')}") == [{"x": iri("tom")}]
        kb.undo_evolution()
        assert bits(kb) == before
    with Reasoner.open(folder) as kb:
        assert bits(kb) == before and kb.evolutions() == []


def test_a_rehearsal_on_disk_writes_nothing(tmp_path: Path):
    with Reasoner.open(tmp_path / "store", create=True, profile="dlp") as kb:
        kb.add(turtle(ZOO))
        kb.materialise()
        version, files = kb.version, sorted(path for path in tmp_path.rglob("*") if path.is_file())
        kb.evolve(PREFIX + "rename :Cat to :Feline", dry_run=True)

        assert kb.version == version
        assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == files


@pytest.mark.parametrize("took_effect", [True, False])
def test_a_step_whose_process_ended_is_judged_by_the_store(tmp_path: Path, took_effect: bool):
    path = tmp_path / "journal.jsonl"
    kb = store(turtle(ZOO))
    kb.keep_evolutions_in(path)
    kb.evolve(PREFIX + "rename :rex to :max")
    kb.evolve(PREFIX + "rename :tom to :tim")
    lines = path.read_text().splitlines(keepends=True)
    if not took_effect:
        kb.undo_evolution()
    # The outcome of the last step is missing, or was cut off in the middle.
    path.write_text("".join(lines[:-1]) + lines[-1][:5])
    kb.keep_evolutions_in(Journal(path))

    assert len(kb.evolutions()) == (2 if took_effect else 1)
    kb.evolve(PREFIX + "rename :Dog to :Hound")
    assert len(kb.evolutions()) == (3 if took_effect else 2)
    for _ in kb.evolutions():
        kb.undo_evolution()
    assert set(kb.store.texts(kb.store.state.explicit)) == set(turtle(ZOO))


def test_a_step_that_fails_is_not_in_the_journal(monkeypatch: pytest.MonkeyPatch):
    kb = store(turtle(ZOO))
    before = bits(kb)

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(kb.persistence, "keep", fail)
    with pytest.raises(OSError, match="no space left"):
        kb.evolve(PREFIX + "rename :tom to :tim")
    monkeypatch.undo()

    assert kb.evolutions() == []
    assert bits(kb) == before


def test_a_damaged_journal_is_named(tmp_path: Path):
    path = tmp_path / "journal.jsonl"
    path.write_text("nonsense\n")
    kb = store(turtle(ZOO))
    kb.keep_evolutions_in(path)

    with pytest.raises(ReasonerError, match=r"journal.jsonl:1: this is no line of a journal"):
        kb.evolutions()


SHARED = [
    ("<http://e.org/D>", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", "_:r"),
    ("<http://e.org/C>", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", "_:r"),
    ("_:r", RDF_TYPE, "<http://www.w3.org/2002/07/owl#Restriction>"),
    ("_:r", "<http://www.w3.org/2002/07/owl#onProperty>", "<http://e.org/q>"),
    ("_:r", "<http://www.w3.org/2002/07/owl#someValuesFrom>", "<http://e.org/A>"),
]
SHARED_STEP = "prefix : <http://e.org/> remove SubClassOf(:D ObjectSomeValuesFrom(:q :A))"


def _read_again(kb: Reasoner, without: int = 0) -> Reasoner:
    """Return a store with other labels for blank nodes, perhaps without some of the facts, and the same journal."""
    facts = [tuple(term.replace("_:r", "_:other") for term in fact) for fact in SHARED[1 : len(SHARED) - without]]
    other = store(facts, "none")
    other.keep_evolutions_in(kb.evolution_journal())
    return other


def test_an_axiom_comes_back_to_the_expression_that_stayed():
    """Another axiom kept the expression in the store, where its node has another label now."""
    kb = store(SHARED, "none")
    kb.keep_evolutions_in(Journal())
    kb.evolve(SHARED_STEP)
    other = _read_again(kb)

    other.undo_evolution()

    assert isomorphic_graphs(other.store.texts(other.store.state.explicit), SHARED)


def test_an_axiom_does_not_come_back_where_its_expression_cannot_be_found():
    kb = store(SHARED, "none")
    kb.keep_evolutions_in(Journal())
    kb.evolve(SHARED_STEP)

    with pytest.raises(ReasonerError, match="cannot be taken back"):
        _read_again(kb, without=1).undo_evolution()


@settings(RANDOM, max_examples=25)
@given(ontologies(most=6), steps(), st.randoms())
def test_a_step_is_taken_back_where_blank_nodes_have_other_labels(triples, drawn, random):
    kb = store(triples, "none")
    kb.keep_evolutions_in(Journal())
    for statements in drawn:
        before, count = kb.store.texts(kb.store.state.explicit), len(kb.evolutions())
        try:
            kb.evolve(text_of(statements, kb))
        except ReasonerError:
            continue
        if len(kb.evolutions()) == count:
            continue
        after = kb.store.texts(kb.store.state.explicit)
        nodes = sorted({term for triple in after for term in triple if term.startswith("_:")})
        mixed = random.sample(range(len(nodes)), len(nodes))
        labels = {node: f"_:file{number}" for node, number in zip(nodes, mixed, strict=True)}
        other = store([(labels.get(s, s), p, labels.get(o, o)) for s, p, o in after], "none")
        other.add_rules(kb.own_rules())
        other.keep_evolutions_in(kb.evolution_journal())
        other.undo_evolution()

        assert isomorphic_graphs(other.store.texts(other.store.state.explicit), before)
        return
