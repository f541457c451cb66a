"""The notation of these tests: Turtle with short prefixes."""

from __future__ import annotations

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.entailment.result import Entailment

PREFIXES = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def knowing(premises: str, **settings: object) -> Reasoner:
    """Return a reasoner that knows some Turtle."""
    kb = Reasoner(**settings)  # type: ignore[arg-type]
    kb.add(parse_text(PREFIXES + premises, "turtle"))
    return kb


def asked(premises: str, conclusion: str, **settings: object) -> Entailment:
    """Ask whether some Turtle entails other Turtle."""
    return knowing(premises).entails(PREFIXES + conclusion, **settings)  # type: ignore[arg-type]
