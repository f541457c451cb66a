"""Proofs as JSON and as RDF.

JSON: an object with ``goal``, the id of the step that concludes, and ``steps``, each after those that it rests on::

    {"id": "s3", "triple": ["<a>", "<p>", "<b>"], "kind": "rule", "rule": "prp-trp", "sources": ["..."],
     "binding": {"x": "<a>"}, "premises": ["s1", "s2"], "absent": [["<a>", "<q>", "<b>"]], "conditions": ["..."]}

An explicit step has ``id``, ``triple`` and ``kind`` only; empty lists are left out. Terms are written as in N-Triples.
The object of a step about a part of an axiom's expression is that part, as text.

RDF: the vocabulary ``urn:reasoner:proof#`` (prefix ``proof:``) beside W3C PROV and RDF reification:

- each step is an ``rdf:Statement`` and a ``prov:Entity``, with ``rdf:subject``, ``rdf:predicate`` and ``rdf:object``,
  and a ``proof:Explicit``, ``proof:RuleStep`` or ``proof:EqualityStep``; the conclusion is a ``proof:Goal`` as well;
- ``prov:wasDerivedFrom`` names the premises in no order, ``proof:premises`` lists them in the order of the body;
- ``proof:rule`` is the name of the rule, ``proof:source`` an axiom that it comes from;
- ``proof:absent`` is a statement that does not hold, ``proof:condition`` a condition that does, as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from reasoner.explanation.proof import EQUALITY, EXPLICIT, RULE, Proof
from reasoner.literals.text import escape
from reasoner.rules.printer import print_builtin
from reasoner.rules.rule import Builtin
from reasoner.violation import TextTriple

NAMESPACE = "urn:reasoner:proof#"

_PREFIXES = f"""\
@prefix proof: <{NAMESPACE}> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""
_CLASSES = {EXPLICIT: "proof:Explicit", RULE: "proof:RuleStep", EQUALITY: "proof:EqualityStep"}


def proof_as_json(proof: Proof) -> str:
    """Write a proof as JSON."""
    names = _named(proof, "s")
    steps = []
    for step, name in names.items():
        members: dict[str, object] = {"id": name, "triple": step.shown, "kind": step.kind, "rule": step.rule}
        members["sources"] = step.sources
        members["binding"] = dict(step.binding)
        members["premises"] = [names[premise] for premise in step.premises]
        members["absent"] = step.absent
        members["conditions"] = [_condition(condition) for condition in step.conditions]
        steps.append({key: value for key, value in members.items() if value})
    return json.dumps({"goal": names[proof], "steps": steps}, indent=1, ensure_ascii=False)


def proof_as_turtle(proof: Proof) -> str:
    """Write a proof as Turtle; steps are blank nodes with labels that no term of the proof has."""
    prefix = "step"
    taken = {term[2:] for step in proof.steps for term in step.triple if term.startswith("_:")}
    while any(label.startswith(prefix) for label in taken):
        prefix += "x"
    names = _named(proof, f"_:{prefix}")
    return _PREFIXES + "".join(f"\n{text}" for step in names for text in _statements(step, proof, names))


def _statements(step: Proof, goal: Proof, names: dict[Proof, str]) -> Iterator[str]:
    classes = ["rdf:Statement", "prov:Entity", _CLASSES[step.kind], *(["proof:Goal"] if step is goal else [])]
    parts = [f"a {', '.join(classes)}", *_reified(step.shown)]
    if step.rule is not None:
        parts.append(f"proof:rule {_literal(step.rule)}")
    parts += [f"proof:source {_literal(source)}" for source in step.sources]
    if step.premises:
        parts.append(f"prov:wasDerivedFrom {', '.join(names[premise] for premise in dict.fromkeys(step.premises))}")
        parts.append(f"proof:premises ( {' '.join(names[premise] for premise in step.premises)} )")
    parts += [f"proof:absent [ a rdf:Statement ; {' ; '.join(_reified(triple))} ]" for triple in step.absent]
    parts += [f"proof:condition {_literal(_condition(condition))}" for condition in step.conditions]
    yield f"{names[step]} " + " ;\n    ".join(parts) + " .\n"


def _reified(triple: TextTriple) -> list[str]:
    return [f"rdf:{place} {term}" for place, term in zip(("subject", "predicate", "object"), triple, strict=True)]


def _named(proof: Proof, prefix: str) -> dict[Proof, str]:
    return {step: f"{prefix}{number}" for number, step in enumerate(proof.steps, 1)}


def _condition(condition: Builtin) -> str:
    return print_builtin(condition, {})


def _literal(text: str) -> str:
    return f'"{escape(text)}"'
