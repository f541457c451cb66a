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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from reasoner.errors import UnstratifiableError
from reasoner.rules.components import shortest_path, strong_components
from reasoner.rules.dependencies import DependencyGraph, RuleNodes
from reasoner.rules.rule import Rule
from reasoner.rules.splits import REST, Split, Vocabulary
from reasoner.rules.term import RDF_TYPE, SAME_AS


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
