"""The SPARQL 1.1 Protocol, request by request."""

from __future__ import annotations

import pytest
from rdflib import Graph

from reasoner.sparql import Result

PARENTS = "SELECT ?x { ?x a <http://e.org/Parent> }"
EVE = [("<http://e.org/eve>",)]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TURTLE = {"Content-Type": "text/turtle"}
INSERT = "INSERT DATA { <http://e.org/ada> a <http://e.org/Mother> }"


def rows(response):
    assert response.status_code == 200, response.text
    return sorted(Result.parse(response.content).texts())


def test_a_query_can_be_sent_in_all_three_ways(client):
    by_get = client.get("/sparql", params={"query": PARENTS})
    by_form = client.post("/sparql", data={"query": PARENTS})
    directly = client.post("/sparql", content=PARENTS, headers={"Content-Type": "application/sparql-query"})

    assert rows(by_get) == rows(by_form) == rows(directly) == EVE
    assert by_get.headers["content-type"] == "application/sparql-results+json"
    assert by_get.headers["vary"] == "Accept"


def test_an_update_can_be_sent_in_both_ways_to_both_places(client):
    for number, path in enumerate(("/sparql", "/update")):
        insert = INSERT.replace("ada", f"ada{number}")
        by_form = client.post(path, data={"update": insert})
        again = client.post(path, content=insert, headers={"Content-Type": "application/sparql-update"})
        assert by_form.status_code == again.status_code == 200
        assert by_form.json()["version"] == again.json()["version"] == number + 1

    assert len(rows(client.get("/sparql", params={"query": PARENTS}))) == 3


def test_what_an_update_entails_is_seen_by_the_next_query(client):
    client.post(
        "/update", data={"update": "DELETE DATA { <http://e.org/seth> <http://e.org/ancestor> <http://e.org/enos> }"}
    )

    answer = client.get(
        "/sparql", params={"query": "ASK { <http://e.org/eve> <http://e.org/ancestor> <http://e.org/enos> }"}
    )

    assert answer.json()["boolean"] is False


def test_a_syntax_error_shows_its_place(client):
    response = client.get("/sparql", params={"query": "SELECT ?x {\n  ?x a }"})

    assert response.status_code == 400
    assert "line 2, column 8" in response.text and response.text.rstrip().endswith("^")
    assert response.headers["content-type"].startswith("text/plain")


def test_a_syntax_error_of_an_update_changes_nothing(client):
    response = client.post("/update", data={"update": INSERT + " ; DELETE"})

    assert response.status_code == 400 and "line 1" in response.text
    assert rows(client.get("/sparql", params={"query": PARENTS})) == EVE


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "one of the fields query and update"),
        ({"query": PARENTS, "update": INSERT}, "one of the fields query and update"),
        ({"query": [PARENTS, PARENTS]}, "query is given 2 times"),
    ],
)
def test_a_form_must_say_one_thing(client, fields, told):
    response = client.post("/sparql", data=fields, headers=FORM)

    assert response.status_code == 400
    assert told in response.text


def test_an_update_by_get_is_refused(client):
    response = client.get("/sparql", params={"update": INSERT})

    assert response.status_code == 400 and "POST" in response.text
    assert client.get("/update").status_code == 405


def test_other_media_types_and_charsets_are_refused(client):
    other = client.post("/sparql", content=PARENTS, headers={"Content-Type": "text/plain"})
    none = client.post("/sparql", content=PARENTS)
    latin = client.post(
        "/sparql", content=PARENTS, headers={"Content-Type": "application/sparql-query; charset=latin-1"}
    )
    packed = client.post(
        "/sparql", content=b"x", headers={"Content-Type": "application/sparql-query", "Content-Encoding": "gzip"}
    )

    assert [response.status_code for response in (other, none, latin, packed)] == [415] * 4
    assert "application/sparql-query" in other.headers["accept-post"]
    assert "latin-1" in latin.text


def test_what_is_not_utf_8_is_refused(client):
    headers = {"Content-Type": "application/sparql-query"}

    response = client.post("/sparql", content=b"ASK { ?x ?y '\xff' }", headers=headers)

    assert response.status_code == 400 and "byte 14" in response.text
    assert client.post("/sparql", content=b"query=\xff", headers=FORM).status_code == 400
    assert client.get("/sparql?query=%FF").status_code == 400


def test_a_construct_keeps_the_prefixes_of_its_query(client):
    query = "PREFIX e: <http://e.org/> CONSTRUCT { ?x a e:P } { ?x a e:Parent }"

    response = client.get("/sparql", params={"query": query})

    assert response.headers["content-type"].startswith("text/turtle")
    assert "e:eve a e:P" in response.text


def test_the_endpoint_describes_itself(client):
    response = client.get("/sparql", headers={"Accept": "application/n-triples"})

    graph = Graph().parse(data=response.text, format="nt")
    sd = "PREFIX sd: <http://www.w3.org/ns/sparql-service-description#> "
    (row,) = graph.query(sd + "SELECT ?e ?r { ?s a sd:Service ; sd:endpoint ?e ; sd:defaultEntailmentRegime ?r }")
    assert str(row.e) == f"{client.base_url}/sparql".replace("//sparql", "/sparql")
    assert str(row.r) == "http://www.w3.org/ns/entailment/OWL-RDF-Based"
    assert graph.query(sd + "ASK { ?s sd:supportedLanguage sd:SPARQL11Update }").askAnswer


def test_the_description_names_the_graphs(client):
    client.put("/data?graph=http://e.org/g", content="<http://e.org/a> a <http://e.org/B> .", headers=TURTLE)

    graph = Graph().parse(data=client.get("/sparql").text, format="turtle")

    sd = "PREFIX sd: <http://www.w3.org/ns/sparql-service-description#> PREFIX void: <http://rdfs.org/ns/void#> "
    (row,) = graph.query(sd + "SELECT * { ?d sd:namedGraph [ sd:name ?name ; sd:graph [ void:triples ?n ] ] }")
    assert (str(row.name), int(row.n)) == ("http://e.org/g", 1)


def test_a_long_query_can_be_sent_by_get(client):
    names = " ".join(f"<http://e.org/{n:06}>" for n in range(1000))

    response = client.get("/sparql", params={"query": f"ASK {{ VALUES ?x {{ {names} <http://e.org/eve> }} ?x ?p ?o }}"})

    assert response.json()["boolean"] is True


def test_a_query_that_is_nested_too_deeply_is_refused(client):
    response = client.get("/sparql", params={"query": "SELECT * " + "{" * 300 + "?s ?p ?o" + "}" * 300})

    assert response.status_code in (200, 400)
    assert response.status_code == 200 or "nested too deeply" in response.text


def test_a_server_without_updates_does_not_claim_them(serve):
    assert "SPARQL11Update" not in serve().get("/sparql").text


def test_load_reads_no_file_of_the_server(client, tmp_path):
    secret = tmp_path / "secret.nt"
    secret.write_text("<http://e.org/a> <http://e.org/b> <http://e.org/c> .")
    hidden = "INSERT { ?a ?b 1 } WHERE { ?a ?b ?c FILTER(?a<<http://e.org/b#>'''\n) } ; "

    for text in (
        f"LOAD <{secret.as_uri()}>",
        rf"\u004cOAD SILENT <{secret.as_uri()}>",
        f"{INSERT} ; load <{secret.as_uri()}>",
    ):
        response = client.post("/update", data={"update": text})
        assert response.status_code == 403, text
        assert "LOAD would read a file of the server" in response.text
    assert client.post("/update", data={"update": hidden + f"LOAD <{secret.as_uri()}> #'''"}).status_code in (400, 403)
    assert client.get("/health").json()["version"] == 0


def test_the_word_load_in_data_is_no_load(client):
    response = client.post("/update", data={"update": 'INSERT DATA { <http://e.org/a> <http://e.org/b> "LOAD it" }'})

    assert response.status_code == 200


def test_an_unknown_page_is_not_found_and_an_unknown_method_not_allowed(client):
    assert client.get("/nothing").status_code == 404
    assert client.delete("/sparql").status_code == 405
    assert "/sparql" in client.get("/").text


def test_head_has_the_headers_of_get_and_no_body(client):
    response = client.head("/sparql", params={"query": PARENTS})

    assert response.status_code == 200 and not response.content
    assert int(response.headers["content-length"]) > 0
