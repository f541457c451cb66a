"""The meaning of axioms and rules, straight from the model theory, over small random interpretations.

Shares nothing with the translators: a class expression is a set of elements, an axiom is true or false, and a rule is
true if every assignment of its variables that makes its body true makes its head true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random

import ontologies.axioms as ax
import ontologies.expressions as ex
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import RDF_TYPE, SAME_AS, Term, Variable, is_literal
from tests.ontologies.reading import iri

CLASSES = tuple(iri(name) for name in "ABC")
PROPERTIES = tuple(iri(name) for name in "pqr")
INDIVIDUALS = tuple(iri(name) for name in "ij")
THING, NOTHING = "<http://www.w3.org/2002/07/owl#Thing>", "<http://www.w3.org/2002/07/owl#Nothing>"

CHARACTERISTICS = (
    ax.FunctionalObjectProperty,
    ax.InverseFunctionalObjectProperty,
    ax.ReflexiveObjectProperty,
    ax.IrreflexiveObjectProperty,
    ax.SymmetricObjectProperty,
    ax.AsymmetricObjectProperty,
    ax.TransitiveObjectProperty,
)


@dataclass
class Interpretation:
    domain: frozenset[int]
    classes: dict[str, frozenset[int]]
    properties: dict[str, frozenset[tuple[int, int]]]
    individuals: dict[str, int]

    def pairs(self, property: ex.SubObjectProperty) -> frozenset[tuple[int, int]]:
        if isinstance(property, str):
            return self.properties[property]
        if isinstance(property, ex.ObjectInverseOf):
            return frozenset((y, x) for x, y in self.properties[property.property])
        found = frozenset((x, x) for x in self.domain)
        for step in property.properties:
            found = frozenset((x, z) for x, y in found for y2, z in self.pairs(step) if y == y2)
        return found

    def members(self, expression: ex.ClassExpression) -> frozenset[int]:
        match expression:
            case str():
                return self.classes[expression]
            case ex.ObjectIntersectionOf(operands):
                return self.domain.intersection(*map(self.members, operands))
            case ex.ObjectUnionOf(operands):
                return frozenset().union(*map(self.members, operands))
            case ex.ObjectComplementOf(operand):
                return self.domain - self.members(operand)
            case ex.ObjectOneOf(individuals):
                return frozenset(self.individuals[name] for name in individuals)
            case ex.ObjectSomeValuesFrom(property, filler):
                return self.counted(property, filler, lambda count: count >= 1)
            case ex.ObjectAllValuesFrom(property, filler):
                return self.counted(property, ex.ObjectComplementOf(filler), lambda count: count == 0)
            case ex.ObjectHasValue(property, value):
                return self.counted(property, ex.ObjectOneOf((value,)), lambda count: count >= 1)
            case ex.ObjectHasSelf(property):
                return frozenset(x for x in self.domain if (x, x) in self.pairs(property))
            case ex.ObjectMinCardinality(number, property, filler):
                return self.counted(property, filler, lambda count: count >= number)
            case ex.ObjectMaxCardinality(number, property, filler):
                return self.counted(property, filler, lambda count: count <= number)
            case ex.ObjectExactCardinality(number, property, filler):
                return self.counted(property, filler, lambda count: count == number)
        raise AssertionError(expression)

    def counted(self, property, filler, accepts) -> frozenset[int]:
        pairs, wanted = self.pairs(property), self.members(filler)
        return frozenset(x for x in self.domain if accepts(sum((x, y) in pairs for y in wanted)))

    def satisfies(self, axiom: ax.Axiom) -> bool:
        match axiom:
            case ax.SubClassOf(sub, super_class):
                return self.members(sub) <= self.members(super_class)
            case ax.EquivalentClasses(classes):
                return len({self.members(part) for part in classes}) == 1
            case ax.DisjointClasses(classes):
                return all(not self.members(a) & self.members(b) for a, b in combinations(classes, 2))
            case ax.DisjointUnion(name, classes):
                disjoint = self.satisfies(ax.DisjointClasses(classes))
                return disjoint and self.members(name) == self.members(ex.ObjectUnionOf(classes))
            case ax.SubObjectPropertyOf(sub, super_property):
                return self.pairs(sub) <= self.pairs(super_property)
            case ax.InverseObjectProperties(first, second):
                return self.pairs(first) == frozenset((y, x) for x, y in self.pairs(second))
            case ax.DisjointObjectProperties(properties):
                return all(not self.pairs(a) & self.pairs(b) for a, b in combinations(properties, 2))
            case ax.ObjectPropertyDomain(property, target):
                return {x for x, _ in self.pairs(property)} <= self.members(target)
            case ax.ObjectPropertyRange(property, target):
                return {y for _, y in self.pairs(property)} <= self.members(target)
            case ax.ClassAssertion(expression, individual):
                return self.individuals[individual] in self.members(expression)
            case ax.HasKey(expression, properties, _):
                return all(
                    x == y or not self.share(properties, x, y) for x, y in product(self.members(expression), repeat=2)
                )
            case ax.ObjectPropertyCharacteristic(property):
                return self.has_characteristic(axiom, self.pairs(property))
        raise AssertionError(axiom)

    def share(self, properties, x: int, y: int) -> bool:
        return all(any({(x, z), (y, z)} <= self.pairs(property) for z in self.domain) for property in properties)

    def has_characteristic(self, axiom: ax.Axiom, pairs: frozenset[tuple[int, int]]) -> bool:
        back = frozenset((y, x) for x, y in pairs)
        loops = frozenset((x, x) for x in self.domain)
        match axiom:
            case ax.FunctionalObjectProperty():
                return len({x for x, _ in pairs}) == len(pairs)
            case ax.InverseFunctionalObjectProperty():
                return len({y for _, y in pairs}) == len(pairs)
            case ax.SymmetricObjectProperty():
                return pairs == back
            case ax.AsymmetricObjectProperty():
                return not pairs & back
            case ax.IrreflexiveObjectProperty():
                return not pairs & loops
            case ax.ReflexiveObjectProperty():
                return loops <= pairs
            case ax.TransitiveObjectProperty():
                return all((x, z) in pairs for x, y in pairs for y2, z in pairs if y == y2)
        raise AssertionError(axiom)

    def satisfies_rules(self, rules: Sequence[Rule]) -> bool:
        """Tell whether rules hold if auxiliary predicates, which are literals, hold of no more than these say."""
        defining = [rule for rule in rules if rule.head and is_literal(rule.head.predicate)]
        pairs = {str(rule.head.predicate): frozenset[tuple[int, int]]() for rule in defining if rule.head}
        least = replace(self, properties={**self.properties, **pairs})
        while missing := [found for rule in defining for found in least.missing(rule)]:
            for name, pair in missing:
                pairs[name] |= {pair}
            least = replace(self, properties={**self.properties, **pairs})
        return all(map(least.satisfies_rule, rules))

    def missing(self, rule: Rule) -> list[tuple[str, tuple[int, int]]]:
        """Return what a rule says of its predicate that does not hold."""
        assert rule.head is not None
        s, p, o = rule.head
        return [(str(p), (self.value(s, found), self.value(o, found))) for found in self.counterexamples(rule)]

    def satisfies_rule(self, rule: Rule) -> bool:
        return next(self.counterexamples(rule), None) is None

    def counterexamples(self, rule: Rule) -> Iterator[dict[str, int]]:
        names = sorted(rule.variables)
        for values in product(self.domain, repeat=len(names)):
            binding = dict(zip(names, values, strict=True))
            head = rule.head is not None and self.holds(rule.head, binding)
            if not head and all(self.holds(atom, binding) for atom in rule.body):
                yield binding

    def holds(self, atom: Atom, binding: dict[str, int]) -> bool:
        subject = self.value(atom.subject, binding)
        if atom.predicate == RDF_TYPE:
            return isinstance(atom.object, Variable) or subject in self.classes[atom.object]
        value = self.value(atom.object, binding)
        return (
            subject == value if atom.predicate == SAME_AS else (subject, value) in self.properties[str(atom.predicate)]
        )

    def value(self, term: Term, binding: dict[str, int]) -> int:
        return binding[term.name] if isinstance(term, Variable) else self.individuals[term]


def random_interpretation(random: Random, constants: tuple[str, ...] = ()) -> Interpretation:
    """Interpret all names at random, over one to three elements."""
    domain = frozenset(range(random.randint(1, 3)))
    density = random.random()
    chosen = {name: frozenset(x for x in domain if random.random() < density) for name in CLASSES}
    pairs = {
        name: frozenset(pair for pair in product(sorted(domain), repeat=2) if random.random() < density)
        for name in PROPERTIES
    }
    individuals = {name: random.choice(sorted(domain)) for name in (*INDIVIDUALS, *constants)}
    return Interpretation(domain, {**chosen, THING: domain, NOTHING: frozenset()}, pairs, individuals)


def random_axiom(random: Random) -> ax.Axiom:
    """Make up an axiom about object properties."""
    expressions = [random_expression(random, 2) for _ in range(3)]
    properties = [random_property(random) for _ in range(3)]
    chain = ex.ObjectPropertyChain((properties[0], properties[1]))
    return random.choice(
        [
            *[ax.SubClassOf(expressions[0], expressions[1])] * 8,
            ax.EquivalentClasses((random.choice(CLASSES), expressions[0])),
            ax.EquivalentClasses(tuple(expressions)),
            ax.DisjointClasses(tuple(expressions)),
            ax.DisjointUnion(CLASSES[0], tuple(expressions[:2])),
            ax.SubObjectPropertyOf(properties[0], properties[1]),
            ax.SubObjectPropertyOf(chain, properties[2]),
            ax.InverseObjectProperties(properties[0], properties[1]),
            ax.DisjointObjectProperties(tuple(properties)),
            ax.ObjectPropertyDomain(properties[0], expressions[0]),
            ax.ObjectPropertyRange(properties[0], expressions[0]),
            ax.ClassAssertion(expressions[0], INDIVIDUALS[0]),
            ax.HasKey(expressions[0], tuple(properties[:2]), ()),
            *(characteristic(properties[0]) for characteristic in CHARACTERISTICS),
        ]
    )


def random_property(random: Random) -> ex.ObjectPropertyExpression:
    name = random.choice(PROPERTIES)
    return ex.ObjectInverseOf(name) if random.random() < 0.3 else name


def random_expression(random: Random, depth: int) -> ex.ClassExpression:
    """Make up a class expression; depth 0 is a name."""
    if depth == 0 or random.random() < 0.3:
        return random.choice([*CLASSES, *CLASSES, THING, NOTHING])
    first, second = (random_expression(random, depth - 1) for _ in range(2))
    property, number = random_property(random), random.randint(0, 3)
    return random.choice(
        [
            ex.ObjectIntersectionOf((first, second)),
            ex.ObjectUnionOf((first, second)),
            ex.ObjectComplementOf(first),
            ex.ObjectOneOf(INDIVIDUALS[: random.randint(1, 2)]),
            ex.ObjectSomeValuesFrom(property, first),
            ex.ObjectAllValuesFrom(property, first),
            ex.ObjectHasValue(property, random.choice(INDIVIDUALS)),
            ex.ObjectHasSelf(property),
            ex.ObjectMinCardinality(number, property, first),
            ex.ObjectMaxCardinality(number, property, first),
            ex.ObjectExactCardinality(number, property, first),
        ]
    )
