"""Write rules in the syntax of Nemo, in the form that Nemo runs fastest: one predicate a class and one a property."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import RDF_TYPE, Term, Variable


@dataclass(frozen=True, slots=True)
class NemoProgram:
    """A program of Nemo in three parts, and what its predicates stand for.

    ``load`` reads the file, ``split`` fills the predicates from it, ``rules`` reason over them. ``predicates`` maps
    the text of each class or property that the rules mention to the predicate that holds it.
    """

    load: str
    split: str
    rules: str
    predicates: dict[str, str]

    @property
    def text(self) -> str:
        return self.load + self.split + self.rules


def nemo_program(rules: Iterable[Rule], data: Path) -> NemoProgram:
    """Export rules over the triples of an N-Triples file.

    Every class is a predicate of one place and every property one of two, filled from the file by one rule each, so
    that no rule ever scans the triples. Constraints derive nothing and are left out. Raise a ``ValueError`` for what
    has no counterpart: a variable as predicate or class, and builtins.

    >>> rule = Rule("sub", Atom(Variable("x"), RDF_TYPE, "<urn:B>"), (Atom(Variable("x"), RDF_TYPE, "<urn:A>"),))
    >>> print(nemo_program([rule], Path("/data.nt")).rules, end="")
    class1(?x) :- class0(?x) .
    """
    names: dict[str, str] = {}
    lines = [_rule(rule, names) for rule in rules if rule.head is not None]
    return NemoProgram(
        load=f'@import triple :- ntriples{{resource="{data}"}} .\n',
        split="".join(f"{_split(text, name)} .\n" for text, name in names.items()),
        rules="".join(lines),
        predicates=names,
    )


def _rule(rule: Rule, names: dict[str, str]) -> str:
    if rule.conditions:
        raise ValueError(f"the rule {rule.name} has conditions, which are not exported")
    assert rule.head is not None
    body = [_atom(atom, names) for atom in rule.body] + [f"~{_atom(atom, names)}" for atom in rule.negative]
    return f"{_atom(rule.head, names)} :- {', '.join(body)} .\n"


def _atom(atom: Atom, names: dict[str, str]) -> str:
    if atom.predicate == RDF_TYPE:
        return _named(atom.object, "class", [atom.subject], names)
    return _named(atom.predicate, "property", [atom.subject, atom.object], names)


def _named(symbol: Term, kind: str, arguments: Sequence[Term], names: dict[str, str]) -> str:
    if isinstance(symbol, Variable):
        raise ValueError(f"{symbol} stands for a {kind}, which split predicates cannot express")
    name = names.setdefault(symbol, f"{kind}{len(names)}")
    if not name.startswith(kind):
        raise ValueError(f"{symbol} is used both as class and as property")
    return f"{name}({', '.join(map(str, arguments))})"


def _split(text: str, name: str) -> str:
    if name.startswith("class"):
        return f"{name}(?x) :- triple(?x, {RDF_TYPE}, {text})"
    return f"{name}(?x, ?y) :- triple(?x, {text}, ?y)"
