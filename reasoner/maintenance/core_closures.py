"""Closures of transitive predicates inside the core of equality: what they lose, what proves them, what they gain.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, section 5, under rewriting. Facts of I are over
the representatives of pi, proved facts over those of gamma, the mapping that B/F rebuilds, which is never coarser.

    Del    the facts of R in I, which is closed, that a chain with a lost fact derives: all at once, and more than the
           heads of the rule instances with a lost fact; all facts of R if it may be transitive no more
    prove  a chain of proved facts proves each fact that it derives and that stands for a checked one. The chains in I
           from the start of a fact to its end have their steps between the two; those steps are checked with it
    Add    what new facts derive together with a closed R

Deviation: the external facts X_R of the paper are not told apart. They may depend on R here, as a fact of an inverse
does, so each is proved like any other fact. Whether R is transitive at all can be a fact too, ``R a C``: it is checked
with the facts of R, and proofs by chains begin when it is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Generic

from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.materialise import closures_in
from reasoner.reasoning.modules import Closure, Modules
from reasoner.rules.encode import EncodedRule
from reasoner.rules.levels import SplitSet
from reasoner.terms.term import TYPE


class CoreClosures(Generic[F, P, M]):
    """The closures of a core over facts that are closed, each with the facts that declare it to be one."""

    def __init__(self, engine: Engine[F, P, M], modules: Modules, facts: F) -> None:
        self.engine = engine
        self.facts = facts
        self.all = tuple(closures_in(engine, modules, facts))
        self._declared = {
            closure: engine.compile(_declarations(closure.predicate, modules))
            for closure in self.all
            if closure not in modules.closures
        }

    @property
    def read_type(self) -> bool:
        """Whether rdf:type is one of them, which no module can read."""
        return any(closure.predicate == TYPE for closure in self.all)

    def declarations(self, closure: Closure, facts: F) -> F:
        """Return those of some facts that declare a predicate to be transitive; none if a rule says so."""
        plans = self._declared.get(closure)
        return self.engine.empty() if plans is None else self.engine.evaluate(plans, facts)


class LostChains(Generic[F, P, M]):
    """What closures may lose with facts that are lost, round by round."""

    def __init__(self, closures: CoreClosures[F, P, M]) -> None:
        self._closures = closures
        self._given: dict[Closure, F] = {}

    def through(self, lost: F) -> F:
        """Return the facts that chains with lost facts derive; chains with those were given together with them."""
        closures, engine = self._closures, self._closures.engine
        found = engine.empty()
        for closure in closures.all:
            if not engine.is_empty(closures.declarations(closure, lost)):
                self._given[closure] = of_predicate(engine, closures.facts, closure)
                found = engine.union(found, self._given[closure])
            if not engine.count(lost, closure.predicate):
                continue
            given = self._given.get(closure, engine.empty())
            edges = engine.difference(of_predicate(engine, lost, closure), given)
            if not engine.is_empty(edges):
                derived = engine.derived_by_edges(closure, closures.facts, edges)
                self._given[closure] = engine.union(given, derived)
                found = engine.union(found, derived)
        return found


class ProvedChains(Generic[F, P, M]):
    """The checked facts that chains of proved facts prove, round by round; ``checked`` are over representatives."""

    def __init__(self, engine: Engine[F, P, M], checked: Callable[[], F], representatives: M) -> None:
        self._engine = engine
        self._checked = checked
        self._representatives = representatives
        self._last: dict[Closure, F] = {}

    def added(self, closures: Sequence[Closure], facts: F, delta: F) -> F:
        engine = self._engine
        found, last = engine.empty(), {}
        for closure in closures:
            known = self._last.get(closure)
            # What chains derived makes no chain that was not there before.
            if known is not None and not engine.count(engine.difference(delta, known), closure.predicate):
                last[closure] = engine.empty()
                continue
            last[closure] = engine.reached(closure, facts, self._checked(), self._representatives)
            found = engine.union(found, last[closure])
        self._last = last
        return found

    def among(self, closures: Sequence[Closure], facts: F, goals: F) -> F:
        """Return what ``added`` would for new goals alone, if the facts are those that it was given last."""
        engine = self._engine
        found = engine.empty()
        for closure in closures:
            reached = engine.reached(closure, facts, goals, self._representatives)
            if closure in self._last:
                self._last[closure] = reached
            found = engine.union(found, reached)
        return found


class GrowingClosures(Generic[F, P, M]):
    """What new facts add to closures; ``last`` is what each closure would be closed with before them."""

    def __init__(self, engine: Engine[F, P, M], last: dict[Closure, F]) -> None:
        self._engine = engine
        self._last = last

    def added(self, closures: Sequence[Closure], facts: F, delta: F) -> F:
        engine = self._engine
        found, last = engine.empty(), {}
        for closure in closures:
            last[closure] = self._added(closure, facts, delta)
            found = engine.union(found, last[closure])
        self._last = last
        return found

    def _added(self, closure: Closure, facts: F, delta: F) -> F:
        engine = self._engine
        if closure not in self._last or closure.predicate == TYPE:
            return engine.close(closure, facts, None)
        # A merge takes out all facts about a term, and what is left of a closed predicate is closed.
        edges = engine.difference(of_predicate(engine, delta, closure), self._last[closure])
        if engine.is_empty(edges):
            return edges
        closed = engine.difference(of_predicate(engine, facts, closure), edges)
        return engine.difference(engine.derived_by_new_edges(closure, closed, edges), edges)


def of_predicate(engine: Engine[F, P, M], facts: F, closure: Closure) -> F:
    """Return the facts of a closure's predicate."""
    return engine.of_splits(facts, SplitSet(frozenset({closure.predicate}), {}))


def _declarations(predicate: int, modules: Modules) -> Iterator[EncodedRule]:
    """Yield rules that find the facts that a predicate is of a class of transitive predicates."""
    for rule in modules.taken:
        for _, guard, c in rule.body:
            if guard == TYPE and c in modules.transitive_classes:
                fact = predicate, TYPE, c
                yield replace(rule, head=fact, body=(fact,))
