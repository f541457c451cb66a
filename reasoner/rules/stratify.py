"""Stratification by levels over split predicates.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, section 3 (stratification, the
recursive and nonrecursive rules of a stratum) and section 10.1 (grouping by levels).

    1  build the dependency graph over splits
    2  find its strongly connected components
    3  if a rule reads negatively in the component of its head, split the predicates of that component by their constant
       objects, as rdf:type is by classes, and go back to 1
    4  reject the program if there is nothing to split any more
    5  the level of a component is the longest path to it
    6  a rule belongs to the lowest level that it writes, and is recursive iff it reads positively in the component
       of its head

Deviation: the paper maps atoms to strata and gives one stratum to atoms that share an instance. We map splits, so that
a body atom with a variable predicate may read splits of several levels, none above that of the head, and a head with
one may write splits of several levels, none below that of its rule. Atoms that differ by a constant subject alone share
their splits.

Strongly connected components of a graph over small integers.

The dependency graph of a program over split predicates.

An edge leads from a split that rules read to a split that they write. Atoms with a variable in place of the
predicate or class touch many splits; they go through virtual nodes, so that the graph stays linear in the size of the
program: everything readable leads into a reading node, and a writing node leads to everything that it writes.

Split predicates: the parts of the triple table that an atom can read or write.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, section
6.1 (selection-based optimisation). The split points are the predicates, and for ``rdf:type`` the classes, that a
vocabulary names. Another predicate may be split by the constants in its object position just as ``rdf:type`` is by
classes; ``stratify`` asks for that where a program has no strata otherwise. What a vocabulary does not name shares a
rest: ``Split(p)`` for the other objects of a predicate p that is split by object (``TYPE_REST`` for ``rdf:type``),
``REST`` for the other predicates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from reasoner.rules.errors import UnstratifiableError
from reasoner.rules.prefixes import readable_name
from reasoner.rules.rule import Atom, Rule, is_auxiliary
from reasoner.terms.term import RDF_TYPE, SAME_AS, Variable


def strong_components(successors: Sequence[Sequence[int]]) -> list[int]:
    """Number the component of each node, in linear time and without recursion.

    An edge from one component to another goes from the higher number to the lower one, so that descending numbers are
    a topological order. Tarjan: Depth-First Search and Linear Graph Algorithms, 1972.

    >>> strong_components([[1], [2], [1], [0]])
    [1, 0, 0, 2]
    """
    unvisited = -1
    index = [unvisited] * len(successors)
    lowest = [0] * len(successors)
    component = [unvisited] * len(successors)
    stack: list[int] = []
    visited = components = 0
    for root in range(len(successors)):
        if index[root] != unvisited:
            continue
        path = [root]
        remaining = [iter(successors[root])]
        index[root] = lowest[root] = visited
        visited += 1
        stack.append(root)
        while path:
            node = path[-1]
            for successor in remaining[-1]:
                if index[successor] == unvisited:
                    index[successor] = lowest[successor] = visited
                    visited += 1
                    stack.append(successor)
                    path.append(successor)
                    remaining.append(iter(successors[successor]))
                    break
                if component[successor] == unvisited:
                    lowest[node] = min(lowest[node], index[successor])
            else:
                path.pop()
                remaining.pop()
                if path:
                    lowest[path[-1]] = min(lowest[path[-1]], lowest[node])
                if lowest[node] == index[node]:
                    while component[node] == unvisited:
                        component[stack.pop()] = components
                    components += 1
    return component


def shortest_path(successors: Sequence[Sequence[int]], source: int, target: int) -> list[int]:
    """Return the nodes of a shortest path, both ends included; the target must be reachable.

    >>> shortest_path([[1], [2], [0]], 0, 2)
    [0, 1, 2]
    """
    previous = {source: source}
    frontier = [source]
    while target not in previous:
        reached = []
        for node in frontier:
            for successor in successors[node]:
                if successor not in previous:
                    previous[successor] = node
                    reached.append(successor)
        frontier = reached
    path = [target]
    while path[-1] != source:
        path.append(previous[path[-1]])
    return path[::-1]


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


@dataclass(frozen=True, slots=True)
class Stratum:
    """The rules of one level: the nonrecursive ones read lower levels only."""

    nonrecursive: tuple[Rule, ...]
    recursive: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Rules in strata: ``strata[level]`` writes the splits of that level; constraints come after all of them.

    Level 0 holds the splits that depend on nothing, so its stratum has no rules but facts, and may be empty.
    """

    strata: tuple[Stratum, ...]
    constraints: tuple[Rule, ...]
    levels: Mapping[Split, int] = field(compare=False)
    vocabulary: Vocabulary

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules but the constraints, stratum by stratum."""
        return tuple(rule for stratum in self.strata for rule in (*stratum.nonrecursive, *stratum.recursive))


def stratify(rules: Sequence[Rule], *, equality: bool = True) -> Program:
    """Arrange rules in strata by levels, in time linear in their size.

    ``equality`` says that the data or the rules can have facts of ``owl:sameAs``, which then feed every split: no rule
    whose head feeds ``owl:sameAs`` may negate anything, nor use ``!=`` on a variable (``differentValue``, which
    compares literals only, it may use). The splits are those of constants as written; when constants that make
    splits become equal, rewrite the rules and stratify them anew. Objects make splits only where that is needed, so
    that most programs are done in one pass.

    Raises ``UnstratifiableError``, which names a cycle through negation.

    >>> from reasoner.rules.parser import parse_rules
    >>> program = stratify(parse_rules('''
    ...     [base] ?x <path> ?y :- ?x <edge> ?y .
    ...     [step] ?x <path> ?z :- ?x <path> ?y, ?y <edge> ?z .
    ...     [lone] ?x a <Lone> :- ?x a <Node>, not ?x <path> ?x .'''), equality=False)
    >>> [[rule.name for rule in (*stratum.nonrecursive, *stratum.recursive)] for stratum in program.strata]
    [[], ['base', 'step'], ['lone']]
    """
    derivations = [rule for rule in rules if rule.head is not None]
    vocabulary = Vocabulary.of_rules(rules)
    while True:
        if equality:
            vocabulary = replace(vocabulary, predicates=vocabulary.predicates | {SAME_AS})
        graph = DependencyGraph(derivations, vocabulary, equality=equality)  # 1
        component = strong_components(graph.successors)  # 2
        cycle = _negative_cycle(graph, component)
        if cycle is None:
            break
        finer = _finer(rules, vocabulary, graph.predicates_around(cycle[0].head, component), equality=equality)  # 3
        if finer is None:
            raise UnstratifiableError(_cycle(graph, *cycle))  # 4
        vocabulary = finer
    level = _levels(graph, component)  # 5
    return Program(
        strata=_strata(derivations, graph, component, level),  # 6
        constraints=tuple(rule for rule in rules if rule.head is None),
        levels={split: level[node] for node, split in enumerate(graph.splits)},
        vocabulary=vocabulary,
    )


def predicates_split_by_object(rules: Sequence[Rule], *, equality: bool) -> frozenset[str]:
    """Return the predicates, ``rdf:type`` aside, that have to be split by object for rules to have strata."""
    try:
        return frozenset(stratify(rules, equality=equality).vocabulary.objects)
    except UnstratifiableError:
        return frozenset()


def _negative_cycle(graph: DependencyGraph, component: Sequence[int]) -> tuple[RuleNodes, int] | None:
    """Return a rule that reads negatively in the component of its head, and what it reads there."""
    for nodes in graph.rules:
        for read in nodes.negative:
            if component[read] == component[nodes.head]:
                return nodes, read
    return None


def _finer(
    rules: Sequence[Rule], vocabulary: Vocabulary, predicates: frozenset[str], *, equality: bool
) -> Vocabulary | None:
    """Split those of some predicates by object that have constant objects; None if there are no more of them."""
    # Equality is one relation: what it makes equal does not depend on who is named.
    whole = {REST.predicate, RDF_TYPE, *([SAME_AS] if equality else []), *vocabulary.objects}
    found = Vocabulary.of_rules(rules, {*vocabulary.objects, *(predicates - whole)})
    objects = {predicate: names for predicate, names in found.objects.items() if names}
    return replace(found, objects=objects) if objects.keys() - vocabulary.objects.keys() else None


def _levels(graph: DependencyGraph, component: Sequence[int]) -> list[int]:
    """Return the level of every node: the number of components with splits on the longest path to its own."""
    # A virtual node alone is a mere relay between splits, so that entering its component is no step.
    steps = [1] * (max(component) + 1)
    sizes = [0] * len(steps)
    for number in component:
        sizes[number] += 1
    for node, number in enumerate(component):
        if sizes[number] == 1 and graph.is_virtual(node):
            steps[number] = 0
    level = [0] * len(steps)
    for node in sorted(range(len(component)), key=component.__getitem__, reverse=True):
        here = component[node]
        for successor in graph.successors[node]:
            there = component[successor]
            if there != here:
                level[there] = max(level[there], level[here] + steps[there])
    return [level[number] for number in component]


def _strata(
    rules: Sequence[Rule], graph: DependencyGraph, component: Sequence[int], level: Sequence[int]
) -> tuple[Stratum, ...]:
    count = max(level[: len(graph.splits)]) + 1
    nonrecursive: list[list[Rule]] = [[] for _ in range(count)]
    recursive: list[list[Rule]] = [[] for _ in range(count)]

    @cache
    def lowest_written(node: int) -> int:
        """Return the lowest level of the splits that a node stands for: all of them are above what the rule reads."""
        if not graph.is_virtual(node):
            return level[node]
        return min(level[split] for split in graph.successors[node] if not graph.is_virtual(split))

    for rule, nodes in zip(rules, graph.rules, strict=True):
        is_recursive = any(component[read] == component[nodes.head] for read in nodes.positive)
        lowest = min(lowest_written(node) for node in nodes.written)
        (recursive if is_recursive else nonrecursive)[lowest].append(rule)
    return tuple(Stratum(tuple(first), tuple(then)) for first, then in zip(nonrecursive, recursive, strict=True))


def _cycle(graph: DependencyGraph, nodes: RuleNodes, read: int) -> tuple[str, ...]:
    """Name the cycle from the head of a rule to what it negates and back, each step depending on the next."""
    path = shortest_path(graph.successors, nodes.head, read)
    names = {node: graph.name(node) for node in path}
    if len(set(names.values())) < len(names):
        # Two namespaces share a local name: only the full constants tell them apart.
        names |= {node: " ".join(graph.splits[node]).strip() for node in path if node < len(graph.splits)}
    by_inequality = " (by !=)" if nodes.unequal and read == graph.equal_node else ""
    return (names[nodes.head], f"not {names[read]}{by_inequality}", *(names[node] for node in reversed(path[:-1])))


class Split(NamedTuple):
    """The facts of one predicate, or of one object if the predicate is split by object; both are constants.

    >>> str(Split(RDF_TYPE, "<http://e.org/Parent>")), str(Split("<http://e.org/knows>"))
    ('type(Parent)', 'knows')
    """

    predicate: str
    object: str = ""

    def __str__(self) -> str:
        if self == REST:
            return "any other predicate"
        if self == TYPE_REST:
            return "type(any other class)"
        name = "type" if self.predicate == RDF_TYPE else readable_name(self.predicate)
        return f"{name}({readable_name(self.object)})" if self.object else name


TYPE_REST = Split(RDF_TYPE)
REST = Split("")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The split points: predicates other than ``rdf:type``, classes, and the objects of predicates that need it."""

    predicates: frozenset[str]
    classes: frozenset[str]
    objects: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of_rules(cls, rules: Iterable[Rule], by_object: Collection[str] = ()) -> Vocabulary:
        """Take every predicate and every class that an atom of the rules names as a constant.

        Of the predicates ``by_object``, every constant object is a split point too. The object of an atom with a
        variable predicate may be an object of any predicate, and a class.
        """
        predicates: set[str] = set()
        classes: set[str] = set()
        objects: dict[str, set[str]] = {predicate: set() for predicate in by_object}
        anywhere: set[str] = set()
        for rule in rules:
            for atom in (*rule.body, *rule.negative, *((rule.head,) if rule.head else ())):
                if atom.predicate == RDF_TYPE:
                    if isinstance(atom.object, str):
                        classes.add(atom.object)
                elif isinstance(atom.predicate, str):
                    predicates.add(atom.predicate)
                    if isinstance(atom.object, str) and atom.predicate in objects:
                        objects[atom.predicate].add(atom.object)
                elif isinstance(atom.object, str):
                    anywhere.add(atom.object)
        split = {predicate: frozenset(found | anywhere) for predicate, found in objects.items()}
        return cls(frozenset(predicates), frozenset(classes | anywhere), split)

    @property
    def split_by_object(self) -> dict[str, frozenset[str]]:
        """The predicates that are split by object, ``rdf:type`` first, and the objects that they are split by."""
        return {RDF_TYPE: self.classes, **self.objects}

    @property
    def predicate_splits(self) -> tuple[Split, ...]:
        """The splits of predicates other than ``rdf:type``, in a fixed order, the rest last."""
        named = [
            split
            for predicate in sorted(self.predicates)
            for split in (*_object_splits(predicate, self.objects.get(predicate, ())), Split(predicate))
        ]
        return (*named, REST)

    @property
    def type_splits(self) -> tuple[Split, ...]:
        """The splits of ``rdf:type``, in a fixed order, the rest last."""
        return (*_object_splits(RDF_TYPE, self.classes), TYPE_REST)

    @property
    def splits(self) -> tuple[Split, ...]:
        """All splits: every fact belongs to exactly one of them."""
        return self.predicate_splits + self.type_splits

    def of_fact(self, predicate: str, object_: str) -> Split:
        """Return the split that a fact belongs to."""
        if predicate == RDF_TYPE:
            return Split(RDF_TYPE, object_) if object_ in self.classes else TYPE_REST
        if predicate not in self.predicates:
            return REST
        return Split(predicate, object_ if object_ in self.objects.get(predicate, ()) else "")


def splits_of(atom: Atom, vocabulary: Vocabulary) -> frozenset[Split]:
    """Return the splits that hold, or would hold, the instances of an atom.

    >>> vocabulary = Vocabulary(frozenset({"<p>"}), frozenset({"<C>"}))
    >>> sorted(map(str, splits_of(Atom(Variable("x"), Variable("p"), "<C>"), vocabulary)))
    ['<p>', 'any other predicate', 'type(<C>)']
    """
    named: list[str] = [*vocabulary.predicates, RDF_TYPE]
    if isinstance(atom.predicate, str):
        named = [atom.predicate]
    found = {split for predicate in named for split in _splits_with(predicate, atom, vocabulary)}
    return frozenset(found | {REST} if isinstance(atom.predicate, Variable) else found)


def _splits_with(predicate: str, atom: Atom, vocabulary: Vocabulary) -> Iterable[Split]:
    if isinstance(atom.object, str):
        return (vocabulary.of_fact(predicate, atom.object),)
    objects = vocabulary.split_by_object.get(predicate, ())
    return (*_object_splits(predicate, objects), vocabulary.of_fact(predicate, ""))


def _object_splits(predicate: str, objects: Iterable[str]) -> tuple[Split, ...]:
    return tuple(Split(predicate, name) for name in sorted(objects))
