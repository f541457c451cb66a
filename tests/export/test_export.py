"""Exports: readable names, typed literals, staleness, transactions, and what is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner import Reasoner, ReasonerError
from reasoner.export.export import TERM, TYPES, type_of
from reasoner.terms.term import XSD
from tests.export.reading import read_export
from tests.notation import facts
from tests.strategies import RANDOM

FORMATS = {"sqlite": "out.sqlite", "duckdb": "out.duckdb", "parquet": "out.parquet"}


def literal(lexical: str, datatype: str) -> str:
    return f'"{lexical}"^^<{XSD}{datatype}>'


def store(text: str = "") -> Reasoner:
    kb = Reasoner(profile="none")
    kb.add(facts(text))
    return kb


def insert(kb: Reasoner, *triples: tuple[str, str, str]) -> None:
    with kb.transaction() as change:
        change.add(list(triples))


def types(export) -> dict[str, str]:
    return {entry.name: entry.type.name for entry in export.tables}


@pytest.mark.parametrize("format", FORMATS)
def test_literals_of_one_datatype_are_values_of_a_type(tmp_path, format):
    kb = store()
    insert(kb, ("<a>", "<n>", literal("7", "integer")), ("<a>", "<d>", literal("2020-02-29", "date")))
    insert(kb, ("<a>", "<x>", literal("1.5", "double")), ("<a>", "<b>", literal("true", "boolean")))
    insert(kb, ("<a>", "<s>", '"say \\"hi\\""'), ("<a>", "<t>", '"chat"@fr'), ("<a>", "<r>", "<b>"))
    insert(kb, ("<a>", "<w>", literal("2020-01-01T10:00:00", "dateTime")))
    path = tmp_path / FORMATS[format]

    with kb.export(path) as export:
        assert types(export) == {
            "property_n": "integer",
            "property_d": "date",
            "property_x": "double",
            "property_b": "boolean",
            "property_s": "string",
            "property_t": "term",
            "property_r": "term",
            "property_w": "datetime",
        }
    tables = read_export(path, format)
    assert tables["property_n"] == [("<a>", 7)] and tables["property_s"] == [("<a>", 'say "hi"')]
    assert str(tables["property_d"][0][1]) == "2020-02-29" and tables["property_b"] == [("<a>", True)]


@pytest.mark.parametrize("format", FORMATS)
def test_a_table_of_values_becomes_one_of_terms_when_something_else_comes(tmp_path, format):
    kb = store()
    insert(kb, ("<a>", "<n>", literal("7", "integer")), ("<b>", "<n>", literal("-1", "integer")))
    path = tmp_path / FORMATS[format]
    with kb.export(path, attach=True) as export:
        insert(kb, ("<a>", "<n>", literal("07", "integer")))

        assert types(export) == {"property_n": "term"} and export.failure is None
    assert sorted(read_export(path, format)["property_n"]) == [
        ("<a>", literal("07", "integer")),
        ("<a>", literal("7", "integer")),
        ("<b>", literal("-1", "integer")),
    ]
    assert [row[3] for row in read_export(path, format)["catalogue"]] == ["term"]


@RANDOM
@given(st.sampled_from([*TYPES]), st.text(max_size=8))
def test_a_value_stands_for_one_term_only(name, lexical):
    from reasoner.terms.value import literal_text

    type = TYPES[name]
    term = literal_text(lexical, type.datatype or XSD + "integer")
    value = type.value(term)

    assert value is None or type.term(value) == term


@pytest.mark.parametrize(
    ("lexical", "datatype"),
    [
        ("01", "integer"),
        ("-0", "integer"),
        ("9223372036854775808", "integer"),
        ("NaN", "double"),
        ("-0.0", "double"),
        ("1.50", "decimal"),
        ("2021-02-29", "date"),
        ("1", "boolean"),
        ("2020-01-01T24:00:00", "dateTime"),
    ],
)
def test_a_literal_that_its_value_would_not_give_back_stays_a_term(lexical, datatype):
    assert type_of([literal(lexical, datatype)]) is TERM


def test_names_that_differ_in_case_or_namespace_only_are_told_apart(tmp_path):
    kb = store()
    for iri in ("http://e.org/Cat", "http://e.org/cat", "http://f.org#Cat", "http://e.org/caté!"):
        insert(kb, ("<a>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", f"<{iri}>"))
    kb.export(tmp_path / "out.sqlite").close()

    catalogue = read_export(tmp_path / "out.sqlite", "sqlite")["catalogue"]
    assert len({name.lower() for name, *_ in catalogue}) == 4
    assert {term for _, _, term, _ in catalogue} >= {"<http://e.org/Cat>", "<http://f.org#Cat>"}
    assert all(name.isidentifier() and name.lower().startswith("class_cat") for name, *_ in catalogue)


def test_sql_joins_answer_what_sparql_answers(tmp_path):
    kb = Reasoner()
    kb.update("""PREFIX : <http://e.org/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        INSERT DATA { :Mother rdfs:subClassOf :Parent . :ann a :Mother ; :age 41 ; :knows :bob . :bob :age 7 }""")
    with kb.export(tmp_path / "out.sqlite"), closing(sqlite3.connect(tmp_path / "out.sqlite")) as database:
        rows = database.execute(
            "SELECT k.object FROM class_Parent c JOIN property_knows k ON k.subject = c.term "
            "JOIN property_age a ON a.subject = k.object WHERE a.object < 18"
        ).fetchall()

    asked = "PREFIX : <http://e.org/> SELECT ?y { ?x a :Parent ; :knows ?y . ?y :age ?n FILTER(?n < 18) }"
    assert rows == kb.query(asked, terms="text").rows() == [("<http://e.org/bob>",)]


def test_an_export_is_left_alone_or_refreshed_by_versions_or_written_anew(tmp_path):
    path = tmp_path / "out.sqlite"
    with Reasoner.open(tmp_path / "store", create=True, profile="none") as kb:
        insert(kb, *facts("a p b"))
        kb.export(path).close()
        written = path.stat().st_mtime_ns
    with Reasoner.open(tmp_path / "store") as kb:
        kb.export(path).close()
        assert path.stat().st_mtime_ns == written
        insert(kb, *facts("c p d"))
        with kb.export(path) as export:
            assert (export.written.added, export.written.rebuilt) == (1, False)
        insert(kb, *facts("e p f"))
        kb.vacuum()
        with kb.export(path) as export:
            assert (export.written.added, export.written.rebuilt) == (3, True)

    tables = read_export(path, "sqlite")
    assert len(tables["property_p"]) == 3
    assert dict(tables["export_state"])["version"] == str(kb.version)


def test_a_refresh_without_a_delta_makes_up_for_all_commits_since(tmp_path):
    kb = store("a p b")
    with kb.export(tmp_path / "out.duckdb") as export:
        insert(kb, *facts("b p c"))
        insert(kb, *facts("c p d, a type A"))
        assert not export.is_current

        done = export.refresh()

    assert (done.added, done.removed, done.rebuilt) == (3, 0, False)


def test_an_export_that_failed_to_follow_makes_up_for_it(tmp_path, caplog):
    kb = store("a p b")
    path = tmp_path / "out.sqlite"
    with kb.export(path, attach=True) as export, caplog.at_level(100):
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            export._target._connection.execute("PRAGMA busy_timeout = 1")
            insert(kb, *facts("b p c"))
            assert isinstance(export.failure, sqlite3.OperationalError) and not export.is_current
            other.execute("ROLLBACK")
        insert(kb, *facts("b q c"))

        assert export.failure is None and export.is_current
    assert len(read_export(path, "sqlite")["property_p"]) == 2


def test_a_folder_of_files_that_was_cut_short_is_written_anew(tmp_path):
    kb = store("a p b")
    path = tmp_path / "out"
    kb.export(path, format="parquet").close()
    (path / "UNFINISHED").touch()
    (path / "property_old.parquet").write_bytes(b"")
    kb.export(path, format="parquet").close()

    assert {file.name for file in path.iterdir()} == {
        *("catalogue.parquet", "export_state.parquet", "property_p.parquet")
    }


def test_a_transaction_that_fails_leaves_the_export_as_it_was(tmp_path, monkeypatch):
    kb = store("a p b")
    path = tmp_path / "out.sqlite"
    with kb.export(path) as export:
        insert(kb, *facts("c type C, c p d"))
        monkeypatch.setattr(export._target, "insert", lambda name, rows: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            export.refresh()
        monkeypatch.undo()
        assert [entry.name for entry in export.tables] == ["property_p"]
        export.refresh()

    assert sorted(read_export(path, "sqlite")) == ["catalogue", "class_C", "export_state", "property_p"]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("out.txt", {}, "end it in .sqlite, .duckdb or .parquet"),
        ("out.sqlite", {"format": "oracle"}, "choose one of sqlite, duckdb, parquet"),
        ("out.sqlite", {"terms": "numbers"}, "choose text or ids"),
        ("missing/out.sqlite", {}, "there is no folder"),
        ("foreign.sqlite", {}, "is no export"),
        ("text.db", {}, "name another file"),
        ("folder", {"format": "parquet"}, "it holds notes.txt"),
    ],
)
def test_what_cannot_be_written_is_refused_with_a_remedy(tmp_path: Path, name, settings, message):
    with closing(sqlite3.connect(tmp_path / "foreign.sqlite")) as foreign:
        foreign.execute("CREATE TABLE mine (x)")
    (tmp_path / "text.db").write_text("this is a text and no database" * 100)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").touch()

    with pytest.raises(ReasonerError, match=message):
        store("a p b").export(tmp_path / name, **settings)
