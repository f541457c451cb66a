"""The dependency graph of a program over split predicates.

An edge leads from a split that rules read to a split that they write. Atoms with a variable in place of the
predicate or class touch many splits; they go through four virtual nodes, so that the graph stays linear in the size of
the program: everything readable leads into a reading node, and a writing node leads to everything that it writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reasoner.rules.rule import Atom, Rule
from reasoner.rules.splits import REST, TYPE_REST, Split, Vocabulary
from reasoner.rules.term import RDF_TYPE, SAME_AS, Variable


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
        self._of_class = {name: numbers[Split(RDF_TYPE, name)] for name in vocabulary.classes}
        self._rest, self._type_rest = numbers[REST], numbers[TYPE_REST]
        count = len(self.splits)
        self._read_predicates, self._read_types, self._write_predicates, self._write_types = range(count, count + 4)
        self.successors: list[list[int]] = [[] for _ in range(count + 4)]
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
            return str(self.splits[node])
        return "type(any class)" if node in (self._read_types, self._write_types) else "any predicate"

    def _rule_nodes(self, rule: Rule) -> RuleNodes:
        assert rule.head is not None
        written = self._nodes(rule.head, self._write_predicates, self._write_types)
        for node in written[1:]:
            self.successors[written[0]].append(node)
        negative = [node for atom in rule.negative for node in self._read(atom)]
        unequal = self.equal_node is not None and any(
            condition.name == "!=" and condition.variables for condition in rule.conditions
        )
        if unequal and self.equal_node is not None:
            negative.append(self.equal_node)
        positive = tuple(node for atom in rule.body for node in self._read(atom))
        return RuleNodes(written[0], tuple(written), positive, tuple(negative), unequal)

    def _read(self, atom: Atom) -> list[int]:
        return self._nodes(atom, self._read_predicates, self._read_types)

    def _nodes(self, atom: Atom, any_predicate: int, any_type: int) -> list[int]:
        """Return the nodes that stand for the splits of an atom; the wildcard nodes are those of its direction."""
        nodes: list[int] = []
        if isinstance(atom.predicate, Variable):
            nodes.append(self._connect(any_predicate))
        elif atom.predicate != RDF_TYPE:
            return [self._of_predicate.get(atom.predicate, self._rest)]
        if isinstance(atom.object, Variable):
            nodes.append(self._connect(any_type))
        else:
            nodes.append(self._of_class.get(atom.object, self._type_rest))
        return nodes

    def _connect(self, node: int) -> int:
        """Connect a virtual node with the splits that it stands for, when it is first needed."""
        if node not in self._connected:
            self._connected.add(node)
            types = node in (self._read_types, self._write_types)
            reads = node in (self._read_predicates, self._read_types)
            for number, split in enumerate(self.splits):
                if (split.predicate == RDF_TYPE) == types:
                    source, target = (number, node) if reads else (node, number)
                    self.successors[source].append(target)
        return node
