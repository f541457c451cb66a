"""One test case of an OWL 2 RL/RDF rule: ``Case``, and ``read`` for its Turtle."""

from __future__ import annotations

from dataclasses import dataclass

VIOLATION = "VIOLATION"
PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


@dataclass(frozen=True, slots=True)
class Case:
    """``expected`` follows from ``fires`` by ``rule``, and does not follow from ``near_miss``; all are Turtle.

    If ``expected`` is ``VIOLATION``, ``fires`` violates the constraint ``rule`` and ``near_miss`` violates nothing.
    Without ``near_miss`` the rule has no premises, so that there is nothing to miss. ``helpers`` are the other rules,
    apart from those of equality, that the case needs.
    """

    rule: str
    fires: str
    expected: str
    near_miss: str | None
    helpers: tuple[str, ...] = ()

    @property
    def facts(self) -> list[tuple[str, str, str]]:
        return read(self.fires)

    @property
    def near_miss_facts(self) -> list[tuple[str, str, str]]:
        return read(self.near_miss or "")

    @property
    def expected_facts(self) -> list[tuple[str, str, str]]:
        return [] if self.expected == VIOLATION else read(self.expected)


def read(turtle: str) -> list[tuple[str, str, str]]:
    """Return the triples of a Turtle snippet as canonical N-Triples texts, blank nodes with stable labels."""
    from pyoxigraph import RdfFormat, parse

    triples = [quad.triple for quad in parse(PREFIXES + turtle, format=RdfFormat.TURTLE)]
    labels: dict[str, str] = {}

    def text(term) -> str:
        written = str(term)
        return labels.setdefault(written, f"_:b{len(labels)}") if written.startswith("_:") else written

    return [(text(triple.subject), text(triple.predicate), text(triple.object)) for triple in triples]
