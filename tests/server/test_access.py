"""Who may change something."""

from __future__ import annotations

import pytest

from reasoner import ReasonerError
from reasoner.server import Settings
from tests.server.conftest import TOKEN

INSERT = "INSERT DATA { <http://e.org/a> <http://e.org/b> <http://e.org/c> }"


def changes(client, **headers):
    """Try every way to change something, and return the answers."""
    return [
        client.post("/update", data={"update": INSERT}, headers=headers),
        client.post("/sparql", data={"update": INSERT}, headers=headers),
        client.post("/sparql", content=INSERT, headers={"Content-Type": "application/sparql-update", **headers}),
        client.put("/data?default", content="", headers={"Content-Type": "text/turtle", **headers}),
        client.post("/data?default", content="", headers={"Content-Type": "text/turtle", **headers}),
        client.post("/data", content="", headers={"Content-Type": "text/turtle", **headers}),
        client.delete("/data?default", headers=headers),
        client.put("/graphs/g", content="", headers={"Content-Type": "text/turtle", **headers}),
        client.delete("/graphs/g", headers=headers),
    ]


def test_updates_are_off_unless_asked_for(serve):
    client = serve()

    answers = changes(client, Authorization="Bearer anything")

    assert {answer.status_code for answer in answers} == {403}
    assert "--update" in answers[0].text
    assert client.get("/health").json()["version"] == 0


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN])
def test_a_bad_token_is_refused_everywhere(serve, authorization):
    client = serve(updates=True, token=TOKEN)

    answers = changes(client, Authorization=authorization)

    assert {answer.status_code for answer in answers} == {401}
    assert {answer.headers["www-authenticate"].split()[0] for answer in answers} == {"Bearer"}
    assert client.get("/health").json()["version"] == 0


def test_the_token_is_for_updates_and_not_for_queries(serve):
    client = serve(updates=True, token=TOKEN)

    assert client.get("/sparql", params={"query": "ASK {}"}, headers={"Authorization": ""}).status_code == 200
    assert client.post("/update", data={"update": INSERT}).status_code == 200


def test_without_a_token_web_pages_of_others_may_not_change_anything(serve):
    client = serve(updates=True, origins=("https://mine.example",))

    assert {answer.status_code for answer in changes(client, Origin="https://evil.example")} == {403}
    assert (
        client.post("/update", data={"update": INSERT}, headers={"Origin": "https://mine.example"}).status_code == 200
    )
    assert client.post("/update", data={"update": INSERT}).status_code == 200


def test_web_sites_are_told_what_they_may_do(serve):
    client = serve(origins=("https://mine.example",))
    wish = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}

    mine = client.options("/sparql", headers={"Origin": "https://mine.example", **wish})
    other = client.options("/sparql", headers={"Origin": "https://evil.example", **wish})

    assert mine.status_code == 200 and mine.headers["access-control-allow-origin"] == "https://mine.example"
    assert "access-control-allow-origin" not in other.headers
    assert "access-control-allow-origin" not in serve().get("/health", headers={"Origin": "https://a.example"}).headers


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.1", "::", "example.org"])
def test_updates_for_the_whole_network_need_a_token(host):
    with pytest.raises(ReasonerError, match="open to everybody"):
        Settings(host=host, updates=True)
    assert Settings(host=host, updates=True, token="t").token == "t"
    assert Settings(host=host).updates is False


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_updates_on_this_machine_do_not(host):
    assert Settings(host=host, updates=True).is_local


@pytest.mark.parametrize(
    "wrong",
    [
        {"port": 70000},
        {"timeout": 0},
        {"most_rows": -1},
        {"readers": 0},
        {"most_body": 0},
        {"token": ""},
        {"token": "a b"},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ReasonerError):
        Settings(**wrong)
