"""Class trees: the three evaluation ontologies of Volz, Staab and Motik (2005), and subclass axioms of equal yield.

Section 8 of the paper: ``depth`` D, ``branching`` NS subclasses of each class, ``instances`` NI of each class and
``properties`` P of each class. The first level is c1, c2, ...; the i-th child of c is written c followed by i, so that
the query of test 2, ``c1 and some p0 in c12``, reads as in the paper. Properties are numbered through, P to a class,
in breadth-first order: p0 to p4 belong to c1.

Where the paper is silent or unclear, this is how we read it:

- The root of the tree is owl:Thing and not stated. At depth 5 there are then 3,905 classes; the paper prints 3950.
- Every third instance, counted through all classes, has a value for each property of its class: 32,540 at depth 5
  (the paper's 32,915 is this count for its 3950 classes).
- The value of the k-th property of c is a random instance of the child of c that follows child k, going round; of a
  leaf, of its sibling instead. So p0 leads from c1 to c12.
- ``c_i or some p_k in c_(i-1) implies c`` has no second part for the first child, which has no child before it. p_k
  is the property of c whose values are in that child, as far as P reaches. DL-like ontologies have no domains: the
  axiom is what puts the owner of a value into c.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain as both
from itertools import pairwise

from .dataset import Dataset, DatasetError, at_least
from .draw import Draw
from .statements import (
    CLASS,
    DOMAIN,
    OBJECT_PROPERTY,
    RANGE,
    SUB_CLASS_OF,
    TYPE,
    UNION_OF,
    list_of,
    some_values_from,
    statement,
)

HIERARCHY = "http://example.org/hierarchy#"
BLOCK = 10_000


def taxonomy(*, depth: int = 3, branching: int = 5, instances: int = 5) -> Dataset:
    """Return test 1: a tree of classes, each with ``instances`` of its own, and no properties."""
    tree = _Tree(depth, branching, instances, properties=0)
    return Dataset(tree.declarations() + tree.subclass_axioms(), tree.class_facts)


def database_like(
    *, depth: int = 3, branching: int = 5, instances: int = 5, properties: int = 5, seed: int = 0
) -> Dataset:
    """Return test 2: the tree of test 1 where each class has ``properties`` with a domain and a range."""
    tree = _Tree(depth, branching, instances, properties)
    ontology = tree.declarations() + tree.subclass_axioms() + tree.domains_and_ranges()
    return Dataset(ontology, lambda: both(tree.class_facts(), tree.property_facts(seed)))


def dl_like(*, depth: int = 3, branching: int = 5, instances: int = 5, properties: int = 5, seed: int = 0) -> Dataset:
    """Return test 3: as test 2, but each class is defined by ``c_i or some p_k in c_(i-1) implies c``."""
    at_least(1, properties=properties)
    tree = _Tree(depth, branching, instances, properties)
    ontology = tree.declarations() + tree.definitions()
    return Dataset(ontology, lambda: both(tree.class_facts(), tree.property_facts(seed)))


def subclass_axioms(*, axioms: int = 100, instances: int = 200_000, depth: int = 5, seed: int = 0) -> Dataset:
    """Return ``axioms`` subclass axioms under which ``instances`` have ``instances * depth`` derived types.

    The axioms form chains of ``depth`` axioms each, apart from one another, and each instance is asserted at the bottom
    of a random chain. So the number of derived facts does not depend on the number of axioms: what a run takes longer
    with more of them is the price of the axioms alone. ``axioms`` must be a multiple of ``depth``.
    """
    at_least(1, axioms=axioms, depth=depth)
    at_least(0, instances=instances)
    chains, rest = divmod(axioms, depth)
    if rest:
        raise DatasetError(f"axioms must be a multiple of depth ({depth}), not {axioms}")
    classes = [[f"<{HIERARCHY}c{chain}_{level}>" for level in range(depth + 1)] for chain in range(chains)]
    ontology = "".join(statement(name, TYPE, CLASS) for chain in classes for name in chain) + "".join(
        statement(lower, SUB_CLASS_OF, upper) for chain in classes for lower, upper in pairwise(chain)
    )

    def facts() -> Iterator[str]:
        draw = Draw("subclass axioms", seed)
        for start in range(0, instances, BLOCK):
            yield "".join(
                f"<{HIERARCHY}i{number}> {TYPE} {classes[draw.below(chains)][0]} .\n"
                for number in range(start, min(start + BLOCK, instances))
            )

    return Dataset(ontology, facts)


class _Tree:
    """The classes in breadth-first order; children of one class stand together, which makes all of this arithmetic."""

    def __init__(self, depth: int, branching: int, instances: int, properties: int) -> None:
        at_least(1, depth=depth, branching=branching)
        at_least(0, instances=instances, properties=properties)
        self.branching, self.instances, self.properties = branching, instances, properties
        # Beyond nine children c12 could be read in two ways.
        between = "" if branching < 10 else "_"
        level = [""]
        self.names: list[str] = []
        for number in range(depth):
            level = [
                f"{parent}{between if number else ''}{child}" for parent in level for child in range(1, branching + 1)
            ]
            self.names.extend(level)
        self.first_leaf = len(self.names) - len(level)

    def term(self, class_: int) -> str:
        return f"<{HIERARCHY}c{self.names[class_]}>"

    def property(self, class_: int, k: int) -> str:
        return f"<{HIERARCHY}p{class_ * self.properties + k}>"

    def instance(self, class_: int, number: int) -> str:
        return f"<{HIERARCHY}i{class_ * self.instances + number}>"

    def children(self, class_: int) -> range:
        """Return the children of a class that is not a leaf; -1 stands for the root."""
        first = (class_ + 1) * self.branching
        return range(first, first + self.branching)

    def value_class(self, class_: int, k: int) -> int:
        """Return the class that the values of the k-th property of a class belong to."""
        owner = class_ if class_ < self.first_leaf else class_ // self.branching - 1
        return self.children(owner)[(k + 1) % self.branching]

    def declarations(self) -> str:
        classes = range(len(self.names))
        return "".join(statement(self.term(class_), TYPE, CLASS) for class_ in classes) + "".join(
            statement(self.property(class_, k), TYPE, OBJECT_PROPERTY)
            for class_ in classes
            for k in range(self.properties)
        )

    def subclass_axioms(self) -> str:
        return "".join(
            statement(self.term(child), SUB_CLASS_OF, self.term(class_))
            for class_ in range(self.first_leaf)
            for child in self.children(class_)
        )

    def domains_and_ranges(self) -> str:
        return "".join(
            statement(self.property(class_, k), DOMAIN, self.term(class_))
            + statement(self.property(class_, k), RANGE, self.term(self.value_class(class_, k)))
            for class_ in range(len(self.names))
            for k in range(self.properties)
        )

    def definitions(self) -> str:
        lines = []
        for class_ in range(self.first_leaf):
            children = self.children(class_)
            lines.append(statement(self.term(children[0]), SUB_CLASS_OF, self.term(class_)))
            for position in range(1, self.branching):
                child = self.names[children[position]]
                union, members, some = f"_:union{child}", f"_:members{child}x", f"_:some{child}"
                k = (position - 2) % self.branching % self.properties
                lines.append(statement(union, TYPE, CLASS))
                lines.append(statement(union, SUB_CLASS_OF, self.term(class_)))
                lines.append(statement(union, UNION_OF, members))
                lines.append(list_of(members, [self.term(children[position]), some]))
                lines.append(some_values_from(some, self.property(class_, k), self.term(children[position - 1])))
        return "".join(lines)

    def class_facts(self) -> Iterator[str]:
        for class_ in range(len(self.names)):
            yield "".join(
                statement(self.instance(class_, number), TYPE, self.term(class_)) for number in range(self.instances)
            )

    def property_facts(self, seed: int) -> Iterator[str]:
        draw = Draw("hierarchy", seed)
        # The last of each three, so that the count is rounded down as the paper's is.
        for owner in range(2, len(self.names) * self.instances, 3):
            class_, number = divmod(owner, self.instances)
            yield "".join(
                statement(
                    self.instance(class_, number),
                    self.property(class_, k),
                    self.instance(self.value_class(class_, k), draw.below(self.instances)),
                )
                for k in range(self.properties)
            )
