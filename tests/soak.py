"""Random programs, updates and queries against the oracles, new ones in every round: ``make soak``.

A round runs every test that draws its cases at random, Spark's aside, file by file and with a seed of its own; the next
round takes the next seed. ``--seed`` starts from the seed that a failure printed, and files can be named, so that one
can be repeated alone. The last line says what was run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PASSED = re.compile(r"\b(\d+) passed\b")
_NO_TESTS = 5


def main(arguments: list[str] | None = None) -> int:
    """Run rounds until a test fails or the time is over; return 0 if none failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no file after this (never stop)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the seed of the first round (the time)")
    parser.add_argument("files", nargs="*", help="files of tests (all that draw cases at random)")
    options = parser.parse_args(arguments)
    files = options.files or sorted(_random_tests())
    began, runs, cases, code, seed = time.monotonic(), 0, 0, 0, options.seed
    for seed, file in ((seed, file) for seed in count(options.seed) for file in files):
        if time.monotonic() - began > options.minutes * 60:
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
    return code


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
