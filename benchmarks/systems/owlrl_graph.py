"""The OWL 2 RL rules of ``owlrl`` over a graph of rdflib, as a measured system."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome


def reason(watch: Stopwatch, *, facts: str, ontology: str, about: str) -> Outcome:
    """Load files and expand the graph, in the phases load and reason, without the axiomatic triples."""
    from owlrl import DeductiveClosure, OWLRL_Semantics
    from rdflib import RDF, Graph

    graph = Graph()
    with watch.phase("load"):
        graph.parse(facts, format="nt")
        graph.parse(ontology, format="nt")
    with watch.phase("reason"):
        DeductiveClosure(OWLRL_Semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    counts = Counter(f"<{o if p == RDF.type else p}>" for _, p, o in graph)
    return {text: counts[text] for text in json.loads(Path(about).read_text(encoding="utf-8"))}, {}
