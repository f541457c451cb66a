"""Running a program of Java that tells on its standard output how long its phases took and what it counted."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.seconds import Seconds, Stopwatch


def told_by(watch: Stopwatch, jars: str, program: Path, *arguments: str) -> dict[str, int]:
    """Run a program with the libraries of a folder, take its times over, and return its counts."""
    command = ["java", "-cp", f"{jars}/*", str(program), *arguments]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    counts: dict[str, int] = {}
    for line in told.splitlines():
        match line.split("\t"):
            case ["phase", name, cpu, wall]:
                watch.phases[name] = Seconds(float(cpu), float(wall))
            case ["count", name, count]:
                counts[name] = int(count)
    return counts
