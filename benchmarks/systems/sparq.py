"""The OWL 2 RL rules of ``sparq`` as a measured system."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome

_CLASSES = "SELECT ?name (COUNT(?s) AS ?count) { ?s a ?name } GROUP BY ?name"
_PROPERTIES = "SELECT ?name (COUNT(?s) AS ?count) { ?s ?name ?o } GROUP BY ?name"


def reason(watch: Stopwatch, *, facts: str, ontology: str, about: str) -> Outcome:
    """Load files and materialise, in the phases load and reason; it reads one file, so both are put together before."""
    from sparq import Graph

    with tempfile.NamedTemporaryFile(suffix=".nt") as whole:
        for part in (facts, ontology):
            whole.write(Path(part).read_bytes())
        whole.flush()
        with watch.phase("load"):
            graph = Graph.load(whole.name, format="ntriples")
        with watch.phase("reason"):
            graph.reason("owl")
    counts: dict[str, int] = {}
    for query in (_CLASSES, _PROPERTIES):
        for row in graph.query(query).rows:
            counts[f"<{row['name'].value}>"] = int(row["count"].value)
    return {text: counts.get(text, 0) for text in json.loads(Path(about).read_text(encoding="utf-8"))}, {}
