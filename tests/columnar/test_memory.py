"""The bound on memory: what would exceed it is refused by name before it begins, and the state is as it was."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from reasoner import Reasoner
from reasoner.columnar import memory
from reasoner.columnar.kernels import expand
from reasoner.columnar.memory import MemoryLimit, MemoryLimitError, bytes_of, used_memory, within_memory
from reasoner.rules.errors import ReasonerError

E = "http://e.org/"
P, Q, R = (f"<{E}{name}>" for name in "pqr")
PRODUCT = f"?x {R} ?y :- ?x {P} ?z, ?y {Q} ?z ."
TRANSITIVE = f"?x {P} ?z :- ?x {P} ?y, ?y {P} ?z ."
SYMMETRIC = f"?x {P} ?y :- ?y {P} ?x ."


def _node(name: object) -> str:
    return f"<{E}{name}>"


def _limit(extra: int) -> int:
    """Return a limit that leaves so many mebibytes beyond what the process of the tests holds now."""
    return used_memory() + (extra << 20)


def _star(rules: str, size: int, extra: int) -> Reasoner:
    """Return a reasoner in which a rule joins ``size`` facts with as many, all of one term."""
    kb = Reasoner(profile="none", memory=_limit(extra))
    kb.add_rules(rules)
    kb.add([(_node(f"a{n}"), P, _node("hub")) for n in range(size)])
    kb.add([(_node(f"b{n}"), Q, _node("hub")) for n in range(size)])
    return kb


def test_a_join_that_does_not_fit_names_the_rule_the_predicate_and_the_counts():
    kb = _star(PRODUCT, 3000, 64)

    with pytest.raises(MemoryLimitError) as refused:
        kb.materialise()

    rule = kb.session.rules()[0].name
    assert refused.value.rule == rule
    assert refused.value.predicate in (P, Q)
    assert refused.value.rows == 9_000_000
    assert refused.value.needed > refused.value.left
    text = str(refused.value)
    assert text.startswith(f"rule {rule}: joining 3,000 matches with 3,000 facts of {refused.value.predicate} gives ")
    assert "9,000,000 rows" in text
    assert "--memory" in text
    assert "REASONER_MEMORY" in text


def test_a_refused_materialisation_leaves_the_state_and_works_with_more_memory():
    kb = _star(PRODUCT, 1500, 16)
    before, terms = kb.session.state, len(kb.store.dictionary)
    with pytest.raises(MemoryLimitError):
        kb.materialise()

    assert kb.session.state.snapshot is before.snapshot
    assert not kb.is_materialised
    assert len(kb.store.dictionary) >= terms

    kb.session.memory = MemoryLimit(_limit(4096))
    assert kb.materialise().inferred == 1500 * 1500


def test_a_refused_commit_leaves_facts_answers_and_version(tmp_path):
    with Reasoner.open(tmp_path / "store", create=True, profile="none", memory=_limit(4096)) as kb:
        kb.add_rules(PRODUCT)
        kb.add([(_node(f"a{n}"), P, _node("hub")) for n in range(2000)])
        kb.materialise()
        version, facts = kb.version, set(kb.triples())
        kb.session.memory = MemoryLimit(_limit(16))

        with pytest.raises(MemoryLimitError), kb.transaction() as change:
            change.add([(_node(f"b{n}"), Q, _node("hub")) for n in range(2000)])

        assert kb.version == version
        assert set(kb.triples()) == facts
        with kb.transaction() as change:
            change.add([(_node("b"), Q, _node("hub"))])
        assert len(set(kb.triples())) == len(facts) + 2001


@pytest.mark.parametrize(("rules", "named"), [(TRANSITIVE, "transitivity"), (TRANSITIVE + SYMMETRIC, "symmetry and")])
@pytest.mark.parametrize("shape", ["chain", "ring", "star"])
def test_a_closure_that_does_not_fit_is_refused(rules, named, shape):
    """A chain is closed by levels, a ring as one component, a star by one round of joins."""
    size = 3000
    edges = {
        "chain": [(n, n + 1) for n in range(size)],
        "ring": [(n, (n + 1) % size) for n in range(size)],
        "star": [(n, "hub") for n in range(size)] + [("hub", f"t{n}") for n in range(size)],
    }[shape]
    kb = Reasoner(profile="none", memory=_limit(24))
    kb.add_rules(rules)
    kb.add([(_node(a), P, _node(b)) for a, b in edges])
    before = kb.session.state.snapshot

    with pytest.raises(MemoryLimitError, match=r"closure of [0-9,]+ facts of <http://e.org/p> gives") as refused:
        kb.materialise()

    assert str(refused.value).startswith(f"rule {named}")
    assert kb.session.state.snapshot is before


def test_results_under_a_limit_that_suffices_are_those_without():
    small, large = _star(PRODUCT, 300, 1024), _star(PRODUCT, 300, 1 << 16)

    assert set(small.triples()) == set(large.triples())


def test_the_limit_of_one_thread_is_not_that_of_others():
    low, high = np.zeros(1, dtype=np.int64), np.array([10_000_000])
    with within_memory(MemoryLimit(1)):
        with pytest.raises(MemoryLimitError):
            expand(low, high)
        with within_memory(MemoryLimit(_limit(4096))):
            assert expand(low, high)[0].size == 10_000_000
        with pytest.raises(MemoryLimitError):
            expand(low, high)


def test_the_limit_of_a_machine_that_has_little_free_holds_as_well(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 100 << 20)

    with pytest.raises(MemoryLimitError, match="100 MiB is free on this machine"):
        MemoryLimit(1 << 50).require(10, 200 << 20)


def test_without_a_size_three_quarters_of_what_is_free_may_be_taken(monkeypatch):
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    monkeypatch.setattr(memory, "used_memory", lambda: 50)

    assert MemoryLimit.of(None).most == 800


def test_the_environment_sets_the_limit_and_the_argument_wins(monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "2G")

    assert MemoryLimit.of(None).most == 2 << 30
    assert Reasoner(memory="3G").session.memory.most == 3 << 30
    assert Reasoner(memory="3G").session.fork().memory.most == 3 << 30


@pytest.mark.parametrize("text", ["", "much", "-1", "0", "4X", "1e9"])
def test_a_size_that_is_none_is_refused_by_name(text, monkeypatch):
    with pytest.raises(ReasonerError, match=r"memory is .*500M or 4G"):
        Reasoner(memory=text)
    monkeypatch.setenv(memory.VARIABLE, text)
    with pytest.raises(ReasonerError, match=memory.VARIABLE):
        MemoryLimit.of(None)


def test_sizes_are_read_with_their_units():
    assert [bytes_of(text) for text in ("7", "1K", "1.5k", "2MB", "3 GiB", "1T")] == [
        7,
        1024,
        1536,
        2 << 20,
        3 << 30,
        1 << 40,
    ]


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        (".", ("memory.max", "memory.current", "inactive_file")),
        ("memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")),
    ],
)
def test_a_control_group_bounds_what_is_free(tmp_path, folder, names):
    group = tmp_path / folder
    group.mkdir(exist_ok=True)
    most, taken, unused = names
    (group / most).write_text("1000\n")
    (group / taken).write_text("700\n")
    (group / "memory.stat").write_text(f"anon 1\n{unused} 200\n")

    assert memory._free_in_group(tmp_path) == 500

    (group / most).write_text("max\n")
    assert memory._free_in_group(tmp_path) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process")
def test_a_refusal_is_no_false_alarm():
    """A process that may go on takes more than the limit at which another one was refused, which stays below it."""
    program = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from tests.columnar.test_memory import PRODUCT, _star\n"
        "from reasoner.columnar.memory import MemoryLimitError\n"
        "def peak():\n"
        "    return int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) >> 10\n"
        "kb = _star(PRODUCT, 3000, int(sys.argv[1]))\n"
        "before = peak()\n"
        "try:\n"
        "    kb.materialise()\n"
        "except MemoryLimitError:\n"
        "    print('refused')\n"
        "print(peak() - before)\n"
    )

    def run(extra: int) -> list[str]:
        done = subprocess.run([sys.executable, "-c", program, str(extra)], capture_output=True, text=True, check=True)
        return done.stdout.split()

    refused, below = run(200)
    (above,) = run(1 << 14)
    assert refused == "refused"
    assert int(below) < 200 < int(above)
