"""R-materialisation: the least fixpoint of a program over rewritten facts, stratum by stratum.

Semi-naive evaluation by strata after Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited,
2019, algorithm 1; modules after Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, algorithm 2;
equality by rewriting after Motik et al.: Handling owl:sameAs via Rewriting, 2015, as used in their Combining Rewriting
and Incremental Materialisation Maintenance, 2015.

    1  (pi, I) <- absorb(E)
    2  for each stratum
    3      N <- heads of all instances of its rules over I
    4      repeat
    5          D <- absorb(N): normal form of N that I lacks; equalities in it merge classes of pi, the facts and rule
               constants that mention a term that is no longer a representative are rewritten, and count as new
    6          if D and the changed rules are empty, go on with the next stratum
    7          N <- heads of the instances of the recursive rules over I + D with a fact of D
                    + heads of all instances of the changed rules over I + what the modules add
    8          I <- I + D

Invariant at line 7: every instance of an unchanged rule over I has been considered, and none with a fact of D, so
that no instance is considered twice.

Deviation: explicit facts of all strata are absorbed at once in line 1, since no rule reads above its stratum. After a
stratum that merged classes, the rules above it are stratified anew, since predicates may have become equal.

Keeping the garbage collector from walking what is only being built.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, Protocol

from reasoner.reasoning.arrange import Arrangement, Prepared, arrange, stratum_rules
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.modules import Closure, Modules
from reasoner.reasoning.program import EncodedStratum
from reasoner.rules.encode import EncodedRule
from reasoner.terms.term import OCCURS, SAME, TYPE


@dataclass(slots=True)
class Materialisation(Generic[F, M]):
    """The r-materialisation (pi, I), and the work that it took."""

    facts: F
    representatives: M
    rounds: int = 0
    merges: int = 0


def materialise(
    engine: Engine[F, P, M],
    prepared: Prepared[P],
    explicit: F,
    progress: Callable[[str], None] = lambda _: None,
) -> Materialisation[F, M]:
    """Return the r-materialisation of explicit facts with respect to a program."""
    result = Materialisation(engine.empty(), engine.identity())
    state = Computation(engine, prepared, result)
    fresh, merged = state.absorb(explicit)  # 1
    result.facts = engine.extend(result.facts, fresh)
    done: list[EncodedStratum] = []
    open_strata = list(prepared.program.strata)
    while True:  # 2
        if merged:
            before_done = done
            done, open_strata = prepared.program.restratified(done, open_strata, state.representative)
            state.take_over(before_done, done)
        if not open_strata:
            # A term that occurs first in a high stratum is news to the rules below that ask which terms occur.
            stale = next((at for at, stratum in enumerate(done) if state.has_news_for(stratum)), len(done))
            done, open_strata = done[:stale], done[stale:]
        if not open_strata:
            break
        before = result.merges
        state.close(open_strata[0], progress)
        merged = result.merges != before
        done.append(open_strata.pop(0))
    return result


@dataclass(frozen=True, slots=True)
class Closed(Generic[F]):
    """What a stratum was last closed with: the facts then, and the rules under the representatives then."""

    facts: F
    rules: Collection[EncodedRule]


@dataclass(slots=True)
class Computation(Generic[F, P, M]):
    """(pi, I) while it grows; ``occurrences`` tells whether I notes which terms occur."""

    engine: Engine[F, P, M]
    prepared: Prepared[P]
    result: Materialisation[F, M]
    occurrences: bool = False
    closed: dict[EncodedStratum, Closed[F]] = field(default_factory=dict)
    asking: set[EncodedStratum] = field(default_factory=set)

    def close(self, stratum: EncodedStratum, progress: Callable[[str], None]) -> None:
        """Bring (pi, I) to the fixpoint of a stratum; if it was closed before, by what is new since then."""
        fixpoint = StratumFixpoint(self, stratum)
        fixpoint.close(self.closed.get(stratum), progress)
        if fixpoint.arrangement.asks_occurrence:
            self.asking.add(stratum)
        self.closed[stratum] = Closed(self.result.facts, fixpoint.arrangement.rules)

    def take_over(self, before: list[EncodedStratum], after: list[EncodedStratum]) -> None:
        """Note for strata that were arranged anew since when they are closed: at least since the first was."""
        rules = {rule for stratum in before for rule in self.closed[stratum].rules}
        for stratum in after:
            if stratum not in self.closed:
                self.closed[stratum] = Closed(self.closed[before[0]].facts, rules)
                self.asking.add(stratum)

    def has_news_for(self, stratum: EncodedStratum) -> bool:
        """Tell whether terms have come to occur since a stratum that asks for them was closed."""
        if stratum not in self.asking:
            return False
        known, now = self.closed[stratum].facts, self.result.facts
        return self.engine.count(known, OCCURS) != self.engine.count(now, OCCURS)

    def representative(self, id: int) -> int:
        return self.engine.representative(self.result.representatives, id)

    def arrangement(self, stratum: EncodedStratum) -> Arrangement[P]:
        """Arrange a stratum's rules under the present representatives, as prepared if these change none of them."""
        ready = self.prepared.arrangements.get(stratum)
        moved = self.engine.moves(self.result.representatives, stratum.constants)
        if ready is not None and not self.occurrences and not moved:
            return ready
        options = self.prepared.options
        rules = stratum_rules(stratum, options, self.representative if moved else None)
        return arrange(self.engine, rules, options, occurrences=self.occurrences)

    def absorb(self, derived: F) -> tuple[F, bool]:
        """Bring derived facts into normal form and return those that are new, and whether classes were merged.

        Facts of I that a merge makes outdated leave I and are among the new ones in their normal form.
        """
        engine, result = self.engine, self.result
        fresh = engine.difference(engine.normalise(derived, result.representatives), result.facts)
        if not self.prepared.options.equality:
            return fresh, False
        merged = False
        while True:
            fresh, equalities, noted = engine.take_equalities(fresh)
            fresh = engine.union(fresh, engine.difference(noted, result.facts))
            if engine.is_empty(equalities):
                break
            merged = True
            result.merges += engine.size(equalities)
            result.representatives, moved = engine.merge(result.representatives, equalities)
            result.facts, rewritten = engine.rewrite(result.facts, moved)
            if self.occurrences:
                rewritten = engine.union(rewritten, engine.occurrences(equalities, result.representatives))
            fresh = engine.normalise(engine.union(fresh, rewritten), result.representatives)
            fresh = engine.difference(fresh, result.facts)
        if self.occurrences:
            noted = engine.difference(engine.occurrences(fresh, None), result.facts)
            fresh = engine.union(fresh, noted)
        return fresh, merged


class ModuleResults(Protocol[F]):
    """What the modules of a stratum add, round by round."""

    def added(self, closures: Sequence[Closure], facts: F, delta: F) -> F:
        """Return what closures add to facts, of which those in ``delta`` are new since the last round."""
        ...


class Closing(Generic[F, P, M]):
    """Closes predicates from the start; a module does not see its own last result as new (algorithm 2, line 14)."""

    def __init__(self, engine: Engine[F, P, M]) -> None:
        self.engine = engine
        self.last: dict[Closure, F] = {}

    def added(self, closures: Sequence[Closure], facts: F, delta: F) -> F:
        engine = self.engine
        derived, last = engine.empty(), {}
        for closure in closures:
            fresh = engine.difference(delta, self.last[closure]) if closure in self.last else None
            last[closure] = engine.close(closure, facts, fresh)
            derived = engine.union(derived, last[closure])
        self.last = last
        return derived


def closures_in(engine: Engine[F, P, M], modules: Modules, facts: F) -> list[Closure]:
    """Return the closures of the rules, and of the predicates that the facts declare to be transitive."""
    subjects, closures = engine.subjects, list(modules.closures)
    if modules.transitive_classes:
        symmetric = {p for c in modules.symmetric_classes for p in subjects(facts, TYPE, c)}
        fixed = {closure.predicate for closure in closures}
        transitive = {p for c in modules.transitive_classes for p in subjects(facts, TYPE, c)}
        closures += [Closure(p, p in symmetric) for p in sorted(transitive - fixed) if p != SAME]
    return closures


class StratumFixpoint(Generic[F, P, M]):
    """The fixpoint of one stratum; ``modules`` says what the modules add."""

    def __init__(
        self, state: Computation[F, P, M], stratum: EncodedStratum, modules: ModuleResults[F] | None = None
    ) -> None:
        self.state = state
        self.stratum = stratum
        self.arrangement = state.arrangement(stratum)
        self.modules = Closing(state.engine) if modules is None else modules

    def close(self, known: Closed[F] | None, progress: Callable[[str], None]) -> None:
        """Reach the fixpoint; if the stratum was closed before, by the facts and the rules that are new since then."""
        engine, result = self.state.engine, self.state.result
        if known is None:
            derived = engine.evaluate(self.arrangement.every, result.facts)  # 3
        else:
            news = engine.difference(result.facts, known.facts)
            old = engine.difference(result.facts, news)
            derived = engine.evaluate_delta(self.arrangement.every, old, news, result.facts)
            if changed := self._joined_not_in(known.rules):
                derived = engine.union(derived, engine.evaluate(engine.compile(changed), old))
        derived = engine.union(derived, self.added_by_modules(result.facts, result.facts))
        derived = engine.union(derived, self._wake(result.facts))
        self.run(derived, progress)

    def run(
        self, derived: F, progress: Callable[[str], None] = lambda _: None, gate: Callable[[F], F] = lambda facts: facts
    ) -> None:
        """Add derived facts and all that follows from them; ``gate`` tells which of the facts of a round to add."""
        engine, result = self.state.engine, self.state.result
        while True:  # 4
            delta, merged = self.state.absorb(gate(derived))  # 5
            before = self.arrangement
            changed = self._rewrite_rules() if merged else []
            if engine.is_empty(delta) and not changed and before.modules == self.arrangement.modules:  # 6
                return
            result.rounds += 1
            progress(f"round {result.rounds}: {engine.size(delta):,} new facts")
            whole = engine.extend(result.facts, delta)
            derived = engine.evaluate_delta(self.arrangement.recursive, result.facts, delta, whole)  # 7
            if changed:
                derived = engine.union(derived, engine.evaluate(engine.compile(changed), result.facts))
            derived = engine.union(derived, self.added_by_modules(whole, delta))
            derived = engine.union(derived, self._wake(whole))
            result.facts = whole  # 8

    def _rewrite_rules(self) -> list[EncodedRule]:
        """Bring the rules up to the present representatives; return those that joins have not evaluated yet."""
        before, self.arrangement = self.arrangement, self.state.arrangement(self.stratum)
        return [] if before.rules == self.arrangement.rules else self._joined_not_in(before.rules)

    def _joined_not_in(self, known: Collection[EncodedRule]) -> list[EncodedRule]:
        return [rule for rule in self.arrangement.joined if rule not in known]

    def _wake(self, facts: F) -> F:
        """Start to note which terms occur once a sleeping rule could fire; return the notes, which are new facts, and
        what the woken rules derive from the few that stood already."""
        engine, state = self.state.engine, self.state
        if not self.arrangement.sleeping or not engine.any_match(self.arrangement.probes, facts):
            return engine.empty()
        state.occurrences = True
        woken = engine.evaluate(engine.compile(self.arrangement.sleeping), facts)
        self.arrangement = state.arrangement(self.stratum)
        return engine.union(woken, engine.occurrences(facts, state.result.representatives))

    def added_by_modules(self, facts: F, delta: F) -> F:
        """Return what the modules add to all facts so far, given which of these are new."""
        return self.modules.added(closures_in(self.state.engine, self.arrangement.modules, facts), facts, delta)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Switch the cyclic garbage collector off for a while.

    Thousands of axioms and rules are made at once and none of them is garbage: looking for cycles among them again and
    again can take longer than making them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
