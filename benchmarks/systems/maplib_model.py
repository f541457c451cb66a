"""The RDFS rules of ``maplib`` as a measured system."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome

_CLASSES = "SELECT ?name (COUNT(?s) AS ?count) { ?s a ?name } GROUP BY ?name"
_PROPERTIES = "SELECT ?name (COUNT(?s) AS ?count) { ?s ?name ?o } GROUP BY ?name"


def reason(watch: Stopwatch, *, facts: str, ontology: str, about: str) -> Outcome:
    """Load files and infer by RDFS, in the phases load and reason."""
    from maplib import Model

    model = Model()
    with watch.phase("load"):
        for path in (facts, ontology):
            model.read(path, format="ntriples")
    with watch.phase("reason"):
        model.infer_rdfs()
    counts: dict[str, int] = {}
    for query in (_CLASSES, _PROPERTIES):
        for name, count in model.query(query).iter_rows():
            counts[name if name.startswith("<") else f"<{name}>"] = int(count)
    return {text: counts.get(text, 0) for text in json.loads(Path(about).read_text(encoding="utf-8"))}, {}
