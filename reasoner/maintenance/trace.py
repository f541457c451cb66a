"""The trace of a materialisation, which counting keeps: the facts that each round derived, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from reasoner.engine import Engine, F, M, Multiset, P
from reasoner.maintenance.strata import MaintainedStratum


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
class Trace(Generic[F]):
    """The traces of all strata that are maintained, in order."""

    strata: tuple[StratumTrace[F], ...]


def traced_materialisation(
    engine: Engine[F, P, M], strata: tuple[MaintainedStratum[F, P, M], ...], base: F, explicit: F
) -> tuple[F, Trace[F]]:
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
    return facts, Trace(tuple(traces))


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
