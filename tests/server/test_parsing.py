"""Texts: long ones are read in processes of their own, short ones by whoever asks."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from reasoner.rules.errors import ReasonerError
from reasoner.server.backend import parsing as parsing
from reasoner.server.backend.parsing import Parsers
from reasoner.server.backend.refusal import RefusalError, refusal_of
from reasoner.sparql.budget import Budget
from reasoner.sparql.translate import translate
from reasoner.sparql.translate_update import translate_update
from reasoner.subscriptions.view import view_of
from tests.server.conftest import TOKEN

# As much that means nothing as makes a text a long one, and not too long to be remembered.
LONG = " #" + "x" * 5000
PLAIN = "SELECT ?s (COUNT(*) AS ?n) { ?s a/^a ?o OPTIONAL { ?o ?p 1 } FILTER(?s != 2) } GROUP BY ?s"


def query(parsers, text, seconds=30):
    return parsers.query(text, "", Budget(seconds))


def update(parsers, text):
    return parsers.update(text, "", Budget(30))


def view(parsers, text):
    return parsers.view(text, "", Budget(30))


@pytest.fixture(scope="module")
def parsers():
    made = Parsers()
    yield made
    made.close()


@contextmanager
def halted(process):
    """Halt a process, for which any text then takes long, however fast the machine is."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("more", ["", LONG])
def test_what_comes_back_is_what_the_parser_gives(parsers, more):
    change = "INSERT DATA { <a:s> <a:p> 1, 'x'@en } ; DELETE { ?s ?p 1 } WHERE { ?s ?p 1 . MINUS { ?s a ?c } }" + more

    assert query(parsers, PLAIN + more) == translate(PLAIN)
    assert update(parsers, change) == translate_update(change)
    assert query(parsers, PLAIN + more) is query(parsers, PLAIN + more, 0.001), "it is remembered"


@pytest.mark.parametrize("more", ["", LONG])
def test_a_syntax_error_keeps_its_place(parsers, more):
    for read in (query, update):
        with pytest.raises((ReasonerError, RefusalError), match="line 2, column 1") as refused:
            read(parsers, ("INSERT DATA {}\n}" if read == update else "ASK {}\n}") + more)
        assert refusal_of(refused.value).status == 400


def test_a_short_text_waits_for_no_process(parsers):
    assert query(parsers, PLAIN + LONG) == translate(PLAIN)
    with halted(parsers._queries._process):
        assert query(parsers, "ASK { ?x ?y 8 }") == translate("ASK { ?x ?y 8 }")
        assert view(parsers, "ASK { ?x ?y 8 }") == translate("ASK { ?x ?y 8 }")


def test_whoever_gives_up_leaves_the_process_and_the_next_one_gets_the_right_answer(parsers):
    assert query(parsers, "ASK { ?x ?y 1 }" + LONG) == translate("ASK { ?x ?y 1 }")
    process = parsers._queries._process

    with halted(process), pytest.raises(RefusalError, match="took more than"):
        query(parsers, "ASK { ?x ?y 2 }" + LONG, 0.01)

    assert query(parsers, "ASK { ?x ?y 3 }" + LONG) == translate("ASK { ?x ?y 3 }")
    assert parsers._queries._process is process


def test_a_text_that_takes_forever_ends_with_its_process(parsers, monkeypatch):
    assert query(parsers, "ASK { ?x ?y 1 }" + LONG) == translate("ASK { ?x ?y 1 }")
    process = parsers._queries._process

    with monkeypatch.context() as patched, halted(process):
        patched.setattr(parsers._queries, "_longest", 0.1)
        with pytest.raises(RefusalError, match="took more than") as refused:
            query(parsers, "ASK { ?x ?y 4 }" + LONG)

    assert refused.value.status == 503
    assert process.wait(30) != 0
    assert query(parsers, "ASK { ?x ?y 4 }" + LONG) == translate("ASK { ?x ?y 4 }")


def test_a_process_that_was_killed_is_replaced(parsers):
    assert query(parsers, "ASK { ?x ?y 1 }" + LONG) == translate("ASK { ?x ?y 1 }")
    parsers._queries._process.kill()
    with pytest.raises(RefusalError, match="send it again"):
        query(parsers, "ASK { ?x ?y 5 }" + LONG)

    assert query(parsers, "ASK { ?x ?y 5 }" + LONG) == translate("ASK { ?x ?y 5 }")


def test_threads_may_share_them(parsers):
    texts = [f"ASK {{ ?x ?y {number} }}" for number in range(40)]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: query(parsers, text), texts))

    assert found == [translate(text) for text in texts]


def test_new_queries_are_answered_while_a_large_update_is_read(serve):
    client = serve(updates=True, token=TOKEN)
    client.get("/sparql", params={"query": "ASK {}"})
    triples = " ".join(f"<http://e.org/{n}> a <http://e.org/Mother> ." for n in range(4000))
    client.post("/update", data={"update": "INSERT DATA {}" + LONG})
    answers = []
    sender = threading.Thread(
        target=lambda: answers.append(client.post("/update", data={"update": f"INSERT DATA {{ {triples} }}"}))
    )
    with halted(parsing.parsers()._updates._process):
        sender.start()
        for number in range(10):
            assert client.get("/sparql", params={"query": f"ASK {{ ?x ?y {number} }}"}).status_code == 200
        assert sender.is_alive()
    sender.join()

    assert answers[0].json()["explicit"] == 4005


def test_what_a_text_subscribes_to_is_read_apart_as_well(parsers):
    text = "PREFIX : <http://e.org/> { ?y :p ?x FILTER(?x > 3) }"

    assert view(parsers, text) == view(parsers, text + LONG) == view_of(text)
    for more in ("", LONG):
        with pytest.raises((ReasonerError, RefusalError), match="CONSTRUCT cannot be subscribed to") as refused:
            view(parsers, "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }" + more)
        assert refusal_of(refused.value).status == 400


def test_long_texts_are_not_remembered(parsers):
    text = "ASK { ?s ?p ?o } #" + "x" * 20_000

    assert query(parsers, text) == translate(text)
    assert query(parsers, text) is not query(parsers, text)


@pytest.mark.parametrize(
    "text", [" " * 40 + "!", " #\n" * 4_000 + "!", "PREFIX a:" * 2_000, "PREFIX <" * 4_000, "\n" * 60_000 + "x"]
)
def test_a_text_that_is_no_query_is_found_out_in_one_pass(text):
    began = time.process_time()

    with pytest.raises(ReasonerError):
        view_of(text)

    assert time.process_time() - began < 5


def test_a_subscription_that_takes_long_to_read_keeps_nobody_waiting(serve, monkeypatch):
    client = serve()
    assert client.get("/sparql", params={"query": "ASK { ?x ?y 6 }" + LONG}).status_code == 200
    monkeypatch.setattr(parsing.parsers()._queries, "_longest", 5.0)

    with halted(parsing.parsers()._queries._process), ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.get, "/subscribe", params={"query": "ASK { ?x ?y 7 }" + LONG})
        answered = 0
        while not asked.done():
            assert client.get("/health").status_code == 200
            answered += 1

    assert asked.result().status_code == 503
    assert answered > 10, "others were answered while the text was read"


@pytest.mark.parametrize("words", [("parsing", "query"), ("parsing", "update"), ("documents", "documents")])
def test_a_process_whose_server_is_gone_ends_without_a_word(words):
    room, kind = words
    command = [sys.executable, "-m", f"reasoner.server.backend.{room}", kind, str(1 << 30)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()

        assert process.stderr.read() == b""
