"""Rules beyond OWL 2 RL, for premises that say what that profile has no rules for.

They are right in all models, but they are not all: what has to exist, and what has alternatives, is for ``expansion``.
"""

from __future__ import annotations

from functools import cache

from ontologies.vocabulary import owl
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Rule

# Premises without any of these are told all that they entail by the rules of OWL 2 RL, unions and enumerations apart.
BEYOND_PREDICATES = tuple(
    owl(name)
    for name in (
        *("someValuesFrom", "minCardinality", "cardinality", "minQualifiedCardinality", "qualifiedCardinality"),
        *("hasSelf", "unionOf", "oneOf", "disjointUnionOf", "complementOf", "allValuesFrom", "maxCardinality"),
    )
)

BEYOND_TYPES = (owl("ReflexiveProperty"),)

_ZERO, _ONE = (f'sameValue(?n, "{number}"^^xsd:nonNegativeInteger)' for number in (0, 1))
_TRUE = '"true"^^xsd:boolean'
_CELL, _LATER = "<urn:reasoner:cell>", "<urn:reasoner:later>"
_EXACTLY = "?x owl:cardinality ?n, ?x owl:onProperty ?p, ?u a ?x"
_EXACTLY_OF_CLASS = "?x owl:qualifiedCardinality ?n, ?x owl:onProperty ?p, ?x owl:onClass ?c, ?u a ?x"

_TEXT = f"""
[self-1] ?u ?p ?u :- ?x owl:hasSelf {_TRUE}, ?x owl:onProperty ?p, ?u a ?x .
[self-2] ?u a ?x :- ?x owl:hasSelf {_TRUE}, ?x owl:onProperty ?p, ?u ?p ?u .
[reflexive] ?x ?p ?x :- ?p a owl:ReflexiveProperty, ?x a owl:Thing .
[exactly-0] false :- {_EXACTLY}, ?u ?p ?y, {_ZERO} .
[exactly-1] ?y1 owl:sameAs ?y2 :- {_EXACTLY}, ?u ?p ?y1, ?u ?p ?y2, {_ONE} .
[exactly-0-of] false :- {_EXACTLY_OF_CLASS}, ?u ?p ?y, ?y a ?c, {_ZERO} .
[exactly-1-of] ?y1 owl:sameAs ?y2 :- {_EXACTLY_OF_CLASS}, ?u ?p ?y1, ?y1 a ?c, ?u ?p ?y2, ?y2 a ?c, {_ONE} .
[at-least-1] ?u a ?x :- ?x owl:minCardinality ?n, ?x owl:onProperty ?p, ?u ?p ?y, {_ONE} .
[one-of-1] ?x owl:sameAs ?y :- ?c owl:oneOf ?l, ?l rdf:first ?y, ?l rdf:rest rdf:nil, ?x a ?c .
[disjoint-union-cell] ?c {_CELL} ?l :- ?c owl:disjointUnionOf ?l .
[disjoint-union-cell] ?c {_CELL} ?m :- ?c {_CELL} ?l, ?l rdf:rest ?m .
[disjoint-union-later] ?l {_LATER} ?m :- ?c {_CELL} ?l, ?l rdf:rest ?m .
[disjoint-union-later] ?l {_LATER} ?n :- ?l {_LATER} ?m, ?m rdf:rest ?n .
[disjoint-union-part] ?d rdfs:subClassOf ?c :- ?c {_CELL} ?l, ?l rdf:first ?d .
[disjoint-union-apart] ?d owl:disjointWith ?e :- ?c {_CELL} ?l, ?l {_LATER} ?m, ?l rdf:first ?d, ?m rdf:first ?e .
"""

# Restrictions of one property by one number: which of them are contained in which.
_CONTAINED = (
    *(("cardinality", name) for name in ("cardinality", "minCardinality", "maxCardinality")),
    *((name, name) for name in ("minCardinality", "maxCardinality")),
)


@cache
def beyond_rules() -> tuple[Rule, ...]:
    """Return the rules."""
    contained = "".join(
        f"[restriction] ?c rdfs:subClassOf ?d :- "
        f"?c owl:{sub} ?n, ?c owl:onProperty ?p, ?d owl:{over} ?n, ?d owl:onProperty ?p .\n"
        for sub, over in _CONTAINED
    )
    exactly = (
        "[restriction] ?u a ?c :- ?c owl:cardinality ?n, ?c owl:onProperty ?p, "
        "?d owl:minCardinality ?n, ?d owl:onProperty ?p, ?e owl:maxCardinality ?n, ?e owl:onProperty ?p, "
        "?u a ?d, ?u a ?e .\n"
    )
    return tuple(parse_rules(_TEXT + contained + exactly))
