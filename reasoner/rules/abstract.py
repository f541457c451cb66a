"""Rules with ``$1``, ``$2`` ... in the place of their constants, as text that many rules of one shape share.

Predicates stay, because they say what a rule is about, except blank nodes, whose names say nothing.
``reasoner.rules.template`` does the same to rules over ids, for the engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import Term, Variable


def abstracted(rule: Rule) -> tuple[Rule, tuple[str, ...]]:
    """Return what rules of one shape have in common, sources apart, and the constants of this one.

    >>> from reasoner.rules.printer import print_rule
    >>> x = Variable("x")
    >>> shape, constants = abstracted(Rule("r", Atom(x, "<p>", "<b>"), (Atom(x, "<p>", "<a>"),)))
    >>> print_rule(shape), constants
    ('[r] ?x <p> $1 :- ?x <p> $2 .', ('<b>', '<a>'))
    """
    constants: list[str] = []

    def abstract(term: Term) -> Term:
        if isinstance(term, Variable):
            return term
        constants.append(term)
        return f"${len(constants)}"

    return _changed(rule, abstract, lambda term: abstract(term) if _is_blank(term) else term), tuple(constants)


def filled(shape: Rule, constants: Sequence[str]) -> Rule:
    """Return the rule of a shape with these constants; raise ``ValueError`` if they are too few or too many.

    >>> rule = Rule("r", None, (Atom("<a>", "<p>", Variable("x")),))
    >>> filled(*abstracted(rule)) == rule
    True
    """
    used: set[int] = set()

    def fill(term: Term) -> Term:
        if isinstance(term, Variable) or not term.startswith("$"):
            return term
        used.add(int(term[1:]))
        return constants[int(term[1:]) - 1]

    try:
        rule = _changed(shape, fill, fill)
    except IndexError:
        raise ValueError(f"it has more places than the {len(constants)} constants for them") from None
    if len(used) < len(constants):
        raise ValueError(f"it has {len(used)} places for {len(constants)} constants")
    return rule


def _changed(rule: Rule, term: Callable[[Term], Term], predicate: Callable[[Term], Term]) -> Rule:
    """Return a rule with other terms and predicates, which are asked for in the order in which they are printed."""

    def atom(old: Atom) -> Atom:
        return Atom(term(old.subject), predicate(old.predicate), term(old.object))

    return Rule(
        rule.name,
        atom(rule.head) if rule.head else None,
        tuple(map(atom, rule.body)),
        tuple(map(atom, rule.negative)),
        tuple(Builtin(part.name, tuple(map(term, part.arguments))) for part in rule.conditions),
    )


def _is_blank(term: Term) -> bool:
    return isinstance(term, str) and term.startswith("_:")
