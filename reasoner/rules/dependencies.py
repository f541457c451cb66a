"""The dependency graph of a program over split predicates.

An edge leads from a split that rules read to a split that they write. Atoms with a variable in place of the
predicate or class touch many splits; they go through virtual nodes, so that the graph stays linear in the size of the
program: everything readable leads into a reading node, and a writing node leads to everything that it writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reasoner.rules.auxiliary import is_auxiliary
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.splits import REST, Split, Vocabulary
from reasoner.rules.term import RDF_TYPE, SAME_AS, Variable

# Which of the two virtual nodes of some splits: the one that reads them, or the one that writes them.
_READS, _WRITES = 0, 1


@dataclass(frozen=True, slots=True)
class RuleNodes:
    """The nodes of one rule: ``head`` leads to all that it writes; ``unequal`` says that it reads by ``!=``."""

    head: int
    written: tuple[int, ...]
    positive: tuple[int, ...]
    negative: tuple[int, ...]
    unequal: bool


class DependencyGraph:
    """The graph of a program without constraints; nodes are numbers, the splits of ``vocabulary`` first.

    With ``equality``, every split depends on ``owl:sameAs`` (replacing equals by equals can put a new fact in any
    of them), and a condition ``!=`` that mentions a variable reads ``owl:sameAs`` negatively.
    """

    def __init__(self, rules: Sequence[Rule], vocabulary: Vocabulary, *, equality: bool) -> None:
        self.splits = vocabulary.splits
        numbers = {split: number for number, split in enumerate(self.splits)}
        # Atoms are looked up by constant, without making a split for each.
        self._of_predicate = {name: numbers[Split(name)] for name in vocabulary.predicates}
        self._by_object = {
            predicate: {name: numbers[Split(predicate, name)] for name in objects}
            for predicate, objects in vocabulary.split_by_object.items()
        }
        self._other_object = {predicate: numbers[Split(predicate)] for predicate in self._by_object}
        self._rest = numbers[REST]
        count = len(self.splits)
        # Two for the predicates that are not split by object, together, and two for each that is.
        self._virtual = {key: count + 2 * place for place, key in enumerate((None, *self._by_object))}
        self.successors: list[list[int]] = [[] for _ in range(count + 2 * len(self._virtual))]
        self._connected: set[int] = set()
        self.equal_node = self._of_predicate[SAME_AS] if equality else None
        if self.equal_node is not None:
            self.successors[self.equal_node] += range(count)
        self.rules = tuple(self._rule_nodes(rule) for rule in rules)
        for nodes in self.rules:
            for read in (*nodes.positive, *nodes.negative):
                self.successors[read].append(nodes.head)

    def is_virtual(self, node: int) -> bool:
        """Tell whether a node only passes on what wildcard atoms read or write."""
        return node >= len(self.splits)

    def name(self, node: int) -> str:
        """Return a readable name of a split or virtual node."""
        if node < len(self.splits):
            predicate, named = self.splits[node]
            rest = predicate != RDF_TYPE and predicate in self._by_object and not named
            return f"{self.splits[node]}(any other object)" if rest else str(self.splits[node])
        predicate = list(self._virtual)[(node - len(self.splits)) // 2] or ""
        if predicate == RDF_TYPE:
            return "type(any class)"
        return f"{Split(predicate)}(any object)" if predicate else "any predicate"

    def predicates_around(self, node: int, component: Sequence[int]) -> frozenset[str]:
        """Return the predicates with a split in the strongly connected component of a node."""
        return frozenset(
            split.predicate for number, split in enumerate(self.splits) if component[number] == component[node]
        )

    def _rule_nodes(self, rule: Rule) -> RuleNodes:
        assert rule.head is not None
        written = self._nodes(rule.head, _WRITES)
        for node in written[1:]:
            self.successors[written[0]].append(node)
        negative = [node for atom in rule.negative for node in self._nodes(atom, _READS)]
        unequal = self.equal_node is not None and any(
            condition.name == "!=" and condition.variables for condition in rule.conditions
        )
        if unequal and self.equal_node is not None:
            negative.append(self.equal_node)
        positive = tuple(node for atom in rule.body for node in self._nodes(atom, _READS))
        return RuleNodes(written[0], tuple(written), positive, tuple(negative), unequal)

    def _nodes(self, atom: Atom, direction: int) -> list[int]:
        """Return the nodes that stand for the splits of an atom; the wildcard nodes are those of its direction."""
        if isinstance(atom.predicate, Variable):
            split = [self._object_node(predicate, atom, direction) for predicate in self._by_object]
            return [self._connect(None, direction), *split]
        if atom.predicate in self._by_object:
            return [self._object_node(atom.predicate, atom, direction)]
        return [self._of_predicate.get(atom.predicate, self._rest)]

    def _object_node(self, predicate: str, atom: Atom, direction: int) -> int:
        if isinstance(atom.object, Variable):
            return self._connect(predicate, direction)
        return self._by_object[predicate].get(atom.object, self._other_object[predicate])

    def _connect(self, predicate: str | None, direction: int) -> int:
        """Connect a virtual node with the splits that it stands for, when it is first needed."""
        node = self._virtual[predicate] + direction
        if node not in self._connected:
            self._connected.add(node)
            for number, split in enumerate(self.splits):
                in_place = split.predicate if split.predicate in self._by_object else None
                if in_place == predicate and not is_auxiliary(split.predicate):
                    source, target = (number, node) if direction == _READS else (node, number)
                    self.successors[source].append(target)
        return node
