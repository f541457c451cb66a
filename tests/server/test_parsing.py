"""Texts read in processes of their own."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from reasoner.errors import ReasonerError
from reasoner.server.parsing import Parsers
from reasoner.server.refusal import RefusalError
from reasoner.sparql.budget import Budget
from reasoner.sparql.translate import translate
from reasoner.sparql.translate_update import translate_update
from reasoner.subscriptions.view import view_of
from tests.server.conftest import TOKEN

# Half a minute of work for the grammar.
SLOW = "ASK { FILTER(" + " || ".join(["false"] * 6000) + ") }"
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


def test_what_comes_back_is_what_the_parser_gives(parsers):
    change = "INSERT DATA { <a:s> <a:p> 1, 'x'@en } ; DELETE { ?s ?p 1 } WHERE { ?s ?p 1 . MINUS { ?s a ?c } }"

    assert query(parsers, PLAIN) == translate(PLAIN)
    assert update(parsers, change) == translate_update(change)
    assert query(parsers, PLAIN) is query(parsers, PLAIN, 0.001), "it is remembered"


def test_a_syntax_error_keeps_its_place(parsers):
    for read in (query, update):
        with pytest.raises(RefusalError, match="line 2, column 1") as refused:
            read(parsers, "INSERT DATA {}\n}" if read == update else "ASK {}\n}")
        assert refused.value.status == 400


def test_whoever_gives_up_leaves_the_process_and_the_next_one_gets_the_right_answer(parsers):
    began = time.monotonic()
    slow = "ASK { FILTER(" + " || ".join(["false"] * 150) + ") }"

    with pytest.raises(RefusalError, match="took more than"):
        query(parsers, slow, 0.001)

    assert time.monotonic() - began < 1
    assert query(parsers, "ASK { ?x ?y 3 }") == translate("ASK { ?x ?y 3 }")


def test_a_text_that_takes_forever_ends_with_its_process(parsers):
    began = time.monotonic()

    with pytest.raises(RefusalError, match="took more than") as refused:
        query(parsers, SLOW)

    assert refused.value.status == 503 and time.monotonic() - began < 15
    assert query(parsers, "ASK { ?x ?y 4 }") == translate("ASK { ?x ?y 4 }")


def test_a_process_that_was_killed_is_replaced(parsers):
    parsers._queries._process.kill()
    with pytest.raises(RefusalError, match="send it again"):
        query(parsers, "ASK { ?x ?y 5 }")

    assert query(parsers, "ASK { ?x ?y 5 }") == translate("ASK { ?x ?y 5 }")


def test_threads_may_share_them(parsers):
    texts = [f"ASK {{ ?x ?y {number} }}" for number in range(40)]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: query(parsers, text), texts))

    assert found == [translate(text) for text in texts]


def test_new_queries_are_answered_while_a_large_update_is_read(serve):
    client = serve(updates=True, token=TOKEN)
    client.get("/sparql", params={"query": "ASK {}"})
    triples = " ".join(f"<http://e.org/{n}> a <http://e.org/Mother> ." for n in range(4000))
    answers = []
    sender = threading.Thread(
        target=lambda: answers.append(client.post("/update", data={"update": f"INSERT DATA {{ {triples} }}"}))
    )
    sender.start()
    time.sleep(0.3)
    began, asked = time.monotonic(), 0
    while sender.is_alive() and asked < 10:
        asked += 1
        assert client.get("/sparql", params={"query": f"ASK {{ ?x ?y {asked} }}"}).status_code == 200
    taken = time.monotonic() - began
    sender.join()

    assert answers[0].json()["explicit"] == 4005
    assert asked == 10 and taken < 5


def test_what_a_text_subscribes_to_is_read_apart_as_well(parsers):
    text = "PREFIX : <http://e.org/> { ?y :p ?x FILTER(?x > 3) }"

    assert view(parsers, text) == view_of(text)
    with pytest.raises(RefusalError, match="CONSTRUCT cannot be subscribed to"):
        view(parsers, "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")


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


def test_a_subscription_that_takes_long_to_read_keeps_nobody_waiting(serve):
    client = serve()
    slow = "ASK { FILTER(" + "||".join(["0"] * 6000) + ") }"
    assert client.get("/health").status_code == 200

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.get, "/subscribe", params={"query": slow})
        answered = 0
        while not asked.done():
            assert client.get("/health").status_code == 200
            answered += 1

    assert asked.result().status_code == 503
    assert answered > 10, "others were answered while the text was read"
