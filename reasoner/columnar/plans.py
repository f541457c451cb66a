"""Plans with an index of which predicates and classes they read and write, so that a change wakes up few of them.

A template made ready for evaluation: its parameter relation in columns, indexed on demand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from reasoner.columnar.bindings import Bindings
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, Keys, expand, pack, ranges, sort_distinct, unpack
from reasoner.columnar.prospects import Prospect
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.template import Template, exchange_in_templates, shape_of
from reasoner.terms.term import TYPE


class Plan:
    """A template with its parameters as columns; ``needed`` are the variables that its head and filters read, ``idle``
    two terms that, where they are the same, make the head one of the facts that it follows from."""

    __slots__ = (
        *("__weakref__", "_after", "_classes", "_denials", "_indexes", "_prospect", "_variables"),
        *("idle", "needed", "parameters", "template"),
    )

    def __init__(self, template: Template) -> None:
        self.template = template
        rows = np.array(template.rows, dtype=np.int64).reshape(len(template.rows), len(template.parameters))
        self.parameters: dict[EncodedTerm, Ids] = dict(zip(template.parameters, rows.T.copy(), strict=True))
        self._indexes: dict[EncodedTerm, Keys] = {}
        self._denials: dict[int, Plan] = {}
        self._after: dict[tuple[int, ...], frozenset[EncodedTerm]] = {}
        self._classes: dict[EncodedTerm, list[int]] | None = None
        self._prospect: Prospect | None = None
        self._variables: tuple[frozenset[EncodedTerm], ...] = ()
        self.idle = _idle_pair(template)
        atoms = [*template.negative, *([template.head] if template.head else [])]
        terms = [term for atom in atoms for term in atom]
        terms += [term for _, arguments in template.conditions for term in arguments]
        self.needed = frozenset(term for term in terms if is_variable(term))

    @property
    def constant_columns(self) -> dict[EncodedTerm, list[int]]:
        """The distinct values of each parameter."""
        if self._classes is None:
            self._classes = {term: sort_distinct(column).tolist() for term, column in self.parameters.items()}
        return self._classes

    @property
    def prospect(self) -> Prospect:
        """What facts must name for the body to match."""
        if self._prospect is None:
            self._prospect = Prospect.of_body(self.template.body, self.parameters)
        return self._prospect

    def denial(self, at: int) -> Plan:
        """Return the plan that asks for a match of one of its negative atoms instead of its absence."""
        if at not in self._denials:
            template = self.template
            body = (*template.body, template.negative[at])
            negative = template.negative[:at] + template.negative[at + 1 :]
            self._denials[at] = Plan(replace(template, body=body, negative=negative))
        return self._denials[at]

    def variables_of(self, place: int) -> frozenset[EncodedTerm]:
        """Return the variables of a body atom, or the parameters of the template for -1."""
        if not self._variables:
            atoms = (*self.template.body, self.template.parameters)
            self._variables = tuple(frozenset(filter(is_variable, atom)) for atom in atoms)
        return self._variables[place]

    def needed_after(self, rest: tuple[int, ...]) -> frozenset[EncodedTerm]:
        """Return the variables that the head, the filters and the given open atoms read; -1 are the parameters."""
        needed = self._after.get(rest)
        if needed is None:
            needed = self._after[rest] = self.needed.union(*map(self.variables_of, rest))
        return needed

    @property
    def row_count(self) -> int:
        return len(self.template.rows)

    def parameters_per_row(self, bindings: Bindings[int]) -> float:
        """Estimate how many parameter rows a binding meets: all if it binds no parameter."""
        bound = next((term for term in self.parameters if term in bindings.columns), None)
        return self.row_count / (1 if bound is None else len(self.constant_columns[bound]))

    def join_parameters(self, bindings: Bindings[int]) -> Bindings[int]:
        """Join bindings with the parameter relation."""
        bound = [term for term in self.parameters if term in bindings.columns]
        if not bound:
            return bindings.crossed(self.parameters, self.row_count)
        index = self._index(bound[0])
        owner, position = expand(*ranges(index, bindings.columns[bound[0]]))
        rows = unpack(index[position])[1]
        result = bindings.taken(owner)
        agree = np.ones(rows.size, dtype=np.bool_)
        for term in bound[1:]:
            agree &= result.columns[term] == self.parameters[term][rows]
        fresh = {term: column[rows] for term, column in self.parameters.items() if term not in bindings.columns}
        result = result.with_columns(fresh)
        return result if agree.all() else result.taken(agree)

    def _index(self, term: EncodedTerm) -> Keys:
        if term not in self._indexes:
            column = self.parameters[term]
            self._indexes[term] = np.sort(pack(column, np.arange(column.size)))
        return self._indexes[term]


def _idle_pair(template: Template) -> tuple[EncodedTerm, EncodedTerm] | None:
    """Return two terms of which matches that have the same for both derive nothing, if there are such.

    ``?x a ?d :- ?c rdfs:subClassOf ?d, ?x a ?c`` says nothing where ?c is ?d, and every class is a subclass of itself.
    """
    if template.head is None:
        return None
    for atom in template.body:
        pairs = {frozenset(pair) for pair in zip(template.head, atom, strict=True) if pair[0] != pair[1]}
        if len(pairs) == 1 and any(map(is_variable, pair := tuple(pairs.pop()))):
            return pair[0], pair[1]
    return None


Place = tuple[Plan, int]

# The classes of an atom are looked up one by one unless there are more of them than this, which takes too long to note.
_MANY = 16


class Plans:
    """A set of plans; iteration gives all of them, the methods those that some facts concern."""

    __slots__ = ("_all", "_deniers", "_readers", "_shapes", "_writers")

    def __init__(self, plans: Iterable[Plan], shapes: dict[EncodedRule, Plan] | None = None) -> None:
        self._all = tuple(plans)
        self._shapes = shapes
        self._readers: _Index | None = None
        self._deniers: _Index | None = None
        self._writers: _Index | None = None

    def __iter__(self) -> Iterator[Plan]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def exchanged(self, leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]) -> Plans:
        """Return plans without some of their rules and with others; those of other shapes are kept as they are."""
        if self._shapes is None:
            self._shapes = {shape_of(plan.template.rules[0]): plan for plan in self._all}
        shapes = dict(self._shapes)

        def template(shape: EncodedRule) -> Template | None:
            return shapes[shape].template if shape in shapes else None

        templates = exchange_in_templates(template, leaving, joining)
        for shape, changed in templates.items():
            if changed is None:
                shapes.pop(shape, None)
            else:
                shapes[shape] = Plan(changed)
        return Plans(shapes.values(), shapes)

    def reading(self, facts: FactSet) -> Iterator[Place]:
        """Yield the plans with the positions of the body atoms that some of the facts may match."""
        if not len(facts):
            return iter(())
        if self._readers is None:
            self._readers = _Index((plan, at, atom) for plan in self for at, atom in enumerate(plan.template.body))
        return self._readers.places(facts)

    def denying(self, facts: FactSet) -> Iterator[Place]:
        """Yield the plans with the positions of the negative atoms that some of the facts may match."""
        if not len(facts):
            return iter(())
        if self._deniers is None:
            self._deniers = _Index((plan, at, atom) for plan in self for at, atom in enumerate(plan.template.negative))
        return self._deniers.places(facts)

    def writing(self, facts: FactSet) -> Iterator[Plan]:
        """Yield the plans whose head some of the facts may match."""
        if not len(facts):
            return iter(())
        if self._writers is None:
            self._writers = _Index((plan, 0, plan.template.head) for plan in self if plan.template.head)
        return (plan for plan, _ in self._writers.places(facts))


class _Index:
    """Atoms by constant predicate, and by constant class, or set of classes, for rdf:type."""

    __slots__ = ("by_class", "by_classes", "by_predicate", "wild")

    def __init__(self, atoms: Iterable[tuple[Plan, int, Triple]]) -> None:
        self.by_predicate: dict[int, list[Place]] = defaultdict(list)
        self.by_class: dict[int, list[Place]] = defaultdict(list)
        self.by_classes: list[tuple[frozenset[int], Place]] = []
        self.wild: list[Place] = []
        for plan, at, (_, predicate, obj) in atoms:
            if is_variable(predicate):
                self.wild.append((plan, at))
            elif predicate == TYPE and obj in plan.constant_columns:
                classes = plan.constant_columns[obj]
                if len(classes) > _MANY:
                    self.by_classes.append((frozenset(classes), (plan, at)))
                else:
                    for class_id in classes:
                        self.by_class[class_id].append((plan, at))
            elif predicate == TYPE and not is_variable(obj):
                self.by_class[obj].append((plan, at))
            else:
                self.by_predicate[predicate].append((plan, at))

    def places(self, facts: FactSet) -> Iterator[Place]:
        if not (self.by_predicate or self.by_class or self.by_classes or self.wild):
            return
        for predicate in facts:
            yield from self.by_predicate.get(predicate, ())
        if (self.by_class or self.by_classes) and TYPE in facts:
            yield from self._of_classes(facts.classes())
        if len(facts):
            yield from self.wild

    def _of_classes(self, classes: frozenset[int]) -> Iterator[Place]:
        for known, place in self.by_classes:
            if not known.isdisjoint(classes):
                yield place
        few, many = sorted((self.by_class.keys(), classes), key=len)
        found: dict[Place, None] = {}
        for class_id in few:
            if class_id in many:
                found.update(dict.fromkeys(self.by_class[class_id]))
        yield from found
