"""Rules and facts of tests in few characters, read by a few lines that share nothing with the engine's rule parser.

A bare name is an IRI (``p`` is ``<p>``), digits are an ``xsd:integer``, ``type`` is ``rdf:type``, ``same`` is
``owl:sameAs``, ``?x`` is a variable and ``false`` is the head of a constraint; parts are separated by ``", "``.
"""

from __future__ import annotations

from functools import cache

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import RDF_TYPE, SAME_AS, XSD, Term, Variable

Fact = tuple[str, str, str]
COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
ABBREVIATIONS = {"type": RDF_TYPE, "same": SAME_AS}


def integer(value: int) -> str:
    """Write an integer as a literal.

    >>> integer(7)
    '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    return f'"{value}"^^<{XSD}integer>'


def constant(token: str) -> str:
    """Write a token as a constant.

    >>> constant("a"), constant("_:b")
    ('<a>', '_:b')
    """
    if token in ABBREVIATIONS:
        return ABBREVIATIONS[token]
    if token.isdigit():
        return integer(int(token))
    return token if token[0] in '<_"' else f"<{token}>"


def fact(text: str) -> Fact:
    """Read one fact.

    >>> fact("a p b")
    ('<a>', '<p>', '<b>')
    """
    s, p, o = map(constant, text.split())
    return s, p, o


def facts(text: str) -> list[Fact]:
    """Read facts, one a line or separated by commas."""
    return [fact(part) for line in text.splitlines() for part in line.split(",") if part.strip()]


@cache
def rule(text: str, name: str = "rule") -> Rule:
    """Read one rule.

    >>> rule("?x type B :- ?x type A, not ?x p a, ?x != b").negative
    (Atom(subject=Variable(name='x'), predicate='<p>', object='<a>'),)
    """
    head, _, body = text.partition(":-")
    positive, negative, conditions = [], [], []
    for part in filter(None, map(str.strip, body.split(","))):
        tokens = part.split()
        if tokens[1] in COMPARISONS:
            conditions.append(Builtin(tokens[1], (_term(tokens[0]), _term(tokens[2]))))
        elif tokens[0] == "not":
            negative.append(_atom(tokens[1:]))
        else:
            positive.append(_atom(tokens))
    heads = None if head.strip() == "false" else _atom(head.split())
    return Rule(name, heads, tuple(positive), tuple(negative), tuple(conditions))


def rules(text: str) -> list[Rule]:
    """Read rules, one a line, named ``rule-1``, ``rule-2`` and so on."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [rule(line, f"rule-{number}") for number, line in enumerate(lines, 1)]


def write_term(term: Term) -> str:
    """Write a term in this notation; the inverse of reading it."""
    if isinstance(term, Variable):
        return str(term)
    for short, long in ABBREVIATIONS.items():
        if term == long:
            return short
    if term.endswith(f"^^<{XSD}integer>"):
        return term[1 : term.index('"', 1)]
    return term[1:-1] if term.startswith("<") and ":" not in term else term


def write_fact(triple: Fact) -> str:
    """Write a fact in this notation."""
    return " ".join(map(write_term, triple))


def write_rule(written: Rule) -> str:
    """Write a rule in this notation."""
    parts = [_write_atom(atom) for atom in written.body]
    parts += ["not " + _write_atom(atom) for atom in written.negative]
    for condition in written.conditions:
        left, right = map(write_term, condition.arguments)
        parts.append(f"{left} {condition.name} {right}")
    return f"{_write_atom(written.head) if written.head else 'false'} :- {', '.join(parts)}".strip()


def _term(token: str) -> Term:
    return Variable(token[1:]) if token.startswith("?") else constant(token)


def _atom(tokens: list[str]) -> Atom:
    s, p, o = map(_term, tokens)
    return Atom(s, p, o)


def _write_atom(atom: Atom) -> str:
    return " ".join(map(write_term, atom))
