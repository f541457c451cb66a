"""Uniting rule bodies that differ by constants alone, predicates included, so that a query grows with their shapes.

The templates of the columnar engine keep predicates, because its tables are found by predicate. Spark reads files: one
pass over the facts of a hundred predicates, joined with the few rows of a relation of constants, takes the place of a
hundred passes, and of a plan with a hundred branches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from reasoner.columnar.plan import Plan
from reasoner.rules.encode import EncodedTerm, Triple, is_variable
from reasoner.rules.template import Template, parameter
from reasoner.spark.body import Body
from reasoner.vocabulary import OCCURS, SAME, TYPE

# Predicates that operators look at by name.
_KEPT = frozenset({TYPE, SAME, OCCURS})
_Row = tuple[int, ...]


def merged(bodies: Iterable[Body]) -> list[Body]:
    """Return bodies with the same matches, those of one shape over the same facts as one."""
    groups: dict[object, list[tuple[Body, _Shape]]] = {}
    for body in bodies:
        shape = _Shape.of(body.plan.template)
        groups.setdefault((shape.key, _read(body), body.free), []).append((body, shape))
    return [_united(group) for group in groups.values()]


@dataclass(slots=True)
class _Shape:
    """A template with its constants as parameters, in order of occurrence, and their values by rule."""

    atoms: list[Triple] = field(default_factory=list)
    columns: list[list[int]] = field(default_factory=list)
    key: object = None

    @classmethod
    def of(cls, template: Template) -> _Shape:
        shape = cls()
        given = dict(zip(template.parameters, map(list, zip(*template.rows, strict=True)), strict=True))
        count = len(template.rows)

        def abstracted(term: EncodedTerm, *, keep: bool = False) -> EncodedTerm:
            if term in given:
                shape.columns.append(given[term])
            elif is_variable(term) or keep:
                return term
            else:
                shape.columns.append([term] * count)
            return parameter(len(shape.columns))

        head = [template.head] if template.head else []
        for s, p, o in (*template.body, *template.negative, *head):
            shape.atoms.append((abstracted(s), abstracted(p, keep=p in _KEPT), abstracted(o)))
        sizes = (len(template.body), len(template.negative), len(head))
        shape.key = (tuple(shape.atoms), sizes, template.conditions, template.own)
        return shape

    def rows(self) -> list[_Row]:
        return list(zip(*self.columns, strict=True))


def _united(group: list[tuple[Body, _Shape]]) -> Body:
    body, shape = group[0]
    if len(group) == 1:
        return body
    template = body.plan.template
    here, absent = len(template.body), len(template.negative)
    atoms = tuple(shape.atoms)
    rows = dict.fromkeys(row for _, one in group for row in one.rows())
    united = Template(
        atoms[here + absent] if template.head else None,
        atoms[:here],
        atoms[here : here + absent],
        template.conditions,
        tuple(parameter(number + 1) for number in range(len(shape.columns))),
        tuple(rows),
        tuple(rule for one, _ in group for rule in one.plan.template.rules),
        template.own,
    )
    return Body(Plan(united), body.sources, body.absent, body.free)


def _read(body: Body) -> tuple[object, ...]:
    """Return what tells apart the facts that bodies read."""
    return tuple(
        tuple((id(segment.run), segment.added) for segment in segments) for segments in (*body.sources, *body.absent)
    )
