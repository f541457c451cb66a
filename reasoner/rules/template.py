"""Templates: rules that are equal up to constants, as one rule over a relation of parameters.

Thousands of axioms have few shapes. ``type(x, $2) :- type(x, $1)`` with the rows of all subclass axioms is one join
a round instead of one per axiom. Predicates stay in the template, because tables are found by predicate; every other
constant becomes a parameter. A template of one row keeps its constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reasoner.rules.encode import Condition, EncodedRule, EncodedTerm, Triple, is_variable

# Parameters are variables below this one, so that no variable of a rule is ever taken for a parameter.
_PARAMETERS = -(1 << 20)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """One rule shape. ``parameters`` are the variables that the columns of ``rows`` bind; ``rules[i]`` is the rule
    behind ``rows[i]``; ``own`` tells which body atoms read the rules' own stratum, where that matters."""

    head: Triple | None
    body: tuple[Triple, ...]
    negative: tuple[Triple, ...]
    conditions: tuple[Condition, ...]
    parameters: tuple[EncodedTerm, ...]
    rows: tuple[tuple[int, ...], ...]
    rules: tuple[EncodedRule, ...]
    own: tuple[bool, ...] = ()


def parameter(number: int) -> EncodedTerm:
    """Return a parameter by its number, from 1 on."""
    return _PARAMETERS - number


def group_into_templates(rules: Iterable[EncodedRule]) -> tuple[Template, ...]:
    """Group rules by shape, in order of first appearance; rules that say the same are taken once."""
    shapes: dict[EncodedRule, tuple[list[tuple[int, ...]], list[EncodedRule]]] = {}
    for rule in dict.fromkeys(rules):
        shape, row = _abstracted(rule)
        rows, members = shapes.setdefault(shape, ([], []))
        rows.append(row)
        members.append(rule)
    return tuple(_template(shape, rows, members) for shape, (rows, members) in shapes.items())


def shape_of(rule: EncodedRule) -> EncodedRule:
    """Return what the rules of one template have in common."""
    return _abstracted(rule)[0]


def exchange_in_templates(
    templates: Callable[[EncodedRule], Template | None],
    leaving: Iterable[EncodedRule],
    joining: Iterable[EncodedRule],
) -> dict[EncodedRule, Template | None]:
    """Return the templates that change, by shape, when rules leave them and join them; None is for one without rules.

    ``templates`` finds those so far by their shapes.
    """
    changed: dict[EncodedRule, dict[tuple[int, ...], EncodedRule]] = {}
    for rules, joins in ((leaving, False), (joining, True)):
        for rule in rules:
            shape, row = _abstracted(rule)
            if shape not in changed:
                changed[shape] = _rules_by_row(templates(shape))
            if joins:
                changed[shape].setdefault(row, rule)
            else:
                changed[shape].pop(row, None)
    return {
        shape: _template(shape, list(rows), list(rows.values())) if rows else None for shape, rows in changed.items()
    }


def _rules_by_row(template: Template | None) -> dict[tuple[int, ...], EncodedRule]:
    if template is None:
        return {}
    rows = template.rows if template.parameters else [_abstracted(rule)[1] for rule in template.rules]
    return dict(zip(rows, template.rules, strict=True))


def _abstracted(rule: EncodedRule) -> tuple[EncodedRule, tuple[int, ...]]:
    """Return the rule with its non-predicate constants as fresh variables, and those constants."""
    row: list[int] = []

    def abstract(atom: Triple) -> Triple:
        return without_constant(atom[0]), atom[1], without_constant(atom[2])

    def without_constant(term: EncodedTerm) -> EncodedTerm:
        if is_variable(term):
            return term
        row.append(term)
        return parameter(len(row))

    body = tuple(abstract(atom) for atom in rule.body)
    negative = tuple(abstract(atom) for atom in rule.negative)
    head = abstract(rule.head) if rule.head else None
    return EncodedRule(head, body, negative, rule.conditions, rule.origin, rule.own), tuple(row)


def _template(shape: EncodedRule, rows: list[tuple[int, ...]], rules: list[EncodedRule]) -> Template:
    if len(rules) == 1 or not rows[0]:
        rule = rules[0]
        return Template(rule.head, rule.body, rule.negative, rule.conditions, (), ((),), (rule,), rule.own)
    parameters = tuple(parameter(position + 1) for position in range(len(rows[0])))
    return Template(
        shape.head, shape.body, shape.negative, shape.conditions, parameters, tuple(rows), tuple(rules), shape.own
    )
