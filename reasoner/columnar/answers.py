"""Matches of patterns, turned into terms that users can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from reasoner.columnar.bindings import Bindings
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.columnar.literal_values import spellings_of
from reasoner.columnar.plans import Plan
from reasoner.columnar.representatives import Representatives
from reasoner.reasoning.arrange import occurrence_probe, readings
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable

# Carries the asked terms of a query through readings that unite variables; taken off before anything is matched.
_ASKED = "asked"


def matches_over(
    engine: ColumnarEngine, rules: Iterable[EncodedRule], facts: FactSet, representatives: Representatives
) -> Iterator[tuple[Plan, Bindings[int]]]:
    """Yield the matches of rule bodies over (pi, I), equality included."""
    return _read_matches(engine, _current_readings(engine, rules, representatives), facts, representatives)


def _read_matches(
    engine: ColumnarEngine, read: Iterable[EncodedRule], facts: FactSet, representatives: Representatives
) -> Iterator[tuple[Plan, Bindings[int]]]:
    plain: list[EncodedRule] = []
    asking: list[EncodedRule] = []
    for rule in read:
        (plain if occurrence_probe(rule) is None else asking).append(rule)
    yield from engine.matches(plain, facts)
    probes = [probe for rule in asking if (probe := occurrence_probe(rule)) is not None]
    if probes and engine.any_match(engine.compile(probes), facts):
        noted = engine.occurrences(facts, representatives)
        yield from engine.matches(asking, engine.union(facts, noted))


def answers(
    engine: ColumnarEngine,
    query: EncodedRule,
    asked: tuple[EncodedTerm, ...],
    facts: FactSet,
    representatives: Representatives,
    values: FactSet,
) -> list[tuple[str, ...]]:
    """Return the distinct answers to a pattern, every equal term an answer of its own.

    A literal of the pattern is met by value; ``values`` are the equalities between literals.
    """
    marked = replace(query, conditions=(*query.conditions, (_ASKED, asked)))
    found: list[Ids] = []
    for reading in _current_readings(engine, _spelled(marked, values), representatives):
        terms = next(terms for name, terms in reading.conditions if name == _ASKED)
        reading = replace(reading, conditions=tuple(part for part in reading.conditions if part[0] != _ASKED))
        for _, bindings in _read_matches(engine, [reading], facts, representatives):
            columns = [bindings.values(term) for term in terms]
            found.append(np.stack(columns) if columns else np.zeros((0, bindings.size), dtype=np.int64))
    if not found:
        return []
    if not asked:
        return [()]
    rows = np.unique(np.concatenate(found, axis=1), axis=1)
    for position in range(len(asked)):
        owner, members = representatives.expanded(rows[position])
        rows = rows[:, owner]
        rows[position] = members
    return list(zip(*(engine.dictionary.decode(row) for row in rows), strict=True))


def _spelled(query: EncodedRule, values: FactSet) -> list[EncodedRule]:
    """Return a query for each way to spell its literals; what it negates must be absent however it is spelled."""
    if not len(values):
        return [query]

    def spellings(atom: Triple) -> list[Triple]:
        s, p, o = atom
        return [atom] if is_variable(o) else [(s, p, spelling) for spelling in spellings_of(values, o).tolist()]

    negative = tuple(spelled for atom in query.negative for spelled in spellings(atom))
    return [replace(query, body=body, negative=negative) for body in product(*map(spellings, query.body))]


def _current_readings(
    engine: ColumnarEngine, rules: Iterable[EncodedRule], representatives: Representatives
) -> list[EncodedRule]:
    normal = [rule.substituted(lambda term: term if term < 0 else representatives.of_one(term)) for rule in rules]
    return list(dict.fromkeys(readings(normal, equality=engine.equality)))
