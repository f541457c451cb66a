"""Run measured systems, each in a process of its own, in turn, several times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.data import DataFolder
from benchmarks.seconds import Seconds

ROOT = Path(__file__).resolve().parent.parent

# What is compared to see that systems computed the same: counts of facts by what they are about.
Result = dict[str, int]


class BenchmarkError(Exception):
    """A measured system failed, or systems that must agree do not, so that no time counts."""


@dataclass(frozen=True, slots=True)
class Job:
    """A system, as ``module.function`` of ``benchmarks.systems``, with its arguments, under a label."""

    label: str
    system: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def command(self, result: Path) -> list[str]:
        return [sys.executable, "-m", "benchmarks.worker", self.system, json.dumps(self.arguments), str(result)]


@dataclass(frozen=True, slots=True)
class Run:
    """One run: times of its phases and of its whole process, its peak of memory, and what it found."""

    phases: dict[str, Seconds]
    process: Seconds
    peak_bytes: int
    result: Result = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of one job."""

    job: Job
    runs: tuple[Run, ...]

    def seconds(self, *phases: str, less: str | None = None) -> Seconds:
        """Return the median of the time that some phases took together, less that of another phase of the same run."""
        return _median(_sum(run, *phases) - (_sum(run, less) if less else Seconds()) for run in self.runs)

    def beyond(self, part: Runs, phase: str) -> Seconds:
        """Return the median of how much longer a phase took than in the run of ``part`` in the same turn."""
        return _median(_sum(run, phase) - _sum(other, phase) for run, other in zip(self.runs, part.runs, strict=True))

    @property
    def process(self) -> Seconds:
        """The median of the time from the start of the process to its end."""
        return _median(run.process for run in self.runs)

    @property
    def peak_bytes(self) -> int:
        return int(median(run.peak_bytes for run in self.runs))

    @property
    def result(self) -> Result:
        return self.runs[0].result

    def number(self, name: str) -> float:
        """Return the median of a number that the system told."""
        return median(run.numbers[name] for run in self.runs)


def _sum(run: Run, *phases: str) -> Seconds:
    return sum((run.phases[phase] for phase in phases), Seconds())


def _median(seconds: Iterable[Seconds]) -> Seconds:
    taken = list(seconds)
    return Seconds(median(one.cpu for one in taken), median(one.wall for one in taken))


@dataclass(slots=True)
class Bench:
    """What a benchmark runs in: where data is, how often to repeat, whether small data will do; keeps all runs.

    ``record`` asks a benchmark that compares with figures of the past to keep those that it finds.
    """

    data: DataFolder
    repeat: int = 3
    quick: bool = False
    record: bool = False
    progress: Callable[[str], None] = lambda _: None
    measured: list[Runs] = field(default_factory=list)

    def measure(self, *jobs: Job) -> list[Runs]:
        """Run jobs in turn, so that a change of the machine's mood meets them all, and return the runs of each."""
        runs: list[list[Run]] = [[] for _ in jobs]
        for turn in range(self.repeat):
            for job, kept in zip(jobs, runs, strict=True):
                self.progress(f"{job.label} ({turn + 1} of {self.repeat})")
                kept.append(run_job(job))
        found = [Runs(job, tuple(kept)) for job, kept in zip(jobs, runs, strict=True)]
        for one in found:
            require_equal({f"run {n + 1}": run.result for n, run in enumerate(one.runs)}, one.job.label)
        self.measured += found
        return found

    def measure_command(self, label: str, command: Sequence[str]) -> Runs:
        """Run a command as often as asked for, and return the runs, which have no phases."""
        self.progress(label)
        runs = Runs(Job(label, "command", {"command": list(command)}), tuple(self._commands(command)))
        self.measured.append(runs)
        return runs

    def _commands(self, command: Sequence[str]) -> list[Run]:
        # The first run of a program reads it from the disk; what is asked for is how long it takes after that.
        spawn(command)
        return [Run({}, *spawn(command)) for _ in range(self.repeat)]


def require_equal(results: dict[str, Result], what: str) -> None:
    """Raise a ``BenchmarkError`` that names the first difference, unless all results are equal."""
    (first, expected), *others = results.items()
    for name, result in others:
        for key in sorted(expected.keys() | result.keys()):
            if expected.get(key) != result.get(key):
                raise BenchmarkError(
                    f"{what}: {first} and {name} disagree on {key}: {expected.get(key)} and {result.get(key)}"
                )


def run_job(job: Job) -> Run:
    """Run a job once in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "result.json"
        process, peak_bytes = spawn(job.command(target))
        told = json.loads(target.read_text(encoding="utf-8"))
    phases = {name: Seconds(*seconds) for name, seconds in told["phases"].items()}
    return Run(phases, process, peak_bytes, told["result"], told["numbers"])


def spawn(command: Sequence[str]) -> tuple[Seconds, int]:
    """Run a command to its end; return the time that its process took, and the most memory that it had."""
    with tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, env=_environment(), stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            raise BenchmarkError(f"{' '.join(command)[:200]} ended with {process.returncode}: {last[0]}")
    return Seconds(usage.ru_utime + usage.ru_stime, wall), usage.ru_maxrss * _MAXRSS_UNIT


def _environment() -> dict[str, str]:
    """Return the environment of a user: compiled modules are kept between runs, whatever this process does."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


# Linux counts kibibytes, macOS bytes.
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
