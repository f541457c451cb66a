"""The rule engine of Apache Jena as a measured system, in a Java process of its own."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.seconds import Stopwatch
from benchmarks.systems.java_program import told_by
from benchmarks.systems.ours import Outcome

_PROGRAM = Path(__file__).with_name("java") / "JenaForward.java"


def export(watch: Stopwatch, *, ontology: str, target: str) -> Outcome:
    """Write the DLP rules of an ontology in Jena's syntax."""
    from benchmarks.java_peers import jena_rules
    from reasoner import Reasoner

    kb = Reasoner(profile="dlp")
    kb.load_ontology(ontology)
    Path(target).write_text(jena_rules(kb.rules()), encoding="utf-8")
    return {}, {}


def reason(watch: Stopwatch, *, jars: str, facts: str, rules: str, about: str, mode: str = "rete") -> Outcome:
    """Load a file and reason by forward rules, in the phases load and reason, as Java's own clocks take them.

    Reasoning is done twice, so that Java has compiled its program when it counts; the first time is ``warm up``.
    ``mode`` is ``rete``, which is the faster one by far, or ``plain``.
    """
    counts = told_by(watch, jars, _PROGRAM, facts, rules, mode)
    wanted = json.loads(Path(about).read_text(encoding="utf-8"))
    return {text: counts.get(text, 0) for text in wanted}, {}
