"""Random premises and conclusions, and the search for an interpretation in which only the premises hold."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.axioms import Ontology
from ontologies.write_rdf import triples_of
from reasoner import Reasoner
from tests.ontologies.semantics import (
    CHARACTERISTICS,
    CLASSES,
    INDIVIDUALS,
    NOTHING,
    PROPERTIES,
    THING,
    Interpretation,
    random_axiom,
    random_expression,
    random_interpretation,
    random_property,
)

DECLARED = tuple(
    ax.Declaration(kind, name) for kind, names in (("Class", CLASSES), ("ObjectProperty", PROPERTIES)) for name in names
)


def random_premises(random: Random) -> tuple[ax.Axiom, ...]:
    """Return a few axioms, most of them simple, so that they have consequences."""
    return tuple(
        _simple_axiom(random) if random.random() < 0.8 else random_axiom(random) for _ in range(random.randint(1, 5))
    )


def random_conclusion(random: Random) -> ax.Axiom:
    """Return an axiom that may follow or not."""
    return _simple_axiom(random) if random.random() < 0.6 else random_axiom(random)


def _simple_axiom(random: Random) -> ax.Axiom:
    first, second = (random.choice(CLASSES) for _ in range(2))
    p, q, r = (random.choice(PROPERTIES) for _ in range(3))
    expression = random_expression(random, 1)
    return random.choice(
        [
            *[ax.SubClassOf(first, second)] * 3,
            *[ax.SubClassOf(first, expression), ax.SubClassOf(expression, first)] * 3,
            ax.EquivalentClasses((first, expression)),
            ax.DisjointClasses((first, second)),
            ax.SubObjectPropertyOf(p, q),
            ax.SubObjectPropertyOf(ex.ObjectPropertyChain((p, q)), r),
            ax.InverseObjectProperties(p, q),
            ax.DisjointObjectProperties((p, q)),
            ax.ObjectPropertyDomain(p, first),
            ax.ObjectPropertyRange(p, expression),
            ax.ClassAssertion(expression, random.choice(INDIVIDUALS)),
            random.choice(CHARACTERISTICS)(random_property(random)),
        ]
    )


def reasoner_of(axioms: tuple[ax.Axiom, ...]) -> Reasoner:
    """Return a reasoner that knows all names and some axioms."""
    kb = Reasoner()
    kb.add(triples_of(Ontology((*DECLARED, *axioms)), "premise"))
    return kb


def counterexample(
    random: Random, premises: tuple[ax.Axiom, ...], conclusion: ax.Axiom | None, tries: int
) -> Interpretation | None:
    """Look for an interpretation of the premises in which the conclusion does not hold; None stands for falsehood."""
    for interpretation in (*_small_interpretations(), *(random_interpretation(random) for _ in range(tries))):
        refuted = conclusion is None or not interpretation.satisfies(conclusion)
        if refuted and all(map(interpretation.satisfies, premises)):
            return interpretation
    return None


@cache
def _small_interpretations() -> tuple[Interpretation, ...]:
    """Return all interpretations over one element."""
    domain = frozenset({0})
    found = []
    for bits in product((False, True), repeat=len(CLASSES) + len(PROPERTIES)):
        classes = {name: domain if bit else frozenset() for name, bit in zip(CLASSES, bits, strict=False)}
        properties = {
            name: frozenset({(0, 0)}) if bit else frozenset()
            for name, bit in zip(PROPERTIES, bits[len(CLASSES) :], strict=True)
        }
        named = {**classes, THING: domain, NOTHING: frozenset()}
        found.append(Interpretation(domain, named, properties, dict.fromkeys(INDIVIDUALS, 0)))
    return tuple(found)
