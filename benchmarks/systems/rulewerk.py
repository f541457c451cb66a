"""VLog, through Rulewerk, as a measured system, in a Java process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.seconds import Stopwatch
from benchmarks.systems.java_program import told_by
from benchmarks.systems.ours import Outcome

_PROGRAM = Path(__file__).with_name("java") / "VLogReason.java"

# Without a rule over the triples they would not be loaded at all.
_ALL = "loaded(?y) :- triple(?x, ?y, ?z) .\n"


def reason(watch: Stopwatch, *, jars: str, facts: str, program: str, until: str = "rules") -> Outcome:
    """Run a program that was exported for Nemo, whose rules are written the same, in the phase reason.

    VLog loads when it reasons; ``until="load"`` does no more than that, and is there to be subtracted.
    """
    parts = json.loads(Path(program).read_text(encoding="utf-8"))
    rules = parts["split"] + parts["rules"] if until == "rules" else _ALL
    names: dict[str, str] = {name: text for text, name in parts["predicates"].items()} if until == "rules" else {}
    atoms = [f"{name}(?x)" if name.startswith("class") else f"{name}(?x, ?y)" for name in names]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "program.rls"
        path.write_text(f'@source triple[3]: load-rdf("{facts}") .\n{rules}', encoding="utf-8")
        counts = told_by(watch, jars, _PROGRAM, str(path), *atoms)
    return {names[name]: count for name, count in counts.items()}, {}
