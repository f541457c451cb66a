"""Requests that are made to harm: each is answered with what is wrong, and does others no harm."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from reasoner.server import sparql_protocol
from reasoner.server.backend.child import MEGABYTE
from reasoner.server.backend.documents import Documents
from reasoner.server.backend.message import form_of
from reasoner.server.backend.parsing import Parsers
from reasoner.server.backend.refusal import RefusalError
from reasoner.sparql.budget import Budget
from tests.server.conftest import TOKEN, chain
from tests.server.test_command import serving

QUICK = "ASK { ?x ?y ?z }"
TURTLE = {"Content-Type": "text/turtle"}


def ask(client, query):
    return client.get("/sparql", params={"query": query})


# Event loop


@pytest.mark.parametrize(
    ("method", "path", "given"),
    [
        ("GET", "/sparql", {"params": {"query": QUICK}}),
        ("POST", "/sparql", {"data": {"query": QUICK}}),
        ("POST", "/update", {"data": {"update": "INSERT DATA { <urn:a> <urn:b> <urn:c> }"}}),
        ("GET", "/data", {"params": {"default": ""}}),
    ],
)
def test_nothing_of_a_request_is_read_by_the_thread_that_serves(serve, monkeypatch, method, path, given):
    where = []

    def watched(body):
        try:
            asyncio.get_running_loop()
            where.append("event loop")
        except RuntimeError:
            where.append("thread")
        return form_of(body)

    for module in ("sparql_protocol", "backend.message"):
        monkeypatch.setattr(f"reasoner.server.{module}.form_of", watched)
    client = serve(updates=True)

    assert client.request(method, path, **given).status_code == 200
    assert set(where) == {"thread"}


def test_the_quads_of_an_update_are_collected_apart_from_the_thread_that_serves(serve, monkeypatch):
    names = []
    collect = sparql_protocol.quads_of_data
    monkeypatch.setattr(
        sparql_protocol, "quads_of_data", lambda ops: names.append(threading.current_thread().name) or collect(ops)
    )

    serve(updates=True).post("/update", data={"update": "INSERT DATA { <urn:a> <urn:b> <urn:c> }"})

    assert names == ["reader"]


RUNNING = {
    "query": (
        "/sparql",
        {"query": "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . FILTER(SHA512(STR(?a)) < STR(?c)) }"},
    ),
    "update": (
        "/update",
        {"update": "INSERT { ?a <urn:x> ?c } WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(?e > ?a) }"},
    ),
}


@pytest.mark.parametrize("kind", [*RUNNING, "upload"])
def test_the_server_ends_within_its_grace_whatever_runs(tmp_path, kind):
    data = tmp_path / "chain.nt"
    data.write_text("".join(f"<urn:n{n}> <urn:next> <urn:n{n + 1}> .\n" for n in range(1500)))

    with serving(data, "--update", "--quiet", "--grace", "1") as (process, client):

        def send():
            with contextlib.suppress(httpx.HTTPError):
                if kind == "upload":
                    parts = (f"<urn:n> <urn:p> {n} .\n".encode() * 100 for n in iter(lambda: time.sleep(0.01) or 1, 0))
                    client.put("/data?default", content=parts, headers=TURTLE)
                else:
                    path, form = RUNNING[kind]
                    client.post(path, data=form)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        # The grace of a second, and at most two more.
        process.wait(5)
        sender.join(20)
    assert not sender.is_alive()


# Memory


def test_a_query_that_would_take_too_much_memory_is_stopped_and_told_the_setting(serve):
    client = serve(chain(3000), most_memory=64 * MEGABYTE)

    refused = ask(client, "SELECT * { ?a ?b ?c . ?d ?e ?f }")

    assert refused.status_code == 422
    assert "64 MB" in refused.text and "--max-memory" in refused.text
    assert ask(client, QUICK).json()["boolean"] is True


def growing(first, step, times=30):
    """Return a query that applies a step again and again to its own result."""
    steps = " ".join(f"BIND({step.replace('?x', f'?x{n}')} AS ?x{n + 1})" for n in range(times))
    return f"SELECT * {{ BIND({first} AS ?x0) {steps} }}"


@pytest.mark.parametrize(
    ("text", "option"),
    [
        (growing("9999", "?x * ?x", 22), "digits"),
        (growing("'aaaaaaaa'", "CONCAT(?x, ?x)"), "characters"),
        (growing("'aaaaaaaa'", "REPLACE(?x, 'a', 'aaaaaaaa')"), "characters"),
        (growing("'aaaaaaaa'", "REPLACE(?x, '(a)(?=a|$)', '$1$1$1$1')"), "characters"),
        (f"SELECT (GROUP_CONCAT(?d; separator='{'x' * 1000}') AS ?x) {{ ?a ?b ?c . ?d ?e ?f }}", "characters"),
    ],
)
def test_values_that_would_grow_without_end_are_refused(serve, text, option):
    client = serve(chain(300), most_characters=1 << 20)

    refused = ask(client, text)

    assert refused.status_code == 422 and f"--max-{option}" in refused.text
    assert ask(client, QUICK).json()["boolean"] is True


def test_a_long_text_is_refused_and_a_remembered_one_takes_few_bytes(serve):
    client = serve(most_query=10_000)

    refused = client.post("/sparql", data={"query": QUICK + " #" + "x" * 10_001})
    larger = client.post("/sparql", content=b"x" * 20_000, headers={"Content-Type": "application/sparql-query"})

    assert (refused.status_code, larger.status_code) == (413, 413)
    assert "--max-query" in refused.text and "--max-query" in larger.text


def test_texts_are_remembered_within_bytes():
    parsers = Parsers()
    try:
        for number in range(80):
            parsers.query(f"ASK {{ ?x ?y {number} }} #{'x' * 16_000}", "", Budget(30))
    finally:
        parsers.close()

    assert 0 < sum(len(text) for _, text in parsers._known) <= 1 << 20


def test_all_bodies_together_are_bounded(serve):
    client = serve(updates=True, token=TOKEN, most_bodies=1000)

    refused = client.post("/update", content=b"x" * 2000, headers={"Content-Type": "application/sparql-update"})

    assert refused.status_code == 503 and "--max-bodies" in refused.text and refused.headers["retry-after"] == "1"
    assert client.post("/update", data={"update": "CLEAR ALL"}).status_code == 200


def test_words_that_clients_invent_are_not_counted_one_by_one(serve):
    client = serve()
    for number in range(20):
        client.request(f"WORD{number}", f"/path{number}")

    assert client.get("/metrics").text.count('method="other"') <= 2
    assert "WORD" not in client.get("/metrics").text


# Fair share


def test_short_queries_are_answered_while_long_ones_wait_for_each_other(serve):
    kb = chain(600)
    client = serve(kb, timeout=20, time_slice=0.1)
    slow = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d FILTER(REGEX(SHA512(CONCAT(STR(?a), STR(?c))), '^none')) }"
    ask(client, QUICK)
    with ThreadPoolExecutor(8) as pool:
        long = [
            pool.submit(httpx.get, f"{client.base_url}/sparql", params={"query": slow + " " * n}, timeout=60)
            for n in range(8)
        ]
        answers = [ask(client, f"ASK {{ ?x ?y {n} }}").status_code for n in range(20)]
        statuses = [one.result().status_code for one in long]

    assert answers == [200] * 20
    assert set(statuses) <= {200, 503}


# Uploads


@pytest.fixture(scope="module")
def documents():
    made = Documents(256 * MEGABYTE)
    yield made
    made.close()


def test_a_document_that_takes_too_much_memory_ends_its_process_only(documents):
    bomb = b"".join(b'<urn:s> <urn:p> "%d%s" .\n' % (n, b"x" * 200) for n in range(400_000))

    with pytest.raises(RefusalError, match=r"256 MB of memory allowed \(--document-memory\)") as refused:
        documents.read(bomb, "text/turtle", "urn:b", Budget(60))

    assert refused.value.status == 413
    assert documents.read(b"<urn:s> <urn:p> 1 .", "text/turtle", "urn:b", Budget(60)).startswith(b"<urn:s> <urn:p>")


def test_a_parser_that_aborts_ends_its_process_only(documents):
    assert documents.read(b"<urn:s> <urn:p> 1 .", "text/turtle", "urn:b", Budget(60))
    # As native code would end it.
    os.kill(documents._small._process.pid, signal.SIGABRT)

    with pytest.raises(RefusalError, match="SIGABRT"):
        documents.read(b"<urn:s> <urn:p> 1 .", "text/turtle", "urn:b", Budget(60))
    assert documents.read(b"<urn:s> <urn:p> 1 .", "text/turtle", "urn:b", Budget(60))


@pytest.mark.parametrize(
    ("media", "document"),
    [
        ("application/ld+json", '{"urn:p":' * 5000 + "1" + "}" * 5000),
        ("text/turtle", "<urn:s> <urn:p> " + "(" * 100_000),
        ("application/rdf+xml", f'<!DOCTYPE x [<!ENTITY a "{"x" * 999}"><!ENTITY z "{"&a;" * 9}">]><x>&z;</x>'),
    ],
)
def test_nested_and_growing_documents_are_refused(serve, media, document):
    client = serve(updates=True)

    refused = client.put("/data?default", content=document, headers={"Content-Type": media})

    assert refused.status_code in (400, 413), refused.text
    assert client.get("/health").json()["version"] == 0


# Names


@pytest.mark.parametrize("path", ["/graphs/a%3E%20x", "/graphs/x%3E%20%7D%20;%20LOAD%20%3Cfile:///etc/passwd"])
def test_a_path_that_is_no_iri_is_no_graph(serve, path):
    client = serve(updates=True)

    answers = [
        client.get(path),
        client.delete(path),
        client.put(path, content="<urn:s> <urn:p> 1 .", headers=TURTLE),
    ]

    assert [answer.status_code for answer in answers] == [400] * 3
    assert client.get("/health").json()["version"] == 0


def test_relative_iris_are_resolved_against_the_request_and_can_be_read_again(serve):
    client = serve(updates=True)
    assert client.post("/update", data={"update": "INSERT DATA { <s> <p> <test> }"}).status_code == 200

    assert ask(client, "ASK { <s> <p> <test> }").json()["boolean"] is True
    (row,) = ask(client, "SELECT ?o { <s> <p> ?o }").json()["results"]["bindings"]
    assert row["o"]["value"] == f"{client.base_url}".rstrip("/") + "/test"
    plain = client.get("/data?default", headers={"Accept": "application/n-triples"}).text
    assert "<test>" not in plain


@pytest.mark.parametrize("name", ["asserted", "inferred", "closure", "default"])
def test_a_graph_that_can_only_be_read_is_not_said_to_be_deleted(serve, name):
    client = serve(updates=True)

    refused = client.delete(f"/data?graph=urn:reasoner:{name}")

    assert refused.status_code == 400 and f"urn:reasoner:{name}" in refused.text
    assert client.get("/health").json()["version"] == 0
