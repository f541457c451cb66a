"""The JSON API that the workbench is made of, and that everybody else may use."""

from __future__ import annotations

import json
import threading
import time

import httpx
import pytest

from loaders.load import parse_text
from reasoner import Reasoner
from tests.server.conftest import TOKEN

E = "http://e.org/"
SAME, TYPE = "<http://www.w3.org/2002/07/owl#sameAs>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
PEOPLE = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Mother a owl:Class ; rdfs:subClassOf :Parent ; rdfs:label "Mother"@en , "Mutter"@de . :Parent a owl:Class .
:Rock a owl:Class ; owl:disjointWith :Parent .
:ancestor a owl:TransitiveProperty , owl:ObjectProperty . :passport a owl:InverseFunctionalProperty .
:eve a :Mother ; :ancestor :seth ; :passport "7" ; rdfs:label "Eve <script>alert(1)</script>" .
:hawwah :passport "7" ; skos:prefLabel "Hawwah" .
:seth :ancestor :enos . :enos :ancestor :kenan .
"""


def people() -> Reasoner:
    kb = Reasoner()
    kb.add(parse_text(PEOPLE, "turtle"))
    return kb


def iri(name: str) -> str:
    return f"<{E}{name}>"


def spo(s: str, p: str, o: str) -> dict[str, str]:
    return {"s": iri(s), "p": p if p.startswith("<") else iri(p), "o": iri(o)}


@pytest.fixture
def client(serve):
    return serve(people())


@pytest.fixture
def writing(serve):
    return serve(people(), updates=True, token=TOKEN)


def asked(client: httpx.Client, path: str, **parameters: object) -> dict:
    answer = client.get(f"/api/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_api_lists_itself(client):
    listed = client.get("/api/").json()

    assert "/api/why" in listed and listed["/api/why"]["methods"] == ["GET"]
    for path, part in listed.items():
        assert client.get(path).status_code != 404 or "GET" not in part["methods"], path


def test_the_overview_counts_what_the_summary_counts(client):
    told, summary = asked(client, "overview"), people().materialise()

    assert told["counts"]["explicit"] == summary.explicit
    assert told["counts"]["inferred"] == summary.inferred
    assert told["counts"]["classes"] == summary.classes == 1
    assert told["profile"] == "owl2rl" and told["version"] == 0
    assert told["access"] == {"updates": False, "token": False, "timeout": 30.0}
    assert told["since"] <= time.time()


def test_sizes_of_the_vocabulary_are_those_that_queries_count(client):
    told = asked(client, "vocabulary")
    text = "SELECT ?x (COUNT(*) AS ?n) { %s } GROUP BY ?x"

    for part, pattern in (("classes", "?s a ?x"), ("properties", "?s ?x ?o")):
        answer = client.get("/sparql", params={"query": text % pattern}).json()["results"]["bindings"]
        counted = {f"<{row['x']['value']}>": int(row["n"]["value"]) for row in answer if row["x"]["type"] == "uri"}
        asserted = client.get(
            "/sparql", params={"query": text % f"GRAPH <urn:reasoner:asserted> {{ {pattern} }}"}
        ).json()["results"]["bindings"]
        stated = {f"<{row['x']['value']}>": int(row["n"]["value"]) for row in asserted}
        assert {row["term"]: row["facts"] for row in told[part]} == counted
        assert {row["term"]: row["asserted"] for row in told[part] if row["asserted"]} == {
            name: number for name, number in stated.items() if name in counted
        }
    assert E in told["prefixes"].values()
    assert {row["term"]: row.get("label") for row in told["classes"]}[iri("Mother")] == '"Mother"@en'


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("mot", iri("Mother")),
        ("MUTTER", iri("Mother")),
        ("haww", iri("hawwah")),
        ("eno", iri("enos")),
        ("http://e.org/seth", iri("seth")),
        ("e.org/ken", iri("kenan")),
        ("nces", iri("ancestor")),
        ("script", iri("eve")),
    ],
)
def test_search_finds_terms_by_name_label_and_iri(client, text, first):
    assert asked(client, "search", q=text)["results"][0]["term"] == first


def test_search_finds_classes_before_their_many_members(serve):
    kb = Reasoner(profile="none")
    kb.add([(iri(f"Student{n}"), TYPE, iri("Student")) for n in range(6000)])
    kb.add([(iri("Student7"), TYPE, iri("StudentOfLaw"))])
    found = [row["term"] for row in asked(serve(kb), "search", q="stud", limit=5)["results"]]

    assert found[:2] == [iri("Student"), iri("StudentOfLaw")] and len(found) == 5


@pytest.mark.parametrize("text", ["", "   ", "nothing is called so", "\\", "[", "%", "é" * 600])
def test_search_for_nothing_finds_nothing(client, text):
    assert asked(client, "search", q=text)["results"] == []


def test_search_follows_commits(writing):
    assert asked(writing, "search", q="methuselah")["results"] == []
    writing.post("/update", data={"update": f"INSERT DATA {{ <{E}Methuselah> <{E}ancestor> <{E}lamech> }}"})
    assert asked(writing, "search", q="methuselah")["results"][0]["term"] == iri("Methuselah")
    writing.post("/update", data={"update": f"DELETE DATA {{ <{E}Methuselah> <{E}ancestor> <{E}lamech> }}"})
    assert asked(writing, "search", q="methuselah")["results"] == []


def test_a_resource_has_names_types_and_statements_of_both_directions(client):
    told = asked(client, "resource", term=iri("hawwah"))

    assert {name["term"] for name in told["names"]} == {iri("eve"), iri("hawwah")} and told["name_count"] == 2
    types = {each["term"]: each["asserted"] for each in told["types"]}
    assert types[iri("Mother")] is False and iri("Parent") in types
    out = {group["predicate"]: group for group in told["out"]}
    assert out[iri("ancestor")]["count"] == 3 and out[iri("ancestor")]["asserted"] == 0
    assert out[iri("passport")]["asserted"] == 1
    assert {group["predicate"] for group in asked(client, "resource", term=iri("enos"))["in"]} >= {iri("ancestor")}


def test_a_resource_tells_what_queries_tell(client):
    for name in ("eve", "seth", "Mother", "ancestor"):
        told = asked(client, "resource", term=iri(name))
        for direction, pattern in (("out", f"{iri(name)} ?p ?x"), ("in", f"?x ?p {iri(name)}")):
            answer = client.get("/sparql", params={"query": f"SELECT ?p (COUNT(*) AS ?n) {{ {pattern} }} GROUP BY ?p"})
            counted = {f"<{row['p']['value']}>": int(row["n"]["value"]) for row in answer.json()["results"]["bindings"]}
            assert {group["predicate"]: group["count"] for group in told[direction]} == counted


def test_statements_come_in_pages_that_make_up_the_whole(serve):
    kb = Reasoner(profile="none")
    kb.add([(iri(f"n{n}"), iri("in"), iri("all")) for n in range(120)])
    client = serve(kb)

    whole = asked(client, "statements", term=iri("all"), direction="in", limit=1000)
    pages = [
        asked(client, "statements", term=iri("all"), direction="in", offset=first, limit=50)["statements"]
        for first in range(0, 150, 50)
    ]

    assert whole["count"] == whole["asserted"] == 120
    assert [row for page in pages for row in page] == whole["statements"]
    assert len({tuple(row["triple"]) for row in whole["statements"]}) == 120
    assert asked(client, "statements", term=iri("all"), predicate=iri("other"), direction="in")["count"] == 0


def test_names_say_why_they_are_names(client):
    (link,) = asked(client, "names", term=iri("eve"))["links"]

    assert link["term"] == iri("hawwah") and "prp-ifp" in link["rules"] and link["leaves"] >= 3


def test_a_proof_ends_in_explicit_facts_and_names_its_rules(client):
    told = asked(client, "why", **spo("eve", "ancestor", "kenan"), most=3)
    proof = told["proofs"][0]
    steps = {step["id"]: step for step in proof["steps"]}

    assert steps[proof["goal"]]["rule"] == "prp-trp"
    assert {tuple(step["triple"]) for step in steps.values() if step["kind"] == "explicit"} >= {
        (iri("eve"), iri("ancestor"), iri("seth")),
        (iri("seth"), iri("ancestor"), iri("enos")),
    }
    assert len(told["proofs"]) >= 2


def test_what_does_not_hold_has_no_proof(client):
    answer = client.get("/api/why", params=spo("kenan", "ancestor", "eve"))

    assert answer.status_code == 404 and "does not hold" in answer.text


def test_a_rehearsed_removal_tells_what_a_real_one_does(writing):
    rehearsed = asked(writing, "without", **spo("seth", "ancestor", "enos"))
    before = asked(writing, "overview")
    assert asked(writing, "why", **spo("eve", "ancestor", "kenan"))["proofs"]

    writing.post("/update", data={"update": f"DELETE DATA {{ <{E}seth> <{E}ancestor> <{E}enos> }}"})
    after = asked(writing, "overview")

    lost = before["counts"]["expanded"] - after["counts"]["expanded"]
    assert rehearsed["counts"]["lost"] == lost and before["version"] == 0
    assert [iri("eve"), iri("ancestor"), iri("kenan")] in rehearsed["lost"]
    assert rehearsed["still_holds"] is False


def test_a_rehearsed_removal_may_split_names_and_leave_a_fact_that_follows(serve):
    kb = people()
    kb.add([(iri("eve"), iri("ancestor"), iri("enos"))])
    client = serve(kb)

    assert asked(client, "without", **spo("eve", "ancestor", "enos"))["still_holds"] is True
    split = asked(client, "without", s=iri("hawwah"), p=iri("passport"), o='"7"')
    assert split["classes_split"] and split["counts"]["classes_split"] == 1
    answer = client.get("/api/without", params=spo("eve", "ancestor", "kenan"))
    assert answer.status_code == 404 and "not explicit" in answer.text
    assert asked(client, "overview")["version"] == 0


def test_violations_come_with_their_rule_and_facts(serve):
    kb = people()
    kb.add([(iri("eve"), TYPE, iri("Rock"))])
    (first, *_) = asked(serve(kb), "violations")["violations"]

    assert first["rule"] == "cax-dw" and [iri("eve"), TYPE, iri("Rock")] in first["triples"]


def test_a_plan_tells_the_operators_of_a_query(client):
    text = f"SELECT ?x {{ ?x a <{E}Parent> . ?x <{E}ancestor> ?y FILTER(STRLEN(STR(?y)) > 1) }}"
    steps = asked(client, "plan", query=text)["steps"]

    assert {"Project", "Filter"} <= {step["name"] for step in steps}
    assert client.post("/api/plan", data={"query": text}).json()["steps"][0]["rows"] == steps[0]["rows"]
    assert client.get("/api/plan", params={"query": "SELECT"}).status_code == 400
    assert client.get("/api/plan").status_code == 400


def test_the_ontology_is_a_hierarchy_with_counts(serve):
    kb = people()
    kb.add(
        parse_text(
            """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Being rdfs:subClassOf [ owl:unionOf ( :Parent :Rock ) ] .""",
            "turtle",
        )
    )
    told = asked(serve(kb), "ontology")
    classes = {row["term"]: row for row in told["classes"]}

    assert classes[iri("Mother")]["above"] == [iri("Parent")] and classes[iri("Mother")]["facts"] == 2
    assert iri("ancestor") in {row["term"] for row in told["properties"]}
    assert told["outside_count"] == len(told["outside"]) == 1 and "ObjectUnionOf" in told["outside"][0]["reason"]


SCRIPT = 'prefix : <http://e.org/>\nstep "mothers are women"\n  add SubClassOf(:Mother :Woman)\n'


def test_a_script_is_rehearsed_applied_and_taken_back(writing):
    rehearsed = writing.post("/api/evolution", json={"script": SCRIPT}).json()
    assert rehearsed["applied"] is False and rehearsed["consistent"] is True
    assert asked(writing, "overview")["version"] == 0

    applied = writing.post("/api/evolution", json={"script": SCRIPT, "dry_run": False}).json()
    assert applied["applied"] is True and applied["version"] == 1
    assert asked(writing, "why", **spo("eve", TYPE, "Woman"))["proofs"]
    assert [step["name"] for step in asked(writing, "evolution")["steps"]] == ["mothers are women"]

    back = writing.post("/api/evolution/undo", json={"dry_run": False}).json()
    assert back["undo"] is True and back["applied"] is True
    assert writing.get("/api/why", params=spo("eve", TYPE, "Woman")).status_code == 404
    assert asked(writing, "evolution")["steps"] == []


def test_a_script_of_two_steps_is_one_commit_and_two_entries(writing):
    script = SCRIPT + 'step "women are persons"\n  add SubClassOf(:Woman :Person)\n'

    applied = writing.post("/api/evolution", json={"script": script, "dry_run": False}).json()

    assert applied["version"] == 1 and len(applied["steps"]) == 2
    assert len(asked(writing, "evolution")["steps"]) == 2
    assert writing.post("/api/evolution/undo", json={"last": 2, "dry_run": False}).json()["version"] == 2
    assert writing.get("/api/why", params=spo("eve", TYPE, "Person")).status_code == 404


def test_a_script_that_contradicts_the_data_is_refused_with_its_report(writing):
    script = "prefix : <http://e.org/>\nadd { :eve a :Rock . }"

    told = writing.post("/api/evolution", json={"script": script, "dry_run": False}).json()

    assert told["applied"] is False and told["consistent"] is False and "inconsistent" in told["refused"]
    assert asked(writing, "overview")["version"] == 0
    bears = {"script": script, "dry_run": False, "allow_inconsistent": True}
    assert writing.post("/api/evolution", json=bears).json()["applied"] is True
    assert asked(writing, "violations")["violations"]


def test_evolution_is_for_those_who_may_write(serve):
    reading, guarded = serve(people()), serve(people(), updates=True, token=TOKEN)
    apply = {"script": SCRIPT, "dry_run": False}

    assert reading.post("/api/evolution", json={"script": SCRIPT}).status_code == 200, "a rehearsal changes nothing"
    assert reading.post("/api/evolution", json=apply).status_code == 403
    assert reading.post("/api/evolution/undo", json={"dry_run": False}).status_code == 403
    for wrong in ("", "Bearer wrong"):
        headers = {"Authorization": wrong}
        assert guarded.post("/api/evolution", json=apply, headers=headers).status_code == 401
        assert guarded.post("/api/evolution", json={"script": SCRIPT}, headers=headers).status_code == 401
    assert asked(guarded, "overview")["version"] == asked(reading, "overview")["version"] == 0


def test_the_text_of_a_script_is_never_a_path(writing, tmp_path):
    path = tmp_path / "secret.evolve"
    path.write_text(SCRIPT, encoding="utf-8")

    answer = writing.post("/api/evolution", json={"script": str(path)})

    assert answer.status_code == 400 and "mothers" not in answer.text


@pytest.mark.parametrize("body", ["[]", "{", '{"script": 1}', '{"script": "x", "dry_run": "no"}', "{}"])
def test_a_body_that_makes_no_sense_is_refused(writing, body):
    answer = writing.post("/api/evolution", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400
    assert writing.post("/api/evolution", content=body, headers={"Content-Type": "text/plain"}).status_code == 415


def test_commits_are_told_with_their_deltas_and_violations(writing):
    assert asked(writing, "commits")["commits"] == []
    writing.post("/update", data={"update": f"INSERT DATA {{ <{E}eve> a <{E}Rock> }}"})
    writing.post("/update", data={"update": f"DELETE DATA {{ <{E}eve> a <{E}Rock> }}"})
    deadline = time.monotonic() + 20
    while len(found := asked(writing, "commits")["commits"]) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)

    came, went = found
    assert [iri("eve"), TYPE, iri("Rock")] in came["asserted_added"] and came["counts"]["asserted_added"] == 1
    assert {violation["rule"] for violation in came["violations_appeared"]} == {"cax-dw"}
    assert len(went["violations_went"]) == len(came["violations_appeared"])


def test_the_stream_of_commits_is_heard_by_several_and_resumed(writing):
    heard: dict[str, list[dict]] = {"a": [], "b": []}
    ready = threading.Barrier(3)

    def listen(name: str) -> None:
        with (
            httpx.Client(base_url=writing.base_url, timeout=30, trust_env=False) as own,
            own.stream("GET", "/api/commits?stream=1") as answer,
        ):
            lines = answer.iter_lines()
            assert next(lines).startswith("retry")
            ready.wait(20)
            for line in lines:
                if line.startswith("data: "):
                    heard[name].append(json.loads(line[6:]))
                    if len(heard[name]) == 2:
                        return

    threads = [threading.Thread(target=listen, args=(name,), daemon=True) for name in heard]
    for thread in threads:
        thread.start()
    ready.wait(20)
    for name in ("x", "y"):
        writing.post("/update", data={"update": f"INSERT DATA {{ <{E}{name}> a <{E}Mother> }}"})
    for thread in threads:
        thread.join(20)

    assert [entry["number"] for entry in heard["a"]] == [1, 2] and heard["a"] == heard["b"]
    with writing.stream("GET", "/api/commits?stream=1", headers={"Last-Event-ID": "1"}) as answer:
        ids = (line for line in answer.iter_lines() if line.startswith("id: "))
        assert next(ids) == "id: 2"


@pytest.mark.parametrize(
    ("path", "parameters", "status"),
    [
        ("nothing", {}, 404),
        ("resource", {}, 400),
        ("resource", {"term": "not a term"}, 400),
        ("resource", {"term": "<http://e.org/unknown>"}, 404),
        ("statements", {"term": "<http://e.org/eve>", "direction": "up"}, 400),
        ("statements", {"term": "<http://e.org/eve>", "offset": "-1"}, 400),
        ("why", {"s": "<http://e.org/eve>"}, 400),
        ("evolution/undo", {}, 405),
    ],
)
def test_questions_that_make_no_sense_are_refused(client, path, parameters, status):
    answer = client.get(f"/api/{path}", params=parameters)

    assert answer.status_code == status and answer.text.strip()


def test_a_store_from_disk_is_explained_as_well(serve, tmp_path):
    people().save(tmp_path / "store")
    with Reasoner.open(tmp_path / "store") as kb:
        client = serve(kb, updates=True)

        assert asked(client, "why", **spo("eve", "ancestor", "kenan"))["proofs"]
        assert asked(client, "overview")["store_version"] == 1
        assert asked(client, "without", **spo("seth", "ancestor", "enos"))["counts"]["lost"] > 1
        assert client.post("/api/evolution", json={"script": SCRIPT, "dry_run": False}).json()["applied"] is True
        told = asked(client, "evolution")
        assert [step["name"] for step in told["steps"]] == ["mothers are women"]
        assert [version["number"] for version in told["versions"]][-1] == 2


def test_an_empty_store_answers_everything(serve):
    client = serve(Reasoner(profile="none"))

    assert asked(client, "overview")["counts"]["expanded"] == 0
    assert asked(client, "vocabulary")["classes"] == [] and asked(client, "ontology")["classes"] == []
    assert asked(client, "search", q="a")["results"] == [] and asked(client, "violations")["violations"] == []
    assert client.get("/api/resource", params={"term": iri("a")}).status_code == 404


def test_time_limits_hold_for_the_api(serve):
    kb = Reasoner(profile="none")
    kb.add([(iri(f"n{n}"), iri("p"), iri(f"n{n + 1}")) for n in range(3000)])
    client = serve(kb, timeout=0.3)
    text = f"SELECT (COUNT(*) AS ?n) {{ ?a <{E}p>* ?b }}"

    assert client.get("/api/plan", params={"query": text}).status_code == 503


def test_a_script_whose_version_cannot_be_written_is_recorded_as_not_applied(serve, tmp_path):
    folder = tmp_path / "store"
    people().save(folder)
    with Reasoner.open(folder) as kb:
        client = serve(kb, updates=True)
        first = (folder / "CURRENT").read_bytes()
        assert client.post("/update", data={"update": "INSERT DATA { <urn:a> <urn:b> <urn:c> }"}).status_code == 200
        second = (folder / "CURRENT").read_bytes()
        # As if somebody else had gone back to the version before: a commit finds that out when it is written.
        (folder / "CURRENT").write_bytes(first)

        refused = client.post("/api/evolution", json={"script": SCRIPT, "dry_run": False})

        assert refused.status_code >= 400
        assert asked(client, "evolution")["steps"] == []
        (folder / "CURRENT").write_bytes(second)
        assert client.post("/api/evolution", json={"script": SCRIPT, "dry_run": False}).json()["applied"] is True
        assert [step["name"] for step in asked(client, "evolution")["steps"]] == ["mothers are women"]
        assert client.post("/api/evolution/undo", json={"dry_run": False}).status_code == 200
        assert asked(client, "evolution")["steps"] == []


def test_a_rehearsal_ends_at_the_time_limit_and_leaves_everything_as_it_was(serve):
    kb = Reasoner(profile="none")
    kb.add([(iri(f"n{n}"), iri("next"), iri(f"n{n + 1}")) for n in range(60_000)])
    client = serve(kb, timeout=0.3)
    # One fact a round along a chain that no module closes: some twenty seconds.
    far, following, start = iri("far"), iri("next"), iri("n0")
    first = f"add rule [first] {start} {far} ?y :- {start} {following} ?y ."
    more = f"add rule [more] {start} {far} ?z :- {start} {far} ?y, ?y {following} ?z ."

    given_up = client.post("/api/evolution", json={"script": f"{first}\n{more}"})

    assert given_up.status_code == 503 and "time limit" in given_up.text, given_up.text
    assert kb.session.lock.acquire(timeout=8), "commits still wait for the rehearsal that was given up"
    kb.session.lock.release()
    assert client.get("/health").json()["version"] == 0
