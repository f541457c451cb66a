"""Joins by value: rules that meet literals of one value that are written differently.

Facts have literals as they were written, ``1`` or ``01``; these never share a representative, so that an answer has the
literal that somebody wrote. That they are equal all the same (the W3C rule dt-eq) is said by stored equalities between
the literals of one value. A rule that compares two places where a literal may be is therefore one rule that compares
terms, and further ones that go from one place to the other over such an equality:

    ?x owl:sameAs ?y :- ?x :key ?k, ?y :key ?k .
    ?x owl:sameAs ?y :- ?x :key ?k, ?y :key ?k2, ?k owl:sameAs ?k2, differentSpelling(?k, ?k2) .

They read nothing where no value is written in two ways.

Equality as ordinary rules, for comparison: the axioms of a congruence (paper 2, rules 1 to 4 of section 2).

The condition ``equatable`` says what rewriting says by itself: literals stay as they are written. That those of one
value are equal, rules read where they compare literals (``rules.value_joins``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from reasoner.rules.rule import Atom, Builtin, Rule, is_auxiliary
from reasoner.terms.term import OWL, RDF_TYPE, RDFS, SAME_AS, Term, Variable, is_literal

DIFFERENT_SPELLING = "differentSpelling"

# What these predicates lead to are names of the ontology, and equal terms of any kind; not data.
_NAMES = frozenset(
    {RDF_TYPE, SAME_AS}
    | {f"<{RDFS}{name}>" for name in ("subClassOf", "subPropertyOf", "domain", "range")}
    | {
        f"<{OWL}{name}>"
        for name in (
            *("equivalentClass", "disjointWith", "complementOf", "intersectionOf", "unionOf", "oneOf"),
            *("disjointUnionOf", "onProperty", "onClass", "onDataRange", "someValuesFrom", "allValuesFrom", "hasKey"),
            *("equivalentProperty", "inverseOf", "propertyDisjointWith", "propertyChainAxiom", "differentFrom"),
            *("members", "distinctMembers", "sourceIndividual", "assertionProperty", "targetIndividual"),
        )
    }
)
_X, _Y, _C = Variable("x"), Variable("y"), Variable("c")

# What is derived of a literal holds of its value. Facts about literals are no RDF, and so never an answer.
_TYPES_OF_VALUES = Rule(
    "eq-rep-s",
    Atom(_Y, RDF_TYPE, _C),
    (Atom(_X, RDF_TYPE, _C), Atom(_X, SAME_AS, _Y)),
    conditions=(Builtin(DIFFERENT_SPELLING, (_X, _Y)),),
    sources=("literals of one value are equal",),
)

# A rule that compares more places than these is spelled otherwise in at most two of them at a time: every subset of the
# places would be a rule.
_MOST_PLACES = 6
_FEW_PLACES = 2

# An atom of the body, and whether its subject (0) or its object (2).
_Place = tuple[int, int]


def value_joins(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules by which some rules compare literals by value, beside comparing them as they are written."""
    return tuple(variant for rule in rules for variant in _variants(rule))


def value_joins_of_profile(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the same for all rules of an ontology, and what lets literals of one value have the same types."""
    types = any(rule.head is not None and _may_type_literals(rule.head) for rule in rules)
    return (*value_joins(rules), *([_TYPES_OF_VALUES] if types else []))


def without_value_joins(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return rules without those that are there for the sake of literals of one value only."""
    return tuple(rule for rule in rules if all(part.name != DIFFERENT_SPELLING for part in rule.conditions))


def _may_type_literals(head: Atom) -> bool:
    """Tell whether a rule says of any term that it is of any class; as all profiles do that reason about datatypes."""
    return isinstance(head.predicate, Variable) or (head.predicate == RDF_TYPE and isinstance(head.object, Variable))


def _variants(rule: Rule) -> Iterator[Rule]:
    places = _places(rule)
    most = len(places) if len(places) <= _MOST_PLACES else _FEW_PLACES
    for count in range(1, most + 1):
        for chosen in combinations(places, count):
            yield from _spelled_otherwise(rule, chosen)


def _places(rule: Rule) -> list[_Place]:
    """Return the places that have to be compared with another: constants, and variables where they occur again."""
    names = {atom.predicate for atom in rule.body}
    found: list[_Place] = []
    seen: set[Term] = set()
    for number, atom in enumerate(rule.body):
        for place, term in ((0, atom.subject), (2, atom.object)):
            if not _may_be_literal(atom, place) or term in names:
                continue
            if _is_typed(term) or term in seen:
                found.append((number, place))
            elif isinstance(term, Variable):
                seen.add(term)
    return found


def _is_typed(term: Term) -> bool:
    """Tell whether a term is a literal that can be written in several ways, as a plain string cannot."""
    return is_literal(term) and not str(term).endswith('"')


def _may_be_literal(atom: Atom, place: int) -> bool:
    """Tell whether facts that an atom matches may have a literal in a place.

    Facts about literals follow only from rules that hold for every predicate, such as that of inverse properties, and
    only such rules look for them.
    """
    if isinstance(atom.predicate, Variable):
        return True
    return place == 2 and atom.predicate not in _NAMES and not is_auxiliary(atom.predicate)


def _spelled_otherwise(rule: Rule, places: Sequence[_Place]) -> Iterator[Rule]:
    """Yield a rule with other spellings in some places; the head has the literal of any of the places compared."""
    taken = set(rule.variables)
    body = list(rule.body)
    links: list[Atom] = []
    conditions: list[Builtin] = []
    spellings: dict[Variable, list[Variable]] = defaultdict(list)
    for number, place in places:
        atom = body[number]
        term = atom.subject if place == 0 else atom.object
        other = _fresh(term, taken)
        body[number] = replace(atom, subject=other) if place == 0 else replace(atom, object=other)
        links.append(Atom(term, SAME_AS, other))
        conditions.append(Builtin(DIFFERENT_SPELLING, (term, other)))
        if isinstance(term, Variable):
            spellings[term].append(other)
    variant = replace(rule, body=(*body, *links), conditions=(*rule.conditions, *conditions))
    yield variant
    if rule.head is not None:
        for variable, others in spellings.items():
            if variable in (rule.head.subject, rule.head.object):
                for other in others:
                    yield replace(variant, head=_replaced(rule.head, variable, other))


def _replaced(atom: Atom, old: Variable, new: Variable) -> Atom:
    return Atom(*(new if term == old else term for term in atom))


def _fresh(term: Term, taken: set[str]) -> Variable:
    """Return a variable with a name of its own, which says what it is another spelling of."""
    name = term.name if isinstance(term, Variable) else "value"
    number = 2
    while f"{name}{number}" in taken:
        number += 1
    taken.add(f"{name}{number}")
    return Variable(f"{name}{number}")


_S, _P, _O, _OTHER = Variable("s"), Variable("p"), Variable("o"), Variable("other")
_FACT = Atom(_S, _P, _O)


def _replacement(name: str, term: Variable, head: Atom) -> Rule:
    return Rule(
        name,
        head,
        (_FACT, Atom(term, SAME_AS, _OTHER)),
        conditions=(Builtin("equatable", (term, _OTHER)),),
        sources=("equality is a congruence",),
    )


def _reflexivity(term: Variable) -> Rule:
    return Rule("eq-ref", Atom(term, SAME_AS, term), (_FACT,), sources=("equality is reflexive",))


EQUALITY_AXIOMS = (
    _replacement("eq-rep-s", _S, Atom(_OTHER, _P, _O)),
    _replacement("eq-rep-p", _P, Atom(_S, _OTHER, _O)),
    _replacement("eq-rep-o", _O, Atom(_S, _P, _OTHER)),
    *(_reflexivity(term) for term in (_S, _P, _O)),
)
