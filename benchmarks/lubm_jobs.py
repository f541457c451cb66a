"""The jobs that the two benchmarks over LUBM share: this reasoner, Nemo and reasonable on one university data set."""

from __future__ import annotations

from pathlib import Path

from benchmarks.data import DataFiles, under_name
from benchmarks.measure import Bench, Job, run_job


class LubmJobs:
    """Jobs that compute the closure of LUBM under its DLP rules.

    The rules are those of ``Reasoner(profile="dlp")``. All results count the instances of each class and property that
    these rules mention. That is all that Nemo computes; reasonable, which has the rules of OWL 2 RL, also derives facts
    about the schema, and types such as owl:Thing, which are not counted.
    """

    def __init__(self, bench: Bench) -> None:
        self.files = lubm(bench)
        self._small = bench.data.get("lubm", universities=1, departments=1)
        self._program = self._beside(".nemo.json")
        self._about = self._beside(".about.json")
        paths = {"program": str(self._program), "about": str(self._about)}
        run_job(Job("export rules", "ours.export", {**self.files.arguments(), **paths}))

    def ours(self, *, warm: bool) -> Job:
        """Return the job of this reasoner, warmed up on a single department if asked for."""
        arguments = {**self.files.arguments(), "options": {"profile": "dlp"}, "about": str(self._about)}
        if warm:
            arguments["warm_up"] = self._small.arguments()
        return Job("ours", "ours.reason", arguments)

    def nemo(self, until: str = "rules") -> Job:
        """Return the job of Nemo, up to the end of a part of its program."""
        return Job(f"Nemo until {until}", "nemo.reason", {"program": str(self._program), "until": until})

    def reasonable(self) -> Job:
        """Return the job of reasonable, which reads N-Triples fastest under the suffix .n3."""
        facts, ontology = under_name(self.files.facts, ".n3"), under_name(self.files.ontology, ".n3")
        arguments = {"facts": str(facts), "ontology": str(ontology), "about": str(self._about)}
        return Job("reasonable", "reasonable.reason", arguments)

    def _beside(self, suffix: str) -> Path:
        return self.files.facts.with_suffix(suffix)


def lubm(bench: Bench) -> DataFiles:
    """Return LUBM(10), or LUBM(1) if small data will do."""
    return bench.data.get("lubm", universities=1 if bench.quick else 10)
