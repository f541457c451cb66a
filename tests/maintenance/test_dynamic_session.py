"""What a dynamic session promises: cheap integration, commits as a whole, errors that reach whoever waits."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from loaders.load import parse_text
from reasoner import InconsistentError, Reasoner, ReasonerError
from reasoner.dynamic.session import DynamicSession
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


def test_additions_that_arrive_during_an_insertion_go_into_the_same_commit():
    kb = knowledge(REACH, "")
    work = run(kb, [(chain(8), []), (chain(8, "m"), []), ([fact("n8 e m0")], [])], [0, 3, 5])

    assert (work.arrivals, work.stopped) == (2, 0)
    assert len(kb.select("?x <r> ?y")) == 17 * 18 // 2


def test_deletions_that_arrive_during_an_overdeletion_go_into_the_same_commit():
    kb = knowledge(REACH, "")
    kb.add(chain(8) + chain(8, "m"))
    kb.materialise()
    work = run(kb, [([], chain(8)[:1]), ([], chain(8, "m")[:1])], [0, 4], "dred")

    assert (work.arrivals, work.stopped) == (1, 0)
    assert len(kb.select("?x <r> ?y")) == 2 * (7 * 8 // 2)


def test_deletions_that_arrive_during_a_search_for_proofs_go_into_the_same_commit():
    kb = knowledge(REACH, "")
    kb.add(chain(8) + chain(8, "m"))
    kb.materialise()
    work = run(kb, [([], chain(8)[:1]), ([], chain(8, "m")[:1])], [0, 4], "bf")

    assert (work.arrivals, work.stopped) == (1, 0)
    assert len(kb.select("?x <r> ?y")) == 2 * (7 * 8 // 2)


@pytest.mark.parametrize("second", ["c e b", "a r b"])
def test_a_deletion_of_what_a_proof_rests_on_waits_for_its_turn(second):
    """While the chain is searched, a r b is proved in the first round, by another path or because it is explicit."""
    way = "a e c, c e b" if second == "c e b" else "a r b"
    kb = knowledge(REACH, f"a e b, b e d, {way}")
    kb.add(chain(8))
    kb.materialise()
    work = run(kb, [([], [fact("a e b"), *chain(8)[:1]]), ([], [fact(second)])], [0, 4], "bf")

    assert (work.arrivals, work.stopped) == (1, 0)
    expected = "b r d, a r c" if second == "c e b" else "b r d"
    assert {(s, p, o) for s, p, o in kb.triples() if p == "<r>" and s < "<n"} == set(facts(expected))


def test_a_deletion_that_comes_during_an_insertion_waits_for_its_turn():
    kb = knowledge(REACH + "\n    ?x type Far :- ?x r ?y, ?y type End", "")
    work = run(kb, [(chain(8), []), ([], chain(8)[4:5])], [0, 5])

    assert (work.arrivals, work.stopped) == (1, 0)
    assert len(kb.select("?x <r> ?y")) == 10 + 6


@pytest.mark.parametrize(("blocked", "count"), [("n1 b n2", 22), ("n9 b n9", 28)])
def test_an_addition_may_deny_an_instance_of_an_earlier_round(blocked, count):
    kb = knowledge("?x r ?y :- ?x e ?y\n?x r ?z :- ?x r ?y, ?y e ?z, not ?y b ?z", "")
    work = run(kb, [(chain(7), []), (facts(blocked), [])], [0, 5])

    assert (work.arrivals, work.stopped) == (1, 0)
    assert len(kb.select("?x <r> ?y")) == count


def test_operations_on_what_is_read_later_wait_for_it():
    """Whatever happens to p2, p3 and p4 while p1 is worked on costs no return."""
    kb = knowledge(LAYERS, "a p2 b, a p3 b")
    steps = [(facts("a p1 b"), []), (facts("a p4 b"), []), ([], facts("a p3 b")), ([], facts("a p2 b"))]
    work = run(kb, [*steps, (facts("a p2 c"), [])], [0, 1, 1, 1, 2])

    assert work.stopped == 0
    assert work.arrivals >= 1
    assert len(kb.select("<a> a ?c")) == 4


def test_operations_on_what_was_read_are_not_missed():
    kb = knowledge(LAYERS, "a p2 b, a p4 b")
    work = run(kb, [(facts("a p1 b"), []), (facts("a p3 b"), [])], [0, 5])

    assert work.stopped == 0
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
    assert tickets[0].work.stopped == 0
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


def test_a_change_of_the_ontology_is_maintained_as_by_a_transaction():
    kb = Reasoner(profile="owl2rl")
    kb.add(parse_text(PREFIXES + ":p a owl:SymmetricProperty . :a :p :b .", "turtle"))
    session = DynamicSession(kb)
    session.submit(add=parse_text(PREFIXES + ":c :p :d .", "turtle"))
    session.submit(remove=parse_text(PREFIXES + ":p a owl:SymmetricProperty .", "turtle"))
    (delta,) = session.run()

    assert "2 steps" in delta.reason
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
    assert kb.query("ASK { <http://e.org/b> <http://e.org/q> 1 }")
    session.submit(remove=parse_text(PREFIXES + ":a :p 1 .", "turtle"))
    session.run()
    assert not kb.query("ASK { <http://e.org/b> <http://e.org/q> 1 }")
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


def rejecting(rule_text: str, fact_text: str) -> Reasoner:
    kb = knowledge(rule_text, fact_text)
    kb.constraints = "reject"
    return kb


def outcomes(session: DynamicSession, *tickets) -> list[str]:
    with contextlib.suppress(ReasonerError):
        session.run()
    return [type(ticket._error).__name__ if ticket.has_failed else "accepted" for ticket in tickets]


def test_an_update_that_is_rejected_fails_alone():
    kb = rejecting("false :- ?x type A, ?x type B", "a type A")
    session = kb.dynamic()
    tickets = [session.submit(add=facts(text)) for text in ("b type A", "a type B", "b type C")]

    assert outcomes(session, *tickets) == ["accepted", "InconsistentError", "accepted"]
    assert set(kb.triples()) == set(facts("a type A, b type A, b type C"))
    with pytest.raises(InconsistentError) as refusal:
        tickets[1].wait()
    assert set(refusal.value.violations[0].triples) == set(facts("a type A, a type B"))


def test_a_violation_that_is_withdrawn_in_the_same_run_was_rejected_all_the_same():
    kb = rejecting("false :- ?x type A, ?x type B", "a type A")
    session = kb.dynamic()
    bad = session.submit(add=facts("a type B, c type C"))
    withdrawn = session.submit(remove=facts("a type B"))

    assert outcomes(session, bad, withdrawn) == ["InconsistentError", "accepted"]
    assert set(kb.triples()) == set(facts("a type A"))


def test_a_violation_that_was_there_and_went_may_not_come_back():
    kb = knowledge("false :- ?x type A, ?x type B", "a type A, a type B")
    kb.constraints = "reject"
    session = kb.dynamic()
    tickets = session.submit(remove=facts("a type B")), session.submit(add=facts("a type B"))

    assert outcomes(session, *tickets) == ["accepted", "InconsistentError"]
    assert set(kb.triples()) == set(facts("a type A"))


def test_every_other_error_is_that_of_its_update_alone():
    kb = knowledge("?x w ?y :- ?x e ?y, not ?x b ?y", "a e b")
    session = kb.dynamic()
    unstratified = rules("?x b ?y :- ?x w ?y")
    tickets = [
        session.submit(add=facts("b e c"), add_rules=unstratified),
        session.submit(remove_rules=rules("?x q ?y :- ?x e ?y")),
        session.submit(add=facts("w same b")),
        session.submit(add=facts("w same b"), remove_rules=rules("?x w ?y :- ?x e ?y, not ?x b ?y")),
        session.submit(add_rules=unstratified),
    ]

    failing = "UnstratifiableError"
    assert outcomes(session, *tickets) == [failing, "ReasonerError", failing, "accepted", "accepted"]
    assert len(kb.rules()) == 1 and kb.classes() == [("<b>", "<w>")]
    with pytest.raises(ReasonerError, match="is not a term"):
        session.submit(add=("a", "<p>", "<b>"))


def test_updates_with_a_strategy_that_cannot_be_used_fail_one_by_one():
    kb = knowledge("?x type Term :- ?x same ?x", "a p b")
    session = kb.dynamic(strategy="dred")
    tickets = [session.submit(remove=facts("c p d")), *(session.submit(add=facts(f"{n} p {n}")) for n in "cd")]

    assert outcomes(session, *tickets) == ["accepted", "ReasonerError", "ReasonerError"]


def test_a_fact_of_a_named_graph_that_goes_and_comes_back_is_in_one_graph():
    kb = knowledge(REACH, "x e y")
    kb.add(facts("a e b"), graph="<g>")
    kb.materialise()
    session = kb.dynamic()
    session.submit(remove=facts("a e b"))
    session.submit(add=facts("a e b"))
    (delta,) = session.run()

    assert [quad[3] for quad in kb.quads() if quad[:3] == fact("a e b")] == [None]
    assert delta.quads_removed == ((*fact("a e b"), "<g>"),) and delta.asserted_added == ()
    assert delta.work.total == 0


def test_facts_join_and_leave_the_graph_that_is_named():
    kb = knowledge(REACH, "x e y")
    session = kb.dynamic()
    session.submit(add=facts("a e b"), graph="http://e.org/g")
    session.submit(add=facts("a e b"), graph=None)
    session.submit(remove=facts("a e b"), graph=None)
    session.submit(remove=facts("x e y"), graph="http://e.org/g")
    session.run()

    assert {quad[3] for quad in kb.quads() if quad[:3] == fact("a e b")} == {"<http://e.org/g>"}
    assert set(kb.triples()) == set(facts("a e b, a r b, x e y, x r y"))


def test_deltas_tell_which_rules_came_and_went():
    kb = knowledge(REACH, "a e b")
    session = kb.dynamic()
    session.submit(add_rules=rules("?x q ?y :- ?x r ?y\n?x s ?y :- ?x r ?y"))
    session.submit(remove_rules=rules("?x q ?y :- ?x r ?y\n?x r ?z :- ?x r ?y, ?y e ?z"))
    (delta,) = session.run()

    assert [str(rule.head.predicate) for rule in delta.rules_gained] == ["<s>"]
    assert [len(rule.body) for rule in delta.rules_lost] == [2]
    assert set(delta.inferred_added) == set(facts("a s b"))


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
def test_a_schema_triple_is_maintained_and_its_rules_are_told(profile):
    kb = Reasoner(profile=profile)
    kb.add(parse_text(PREFIXES + ":a :p :b . :b :p :c . :q a owl:ObjectProperty .", "turtle"))
    kb.materialise()
    session = DynamicSession(kb, "bf")
    session.submit(add=parse_text(PREFIXES + ":p a owl:TransitiveProperty .", "turtle"))
    (delta,) = session.run()

    assert delta.strategy == "bf"
    assert ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/c>") in delta.inferred_added
    if profile == "dlp":
        assert [rule.name for rule in delta.rules_gained] == ["TransitiveObjectProperty"]


def test_a_deletion_whose_fact_is_added_again_stops_although_other_changes_wait():
    plain, dynamic = (materialised(rules(REACH), [*chain(30), *facts("a e b, c e d")]) for _ in range(2))
    full = plain.remove(chain(30)[:1], strategy="bf").work.total
    steps = [([], chain(30)[:1]), ([], facts("a e b")), (facts("x e y"), []), (chain(30)[:1], [])]
    tickets = Schedule(dynamic, steps, [0, 0, 2, 4], "bf").run()

    assert (tickets[0].work.submissions, tickets[0].work.stopped, tickets[0].work.cancelled) == (4, 1, 1)
    assert tickets[0].delta.work.instances["given up"] < full / 2
    assert set(dynamic.triples()) == set(materialised(rules(REACH), [*chain(30), *facts("c e d, x e y")]).triples())


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
@pytest.mark.parametrize("rounds", [[0] * 7, [0, 2, 4, 6, 8, 10, 12]])
def test_an_insertion_and_unrelated_deletions_cost_what_they_cost_one_after_the_other(profile, rounds):
    """By the engine's own count: what was begun in vain counts too."""
    plain, dynamic = (Reasoner(profile=profile) for _ in range(2))
    for kb in (plain, dynamic):
        kb.add_rules(rules(REACH))
        kb.add([edge for name in "abcdef" for edge in chain(4, name)])
        kb.materialise()
        kb.remove(chain(4, "a")[:1], strategy="bf")
    steps = [(chain(14, "z"), []), *(([], chain(4, name)[1:2]) for name in "abcdef")]
    before = plain.store.engine.instances, dynamic.store.engine.instances
    for added, removed in steps:
        with plain.transaction(strategy="bf") as change:
            change.add(added)
            change.remove(removed)
    tickets = Schedule(dynamic, steps, rounds, "bf").run()

    assert {ticket.work.submissions for ticket in tickets} == {7}
    assert dynamic.store.engine.instances - before[1] <= plain.store.engine.instances - before[0]
    assert set(plain.triples()) == set(dynamic.triples())


def test_many_deletions_that_wait_share_their_work():
    plain, dynamic = (materialised(rules(REACH), [*chain(12), *facts("n0 e n5, n3 e n9")]) for _ in range(2))
    edges = chain(12)
    consecutive = sum(plain.remove(edge, strategy="bf").work.total for edge in edges)
    session = dynamic.dynamic(strategy="bf")
    for edge in edges:
        session.submit(remove=edge)
    (delta,) = session.run()

    assert delta.work.total < consecutive and set(plain.triples()) == set(dynamic.triples())


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
