"""Splitting a class or a property into parts.

The whole stays, and every part becomes a kind of it, so that all that axioms and queries say of the whole goes on to
hold of what moves. What moves are explicit facts about the whole:

- A part with a class expression is defined by it: ``EquivalentClasses(part ObjectIntersectionOf(whole expression))``.
  Data need not move, reasoning tells who is in it, today and later. Of properties there are no such definitions.
- A part with patterns takes the explicit facts that the patterns find in what holds before the step: ``?x a whole``
  becomes ``?x a part``; ``?x whole ?y`` becomes ``?x part ?y``. A fact that several parts find goes to all of them.
- A part with ``otherwise`` takes the explicit facts that no pattern finds.
"""

from __future__ import annotations

from ontologies.axioms import EquivalentClasses, Triple
from ontologies.evolution.axiom_presence import add_axiom
from ontologies.evolution.known_names import CLASS, kind_of, require_kind
from ontologies.evolution.place_terms import hierarchy
from ontologies.evolution.script import Part, Split
from ontologies.evolution.working import Working
from ontologies.expressions import ObjectIntersectionOf
from ontologies.vocabulary import is_reserved, owl
from reasoner.rules.term import RDF_TYPE, Variable

_KINDS = tuple(map(owl, ("Class", "ObjectProperty", "DatatypeProperty", "AnnotationProperty")))


def split(working: Working, statement: Split) -> None:
    """Declare the parts, put them under the whole, and hand facts over to them."""
    whole, place = statement.whole, statement.place
    kind = require_kind(working, whole, place)
    if is_reserved(whole):
        raise place.error("the names of RDF, RDFS, OWL and SWRL mean what they mean and cannot be split", whole)
    moved: dict[Triple, list[Triple]] = {}
    for part in statement.parts:
        if kind_of(working, part.name) not in (None, kind):
            raise part.place.error(f"{whole} is a {kind}, and {part.name} is none")
        declared = [(part.name, RDF_TYPE, o) for _, _, o in working.matching(s=whole, p=RDF_TYPE) if o in _KINDS]
        working.add([*declared, (part.name, hierarchy(kind), whole)])
        if part.condition is not None:
            if kind != CLASS:
                raise part.place.error("a property has no class expression: give patterns over ?x and ?y in braces")
            definition = EquivalentClasses((part.name, ObjectIntersectionOf((whole, part.condition))))
            add_axiom(working, definition)
        elif part.pattern is not None:
            for fact in _found(working, whole, kind, part):
                moved.setdefault(fact, []).append(_handed_over(fact, whole, part.name))
    for part in statement.parts:
        if part.condition is None and part.pattern is None:
            for fact in _explicit(working, whole, kind):
                moved.setdefault(fact, [_handed_over(fact, whole, part.name)])
    working.replace((old, new) for old, places in moved.items() for new in places)


def _explicit(working: Working, whole: str, kind: str) -> list[Triple]:
    return working.matching(p=RDF_TYPE, o=whole) if kind == CLASS else working.matching(p=whole)


def _found(working: Working, whole: str, kind: str, part: Part) -> list[Triple]:
    """Return the explicit facts about the whole that a part's patterns find."""
    assert part.pattern is not None
    wanted = ("x",) if kind == CLASS else ("x", "y")
    positive = part.pattern[0]
    mentioned = {term.name for atom in positive for term in atom if isinstance(term, Variable)}
    if missing := [f"?{name}" for name in wanted if name not in mentioned]:
        if missing != ["?y"]:
            raise part.place.error(f"the patterns have to mention {' and '.join(missing)}: what is to move")
        wanted = ("x",)
    answers = set(working.answers(part.pattern, wanted))
    return [
        fact
        for fact in _explicit(working, whole, kind)
        if (fact[0],) in answers or (len(wanted) == 2 and (fact[0], fact[2]) in answers)
    ]


def _handed_over(fact: Triple, whole: str, part: str) -> Triple:
    s, p, o = fact
    return (s, p, part) if p == RDF_TYPE and o == whole else (s, part, o)
