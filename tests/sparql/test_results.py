"""Results: rows, formats there and back, tables of other libraries."""

from __future__ import annotations

import io
import json

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.terms import literal_text
from reasoner.requests import explain_plan, query
from reasoner.rules.errors import ReasonerError
from reasoner.sparql import Result
from tests.sparql.notation import PREFIX, store
from tests.strategies import RANDOM

KB_FACTS = 'a p 1, a p "x", b p _:n, b q "chat"@fr'
ALL = PREFIX + "SELECT ?s ?o ?t { ?s :p ?o OPTIONAL { ?s :q ?t } } ORDER BY ?s ?o"


@pytest.fixture
def result() -> Result:
    return query(store(KB_FACTS), ALL)


def test_rows_are_read_by_place_by_name_and_by_attribute(result):
    row = next(iter(result))

    assert row[0] == row["s"] == row.s == row[rdflib.Variable("s")] == rdflib.URIRef("http://e.org/a")
    assert row.o == rdflib.Literal(1)
    assert row.t is None
    assert row.asdict() == {"s": row.s, "o": row.o}
    with pytest.raises(AttributeError, match="the variables are s, o, t"):
        _ = row.x


def test_a_result_counts_its_rows_and_can_be_read_again(result):
    assert len(result) == 3
    assert result.rows() == result.rows()
    assert result.vars == [rdflib.Variable(name) for name in "sot"]
    assert result.bindings[0] == {rdflib.Variable("s"): result.rows()[0].s, rdflib.Variable("o"): rdflib.Literal(1)}
    assert bool(result)
    assert result.graph is None


def test_terms_are_those_of_rdflib_or_texts():
    kb = store(KB_FACTS)

    assert {type(term) for row in query(kb, ALL) for term in row if term is not None} == {
        *(rdflib.URIRef, rdflib.BNode, rdflib.Literal)
    }
    assert query(kb, ALL, terms="text").rows()[2].t == '"chat"@fr'
    with pytest.raises(ReasonerError, match="choose one of rdflib, text"):
        query(kb, ALL, terms="html")


def test_rdflib_reads_what_we_write(result):
    for format in ("json", "xml", "tsv"):
        read = rdflib.query.Result.parse(io.BytesIO(result.serialize(format=format)), format=format)
        assert len(read.bindings) == 3
        assert {str(row[rdflib.Variable("s")]) for row in read.bindings} == {"http://e.org/a", "http://e.org/b"}


def test_csv_is_plain(result):
    lines = result.serialize(format="csv").decode().split("\r\n")

    assert lines[:3] == ["s,o,t", "http://e.org/a,1,", "http://e.org/a,x,"]


def test_a_truth_value_is_written_in_json_and_xml(tmp_path):
    truth = query(store(KB_FACTS), PREFIX + "ASK { :a :p 1 }")

    assert json.loads(truth.serialize(format="json")) == {"head": {}, "boolean": True}
    assert Result.parse(truth.serialize(format="xml"), format="xml").askAnswer is True
    assert truth.serialize(str(tmp_path / "truth.json")) is None
    assert Result.parse((tmp_path / "truth.json").read_bytes()).askAnswer is True
    with pytest.raises(ReasonerError, match="write json or xml"):
        truth.serialize(format="csv")


def test_a_graph_is_written_as_triples():
    made = query(store(KB_FACTS), PREFIX + "CONSTRUCT { ?o :of ?s } WHERE { ?s :p ?o }")

    assert len(made) == len(made.graph) == 1
    assert made.serialize(format="nt").decode().endswith(" <http://e.org/of> <http://e.org/b> .\n")
    assert len(rdflib.Graph().parse(data=made.serialize(format="turtle"), format="turtle")) == 1
    with pytest.raises(ReasonerError, match="unknown format 'x'"):
        made.serialize(format="x")


def test_unknown_formats_are_refused(result):
    with pytest.raises(ReasonerError, match="choose one of json, xml, csv, tsv"):
        result.serialize(format="excel")


def test_tables_of_other_libraries(result):
    table = result.to_arrow()

    assert table.column_names == ["s", "o", "t"]
    assert table.column("t").to_pylist() == [None, None, '"chat"@fr']
    try:
        frame = result.to_pandas()
    except ReasonerError as error:
        assert "pip install pandas" in str(error)
    else:
        assert frame["o"][0] == 1


def test_html_escapes_and_shows_the_first_rows(result):
    assert '<td><span title="&lt;http://e.org/a&gt;">a</span></td>' in result._repr_html_()
    many = query(store(",".join(f"a{number} p b" for number in range(80))), PREFIX + "SELECT ?s { ?s :p ?o }")
    assert "80 rows, the first 50" in many._repr_html_()
    assert many._repr_html_().count("<tr>") == 51


TEXTS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=8)
TERMS = st.one_of(
    st.none(),
    st.sampled_from(["<http://e.org/a>", "_:n", '"chat"@fr', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>']),
    TEXTS.map(literal_text),
)


@settings(RANDOM, max_examples=150)
@given(st.lists(st.tuples(TERMS, TERMS), max_size=6))
def test_every_format_but_csv_reads_back_what_it_wrote(rows):
    result = Result.of_rows(["x", "y"], rows)

    assert Result.parse(result.serialize(format="json"), format="json") == result
    assert Result.parse(result.serialize(format="tsv"), format="tsv") == result
    if not any(
        character < " " and character not in "\t\n\r" for row in rows for text in row for character in text or ""
    ):
        try:
            written = result.serialize(format="xml")
        except ReasonerError as error:
            assert "write json instead" in str(error)
        else:
            assert Result.parse(written, format="xml") == result


def test_malformed_results_are_refused():
    for format, text in (("json", "{}"), ("json", "["), ("xml", "<a"), ("tsv", "?x\nabc\n"), ("csv", "x\r\n1,2\r\n")):
        with pytest.raises(ReasonerError):
            Result.parse(text, format=format)


def test_a_plan_tells_which_operators_were_slow():
    kb = store(KB_FACTS)

    fast = explain_plan(kb, PREFIX + "SELECT ?s { ?s :p ?o FILTER(?o > 0 && BOUND(?s)) }")
    slow = explain_plan(kb, PREFIX + "SELECT ?s { ?s :p ?o OPTIONAL { ?s :q ?t } FILTER(STRLEN(?t) > 2) }")

    assert "vectorised" in str(fast)
    assert [step.name for step in slow.slow] == ["Filter"]
    assert "once for each distinct value" in str(slow)
