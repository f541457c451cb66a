"""Plans with an index of which predicates and classes they read and write, so that a change wakes up few of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from reasoner.columnar.factset import FactSet
from reasoner.columnar.plan import Plan
from reasoner.rules.encode import EncodedRule, Triple, is_variable
from reasoner.rules.template import Template, exchange_in_templates, shape_of
from reasoner.vocabulary import TYPE

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
