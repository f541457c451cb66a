"""Everything that reads what others write: documents to begin from, and how one is read.

A reader takes bytes and ends well or raises a ``ReasonerError``; anything else is a finding. Documents to begin from
are here, and more are taken from the reference material beside the project if it is there.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import socket
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from loaders.load import parse_text
from loaders.tables import Column, TableTemplate, TextTable
from ontologies.evolution.parse_script import parse_script
from ontologies.read import read_ontology
from ontologies.translate import translate
from reasoner import Reasoner
from reasoner.documents.assertions import table_triples
from reasoner.evolution.journal import Journal
from reasoner.rules.parser import parse_rules
from reasoner.rules.printer import print_rule
from reasoner.server import Settings, background
from reasoner.state.delta_formats import read_changes
from reasoner.store.manifest import Manifest
from tests.campaigns.record import ROOT

Read = Callable[[bytes], None]

CONFORMANCE = ROOT.parent / "shared" / "conformance"
_LONGEST_SEED = 4000
E = "http://e.org/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: documents to begin from, what makes it in a fresh process, and how often it has its turn."""

    name: str
    seeds: tuple[bytes, ...]
    make: Callable[[ExitStack], Read]
    share: int = 10


class UnclearAnswer(Exception):
    """An answer of a server that no request should get."""


def readers() -> list[Reader]:
    """Return all readers, with the documents of the reference material if it is there."""
    turtle, lines = (_given("rdf/rdf_syntax_tests", "format", name, "input_b64") for name in ("turtle", "ntriples"))
    queries = _given("sparql/sparql_tests", "type", "QueryEval", "query")
    axioms = _given("owl2/owl2_tests", "status", "Approved", "premise")
    return [
        Reader("N-Triples", _bytes(NTRIPLES, *lines), partial(_rdf, "ntriples")),
        Reader("N-Quads", _bytes(NQUADS, *lines), partial(_rdf, "nquads")),
        Reader("Turtle", _bytes(TURTLE, *turtle), partial(_rdf, "turtle")),
        Reader("TriG", _bytes(TRIG, TURTLE, *turtle), partial(_rdf, "trig")),
        Reader("RDF/XML", _bytes(RDFXML, RDFXML_ENTITIES), partial(_rdf, "rdfxml")),
        Reader("JSON-LD", _bytes(JSONLD), partial(_rdf, "jsonld")),
        Reader("functional syntax", _bytes(FUNCTIONAL, FUNCTIONAL_DATA), partial(_ontology, "functional")),
        Reader("OWL/XML", _bytes(OWLXML), partial(_ontology, "owlxml")),
        Reader("OWL as triples", _bytes(OWL_TRIPLES, *axioms), partial(_ontology, "turtle"), 4),
        Reader("rules", _bytes(_text("tests/rules/golden/family.rules"), RULES), _rules),
        Reader("SPARQL queries", _bytes(*QUERIES, *queries), _query, 8),
        Reader("SPARQL updates", _bytes(*UPDATES), _update, 8),
        Reader("RDF Patch", _bytes(PATCH), _patch),
        Reader("evolution scripts", _bytes(_text("examples/data/release-2.evolve"), SCRIPT), _script, 6),
        Reader("templates", _bytes(TEMPLATE), _template, 6),
        Reader("tables", _bytes(TABLE), _table, 4),
        Reader("manifests", _bytes(MANIFEST), _manifest),
        Reader("journals", _bytes(JOURNAL), _journal, 4),
        Reader("HTTP", _bytes(*REQUESTS), _http, 2),
    ]


def _bytes(*texts: str | bytes) -> tuple[bytes, ...]:
    return tuple(text.encode() if isinstance(text, str) else text for text in texts if len(text) <= _LONGEST_SEED)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _given(name: str, key: str, value: str, wanted: str) -> list[bytes]:
    """Return what cases of the reference material have under a name, the shorter ones, nothing where it is not."""
    path = CONFORMANCE / f"{name}.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        cases = [case for case in map(json.loads, stream) if case.get(key) == value and case.get(wanted)]
    decode = base64.b64decode if wanted.endswith("_b64") else str.encode
    return [data for data in (decode(case[wanted]) for case in cases) if len(data) <= _LONGEST_SEED]


def _rdf(format: str, stack: ExitStack) -> Read:
    return lambda data: _ignore(parse_text(data, format, f"{E}base"))


def _ontology(format: str, stack: ExitStack) -> Read:
    def read(data: bytes) -> None:
        ontology = read_ontology(io.BytesIO(data), format=format, base=E)
        translate(ontology, "dlp")

    return read


def _decoded(data: bytes) -> str:
    """Decode as the callers of a reader of texts may: what is no UTF-8 becomes lone surrogates."""
    return data.decode(errors="surrogateescape")


def _rules(stack: ExitStack) -> Read:
    def read(data: bytes) -> None:
        for rule in parse_rules(_decoded(data)):
            print_rule(rule)

    return read


def _small_store() -> Any:
    kb = Reasoner(profile="none")
    kb.add(parse_text(TURTLE, "turtle", E))
    kb.materialise()
    return kb


def _query(stack: ExitStack) -> Read:
    kb = _small_store()

    def read(data: bytes) -> None:
        found = kb.query(_decoded(data), timeout=5)
        _ignore(found.to_json() if hasattr(found, "to_json") else str(found))

    return read


def _update(stack: ExitStack) -> Read:
    stores = [_small_store()]

    def read(data: bytes) -> None:
        if len(stores[0].store.state.explicit) > 500:
            stores[0] = _small_store()
        stores[0].update(_decoded(data))

    return read


def _patch(stack: ExitStack) -> Read:
    def read(data: bytes) -> None:
        # Without a line end it could be the name of a file.
        _ignore(read_changes(_decoded(data) + "\n").request())

    return read


def _script(stack: ExitStack) -> Read:
    kb = _small_store()

    def read(data: bytes) -> None:
        kb.evolve(parse_script(_decoded(data)), dry_run=True)

    return read


def _template(stack: ExitStack) -> Read:
    table = TextTable("people", {"id": Column(["1", None, "a/b"]), "name": Column(["x", "é\"'\\", ""])}, 3)

    def read(data: bytes) -> None:
        _ignore(list(TableTemplate(_decoded(data), {"ex": E}).triples(table, "t")))

    return read


def _table(stack: ExitStack) -> Read:
    path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "table.csv"

    def read(data: bytes) -> None:
        path.write_bytes(data)
        table_triples(str(path), f"<{E}{{id}}> <{E}name> {{name}} .", {}, "t")

    return read


def _manifest(stack: ExitStack) -> Read:
    return lambda data: _ignore(Manifest.from_json(data, Path("manifests/00000007.json")).paths)


def _journal(stack: ExitStack) -> Read:
    kb = _small_store()
    path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "evolution.jsonl"

    def read(data: bytes) -> None:
        path.write_bytes(data)
        _ignore(Journal.in_memory(path).standing(kb))

    return read


def _http(stack: ExitStack) -> Read:
    """Send requests to a server on loopback; whatever they are, it answers, refuses them, or hangs up."""

    address = stack.enter_context(
        background(_small_store(), Settings(port=0, updates=True, timeout=5, head_timeout=1, grace=0.1))
    )
    port = int(address.rstrip("/").rpartition(":")[2])

    def read(data: bytes) -> None:
        answer = b""
        with socket.create_connection(("127.0.0.1", port), timeout=8) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while len(answer) < 1 << 16 and (more := connection.recv(1 << 16)):
                    answer += more
                    if b"text/event-stream" in answer:
                        break
            except (ConnectionResetError, BrokenPipeError):
                return
        status = answer[9:12]
        if status.startswith(b"5") and status not in (b"501", b"503", b"507"):
            raise UnclearAnswer(answer[:500].decode(errors="replace"))

    return read


def _ignore(_: object) -> None:
    """Take a value that only had to be made."""


def document(data: Iterable[str]) -> str:
    return "\n".join(data) + "\n"


NTRIPLES = document(
    [
        f"<{E}s> <{E}p> <{E}o> .",
        f'_:b <{E}p> "text \\u00e9 \\n \\"q\\""@en-GB . # said',
        f'<{E}s> <{E}p> "1"^^<{XSD}integer>.',
        "",
        f"<{E}é> <{E}p> _:b1.x .",
    ]
)
NQUADS = document([f"<{E}s> <{E}p> <{E}o> <{E}g> .", f'_:b <{E}p> "x" _:g .', f'<{E}s> <{E}p> "y"@de .'])
TURTLE = f"""@prefix : <{E}> . @prefix owl: <{OWL}> .
PREFIX xsd: <{XSD}>
:a :p :b, "x"@en, 1, 2.5, 1e3, true ; :q [ :r ( 1 :c "two" ) ] .
:a owl:sameAs :a2 . <rel> a :C . '''long''' .
""".replace(" '''long''' .", ' :d :p """long "text" """, "1"^^xsd:byte .')
TRIG = f"@prefix : <{E}> .\n:g {{ :a :p :b . }}\nGRAPH <{E}h> {{ :a :p [ :q 1 ] }}\n{{ :x :y :z }}\n"
RDFXML = f"""<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="{E}" xml:base="{E}doc">
 <e:C rdf:about="#a" e:name="n"><e:p rdf:resource="b"/><e:q xml:lang="en">x &amp; y</e:q>
  <e:r rdf:parseType="Collection"><rdf:Description rdf:nodeID="n1"/></e:r>
  <e:s rdf:parseType="Literal"><b>bold</b></e:s><e:t rdf:datatype="{XSD}integer">1</e:t></e:C>
</rdf:RDF>
"""
RDFXML_ENTITIES = f"""<!DOCTYPE rdf:RDF [<!ENTITY e "{E}"><!ENTITY f "&e;f#">]>
<rdf:RDF xmlns:rdf="{RDF}" xmlns="&f;">
<rdf:Description rdf:about="&e;a"><p rdf:ID="x">&lt;</p></rdf:Description></rdf:RDF>
"""
JSONLD = json.dumps(
    {
        "@context": {"e": E, "p": {"@id": "e:p", "@type": "@id"}, "l": {"@id": "e:l", "@container": "@list"}},
        "@id": "e:a",
        "@type": "e:C",
        "p": ["e:b", {"@id": "_:c"}],
        "l": [1, 2.5, True, None, {"@value": "x", "@language": "en"}],
        "@graph": [{"@id": "e:d", "e:q": {"@value": "1", "@type": XSD + "integer"}}],
        "@reverse": {"e:r": {"@id": "e:f"}},
    }
)
FUNCTIONAL = f"""Prefix(:=<{E}>) Prefix(owl:=<{OWL}>) Prefix(xsd:=<{XSD}>)
Ontology(<{E}o> <{E}o/1> Import(<{E}other>) Annotation(:note "x"@en)
 Declaration(Class(:A)) SubClassOf(:A ObjectSomeValuesFrom(:p ObjectIntersectionOf(:B ObjectComplementOf(:C))))
 EquivalentClasses(:A ObjectUnionOf(:B :C)) DisjointClasses(:A :B) HasKey(:A (:p) (:d))
 SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r) InverseObjectProperties(:p ObjectInverseOf(:q))
 ClassAssertion(ObjectMaxCardinality(1 :p :B) :a) SameIndividual(:a _:b) )
"""
FUNCTIONAL_DATA = f"""Prefix(:=<{E}>) Prefix(xsd:=<{XSD}>) Ontology( # a comment
 DataPropertyRange(:d DatatypeRestriction(xsd:integer <{XSD}minInclusive> "1"^^xsd:integer))
 DataPropertyAssertion(:d :a "12"^^xsd:byte) NegativeObjectPropertyAssertion(:p :a :b)
 SubClassOf(Annotation(:n :x) :A DataHasValue(:d "x \\" y")) ObjectPropertyDomain(:p ObjectOneOf(:a :b))
 DLSafeRule(Body(ClassAtom(:A Variable(<urn:x>))) Head(ClassAtom(:B Variable(<urn:x>)))) )
"""
OWLXML = f"""<?xml version="1.0"?><Ontology xmlns="{OWL}" xml:base="{E}" ontologyIRI="{E}o">
<Prefix name="" IRI="{E}"/><Declaration><Class IRI="#A"/></Declaration>
<SubClassOf><Class abbreviatedIRI=":A"/><ObjectSomeValuesFrom><ObjectProperty IRI="p"/><ObjectUnionOf><Class IRI="B"/>
<Class IRI="C"/></ObjectUnionOf></ObjectSomeValuesFrom></SubClassOf>
<DataPropertyAssertion><DataProperty IRI="d"/><NamedIndividual IRI="a"/><Literal datatypeIRI="{XSD}integer">1</Literal>
</DataPropertyAssertion>
<ObjectPropertyChain/><TransitiveObjectProperty><ObjectProperty IRI="p"/></TransitiveObjectProperty>
</Ontology>
""".replace("<ObjectPropertyChain/>", "")
OWL_TRIPLES = f"""@prefix : <{E}> . @prefix owl: <{OWL}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom [ owl:intersectionOf ( :B :C ) ] ] .
:p owl:propertyChainAxiom ( :q [ owl:inverseOf :r ] ) . [] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .
:A owl:hasKey ( :p ) ; owl:equivalentClass [ owl:oneOf ( :a :b ) ] . :a a :A .
[] a owl:Axiom ; owl:annotatedSource :a ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget "x" .
"""
RULES = f"""@prefix : <{E}> .
?x :ancestor ?z :- ?x :parent ?y, ?y :ancestor ?z, not ?x :dead true, ?y != ?z .
[named] false :- ?x :age ?n, ?n < 0 . :a :p "x"^^<{XSD}token> .
"""
QUERIES = (
    f"PREFIX : <{E}> SELECT ?s (COUNT(*) AS ?n) {{ ?s :p+ ?o OPTIONAL {{ ?o :q/^:r* ?v FILTER(?v > 1) }} }} "
    "GROUP BY ?s HAVING(COUNT(*) > 0) ORDER BY DESC(?n) LIMIT 3",
    f"PREFIX : <{E}> ASK {{ {{ :a ?p ?o }} UNION {{ ?o !(:p|^:q) [] }} MINUS {{ ?o a :C }} "
    "VALUES (?p) { (:p) (UNDEF) } }",
    f"CONSTRUCT {{ ?s <{E}x> ( ?o 1 ) }} WHERE {{ GRAPH ?g {{ ?s ?p ?o }} "
    "BIND(REPLACE(STR(?o), '(x)', '$1y', 'i') AS ?z) }",
    "SELECT * { ?s ?p ?o FILTER(REGEX(STR(?o), '^[a-z]+$') && LANG(?o) = 'en' || EXISTS { ?o ?q ?r }) }",
    "SELECT (GROUP_CONCAT(DISTINCT ?o; SEPARATOR=', ') AS ?all) (SUM(?o * 2.5 + 1e2) AS ?sum) { ?s ?p ?o }",
    'DESCRIBE ?s WHERE { { SELECT DISTINCT ?s { ?s ?p "x"@en } } FILTER NOT EXISTS { ?s ?q 7 } }',
    f"PREFIX xsd: <{XSD}> SELECT (STRDT('1', xsd:byte) AS ?a) (SUBSTR('abc', 2) AS ?b) (ROUND(-2.5) AS ?c) "
    "(YEAR('2001-02-03T04:05:06Z'^^xsd:dateTime) AS ?y) (IF(1 IN (2, 1), 'y', 1/0) AS ?i) {}",
)
UPDATES = (
    f"PREFIX : <{E}> INSERT DATA {{ :s :p 1, 'x'@en . GRAPH :g {{ :s :p _:b }} }} ; DELETE DATA {{ :a :p :b }}",
    f"WITH <{E}g> DELETE {{ ?s ?p ?o }} INSERT {{ ?o ?p ?s }} USING <{E}g> WHERE {{ ?s ?p ?o FILTER(isIRI(?o)) }}",
    "DELETE WHERE { ?s ?p 1 } ; CLEAR SILENT GRAPH <urn:none> ; DROP NAMED ; CREATE GRAPH <urn:g>",
    f"COPY DEFAULT TO <{E}g> ; MOVE <{E}g> TO <{E}h> ; ADD <{E}h> TO DEFAULT",
)
PATCH = document(
    [
        "H id <uuid:0686c69d> .",
        "TX .",
        f'PA "e" "{E}" .',
        f"A <{E}s> <{E}p> _:b .",
        f'D <{E}s> <{E}p> "x"@en <{E}g> .',
        "TC .",
        "TX .",
        f"A <{E}s> <{E}p> <_:c> .",
        "TA .",
    ]
)
SCRIPT = f"""prefix : <{E}>
step "one" # a remark
  add SubClassOf(:A ObjectSomeValuesFrom(:p :B))
  add {{ :a :p :b ; :q "x"@en . :x a :A ; :p :b . :y a :A . }}
  add rule [r] ?x :q ?y :- ?x :p ?y .
  rename :B to :D
step "two"
  split :A into :A1 where {{ ?x :p :b }}, :A2 where ObjectSomeValuesFrom(:p :D), :A3 otherwise
  remove {{ :a :p :b . }}
  remove rule [r]
step "three"
  move :A1 under :D
  deprecate :A2 replaced by :A1 "a reason"
  merge :A1, :A3 into :A4
"""
TEMPLATE = f"""PREFIX ex: <{E}>
<{E}person/{{id}}> a ex:Person ; ex:name {{name}}, "{{name}} x"@en, {{id}}^^<{XSD}token> ;
  ex:page <urn:{{id}}> ; ex:q [ ex:r ex:{{id}} ] . # {{c}}
"""
TABLE = 'id,name,"born, when"\n1,"a ""b""",2001-02-03\n2,é,\n"3\n4",x,y\n'
MANIFEST = json.dumps(
    {
        "format": 2,
        "version": 7,
        "parent": 6,
        "created": "2001-02-03T04:05:06.000+00:00",
        "settings": {"profile": "none", "equality": "rewrite"},
        "counts": {"explicit": 3},
        "costs": {"join": 0.5},
        "tables": {
            "explicit": [
                {"path": "data/explicit/00000001-base-all.parquet", "rows": 3, "bytes": 9, "kind": "base", "crc": 5}
            ]
        },
    }
)
JOURNAL = document(
    json.dumps(line)
    for line in (
        {
            "begin": 1,
            "step": "one",
            "script": "<script>",
            "prefixes": {"": E},
            "time": "2001-02-03T04:05:06+00:00",
            "added": [[f"<{E}a>", f"<{E}p>", f"<{E}b>", None]],
            "removed": [[f"<{E}a>", f"<{E}p>", '"x"', f"<{E}g>"]],
            "rules added": [f"[r] ?x <{E}q> ?y :- ?x <{E}p> ?y ."],
            "rules removed": [],
        },
        {"end": 1, "applied": True},
        {"begin": 2, "undo": 1, "time": "2001-02-03T04:05:07+00:00"},
    )
)


def _request(head: str, body: str = "", media: str = "") -> str:
    lines = [head + " HTTP/1.1", "Host: localhost", "Connection: close"]
    if media:
        lines += [f"Content-Type: {media}", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join(lines) + "\r\n\r\n" + body


REQUESTS = (
    _request("GET /sparql?query=SELECT%20*%20%7B%3Fs%20%3Fp%20%3Fo%7D&default-graph-uri=urn:x"),
    _request("POST /sparql", QUERIES[3], "application/sparql-query"),
    _request("POST /sparql", "query=ASK%20%7B%7D&timeout=1", "application/x-www-form-urlencoded"),
    _request("POST /update", UPDATES[0], "application/sparql-update"),
    _request("PUT /data?graph=urn:g", TURTLE, "text/turtle"),
    _request("POST /data?default", NTRIPLES, "application/n-triples"),
    _request("GET /data?graph=urn:g"),
    _request("DELETE /graphs/g"),
    _request("GET /subscribe?query=SELECT%20%3Fs%20%7B%3Fs%20%3Fp%20%3Fo%7D"),
    _request("GET /api/overview"),
    _request("GET /api/resource?iri=http://e.org/a"),
    _request("POST /api/why", json.dumps({"triple": f"<{E}a> <{E}p> <{E}b>"}), "application/json"),
    _request("POST /api/evolve", json.dumps({"script": SCRIPT, "dry_run": True}), "application/json"),
    _request("GET /api/ontology"),
    _request("GET /health"),
    _request("GET /metrics"),
)
