"""Moving a class or property in its hierarchy, and taking one out of use."""

from __future__ import annotations

from ontologies.evolution.facts import Facts
from ontologies.evolution.known_names import CLASS, require_kind, require_known
from ontologies.evolution.script import Deprecate, Move
from ontologies.evolution.working import Working
from ontologies.vocabulary import literal, owl, rdfs
from reasoner.rules.term import XSD

DEPRECATED, REPLACED_BY = owl("deprecated"), "<http://purl.org/dc/terms/isReplacedBy>"
_TRUE = literal("true", XSD + "boolean")
_ABOVE = {CLASS: rdfs("subClassOf")}


def move(working: Working, statement: Move) -> None:
    """Put a class or property under another.

    Without ``origin`` it leaves every named class or property that it was directly under; expressions that it is under,
    such as restrictions, stay.
    """
    place = statement.place
    kind = require_kind(working, statement.name, place)
    if require_kind(working, statement.under, place) != kind:
        raise place.error(f"{statement.name} is a {kind} and {statement.under} is none")
    link = hierarchy(kind)
    if statement.under == statement.name or statement.name in _all_above(working, statement.under, link):
        raise place.error(f"{statement.under} is under {statement.name} itself; move it away first")
    above = [triple for triple in working.matching(s=statement.name, p=link) if triple[2].startswith("<")]
    if statement.origin is not None:
        require_known(working, statement.origin, place)
        above = [triple for triple in above if triple[2] == statement.origin]
        if not above:
            raise place.error(f"{statement.name} is not directly under {statement.origin}")
    working.remove(above)
    working.add([(statement.name, link, statement.under)])


def deprecate(working: Working, statement: Deprecate) -> None:
    """Mark a class or property as out of use.

    With a replacement it becomes a kind of that, so that whoever asks for the replacement finds what data say of the
    old one.
    """
    name, place = statement.name, statement.place
    kind = require_kind(working, name, place)
    working.add([(name, DEPRECATED, _TRUE)])
    if statement.reason is not None:
        working.add([(name, rdfs("comment"), literal(statement.reason))])
    if statement.replacement is not None:
        if require_kind(working, statement.replacement, place) != kind or statement.replacement == name:
            raise place.error(f"{name} is a {kind}, and so has to be what replaces it: another one")
        working.add([(name, REPLACED_BY, statement.replacement), (name, hierarchy(kind), statement.replacement)])


def hierarchy(kind: str) -> str:
    """Return the property that orders classes, or that orders properties."""
    return _ABOVE.get(kind, rdfs("subPropertyOf"))


def _all_above(facts: Facts, name: str, link: str) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for _, _, above in facts.matching(s=waiting.pop(), p=link):
            if above not in found:
                found.add(above)
                waiting.append(above)
    return found
