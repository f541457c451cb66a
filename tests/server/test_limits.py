"""Limits on time, rows and bytes, and clients that go away."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from urllib.parse import quote

import httpx
import pytest

from reasoner.server.backend import workers as workers
from reasoner.server.backend.lanes import Lanes
from tests.server.conftest import TOKEN, chain

# Every pair of facts, looked at one by one: several seconds of work on a chain of 800.
RUNAWAY = """SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d
    FILTER(REGEX(SHA512(CONCAT(STR(?a), STR(?c), STR(?b))), "^nothing") || STRLEN(ENCODE_FOR_URI(STR(?d))) > 100) }"""
QUICK = "ASK { ?x ?y ?z }"


def ask(client, query, **headers):
    return client.get("/sparql", params={"query": query}, headers=headers)


def warm_up(client, query):
    """Ask until the text has been read, which a busy machine may not do within the limit; it is remembered."""
    while "reading the text" in ask(client, query).text:
        pass


def test_a_runaway_query_is_stopped_at_its_limit(serve):
    client = serve(chain(800), timeout=0.5)
    warm_up(client, RUNAWAY)
    began = time.monotonic()

    response = ask(client, RUNAWAY)

    assert response.status_code == 503 and "time limit of 0.5 s" in response.text
    assert time.monotonic() - began < 3
    assert ask(client, QUICK).json()["boolean"] is True


def test_quick_queries_are_answered_beside_a_runaway_one(serve):
    client = serve(chain(800), timeout=2, readers=2)
    with socket.create_connection((client.base_url.host, client.base_url.port)) as slow:
        slow.sendall(f"GET /sparql?query={quote(RUNAWAY)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        began = time.monotonic()

        answers = [ask(client, QUICK).status_code for _ in range(10)]

        assert answers == [200] * 10
        assert time.monotonic() - began < 1.5
        assert slow.recv(100).startswith(b"HTTP/1.1 503")


def test_a_pattern_that_runs_away_keeps_nobody_waiting_and_is_stopped(serve):
    kb = chain(1)
    kb.add([("<http://e.org/n0>", "<http://e.org/says>", f'"{"a" * 40}!"')])
    client = serve(kb, timeout=1)
    # No engine that is always in time has look-around.
    asked = 'ASK { ?x <http://e.org/says> ?o FILTER(REGEX(?o, "^(a+)+(?!b)$")) }'
    warm_up(client, asked)
    with socket.create_connection((client.base_url.host, client.base_url.port)) as slow:
        slow.sendall(f"GET /sparql?query={quote(asked)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        waited = []
        while sum(waited) < 0.8:
            began = time.monotonic()
            assert client.get("/health").json()["status"] == "ok"
            assert ask(client, QUICK).status_code == 200
            waited.append(time.monotonic() - began)
        slow.settimeout(3)
        assert slow.recv(100).startswith(b"HTTP/1.1 503")

    assert max(waited) < 0.7
    assert ask(client, asked.replace("(?!b)", "")).json()["boolean"] is False


def test_a_query_that_never_gets_its_turn_is_told_so(serve, monkeypatch):
    made = []
    monkeypatch.setattr(workers, "Lanes", lambda settings: made.append(lanes := Lanes(settings)) or lanes)
    # A slice that is never over: the only place is held until it is given back.
    client = serve(chain(1), timeout=0.3, readers=1, time_slice=60)
    warm_up(client, QUICK)
    held, free = threading.Event(), threading.Event()

    def hold(turn):
        held.set()
        free.wait()

    def free_once_the_query_has_waited_too_long():
        while not made[0].waiting:
            time.sleep(0.01)
        time.sleep(0.4)
        free.set()

    # The only reader is busy from before the query comes until after its time is over.
    made[0].submit("", hold)
    held.wait()
    threading.Thread(target=free_once_the_query_has_waited_too_long).start()
    response = ask(client, QUICK)

    assert response.status_code == 503 and "time limit of 0.3 s" in response.text
    assert ask(client, QUICK).json()["boolean"] is True


def test_the_query_of_a_client_that_was_killed_is_stopped(serve):
    client = serve(chain(800), timeout=60, readers=1)
    ask(client, QUICK)
    for _ in range(20):
        with socket.create_connection((client.base_url.host, client.base_url.port)) as killed:
            killed.sendall(f"GET /sparql?query={quote(RUNAWAY)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            # No farewell: the connection is reset.
            killed.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    began = time.monotonic()

    # One of them may be at work, and ends at its next step; the others are never begun.
    assert ask(client, QUICK).json()["boolean"] is True
    while "reasoner_requests_under_way 1\n" not in client.get("/metrics").text:
        assert time.monotonic() - began < 5, "the queries of clients that have gone are still under way"


def test_a_client_that_dies_in_the_middle_of_a_body_does_no_harm(serve):
    client = serve(updates=True, token=TOKEN)
    with socket.create_connection((client.base_url.host, client.base_url.port)) as killed:
        killed.sendall(
            b"POST /update HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-update\r\n"
            b"Authorization: Bearer " + TOKEN.encode() + b"\r\nContent-Length: 1000\r\n\r\nINSERT DATA {"
        )
    assert client.get("/health").json()["version"] == 0


def test_an_update_whose_pattern_runs_away_is_given_up(serve):
    client = serve(chain(800), updates=True, token=TOKEN, timeout=1)
    pattern = RUNAWAY.partition("{")[2].rpartition("}")[0]

    response = client.post("/update", data={"update": f"INSERT {{ ?a <http://e.org/x> ?c }} WHERE {{ {pattern} }}"})

    assert response.status_code == 503 and "time limit" in response.text
    assert client.get("/health").json()["version"] == 0
    insert = "INSERT DATA { <http://e.org/a> <http://e.org/b> 1 }"
    assert client.post("/update", data={"update": insert}).status_code == 200


def test_an_answer_of_too_many_rows_is_refused_and_a_smaller_one_given(serve):
    client = serve(chain(50), most_rows=49)

    refused = ask(client, "SELECT * { ?s ?p ?o }")

    assert refused.status_code == 422 and "50 rows, more than the 49" in refused.text and "LIMIT" in refused.text
    assert len(ask(client, "SELECT * { ?s ?p ?o } LIMIT 49").json()["results"]["bindings"]) == 49
    assert ask(client, "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }").status_code == 422
    assert client.get("/data?default").status_code == 422


def test_a_query_with_a_step_that_explodes_is_refused(serve):
    response = ask(serve(chain(9000)), "SELECT * { ?a ?b ?c . ?d ?e ?f }")

    assert response.status_code == 422
    assert "rows" in response.text


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(serve, chunked):
    client = serve(updates=True, token=TOKEN, most_body=1000)
    text = "INSERT DATA { " + "<http://e.org/a> <http://e.org/b> <http://e.org/c> . " * 100 + "}"
    content = (text[start : start + 100].encode() for start in range(0, len(text), 100)) if chunked else text

    # The answer comes before the body has been sent, so that sending it may fail.
    with contextlib.suppress(httpx.WriteError, httpx.ReadError):
        response = client.post("/update", content=content, headers={"Content-Type": "application/sparql-update"})
        assert response.status_code == 413 and "1,000 bytes" in response.text
    assert client.get("/health").json()["version"] == 0


def test_a_header_that_lies_about_the_length_does_no_harm(serve):
    client = serve()
    with socket.create_connection((client.base_url.host, client.base_url.port)) as liar:
        liar.sendall(
            b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\n"
            b"Content-Length: 4\r\n\r\nASK {}"
        )
        assert liar.recv(20).startswith(b"HTTP/1.1 400")
    assert json.loads(client.get("/health").content)["status"] == "ok"
