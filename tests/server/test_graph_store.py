"""The SPARQL 1.1 Graph Store HTTP Protocol."""

from __future__ import annotations

import pytest
from rdflib import Graph
from rdflib.compare import isomorphic

TURTLE = {"Content-Type": "text/turtle"}
PLAIN = {"Accept": "application/n-triples"}
SETH = "<http://e.org/seth> a <http://e.org/Mother> .\n"
EMPTY = ""
G = "http://e.org/g"

# Where a graph can be: the default one, one that is named by a parameter, and one that is named by its URL.
PLACES = ("/data?default", f"/data?graph={G}", "/graphs/some/graph")


def ask(client, query):
    return client.get("/sparql", params={"query": query}).json()["boolean"]


def test_the_default_graph_is_read_with_what_it_entails(client):
    response = client.get("/data?default", headers=PLAIN)

    assert response.status_code == 200
    assert "<http://e.org/eve> <http://e.org/ancestor> <http://e.org/enos> ." in response.text


def test_the_default_graph_can_be_replaced(client):
    response = client.put("/data?default", content=SETH, headers=TURTLE)

    assert response.status_code == 204
    assert ask(client, "ASK { <http://e.org/seth> a <http://e.org/Mother> }")
    assert not ask(client, "ASK { <http://e.org/eve> ?p ?o }")
    assert client.get("/health").json()["version"] == 1


def test_triples_can_be_added_to_the_default_graph(client):
    assert client.post("/data?default", content=SETH, headers=TURTLE).status_code == 204
    assert ask(
        client, "ASK { <http://e.org/seth> a <http://e.org/Parent> . <http://e.org/eve> a <http://e.org/Parent> }"
    )


def test_the_default_graph_can_be_emptied_and_is_there_all_the_same(client):
    assert client.delete("/data?default").status_code == 204
    assert not ask(client, "ASK { <http://e.org/eve> ?p ?o }")
    assert client.get("/data?default").status_code == 200


@pytest.mark.parametrize("place", PLACES[1:])
def test_a_named_graph_lives_and_dies(client, place):
    assert client.get(place).status_code == 404
    assert client.delete(place).status_code == 404
    made = client.put(place, content=SETH, headers=TURTLE)
    assert made.status_code == 201 and made.headers["location"].startswith("http://")
    assert client.get(place, headers=PLAIN).text == (
        "<http://e.org/seth> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Mother> .\n"
    )
    assert client.head(place).status_code == 200
    # What it holds is reasoned over with everything else.
    assert ask(client, "ASK { <http://e.org/seth> a <http://e.org/Parent> }")

    assert client.post(place, content="<http://e.org/a> a <http://e.org/B> .", headers=TURTLE).status_code == 204
    assert len(client.get(place, headers=PLAIN).text.splitlines()) == 2
    assert client.put(place, content="<http://e.org/a> a <http://e.org/B> .", headers=TURTLE).status_code == 204
    assert not ask(client, "ASK { <http://e.org/seth> a <http://e.org/Parent> }")
    assert client.delete(place).status_code == 204
    assert client.get(place).status_code == 404
    assert ask(client, "ASK { <http://e.org/eve> a <http://e.org/Parent> }")


def test_a_graph_that_is_posted_nowhere_gets_a_name(client):
    response = client.post("/data", content=SETH, headers=TURTLE)

    assert response.status_code == 201
    place = response.headers["location"]
    assert place.startswith(f"{client.base_url}".rstrip("/") + "/graphs/")
    assert "http://e.org/seth" in client.get(place).text


def test_datasets_can_be_chosen_by_the_protocol(client):
    client.put(f"/data?graph={G}", content=SETH, headers=TURTLE)
    count = "SELECT (COUNT(*) AS ?n) FROM <http://e.org/other> { ?s ?p ?o }"

    chosen = client.get("/sparql", params={"query": count, "default-graph-uri": G}).json()
    named = client.post("/sparql", data={"query": "SELECT ?g { GRAPH ?g { ?s ?p ?o } }", "named-graph-uri": G}).json()

    assert chosen["results"]["bindings"][0]["n"]["value"] == "1"
    assert [row["g"]["value"] for row in named["results"]["bindings"]] == [G]


def test_the_dataset_of_an_update_can_be_chosen_by_the_protocol(client):
    client.put(f"/data?graph={G}", content=SETH, headers=TURTLE)
    insert = "INSERT { ?x a <http://e.org/Found> } WHERE { ?x a <http://e.org/Mother> }"

    response = client.post("/update", data={"update": insert, "using-graph-uri": G})

    assert response.status_code == 200
    assert ask(client, "ASK { <http://e.org/seth> a <http://e.org/Found> }")
    assert not ask(client, "ASK { <http://e.org/eve> a <http://e.org/Found> }")
    twice = client.post("/update", data={"update": f"WITH <{G}> {insert}", "using-graph-uri": G})
    assert twice.status_code == 400 and "WITH" in twice.text


def test_what_was_asserted_and_what_follows_can_be_read_apart(client):
    asserted = client.get("/data?graph=urn:reasoner:asserted", headers=PLAIN).text
    inferred = client.get("/data?graph=urn:reasoner:inferred", headers=PLAIN).text

    follows = "<http://e.org/eve> <http://e.org/ancestor> <http://e.org/enos> ."
    assert follows in inferred and follows not in asserted
    assert len(asserted.splitlines()) == 5
    refused = client.put("/data?graph=urn:reasoner:inferred", content=SETH, headers=TURTLE)
    assert refused.status_code == 400 and "urn:reasoner" in refused.text


DOCUMENTS = {
    "text/turtle": "@prefix : <http://e.org/> . :s :p [ :q 1, 'x'@en ] .",
    "application/n-triples": '<http://e.org/s> <http://e.org/p> _:b .\n_:b <http://e.org/q> "x"@en .\n',
    "application/rdf+xml": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">
        <rdf:Description rdf:about="http://e.org/s"><e:p rdf:parseType="Resource"><e:q>x</e:q></e:p></rdf:Description>
        </rdf:RDF>""",
    "application/ld+json": '{"@id": "http://e.org/s", "http://e.org/p": {"http://e.org/q": "x"}}',
}
_FORMATS = {"text/turtle": "turtle", "application/n-triples": "nt", "application/rdf+xml": "xml"}


@pytest.mark.parametrize("media", DOCUMENTS)
def test_every_syntax_that_is_read_comes_back_the_same(serve, media):
    from reasoner import Reasoner

    client = serve(Reasoner(profile="none"), updates=True)

    stored = client.put("/data?default", content=DOCUMENTS[media], headers={"Content-Type": media})

    assert stored.status_code == 204, stored.text
    given = Graph().parse(data=DOCUMENTS[media], format=_FORMATS.get(media, "json-ld"))
    kept = Graph().parse(data=client.get("/data?default", headers=PLAIN).text, format="nt")
    assert isomorphic(given, kept)


def test_blank_nodes_of_two_documents_are_different(client):
    for _ in range(2):
        client.post("/data?default", content="_:b <http://e.org/only> 1 .", headers=TURTLE)

    response = client.get("/sparql", params={"query": "SELECT ?b { ?b <http://e.org/only> 1 }"})

    assert len(response.json()["results"]["bindings"]) == 2


def test_relative_names_are_resolved_against_the_graph(client):
    client.put("/data?graph=http://e.org/folder/g", content="<#me> <p> <../q> .", headers=TURTLE)

    text = client.get("/data?graph=http://e.org/folder/g", headers=PLAIN).text

    assert text == "<http://e.org/folder/g#me> <http://e.org/folder/p> <http://e.org/q> .\n"


@pytest.mark.parametrize(
    ("path", "content", "media", "status", "told"),
    [
        ("/data?default", "<http://e.org/a> <http://e.org/b> .", "text/turtle", 400, ":1:"),
        ("/data?default", "x", "image/png", 415, "text/turtle"),
        ("/data?default", "x", "application/n-quads", 415, "text/turtle"),
        ("/data?graph=relative", SETH, "text/turtle", 400, "no absolute IRI"),
        ("/data?graph=http://e.org/a%3E%20x", SETH, "text/turtle", 400, "no absolute IRI"),
        ("/data?default&graph=http://e.org/a", SETH, "text/turtle", 400, "two graphs"),
        ("/data", SETH, "text/turtle", 400, "names no graph"),
        (
            "/data?default",
            '{"@id": "http://e.org/g", "@graph": [{"@id": "http://e.org/s", "http://e.org/p": 1}]}',
            "application/ld+json",
            400,
            "graph <http://e.org/g> of its own",
        ),
    ],
)
def test_what_cannot_be_stored_is_refused_and_changes_nothing(client, path, content, media, status, told):
    response = client.put(path, content=content, headers={"Content-Type": media})

    assert response.status_code == status
    assert told in response.text
    assert client.get("/health").json()["version"] == 0
