"""Measured systems in processes of their own, on tiny data."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.data import DataFolder, under_name
from benchmarks.measure import Bench, BenchmarkError, Job, Run, Runs, require_equal, run_job, spawn
from benchmarks.seconds import Seconds, Stopwatch

SMALL = {"classes": 2, "members": 5, "facts_per_member": 1}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> DataFolder:
    return DataFolder(tmp_path_factory.mktemp("data"))


def test_a_phase_that_comes_again_adds_up():
    watch = Stopwatch()
    with watch.phase("load"):
        pass
    once = watch.phases["load"]
    with watch.phase("load"):
        sum(range(10_000))

    assert watch.phases["load"].wall > once.wall


def test_a_data_set_is_generated_once(data):
    files = data.get("equality-classes", **SMALL)
    written = files.facts.stat().st_mtime_ns

    assert data.get("equality-classes", **SMALL) == files
    assert files.facts.stat().st_mtime_ns == written
    assert len(data.first_lines(files.facts, 3).read_text().splitlines()) == 3


def test_a_link_under_another_suffix_reads_the_same(data):
    files = data.get("equality-classes", **SMALL)

    assert under_name(files.facts, ".n3").read_text() == files.facts.read_text()
    assert under_name(files.facts, ".n3").name.endswith(".n3")


def test_the_median_is_taken_over_the_sum_of_phases():
    phases = [(1.0, 5.0), (2.0, 1.0), (9.0, 9.0)]
    runs = tuple(
        Run({"load": Seconds(load, load), "reason": Seconds(reason, reason)}, Seconds(), 0) for load, reason in phases
    )

    assert Runs(Job("ours", "ours.reason"), runs).seconds("load", "reason") == Seconds(6.0, 6.0)


def test_a_difference_is_taken_within_a_run_or_within_a_turn():
    def runs(*taken: tuple[float, float]) -> Runs:
        phases = [{"reason": Seconds(reason, reason), "hand over": Seconds(over, over)} for reason, over in taken]
        return Runs(Job("peer", "peer.reason"), tuple(Run(one, Seconds(), 0) for one in phases))

    whole, part = runs((5.0, 1.0), (9.0, 6.0), (7.0, 1.0)), runs((4.0, 0.0), (7.0, 0.0), (4.0, 0.0))

    assert whole.seconds("reason", less="hand over") == Seconds(4.0, 4.0)
    assert whole.beyond(part, "reason") == Seconds(2.0, 2.0)


def test_results_that_differ_are_named():
    require_equal({"ours": {"a": 1}, "peer": {"a": 1}}, "loading")
    with pytest.raises(BenchmarkError, match="loading: ours and peer disagree on b: None and 2"):
        require_equal({"ours": {"a": 1}, "peer": {"a": 1, "b": 2}}, "loading")


def test_a_process_that_fails_tells_why():
    with pytest.raises(BenchmarkError, match="ended with 3: no such thing"):
        spawn([sys.executable, "-c", "import sys; print('no such thing', file=sys.stderr); sys.exit(3)"])


def test_a_process_is_timed_and_its_memory_taken():
    seconds, peak_bytes = spawn([sys.executable, "-c", "text = 'x' * 50_000_000"])

    assert seconds.cpu > 0
    assert seconds.wall > 0
    assert peak_bytes > 50_000_000


def test_rewriting_and_axioms_of_equality_agree(data):
    files = data.get("equality-classes", **SMALL)
    bench = Bench(data, repeat=1)

    def job(equality: str) -> Job:
        options = {"profile": "dlp", "equality": equality}
        return Job(equality, "ours.reason", {**files.arguments(), "options": options})

    rewriting, axioms = bench.measure(job("rewrite"), job("axiomatise"))

    require_equal({"rewriting": rewriting.result, "axioms": axioms.result}, "equality")
    assert rewriting.result["<http://www.w3.org/2002/07/owl#sameAs>"] == 2 * 5 * 4
    assert rewriting.seconds("reason").cpu > 0
    assert [runs.job.label for runs in bench.measured] == ["rewrite", "axiomatise"]


def test_nemo_agrees_on_the_exported_rules_of_an_ontology(data):
    pytest.importorskip("nmo_python", reason="nemo-python is not installed")
    files = data.get("subclass-axioms", axioms=10, instances=20)
    program, about = data.folder / "program.json", data.folder / "about.json"
    run_job(Job("export", "ours.export", {**files.arguments(), "program": str(program), "about": str(about)}))

    ours = run_job(
        Job("ours", "ours.reason", {**files.arguments(), "options": {"profile": "dlp"}, "about": str(about)})
    )
    nemo = run_job(Job("Nemo", "nemo.reason", {"program": str(program)}))

    require_equal({"ours": ours.result, "Nemo": nemo.result}, "subclass axioms")
    assert sum(ours.result.values()) == 20 * 6
    assert run_job(Job("Nemo", "nemo.reason", {"program": str(program), "until": "load"})).result == {}


def test_reasonable_agrees_on_what_an_ontology_is_about(data, tmp_path: Path):
    pytest.importorskip("reasonable", reason="reasonable is not installed")
    files = data.get("subclass-axioms", axioms=10, instances=20)
    about = tmp_path / "about.json"
    about.write_text(json.dumps([f"<http://example.org/hierarchy#c0_{level}>" for level in range(6)]))
    facts, ontology = under_name(files.facts, ".n3"), under_name(files.ontology, ".n3")

    ours = run_job(
        Job("ours", "ours.reason", {**files.arguments(), "options": {"profile": "dlp"}, "about": str(about)})
    )
    peer = run_job(
        Job(
            "reasonable",
            "reasonable.reason",
            {"facts": str(facts), "ontology": str(ontology), "about": str(about)},
        )
    )

    require_equal({"ours": ours.result, "reasonable": peer.result}, "subclass axioms")
    assert min(ours.result.values()) > 0


def test_both_loaders_count_the_same_statements_and_terms(data):
    facts = str(data.get("equality-classes", **SMALL).facts)

    ours = run_job(Job("ours", "ours.load", {"facts": facts, "warm_up": facts}))
    peer = run_job(Job("pyoxigraph", "oxigraph.load", {"facts": facts}))

    require_equal({"ours": ours.result, "pyoxigraph": peer.result}, "loading")
    assert ours.result["statements"] == 18
