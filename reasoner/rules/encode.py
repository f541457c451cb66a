"""Rules over term ids, and the ways in which a body can read equality once facts are rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import product

from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import OCCURS, SAME, Term, Variable

# A term is an id, or a variable: the variable of index k is -1 - k.
EncodedTerm = int
Triple = tuple[EncodedTerm, EncodedTerm, EncodedTerm]
Condition = tuple[str, tuple[EncodedTerm, ...]]

# A literal that occurs at all occurs as the object of some fact, so that conditions which only literals meet need
# not be asked of the virtual reflexive equalities as well.
_LITERALS_ONLY = frozenset({"inValueSpace", "notInValueSpace", "isLiteral", "datatype", "lang"})
_NEVER_OF_ONE_TERM = frozenset({"!=", "differentValue", "differentSpelling"})


def is_variable(term: EncodedTerm) -> bool:
    """Tell whether an encoded term is a variable."""
    return term < 0


@dataclass(frozen=True, slots=True)
class EncodedRule:
    """A rule over ids. Two rules are equal when they say the same; ``origin`` does not count.

    ``own``, where it is given, tells for each body atom whether it reads facts of the rule's own stratum.
    """

    head: Triple | None
    body: tuple[Triple, ...]
    negative: tuple[Triple, ...]
    conditions: tuple[Condition, ...]
    origin: Rule = field(compare=False)
    own: tuple[bool, ...] = ()

    def substituted(self, change: Callable[[EncodedTerm], EncodedTerm]) -> EncodedRule:
        """Return the rule with every term changed."""
        return EncodedRule(
            _changed(self.head, change) if self.head else None,
            tuple(_changed(atom, change) for atom in self.body),
            tuple(_changed(atom, change) for atom in self.negative),
            tuple((name, tuple(change(term) for term in terms)) for name, terms in self.conditions),
            self.origin,
            self.own,
        )

    @property
    def atoms(self) -> tuple[Triple, ...]:
        """All atoms of the rule, the head last."""
        return (*self.body, *self.negative, *((self.head,) if self.head else ()))

    @property
    def constants(self) -> frozenset[int]:
        """The ids that occur anywhere in the rule."""
        terms = [term for atom in self.atoms for term in atom] + [
            term for _, terms in self.conditions for term in terms
        ]
        return frozenset(term for term in terms if term >= 0)


def encode_rule(rule: Rule, id_of: Callable[[str], int]) -> EncodedRule:
    """Encode a rule; variables are numbered by first occurrence, so that rules equal up to names are equal."""
    variables: dict[str, int] = {}

    def encode(term: Term) -> EncodedTerm:
        if isinstance(term, Variable):
            return -1 - variables.setdefault(term.name, len(variables))
        return id_of(term)

    def encode_atom(atom: Atom) -> Triple:
        return encode(atom.subject), encode(atom.predicate), encode(atom.object)

    body = tuple(encode_atom(atom) for atom in rule.body)
    return EncodedRule(
        encode_atom(rule.head) if rule.head else None,
        body,
        tuple(encode_atom(atom) for atom in rule.negative),
        tuple((part.name, tuple(encode(term) for term in part.arguments)) for part in rule.conditions),
        rule,
    )


def equality_readings(rule: EncodedRule) -> list[EncodedRule]:
    """Return the rules over stored facts that together read a rule over facts and virtual equalities.

    Facts are rewritten, so an equality in a body is the equation of its two terms: the reading unites them, and
    asks that the term occurs where no stored atom does. Equalities that are stored (those that involve a literal
    and merge nothing) are a second reading. A variable predicate may be owl:sameAs as well, which is a reading of
    its own; in the others it ranges over the other predicates, so that no instance is met twice.
    """
    if not any(p == SAME or is_variable(p) for _, p, _ in rule.body):
        return [rule]
    wild = sorted({p for _, p, _ in rule.body if is_variable(p)}, reverse=True)
    readings: list[EncodedRule] = []
    for choice in product((False, True), repeat=len(wild)):
        chosen = {p for p, taken in zip(wild, choice, strict=True) if taken}
        special = rule.substituted(lambda term, chosen=chosen: SAME if term in chosen else term)  # type: ignore[misc]
        readings.extend(_equations_read(special))
    return list(dict.fromkeys(readings))


def _equations_read(rule: EncodedRule) -> Iterable[EncodedRule]:
    equations = [atom for atom in rule.body if atom[1] == SAME]
    if not equations:
        return [rule]
    readings = []
    for united in product((True, False), repeat=len(equations)):
        reading = _unite(rule, [atom for atom, taken in zip(equations, united, strict=True) if taken])
        if reading is not None:
            readings.append(reading)
    return readings


def _unite(rule: EncodedRule, equations: list[Triple]) -> EncodedRule | None:
    """Drop the equations by uniting their terms; None if two different constants would have to be one."""
    rest = list(rule.body)
    for equation in equations:
        rest.remove(equation)
    left: dict[EncodedTerm, EncodedTerm] = {}

    def find(term: EncodedTerm) -> EncodedTerm:
        while term in left:
            term = left[term]
        return term

    for a, _, b in equations:
        a, b = find(a), find(b)
        if a == b:
            continue
        if not is_variable(a) and not is_variable(b):
            return None
        if is_variable(a):
            left[a] = b
        else:
            left[b] = a
    united = replace(rule, body=tuple(rest)).substituted(find)
    if any(name in _NEVER_OF_ONE_TERM and len(set(terms)) == 1 for name, terms in united.conditions):
        return None
    stored = {term for atom in united.body for term in atom}
    alone = dict.fromkeys(term for a, _, _ in equations if (term := find(a)) not in stored)
    if alone and any(name in _LITERALS_ONLY and terms[0] in alone for name, terms in united.conditions):
        return None
    return replace(united, body=(*united.body, *((term, OCCURS, term) for term in alone)))


def _changed(atom: Triple, change: Callable[[EncodedTerm], EncodedTerm]) -> Triple:
    return change(atom[0]), change(atom[1]), change(atom[2])
