"""Long queries in processes of their own: the same answers, of one version, within limits, and nothing left behind."""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.requests import query
from reasoner.server.backend.answer import answered
from reasoner.server.backend.committed import Committed
from reasoner.server.backend.forks import Forks, can_fork
from reasoner.server.backend.refusal import RefusalError
from reasoner.server.backend.replica import Replica, Shipper
from reasoner.server.backend.settings import MEGABYTE, Settings
from reasoner.sparql.budget import Budget, MemoryPool
from reasoner.sparql.errors import PoolExhaustedError, QueryStoppedError, QueryTimeoutError
from reasoner.sparql.translate import translate
from tests.server.conftest import FAMILY, TOKEN, chain

pytestmark = pytest.mark.skipif(not can_fork(), reason="this system cannot fork a process and bound it")

EVERYTHING = "SELECT * { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"
PAIRS = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d }"
# No engine that is always in time has look-around, and nothing but the end of its process stops the other one.
FOREVER = f'SELECT * {{ BIND("{"a" * 60}!" AS ?x) FILTER(REGEX(?x, "^(a+)+(?!b)$")) }}'


@pytest.fixture
def forks():
    made = Forks(Settings(slow_readers=1, time_slice=0.01), MemoryPool(1024 * MEGABYTE))
    yield made
    made.close()


def ask(forks, version, text, budget=None, client="a"):
    work = partial(answered, asked=translate(text), accept="text/csv", most_rows=10**6)
    return forks.ask(version, work, budget or Budget(30), client)


def members_of(process):
    """Return the processes that a process has started."""
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


@pytest.mark.parametrize("seed", range(8))
def test_a_replica_follows_every_commit_and_answers_as_the_version_does(seed):
    chance = random.Random(seed)
    kb = Reasoner(literals=chance.choice(["written", "by-value"]))
    kb.add(parse_text(FAMILY, "turtle"))
    committed, shipper, replica = Committed(kb), Shipper(), Replica()
    names = [f"<urn:n{n}>" for n in range(8)]
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    for _ in range(12):
        s, o, p = chance.choice(names), chance.choice([*names, "1", "01"]), chance.choice(["<urn:p>", "<urn:q>", same])
        place = chance.choice(["{} {} {}", "GRAPH <urn:g> {{ {} {} {} }}"]).format(s, p, o if p != same else names[0])
        many = " ".join(f"<urn:m{chance.randrange(600)}> <urn:p> <urn:m{n}> ." for n in range(400))
        text = chance.choice([f"INSERT DATA {{ {place} }}", f"DELETE DATA {{ {place} }}", f"INSERT DATA {{ {many} }}"])
        kb.update(text)
        version = committed.publish()
        if chance.random() < 0.7:
            for part in shipper.parts(version):
                replica.take(part)
            expected = sorted(query(version.kb, EVERYTHING, terms="text").rows(), key=repr)
            assert sorted(query(replica.kb, EVERYTHING, terms="text").rows(), key=repr) == expected


def test_columns_that_a_replica_has_are_not_sent_again():
    kb = chain(3000)
    committed, shipper = Committed(kb), Shipper()
    first = list(shipper.parts(committed.last))
    kb.update("INSERT DATA { <urn:a> <urn:b> <urn:c> }")

    second = list(shipper.parts(committed.publish()))

    assert [type(part).__name__ for part in first].count("SentColumn") > 0
    assert [type(part).__name__ for part in second].count("SentColumn") == 0


def test_a_long_query_sees_the_last_commit_and_one_answer_may_be_large(serve):
    client = serve(chain(1000), updates=True, token=TOKEN, short_memory=1000)
    for number in range(3):
        counted = client.get("/sparql", params={"query": PAIRS}).json()["results"]["bindings"]
        assert counted[0]["n"]["value"] == str((1000 + number) ** 2)
        insert = f"INSERT DATA {{ <urn:a> <urn:b> {number} }}"
        assert client.post("/update", data={"update": insert}).status_code == 200

    whole = client.get("/data?default", headers={"Accept": "application/n-triples"})
    assert whole.text.count("\n") == 1003
    values = "VALUES ?x { " + "1 2 3 4 5 6 7 8 " * 4 + "}"
    large = client.get("/sparql", params={"query": f"SELECT * {{ ?s ?p ?o {values} }}"})
    assert len(large.json()["results"]["bindings"]) == 1003 * 32
    assert int(large.headers["content-length"]) == len(large.content) > MEGABYTE


def test_an_update_whose_pattern_takes_long_changes_what_it_matches(serve):
    client = serve(chain(300), updates=True, token=TOKEN, short_memory=1000)
    text = "DELETE { ?a ?p ?b } INSERT { ?b <urn:back> ?a . ?a <urn:has> [] } WHERE { ?a ?p ?b }"

    assert client.post("/update", data={"update": text}).json()["explicit"] == 600
    nodes = client.get("/sparql", params={"query": "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?a <urn:has> ?x }"}).json()
    assert nodes["results"]["bindings"][0]["n"]["value"] == "300"


def test_the_system_bounds_the_memory_of_a_long_query():
    forks = Forks(Settings(most_memory=64 * MEGABYTE), MemoryPool(64 * MEGABYTE))
    try:
        with pytest.raises(RefusalError, match=r"64 MB .*--max-memory") as refused:
            forks.ask(Committed(chain(1)).last, _greedy, Budget(30), "a")
        assert refused.value.status == 422
        # What was taken is there again.
        assert ask(forks, Committed(chain(1)).last, PAIRS).body.split() == [b"n", b"1"]
    finally:
        forks.close()


def _greedy(kb, budget):
    """Take memory that no budget knows of."""
    return len(bytearray(100 * MEGABYTE))


def test_memory_is_reserved_before_a_long_query_begins():
    forks = Forks(Settings(most_memory=64 * MEGABYTE), MemoryPool(63 * MEGABYTE))
    try:
        with pytest.raises(PoolExhaustedError, match="--max-total-memory"):
            ask(forks, Committed(chain(1)).last, PAIRS)
    finally:
        forks.close()


def test_a_long_query_ends_at_its_time_and_when_nobody_waits(forks):
    version = Committed(chain(300)).last
    with pytest.raises(QueryTimeoutError):
        ask(forks, version, FOREVER, Budget(0.5))
    stopped = Budget(60)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, forks, version, FOREVER, stopped)
        time.sleep(0.5)
        stopped.stop()
        with pytest.raises(QueryStoppedError):
            asked.result(10)

    assert ask(forks, version, PAIRS).body.split() == [b"n", b"90000"]
    assert len(members_of(forks._parent._process.pid)) <= 1, "those that were given up are gone"


def _hangs(kb, budget):
    """Wait for longer than anybody does, with no look at a limit."""
    time.sleep(1000)


def test_the_system_ends_what_looks_at_no_limit(forks):
    with pytest.raises(QueryTimeoutError):
        forks.ask(Committed(chain(1)).last, _hangs, Budget(0.3), "a")


def test_a_client_with_one_long_query_is_not_refused_for_one_with_many(forks):
    version = Committed(chain(300)).last
    with ThreadPoolExecutor(3) as pool:
        many = [Budget(60), Budget(60)]
        waiting = [pool.submit(ask, forks, version, FOREVER, budget, "many") for budget in many]
        while len(forks._places) < 2:
            time.sleep(0.01)
        one = pool.submit(ask, forks, version, PAIRS, Budget(60), "one")

        refused = next(asked for asked in _done(waiting))
        with pytest.raises(RefusalError, match="--slow-readers") as told:
            refused.result(0)
        for budget in many:
            budget.stop()
        assert one.result(30).body.split() == [b"n", b"90000"]
    assert told.value.status == 503 and told.value.headers["Retry-After"] == "5"


def _done(futures):
    while not (done := [future for future in futures if future.done()]):
        time.sleep(0.01)
    return done


def test_a_process_that_was_killed_is_replaced_and_knows_the_version(forks):
    version = Committed(chain(20)).last
    assert ask(forks, version, PAIRS).body.split() == [b"n", b"400"]
    forks._parent._process.kill()
    forks._parent._process.wait()

    assert ask(forks, version, PAIRS).body.split() == [b"n", b"400"]


def test_the_end_of_the_server_is_the_end_of_its_processes(forks):
    version = Committed(chain(300)).last
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, forks, version, FOREVER)
        while not forks._parent._forked:
            time.sleep(0.01)
        running = [forks._parent._process.pid, *forks._parent._forked]
        forks.close()
        with pytest.raises((RefusalError, QueryTimeoutError)):
            asked.result(10)
    end = time.monotonic() + 5
    while any(Path(f"/proc/{pid}/statm").exists() and _is_running(pid) for pid in running):
        assert time.monotonic() < end, "a process was left behind"
        time.sleep(0.05)


def _is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_short_queries_stay_in_the_server(serve):
    client = serve(chain(20))

    assert client.get("/sparql", params={"query": "ASK { ?x ?y ?z }"}).json()["boolean"] is True
    started = [pid for pid in members_of(os.getpid()) if b"reasoner.server.backend.forks" in _command(pid)]
    assert httpx.get(f"{client.base_url}/health").status_code == 200
    assert started == []


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
