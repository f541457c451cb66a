"""Making a stratum's rules ready: readings of equality, modules, and plans for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic

from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.modules import Modules, split_into_modules
from reasoner.reasoning.program import EncodedProgram, EncodedStratum
from reasoner.rules.encode import EncodedRule, equality_readings, is_variable
from reasoner.terms.term import OCCURS, SAME


@dataclass(frozen=True, slots=True)
class Options:
    """How to materialise. Without ``equality`` owl:sameAs is a predicate like any other.

    Without ``components`` modules close transitive predicates only, and leave symmetry to joins.
    """

    equality: bool = True
    modules: bool = True
    components: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement(Generic[P]):
    """How the rules of a stratum are evaluated.

    ``rules`` are those over stored facts, each with whether it is recursive. Joins evaluate the plans in ``every``,
    and after the first round those in ``recursive``; the modules do the rest. ``sleeping`` are rules that ask which
    terms occur: they need not be looked at until one of the ``probes``, their bodies without that question, matches.
    """

    rules: dict[EncodedRule, bool]
    joined: tuple[EncodedRule, ...]
    every: P
    recursive: P
    modules: Modules
    sleeping: tuple[EncodedRule, ...]
    probes: P
    asks_occurrence: bool


@dataclass(frozen=True, slots=True)
class Prepared(Generic[P]):
    """A program with the arrangement of each stratum for as long as none of its constants is rewritten."""

    program: EncodedProgram
    options: Options
    arrangements: Mapping[EncodedStratum, Arrangement[P]]


def prepare(engine: Engine[F, P, M], program: EncodedProgram, options: Options) -> Prepared[P]:
    """Compile a program for an engine."""
    return Prepared(
        program,
        options,
        {
            stratum: arrange(engine, stratum_rules(stratum, options), options, occurrences=False)
            for stratum in program.strata
        },
    )


def prepare_later(engine: Engine[F, P, M], program: EncodedProgram, options: Options) -> Prepared[P]:
    """Compile a program for an engine, each stratum when it is asked for."""
    return prepare_changed(engine, program, Prepared(program, options, {}))


def prepare_changed(engine: Engine[F, P, M], program: EncodedProgram, before: Prepared[P]) -> Prepared[P]:
    """Compile a program that has most strata in common with another: those that it has not, when they are asked for."""
    return Prepared(program, before.options, _Arrangements(engine, program, before))


class _Arrangements(Mapping[EncodedStratum, Arrangement[P]]):
    """The arrangements of a program's strata, some of them still to be made."""

    def __init__(self, engine: Engine[F, P, M], program: EncodedProgram, before: Prepared[P]) -> None:
        self._options = before.options
        self._strata = dict.fromkeys(program.strata)
        self._known = _made(before.arrangements, self._strata)
        self._arrange = partial(arrange, engine, options=before.options, occurrences=False)

    def __getitem__(self, stratum: EncodedStratum) -> Arrangement[P]:
        if stratum not in self._strata:
            raise KeyError(stratum)
        if stratum not in self._known:
            self._known[stratum] = self._arrange(stratum_rules(stratum, self._options))
        return self._known[stratum]

    def __iter__(self) -> Iterator[EncodedStratum]:
        return iter(self._strata)

    def __len__(self) -> int:
        return len(self._strata)


def _made(
    arrangements: Mapping[EncodedStratum, Arrangement[P]], strata: Iterable[EncodedStratum]
) -> dict[EncodedStratum, Arrangement[P]]:
    """Return the arrangements of some strata, as far as they are made already."""
    known = arrangements._known if isinstance(arrangements, _Arrangements) else arrangements
    return {stratum: known[stratum] for stratum in strata if stratum in known}


def stratum_rules(
    stratum: EncodedStratum, options: Options, representative: Callable[[int], int] | None = None
) -> dict[EncodedRule, bool]:
    """Return the rules of a stratum over stored facts, under the given representatives, and which are recursive.

    A rule that asks which terms occur counts as recursive, because every stratum can answer that anew. Nobody may
    change the result, which is kept where no representatives are given.
    """
    if representative is None:
        if options.equality not in stratum.readings:
            stratum.readings[options.equality] = _read(stratum, options, None)
        return stratum.readings[options.equality]
    return _read(stratum, options, representative)


def _read(
    stratum: EncodedStratum, options: Options, representative: Callable[[int], int] | None
) -> dict[EncodedRule, bool]:
    def change(term: int) -> int:
        return term if term < 0 or representative is None else representative(term)

    rules: dict[EncodedRule, bool] = {}
    for group, recursive in ((stratum.recursive, True), (stratum.nonrecursive, False)):
        normal = group if representative is None else [rule.substituted(change) for rule in group]
        for rule in readings(normal, equality=options.equality):
            if not _says_nothing(rule):
                rules.setdefault(rule, recursive or _asks_occurrence(rule))
    return rules


def arrange(
    engine: Engine[F, P, M], rules: dict[EncodedRule, bool], options: Options, *, occurrences: bool
) -> Arrangement[P]:
    """Decide which rules are left to joins, which to modules, and which sleep; none does once occurrences are noted."""
    modules = Modules()
    left = rules
    if options.modules:
        found = [rule for rule, recursive in rules.items() if recursive]
        modules = split_into_modules(found, components=options.components)
        if modules.taken:
            left = {rule: recursive for rule, recursive in rules.items() if rule not in modules.taken}
    sleeping = () if occurrences else tuple(rule for rule in left if _asks_occurrence(rule))
    asleep = frozenset(sleeping)
    joined = tuple(rule for rule in left if rule not in asleep) if asleep else tuple(left)
    every = engine.compile(joined)
    return Arrangement(
        rules=rules,
        joined=joined,
        every=every,
        recursive=every if all(map(left.get, joined)) else engine.compile(rule for rule in joined if left[rule]),
        modules=modules,
        sleeping=sleeping,
        probes=engine.compile(probe for rule in sleeping if (probe := waking_probe(rule)) is not None),
        asks_occurrence=any(_asks_occurrence(rule) for rule in left),
    )


def readings(rules: Iterable[EncodedRule], *, equality: bool) -> Iterable[EncodedRule]:
    """Yield the rules over stored facts that the given rules stand for."""
    for rule in rules:
        if equality:
            yield from equality_readings(rule)
        else:
            yield rule


def occurrence_probe(rule: EncodedRule) -> EncodedRule | None:
    """Return the body of a rule without the question which terms occur; None if that is not asked."""
    if not _asks_occurrence(rule):
        return None
    rest = tuple(atom for atom in rule.body if atom[1] != OCCURS)
    return replace(rule, head=None, body=rest, negative=(), conditions=())


def waking_probe(rule: EncodedRule) -> EncodedRule | None:
    """Return what must match for a rule that asks which terms occur to say anything; None if it does not ask.

    A rule such as ``?x ?q ?x :- owl:sameAs rdfs:subPropertyOf ?q`` says something only where ?q is not owl:sameAs.
    """
    probe, head = occurrence_probe(rule), rule.head
    if probe is None or head is None or head[0] != head[2] or not is_variable(head[1]):
        return probe
    return replace(probe, conditions=(("!=", (head[1], SAME)),))


def _says_nothing(rule: EncodedRule) -> bool:
    """Tell whether a rule only says of terms that occur that they equal themselves.

    It reads an equality of two terms and says that they are equal, as where owl:sameAs is declared to be symmetric.
    """
    head = rule.head
    reflexive = head is not None and head[1] == SAME and head[0] == head[2] and is_variable(head[0])
    return reflexive and _asks_occurrence(rule)


def _asks_occurrence(rule: EncodedRule) -> bool:
    return any(atom[1] == OCCURS for atom in rule.body)
