"""Collect rules: name their variables canonically, merge equal ones, and remember the axioms that they come from.

What a translator gives back: ``Translation`` (the rules) and ``LeftOut`` (axioms that became no rule, and why).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ontologies.clauses import Clause, Disjunct, unbound
from ontologies.vocabulary import BOTTOM_PROPERTIES, THING, TOP_PROPERTIES
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import RDF_TYPE, SAME_AS, Term, Variable


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An axiom, or a part of one, that lies outside a profile, and the reason."""

    axiom_text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Translation:
    """The rules of an ontology and what they do not cover.

    ``value_equality`` asks the engine to treat literals of equal value as equal terms.
    """

    rules: tuple[Rule, ...]
    left_out: tuple[LeftOut, ...] = ()
    value_equality: bool = False


_Body = tuple[Atom, ...]
_Conditions = tuple[Builtin, ...]
_Key = tuple[Atom | None, _Body, frozenset[Builtin]]

_NAMES = (Variable("x"), Variable("y"), Variable("y1"))


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
        """Add the rule ``head :- clause``; an equal rule gains a source instead.

        Variables are named x, y, y1, y2 ... in the order in which the body mentions them: equal rules become equal.

        >>> collector, part = RuleCollector(), "<urn:part>"
        >>> body = (Atom(Variable("a"), part, Variable("b")), Atom(Variable("b"), part, Variable("c")))
        >>> collector.add("chain", "an axiom", Clause(body), Atom(Variable("a"), part, Variable("c")))
        >>> [str(term) for term in collector.rules[0].head]
        ['?x', '<urn:part>', '?y1']
        """
        key = _key(head, clause.body, clause.conditions)
        known = self._rules.get(key)
        if known is None:
            renamed = _canonical(head, clause.body, clause.conditions)
            self._rules[key] = Rule(name, renamed[0], renamed[1], (), renamed[2], (source,) if source else ())
        elif source and source not in known.sources:
            self._rules[key] = replace(known, sources=(*known.sources, source))

    def add_definitions(self, name: str, source: str, clauses: Iterable[Clause]) -> None:
        """Add the rules that define auxiliary classes."""
        for clause in clauses:
            if (simple := simplify(clause)) is not None:
                [head] = simple.heads
                assert isinstance(head, Atom)
                self.add(name, source, simple, head)


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


def _canonical(head: Atom | None, body: _Body, conditions: _Conditions) -> tuple[Atom | None, _Body, _Conditions]:
    """Rename the variables to x, y, y1, y2 ... in the order in which the body mentions them."""
    names: dict[Term, Variable] = {}
    for atom in body:
        for term in atom:
            if isinstance(term, Variable) and term not in names:
                names[term] = _NAMES[len(names)] if len(names) < len(_NAMES) else Variable(f"y{len(names) - 1}")
    return (
        Atom(*(names.get(term, term) for term in head)) if head else None,
        tuple(Atom(*(names.get(term, term) for term in atom)) for atom in body),
        tuple(Builtin(part.name, tuple(names.get(term, term) for term in part.arguments)) for part in conditions),
    )


def _key(head: Atom | None, body: _Body, conditions: _Conditions) -> _Key:
    """Identify a rule up to the order of its body, as far as constants and positions tell the atoms apart."""
    if len(body) > 1:
        body = tuple(sorted(body, key=lambda atom: [term if isinstance(term, str) else "" for term in atom]))
    renamed = _canonical(head, body, conditions)
    return renamed[0], renamed[1], frozenset(renamed[2])
