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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Generic

from reasoner.engine import Engine, F, M, P
from reasoner.modules import Closure, Modules, split_into_modules
from reasoner.program import EncodedProgram, EncodedStratum
from reasoner.rules.encode import EncodedRule, equality_readings
from reasoner.vocabulary import OCCURS, SAME, TYPE


@dataclass(frozen=True, slots=True)
class Options:
    """How to materialise. Without ``equality`` owl:sameAs is a predicate like any other."""

    equality: bool = True
    modules: bool = True


@dataclass(slots=True)
class Materialisation(Generic[F, M]):
    """The r-materialisation (pi, I), and the work that it took."""

    facts: F
    representatives: M
    rounds: int = 0
    merges: int = 0


def materialise(
    engine: Engine[F, P, M],
    program: EncodedProgram,
    explicit: F,
    options: Options,
    progress: Callable[[str], None] = lambda _: None,
) -> Materialisation[F, M]:
    """Return the r-materialisation of explicit facts with respect to a stratified program."""
    result = Materialisation(engine.empty(), engine.identity())
    state = _State(engine, options, result)

    def representative(id: int) -> int:
        return engine.representative(result.representatives, id)

    fresh, merged = state.absorb(explicit)  # 1
    result.facts = engine.extend(result.facts, fresh)
    open_strata = strata = program.strata
    size = -1
    while True:  # 2
        if merged:
            open_strata = program.restratified(open_strata, representative)
        if not open_strata:
            if state.occurrences and engine.size(result.facts) != size:
                # A term that occurs first in a high stratum is news to the rules below that ask which terms occur.
                size, open_strata, merged = engine.size(result.facts), strata, True
                continue
            return result
        before = result.merges
        _Stratum(state, open_strata[0]).close(progress)
        merged = result.merges != before
        open_strata = open_strata[1:]


def readings(rules: Iterable[EncodedRule], *, equality: bool) -> list[EncodedRule]:
    """Return the rules over stored facts that the given rules stand for."""
    if not equality:
        return list(dict.fromkeys(rules))
    return list(dict.fromkeys(reading for rule in rules for reading in equality_readings(rule)))


def occurrence_probe(rule: EncodedRule) -> EncodedRule | None:
    """Return the body of a rule without the question which terms occur; None if that is not asked."""
    rest = tuple(atom for atom in rule.body if atom[1] != OCCURS)
    if len(rest) == len(rule.body):
        return None
    return replace(rule, head=None, body=rest, negative=(), conditions=())


@dataclass(slots=True)
class _State(Generic[F, P, M]):
    """(pi, I) while it grows; ``occurrences`` tells whether I notes which terms occur."""

    engine: Engine[F, P, M]
    options: Options
    result: Materialisation[F, M]
    occurrences: bool = False

    def absorb(self, derived: F) -> tuple[F, bool]:
        """Bring derived facts into normal form and return those that are new, and whether classes were merged.

        Facts of I that a merge makes outdated leave I and are among the new ones in their normal form.
        """
        engine, result = self.engine, self.result
        fresh = engine.difference(engine.normalise(derived, result.representatives), result.facts)
        if not self.options.equality:
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


@dataclass(slots=True)
class _Stratum(Generic[F, P, M]):
    """The fixpoint of one stratum.

    ``rules`` are those over stored facts under the present representatives, each with whether it is recursive;
    ``joined`` are the ones that joins evaluate, ``sleeping`` those that ask which terms occur while nothing else in
    their bodies holds, ``closed`` what each module gave last.
    """

    state: _State[F, P, M]
    stratum: EncodedStratum
    rules: dict[EncodedRule, bool] = field(default_factory=dict)
    joined: dict[EncodedRule, bool] = field(default_factory=dict)
    sleeping: list[EncodedRule] = field(default_factory=list)
    modules: Modules = field(default_factory=Modules)
    closed: dict[Closure, F] = field(default_factory=dict)

    def close(self, progress: Callable[[str], None]) -> None:
        engine, result = self.state.engine, self.state.result
        self.rules = self._current_rules()
        self._arrange()
        derived = engine.evaluate(engine.compile(self.joined), result.facts)  # 3
        derived = engine.union(derived, self._close_modules(result.facts, result.facts))
        derived = engine.union(derived, self._wake(result.facts))
        recursive = self._compile_recursive()
        while True:  # 4
            delta, merged = self.state.absorb(derived)  # 5
            changed: list[EncodedRule] = []
            if merged:
                before, self.rules = self.rules, self._current_rules()
                if before != self.rules:
                    self._arrange()
                    recursive = self._compile_recursive()
                    changed = [rule for rule in self.joined if rule not in before]
            if engine.is_empty(delta) and not changed:  # 6
                return
            result.rounds += 1
            progress(f"round {result.rounds}: {engine.size(delta):,} new facts")
            whole = engine.extend(result.facts, delta)
            derived = engine.evaluate_delta(recursive, result.facts, delta, whole)  # 7
            if changed:
                derived = engine.union(derived, engine.evaluate(engine.compile(changed), result.facts))
            derived = engine.union(derived, self._close_modules(whole, delta))
            if self.sleeping:
                derived = engine.union(derived, self._wake(whole))
                recursive = self._compile_recursive()
            result.facts = whole  # 8

    def _compile_recursive(self) -> P:
        return self.state.engine.compile(rule for rule, recursive in self.joined.items() if recursive)

    def _current_rules(self) -> dict[EncodedRule, bool]:
        """Return the rules over stored facts under the present representatives, and which are recursive.

        A rule that asks which terms occur counts as recursive, because every stratum can answer that anew.
        """
        engine, mapping = self.state.engine, self.state.result.representatives

        def representative(term: int) -> int:
            return term if term < 0 else engine.representative(mapping, term)

        rules: dict[EncodedRule, bool] = {}
        for group, recursive in ((self.stratum.recursive, True), (self.stratum.nonrecursive, False)):
            normal = [rule.substituted(representative) for rule in group]
            for rule in readings(normal, equality=self.state.options.equality):
                rules.setdefault(rule, recursive or occurrence_probe(rule) is not None)
        return rules

    def _arrange(self) -> None:
        """Decide which rules are left to joins, which to modules, and which sleep."""
        left = self.rules
        if self.state.options.modules:
            self.modules = split_into_modules([rule for rule, recursive in left.items() if recursive])
            kept = dict.fromkeys(self.modules.rules)
            left = {rule: recursive for rule, recursive in left.items() if not recursive or rule in kept}
        self.sleeping = []
        if not self.state.occurrences:
            self.sleeping = [rule for rule in left if occurrence_probe(rule) is not None]
        asleep = set(self.sleeping)
        self.joined = {rule: recursive for rule, recursive in left.items() if rule not in asleep}

    def _wake(self, facts: F) -> F:
        """Start to note which terms occur once a sleeping rule could fire; return the notes, which are new facts."""
        engine = self.state.engine
        probes = [probe for rule in self.sleeping if (probe := occurrence_probe(rule)) is not None]
        if not probes or not engine.any_match(engine.compile(probes), facts):
            return engine.empty()
        self.state.occurrences = True
        self._arrange()
        return engine.occurrences(facts, self.state.result.representatives)

    def _close_modules(self, facts: F, delta: F) -> F:
        """Return what the modules add; a module does not see its own last result as new (algorithm 2, line 14)."""
        engine = self.state.engine
        derived = engine.empty()
        closures = dict.fromkeys(self.modules.closures)
        if self.modules.transitive_classes:
            closures.update(dict.fromkeys(self._closures_of_classes(facts)))
        closed: dict[Closure, F] = {}
        for closure in closures:
            fresh = engine.difference(delta, self.closed[closure]) if closure in self.closed else None
            closed[closure] = engine.close(closure, facts, fresh)
            derived = engine.union(derived, closed[closure])
        self.closed = closed
        return derived

    def _closures_of_classes(self, facts: F) -> list[Closure]:
        """Return the closures of the predicates that the facts declare to be transitive."""
        subjects, modules = self.state.engine.subjects, self.modules
        symmetric = {p for c in modules.symmetric_classes for p in subjects(facts, TYPE, c)}
        fixed = {closure.predicate for closure in modules.closures}
        transitive = {p for c in modules.transitive_classes for p in subjects(facts, TYPE, c)}
        return [Closure(p, p in symmetric) for p in sorted(transitive - fixed) if p != SAME]
