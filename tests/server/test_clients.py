"""Stock clients, as they come: SPARQLWrapper and the stores of rdflib."""

from __future__ import annotations

import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from SPARQLWrapper import CSV, JSON, JSONLD, POST, POSTDIRECTLY, RDFXML, TURTLE, XML, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed, Unauthorized

from tests.server.conftest import TOKEN

E = "http://e.org/"
ANCESTORS = f"SELECT ?x {{ ?x <{E}ancestor> <{E}enos> }}"


@pytest.fixture
def endpoint(client):
    return f"{client.base_url}".rstrip("/") + "/sparql"


def wrapper(endpoint, query, *, method="GET", format=JSON, token=None):
    made = SPARQLWrapper(endpoint)
    made.setMethod(method)
    made.setReturnFormat(format)
    made.setQuery(query)
    if token:
        made.addCustomHttpHeader("Authorization", f"Bearer {token}")
    return made


@pytest.mark.parametrize("method", ["GET", POST])
def test_sparqlwrapper_selects(endpoint, method):
    found = wrapper(endpoint, ANCESTORS, method=method).queryAndConvert()

    assert {row["x"]["value"] for row in found["results"]["bindings"]} == {E + "eve", E + "seth"}


def test_sparqlwrapper_posts_queries_directly(endpoint):
    asked = wrapper(endpoint, ANCESTORS, method=POST)
    asked.setRequestMethod(POSTDIRECTLY)

    assert len(asked.queryAndConvert()["results"]["bindings"]) == 2


def test_sparqlwrapper_selects_in_other_formats(endpoint):
    as_xml = wrapper(endpoint, ANCESTORS, format=XML).queryAndConvert()
    as_csv = wrapper(endpoint, ANCESTORS, format=CSV).queryAndConvert()

    assert E + "eve" in as_xml.toxml()
    assert sorted(as_csv.decode().split()) == [E + "eve", E + "seth", "x"]


def test_sparqlwrapper_asks(endpoint):
    assert wrapper(endpoint, f"ASK {{ <{E}eve> a <{E}Parent> }}").queryAndConvert()["boolean"] is True


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
@pytest.mark.parametrize("format", [RDFXML, TURTLE, JSONLD])
def test_sparqlwrapper_constructs(endpoint, format):
    found = wrapper(
        endpoint, f"CONSTRUCT {{ ?x a <{E}Old> }} {{ ?x <{E}ancestor> ?y }}", format=format
    ).queryAndConvert()
    graph = found if isinstance(found, Graph) else Graph().parse(data=found, format="turtle")

    assert set(graph.subjects()) == {URIRef(E + "eve"), URIRef(E + "seth")}


def test_sparqlwrapper_updates_with_the_token_and_not_without(endpoint):
    insert = f"INSERT DATA {{ <{E}enos> <{E}ancestor> <{E}kenan> }}"
    with pytest.raises(Unauthorized):
        wrapper(endpoint, insert, method=POST).query()

    wrapper(endpoint, insert, method=POST, token=TOKEN).query()

    assert wrapper(endpoint, f"ASK {{ <{E}eve> <{E}ancestor> <{E}kenan> }}").queryAndConvert()["boolean"] is True


def test_sparqlwrapper_tells_a_malformed_query(endpoint):
    with pytest.raises(QueryBadFormed, match="line 1, column"):
        wrapper(endpoint, "SELECT ?x { ?x }").query()


def test_the_store_of_rdflib_reads(endpoint):
    graph = Graph(SPARQLStore(endpoint))

    assert (URIRef(E + "eve"), URIRef(E + "ancestor"), URIRef(E + "enos")) in graph
    assert {str(x) for x in graph.subjects(URIRef(E + "ancestor"), None)} == {E + "eve", E + "seth"}
    assert [str(row.x) for row in graph.query(ANCESTORS + " ORDER BY ?x")] == [E + "eve", E + "seth"]


def test_the_update_store_of_rdflib_reads_and_writes(endpoint):
    store = SPARQLUpdateStore(endpoint, endpoint, headers={"Authorization": f"Bearer {TOKEN}"}, autocommit=False)
    graph = Graph(store, identifier=DATASET_DEFAULT_GRAPH_ID)
    triple = (URIRef(E + "enos"), URIRef(E + "name"), Literal('En"os', lang="en"))

    graph.add(triple)
    graph.add((URIRef(E + "enos"), URIRef(E + "ancestor"), URIRef(E + "kenan")))
    store.commit()
    assert triple in graph and (URIRef(E + "eve"), URIRef(E + "ancestor"), URIRef(E + "kenan")) in graph
    graph.remove(triple)
    store.update(f"DELETE WHERE {{ <{E}enos> <{E}ancestor> ?x }}")
    store.commit()

    assert triple not in graph
    assert (URIRef(E + "eve"), URIRef(E + "ancestor"), URIRef(E + "kenan")) not in graph
