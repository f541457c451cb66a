"""Deliveries: once, in order, from every kind of commit, whatever subscribers do."""

from __future__ import annotations

import logging
import threading

import pytest
from rdflib import URIRef, Variable

from reasoner import InconsistentError, Reasoner, ReasonerError
from reasoner.subscriptions.subscription import AnswerChange
from tests.notation import fact, facts, rules


def store() -> Reasoner:
    kb = Reasoner(profile="none")
    kb.add_rules(rules("?x q ?y :- ?x p ?y"))
    return kb


def insert(kb: Reasoner, text: str) -> None:
    with kb.transaction() as change:
        change.add(facts(text))


def test_every_way_to_change_a_reasoner_is_heard_of():
    kb = store()
    heard: list[AnswerChange] = []
    kb.subscribe("?x <q> ?y", heard.append)

    insert(kb, "a p b")
    kb.update("INSERT DATA { <b> <p> <c> } ; INSERT { ?y <p> ?x } WHERE { ?x <q> ?y }", base="")
    kb.remove(fact("a p b"))
    kb.add(facts("c p d"))
    kb.materialise()
    kb.add_rules("?x <q> ?y :- ?x <r> ?y .")
    with kb.dynamic() as session:
        session.submit(add=fact("e r f"))
    kb.remove_rules("?x <q> ?y :- ?x <r> ?y .")

    assert [(len(change.added), len(change.removed)) for change in heard] == [
        (1, 0),
        (3, 0),
        (0, 1),
        (1, 0),
        (1, 0),
        (0, 1),
    ]
    numbers = [change.number for change in heard]
    assert numbers == sorted(set(numbers))


def test_merged_and_split_classes_change_answers_term_by_term():
    kb = store()
    kb.add(facts("a p b"))
    with kb.subscribe("<a> <q> ?y") as changes:
        insert(kb, "b same c")
        kb.remove(fact("b same c"))

        assert [changes.get(0).added, changes.get(0).removed] == [(("<c>",),), (("<c>",),)]
        assert changes.get(0) is None


def test_a_commit_that_fails_delivers_nothing():
    kb = store()
    kb.add_rules("false :- ?x <q> <b> .")
    heard: list[AnswerChange] = []
    kb.subscribe("?x <q> ?y", heard.append)

    with pytest.raises(InconsistentError), kb.transaction(constraints="reject") as change:
        change.add(fact("a p b"))
    insert(kb, "a p c")

    assert [change.added for change in heard] == [(("<a>", "<c>"),)]


def test_an_error_of_a_callback_breaks_neither_the_commit_nor_others(caplog):
    kb = store()
    heard: list[AnswerChange] = []

    def fail(change: AnswerChange) -> None:
        raise ValueError("no")

    with caplog.at_level(logging.CRITICAL, "reasoner.subscriptions"):
        failing = kb.subscribe("?x <q> ?y", fail)
        kb.subscribe("?x <q> ?y", heard.append)
        insert(kb, "a p b")

    assert len(heard) == 1 and failing.is_active and isinstance(failing.failure, ValueError)
    assert fact("a q b") in set(kb.triples())


def test_a_callback_may_commit_and_everybody_hears_in_order():
    kb = store()
    first: list[tuple[int, int]] = []
    second: list[tuple[int, int]] = []

    def answer(change: AnswerChange) -> None:
        first.append((change.number, len(change.added)))
        if change.number < 4:
            insert(kb, f"a p {change.number}")

    kb.subscribe("?x <q> ?y", answer)
    kb.subscribe("?x <q> ?y", lambda change: second.append((change.number, len(change.added))))
    insert(kb, "a p b")

    assert first == second == [(1, 1), (2, 1), (3, 1), (4, 1)]


def test_initial_answers_come_first_and_the_end_of_the_block_ends_deliveries():
    kb = store()
    kb.add(facts("a p b"))
    with kb.subscribe("SELECT ?x { ?x <q> ?y }", initial=True) as changes:
        insert(kb, "a p c")
        insert(kb, "d p c")
    insert(kb, "e p c")

    read = list(changes)
    assert [(change.initial, change.as_dicts(change.added)) for change in read] == [
        (True, [{"x": "<a>"}]),
        (False, [{"x": "<d>"}]),
    ]
    assert not changes.is_active


def test_a_reader_in_another_thread_waits_for_changes():
    kb = store()
    read: list[AnswerChange] = []
    changes = kb.subscribe("?x <q> ?y")
    reader = threading.Thread(target=lambda: read.extend(changes))
    reader.start()
    for number in range(5):
        insert(kb, f"a p {number}")
    changes.cancel()
    reader.join(30)

    assert [change.number for change in read] == [1, 2, 3, 4, 5]


def test_commits_of_several_threads_are_delivered_one_after_another():
    kb = store()
    heard: list[AnswerChange] = []
    kb.subscribe("?x <q> ?y", heard.append)
    threads = [
        threading.Thread(target=lambda name=name: [insert(kb, f"{name} p {n}") for n in range(5)]) for name in "abc"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert [change.number for change in heard] == list(range(1, 16))
    assert len({row for change in heard for row in change.added}) == 15


def test_a_queue_that_nobody_reads_ends_at_its_limit():
    kb = store()
    changes = kb.subscribe("?x <q> ?y", limit=2)
    for number in range(4):
        insert(kb, f"a p {number}")

    assert not changes.is_active
    assert [changes.get(0).number, changes.get(0).number] == [1, 2]
    with pytest.raises(ReasonerError, match="more than 2 changes wait"):
        changes.get(0)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("CONSTRUCT { ?x <p> ?y } WHERE { ?x <q> ?y }", "use SELECT or ASK"),
        ("SELECT ?t { ?x <p> ?y BIND(NOW() AS ?t) }", "without a commit"),
        ("SELECT * { SERVICE <http://e.org/> { ?x <p> ?y } }", "another endpoint"),
        ("?x <p> ?y, ?y > 3", "SELECT with FILTER"),
        ("", "no pattern"),
    ],
)
def test_what_cannot_be_subscribed_to_is_refused_with_a_remedy(query, message):
    with pytest.raises(ReasonerError, match=message):
        store().subscribe(query)


def test_a_change_of_named_graphs_alone_is_heard_of():
    kb = store()
    insert(kb, "a p b")
    with kb.subscribe("SELECT ?g { GRAPH ?g { ?x <p> ?y } }") as changes, kb.transaction() as change:
        change.add(fact("a p b"), graph="<g>")

    assert changes.get(0).added == (("<g>",),)


def test_the_work_of_a_delivery_follows_the_change(monkeypatch):
    from reasoner.sparql import answer_changes
    from reasoner.subscriptions import announcements

    kb = store()
    kb.add([(f"<n{n}>", "<p>", f"<n{n + 1}>") for n in range(2000)])
    monkeypatch.setattr(answer_changes, "answers_in", None)
    monkeypatch.setattr(announcements, "answers", None)
    with kb.subscribe("SELECT ?x { ?x <q> ?y . ?y <q> ?z }") as changes:
        kb.remove(fact("n1000 p n1001"))

    assert sorted(changes.get(0).removed) == [("<n1000>",), ("<n999>",)]


def test_a_triple_with_none_for_what_is_open_is_a_query():
    kb = store()
    open_ends, closed, term = (
        kb.subscribe(asked) for asked in ((None, "<q>", None), ("<a>", "<q>", "<b>"), (URIRef("a"), URIRef("q"), None))
    )

    insert(kb, "a p b, c p d")
    kb.remove(fact("a p b"))

    assert open_ends.variables == ("s", "o") and closed.variables == () and term.variables == ("o",)
    first, second = open_ends.get(), open_ends.get()
    assert set(first.added) == {("<a>", "<b>"), ("<c>", "<d>")} and second.removed == (("<a>", "<b>"),)
    assert [(change.added, change.removed) for change in (closed.get(), closed.get())] == [(((),), ()), ((), ((),))]
    assert term.get().added == (("<b>",),)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (7, "7 cannot be subscribed to"),
        (None, "None cannot be subscribed to"),
        (["<a>", "<p>", "<b>"], "give SELECT or ASK"),
        (("<a>", "<p>"), "a triple has three terms"),
        (("a", None, None), "a is not a term"),
        (('"a"', None, None), "is a literal, which cannot be a subject"),
        ((None, 7, None), "7 cannot be subscribed to: a term is a text"),
        ((None, Variable("x"), None), "a term of rdflib, or None"),
    ],
)
def test_what_is_no_query_is_refused(asked, message):
    with pytest.raises(ReasonerError, match=message):
        store().subscribe(asked)
