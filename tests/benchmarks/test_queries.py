"""Queries as they are measured: the same answers from every system, on tiny data, and differences found."""

from __future__ import annotations

import pytest

from benchmarks import queries_class, queries_lubm, scaling
from benchmarks.data import DataFolder
from benchmarks.figure import Figure
from benchmarks.lubm_queries import LUBM_QUERIES
from benchmarks.measure import Bench, Job, run_job
from benchmarks.seconds import Stopwatch
from benchmarks.sheet import Sheet
from benchmarks.systems.queries import ask

FEW = {name: LUBM_QUERIES[name] for name in ("Q1", "Q4", "Q6", "Q13")}


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(DataFolder(tmp_path), repeat=1, quick=True)


def test_all_systems_give_the_same_answers_to_the_queries_of_lubm(bench):
    files = bench.data.get("lubm", universities=1, departments=1)
    options, closure = {"profile": "dlp"}, str(files.facts.with_suffix(".closure.nt"))
    run_job(Job("closure", "queries.closure", {**files.arguments(), "options": options, "target": closure}))
    ours = run_job(Job("ours", "queries.ours", {**files.arguments(), "options": options, "queries": FEW}))
    shown = {**files.arguments(), "options": options, "queries": FEW, "terms": "rdflib"}
    others = [
        run_job(Job("rdflib's terms", "queries.ours", shown)),
        run_job(Job("pyoxigraph", "queries.oxigraph", {"facts": closure, "queries": FEW})),
        run_job(Job("rdflib", "queries.rdflib_graph", {"facts": closure, "queries": FEW})),
    ]

    assert ours.result["answers of Q6"] > 100
    assert [other.result for other in others] == [ours.result] * 3
    assert all(ours.phases[f"{kind} {name}"].cpu > 0 for kind in ("again", "new") for name in FEW)


def test_the_sheet_has_a_row_for_each_query_and_the_slowest_is_judged(bench, monkeypatch):
    small = bench.data.get("lubm", universities=1, departments=1)
    monkeypatch.setattr(bench.data, "get", lambda *_, **__: small)
    monkeypatch.setattr(queries_lubm, "LUBM_QUERIES", FEW)
    sheet, *figures = queries_lubm.run(bench)

    assert isinstance(sheet, Sheet)
    assert [row[0] for row in sheet.rows] == list(FEW)
    assert all(len(row) == len(sheet.columns) for row in sheet.rows)
    assert [figure.target for figure in figures if isinstance(figure, Figure)] == [3, 3, 1.5, None, 50, None]


def test_a_class_and_its_expansion_give_the_same_answers(bench):
    figures = queries_class.run(bench)
    counted = {key: value for runs in bench.measured for key, value in runs.result.items() if "answers" in key}

    assert len(figures) == 4
    assert counted["answers of star, distinct"] == counted["answers of path, distinct"] == 40 * 40
    assert all(figure.value > 1 for figure in figures)


def test_a_checksum_sees_which_rows_there_are_and_how_often():
    def found(*rows: tuple[str, ...]) -> dict[str, int]:
        return ask(Stopwatch(), {"Q": "text"}, lambda _: rows, str)

    assert found(("a", "b"), ("c", "d")) == found(("c", "d"), ("a", "b"))
    assert found(("a", "b")) != found(("b", "a"))
    assert found(("a", "b")) != found(("a", "b"), ("a", "b"))


def test_a_query_is_asked_with_the_same_text_and_with_new_ones():
    asked: list[str] = []
    ask(Stopwatch(), {"Q": "text"}, lambda query: asked.append(query) or [], str)

    assert asked.count("text") > 100
    assert len(set(asked)) > 100


def test_curves_are_drawn_over_data_rules_and_classes(bench, monkeypatch):
    monkeypatch.setattr(scaling, "_UNIVERSITIES", (1,))
    monkeypatch.setattr(scaling, "_AXIOMS", (100, 200))
    monkeypatch.setattr(scaling, "_MEMBERS", (3, 5))
    monkeypatch.setattr(scaling, "_MOST_FOR_AXIOMS", 4)
    data, rules, classes = scaling.run(bench)

    assert [curve.label for curve in data.curves] == ["loading", "compiling", "reasoning"]
    assert [point[0] for point in rules.curves[0].points] == [100, 200]
    assert [len(curve.points) for curve in classes.curves] == [2, 1]
    assert all(len(row) == len(sheet.columns) for sheet in (data, rules, classes) for row in sheet.rows)
