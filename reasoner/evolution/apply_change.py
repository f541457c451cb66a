"""One change as one transaction: facts go out of and into the graphs that they belong to, rules with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ontologies.evolution.working import Change
from reasoner.evolution.store_facts import among
from reasoner.quads import WantedQuads
from reasoner.rules.rule import Rule
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.delta import Delta
    from reasoner.quads import GraphName, TextQuad
    from reasoner.reasoner import Reasoner


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


def exact(kb: Reasoner, change: Change) -> ExactChange:
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


def apply_exact(kb: Reasoner, change: ExactChange, strategy: str = "auto", constraints: str | None = None) -> Delta:
    """Apply a change, all of it or nothing, and return what it did.

    ``constraints`` is a policy for this change alone, None the one that the reasoner has.
    """
    with kb.transaction(strategy=strategy, constraints=constraints) as transaction:
        quads = WantedQuads()
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


def graphs_of(kb: Reasoner, triples: Iterable[TextTriple]) -> dict[TextTriple, list[GraphName]]:
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
