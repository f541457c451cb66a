"""Start-up: what a user waits for before any work is done.

Judged by processor time, which other work on the machine does not stretch; the bytecode is cached, as it is for users.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "pyarrow", "pyoxigraph", "rdflib", "owlready2", "rich", "zstandard", "pyspark")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("bytecode"))}


def best_time(environment: dict[str, str], runs: int, *words: str) -> float:
    """Run once to fill the cache, then return the least processor time of some runs."""
    times = []
    for _ in range(runs + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "reasoner", *words], env=environment, check=True, stdout=subprocess.DEVNULL
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times[1:])


def test_help_takes_less_than_three_tenths_of_a_second(environment):
    assert best_time(environment, 5, "--help") < 0.3


def test_a_thousand_triples_are_materialised_in_less_than_a_second(environment, tmp_path):
    data = tmp_path / "data.nt"
    data.write_text(
        "".join(f"<http://e.org/{n}> <http://e.org/p{n % 7}> <http://e.org/{n * 31 % 500}> .\n" for n in range(1000))
    )

    assert best_time(environment, 3, "materialise", str(data), "-q", "-o", str(tmp_path / "out.nt")) < 1.0


@pytest.mark.parametrize("words", [["--help"], ["materialise", "--help"], ["generate", "--list"], ["--version"]])
def test_nothing_heavy_is_imported_before_it_is_needed(environment, words):
    script = (
        "import sys; from reasoner.cli import main; status = main(sys.argv[1:]);"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr); sys.exit(status)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script, *words], env=environment, check=True, capture_output=True, text=True
    )

    assert finished.stderr == "[]\n"


def test_a_plain_run_imports_no_parser_and_no_terminal_library(environment, tmp_path):
    data = tmp_path / "data.nt"
    data.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")
    script = (
        "import sys; from reasoner.cli import main; main(['materialise', sys.argv[1], '-q', '-o', sys.argv[2]]);"
        "print(sorted({'scipy', 'pyoxigraph', 'rdflib', 'owlready2', 'rich', 'pyspark'} & set(sys.modules)))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script, str(data), str(tmp_path / "out.nt")],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )

    assert finished.stdout == "[]\n"
