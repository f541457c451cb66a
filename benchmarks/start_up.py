"""What it takes to start.

Data set: the first 1,000 triples of LUBM(1), with its ontology.

Peer: none. Commands are run as a user runs them, and timed by the clock on the wall, after one run that warms the
file cache.

Target: ``reasoner --help`` in less than 0.3 s; the file materialised and written, under OWL 2 RL, in less than 1 s.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.measure import Bench, Runs

NAME = "start-up"


def run(bench: Bench) -> list[Figure]:
    # Beside the interpreter, whose path must not be resolved: that would leave the virtual environment.
    command = str(Path(sys.executable).with_name("reasoner"))
    lubm = bench.data.get("lubm", universities=1)
    facts = bench.data.first_lines(lubm.facts, 1000)
    shown = bench.measure_command("reasoner --help", [command, "--help"])
    with tempfile.TemporaryDirectory() as folder:
        closure = Path(folder) / "closure.nt"
        arguments = ["materialise", str(facts), "--ontology", str(lubm.ontology), "-o", str(closure)]
        materialised = bench.measure_command("reasoner materialise", [command, *arguments])
    return [_figure("reasoner --help", shown, 0.3), _figure("1,000 triples materialised", materialised, 1.0)]


def _figure(text: str, runs: Runs, target: float) -> Figure:
    return Figure(NAME, text, runs.process.wall, "seconds", target, at_least=False, wall=runs.process.wall)
