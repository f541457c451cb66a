"""Finish clauses without multiplying unions out: the structural transformation.

Volz, Staab and Motik, Incrementally maintaining materializations of ontologies stored in logic databases (2005),
section 4.4.1, put auxiliary classes in the place of parts of an expression before they count the rules of an axiom.
``(A1 or B1) and ... and (An or Bn) subclass of C`` is 2^n rules if it is multiplied out, and 2n + 1 with an auxiliary
class for each union:

    Q1(x) :- A1(x)    Q1(x) :- B1(x)    ...    Qn(x) :- An(x)    Qn(x) :- Bn(x)    C(x) :- Q1(x), ..., Qn(x)

They are used only where multiplying out gives more rules, so that ordinary axioms have the rules of table 1.

An auxiliary class is no term that RDF could write: ``Q(x)`` is the triple ``x Q x``, whose predicate is a literal that
says which expression it stands for (``reasoner.rules.rule``). So it never is an answer, equal parts of several
axioms share it, and it is the same in every run.

Deviation: a clause without a head, which is a constraint, is multiplied out, so that violations show the facts that
they rest on. So are data ranges, because a class has no literals, and parts of which a rule cannot tell who belongs to
them: those that put something in the head, and those that hold of everything or of named individuals only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod

import ontologies.expressions as ex
from ontologies.clauses import ClassTask, Clause, Clausifier, DataTask, Task, Unsupported, UnsupportedError
from ontologies.vocabulary import TOP_PROPERTIES
from ontologies.write_functional import write_functional
from reasoner.rules.rule import Atom, auxiliary
from reasoner.terms.term import Variable

_X = Variable("_0")

_Key = tuple[bool, ex.ClassExpression]


class ClauseFinisher:
    """Turns clauses with pending expressions into finished ones, and knows what the auxiliary classes in them mean."""

    def __init__(self, clausifier: Clausifier) -> None:
        self._clausifier = clausifier
        self._meanings: dict[str, ClassTask] = {}
        self._alternatives: dict[_Key, list[Clause] | None] = {}
        self._counts: dict[_Key, int] = {}
        self._sizes: dict[_Key, int] = {}
        self._tellable: dict[_Key, tuple[bool, bool]] = {}

    def finish(self, clause: Clause) -> Iterator[Clause | Unsupported]:
        """Yield the clauses that a clause with pending expressions stands for, and what has no clause.

        Auxiliary classes in their bodies mean what ``definitions`` says.
        """
        yield from self._multiplied(self._shortened(clause) or clause)

    def definitions(self, clause: Clause) -> Iterator[Clause]:
        """Yield the clauses that derive the auxiliary classes of a finished clause."""
        waiting = [clause]
        seen: set[str] = set()
        while waiting:
            for atom in waiting.pop().body:
                name = str(atom.predicate)
                if name in self._meanings and name not in seen:
                    seen.add(name)
                    defining = Clause(heads=(Atom(_X, name, _X),), todo=(self._meanings[name],), variables=1)
                    finished = [part for part in self.finish(defining) if isinstance(part, Clause)]
                    waiting += finished
                    yield from finished

    def _multiplied(self, clause: Clause) -> Iterator[Clause | Unsupported]:
        if not clause.todo:
            yield clause
            return
        try:
            steps = self._clausifier.steps(clause)
        except UnsupportedError as error:
            yield error.reason
            return
        for step in steps:
            yield from self.finish(step) if len(steps) > 1 else self._multiplied(step)

    def _shortened(self, clause: Clause) -> Clause | None:
        """Return the clause with auxiliary classes, or ready for them; None if it has no more rules without."""
        if sum(map(_most_branches, clause.todo)) < 2:
            return None
        try:
            flat = self._flattened(clause)
        except UnsupportedError:
            return None
        parts, others = self._parts(flat)
        if len(parts) < 2 or self._product(flat.todo) <= self._short_size(parts, others):
            return None
        if not flat.heads:
            # What is left may still give a head; without one the clause is a constraint.
            return replace(flat, todo=(*others, *parts)) if others else None
        return replace(flat.when(*map(self._atom, parts)), todo=tuple(others))

    def _flattened(self, clause: Clause) -> Clause:
        """Take all steps that have one outcome; what is pending then are the alternatives."""
        left = len(clause.todo)
        while left:
            task, before = clause.todo[0], len(clause.todo)
            steps = self._clausifier.steps(clause)
            if len(steps) != 1 or self._is_together(task, steps[0].todo[: len(steps[0].todo) - before + 1]):
                clause, left = replace(clause, todo=(*clause.todo[1:], task)), left - 1
            else:
                clause, left = steps[0], left + len(steps[0].todo) - before
        return clause

    def _is_together(self, task: Task, children: tuple[Task, ...]) -> bool:
        """Tell whether a class can stand for a task as a whole, but not for an alternative inside it."""
        inside = any(self._count(child) > 1 and not self._is_part(child) for child in children)
        return inside and self._is_part(task)

    def _parts(self, flat: Clause) -> tuple[list[ClassTask], list[Task]]:
        parts = [task for task in flat.todo if isinstance(task, ClassTask) and self._is_part(task)]
        return parts, [task for task in flat.todo if task not in parts]

    def _is_part(self, task: Task) -> bool:
        """Tell whether an auxiliary class can stand for an expression."""
        return isinstance(task, ClassTask) and self._told(task) == (True, True)

    def _told(self, task: Task) -> tuple[bool, bool]:
        """Tell whether an expression puts nothing in the head, and whether body atoms say who belongs to it."""
        if isinstance(task, DataTask):
            return self._clausifier.data_alternatives(task) is not None, False
        key = _key(task)
        if key not in self._tellable:
            steps = self._steps(task)
            self._tellable[key] = (
                steps is not None
                and all(not step.heads and all(self._told(child)[0] for child in step.todo) for step in steps),
                steps is not None and all(self._binds(step) for step in steps),
            )
        return self._tellable[key]

    def _binds(self, step: Clause) -> bool:
        stored = any(_X in tuple(atom) and atom.predicate not in TOP_PROPERTIES for atom in step.body)
        return stored or any(child.term == _X and self._told(child)[1] for child in step.todo)

    def _count(self, task: Task) -> int:
        """Count the clauses that a task alone gives if it is multiplied out."""
        if isinstance(task, DataTask):
            found = self._clausifier.data_alternatives(task)
            return 1 if found is None else found
        key = _key(task)
        if key not in self._counts:
            steps = self._steps(task)
            self._counts[key] = 1 if steps is None else sum(self._product(step.todo) for step in steps)
        return self._counts[key]

    def _product(self, tasks: Iterable[Task]) -> int:
        return prod(map(self._count, tasks))

    def _short_size(self, parts: Iterable[ClassTask], others: Iterable[Task]) -> int:
        """Count the rules with auxiliary classes, each defined once."""
        return self._product(others) + sum(self._size(task) for task in {_key(part): part for part in parts}.values())

    def _size(self, task: ClassTask) -> int:
        """Count the rules that define an auxiliary class, and those that these use."""
        key = _key(task)
        if key not in self._sizes:
            self._sizes[key] = sum(map(self._size_of_clause, self._steps(task) or ()))
        return self._sizes[key]

    def _size_of_clause(self, clause: Clause) -> int:
        try:
            flat = self._flattened(clause)
        except UnsupportedError:
            return 1
        parts, others = self._parts(flat)
        if len(flat.todo) == len(parts) == 1:
            return self._size(parts[0])
        multiplied = self._product(flat.todo)
        return min(multiplied, self._short_size(parts, others)) if len(parts) > 1 else multiplied

    def _steps(self, task: ClassTask) -> list[Clause] | None:
        """Return the outcomes of one step of a task on a variable of its own; None if there is no rule for it."""
        key = _key(task)
        if key not in self._alternatives:
            try:
                self._alternatives[key] = self._clausifier.steps(Clause(todo=(replace(task, term=_X),), variables=1))
            except UnsupportedError:
                self._alternatives[key] = None
        return self._alternatives[key]

    def _atom(self, task: ClassTask) -> Atom:
        """Put an auxiliary class in the place of an expression; one of the head belongs to a body as its complement."""
        meaning = ex.ObjectComplementOf(task.expression) if task.in_head else task.expression
        name = auxiliary(write_functional(meaning))
        self._meanings[name] = replace(task, term=_X)
        return Atom(task.term, name, task.term)


def _most_branches(task: Task) -> int:
    """Return at most how many places of an expression have alternatives; one such place multiplies nothing.

    Most axioms have one at most, and need not be looked at any further.
    """
    if isinstance(task, DataTask):
        return 0 if isinstance(task.range, str) else 1
    return _branches(task.expression, in_head=task.in_head)


def _branches(expression: ex.ClassExpression, *, in_head: bool) -> int:
    match expression:
        case str() | ex.ObjectHasValue() | ex.DataHasValue() | ex.ObjectHasSelf():
            return 0
        case ex.ObjectIntersectionOf(operands) | ex.ObjectUnionOf(operands):
            together = isinstance(expression, ex.ObjectUnionOf) == in_head
            return (not together) + sum(_branches(operand, in_head=in_head) for operand in operands)
        case ex.ObjectComplementOf(operand):
            return _branches(operand, in_head=not in_head)
        case ex.ObjectSomeValuesFrom(_, filler) | ex.ObjectAllValuesFrom(_, filler):
            return _branches(filler, in_head=in_head)
        case ex.ObjectOneOf():
            return 1
    return 2


def _key(task: ClassTask) -> _Key:
    return task.in_head, task.expression
