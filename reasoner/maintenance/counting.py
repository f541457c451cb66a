"""Recursive counting: a change undoes and redoes just the rule instances that differ between the old and new rounds.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, algorithm 3, for one stratum s.
The index o is for old, n for new; I_on is I_o - I_n, and I_no is I_n - I_o. Pi[I+, I- : P, N : P', N'] are the heads,
as many as there are instances, of the rule instances with positive atoms in I+ and negative atoms not in I-, of which
some positive atom is in P or some negative one in N, and some positive atom in P' or some negative one in N'.

    21  i <- 1
    22  N_o <- N_1
    23  N_1 <- N_1 - ((E- and Out_s) + Pi_nonrecursive[I_o : I_on, I_no])
    24  N_1 <- N_1 + ((E+ and Out_s) + Pi_nonrecursive[I_n : I_no, I_on])
    25  N_n <- N_1
    26  loop
    27      D_o <- N_o - I_o;  D_n <- N_n - I_n
    28      if D_o and D_n are empty, stop
    29      I_o <- I_o + D_o;  I_n <- I_n + D_n
    30      I_on <- (I_on - D_n) + (D_o - I_n);  I_no <- (I_no - D_o) + (D_n - I_o)
    31      if D_o = D_n, and I_on and I_no are empty, take the other rounds as they are, and stop
    34      i <- i + 1
    35      N_o <- N_i
    36      N_i <- N_i - (Pi_r[I_o : D_o : I_on, I_no] + Pi_r[(I_o and I_n) - D_n, I_o + I_n : (D_o and I_n) - D_n])
    37      N_i <- N_i + (Pi_r[I_n : D_n : I_no, I_on] + Pi_r[(I_o and I_n) - D_o, I_o + I_n : (D_n and I_o) - D_o])
    38      N_n <- N_i

Deviation: I_o, I_n, D_o and D_n are not rebuilt round by round, where the paper's system spends most of its time. The
trace tells for each fact the round in which it was born, so that D_o are the facts born in round i, and I_o those born
by then: joins start from the facts whose round has changed, read all facts otherwise, and drop the matches with a fact
of a later round. The facts of the stratum in I_on and I_no are known by what they are:

    lost     of I_on: born by round i before, and not yet now; they are in D of the update, and all new facts in its A
    early    of I_no: held before as well, but born by round i now, and later before; in neither D nor A
    moved    (D_o and I_n) - D_n are the facts that cease to be early in round i, (D_n and I_o) - D_o those found again

Line 31 also stops if I_on and I_no hold nothing that the recursive rules read, and line 28 where N_i is empty both
before and now. After a few rounds in which nothing differed, a look ahead at the instances with facts that differ tells
the next round that has any, and the rounds up to it stay as they are: what a change costs follows the change. A fact is
looked at once when it goes and once when it comes, so that the looks together meet an instance at most as often as it
has facts of either kind, whatever the number of rounds: theorem 12 (b, c) holds for what lines 36 and 37 consider, and
the looks come on top. Atoms with a variable predicate are treated as in ``traced_materialisation``.

The trace of a materialisation, which counting keeps: the facts that each round derived, and how often.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Generic

from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update
from reasoner.reasoning.engine import Engine, F, M, Multiset, P


@dataclass(frozen=True, slots=True, eq=False)
class StratumTrace(Generic[F]):
    """The multisets N_1, N_2, ... of one stratum, the last of which is not empty.

    In N_i a fact occurs once for each rule instance of round i that derives it, and once in N_1 if it is explicit.
    ``births`` holds each fact as often as the number of the round in which it first occurs; of a stratum without
    recursion, whose facts are all of round 1, it stays empty.
    """

    rounds: tuple[Multiset[F], ...]
    births: Multiset[F]


@dataclass(frozen=True, slots=True, eq=False)
class DerivationTrace(Generic[F]):
    """The traces of all strata that are maintained, in order."""

    strata: tuple[StratumTrace[F], ...]


def traced_materialisation(
    engine: Engine[F, P, M], strata: tuple[MaintainedStratum[F, P, M], ...], base: F, explicit: F
) -> tuple[F, DerivationTrace[F]]:
    """Return the materialisation and its trace, given the facts below all strata and the explicit facts of all splits.

    Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, algorithm 2. Here Pi[I : D]
    are the heads of the rule instances over I with a fact of D, as many as there are instances; Out_s are the splits
    whose facts stratum s derives.

         9  I <- facts below all strata
        10  for each stratum s
        11      i <- 1
        12      N_1 <- (E and Out_s) + Pi_nonrecursive[I]
        13      loop
        14          D <- N_i - I
        15          if D is empty, stop
        16          I <- I + D
        17          i <- i + 1
        18          N_i <- Pi_recursive[I : D]

    Deviation: an atom with a variable predicate may read facts of the stratum and facts below it. Recursive rules with
    such atoms have instances over facts below alone; line 12 takes these as well.
    """
    facts, traces = base, []  # 9
    for stratum in strata:  # 10
        facts, trace = traced_stratum(engine, stratum, facts, engine.of_splits(explicit, stratum.intake))
        traces.append(trace)
    return facts, DerivationTrace(tuple(traces))


def traced_stratum(
    engine: Engine[F, P, M], stratum: MaintainedStratum[F, P, M], facts: F, explicit: F
) -> tuple[F, StratumTrace[F]]:
    """Return the facts up to and with a stratum and its trace, given the facts below it and its own explicit facts."""
    derived = engine.counted_heads(stratum.nonrecursive, facts)
    if stratum.reads_mixed:
        derived = derived.plus(engine.counted_heads(stratum.recursive, facts))
    rounds = [engine.multiset(explicit).plus(own_of(engine, stratum, derived))]  # 11, 12
    births = engine.multiset(engine.empty())
    while True:  # 13
        delta = engine.difference(rounds[-1].facts, facts)  # 14
        if engine.is_empty(delta):  # 15
            break
        old, facts = facts, engine.extend(facts, delta)  # 16
        if not stratum.is_recursive:
            break
        births = births.plus(engine.multiset(delta, len(rounds)))
        rounds.append(own_of(engine, stratum, engine.counted_delta(stratum.recursive, old, delta, facts)))  # 17, 18
    return facts, StratumTrace(trimmed(engine, rounds), births)


def own_of(engine: Engine[F, P, M], stratum: MaintainedStratum[F, P, M], heads: Multiset[F]) -> Multiset[F]:
    """Return the heads that are facts of the stratum."""
    own = stratum.own_heads(heads.facts)
    return heads if own is heads.facts else heads.without(engine.difference(heads.facts, own))


def trimmed(engine: Engine[F, P, M], rounds: list[Multiset[F]]) -> tuple[Multiset[F], ...]:
    """Return rounds without the empty ones at the end."""
    last = len(rounds)
    while last and engine.is_empty(rounds[last - 1].facts):
        last -= 1
    return tuple(rounds[:last])


# After so many rounds in which nothing differed, it pays to look for the next in which something may.
_PATIENCE = 2


def maintain_by_counting(
    update: Update[F, P, M], stratum: MaintainedStratum[F, P, M], trace: StratumTrace[F] | None
) -> StratumTrace[F]:
    """Bring the facts of one stratum up to date, given the changes below it and its trace; return its new trace.

    If the rules of the stratum change as well, or it has no trace yet, it is traced anew.
    """
    if trace is None or stratum.is_changing:
        return _traced_anew(update, stratum)
    return Rounds(update, stratum, trace).maintained()


def _traced_anew(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M]) -> StratumTrace[F]:
    engine = update.engine
    old = engine.of_splits(update.facts, stratum.intake)
    explicit = engine.of_splits(engine.normalise(update.explicit, update.representatives), stratum.intake)
    below = engine.of_splits(update.current, stratum.settled)
    with update.phase("start over"):
        facts, fresh = traced_stratum(engine, stratum, below, explicit)
    new = engine.difference(facts, below)
    update.delete(engine.difference(old, new))
    update.add(engine.difference(new, old))
    return fresh


class LookAhead(Generic[F, P, M]):
    """The rounds to come in which facts that differ have a part, as far as the facts noted so far tell.

    A fact is looked at in the first look after it is noted: over the old facts if it goes, over the present ones if it
    comes or is born in another round. What has changed below the stratum is noted from the start; rules deny no other
    facts. A round may be told in vain, if a fact that went has been found again by then.
    """

    def __init__(self, update: Update[F, P, M], stratum: MaintainedStratum[F, P, M]) -> None:
        self._update = update
        self._stratum = stratum
        self._gone, self._come = update.deleted, update.added
        self._denied_before, self._denied_now = update.added, update.deleted
        self._rounds: list[int] = []

    def note(self, gone: F, come: F) -> None:
        """Take note of facts that have gone, and of facts that have come or moved to another round."""
        engine = self._update.engine
        self._gone, self._come = engine.union(self._gone, gone), engine.union(self._come, come)

    def next_round(self, before: Multiset[F], now: Multiset[F], least: int) -> int | None:
        """Look at what has been noted since the last look; return the first round from ``least`` on, if any is left."""
        engine, update, plans = self._update.engine, self._update, self._stratum.recursive
        old, new = update.facts, update.current
        with update.phase("look ahead"):
            told = engine.rounds_of(plans, old, old, self._gone, self._denied_before, before, least)
            told |= engine.rounds_of(plans, new, new, self._come, self._denied_now, now, least)
        self._gone = self._come = self._denied_before = self._denied_now = engine.empty()
        for number in told:
            heappush(self._rounds, number)
        while self._rounds and self._rounds[0] < least:
            heappop(self._rounds)
        return self._rounds[0] if self._rounds else None


class Rounds(Generic[F, P, M]):
    """The rounds of one stratum, before and now, gone through together."""

    def __init__(self, update: Update[F, P, M], stratum: MaintainedStratum[F, P, M], trace: StratumTrace[F]) -> None:
        self.update = update
        self.engine = update.engine
        self.stratum = stratum
        self.trace = trace
        self.number = 1  # 21
        self.births = trace.births
        self.ahead = LookAhead(update, stratum)
        self.rounds: list[Multiset[F]] = []
        self.lost = self.early = self.no_more_early = self.found_again = self.fresh = update.engine.empty()

    def maintained(self) -> StratumTrace[F]:
        """Go through the rounds until nothing differs any more."""
        update, engine, stratum = self.update, self.engine, self.stratum
        reads_below = self._reads_change()
        with update.phase("delete"):
            undone = self._undone_at_first()  # 23
        with update.phase("insert"):
            redone = self._redone_at_first()  # 24
        still = 0
        while True:  # 26
            old = self._before(self.number)  # 22, 35
            new = old.minus(undone).plus(redone)
            self.rounds.append(new)  # 25, 38
            self._tell_apart(undone, redone, new)  # 27, 29, 30
            if not stratum.is_recursive:
                break
            if not reads_below and self._is_quiet():  # 31
                self.rounds += self.trace.rounds[self.number :]
                break
            update.work.end_round()
            with update.phase("delete"):
                undone = self._undone(old)  # 36
            with update.phase("insert"):
                redone = self._redone(new)  # 37
            self.number += 1  # 34
            still = still + 1 if engine.is_empty(undone.facts) and engine.is_empty(redone.facts) else 0
            if still >= _PATIENCE and self.number + _PATIENCE < len(self.trace.rounds):
                self._skip()
            if self.number > len(self.trace.rounds) and engine.is_empty(redone.facts):  # 28
                break
        return StratumTrace(trimmed(engine, self.rounds), self.births)

    def _before(self, number: int) -> Multiset[F]:
        """Return N_i as it was."""
        rounds = self.trace.rounds
        return rounds[number - 1] if number <= len(rounds) else self.engine.multiset(self.engine.empty())

    def _undone_at_first(self) -> Multiset[F]:
        update, engine = self.update, self.engine
        given = engine.of_splits(update.removed, self.stratum.intake)
        return self._changed(given, update.facts, update.deleted, update.added)

    def _redone_at_first(self) -> Multiset[F]:
        update, engine = self.update, self.engine
        given = engine.of_splits(update.added_explicit, self.stratum.intake)
        return self._changed(given, update.current, update.added, update.deleted)

    def _changed(self, given: F, whole: F, delta: F, returned: F) -> Multiset[F]:
        """Return explicit facts, and the heads of the instances of round 1 that a change below concerns."""
        engine, stratum = self.engine, self.stratum
        heads = engine.counted_changes(stratum.nonrecursive, whole, whole, delta, returned)
        if stratum.reads_mixed:
            below = engine.of_splits(whole, stratum.settled)
            heads = heads.plus(engine.counted_changes(stratum.recursive, below, below, delta, returned))
        return engine.multiset(given).plus(own_of(engine, stratum, heads))

    def _reads_change(self) -> bool:
        """Tell whether recursive rules read what has changed below the stratum."""
        update, stratum = self.update, self.stratum
        return stratum.is_recursive and any(
            self.engine.reads(stratum.recursive, changed) for changed in (update.deleted, update.added)
        )

    def _tell_apart(self, undone: Multiset[F], redone: Multiset[F], new: Multiset[F]) -> None:
        """Find the facts of which this round decides that they are born in another round than before, or never."""
        engine, update, number = self.engine, self.update, self.number
        before, now = self.trace.births, self.births
        lost = engine.difference(undone.facts, new.facts)
        if number > 1:
            lost = engine.difference(before.occurring(lost, number, number), self.early)
        self.found_again = engine.common(self.lost, new.facts)
        fresh = engine.difference(engine.difference(redone.facts, update.facts), update.added)
        earlier = now.occurring(redone.facts, number + 1)
        self.no_more_early = before.occurring(self.early, number, number)
        self.early = engine.extend(engine.difference(self.early, self.no_more_early), earlier)
        self.lost = engine.extend(engine.difference(self.lost, self.found_again), lost)
        self.fresh = engine.extend(self.fresh, fresh)
        born = engine.extend(fresh, self.found_again)
        if not engine.is_empty(lost):
            update.delete(lost)
        if not engine.is_empty(born):
            update.add(born)
        if self.stratum.is_recursive:
            moved = engine.extend(born, earlier)
            self.births = now.without(engine.extend(lost, earlier)).plus(engine.multiset(moved, number))
            self.ahead.note(lost, moved)

    def _is_quiet(self) -> bool:
        """Tell whether no fact waits to be found again, and recursive rules read none of those that differ."""
        engine, plans = self.engine, self.stratum.recursive
        differing = (self.early, self.no_more_early, self.found_again, self.fresh)
        return engine.is_empty(self.lost) and not any(engine.reads(plans, facts) for facts in differing)

    def _skip(self) -> None:
        """Take the rounds as they are up to the next in which a fact that differs has a part."""
        engine, before, rounds = self.engine, self.trace.births, self.trace.rounds
        coming = self.ahead.next_round(before, self.births, self.number)
        end = len(rounds) + 1 if coming is None else coming
        while self.number < end and self.number <= len(rounds):
            old = rounds[self.number - 1]
            found_again = engine.common(self.lost, old.facts)
            no_more_early = before.occurring(self.early, self.number, self.number)
            if not engine.is_empty(engine.union(found_again, no_more_early)):
                break
            self.rounds.append(old)
            self.number += 1

    def _undone(self, old: Multiset[F]) -> Multiset[F]:
        """Return the heads of the instances of the next round that are of another round now, or of none."""
        engine, update, plans = self.engine, self.update, self.stratum.recursive
        before, now, number = self.trace.births, self.births, self.number
        facts = update.facts
        heads = engine.counted_of_round(plans, facts, facts, update.deleted, update.added, old.facts, before, number)
        if not engine.is_empty(self.no_more_early):
            heads = heads.plus(
                engine.counted_of_moved(plans, update.surviving, update.ever, self.no_more_early, before, now, number)
            )
        return own_of(engine, self.stratum, heads)

    def _redone(self, new: Multiset[F]) -> Multiset[F]:
        """Return the heads of the instances of the next round that were of another round before, or of none."""
        engine, update, plans = self.engine, self.update, self.stratum.recursive
        before, now, number = self.trace.births, self.births, self.number
        facts, gained = update.current, engine.extend(update.added, self.early)
        heads = engine.counted_of_round(plans, facts, facts, gained, update.deleted, new.facts, now, number)
        if not engine.is_empty(self.found_again):
            heads = heads.plus(
                engine.counted_of_moved(plans, update.surviving, update.ever, self.found_again, now, before, number)
            )
        return own_of(engine, self.stratum, heads)
