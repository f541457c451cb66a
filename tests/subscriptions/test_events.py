"""Server-sent events: changes with the versions they lead to, over a real connection."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from reasoner.server import events as server_events
from tests.server.conftest import TOKEN, client, serve  # noqa: F401

PARENTS = "PREFIX : <http://e.org/> SELECT ?x { ?x a :Parent }"


def read_events(response: httpx.Response) -> Iterator[dict[str, str]]:
    """Yield events as an EventSource would, and comments as fields without a name."""
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        else:
            if "retry" not in fields:
                yield fields
            fields = {}


def insert(client: httpx.Client, text: str) -> int:  # noqa: F811
    response = client.post("/update", data={"update": f"PREFIX : <http://e.org/> {text}"})
    assert response.status_code == 200, response.text
    return int(response.json()["version"])


def test_a_stream_tells_the_answers_and_then_every_change(client):  # noqa: F811
    with client.stream("GET", "/subscribe", params={"query": PARENTS, "initial": "1"}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = read_events(response)
        first = next(events)
        assert first["event"] == "answers" and first["id"] == "0"
        assert json.loads(first["data"])["added"] == [{"x": "<http://e.org/eve>"}]

        with httpx.Client(base_url=client.base_url, headers=client.headers, trust_env=False) as other:
            unheard = insert(other, "INSERT DATA { :a :p :b }")
            version = insert(other, "INSERT DATA { :ann a :Mother }")
        change = next(events)

    assert change["event"] == "change" and change["id"] == str(version) == str(unheard + 1)
    assert json.loads(change["data"]) == {"added": [{"x": "<http://e.org/ann>"}], "removed": []}


def test_who_comes_back_too_late_is_told_all_answers(client):  # noqa: F811
    version = insert(client, "INSERT DATA { :ann a :Mother }")
    with client.stream("GET", "/subscribe", params={"query": PARENTS}, headers={"Last-Event-ID": "0"}) as response:
        late = next(read_events(response))
    assert late["event"] == "answers" and len(json.loads(late["data"])["added"]) == 2

    with client.stream("GET", "/subscribe", params={"query": PARENTS}, headers={"Last-Event-ID": str(version)}) as kept:
        with httpx.Client(base_url=client.base_url, headers=client.headers, trust_env=False) as other:
            insert(other, "DELETE DATA { :ann a :Mother }")
        assert next(read_events(kept))["event"] == "change"


def test_silence_is_broken_by_a_heartbeat(client, monkeypatch):  # noqa: F811
    monkeypatch.setattr(server_events, "_HEARTBEAT", 0.25)
    with client.stream("GET", "/subscribe", params={"query": PARENTS}) as response:
        assert next(read_events(response)) == {"": "nothing new"}


def test_a_client_that_falls_behind_is_told_to_begin_anew(client, monkeypatch):  # noqa: F811
    monkeypatch.setattr(server_events, "_MOST_WAITING", 0)
    with client.stream("GET", "/subscribe", params={"query": PARENTS, "initial": "true"}) as response:
        assert [event["event"] for event in read_events(response)] == ["overflow"]


def test_there_are_only_so_many_subscribers_and_leaving_makes_room(client, monkeypatch):  # noqa: F811
    monkeypatch.setattr(server_events, "_MOST_SUBSCRIBERS", 1)
    with client.stream("GET", "/subscribe", params={"query": PARENTS, "initial": "1"}) as response:
        events = read_events(response)
        next(events)
        with client.stream("GET", "/subscribe", params={"query": PARENTS}) as refused:
            assert refused.status_code == 503
    for _ in range(100):
        with client.stream("GET", "/subscribe", params={"query": PARENTS}) as response:
            if response.status_code == 200:
                break
    assert response.status_code == 200


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (None, "parameter query"),
        ("CONSTRUCT { ?x ?p ?y } WHERE { ?x ?p ?y }", "use SELECT or ASK"),
        ("SELECT ?x { ?x", "expected"),
    ],
)
def test_what_cannot_be_streamed_is_a_bad_request(client, query, message):  # noqa: F811
    response = client.get("/subscribe", params={} if query is None else {"query": query})

    assert response.status_code == 400 and message.lower() in response.text.lower()
