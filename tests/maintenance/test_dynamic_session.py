"""What a dynamic session promises: cheap integration, commits as a whole, errors that reach whoever waits."""

from __future__ import annotations

import threading
import time

import pytest

from loaders.load import parse_text
from reasoner import Reasoner, ReasonerError
from reasoner.dynamic_session import DynamicSession
from tests.maintenance.schedule import Schedule, knowledge, materialised
from tests.notation import fact, facts, rules

REACH = """
    ?x r ?y :- ?x e ?y
    ?x r ?z :- ?x r ?y, ?y e ?z"""
LAYERS = """
    ?x type L1 :- ?x p1 ?y
    ?x type L2 :- ?x type L1, ?x p2 ?y
    ?x type L3 :- ?x type L2, not ?x p3 b
    ?x type L4 :- ?x type L3, ?x p4 ?y"""
PREFIXES = "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "


def chain(length: int, name: str = "n") -> list[tuple[str, str, str]]:
    return [fact(f"{name}{at} e {name}{at + 1}") for at in range(length)]


def run(kb: Reasoner, steps, rounds, strategy: str = "auto"):
    """Run a schedule of which all must go into one commit; return what became of the operations."""
    tickets = Schedule(kb, steps, rounds, strategy).run()
    assert tickets[0].work.submissions == len(steps)
    return tickets[0].work


def test_additions_join_a_running_insertion_without_going_back():
    kb = knowledge(REACH, "")
    work = run(kb, [(chain(8), []), (chain(8, "m"), []), ([fact("n8 e m0")], [])], [0, 3, 5])

    assert (work.integrated, work.restarts) == (2, 0)
    assert len(kb.select("?x <r> ?y")) == 17 * 18 // 2


def test_deletions_join_a_running_overdeletion_without_going_back():
    kb = knowledge(REACH, "")
    kb.add(chain(8) + chain(8, "m"))
    kb.materialise()
    work = run(kb, [([], chain(8)[:1]), ([], chain(8, "m")[:1])], [0, 4], "dred")

    assert (work.integrated, work.restarts) == (1, 0)
    assert len(kb.select("?x <r> ?y")) == 2 * (7 * 8 // 2)


def test_deletions_join_a_running_search_for_proofs_unless_they_touch_what_is_proved():
    kb = knowledge(REACH, "")
    kb.add(chain(8) + chain(8, "m"))
    kb.materialise()
    work = run(kb, [([], chain(8)[:1]), ([], chain(8, "m")[:1])], [0, 4], "bf")

    assert (work.integrated, work.restarts) == (1, 0)
    assert len(kb.select("?x <r> ?y")) == 2 * (7 * 8 // 2)


@pytest.mark.parametrize("second", ["c e b", "a r b"])
def test_a_deletion_of_what_a_proof_rests_on_goes_back(second):
    """While the chain is searched, a r b is proved in the first round, by another path or because it is explicit."""
    way = "a e c, c e b" if second == "c e b" else "a r b"
    kb = knowledge(REACH, f"a e b, b e d, {way}")
    kb.add(chain(8))
    kb.materialise()
    work = run(kb, [([], [fact("a e b"), *chain(8)[:1]]), ([], [fact(second)])], [0, 4], "bf")

    assert (work.integrated, work.restarts) == (0, 1)
    expected = "b r d, a r c" if second == "c e b" else "b r d"
    assert {(s, p, o) for s, p, o in kb.triples() if p == "<r>" and s < "<n"} == set(facts(expected))


def test_a_deletion_that_comes_during_insertion_goes_back_to_the_stratum_and_not_below_it():
    kb = knowledge(REACH + "\n    ?x type Far :- ?x r ?y, ?y type End", "")
    work = run(kb, [(chain(8), []), ([], chain(8)[4:5])], [0, 5])

    assert (work.integrated, work.restarts) == (0, 1)
    assert len(kb.select("?x <r> ?y")) == 10 + 6


@pytest.mark.parametrize(("blocked", "restarts", "count"), [("n1 b n2", 1, 22), ("n9 b n9", 0, 28)])
def test_an_addition_that_denies_an_instance_of_an_earlier_round_goes_back(blocked, restarts, count):
    kb = knowledge("?x r ?y :- ?x e ?y\n?x r ?z :- ?x r ?y, ?y e ?z, not ?y b ?z", "")
    work = run(kb, [(chain(7), []), (facts(blocked), [])], [0, 5])

    assert (work.integrated, work.restarts) == (1 - restarts, restarts)
    assert len(kb.select("?x <r> ?y")) == count


def test_operations_on_what_is_read_later_wait_for_it():
    """Whatever happens to p2, p3 and p4 while p1 is worked on costs no return."""
    kb = knowledge(LAYERS, "a p2 b, a p3 b")
    steps = [(facts("a p1 b"), []), (facts("a p4 b"), []), ([], facts("a p3 b")), ([], facts("a p2 b"))]
    work = run(kb, [*steps, (facts("a p2 c"), [])], [0, 1, 1, 1, 2])

    assert work.restarts == 0
    assert work.integrated >= 1
    assert len(kb.select("<a> a ?c")) == 4


def test_operations_on_what_was_read_go_back_to_the_first_that_read_it():
    kb = knowledge(LAYERS, "a p2 b, a p4 b")
    work = run(kb, [(facts("a p1 b"), []), (facts("a p3 b"), [])], [0, 8])

    assert work.restarts == 1
    assert {answer["c"] for answer in kb.select("<a> a ?c")} == {"<L1>", "<L2>"}


@pytest.mark.parametrize("when", range(1, 9))
def test_operations_on_a_predicate_that_a_module_closes_are_not_missed(when):
    """The module and the other rules of its stratum are one step; what arrives meanwhile is seen after it."""
    kb = materialised(rules(REACH + "\n    ?x p ?z :- ?x p ?y, ?y p ?z"), facts("b p c, d p e"), modules=True)
    Schedule(kb, [(chain(6), []), (facts("a p b"), facts("d p e"))], [0, when]).run()

    assert {triple for triple in kb.triples() if triple[1] == "<p>"} == set(facts("a p b, b p c, a p c"))
    assert len(kb.select("?x <r> ?y")) == 6 * 7 // 2


def test_an_operation_that_is_taken_back_before_it_is_worked_on_costs_nothing():
    plain, dynamic = (knowledge(LAYERS, "a p2 b, a p4 b") for _ in range(2))
    ordinary = plain.transaction(strategy="bf")
    with ordinary as change:
        change.add(facts("a p1 b"))
    tickets = Schedule(dynamic, [(facts("a p1 b"), []), ([], facts("a p4 b")), (facts("a p4 b"), [])], [0, 1, 2]).run()

    assert tickets[0].work.cancelled == 1
    assert tickets[0].work.restarts == 0
    assert tickets[0].delta.work.total == ordinary.delta.work.total
    assert set(dynamic.triples()) == set(plain.triples())


def test_updates_that_cancel_one_another_commit_nothing():
    kb = knowledge(REACH, "a e b")
    before = kb.store.state
    session = DynamicSession(kb)
    tickets = [session.submit(add=facts("b e c")), session.submit(remove=facts("b e c"))]
    (delta,) = session.run()

    assert kb.store.state is before
    assert delta.inferred_added == delta.asserted_added == ()
    assert tickets[0].delta is tickets[1].delta is delta


def test_a_delta_is_relative_to_the_last_commit_and_of_all_updates_together():
    kb = knowledge(REACH, "a e b")
    session = DynamicSession(kb)
    session.submit(add=facts("b e c"))
    session.submit(add=facts("b e d"), remove=facts("a e b"))
    (delta,) = session.run()

    assert set(delta.asserted_added) == set(facts("b e c, b e d"))
    assert set(delta.asserted_removed) == set(facts("a e b"))
    assert set(delta.inferred_removed) == set(facts("a r b"))


def test_a_triple_that_one_update_both_adds_and_removes_is_added():
    kb = knowledge(REACH, "")
    session = DynamicSession(kb)
    session.submit(add=facts("a e b"), remove=facts("a e b"))
    session.run()

    assert set(kb.triples()) == set(facts("a e b, a r b"))


def test_what_cannot_be_maintained_is_materialised_beside_the_readers():
    kb = knowledge("?x type Term :- ?x same ?x", "a p b")
    session = DynamicSession(kb)
    ticket = session.submit(remove=facts("a p b"), add=facts("c p d"))
    session.run()

    assert (ticket.delta.strategy, ticket.delta.reason) == ("rematerialise", "a rule asks which terms occur")
    assert {"x": "<c>"} in kb.select("?x a <Term>")
    assert {"x": "<a>"} not in kb.select("?x a <Term>")


def test_a_change_of_the_ontology_starts_over_with_all_that_was_submitted():
    kb = Reasoner(profile="owl2rl")
    kb.add(parse_text(PREFIXES + ":p a owl:SymmetricProperty . :a :p :b .", "turtle"))
    session = DynamicSession(kb)
    session.submit(add=parse_text(PREFIXES + ":c :p :d .", "turtle"))
    session.submit(remove=parse_text(PREFIXES + ":p a owl:SymmetricProperty .", "turtle"))
    (delta,) = session.run()

    assert (delta.strategy, delta.reason) == ("rematerialise", "the ontology changes")
    assert kb.select("?x <http://e.org/p> ?y") == [
        {"x": "<http://e.org/a>", "y": "<http://e.org/b>"},
        {"x": "<http://e.org/c>", "y": "<http://e.org/d>"},
    ]
    session.submit(add=parse_text(PREFIXES + ":e :p :f .", "turtle"))
    (later,) = session.run()
    assert later.strategy == "bf"


def test_literals_of_one_value_are_equal_only_while_both_are_explicit():
    kb = Reasoner(profile="owl2rl")
    kb.add(parse_text(PREFIXES + ":p a owl:FunctionalProperty . :a :p 1 .", "turtle"))
    session = DynamicSession(kb)
    session.submit(add=parse_text(PREFIXES + ":b :q 01 .", "turtle"))
    session.run()
    assert len(kb.classes()) == 1
    session.submit(remove=parse_text(PREFIXES + ":a :p 1 .", "turtle"))
    session.run()
    assert kb.classes() == []


def test_an_error_between_rounds_leaves_the_committed_state_and_reaches_whoever_waits():
    kb = knowledge(REACH, "a e b")
    before = kb.store.state
    session = DynamicSession(kb)
    ticket = session.submit(add=facts("b e c"))

    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        session.run(fail)
    with pytest.raises(ZeroDivisionError):
        ticket.wait()
    assert kb.store.state is before
    session.submit(add=facts("b e d"))
    session.run()
    assert set(kb.triples()) == set(facts("a e b, b e d, a r b, b r d, a r d"))


def test_a_strategy_that_cannot_be_used_says_why():
    kb = knowledge("?x type Term :- ?x same ?x", "a p b")
    session = DynamicSession(kb, "dred")
    session.submit(remove=facts("a p b"))

    with pytest.raises(ReasonerError, match="dred cannot be used here: a rule asks which terms occur"):
        session.run()
    with pytest.raises(ReasonerError, match="choose one of auto, bf, fbf, dred"):
        DynamicSession(kb, "declarative")


def test_facts_that_are_changed_beside_a_session_are_noticed():
    kb = knowledge(REACH, "a e b")
    session = DynamicSession(kb)
    session.submit(add=facts("b e c"))

    with pytest.raises(ReasonerError, match="through the session"):
        session.run(lambda: None if len(kb.store.state.explicit) > 1 else kb.add(facts("x e y")) and None)


def test_leaving_the_block_waits_for_all_updates():
    kb = knowledge(REACH, "")
    with DynamicSession(kb) as session:
        tickets = [session.submit(add=[edge]) for edge in chain(12)]
        assert tickets[0].wait(timeout=60).strategy == "bf"

    assert all(ticket.done for ticket in tickets)
    assert len(kb.select("?x <r> ?y")) == 12 * 13 // 2
    with pytest.raises(ReasonerError, match="has ended"):
        session.submit(add=facts("a e b"))


def test_an_error_in_the_background_is_raised_at_the_end_of_the_block():
    kb = knowledge("?x type Term :- ?x same ?x", "a p b")

    with pytest.raises(ReasonerError, match="asks which terms occur"), DynamicSession(kb, "bf") as session:
        session.submit(remove=facts("a p b"))


def test_readers_see_whole_states_while_a_writer_submits():
    """Each update moves one fact on: in every committed state there is exactly one, with all that follows from it."""
    kb = knowledge("?x q ?y :- ?x p ?y\n    ?x s ?y :- ?x q ?y, not ?x u ?y", "a p v0")
    ends_at = time.monotonic() + 1.5
    problems: list[object] = []
    reads = [0, 0, 0]

    def read(reader: int) -> None:
        while time.monotonic() < ends_at and not problems:
            seen = sorted(kb.triples())
            if len(seen) != 3 or len({o for _, _, o in seen}) != 1:
                problems.append(seen)
            answers = kb.select("<a> <p> ?x, <a> <q> ?y, <a> <s> ?z")
            if len(answers) != 1 or len(set(answers[0].values())) != 1:
                problems.append(answers)
            reads[reader] += 1

    readers = [threading.Thread(target=read, args=(reader,)) for reader in range(3)]
    for reader in readers:
        reader.start()
    with DynamicSession(kb) as session:
        written = 0
        while time.monotonic() < ends_at and not problems:
            here, there = f"a p v{written % 20}", f"a p v{(written + 1) % 20}"
            ticket = session.submit(add=facts(there), remove=facts(here))
            written += 1
            if written % 3 == 0:
                ticket.wait(timeout=60)
    for reader in readers:
        reader.join()

    assert problems == []
    assert min(reads) > 0
    assert written > 10
    assert set(kb.triples()) == set(facts(", ".join(f"a {p} v{written % 20}" for p in "pqs")))
