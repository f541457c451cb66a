"""Turn class expressions into clauses, the first-order form that all rule translations start from.

A clause ``body -> head 1 or ... or head n`` is the form of formula (163) in Motik, Nenov, Piro and Horrocks,
Maintenance of datalog materialisations revisited (2019). A clause with one head atom is a rule, one without a head is
a constraint; the rest is what the lower bound leaves out and the upper bound overstates. On Horn expressions the
result is table 1 of Volz, Staab and Motik, Incrementally maintaining materializations of ontologies stored in logic
databases (2005), after Grosof, Horrocks, Volz and Decker (2003).

A pending expression is rewritten until only atoms are left:

    in the body                                     in the head
    C and D      both in the body                   C and D      two clauses
    C or D       two clauses                        C or D       both in the head
    not C        C in the head                      not C        C in the body
    some R.C     R(x, y), C(y) in the body          only R.C     R(x, y) in the body, C(y) in the head
    only R.C     (some R.not C) in the head         some R.C     an existential of the head
    >= n R.C     n successors in the body,          <= n R.C     n + 1 successors in the body,
                 or two of them are equal                        two of them are equal
    <= n R.C     (>= n+1 R.C) in the head           >= n R.C     an existential of the head

Turn data ranges into conditions. Membership is decidable, so a range in a head is its complement in the body.

Say each axiom as clauses with pending class expressions: the property axioms of table 2, keys and assertions.

After Volz, Staab and Motik (2005), table 2, and the semantics of the axioms that OWL 2 added. Facts (class and property
assertions about named classes and properties, and same individuals) are triples and need no clause.

Deviation: table 1 relates every member of an n-ary equivalence to the first; we relate them to the first named class,
so that a member that has no rule does not part the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import Any, TypeAlias, TypeGuard, cast

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.vocabulary import LITERAL, NOTHING, THING, lexical_form, literal, xsd
from ontologies.write_functional import write_functional
from reasoner.rules.rule import Atom, Builtin
from reasoner.terms.datatypes import SUPPORTED, compile_pattern
from reasoner.terms.term import RDF_TYPE, SAME_AS, Term, Variable

_ORDER = {
    xsd("minInclusive"): (">=", "<"),
    xsd("minExclusive"): (">", "<="),
    xsd("maxInclusive"): ("<=", ">"),
    xsd("maxExclusive"): ("<", ">="),
}


@dataclass(frozen=True, slots=True)
class DataTask:
    """A data range still to be turned into conditions, in the head or in the body of a clause."""

    in_head: bool
    range: ex.DataRange
    term: Term


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sub-expression that has no rule, and why."""

    expression: Any
    reason: str

    @property
    def text(self) -> str:
        return f"{write_functional(self.expression)} {self.reason}"


Alternatives: TypeAlias = list[tuple[Builtin, ...]]


def data_conditions(task: DataTask, definitions: Mapping[str, ex.DataRange]) -> Alternatives | Unsupported:
    """Return the ways for a literal to be in a range (for a task of the head: to be outside it).

    No alternative means never, the empty alternative means always.
    """
    try:
        return _conditions(task, definitions, frozenset())
    except _UnsupportedRangeError as error:
        return Unsupported(error.range, error.reason)


class _UnsupportedRangeError(Exception):
    def __init__(self, data_range: ex.DataRange, reason: str) -> None:
        self.range = data_range
        self.reason = reason
        super().__init__(reason)


def _conditions(task: DataTask, definitions: Mapping[str, ex.DataRange], seen: frozenset[str]) -> Alternatives:
    outside, y = task.in_head, task.term
    match task.range:
        case str():
            return _named(task, task.range, definitions, seen)
        case ex.DataComplementOf(operand):
            return _conditions(DataTask(not outside, operand, y), definitions, seen)
        case ex.DataIntersectionOf(operands) | ex.DataUnionOf(operands):
            parts = [_conditions(replace(task, range=operand), definitions, seen) for operand in operands]
            if isinstance(task.range, ex.DataUnionOf) != outside:
                return [conditions for part in parts for conditions in part]
            return _all_of(parts)
        case ex.DataOneOf(literals) if outside:
            return [tuple(Builtin("differentValue", (y, value)) for value in literals)]
        case ex.DataOneOf(literals):
            return [(Builtin("sameValue", (y, value)),) for value in literals]
        case ex.DatatypeRestriction(datatype, facets):
            inside = _conditions(DataTask(False, datatype, y), definitions, seen)
            if not outside:
                satisfied: Alternatives = [tuple(_facet(task.range, facet, y, False) for facet in facets)]
                return _all_of([inside, satisfied])
            failed: list[Alternatives] = [[(_facet(task.range, facet, y, True),)] for facet in facets]
            within = [conditions for part in failed for conditions in _all_of([inside, part])]
            return [*_conditions(DataTask(True, datatype, y), definitions, seen), *within]
    raise AssertionError(f"no conditions for {task.range}")


def _named(task: DataTask, name: str, definitions: Mapping[str, ex.DataRange], seen: frozenset[str]) -> Alternatives:
    if name == LITERAL:
        return [] if task.in_head else [()]
    if name in definitions and name not in seen:
        return _conditions(replace(task, range=definitions[name]), definitions, seen | {name})
    if name[1:-1] not in SUPPORTED:
        raise _UnsupportedRangeError(name, "is a datatype whose values are not known")
    return [(Builtin("notInValueSpace" if task.in_head else "inValueSpace", (task.term, name)),)]


def _all_of(parts: list[Alternatives]) -> Alternatives:
    return [tuple(condition for choice in choices for condition in choice) for choices in product(*parts)]


def _facet(restriction: ex.DataRange, facet: ex.Facet, y: Term, outside: bool) -> Builtin:
    if facet.facet in _ORDER:
        return Builtin(_ORDER[facet.facet][outside], (y, facet.value))
    if facet.facet == xsd("pattern") and not outside:
        pattern = compile_pattern(lexical_form(facet.value))
        if pattern is not None:
            return Builtin("matches", (y, literal(rf"\A(?:{pattern.pattern})\Z")))
    place = "on the right-hand side " if outside else ""
    raise _UnsupportedRangeError(
        restriction, f"{place}has the facet {write_functional(facet.facet)}, which has no builtin"
    )


# A rule over more data values than this would be longer than anyone wants to evaluate.
MOST_VALUES = 5


@dataclass(frozen=True, slots=True)
class ClassTask:
    """An expression still to be rewritten, in the head or in the body."""

    in_head: bool
    expression: ex.ClassExpression
    term: Term


@dataclass(frozen=True, slots=True)
class Existential:
    """``term`` has at least ``number`` successors in ``filler``: a disjunct that a rule cannot state."""

    term: Term
    number: int
    property: ex.ObjectPropertyExpression
    filler: ex.ClassExpression | ex.DataRange
    is_data: bool
    expression: ex.ClassExpression


Disjunct: TypeAlias = Atom | Existential
Task: TypeAlias = ClassTask | DataTask


@dataclass(frozen=True, slots=True)
class Clause:
    """``body and conditions -> one of heads``; ``todo`` is empty once the clause is finished."""

    body: tuple[Atom, ...] = ()
    conditions: tuple[Builtin, ...] = ()
    heads: tuple[Disjunct, ...] = ()
    todo: tuple[Task, ...] = ()
    variables: int = 0

    def fresh(self, number: int = 1) -> tuple[tuple[Variable, ...], Clause]:
        """Return new variables, and the clause that knows of them."""
        names = tuple(Variable(f"_{self.variables + offset}") for offset in range(number))
        return names, replace(self, variables=self.variables + number)

    def when(self, *atoms: Atom) -> Clause:
        """Add atoms to the body."""
        return replace(self, body=(*self.body, *(atom for atom in atoms if atom not in self.body)))

    def either(self, *heads: Disjunct) -> Clause:
        """Add disjuncts to the head."""
        return replace(self, heads=(*self.heads, *heads))

    def pending(self, *tasks: Task) -> Clause:
        """Add expressions to rewrite next."""
        return replace(self, todo=(*tasks, *self.todo))

    def bind(self, term: Term, individual: str) -> Clause:
        """Require that a term is an individual: a variable is replaced, a constant is compared."""
        if term == individual:
            return self
        if not isinstance(term, Variable):
            return self.when(Atom(term, SAME_AS, individual))
        return substitute_variable(self, term, individual)


def property_atom(property: ex.ObjectPropertyExpression, subject: Term, value: Term) -> Atom:
    """Write ``property(subject, value)``; an inverse swaps its arguments."""
    if isinstance(property, ex.ObjectInverseOf):
        return Atom(value, property.property, subject)
    return Atom(subject, property, value)


def substitute_variable(clause: Clause, variable: Variable, term: Term) -> Clause:
    """Replace a variable throughout a clause."""

    def put(terms: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(term if part == variable else part for part in terms)

    def put_head(head: Disjunct) -> Disjunct:
        return Atom(*put(head)) if isinstance(head, Atom) else replace(head, term=put((head.term,))[0])

    return replace(
        clause,
        body=tuple(dict.fromkeys(Atom(*put(atom)) for atom in clause.body)),
        conditions=tuple(Builtin(part.name, put(part.arguments)) for part in clause.conditions),
        heads=tuple(put_head(head) for head in clause.heads),
        todo=tuple(replace(task, term=put((task.term,))[0]) for task in clause.todo),
    )


class Clausifier:
    """Rewrites pending expressions; ``definitions`` are the datatypes that the ontology defines.

    With ``merge_successors``, as in the upper bound, a body that asks for more than two successors asks for two.
    """

    def __init__(self, definitions: Mapping[str, ex.DataRange], *, merge_successors: bool = False) -> None:
        self._definitions = definitions
        self._merge_successors = merge_successors

    def steps(self, clause: Clause) -> list[Clause]:
        """Rewrite the first pending expression by one step: return the clauses that the clause then stands for.

        What is pending of that expression comes first in them. Raises ``UnsupportedError``.
        """
        task, rest = clause.todo[0], replace(clause, todo=clause.todo[1:])
        return self._data_step(rest, task) if isinstance(task, DataTask) else self._class_step(rest, task)

    def data_alternatives(self, task: DataTask) -> int | None:
        """Count the clauses that a data range gives; None if it has none because there is no rule for it."""
        found = data_conditions(task, self._definitions)
        return None if isinstance(found, Unsupported) else len(found)

    def _data_step(self, clause: Clause, task: DataTask) -> list[Clause]:
        alternatives = data_conditions(task, self._definitions)
        if isinstance(alternatives, Unsupported):
            raise UnsupportedError(alternatives)
        return [replace(clause, conditions=(*clause.conditions, *conditions)) for conditions in alternatives]

    def _class_step(self, clause: Clause, task: ClassTask) -> list[Clause]:
        if isinstance(task.expression, str):
            return _named_class(clause, task)
        steps = _boolean(clause, task)
        if steps is None:
            steps = self._restriction(clause, task)
        return steps if steps is not None else self._cardinality(clause, task)

    def _restriction(self, clause: Clause, task: ClassTask) -> list[Clause] | None:
        x, head = task.term, task.in_head
        match task.expression:
            case ex.ObjectHasValue(property, value) | ex.DataHasValue(property, value):
                atom = property_atom(property, x, value)
                return [clause.either(atom) if head else clause.when(atom)]
            case ex.ObjectHasSelf(property):
                atom = property_atom(property, x, x)
                return [clause.either(atom) if head else clause.when(atom)]
            case ex.ObjectSomeValuesFrom(property, filler):
                return self._at_least(clause, task, 1, property, filler, is_data=False)
            case ex.DataSomeValuesFrom(properties, filler):
                return self._at_least(clause, task, 1, _single(task, properties), filler, is_data=True)
            case ex.ObjectAllValuesFrom(property, filler) if head:
                (y,), clause = clause.fresh()
                return [clause.when(property_atom(property, x, y)).pending(ClassTask(True, filler, y))]
            case ex.DataAllValuesFrom(properties, filler) if head:
                (y,), clause = clause.fresh()
                atom = property_atom(_single(task, properties), x, y)
                return [clause.when(atom).pending(DataTask(True, filler, y))]
            case ex.ObjectAllValuesFrom(property, filler):
                opposite: ex.ClassExpression = ex.ObjectSomeValuesFrom(property, ex.ObjectComplementOf(filler))
                return [clause.pending(ClassTask(True, opposite, x))]
            case ex.DataAllValuesFrom(properties, filler):
                opposite = ex.DataSomeValuesFrom(properties, ex.DataComplementOf(filler))
                return [clause.pending(ClassTask(True, opposite, x))]
        return None

    def _cardinality(self, clause: Clause, task: ClassTask) -> list[Clause]:
        x, head = task.term, task.in_head
        match task.expression:
            case ex.ObjectMinCardinality(number, property, filler):
                return self._at_least(clause, task, number, property, filler, is_data=False)
            case ex.DataMinCardinality(number, property, filler):
                return self._at_least(clause, task, number, property, filler, is_data=True)
            case ex.ObjectMaxCardinality(number, property, filler):
                at_least: ex.ClassExpression = ex.ObjectMinCardinality(number + 1, property, filler)
                return [clause.pending(ClassTask(not head, at_least, x))]
            case ex.DataMaxCardinality(number, property, filler):
                at_least = ex.DataMinCardinality(number + 1, property, filler)
                return [clause.pending(ClassTask(not head, at_least, x))]
            case ex.ObjectExactCardinality(number, property, filler):
                bounds: tuple[ex.ClassExpression, ...] = (
                    ex.ObjectMinCardinality(number, property, filler),
                    ex.ObjectMaxCardinality(number, property, filler),
                )
                return [clause.pending(ClassTask(head, ex.ObjectIntersectionOf(bounds), x))]
            case ex.DataExactCardinality(number, property, filler):
                bounds = (
                    ex.DataMinCardinality(number, property, filler),
                    ex.DataMaxCardinality(number, property, filler),
                )
                return [clause.pending(ClassTask(head, ex.ObjectIntersectionOf(bounds), x))]
        raise AssertionError(f"no clause for {task.expression}")

    def _at_least(
        self,
        clause: Clause,
        task: ClassTask,
        number: int,
        property: ex.ObjectPropertyExpression,
        filler: ex.ClassExpression | ex.DataRange,
        *,
        is_data: bool,
    ) -> list[Clause]:
        """Rewrite ``>= number property.filler``."""
        if number == 0:
            return [] if task.in_head else [clause]
        if task.in_head:
            return self._promise(clause, task, number, property, filler, is_data=is_data)
        asked = min(number, 2) if self._merge_successors else number
        if asked > (MOST_VALUES if is_data else 2):
            reason = f"needs a rule over {asked} values" if is_data else "needs a disjunction of equalities in the head"
            raise UnsupportedError(Unsupported(task.expression, reason))
        successors, clause = clause.fresh(asked)
        clause = clause.when(*(property_atom(property, task.term, y) for y in successors))
        pairs = list(combinations(successors, 2))
        if is_data:
            conditions = tuple(Builtin("differentValue", pair) for pair in pairs)
            clause = replace(clause, conditions=(*clause.conditions, *conditions))
            tasks: tuple[Task, ...] = tuple(DataTask(False, cast(ex.DataRange, filler), y) for y in successors)
        else:
            clause = clause.either(*(Atom(first, SAME_AS, second) for first, second in pairs))
            tasks = tuple(ClassTask(False, cast(ex.ClassExpression, filler), y) for y in successors)
        return [clause.pending(*tasks)]

    def _promise(
        self,
        clause: Clause,
        task: ClassTask,
        number: int,
        property: ex.ObjectPropertyExpression,
        filler: ex.ClassExpression | ex.DataRange,
        *,
        is_data: bool,
    ) -> list[Clause]:
        if filler == NOTHING:
            return [clause]
        if number == 1 and isinstance(filler, (ex.ObjectOneOf, ex.DataOneOf)):
            values = filler.individuals if isinstance(filler, ex.ObjectOneOf) else filler.literals
            return [clause.either(*(property_atom(property, task.term, value) for value in values))]
        return [clause.either(Existential(task.term, number, property, filler, is_data, task.expression))]


class UnsupportedError(Exception):
    """Ends the rewriting of one clause."""

    def __init__(self, reason: Unsupported) -> None:
        self.reason = reason
        super().__init__(reason.reason)


def _named_class(clause: Clause, task: ClassTask) -> list[Clause]:
    assert isinstance(task.expression, str)
    if task.expression == (THING if task.in_head else NOTHING):
        return []
    if task.expression == (NOTHING if task.in_head else THING):
        return [clause]
    atom = Atom(task.term, RDF_TYPE, task.expression)
    return [clause.either(atom) if task.in_head else clause.when(atom)]


def _boolean(clause: Clause, task: ClassTask) -> list[Clause] | None:
    x, head = task.term, task.in_head
    match task.expression:
        case ex.ObjectIntersectionOf(operands) | ex.ObjectUnionOf(operands):
            tasks = [ClassTask(head, operand, x) for operand in operands]
            together = isinstance(task.expression, ex.ObjectUnionOf) == head
            return [clause.pending(*tasks)] if together else [clause.pending(part) for part in tasks]
        case ex.ObjectComplementOf(operand):
            return [clause.pending(ClassTask(not head, operand, x))]
        case ex.ObjectOneOf(individuals) if head:
            return [clause.either(*(Atom(x, SAME_AS, individual) for individual in individuals))]
        case ex.ObjectOneOf(individuals):
            return [clause.bind(x, individual) for individual in individuals]
    return None


def _single(task: ClassTask, properties: Sequence[str]) -> str:
    if len(properties) != 1:
        raise UnsupportedError(Unsupported(task.expression, "relates the values of several data properties"))
    return properties[0]


def describe(head: Disjunct) -> str:
    """Name a disjunct in a reason."""
    if isinstance(head, Existential):
        return write_functional(head.expression)
    if head.predicate == RDF_TYPE:
        return write_functional(head.object)
    if head.predicate == SAME_AS:
        return "an equality" if isinstance(head.object, Variable) else f"ObjectOneOf({write_functional(head.object)})"
    return write_functional(head.predicate)


X, Y, Z = (Variable(f"_{number}") for number in range(3))


def clauses_of(axiom: ax.Axiom) -> list[Clause]:
    """Return the clauses of an axiom; none for declarations, facts, annotations and rules."""
    match axiom:
        case ax.SubClassOf(sub, super_class):
            return [_inclusion(sub, super_class)]
        case ax.EquivalentClasses(classes):
            pivot = next((part for part in classes if isinstance(part, str)), classes[0])
            others = [part for part in classes if part != pivot]
            return [clause for part in others for clause in (_inclusion(pivot, part), _inclusion(part, pivot))]
        case ax.DisjointClasses(classes):
            return _disjoint(classes)
        case ax.DisjointUnion(name, classes):
            union = ex.ObjectUnionOf(classes)
            return [_inclusion(name, union), _inclusion(union, name), *_disjoint(classes)]
        case ax.HasKey(expression, objects, data):
            return [_key(expression, (*objects, *data))]
        case ax.ClassAssertion(expression, individual):
            if isinstance(expression, str) and expression != NOTHING:
                return []
            if expression == NOTHING:
                return [_clause(body=[Atom(individual, RDF_TYPE, NOTHING)])]
            return [_clause(todo=[ClassTask(True, expression, individual)])]
        case ax.DifferentIndividuals(individuals):
            return [_clause(body=[Atom(first, SAME_AS, second)]) for first, second in combinations(individuals, 2)]
        case ax.NegativeObjectPropertyAssertion(property, source, target):
            return [_clause(body=[property_atom(property, source, target)])]
        case ax.NegativeDataPropertyAssertion(property, source, target):
            return [_clause(body=[Atom(source, property, target)])]
    return _property_clauses(axiom)


def _property_clauses(axiom: ax.Axiom) -> list[Clause]:
    match axiom:
        case ax.SubObjectPropertyOf(ex.ObjectPropertyChain(steps), super_property):
            return [_chain(steps, super_property)]
        case ax.SubObjectPropertyOf(str() | ex.ObjectInverseOf() as sub, super_property):
            return [_sub_property(sub, super_property)]
        case ax.SubDataPropertyOf(sub, super_property):
            return [_sub_property(sub, super_property)]
        case ax.EquivalentObjectProperties(properties) | ax.EquivalentDataProperties(properties):
            pivot = properties[0]
            others = [part for part in properties if part != pivot]
            return [clause for part in others for clause in (_sub_property(part, pivot), _sub_property(pivot, part))]
        case ax.DisjointObjectProperties(properties) | ax.DisjointDataProperties(properties):
            return [
                _clause(body=[property_atom(first, X, Y), property_atom(second, X, Y)])
                for first, second in combinations(properties, 2)
            ]
        case ax.InverseObjectProperties(first, second):
            return [
                _clause(body=[property_atom(second, X, Y)], heads=[property_atom(first, Y, X)]),
                _clause(body=[property_atom(first, X, Y)], heads=[property_atom(second, Y, X)]),
            ]
        case ax.ObjectPropertyDomain(property, target) | ax.DataPropertyDomain(property, target):
            return [_clause(body=[property_atom(property, X, Y)], todo=[ClassTask(True, target, X)])]
        case ax.ObjectPropertyRange(property, target):
            return [_clause(body=[property_atom(property, X, Y)], todo=[ClassTask(True, target, Y)])]
        case ax.DataPropertyRange(property, target):
            return [_clause(body=[Atom(X, property, Y)], todo=[DataTask(True, target, Y)])]
        case ax.FunctionalDataProperty(property):
            # Literals are equal by value only, so that two values are a contradiction and not an equality.
            values = [Atom(X, property, Y), Atom(X, property, Z)]
            return [_clause(body=values, conditions=[Builtin("differentValue", (Y, Z))])]
        case ax.ObjectPropertyCharacteristic(property):
            return [_characteristic(axiom, property)]
    return []


def _characteristic(axiom: ax.Axiom, property: ex.ObjectPropertyExpression) -> Clause:
    match axiom:
        case ax.FunctionalObjectProperty():
            body = [property_atom(property, X, Y), property_atom(property, X, Z)]
            return _clause(body=body, heads=[Atom(Y, SAME_AS, Z)])
        case ax.InverseFunctionalObjectProperty():
            body = [property_atom(property, X, Y), property_atom(property, Z, Y)]
            return _clause(body=body, heads=[Atom(X, SAME_AS, Z)])
        case ax.SymmetricObjectProperty():
            return _clause(body=[property_atom(property, X, Y)], heads=[property_atom(property, Y, X)])
        case ax.TransitiveObjectProperty():
            return _chain((property, property), property)
        case ax.AsymmetricObjectProperty():
            return _clause(body=[property_atom(property, X, Y), property_atom(property, Y, X)])
        case ax.IrreflexiveObjectProperty():
            return _clause(body=[property_atom(property, X, X)])
        case ax.ReflexiveObjectProperty():
            return _inclusion(THING, ex.ObjectHasSelf(property))
    raise AssertionError(f"no clause for {type(axiom).__name__}")


def _clause(
    body: Iterable[Atom] = (),
    conditions: Iterable[Builtin] = (),
    heads: Iterable[Atom] = (),
    todo: Iterable[Task] = (),
) -> Clause:
    return Clause(tuple(dict.fromkeys(body)), tuple(conditions), tuple(heads), tuple(todo), variables=3)


def _inclusion(sub: ex.ClassExpression, super_class: ex.ClassExpression) -> Clause:
    if _is_plain(sub) and _is_plain(super_class):
        # Most axioms of most ontologies are of this form: they need no rewriting.
        return _clause([Atom(X, RDF_TYPE, sub)], heads=[Atom(X, RDF_TYPE, super_class)])
    return _clause(todo=[ClassTask(False, sub, X), ClassTask(True, super_class, X)])


def _is_plain(expression: ex.ClassExpression) -> TypeGuard[str]:
    return isinstance(expression, str) and expression not in (THING, NOTHING)


def _disjoint(classes: Iterable[ex.ClassExpression]) -> list[Clause]:
    return [
        _clause(todo=[ClassTask(False, first, X), ClassTask(False, second, X)])
        for first, second in combinations(classes, 2)
    ]


def _sub_property(sub: ex.ObjectPropertyExpression, super_property: ex.ObjectPropertyExpression) -> Clause:
    return _clause(body=[property_atom(sub, X, Y)], heads=[property_atom(super_property, X, Y)])


def _chain(steps: tuple[ex.ObjectPropertyExpression, ...], super_property: ex.ObjectPropertyExpression) -> Clause:
    nodes = [Variable(f"_{number}") for number in range(len(steps) + 1)]
    body = [property_atom(step, *ends) for step, ends in zip(steps, pairwise(nodes), strict=True)]
    return _clause(body=body, heads=[property_atom(super_property, nodes[0], nodes[-1])])


def _key(expression: ex.ClassExpression, properties: tuple[ex.ObjectPropertyExpression, ...]) -> Clause:
    values = [Variable(f"_k{number}") for number in range(len(properties))]
    atoms = [
        property_atom(property, term, value)
        for property, value in zip(properties, values, strict=True)
        for term in (X, Y)
    ]
    if _is_plain(expression):
        return _clause([*(Atom(term, RDF_TYPE, expression) for term in (X, Y)), *atoms], heads=[Atom(X, SAME_AS, Y)])
    members = [ClassTask(False, expression, term) for term in (X, Y)]
    return _clause(atoms, heads=[Atom(X, SAME_AS, Y)], todo=members)


def unbound(clause: Clause) -> list[Term]:
    """Return the variables that a head or a condition uses and that no body atom binds."""
    bound = {term for atom in clause.body for term in atom}
    heads = [term for head in clause.heads for term in (tuple(head) if isinstance(head, Atom) else (head.term,))]
    used = [*heads, *(term for condition in clause.conditions for term in condition.arguments)]
    return [term for term in dict.fromkeys(used) if isinstance(term, Variable) and term not in bound]
