"""``reasoner serve`` as a process of its own: start, serve, stop."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx
import pytest

from reasoner import Reasoner
from reasoner.cli import main
from tests.server.conftest import FAMILY

INSERT = "INSERT DATA { <http://e.org/ada> a <http://e.org/Mother> }"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "family.ttl"
    path.write_text(FAMILY)
    return path


@contextmanager
def serving(*words, **environment):
    """Run the command; give the process, and a client for the address that it prints."""
    command = [sys.executable, "-m", "reasoner", "serve", "--port", "0", *map(str, words)]
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables) as process:
        try:
            address = process.stdout.readline().strip()
            assert address.endswith("/sparql"), process.stderr.read()
            with httpx.Client(base_url=address.removesuffix("/sparql"), timeout=30, trust_env=False) as client:
                yield process, client
        finally:
            process.kill()


@pytest.fixture
def refused(capsys, monkeypatch):
    """Run the command to its end, which is an error before it serves anything, and return what it said."""

    def refused(*words, token=None):
        if token is None:
            monkeypatch.delenv("REASONER_TOKEN", raising=False)
        else:
            monkeypatch.setenv("REASONER_TOKEN", token)
        status = main(["serve", "--quiet", *map(str, words)])
        told = capsys.readouterr().err
        assert status == 2 and told.count("\n") == 1, told
        return told

    return refused


def test_it_serves_until_it_is_told_to_stop_and_ends_well(data):
    with serving("--data", data, "--access-log") as (process, client):
        answer = client.get("/sparql", params={"query": "ASK { <http://e.org/eve> a <http://e.org/Parent> }"})
        assert answer.json()["boolean"] is True
        assert client.post("/update", data={"update": INSERT}).status_code == 403
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
        told = process.stderr.read()
    assert re.search(r"updates +off", told)
    assert re.search(r" 127\.0\.0\.1 GET /sparql 200 \d+ bytes [\d.]+ ms\n", told)
    assert " POST /update 403 " in told


def test_an_interrupt_ends_it_well_too(data):
    with serving(data, "--quiet") as (process, client):
        assert client.get("/health").json()["status"] == "ok"
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0
        assert process.stderr.read() == ""


def test_the_token_comes_from_the_environment(data):
    with serving(data, "--update", REASONER_TOKEN="hidden") as (_, client):
        without = client.post("/update", data={"update": INSERT})
        with_it = client.post("/update", data={"update": INSERT}, headers={"Authorization": "Bearer hidden"})
    assert (without.status_code, with_it.status_code) == (401, 200)


def test_a_commit_under_way_is_finished_before_the_end(data):
    """The client gets its answer although the server was told to stop after it had begun."""
    triples = " ".join(f"<http://e.org/n{n}> a <http://e.org/Mother> ." for n in range(1500))
    with serving(data, "--update", "--grace", "20") as (process, client):
        answers = []
        sender = threading.Thread(
            target=lambda: answers.append(client.post("/update", data={"update": f"INSERT DATA {{ {triples} }}"}))
        )
        sender.start()
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        sender.join(30)
        assert process.wait(5) == 0
    assert answers[0].status_code == 200
    assert answers[0].json()["explicit"] == 1505


@pytest.mark.parametrize("on_disk", [True, False])
def test_updates_that_break_a_constraint_are_rejected_if_asked_for(data, tmp_path, on_disk):
    source = tmp_path / "store" if on_disk else data
    if on_disk:
        assert main(["load", str(source), str(data), "--quiet"]) == 0
    apart = "<http://e.org/C> <http://www.w3.org/2002/07/owl#disjointWith> <http://e.org/D>"
    both = "<http://e.org/a> a <http://e.org/C>, <http://e.org/D>"
    with serving(source, "--update", "--constraints", "reject", "--quiet") as (_, client):
        assert client.post("/update", data={"update": f"INSERT DATA {{ {apart} }}"}).status_code == 200
        refused = client.post("/update", data={"update": f"INSERT DATA {{ {both} }}"})
        assert refused.status_code == 400 and "the change is rejected" in refused.text
        asked = client.get("/sparql", params={"query": f"ASK {{ {both} }}"})
    assert asked.json()["boolean"] is False


def test_a_policy_is_for_updates(data, refused):
    assert "updates, which are off" in refused(data, "--constraints", "reject")


def test_a_store_on_disk_is_changed_for_good(data, tmp_path):
    folder = tmp_path / "store"
    assert main(["load", str(folder), str(data), "--quiet"]) == 0
    ask = "ASK { <http://e.org/ada> a <http://e.org/Parent> }"
    with serving(folder, "--update", "--quiet") as (process, client):
        assert client.post("/update", data={"update": INSERT}).status_code == 200
        assert client.get("/sparql", params={"query": ask}).json()["boolean"] is True
        process.kill()
    with Reasoner.open(folder, read_only=True) as kb:
        assert kb.query(ask).askAnswer is True


def test_a_store_on_disk_is_left_alone_without_updates(data, tmp_path):
    folder = tmp_path / "store"
    assert main(["load", str(folder), str(data), "--quiet"]) == 0
    with serving(folder) as (_, client):
        assert client.get("/health").json()["explicit"] == 5
        # Nobody is kept from writing.
        with Reasoner.open(folder) as kb:
            kb.update(INSERT)
        assert client.get("/health").json()["explicit"] == 5


def test_a_store_with_updates_comes_alone(data, tmp_path, refused):
    folder = tmp_path / "store"
    assert main(["load", str(folder), str(data), "--quiet"]) == 0

    assert "is served with updates alone" in refused(folder, data, "--update")


def test_what_makes_no_sense_is_an_error_of_one_line(data, refused):
    assert "--update and --read-only contradict" in refused(data, "--update", "--read-only")
    assert "--token is for updates" in refused(data, "--token", "x")
    assert "open to everybody" in refused(data, "--update", "--host", "0.0.0.0", token="")
    assert "nothing to load" in refused()
    assert "timeout must be more than 0" in refused(data, "--timeout", "0")


def test_a_port_that_is_taken_is_named(data, refused):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = refused(data, "--port", port)
    assert f"port {port}" in told and "choose another --port" in told
