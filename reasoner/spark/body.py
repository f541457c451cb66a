"""Rule bodies as queries: a join per atom and one for the parameters, in an order that starts with the fewest rows.

Uniting rule bodies that differ by constants alone, predicates included, so that a query grows with their shapes.

The templates of the columnar engine keep predicates, because its tables are found by predicate. Spark reads files: one
pass over the facts of a hundred predicates, joined with the few rows of a relation of constants, takes the place of a
hundred passes, and of a plan with a hundred branches.

Rules with one body atom, all of those over the same facts as one join with a table of what they say.

Most rules of an ontology are of this kind: subclasses, subproperties, domains, ranges and inverses. A fact of them is
found by its predicate, or by its class if that is rdf:type, whatever the rules write, so that one pass and one piece of
generated code do for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reasoner.columnar.factset import Unranged
from reasoner.columnar.plans import Plan
from reasoner.rules.encode import EncodedTerm, Triple, is_variable
from reasoner.rules.template import Template, parameter
from reasoner.spark.facts import Segments, has_split, reading
from reasoner.spark.platform.scratch import ScratchRun
from reasoner.spark.set_operations import in_list
from reasoner.spark.terms import SparkTerms, column
from reasoner.terms.term import OCCURS, SAME, TYPE

_PARAMETERS = -1
# Parameters are written into the query up to this number of values; Spark gets their filter before the join.
MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class Body:
    """A plan with the facts that each of its literals reads; the atom ``free`` ranges over all predicates."""

    plan: Plan
    sources: tuple[Segments, ...]
    absent: tuple[Segments, ...]
    free: int | None = None

    @property
    def head_predicates(self) -> frozenset[int] | None:
        """The predicates of the head, None if that may be any."""
        head, plan = self.plan.template.head, self.plan
        if head is None or (is_variable(head[1]) and head[1] not in plan.parameters):
            return None
        return frozenset(plan.constant_columns[head[1]] if head[1] in plan.parameters else (head[1],))

    @property
    def runs(self) -> tuple[ScratchRun, ...]:
        return tuple(segment.run for segments in (*self.sources, *self.absent) for segment in segments)


@dataclass(frozen=True, slots=True)
class BodyQueries:
    """Writes bodies as queries.

    ``wild`` are the predicates that a variable predicate does not range over, ``free`` those of a free atom.
    """

    terms: SparkTerms
    equality: bool
    wild: Unranged
    free: Unranged

    def matches(self, body: Body) -> str | None:
        """Return the query for all matches, a column for each variable; None if there cannot be any."""
        template = body.plan.template
        if any(not self._may_match(body, at) for at in range(len(template.body))):
            return None
        text = self._joined(body)
        filtered = self.terms.holds(text, template.conditions) if template.conditions else text
        if filtered is None:
            return None
        for atom, facts in zip(template.negative, body.absent, strict=True):
            filtered = self._denied(body.plan, filtered, atom, facts)
        return filtered

    def _may_match(self, body: Body, at: int) -> bool:
        _, predicate, obj = body.plan.template.body[at]
        runs = [segment.run for segment in body.sources[at] if segment.added]
        if predicate in body.plan.parameters:
            known = body.plan.constant_columns[predicate]
            return any(not run.predicates.isdisjoint(known) for run in runs)
        if is_variable(predicate):
            return any(run.predicates - self._excluded(body, at) for run in runs)
        if obj in body.plan.parameters and predicate == TYPE:
            classes = body.plan.constant_columns[obj]
            return any(not run.classes.isdisjoint(classes) for run in runs)
        return any(has_split(run, predicate, None if is_variable(obj) else obj) for run in runs)

    def _excluded(self, body: Body, at: int) -> frozenset[int]:
        unranged = self.free if at == body.free else self.wild
        return unranged.among(frozenset().union(*(segment.run.predicates for segment in body.sources[at])))

    def _joined(self, body: Body) -> str:
        """Return the query for the matches of the positive atoms and the parameters."""
        bound: dict[EncodedTerm, str] = {}
        parts: list[str] = []
        for index in _order(body):
            if index == _PARAMETERS:
                text, variables = self._parameters(body.plan), list(body.plan.parameters)
            else:
                text, variables = self._atom(body, index)
            name = f"a{len(parts)}"
            shared = [f"{bound[v]} = {name}.{column(v)}" for v in variables if v in bound]
            parts.append(f"({text}) {name} ON {' AND '.join(shared) or 'true'}" if parts else f"({text}) {name}")
            bound.update({v: f"{name}.{column(v)}" for v in variables if v not in bound})
        columns = ", ".join(f"{source} AS {column(v)}" for v, source in bound.items())
        return f"SELECT {columns or '0L AS unit'}" + (f" FROM {' JOIN '.join(parts)}" if parts else "")

    def _atom(self, body: Body, at: int) -> tuple[str, list[EncodedTerm]]:
        """Return the query for the facts that an atom matches, and the variables that are its columns."""
        atom = body.plan.template.body[at]
        clauses = _clauses(atom)
        if is_variable(atom[1]) and atom[1] not in body.plan.parameters:
            clauses.append(in_list("p", self._excluded(body, at), negated=True))
        for name, term in zip("spo", atom, strict=True):
            values = body.plan.constant_columns.get(term, [])
            if values and len(values) <= MOST_LISTED:
                clauses.append(in_list(name, values))
        variables = list(dict.fromkeys(term for term in atom if is_variable(term)))
        columns = ", ".join(f"{'spo'[atom.index(v)]} AS {column(v)}" for v in variables) or "1 AS held"
        return f"SELECT {columns} FROM ({_facts_of(atom, body.sources[at], clauses)})", variables

    def _parameters(self, plan: Plan) -> str:
        names = ", ".join(map(column, plan.parameters))
        rows = ", ".join(f"({', '.join(f'{value}L' for value in row)})" for row in plan.template.rows)
        return f"SELECT * FROM VALUES {rows} AS t({names})"

    def _denied(self, plan: Plan, matches: str, atom: Triple, facts: Segments) -> str:
        """Return the query for the matches for which a negative atom is not among the facts."""
        text = f"SELECT m.* FROM ({matches}) m"
        s, p, o = (_value(term, "m") for term in atom)
        if any(has_split(segment.run, None if is_variable(atom[1]) else atom[1]) for segment in facts):
            named = [in_list("p", plan.constant_columns[atom[1]])] if atom[1] in plan.parameters else []
            found = _facts_of(atom, facts, [*_clauses(atom), *named])
            text += f" LEFT ANTI JOIN ({found}) f ON f.s = {s} AND f.p = {p} AND f.o = {o}"
        if self.equality and (is_variable(atom[1]) or atom[1] == SAME):
            # c = c holds for every c.
            text = f"SELECT m.* FROM ({text}) m WHERE NOT ({p} = {SAME} AND {s} = {o})"
        return text


def instance(atom: Triple, matches: str) -> str:
    """Return the query for the instances of an atom, all of whose variables the matches bind."""
    s, p, o = (_value(term, "m") for term in atom)
    return f"SELECT {s} AS s, {p} AS p, {o} AS o FROM ({matches}) m"


def structs(atoms: Iterable[Triple]) -> str:
    """Return the expression for an array of the instances of atoms, over matches that are called m."""
    parts = (f"named_struct('s', {_value(s, 'm')}, 'p', {_value(p, 'm')}, 'o', {_value(o, 'm')})" for s, p, o in atoms)
    return f"array({', '.join(parts)})"


def values(atom: Triple) -> tuple[str, str, str]:
    """Return the terms of an atom as expressions over matches that are called m."""
    s, p, o = (_value(term, "m") for term in atom)
    return s, p, o


def _value(term: EncodedTerm, source: str) -> str:
    return f"{source}.{column(term)}" if is_variable(term) else f"{term}L"


def _clauses(atom: Triple) -> list[str]:
    """Return what an atom says about s, p and o by its constants and repeated variables."""
    clauses = [f"{name} = {term}" for name, term in zip("spo", atom, strict=True) if not is_variable(term)]
    for at, name in enumerate("spo"):
        first = atom.index(atom[at])
        if is_variable(atom[at]) and first < at:
            clauses.append(f"{'spo'[first]} = {name}")
    return clauses


def _facts_of(atom: Triple, facts: Segments, clauses: Sequence[str]) -> str:
    """Return the query for the facts that meet clauses, which constrain them to the constants of an atom."""
    predicate = None if is_variable(atom[1]) else atom[1]
    return reading(facts, " AND ".join(clauses), predicate, None if is_variable(atom[2]) else atom[2])


def _order(body: Body) -> Iterator[int]:
    """Yield the atoms, and -1 for the parameters, fewest rows first and each connected with those before it.

    Two atoms are not connected by parameters: each row of these would pair all facts of one with all of the other.
    """
    template = body.plan.template
    rows = {at: _estimate(body.plan, atom, body.sources[at]) for at, atom in enumerate(template.body)}
    terms: dict[int, set[EncodedTerm]] = {at: set(atom) for at, atom in enumerate(template.body)}
    parameters = set(template.parameters)
    if parameters:
        rows[_PARAMETERS], terms[_PARAMETERS] = float(len(template.rows)), parameters
    bound: set[EncodedTerm] = set()
    while rows:
        shared = {at: {term for term in terms[at] & bound if is_variable(term)} for at in rows}
        connected = [at for at in rows if shared[at] - parameters or (shared[at] and at == _PARAMETERS)]
        chosen = min(connected or [at for at in rows if shared[at]] or rows, key=lambda at: rows[at])
        bound |= terms[chosen]
        del rows[chosen]
        yield chosen


def _estimate(plan: Plan, atom: Triple, facts: Segments) -> float:
    runs = [segment.run for segment in facts if segment.added]
    predicate = atom[1]
    if predicate in plan.parameters:
        rows = sum(run.estimate(each) for run in runs for each in plan.constant_columns[predicate])
    else:
        rows = float(sum(run.rows if is_variable(predicate) else run.estimate(predicate) for run in runs))
    for term in (atom[0], atom[2]):
        if not is_variable(term):
            rows /= 16
    return rows


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


# What a head takes from the fact, where ids are constants.
_SUBJECT, _OBJECT = -1, -2

_RuleRow = tuple[int, int, int, int]


@dataclass(slots=True)
class SingleAtoms:
    """Rules over the same facts: rows of the predicate or class that a rule reads, and the head that it writes."""

    facts: Segments
    rows: dict[_RuleRow, None] = field(default_factory=dict)

    @property
    def head_predicates(self) -> frozenset[int]:
        return frozenset(p for _, _, p, _ in self.rows)

    @property
    def runs(self) -> tuple[ScratchRun, ...]:
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


def _rows(body: Body, *, equality: bool) -> list[_RuleRow] | None:
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
    rows: list[_RuleRow] = []
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
