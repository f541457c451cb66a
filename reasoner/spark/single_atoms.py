"""Rules with one body atom, all of those over the same facts as one join with a table of what they say.

Most rules of an ontology are of this kind: subclasses, subproperties, domains, ranges and inverses. A fact of them is
found by its predicate, or by its class if that is rdf:type, whatever the rules write, so that one pass and one piece of
generated code do for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from reasoner.rules.encode import EncodedTerm, is_variable
from reasoner.spark.body import MOST_LISTED, Body
from reasoner.spark.facts import Segments, reading
from reasoner.spark.run import Run
from reasoner.spark.set_operations import in_list
from reasoner.vocabulary import SAME, TYPE

# What a head takes from the fact, where ids are constants.
_SUBJECT, _OBJECT = -1, -2

_Row = tuple[int, int, int, int]


@dataclass(slots=True)
class SingleAtoms:
    """Rules over the same facts: rows of the predicate or class that a rule reads, and the head that it writes."""

    facts: Segments
    rows: dict[_Row, None] = field(default_factory=dict)

    @property
    def head_predicates(self) -> frozenset[int]:
        return frozenset(p for _, _, p, _ in self.rows)

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(segment.run for segment in self.facts)

    def query(self) -> str:
        """Return the query for the heads of all matches, with repetitions."""
        read = {row[0] for row in self.rows}
        predicates, classes = {key for key in read if key >= 0}, {_class_key(key) for key in read if key < 0}
        clauses = [in_list("p", predicates)] if predicates else []
        if classes:
            listed = f" AND {in_list('o', classes)}" if len(classes) <= MOST_LISTED else ""
            clauses.append(f"p = {TYPE}{listed}")
        found = reading(self.facts, " OR ".join(f"({clause})" for clause in clauses))
        rows = ", ".join(f"({', '.join(f'{value}L' for value in row)})" for row in self.rows)
        s, o = (
            f"CASE t.{end} WHEN {_SUBJECT}L THEN f.s WHEN {_OBJECT}L THEN f.o ELSE t.{end} END AS {end}" for end in "so"
        )
        key = f"CASE WHEN f.p = {TYPE} THEN {_class_key(0)}L - f.o ELSE f.p END"
        return (
            f"SELECT {s}, t.p AS p, {o} FROM ({found}) f"
            f" JOIN (SELECT * FROM VALUES {rows} AS t(key, s, p, o)) t ON t.key = {key}"
        )


def gathered(bodies: Iterable[Body], *, equality: bool) -> tuple[list[SingleAtoms], list[Body]]:
    """Return the bodies of one atom by the facts that they read, and the bodies that are not so simple.

    Under ``equality`` a rule for owl:sameAs is not: c = c holds by itself.
    """
    found: dict[object, SingleAtoms] = {}
    others: list[Body] = []
    for body in bodies:
        rows = _rows(body, equality=equality)
        if rows is None:
            others.append(body)
            continue
        (facts,) = body.sources
        place = found.setdefault(tuple((id(segment.run), segment.added) for segment in facts), SingleAtoms(facts))
        place.rows.update(dict.fromkeys(rows))
    return list(found.values()), others


def _rows(body: Body, *, equality: bool) -> list[_Row] | None:
    template = body.plan.template
    if len(template.body) != 1 or template.negative or template.conditions or body.free is not None:
        return None
    ((s, p, o),), head = template.body, template.head
    ends = {s: _SUBJECT, o: _OBJECT}
    parameters = set(template.parameters)

    def is_constant(term: EncodedTerm) -> bool:
        return not is_variable(term) or term in parameters

    if head is None or is_constant(s) or not is_constant(p) or not is_constant(head[1]):
        return None
    if any(not is_constant(term) and term not in ends for term in head):
        return None
    rows: list[_Row] = []
    for values in template.rows or [()]:
        given = dict(zip(template.parameters, values, strict=True))
        read, written = given.get(p, p), given.get(head[1], head[1])
        if (read == TYPE) is not is_constant(o) or s == o or (equality and SAME in (read, written)):
            return None
        key = _class_key(given.get(o, o)) if read == TYPE else read
        subject, obj = (given[term] if term in given else ends.get(term, term) for term in (head[0], head[2]))
        rows.append((key, subject, written, obj))
    return rows


def _class_key(id: int) -> int:
    """Return a class as a negative number, which no predicate is, and back.

    >>> _class_key(7), _class_key(_class_key(7))
    (-8, 7)
    """
    return -1 - id
