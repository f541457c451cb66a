"""Short ways to write ontologies and rules in tests."""

from __future__ import annotations

from dataclasses import replace

from loaders.load import parse_text
from ontologies.axioms import Ontology
from ontologies.collector import LeftOut
from ontologies.read_functional import read_functional
from ontologies.read_rdf import ontology_of_triples
from ontologies.write_functional import write_functional
from reasoner.rules.printer import print_rule
from reasoner.rules.rule import Rule

NAMESPACE = "http://e/#"
PREFIXES = {"": NAMESPACE}
_TURTLE_PREFIXES = f"""
@prefix : <{NAMESPACE}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix swrlb: <http://www.w3.org/2003/11/swrlb#> .
"""


def iri(name: str) -> str:
    return f"<{NAMESPACE}{name}>"


def functional(*axioms: str) -> Ontology:
    """Read axioms whose names are in the default namespace."""
    return read_functional(f"Prefix(:=<{NAMESPACE}>) Ontology({' '.join(axioms)})")


def turtle(text: str) -> Ontology:
    """Read Turtle with the usual prefixes."""
    return ontology_of_triples(parse_text(_TURTLE_PREFIXES + text, "turtle"))


def axiom_texts(ontology: Ontology) -> list[str]:
    """Print the axioms other than declarations."""
    texts = [write_functional(axiom, PREFIXES) for axiom in ontology.axioms]
    return [text for text in texts if not text.startswith("Declaration(")]


def rule_texts(rules: tuple[Rule, ...]) -> list[str]:
    """Print rules without name, sources and the final point."""
    prefixes = {**PREFIXES, "owl": "http://www.w3.org/2002/07/owl#", "xsd": "http://www.w3.org/2001/XMLSchema#"}
    lines = [print_rule(replace(rule, name="r", sources=()), prefixes) for rule in rules]
    return [line.removeprefix("[r] ").removesuffix(" .") for line in lines]


def reasons(left_out: tuple[LeftOut, ...] | list[LeftOut]) -> list[str]:
    """Return reasons with short names."""
    return [item.reason.replace(f"<{NAMESPACE}", ":").replace(">", "") for item in left_out]
