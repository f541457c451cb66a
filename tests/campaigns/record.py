"""The trials of a campaign, one line of JSON for each run, so that a campaign adds up over runs.

A run takes up where the runs before it ended: its first seed is the one after their last. A line is written whenever a
batch of trials is over, so that a run that is stopped, by whatever means, loses one batch at most.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "campaigns"


class Record:
    """What a campaign has tried: the lines of earlier runs, and this run's.

    ``folder`` is where the file ``NAME.jsonl`` is. A line has the seed of its batch, the counts of what was tried, how
    many trials failed, and the time.
    """

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self.name = name
        self.path = folder / f"{name}.jsonl"
        self.run: Counter[str] = Counter()
        self.total: Counter[str] = Counter()
        self.failures = self.failures_before = 0
        self._seeds: list[int] = []
        self._began = time.monotonic()
        last = -1
        if self.path.exists():
            for text in self.path.read_text(encoding="utf-8").splitlines():
                line = json.loads(text)
                self.total.update(line["counts"])
                self.failures_before += line["failures"]
                last = max(last, line["seed"])
        self.next_seed = last + 1

    def add(self, seed: int, counts: Mapping[str, int], failures: int = 0) -> None:
        """Record a batch of trials that is over."""
        line = {
            "seed": seed,
            "counts": dict(counts),
            "failures": failures,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
        self.run.update(counts)
        self.total.update(counts)
        self.failures += failures
        self._seeds.append(seed)
        self.next_seed = max(self.next_seed, seed + 1)

    def summary(self, trials: str) -> str:
        """Return the last line of a run: this run and the total, each by what was tried.

        >>> record = Record("nothing", Path("/nonexistent"))
        >>> record.summary("inputs").partition(",")[0]
        'nothing: 0 inputs in this run (none)'
        """
        seeds = f"seeds {min(self._seeds)} to {max(self._seeds)}" if self._seeds else "no seed"
        return (
            f"{self.name}: {self.run.total():,} {trials} in this run ({_shown(self.run)}), {seeds}, "
            f"{time.monotonic() - self._began:.0f} s, {self.failures} failed; "
            f"{self.total.total():,} in all ({_shown(self.total)}), {self.failures + self.failures_before} failed"
        )


def _shown(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items())) or "none"
