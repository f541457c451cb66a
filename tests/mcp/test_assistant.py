"""The tools for assistants, called by a client of the official SDK over standard input and output."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from reasoner import Reasoner
from reasoner.mcp.tools import MOST_CHARACTERS, AssistantTools

ROOT = Path(__file__).resolve().parents[2]

FAMILY = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Mother rdfs:subClassOf :Parent . :Parent rdfs:subClassOf :Person . :Person owl:disjointWith :Robot .
:ancestor a owl:TransitiveProperty .
:eve a :Mother ; rdfs:label "Eve of the garden" ; :ancestor :seth . :seth :ancestor :enos . :eve owl:sameAs :eva .
"""

READING = {
    *("overview", "search", "query", "describe", "explain", "entails", "violations"),
    *("rehearse_update", "rehearse_evolution"),
}
WRITING = {"apply_update", "apply_evolution", "undo_evolution"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "family.ttl"
    path.write_text(FAMILY)
    return path


@pytest.fixture
def store(tmp_path: Path, data: Path) -> Path:
    folder = tmp_path / "store"
    kb = Reasoner()
    kb.load(data)
    kb.materialise()
    kb.save(folder)
    return folder


def with_client(words: list[str], talk: Callable[[Client], Awaitable[None]]) -> None:
    """Start ``reasoner mcp`` as a process, connect the SDK's own client to it, and talk."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "reasoner", "mcp", "-q", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    async def main() -> None:
        with anyio.fail_after(60):
            async with Client(stdio_client(server)) as client:
                await talk(client)

    anyio.run(main)


async def told(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return "\n".join(part.text for part in result.content)


def test_a_client_asks_explains_and_rehearses_and_the_store_stays_as_it_is(store):
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == READING
        assert all(tool.description and tool.annotations.read_only_hint for tool in tools)
        assert "Call overview first" in (client.instructions or "")

        overview = await told(client, "overview")
        assert "profile: owl2rl" in overview and ": <http://e.org/>" in overview and ":Person  " in overview
        assert ":eve" in await told(client, "search", text="garden")

        answers = await told(client, "query", sparql="SELECT ?x { ?x a :Person } ORDER BY ?x")
        assert answers.splitlines()[:3] == ["?x", ":eva", ":eve"] and "prefixes: : <http://e.org/>" in answers
        assert await told(client, "query", sparql="ASK { :eve :ancestor :enos }") == "yes"

        described = await told(client, "describe", term=":eve")
        assert "also called: :eva" in described
        assert "asserted  :eve a :Mother" in described and "inferred  :eve a :Person" in described

        proof = await told(client, "explain", triple=":eva a :Person")
        assert "cax-sco" in proof and ":eve owl:sameAs :eva   asserted" in proof
        assert "does not hold" in await told(client, "explain", triple=":seth a :Person")

        assert (await told(client, "entails", turtle=":Mother rdfs:subClassOf :Person .")).startswith("entailed")
        assert (await told(client, "entails", turtle=":Person rdfs:subClassOf :Mother .")).startswith("not entailed")
        assert "consistent" in await told(client, "violations")

        rehearsed = await told(client, "rehearse_update", sparql_update="INSERT DATA { :eva a :Robot }")
        assert "nothing was changed" in rehearsed and "violations that appear: " in rehearsed
        assert "cax-dw" in rehearsed and ":eve a :Robot" in rehearsed
        removal = await told(client, "rehearse_update", sparql_update="DELETE DATA { :eve owl:sameAs :eva }")
        assert "names split: :eve = :eva became" in removal or "names split: :eva = :eve became" in removal

        script = "remove SubClassOf(:Parent :Person)"
        report = await told(client, "rehearse_evolution", script=script)
        assert "- SubClassOf(:Parent :Person)" in " ".join(report.split()) and "nothing was changed" in report
        assert await told(client, "query", sparql="ASK { :eve a :Person }") == "yes"

    before = sorted((path.name, path.stat().st_mtime_ns) for path in store.rglob("*"))
    with_client([str(store)], talk)

    assert sorted((path.name, path.stat().st_mtime_ns) for path in store.rglob("*")) == before


def test_with_updates_a_client_changes_the_store_on_disk(store):
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == READING | WRITING
        assert not any(tool.annotations.read_only_hint for tool in tools if tool.name in WRITING)

        assert "applied; version" in await told(client, "apply_update", sparql_update="INSERT DATA { :seth a :Parent }")
        refused = await told(client, "apply_evolution", script="add DisjointClasses(:Parent :Mother)")
        assert "Refused" in refused and "INCONSISTENT" in refused
        assert "applied: 1 step" in await told(client, "apply_evolution", script="add SubClassOf(:Person :Agent)")
        assert await told(client, "query", sparql="ASK { :seth a :Agent }") == "yes"
        assert "taken back: 1 step" in await told(client, "undo_evolution")

    with_client([str(store), "--updates"], talk)

    kb = Reasoner.open(store)
    with kb:
        assert kb.query("ASK { <http://e.org/seth> a <http://e.org/Person> }").askAnswer
        assert not kb.query("ASK { <http://e.org/seth> a <http://e.org/Agent> }").askAnswer


def test_errors_are_told_and_the_server_goes_on(data):
    async def talk(client: Client) -> None:
        for tool, arguments, expected in (
            ("query", {"sparql": "SELEC ?x {}"}, "SELEC"),
            ("describe", {"term": ":nobody"}, "search"),
            ("explain", {"triple": ":eve"}, "expected a predicate"),
            ("rehearse_update", {"sparql_update": "LOAD <file:///etc/hostname>"}, "INSERT DATA"),
            ("rehearse_evolution", {"script": "ad SubClassOf(:a :b)"}, "add"),
            ("entails", {"turtle": ":a :b"}, "1"),
            ("apply_update", {"sparql_update": "CLEAR ALL"}, "apply_update"),
        ):
            result = await client.call_tool(tool, arguments)
            assert result.is_error and expected in result.content[0].text, (tool, result.content)
        assert await told(client, "query", sparql="ASK { :eve a :Person }") == "yes"

    with_client([str(data)], talk)


def test_large_answers_are_cut_with_a_note():
    kb = Reasoner(profile="none")
    kb.add((f"<http://e.org/{n}>", "<http://e.org/p>", f'"{"x" * 40}{n}"') for n in range(5000))
    tools = AssistantTools(kb)

    few = tools.query("SELECT * { ?s ?p ?o }", limit=10)
    assert len(few.splitlines()) == 12 and "[cut: 10 of 5,000 answers shown; raise limit" in few
    many = tools.query("SELECT * { ?s ?p ?o }", limit=10**9)
    assert "[cut: 1,000 of 5,000 answers shown" in many or "more lines do not fit" in many
    assert len(many) < MOST_CHARACTERS + 1000
    rehearsed = tools.rehearse_update("DELETE WHERE { ?s ?p ?o }")
    assert "asserted: +0 -5,000" in rehearsed and "[cut: 40 of 5,000 facts shown" in rehearsed
    assert len(kb.query("SELECT * { ?s ?p ?o }")) == 5000


def test_standard_input_is_not_taken_for_data(capsys):
    from reasoner.cli import main

    assert main(["mcp", "-"]) == 2
    assert "carries the protocol" in capsys.readouterr().err
