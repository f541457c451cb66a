"""Collect rules: name their variables canonically, merge equal ones, and remember the axioms that they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ontologies.axiom_clauses import unbound
from ontologies.clauses import Clause, Disjunct
from ontologies.translation import LeftOut
from ontologies.vocabulary import BOTTOM_PROPERTIES, THING, TOP_PROPERTIES
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import RDF_TYPE, SAME_AS, Term, Variable

_Key = tuple[object, ...]


class RuleCollector:
    """The rules and the left-out axioms of a translation under way."""

    def __init__(self) -> None:
        self._rules: dict[_Key, Rule] = {}
        self._left_out: dict[LeftOut, None] = {}

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(self._rules.values())

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        return tuple(self._left_out)

    def leave_out(self, axiom_text: str, reason: str) -> None:
        """Note an axiom, or a part of one, that became no rule."""
        self._left_out[LeftOut(axiom_text, reason)] = None

    def add(self, name: str, source: str, clause: Clause, head: Atom | None) -> None:
        """Add the rule ``head :- clause``; an equal rule gains a source instead."""
        rule = canonical(Rule(name, head, clause.body, (), clause.conditions, (source,) if source else ()))
        key = _key(rule)
        known = self._rules.get(key)
        if known is None:
            self._rules[key] = rule
        else:
            self._rules[key] = replace(known, sources=(*dict.fromkeys((*known.sources, *rule.sources)),))


def simplify(clause: Clause) -> Clause | None:
    """Take universal and empty properties out of a clause and bind loose variables; None if it is trivially true.

    A variable that only the head or a condition mentions ranges over the instances of ``owl:Thing``.
    """
    if any(atom.predicate in BOTTOM_PROPERTIES for atom in clause.body):
        return None
    heads: list[Disjunct] = []
    for head in clause.heads:
        if isinstance(head, Atom):
            trivial = head.predicate == SAME_AS and head.subject == head.object
            if head in clause.body or trivial or head.predicate in TOP_PROPERTIES:
                return None
            if head.predicate in BOTTOM_PROPERTIES:
                continue
        elif head.property in BOTTOM_PROPERTIES:
            continue
        heads.append(head)
    body = tuple(atom for atom in clause.body if atom.predicate not in TOP_PROPERTIES)
    clause = replace(clause, body=body, heads=tuple(dict.fromkeys(heads)))
    clause = clause.when(*(Atom(term, RDF_TYPE, THING) for term in unbound(clause)))
    if not clause.body and not clause.heads and not clause.conditions:
        # A contradiction whatever the data: it shows as soon as there are any.
        return clause.when(Atom(Variable("_0"), RDF_TYPE, Variable("_1")))
    return clause


def canonical(rule: Rule) -> Rule:
    """Rename the variables to x, y, y1, y2 ... in the order in which the body mentions them.

    >>> p, q = "<urn:p>", "<urn:q>"
    >>> rule = canonical(Rule("r", Atom(Variable("b"), q, Variable("a")), (Atom(Variable("a"), p, Variable("b")),)))
    >>> [str(term) for term in rule.head]
    ['?y', '<urn:q>', '?x']
    """
    names: dict[Variable, Variable] = {}
    for atom in rule.body:
        for term in atom:
            if isinstance(term, Variable) and term not in names:
                names[term] = Variable(_name(len(names)))
    return replace(
        rule,
        head=_rename(rule.head, names) if rule.head else None,
        body=tuple(_rename(atom, names) for atom in rule.body),
        conditions=tuple(Builtin(part.name, _rename_terms(part.arguments, names)) for part in rule.conditions),
    )


def _name(position: int) -> str:
    return ("x", "y")[position] if position < 2 else f"y{position - 1}"


def _rename(atom: Atom, names: dict[Variable, Variable]) -> Atom:
    return Atom(*_rename_terms(atom, names))


def _rename_terms(terms: Iterable[Term], names: dict[Variable, Variable]) -> tuple[Term, ...]:
    return tuple(names[term] if isinstance(term, Variable) else term for term in terms)


def _key(rule: Rule) -> _Key:
    """Identify a rule up to the order of its body, as far as constants and positions tell the atoms apart."""
    ordered = sorted(rule.body, key=lambda atom: [term if isinstance(term, str) else "" for term in atom])
    same = canonical(replace(rule, body=tuple(ordered)))
    return (same.head, same.body, frozenset(same.conditions))
