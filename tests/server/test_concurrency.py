"""Readers beside a writer: each sees one commit, whole, and none waits for the next."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx

from reasoner import Reasoner
from reasoner.requests import query
from reasoner.server.backend.committed import Committed
from tests.server.conftest import TOKEN

P, Q = "<http://e.org/p>", "<http://e.org/q>"
RULE = f"?x {Q} ?y :- ?x {P} ?y ."
# The facts of one commit have one number, and every fact has its consequence.
SEEN = f"SELECT ?n (COUNT(*) AS ?k) {{ ?x {P} ?n . ?x {Q} ?n }} GROUP BY ?n"


def numbered(number: int, count: int = 20) -> str:
    return " ".join(f"<http://e.org/{number}/{place}> {P} {number} ." for place in range(count))


def store() -> Reasoner:
    kb = Reasoner(profile="none")
    kb.add_rules(RULE)
    kb.update(f"INSERT DATA {{ {numbered(0)} }}")
    return kb


def replacing(number: int) -> str:
    return f"DELETE WHERE {{ ?x {P} ?n }} ; INSERT DATA {{ {numbered(number)} }}"


def test_every_reader_sees_one_commit_whole(serve):
    client = serve(store(), updates=True, token=TOKEN, readers=3)
    done = threading.Event()
    seen: set[int] = set()

    def read() -> int:
        times = 0
        with httpx.Client(base_url=client.base_url, timeout=30, trust_env=False) as own:
            last = 0
            while not done.is_set():
                answer = own.get("/sparql", params={"query": SEEN})
                assert answer.status_code == 200, answer.text
                (row,) = answer.json()["results"]["bindings"]
                number = int(row["n"]["value"])
                assert int(row["k"]["value"]) == 20
                assert number >= last, "a later question sees no earlier commit"
                seen.add(number)
                last, times = number, times + 1
        return times

    with ThreadPoolExecutor(8) as readers:
        work = [readers.submit(read) for _ in range(8)]
        try:
            for number in range(1, 16):
                answer = client.post("/update", data={"update": replacing(number)})
                assert answer.status_code == 200 and answer.json()["version"] == number
                own = client.get("/sparql", params={"query": SEEN}).json()["results"]["bindings"]
                assert own[0]["n"]["value"] == str(number), "whoever has committed sees the commit"
        finally:
            done.set()
        assert sum(one.result() for one in work) > 8
    assert len(seen) > 1


def test_updates_that_come_at_once_are_made_one_after_the_other(serve):
    client = serve(store(), updates=True, token=TOKEN)
    add = "DELETE { <http://e.org/c> <http://e.org/v> ?n } INSERT { <http://e.org/c> <http://e.org/v> ?m } "
    add += "WHERE { <http://e.org/c> <http://e.org/v> ?n BIND(?n + 1 AS ?m) }"
    client.post("/update", data={"update": "INSERT DATA { <http://e.org/c> <http://e.org/v> 0 }"})

    with ThreadPoolExecutor(8) as writers:
        statuses = list(writers.map(lambda _: client.post("/update", data={"update": add}).status_code, range(24)))

    assert statuses == [200] * 24
    answer = client.get("/sparql", params={"query": "SELECT ?n { <http://e.org/c> <http://e.org/v> ?n }"})
    assert [row["n"]["value"] for row in answer.json()["results"]["bindings"]] == ["24"]


def test_a_reader_does_not_wait_for_a_commit():
    kb = store()
    committed = Committed(kb)
    inside, free = threading.Event(), threading.Event()

    def hold() -> None:
        # A commit under way holds the lock of the reasoner, and may hold that of the dictionary.
        with kb.session.lock, kb.store.dictionary._lock:
            kb.store.dictionary.encode(["<http://e.org/new>"])
            inside.set()
            free.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        inside.wait(10)
        began = time.monotonic()
        text = "SELECT ?x ?new { ?x ?y 0 BIND(<http://e.org/new> AS ?new) }"
        rows = query(committed.last.kb, text, terms="text").rows()
        assert time.monotonic() - began < 5
    finally:
        free.set()
        holder.join()
    assert len(rows) == 40 and {row[1] for row in rows} == {"<http://e.org/new>"}


def test_a_version_stays_what_it_was():
    kb = store()
    committed = Committed(kb)
    first = committed.last
    before = sorted(query(first.kb, "SELECT * { ?s ?p ?o }", terms="text").rows())

    for number in range(1, 6):
        kb.update(replacing(number))
        try:
            kb.update("INSERT DATA { <http://e.org/lost> <http://e.org/p> 1 } ; LOAD <file:///does/not/exist>")
        except Exception as error:
            assert "exist" in str(error)
        assert committed.publish().number == number

    assert sorted(query(first.kb, "SELECT * { ?s ?p ?o }", terms="text").rows()) == before
    assert not query(first.kb, "ASK { ?s ?p 5 }")
    assert query(committed.last.kb, "ASK { ?s ?p 5 }")
    assert len(first.kb.store.dictionary) < len(committed.last.kb.store.dictionary)


def test_what_changes_nothing_is_no_new_version():
    kb = store()
    committed = Committed(kb)

    kb.update(f"INSERT DATA {{ {numbered(0)} }}")

    assert committed.publish().number == 0


def test_a_failed_update_leaves_readers_and_writer_well(serve):
    client = serve(store(), updates=True, token=TOKEN)

    failed = client.post("/update", data={"update": f"{replacing(1)} ; CLEAR GRAPH <http://e.org/none> ; DROP"})
    assert failed.status_code == 400
    assert client.post("/update", data={"update": replacing(2)}).json()["version"] == 1
    answer = client.get("/sparql", params={"query": SEEN}).json()["results"]["bindings"]
    assert [row["n"]["value"] for row in answer] == ["2"]


def test_updates_that_come_at_once_share_a_run_and_end_each_as_in_sequence(serve):
    """Of two types that exclude each other the first one that came is there, whatever the others of its run do."""
    kb = Reasoner(profile="none", constraints="reject")
    kb.add_rules("false :- ?x a <http://e.org/A>, ?x a <http://e.org/B> .")
    kb.materialise()
    client = serve(kb, updates=True, token=TOKEN)

    def post(number: int) -> tuple[int, str, str]:
        name, kind = f"<http://e.org/x{number // 3}>", ("A", "B", "C")[number % 3]
        text = f"INSERT DATA {{ {name} a <http://e.org/{kind}> }}"
        return client.post("/update", data={"update": text}).status_code, name, f"<http://e.org/{kind}>"

    with ThreadPoolExecutor(24) as writers:
        kb.session.lock.acquire()
        work = [writers.submit(post, number) for number in range(24)]
        time.sleep(0.3)
        kb.session.lock.release()
        answers = [one.result() for one in work]

    for number in range(8):
        statuses = {kind: status for status, name, kind in answers if name == f"<http://e.org/x{number}>"}
        assert statuses.pop("<http://e.org/C>") == 200
        assert sorted(statuses.values())[0] == 200 and sorted(statuses.values())[1] >= 400
    accepted = {(name, kind) for status, name, kind in answers if status == 200}
    assert {(s, o) for s, _, o in kb.triples()} == accepted
    assert kb.violations() == []


def test_updates_of_data_that_come_at_once_share_commits(serve):
    kb = store()
    client = serve(kb, updates=True, token=TOKEN)
    with ThreadPoolExecutor(16) as writers:
        kb.session.lock.acquire()
        insert = "INSERT DATA {{ <http://e.org/n> <http://e.org/p> {} }}"
        work = [writers.submit(client.post, "/update", data={"update": insert.format(n)}) for n in range(100, 116)]
        time.sleep(0.3)
        kb.session.lock.release()
        answers = [one.result().json() for one in work]

    assert max(answer["version"] for answer in answers) < 16
    assert len(kb.select("<http://e.org/n> <http://e.org/q> ?x")) == 16
