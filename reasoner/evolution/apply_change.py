"""One change as one transaction: facts go out of and into the graphs that they belong to, rules with them.

A store as evolution scripts see it: its explicit facts by pattern, its rules, and answers about all that holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from ontologies.evolution.script import print_patterns
from ontologies.evolution.working import StepChange
from reasoner.maintenance.update import Work
from reasoner.rules.parser import Body
from reasoner.rules.prefixes import PREDECLARED
from reasoner.rules.rule import Rule
from reasoner.state.constraint_policy import checked_policy
from reasoner.state.request import CommitRequest, require_strategy
from reasoner.state.rule_patterns import select
from reasoner.state.transaction import Transaction
from reasoner.terms.quads import PendingQuads, QuadRequest
from reasoner.terms.term import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.factset import FactSet
    from reasoner.sparql.pattern_lookup import PatternLookup
    from reasoner.state.delta import Delta
    from reasoner.state.request import RuleRequest
    from reasoner.state.session import KnowledgeBase
    from reasoner.terms.quads import GraphName, TextQuad


@dataclass(frozen=True, slots=True)
class ExactChange:
    """What comes and goes, with graphs; none of what comes was there, and all of what goes was."""

    added: tuple[TextQuad, ...] = ()
    removed: tuple[TextQuad, ...] = ()
    rules_added: tuple[Rule, ...] = ()
    rules_removed: tuple[Rule, ...] = ()

    @property
    def inverse(self) -> ExactChange:
        """The change that takes this one back."""
        return ExactChange(self.removed, self.added, self.rules_removed, self.rules_added)


def exact(kb: KnowledgeBase, change: StepChange) -> ExactChange:
    """Say of a change in which graphs it happens.

    What goes leaves all graphs. What takes the place of another fact joins the graphs of that one, and everything else
    that comes the default graph.
    """
    rules = change.rules_added, change.rules_removed
    if not kb.store.state.graphs:
        added, removed = (tuple((*triple, None) for triple in side) for side in (change.added, change.removed))
        return ExactChange(added, removed, *rules)
    replaced: dict[TextTriple, list[TextTriple]] = {}
    for new, old in change.origins:
        replaced.setdefault(new, []).append(old)
    known = graphs_of(kb, dict.fromkeys([*change.removed, *replaced, *(old for _, old in change.origins)]))
    coming: dict[TextQuad, None] = {}
    for triple in (*change.added, *(new for new in replaced if new not in set(change.added))):
        places = [graph for old in replaced.get(triple, ()) for graph in known[old]] or [None]
        coming.update({(*triple, graph): None for graph in places if graph not in known.get(triple, ())})
    going = tuple((*triple, graph) for triple in change.removed for graph in known[triple])
    return ExactChange(tuple(coming), going, *rules)


def apply_exact(
    kb: KnowledgeBase,
    change: ExactChange,
    strategy: str = "auto",
    constraints: str | None = None,
    work: Work | None = None,
) -> Delta:
    """Apply a change, all of it or nothing, and return what it did.

    ``constraints`` is a policy for this change alone, None the one that the reasoner has. What ``work`` raises between
    the rounds of maintenance takes the change back.
    """
    require_strategy(strategy, None)
    policy = None if constraints is None else checked_policy(constraints)

    def commit(asked: QuadRequest, rules: RuleRequest) -> Delta:
        return kb.session.commit(CommitRequest(asked, rules, strategy, constraints=policy, work=work or Work()))

    with Transaction(commit) as transaction:
        quads = PendingQuads()
        for graph, triples in _by_graph(change.removed).items():
            quads.remove(triples, graph)
        for graph, triples in _by_graph(change.added).items():
            quads.add(triples, graph)
        transaction.want(quads)
        if change.rules_removed:
            transaction.remove_rules(change.rules_removed)
        if change.rules_added:
            transaction.add_rules(change.rules_added)
    return transaction.delta


def graphs_of(kb: KnowledgeBase, triples: Iterable[TextTriple]) -> dict[TextTriple, list[GraphName]]:
    """Return the graphs that assert each of some triples."""
    asked = list(triples)
    found: dict[TextTriple, list[GraphName]] = {triple: [] for triple in asked}
    state = kb.store.state
    for id, facts in state.graphs.by_graph(state.explicit):
        name = None if id < 0 else kb.store.dictionary.text(id)
        for triple in among(kb, asked, facts):
            found[triple].append(name)
    return found


def _by_graph(quads: Iterable[TextQuad]) -> dict[GraphName, list[TextTriple]]:
    grouped: dict[GraphName, list[TextTriple]] = {}
    for s, p, o, graph in quads:
        grouped.setdefault(graph, []).append((s, p, o))
    return grouped


class StoreFacts:
    """The present state of a reasoner; a later change does not show."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._explicit = kb.store.state.explicit

    def matching(self, s: str | None = None, p: str | None = None, o: str | None = None) -> list[TextTriple]:
        """Return the explicit facts with the given terms; None is open."""
        find = self._kb.store.dictionary.lookup
        ids = [None if term is None else find(term) for term in (s, p, o)]
        if any(id is None and term is not None for id, term in zip(ids, (s, p, o), strict=True)):
            return []
        return list(self._kb.store.decoded(self._lookup.matches(*ids)))

    def explicit(self, triples: Sequence[TextTriple]) -> set[TextTriple]:
        """Return those of some triples that are explicit, found all at once."""
        return among(self._kb, triples, self._explicit)

    def names(self) -> Iterable[str]:
        """Return the IRIs that axioms mention, and the predicates of all facts."""
        from reasoner.state.rule_change import schema_triples

        return dict.fromkeys(term for triple in schema_triples(self._kb.store) for term in triple if term[0] == "<")

    def rules(self) -> Sequence[Rule]:
        """Return the rules of one's own."""
        return self._kb.session.state.user_rules

    def answers(self, patterns: Body, variables: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the answers to patterns over everything that holds."""
        self._kb.session.settle()
        found = select(self._kb.answering, print_patterns(patterns, PREDECLARED), variables)
        return [tuple(answer[name] for name in variables) for answer in found]

    @cached_property
    def _lookup(self) -> PatternLookup:
        from reasoner.sparql.dataset import Graph
        from reasoner.sparql.pattern_lookup import PatternLookup

        # Facts are asked for as they are: equal terms are different terms here.
        return PatternLookup(Graph(self._explicit, self._kb.store.dictionary))


def among(kb: KnowledgeBase, triples: Sequence[TextTriple], facts: FactSet) -> set[TextTriple]:
    """Return those of some triples that are among facts."""
    known = kb.store.are_explicit(triples, replace(kb.store.state, explicit=facts))
    return {triple for triple, is_there in zip(triples, known, strict=True) if is_there}
