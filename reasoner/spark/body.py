"""Rule bodies as queries: a join per atom and one for the parameters, in an order that starts with the fewest rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reasoner.columnar.auxiliary_predicates import Unranged
from reasoner.columnar.plan import Plan
from reasoner.rules.encode import EncodedTerm, Triple, is_variable
from reasoner.spark.facts import Segments, has_split, reading
from reasoner.spark.run import Run
from reasoner.spark.set_operations import in_list
from reasoner.spark.terms import Terms, column
from reasoner.vocabulary import SAME, TYPE

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
    def runs(self) -> tuple[Run, ...]:
        return tuple(segment.run for segments in (*self.sources, *self.absent) for segment in segments)


@dataclass(frozen=True, slots=True)
class BodyQueries:
    """Writes bodies as queries.

    ``wild`` are the predicates that a variable predicate does not range over, ``free`` those of a free atom.
    """

    terms: Terms
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
