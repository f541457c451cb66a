"""Reasoning against further peers, on data that they can hold.

Data sets: LUBM(10) for VLog and LUBM(1) for Jena, under their DLP rules; for owlrl one department, under OWL 2 RL;
LUBM(10) for sparq, under OWL 2 RL, and for maplib, under RDFS.

Peers: VLog through Rulewerk, with one predicate a class and one a property as for Nemo, less the time to load; Apache
Jena with the same rules in its RETE engine, once compiled; both are fetched through Maven. owlrl, which has the rules
of OWL 2 RL in Python, those over schemas among them. sparq (MIT licence), which has the rules of OWL 2 RL in Rust, and
maplib (Apache 2.0, its datalog and SHACL without public sources), which has rules of RDFS, are packages of Python.
maplib asks for pyarrow below 24, so that it is not in the extra [bench]; whoever has it installed all the same sees it.
What is compared first are the instances of each class and property that the DLP rules mention. A peer that cannot be
had is told with the reason, and is no failure.

Target: none; these peers are there to be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.data import DataFiles
from benchmarks.figure import Figure, faster
from benchmarks.java_peers import JavaLibrary, UnavailablePeerError
from benchmarks.measure import Bench, Job, require_equal, run_job
from benchmarks.sheet import Sheet
from benchmarks.update_jobs import once

NAME = "reasoning-peers"

JENA = JavaLibrary("jena", "4.10.0", "org.apache.jena", ("jena-arq",))
RULEWERK = JavaLibrary("rulewerk", "0.8.0", "org.semanticweb.rulewerk", ("rulewerk-vlog", "rulewerk-parser"))


@dataclass(frozen=True, slots=True)
class PythonPeer:
    """A reasoner that is a package of Python: its name there, its module, our system, and the profile to compare."""

    package: str
    module: str
    system: str
    profile: str

    def require(self) -> None:
        """Raise an ``UnavailablePeerError`` if the package is not installed."""
        if find_spec(self.module) is None:
            raise UnavailablePeerError(f"{self.package} is not installed (pip install {self.package})")


PYTHON = (
    PythonPeer("sparq-rdf", "sparq", "sparq.reason", "owl2rl"),
    PythonPeer("maplib", "maplib", "maplib_model.reason", "rdfs"),
)


def run(bench: Bench) -> list[Figure | Sheet]:
    figures = [_owlrl(bench)]
    missing: list[tuple[str, ...]] = []
    for peer in PYTHON:
        try:
            peer.require()
        except UnavailablePeerError as error:
            missing.append((peer.package, "", "", f"skipped: {error}"))
        else:
            figures.append(_in_python(bench, peer))
    java: list[tuple[str, JavaLibrary, Callable[[Bench, Path], Figure]]] = [
        ("Jena", JENA, _jena),
        ("VLog", RULEWERK, _vlog),
    ]
    for name, library, compare in java:
        try:
            jars = library.jars(bench.data.folder.parent / "java")
        except UnavailablePeerError as error:
            missing.append((name, "", "", f"skipped: {error}"))
        else:
            figures.append(compare(bench, jars))
    rows = [(figure.text.removeprefix("than "), figure.ours, figure.peer, figure.value_text) for figure in figures]
    columns = ("peer", "ours", "theirs", "faster")
    return [Sheet(NAME, "CPU time of reasoning", columns, (*rows, *missing)), *figures]


def _owlrl(bench: Bench) -> Figure:
    files = bench.data.get("lubm", universities=1, departments=1)
    about, _ = _exported(files)
    ours, peer = once(bench).measure(
        _ours(files, about, "owl2rl"),
        Job("owlrl", "owlrl_graph.reason", {**files.arguments(), "about": str(about)}),
    )
    require_equal({"ours": ours.result, "owlrl": peer.result}, NAME)
    return faster(NAME, "than owlrl", ours.seconds("prepare", "reason"), peer.seconds("reason"), None)


def _in_python(bench: Bench, peer: PythonPeer) -> Figure:
    files = _lubm(bench, 10)
    about, _ = _exported(files)
    job = Job(peer.package, peer.system, {**files.arguments(), "about": str(about)})
    ours, theirs = bench.measure(_ours(files, about, peer.profile), job)
    require_equal({"ours": ours.result, peer.package: theirs.result}, NAME)
    return faster(NAME, f"than {peer.package}", ours.seconds("prepare", "reason"), theirs.seconds("reason"), None)


def _jena(bench: Bench, jars: Path) -> Figure:
    files = _lubm(bench, 1)
    about, _ = _exported(files)
    rules = files.facts.with_suffix(".jena-rules")
    run_job(Job("export", "jena.export", {"ontology": str(files.ontology), "target": str(rules)}))
    arguments = {"jars": str(jars), "facts": str(files.facts), "rules": str(rules), "about": str(about)}
    ours, peer = bench.measure(_ours(files, about, "dlp"), Job("Jena", "jena.reason", arguments))
    require_equal({"ours": ours.result, "Jena": peer.result}, NAME)
    return faster(NAME, "than Jena", ours.seconds("prepare", "reason"), peer.seconds("reason"), None)


def _vlog(bench: Bench, jars: Path) -> Figure:
    files = _lubm(bench, 10)
    about, program = _exported(files)
    arguments = {"jars": str(jars), "facts": str(files.facts), "program": str(program)}
    ours, load, peer = bench.measure(
        _ours(files, about, "dlp"),
        Job("VLog until load", "rulewerk.reason", {**arguments, "until": "load"}),
        Job("VLog", "rulewerk.reason", arguments),
    )
    require_equal({"ours": ours.result, "VLog": peer.result}, NAME)
    mine = ours.seconds("split", "prepare", "reason")
    return faster(NAME, "than VLog beyond loading", mine, peer.beyond(load, "reason"), None)


def _lubm(bench: Bench, universities: int) -> DataFiles:
    if bench.quick:
        return bench.data.get("lubm", universities=1, departments=1)
    return bench.data.get("lubm", universities=universities)


def _exported(files: DataFiles) -> tuple[Path, Path]:
    """Write what the rules are about, and the rules for Nemo and VLog."""
    about, program = files.facts.with_suffix(".about.json"), files.facts.with_suffix(".nemo.json")
    run_job(Job("export", "ours.export", {**files.arguments(), "program": str(program), "about": str(about)}))
    return about, program


def _ours(files: DataFiles, about: Path, profile: str) -> Job:
    arguments = {"options": {"profile": profile}, "warm_up": files.arguments(), "about": str(about)}
    return Job("ours", "ours.reason", {**files.arguments(), **arguments})
