"""Tables in: values of any column into IRIs and literals, by templates or as terms, and errors with their place."""

from __future__ import annotations

import datetime
import decimal
import io
from urllib.parse import unquote

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.cli import main
from reasoner.rules.errors import ReasonerError

XSD = "http://www.w3.org/2001/XMLSchema#"
EX = "http://ex.org/"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
TEMPLATE = "PREFIX ex: <http://ex.org/>\n<http://ex.org/p/{id}> a ex:Person ; ex:name {name} ; ex:age {age} ."
ROWS = {"id": ["a/b", "c d"], "name": ['Ann "A"', None], "age": [61, 33]}
EXPECTED = {
    (f"<{EX}p/a%2Fb>", TYPE, f"<{EX}Person>"),
    (f"<{EX}p/a%2Fb>", f"<{EX}name>", r'"Ann \"A\""'),
    (f"<{EX}p/a%2Fb>", f"<{EX}age>", f'"61"^^<{XSD}integer>'),
    (f"<{EX}p/c%20d>", TYPE, f"<{EX}Person>"),
    (f"<{EX}p/c%20d>", f"<{EX}age>", f'"33"^^<{XSD}integer>'),
}


def triples_of(table: object, template: str | None = None) -> set[tuple[str, str, str]]:
    kb = Reasoner(profile="none", equality="none")
    kb.add_table(table, template)
    return set(kb.triples())


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_a_template_makes_triples_of_the_tables_of_all_libraries(make):
    assert triples_of(make(ROWS), TEMPLATE) == EXPECTED


def test_files_of_csv_and_parquet_give_the_same(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('id,name,age\na/b,"Ann ""A""",61\nc d,,33\n', encoding="utf-8")
    pq.write_table(pa.table(ROWS), tmp_path / "people.parquet")

    assert triples_of(path, TEMPLATE) == triples_of(tmp_path / "people.parquet", TEMPLATE) == EXPECTED


def test_columns_have_the_datatypes_of_their_types():
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
    table = pa.table(
        {
            "b": [True],
            "f": [1.5],
            "n": [float("inf")],
            "d": [decimal.Decimal("1.50")],
            "day": [datetime.date(2026, 1, 2)],
            "t": [moment],
            "c": pa.array(["x"]).dictionary_encode(),
        }
    )
    template = (
        "<urn:s> <urn:b> {b} ; <urn:f> {f} ; <urn:n> {n} ; <urn:d> {d} ; <urn:day> {day} ; <urn:t> {t} ; <urn:c> {c}"
    )

    assert {o for _, _, o in triples_of(table, template)} == {
        f'"true"^^<{XSD}boolean>',
        f'"1.5"^^<{XSD}double>',
        f'"INF"^^<{XSD}double>',
        f'"1.50"^^<{XSD}decimal>',
        f'"2026-01-02"^^<{XSD}date>',
        f'"2026-01-02T03:04:05+00:00"^^<{XSD}dateTime>',
        '"x"',
    }


def test_columns_of_csv_are_numbers_only_if_nothing_is_lost(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip;n;x;day;note\n00123;1;1.50;2026-01-02;a,b\n99999;;2;2026-01-03;\n", encoding="utf-8")

    found = triples_of(path, "<urn:{zip}> <urn:zip> {zip} ; <urn:n> {n} ; <urn:x> {x} ; <urn:d> {day} ; <urn:c> {note}")

    assert {(p, o) for s, p, o in found if s == "<urn:00123>"} == {
        ("<urn:zip>", '"00123"'),
        ("<urn:n>", f'"1"^^<{XSD}integer>'),
        ("<urn:x>", f'"1.50"^^<{XSD}decimal>'),
        ("<urn:d>", f'"2026-01-02"^^<{XSD}date>'),
        ("<urn:c>", '"a,b"'),
    }
    assert len(found) == 8


def test_templates_have_prefixes_tags_text_whole_iris_and_blank_nodes():
    table = pa.table({"id": ["é x", "b"], "home": ["http://h.org/?a=b", None], "first": ["Ann", "Bob"]})
    template = """# people
    PREFIX ex: <http://ex.org/>
    ex:{id} foaf:homepage <{home}> ; rdfs:label "Dr. {first}"@en , {first}@de ; ex:day "2026-01-02"^^xsd:date ;
        ex:code {first}^^ex:code ; ex:card [ ex:of ex:{id} ] .  # the end"""

    found = triples_of(table, template)

    first = {(p.rpartition("/")[2].rpartition("#")[2], o) for s, p, o in found if s == "<http://ex.org/é%20x>"}
    assert {
        ("homepage>", "<http://h.org/?a=b>"),
        ("label>", '"Dr. Ann"@en'),
        ("label>", '"Ann"@de'),
        ("code>", '"Ann"^^<http://ex.org/code>'),
    } <= first
    assert len({s for s, p, _ in found if p == "<http://ex.org/of>"}) == 2
    assert not any(p.endswith("homepage>") and s == "<http://ex.org/b>" for s, p, _ in found)


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20))
def test_any_value_becomes_one_step_of_a_path_and_one_literal(value):
    ((s, _, o),) = triples_of(pa.table({"v": [value]}), "<http://e.org/{v}> <http://e.org/p> {v} .")

    step = s.removeprefix("<http://e.org/")[:-1]
    assert not set(step) & set('/?#<>"{}|^`\\ %') or "%" in step
    assert "/" not in step and unquote(step) == value
    assert str(rdflib.util.from_n3(o)) == value


@pytest.mark.parametrize("names", [("s", "p", "o"), ("Subject", "predicate", "OBJECT")])
def test_three_columns_hold_terms(names):
    columns = zip(names, (["<urn:a>"], ["<urn:p>"], ['"x"@en']), strict=True)
    kb = Reasoner(profile="none")

    report = kb.load(pd.DataFrame(dict(columns)))

    assert report.statements == 1 and list(kb.triples()) == [("<urn:a>", "<urn:p>", '"x"@en')]


@pytest.mark.parametrize(
    ("text", "template", "message"),
    [
        ("s,p,o\n<urn:a>,<urn:p>,<urn:b>\n<urn:a>,<urn:p>,urn:b\n", None, r"t\.csv, row 3, column o: urn:b is not"),
        ("s,p,o\n<urn:a>,,<urn:b>\n", None, r"t\.csv, row 2, column p is empty"),
        ("id,name\n1,x\n", None, r"t\.csv has the columns id, name: give a template"),
        ("id\n1\n", "<urn:{no}> a <urn:C>", r"t\.csv has no column no, which the template names; it has id"),
        ("id\nno iri\n", "<{id}> a <urn:C>", r"t\.csv, row 2, column id: 'no iri' is no IRI"),
        ("id,name\n1,x\n2\n", "<urn:{id}> a <urn:C>", r"t\.csv, row 3: 1 fields, and there are 2 columns"),
        ("id\n1\n", "<urn:{id}> a", "is no Turtle with columns in braces"),
        ("id\n1\n", "<urn:x> a <urn:C>", "names no column"),
        ("id,id\n1,2\n", "<urn:{id}> a <urn:C>", "two columns of the name 'id'"),
        ("", "<urn:{id}> a <urn:C>", "is empty"),
        ("id\n1\n", "<urn:{id}> <urn:p> {id}^^<urn:{id}>", "the template: a column cannot be a part of a datatype"),
        ("id\n1\n", '<urn:{id}> <urn:p> "x"^^<{id}>', "the template: a column cannot be a part of a datatype"),
        ("id\n1\n", "<urn:{id}> <urn:\ud800> 1", r"the template is no text: it has half of a surrogate pair at 17"),
        ("id\n1\n", "<urn:{id\ud800}> <urn:p> 1", "the template is no text"),
    ],
)
def test_an_error_names_file_row_and_column_and_adds_nothing(tmp_path, text, template, message):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    kb = Reasoner(profile="none")

    with pytest.raises(ReasonerError, match=message):
        kb.load(path, template=template)
    assert list(kb.triples()) == []


def test_a_column_that_no_literal_can_be_made_of_is_named():
    with pytest.raises(ReasonerError, match=r"column v is of type list.*make text of it"):
        triples_of(pa.table({"v": [[1, 2]]}), "<urn:a> <urn:p> {v}")


def test_graphs_of_rdflib_tables_and_files_load_together(tmp_path):
    graph = rdflib.Graph().parse(data="<urn:g> <urn:p> <urn:o> .", format="turtle")
    path = tmp_path / "data.nt"
    path.write_text("<urn:f> <urn:p> <urn:o> .\n")
    kb = Reasoner(profile="none")

    kb.load(graph, pa.table({"s": ["<urn:t>"], "p": ["<urn:p>"], "o": ["<urn:o>"]}), path, graph="<urn:graph>")

    assert {s for s, _, _ in kb.triples()} == {"<urn:g>", "<urn:t>", "<urn:f>"}
    assert kb.graphs() == {"<urn:graph>": 3}
    with pytest.raises(ReasonerError, match="a template is for tables"):
        kb.load(io.BytesIO(b""), template="{x}")


def test_the_command_loads_tables_by_a_template_in_a_file_or_in_the_option(tmp_path, capsys):
    for number in (1, 2):
        (tmp_path / f"people{number}.csv").write_text(f"id,name\n{number},Ann\n", encoding="utf-8")
    template = tmp_path / "people.template"
    template.write_text("PREFIX ex: <http://ex.org/>\nex:{id} ex:name {name} .\n", encoding="utf-8")
    files, store = str(tmp_path / "people*.csv"), str(tmp_path / "store")

    assert main(["load", store, files, "--template", str(template), "-q"]) == 0
    assert main(["materialise", files, "--template", "<urn:{id}> a <urn:C>", "--profile", "none", "-q"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"<urn:{n}> {TYPE} <urn:C> ." for n in (1, 2)]
    assert main(["query", store, "ASK { ex:1 ex:name 'Ann' }", "-q"]) == 0
    assert capsys.readouterr().out.startswith("yes")
    assert main(["check", files]) == 2
    assert "give a template" in capsys.readouterr().err
