"""Random programs, updates and queries against the oracles, new ones in every round: ``make soak``.

A round runs every test that draws its cases at random, Spark's aside, file by file and with a seed of its own; the next
round takes the next seed. ``--seed`` starts from the seed that a failure printed, and files can be named, so that one
can be repeated alone. Before each file, update steps by every strategy are compared with starting over; they are
counted over all runs in build/campaigns/soak.jsonl, and ``--steps-only`` does nothing else. The last line says what was
run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from itertools import count

from tests.campaigns.record import ROOT, Record
from tests.campaigns.steps import run_spark_steps, run_steps

# Random programs of one batch of update steps.
_PROGRAMS = 20
_PASSED = re.compile(r"\b(\d+) passed\b")
_NO_TESTS = 5


def main(arguments: list[str] | None = None) -> int:
    """Run rounds until a test fails or the time is over; return 0 if none failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no file after this (never stop)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the seed of the first round (the time)")
    parser.add_argument("--steps-only", action="store_true", help="run update steps alone")
    parser.add_argument(
        "--engine", choices=("columnar", "spark"), default="columnar", help="of --steps-only (columnar)"
    )
    parser.add_argument("files", nargs="*", help="files of tests (all that draw cases at random)")
    options = parser.parse_args(arguments)
    record = Record("soak" if options.engine == "columnar" else "soak-spark")
    if options.steps_only:
        code = 0
        began = time.monotonic()
        while not code and time.monotonic() - began < options.minutes * 60:
            code = _steps(record, options.engine)
        print(record.summary("update steps"), flush=True)
        return code
    files = options.files or sorted(_random_tests())
    began, runs, cases, code, seed = time.monotonic(), 0, 0, 0, options.seed
    for seed, file in ((seed, file) for seed in count(options.seed) for file in files):
        if time.monotonic() - began > options.minutes * 60:
            break
        if code := _steps(record):
            break
        code, passed = _run(seed, file)
        runs, cases = runs + 1, cases + passed
        if code:
            break
    outcome = f"FAILED in {file} with seed {seed}" if code else "no difference"
    print(
        f"soak: {cases:,} random tests of {runs} files passed, {runs / len(files):.1f} rounds, seeds {options.seed} to "
        f"{seed}, {(time.monotonic() - began) / 60:.0f} minutes, {outcome}",
        flush=True,
    )
    print(record.summary("update steps"), flush=True)
    return code


def _steps(record: Record, engine: str = "columnar") -> int:
    """Run a batch of update steps and record it; return 1 if one differs."""
    seed = record.next_seed
    try:
        counts, failures = (run_steps if engine == "columnar" else run_spark_steps)(seed, _PROGRAMS), 0
    except AssertionError:
        traceback.print_exc()
        print(f"update steps of seed {seed}: FAILED", flush=True)
        counts, failures = Counter(), 1
    record.add(seed, counts, failures)
    return failures


def _random_tests() -> Iterator[str]:
    for path in (ROOT / "tests").rglob("test_*.py"):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith("tests/spark/") and "@given(" in path.read_text(encoding="utf-8"):
            yield name


def _run(seed: int, file: str) -> tuple[int, int]:
    """Run the random tests of a file; return how pytest ended, 0 if well, and how many passed."""
    command = [sys.executable, "-m", "pytest", "-m", "hypothesis", f"--hypothesis-seed={seed}", "-n", "auto"]
    command += ["--maxprocesses", "4", "-p", "no:cacheprovider", "-v", file]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "SOAK": "1"}, capture_output=True, text=True)
    found = _PASSED.findall(done.stdout.strip().rpartition("\n")[2])
    passed, code = int(found[-1]) if found else 0, 0 if done.returncode == _NO_TESTS else done.returncode
    if code:
        print(done.stdout, done.stderr, sep="\n")
    print(f"seed {seed}, {file}: {passed} passed{', FAILED' if code else ''}", flush=True)
    return code, passed


if __name__ == "__main__":
    sys.exit(main())
