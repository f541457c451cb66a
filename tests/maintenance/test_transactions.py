"""A transaction takes effect as a whole or not at all, whatever happens on the way."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import reasoner as package
from reasoner import Reasoner, ReasonerError
from reasoner.columnar.engine import ColumnarEngine
from tests.engines import Make
from tests.maintenance.stepping import keys
from tests.notation import fact, facts, rules
from tests.strategies import RANDOM, programs, updates

ROOT = Path(package.__file__).parent.parent
# What carries out a change. The class that users meet and the transaction decide whether there is one.
WORKING = (
    *("reasoner/columnar", "reasoner/maintenance", "reasoner/materialise", "loaders/"),
    *("reasoner/state/commit", "reasoner/state/draft"),
)
OPERATIONS = [name for name, item in vars(ColumnarEngine).items() if callable(item) and not name.startswith("_")]


def materialised(rule_list, fact_list, make: Make = Reasoner, **options) -> Reasoner:
    kb = make(profile="none", **options)
    kb.add_rules(rule_list)
    kb.add(fact_list)
    kb.materialise()
    return kb


def bits(kb: Reasoner) -> tuple:
    """Return all facts and representatives that a store holds, as ids; notes that terms occur are no facts."""
    state = kb.store.state
    return (
        keys(state.explicit),
        keys(state.facts),
        state.representatives.members.tolist(),
        state.representatives.targets.tolist(),
    )


def answers(kb: Reasoner) -> tuple:
    return set(kb.triples()), kb.classes(), kb.violations(), kb.summary()


@contextmanager
def interrupted_operation(at: int, error: type[BaseException], engine: type = ColumnarEngine):
    """Let the engine's operation with a number fail; yield a list that holds the number of operations so far."""
    calls = [0]

    def failing(operation):
        def call(*arguments, **options):
            calls[0] += 1
            if calls[0] == at:
                raise error("stopped")
            return operation(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in filter(lambda name: hasattr(engine, name), OPERATIONS):
            patch.setattr(engine, name, failing(getattr(engine, name)))
        yield calls


@contextmanager
def interrupted_line(at: int, error: type[BaseException]):
    """Let the line of code with a number fail, of all that carry out a change; yield the number of lines so far."""
    lines = [0]

    def watch(frame, kind, argument):
        name = frame.f_code.co_filename
        known = name.startswith(str(ROOT)) and name[len(str(ROOT)) + 1 :].startswith(WORKING)
        if not known or name.endswith("transaction.py"):
            return None
        if kind == "line":
            lines[0] += 1
            if lines[0] == at:
                sys.settrace(None)
                raise error("stopped")
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        yield lines
    finally:
        sys.settrace(before)


def change(kb: Reasoner, added, removed, strategy: str = "auto"):
    with kb.transaction(strategy=strategy) as transaction:
        transaction.remove(sorted(removed))
        transaction.add(sorted(added))
    return transaction.delta


def assert_survives(data, program, interrupted, make: Make = Reasoner) -> None:
    """Stop a change somewhere: nothing has changed, and the same change then does what it should."""
    kb, twin = (materialised(program.rules, program.facts, make) for _ in range(2))
    ((added, removed), *_) = data.draw(updates(program.facts, max_steps=1))
    share, error = data.draw(st.integers(0, 999)), data.draw(st.sampled_from([KeyboardInterrupt, MemoryError]))
    before, shown, terms, state = bits(kb), answers(kb), len(kb.store.dictionary), kb.session.state
    with interrupted(0, KeyboardInterrupt) as steps:
        change(twin, added, removed)
    if not steps[0]:
        event("nothing to do")
        return
    at = 1 + share * steps[0] // 1000
    try:
        with interrupted(at, error):
            change(kb, added, removed)
    except error:
        event("stopped")
    else:
        # Strategies are chosen by measured times, so that the twin may have taken more steps.
        event("had ended before")
        return
    assert kb.session.state is state
    assert bits(kb) == before
    assert len(kb.store.dictionary) == terms
    assert answers(kb) == shown

    change(kb, added, removed)
    assert bits(kb) == bits(twin)
    assert set(kb.triples()) == set(twin.triples())


@settings(RANDOM, max_examples=120)
@given(st.data())
def test_a_commit_that_is_stopped_between_operations_leaves_the_old_state(data):
    assert_survives(data, data.draw(programs(negation=False)), interrupted_operation)


@settings(RANDOM, max_examples=40)
@given(st.data())
def test_a_commit_that_starts_over_and_is_stopped_leaves_the_old_state(data):
    program = data.draw(programs(equality=False, builtins=True))
    assert_survives(data, program, interrupted_operation)


@settings(RANDOM, max_examples=60)
@given(st.data())
def test_a_commit_that_is_stopped_on_any_line_leaves_the_old_state(data):
    assert_survives(data, data.draw(programs(negation=False)), interrupted_line)


@settings(RANDOM, max_examples=150)
@given(st.data())
def test_taking_out_what_was_put_in_restores_the_store_bit_for_bit(data):
    assert_taken_out_again(data)


def assert_taken_out_again(data, make: Make = Reasoner) -> None:
    program = data.draw(programs(negation=False))
    kb = materialised(program.rules, program.facts, make)
    before, shown = bits(kb), set(kb.triples(reflexive=True))
    ((added, _), *_) = data.draw(updates(program.facts, max_steps=1))
    event(change(kb, added, ()).strategy)
    event(change(kb, (), added).strategy)

    assert bits(kb) == before
    assert set(kb.triples(reflexive=True)) == shown


@settings(RANDOM, max_examples=100)
@given(st.data())
def test_putting_back_what_was_taken_out_restores_the_store_bit_for_bit(data):
    assert_put_back(data)


def assert_put_back(data, make: Make = Reasoner) -> None:
    program = data.draw(programs(negation=False))
    kb = materialised(program.rules, program.facts, make)
    before, shown = bits(kb), set(kb.triples(reflexive=True))
    ((_, removed), *_) = data.draw(updates(program.facts, max_steps=1))
    change(kb, (), removed)
    change(kb, removed, ())

    assert bits(kb) == before
    assert set(kb.triples(reflexive=True)) == shown


def test_an_ontology_whose_change_is_stopped_is_as_it_was():
    kb = Reasoner(profile="owl2rl")
    axiom = fact("<urn:p> type <http://www.w3.org/2002/07/owl#SymmetricProperty>")
    kb.add([axiom, *facts("<urn:a> <urn:p> <urn:b>")])
    shown, before, known = answers(kb), bits(kb), kb.rules()
    with pytest.raises(KeyboardInterrupt), interrupted_operation(40, KeyboardInterrupt):
        kb.remove([axiom])
    assert bits(kb) == before
    assert answers(kb) == shown
    assert kb.rules() == known

    kb.remove([axiom])
    assert fact("<urn:b> <urn:p> <urn:a>") not in set(kb.triples())


def test_what_an_engine_remembers_about_terms_of_a_stopped_change_is_forgotten():
    """The next new term has the id that the term of the stopped change had."""
    adult = rules("?x type Adult :- ?x age ?n, ?n >= 18")
    twin = materialised(adult, facts("a age 17"))
    with interrupted_operation(0, KeyboardInterrupt) as steps:
        change(twin, facts("b age 20"), (), "bf")
    for at in range(1, steps[0] + 1):
        kb = materialised(adult, facts("a age 17"))
        with pytest.raises(KeyboardInterrupt), interrupted_operation(at, KeyboardInterrupt):
            change(kb, facts("b age 20"), (), "bf")
        change(kb, facts("b age 10"), ())
        assert set(kb.triples()) == set(facts("a age 17, b age 10"))


def test_a_change_that_cannot_be_stratified_is_refused_and_leaves_the_old_state():
    kb = materialised(rules("?x type B :- ?x type D, not ?x type A"), facts("a type D"))
    before = bits(kb)

    with pytest.raises(ReasonerError, match="cannot be stratified"):
        change(kb, facts("A same B"), ())
    assert bits(kb) == before
    assert change(kb, facts("c type D"), ()).inferred_added == (fact("c type B"),)


def test_an_error_or_a_rollback_inside_the_block_changes_nothing():
    kb = materialised([], facts("a p b"))
    before = bits(kb)
    for error in (ZeroDivisionError, KeyboardInterrupt):
        with pytest.raises(error), kb.transaction() as transaction:
            transaction.add(fact("c p d"))
            raise error
        with pytest.raises(ReasonerError, match="was rolled back"):
            _ = transaction.delta
    with kb.transaction() as transaction:
        transaction.add(fact("c p d"))
        transaction.rollback()

    assert bits(kb) == before


def test_what_is_said_later_about_a_triple_counts():
    kb = materialised([], facts("a p b"))
    with kb.transaction() as transaction:
        transaction.remove(fact("a p b"))
        transaction.add(facts("a p b, c p d, e p f"))
        transaction.remove(fact("c p d"))

    assert transaction.delta.asserted_added == (fact("e p f"),)
    assert transaction.delta.already_explicit == (fact("a p b"),)
    assert transaction.delta.not_explicit == (fact("c p d"),)
    assert set(kb.triples()) == set(facts("a p b, e p f"))


def test_one_triple_or_many_may_be_given():
    kb = materialised([], [])
    with kb.transaction() as transaction:
        transaction.add(fact("a p b"))
        transaction.add(iter(facts("c p d, e p f")))
        transaction.add([])
        transaction.remove(["<e>", "<p>", "<f>"])

    assert set(kb.triples()) == set(facts("a p b, c p d"))


def test_terms_are_brought_to_canonical_form():
    kb = materialised([], [])
    with kb.transaction() as transaction:
        transaction.add(("<a>", "<p>", '"caf\\u00E9"^^<http://www.w3.org/2001/XMLSchema#string>'))

    assert list(kb.triples()) == [("<a>", "<p>", '"café"')]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("a", "<p>", "<b>"), "a is not a term; write terms as in N-Triples"),
        (("<a>", "<p>", "<b c>"), "<b c> is not a term"),
        (("<a>", "<p>", '"x'), '"x is not a term'),
        (("<a>", "<p>", '"x"@'), '"x"@ is not a term'),
        (("<a>", "<p>", ""), "'' is not a term"),
        (("<a>", "<p>", r'"\uD800"'), "is not a Unicode character"),
        (('"a"', "<p>", "<b>"), '"a" is a literal, which cannot be a subject'),
        (("<a>", "_:p", "<b>"), "_:p is not an IRI, which a predicate has to be"),
        ([("<a>", "<p>")], "is not a triple of three texts"),
        ([("<a>", "<p>", 7)], "is not a triple of three texts"),
        ("<a> <p> <b>", "is one text, where a triple is three"),
    ],
)
def test_what_is_no_triple_is_refused_at_once_by_name(given, message):
    kb = materialised([], [])
    with kb.transaction() as transaction:
        for say in (transaction.add, transaction.remove):
            with pytest.raises(ReasonerError) as raised:
                say(given)
            assert message in str(raised.value)

    assert list(kb.triples()) == []


def test_a_transaction_is_used_once():
    kb = materialised([], [])
    transaction = kb.transaction()
    with pytest.raises(ReasonerError, match="has not been committed yet"):
        _ = transaction.delta
    transaction.add(fact("a p b"))
    assert transaction.commit() is transaction.delta
    for use in (transaction.commit, transaction.rollback, transaction.__enter__, lambda: transaction.add([])):
        with pytest.raises(ReasonerError, match="is committed already; open another"):
            use()


def test_transactions_that_overlap_are_committed_one_after_another():
    kb = materialised(rules("?x q ?y :- ?x p ?y"), facts("a p b"))
    with kb.transaction() as outer:
        outer.remove(fact("a p b"))
        outer.add(fact("c p d"))
        with kb.transaction() as inner:
            inner.remove(fact("a p b"))
            inner.add(fact("e p f"))
        assert set(kb.triples()) == set(facts("e p f, e q f"))

    assert set(inner.delta.inferred_removed) == {fact("a q b")}
    assert outer.delta.not_explicit == (fact("a p b"),)
    assert outer.delta.inferred_removed == ()
    assert set(kb.triples()) == set(facts("e p f, e q f, c p d, c q d"))


def test_threads_commit_one_after_another():
    kb = materialised(rules("?x q ?y :- ?x p ?y"), [])
    failed = []

    def work(number: int) -> None:
        try:
            for step in range(10):
                delta = change(kb, [fact(f"a{number} p b{step}")], [])
                assert delta.inferred_added == (fact(f"a{number} q b{step}"),)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert len(set(kb.triples())) == 80


def test_a_patch_of_one_store_is_applied_to_another():
    first, second = (materialised(rules("?x q ?y :- ?x p ?y"), facts("a p b, c p d")) for _ in range(2))
    delta = change(first, facts("e p f"), facts("a p b"))
    with second.transaction() as transaction:
        transaction.apply_patch(delta.to_patch())
    assert set(second.triples()) == set(first.triples())

    with second.transaction() as transaction, pytest.raises(ReasonerError, match="would become explicit"):
        transaction.apply_patch(delta.to_patch(inferred=True))
    with second.transaction() as transaction, pytest.raises(ReasonerError, match="no-such-file"):
        transaction.apply_patch("no-such-file.rdfp")


def test_a_change_that_changes_nothing_says_so():
    kb = materialised(rules("?x type C :- ?x p ?y, not ?y type D"), facts("a p b"))

    delta = change(kb, facts("a p b"), facts("x y z"))

    assert (delta.strategy, delta.reason) == ("none", "no explicit fact changes")
    assert delta.counts.gained == delta.counts.lost == 0
