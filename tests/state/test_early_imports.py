"""Ctrl-C while a first commit imports what it needs: nothing is half imported, and the commit can be repeated."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.campaigns.record import ROOT

# Interrupts the import of a module, in the middle of a package if it is one of several.
INTERRUPTED = """
import signal, sys
from reasoner import Reasoner

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[2]:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

E = "http://e.org/"
kb = Reasoner(sys.argv[1]) if not sys.argv[3] else Reasoner.open(sys.argv[3], create=True, profile=sys.argv[1])
kb.add([(f"<{E}a>", f"<{E}p>", f"<{E}b>")])
interrupt = Interrupt()
sys.meta_path.insert(0, interrupt)
outcome = "nothing was imported"
try:
    kb.materialise()
except KeyboardInterrupt:
    outcome = "interrupted"
assert outcome == "interrupted", outcome
assert sys.argv[2] in sys.modules, "half imported"
kb.update(f"INSERT DATA {{ <{E}b> <{E}p> <{E}c> }}")
assert len(list(kb.quads())) == 2
kb.close()
"""

# Which modules a first commit imports once those that it needs are there.
IMPORTED = """
import json, sys
from reasoner import Reasoner
import reasoner.state.persistence as persistence
import reasoner.state.session as session

E = "http://e.org/"
kb = Reasoner(sys.argv[1]) if not sys.argv[2] else Reasoner.open(sys.argv[2], create=True, profile=sys.argv[1])
kb.add([(f"<{E}a>", f"<{E}p>", f"<{E}b>")])
session.import_for_commits(sys.argv[1])
persistence._import_for_versions()
before = set(sys.modules)
kb.materialise()
with kb.transaction() as change:
    after = set(sys.modules)
    change.add((f"<{E}p>", "<http://www.w3.org/2000/01/rdf-schema#range>", f"<{E}C>"))
    change.add((f"<{E}a>", "<http://www.w3.org/2002/07/owl#sameAs>", f"<{E}c>"))
    change.remove((f"<{E}a>", f"<{E}p>", f"<{E}b>"))
# What a transaction is made of is imported before there is one.
print(json.dumps(sorted(set(sys.modules) - before - (after if "reasoner.state.transaction" not in before else set()))))
"""


def run(script: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("profile", "module", "on_disk"),
    [
        ("owl2rl", "ontologies.owl2rl", False),
        ("dlp", "ontologies.swrl", True),
        ("none", "reasoner.state.delta", False),
    ],
)
def test_an_interrupt_during_the_imports_of_a_first_commit_waits_for_their_end(tmp_path, profile, module, on_disk):
    run(INTERRUPTED, profile, module, str(tmp_path / "kb") if on_disk else "")


@pytest.mark.parametrize("profile", ["none", "rdfs", "dlp", "owl2rl"])
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_commit_imports_nothing_once_it_has_begun(tmp_path, profile, on_disk):
    assert json.loads(run(IMPORTED, profile, str(tmp_path / "kb") if on_disk else "")) == []
