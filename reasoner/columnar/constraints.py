"""Matches of constraints, all of them in one state, or those that came and went between two.

A contradiction is one violation, however often axioms state what it contradicts: see ``columnar.repetitions``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from reasoner.arrange import occurrence_probe, readings
from reasoner.columnar.answers import matches_over
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.datatype_violations import ValueOwners, is_value_check
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import Ids
from reasoner.columnar.plan import Plan
from reasoner.columnar.repetitions import Repetitions, merged
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.rewrite import mentioning_keys
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.rule import Rule
from reasoner.violation import TextTriple, Violation
from reasoner.vocabulary import OCCURS, SAME, TYPE

# A constraint with its origin, which equal constraints may differ in.
Key = tuple[EncodedRule, Rule]

# What is asked of stored facts, with the rules that ask it.
Stated = dict[EncodedRule, list[Rule]]


@dataclass(frozen=True, slots=True)
class ConstraintState:
    """Constraints, and the (pi, I) that they are matched in."""

    constraints: Sequence[EncodedRule]
    facts: FactSet
    representatives: Representatives

    def readings(self, *, equality: bool) -> dict[Key, tuple[EncodedRule, ...]]:
        """Return what each constraint asks of facts over representatives."""

        def current(term: EncodedTerm) -> EncodedTerm:
            return term if is_variable(term) else self.representatives.of_one(term)

        return {
            (rule, rule.origin): tuple(dict.fromkeys(readings([rule.substituted(current)], equality=equality)))
            for rule in self.constraints
        }


def violations(engine: ColumnarEngine, state: ConstraintState, most: int | None = None) -> Iterator[Violation]:
    """Yield the violations in a state, at most ``most`` of each constraint."""
    state = replace(state, constraints=merged(state.constraints))
    repetitions = Repetitions(engine, state.facts, state.representatives)
    stated = _stated(state.readings(equality=engine.equality), Counter(map(_key, state.constraints)))
    for plan, found in matches_over(engine, state.constraints, state.facts, state.representatives):
        found = repetitions.dropped(plan, found)
        found = found if most is None else found.piece(0, min(most, found.size))
        yield from islice(_told(_rows(engine, state, plan, found), stated), most)


def violation_changes(
    engine: ColumnarEngine, before: ConstraintState, after: ConstraintState
) -> tuple[list[Violation], list[Violation]]:
    """Return the violations that appeared, and those that went.

    A constraint that reads the same in both states is matched only where it uses a fact that changed: a fact of its
    body that came, or a fact that it negates and that went. The others are matched in full: those that came or went
    with the ontology, those of which a constant has another representative, those that ask which terms occur, and
    those of an axiom that is stated in two ways of which one came or went.
    """
    before, after = (replace(state, constraints=merged(state.constraints)) for state in (before, after))
    old, new = before.readings(equality=engine.equality), after.readings(equality=engine.equality)
    old_counts, new_counts = Counter(map(_key, before.constraints)), Counter(map(_key, after.constraints))
    kept = {
        key: read
        for key, read in old.items()
        if new.get(key) == read
        and old_counts[key] == new_counts[key]
        and all(occurrence_probe(reading) is None for reading in read)
        and not is_value_check(key[0])
    }
    came, went = after.facts.difference(before.facts), before.facts.difference(after.facts)
    earlier, later = (Repetitions(engine, state.facts, state.representatives) for state in (before, after))
    for facts in (came, went):
        others = earlier.restated(facts) | later.restated(facts)
        kept = {key: read for key, read in kept.items() if not any(map(others.__contains__, earlier.read_by(key[0])))}
    stated = _stated(kept, old_counts)
    appeared = list(_told(_using(engine, stated, later, came, went), stated))
    vanished = list(_told(_using(engine, stated, earlier, went, came), stated))
    checked = [rule for rule in before.constraints if is_value_check(rule) and _key(rule) in new]
    values = _values_that_matter(engine, before, after, came, went)
    for state, changed in ((before, vanished), (after, appeared)):
        rest = tuple(rule for rule in state.constraints if _key(rule) not in kept)
        if values is not None:
            rest = tuple(rule for rule in rest if rule not in checked)
            changed += _of_values(engine, replace(state, constraints=checked), values)
        changed += violations(engine, replace(state, constraints=rest)) if rest else ()
    return _beyond(appeared, vanished), _beyond(vanished, appeared)


def _values_that_matter(
    engine: ColumnarEngine, before: ConstraintState, after: ConstraintState, came: FactSet, went: FactSet
) -> Ids | None:
    """Return the terms of which changed facts tell whose values they are; None if they tell so of any."""
    found = []
    for state in (before, after):
        owners = ValueOwners(engine, state.facts, state.representatives)
        if owners.depend_on(came) or owners.depend_on(went):
            return None
        found += [owners.touched(came), owners.touched(went)]
    return np.unique(np.concatenate(found))


def _of_values(engine: ColumnarEngine, state: ConstraintState, values: Ids) -> Iterator[Violation]:
    """Yield the violations that are about some values alone."""
    read = state.readings(equality=engine.equality)
    stated = _stated(read, Counter(map(_key, state.constraints)))
    facts = FactSet()
    if kinds := [reading.body[0][2] for reading in stated if reading.body[0][1] == TYPE]:
        classes = np.unique(np.array(kinds, dtype=np.int64))
        s, o = np.repeat(values, classes.size), np.tile(classes, values.size)
        there = state.facts.table(TYPE).contains(s, o)
        facts = FactSet.of_columns(s[there], np.full(int(there.sum()), TYPE), o[there])
    if any(reading.body[0][1] == SAME for reading in stated) and SAME in state.facts:
        facts = facts.union(facts_of_keys({SAME: [mentioning_keys(state.facts.table(SAME), values)]}))
    repetitions = Repetitions(engine, state.facts, state.representatives)
    for plan in engine.compile(stated) if len(facts) else ():
        for found in _matches(engine, plan, [facts], state.facts):
            yield from _told(_rows(engine, state, plan, repetitions.dropped(plan, found)), stated)


def _rows(
    engine: ColumnarEngine, state: ConstraintState, plan: Plan, found: Bindings
) -> Iterator[tuple[EncodedRule, tuple[TextTriple, ...]]]:
    """Yield each match as its rule and its facts; constraints on values with the subjects that have the values."""
    rules = _rules_of_rows(plan, found)
    if not all(map(is_value_check, plan.template.rules)):
        yield from zip(rules, _bodies(engine, plan.template.body, found), strict=True)
        return
    owners = ValueOwners(engine, state.facts, state.representatives)
    (value, predicate, other), *_ = plan.template.body
    rows = zip(rules, found.values(value).tolist(), found.values(other).tolist(), strict=True)
    for rule, left, right in rows:
        yield from ((rule, triples) for triples in owners.reported(left, predicate, right))


def _key(rule: EncodedRule) -> Key:
    return rule, rule.origin


def _stated(read: dict[Key, tuple[EncodedRule, ...]], counts: Counter[Key]) -> Stated:
    stated: Stated = {}
    for key, rules in read.items():
        for reading in rules:
            stated.setdefault(reading, []).extend([key[1]] * counts[key])
    return stated


def _told(rows: Iterable[tuple[EncodedRule, tuple[TextTriple, ...]]], stated: Stated) -> Iterator[Violation]:
    for reading, triples in rows:
        for origin in stated[reading]:
            yield Violation(origin.name, triples, origin.sources)


def _using(
    engine: ColumnarEngine, stated: Stated, state: Repetitions, came: FactSet, went: FactSet
) -> Iterator[tuple[EncodedRule, tuple[TextTriple, ...]]]:
    """Yield the matches in a state that a fact in ``came``, or the lack of one in ``went``, makes possible."""
    facts = state.facts
    old = facts.difference(came)
    for plan in engine.compile(rule for rule in stated if any(_may_match(atom, came) for atom in rule.body)):
        body = plan.template.body
        for position, atom in enumerate(body):
            if _may_match(atom, came):
                # Atoms before the one that reads what came read the old facts, so that no match recurs.
                sources = [old] * position + [came] + [facts] * (len(body) - position - 1)
                for matches in _matches(engine, plan, sources, facts):
                    found = state.dropped(plan, matches)
                    yield from zip(_rules_of_rows(plan, found), _bodies(engine, body, found), strict=True)
    guarded = (
        replace(rule, body=(atom, *rule.body)) for rule in stated for atom in rule.negative if _may_match(atom, went)
    )
    seen: set[tuple[EncodedRule, tuple[TextTriple, ...]]] = set()
    for plan in engine.compile(guarded):
        _, *rest = plan.template.body
        for found in _matches(engine, plan, [went] + [old] * len(rest), facts, free=0):
            for rule, triples in zip(_rules_of_rows(plan, found), _bodies(engine, rest, found), strict=True):
                row = (replace(rule, body=rule.body[1:]), triples)
                if row not in seen:
                    seen.add(row)
                    yield row


def _may_match(atom: Triple, facts: FactSet) -> bool:
    return bool(len(facts)) if is_variable(atom[1]) else atom[1] in facts


def _matches(
    engine: ColumnarEngine, plan: Plan, sources: list[FactSet], facts: FactSet, free: int | None = None
) -> list[Bindings]:
    found: list[Bindings] = []
    absent = [facts] * len(plan.template.negative)
    engine.matcher.match(plan, sources, absent, found.append, keep_all=True, free=free)
    return found


def _rules_of_rows(plan: Plan, found: Bindings) -> list[EncodedRule]:
    template = plan.template
    if not template.parameters:
        return [template.rules[0]] * found.size
    index = dict(zip(template.rows, template.rules, strict=True))
    rows = np.stack([found.columns[term] for term in template.parameters], axis=1).tolist()
    return [index[tuple(row)] for row in rows]


def _bodies(engine: ColumnarEngine, body: Sequence[Triple], found: Bindings) -> Iterator[tuple[TextTriple, ...]]:
    """Yield the facts that match a body, row by row."""
    texts = {term: engine.dictionary.decode(column) for term, column in found.columns.items()}

    def text(term: EncodedTerm, row: int) -> str:
        return texts[term][row] if is_variable(term) else engine.dictionary.text(term)

    for row in range(found.size):
        yield tuple((text(s, row), text(SAME if p == OCCURS else p, row), text(o, row)) for s, p, o in body)


def _beyond(these: list[Violation], those: list[Violation]) -> list[Violation]:
    """Return these without those that are also there; what is listed twice counts twice."""
    left = Counter(those)
    beyond: list[Violation] = []
    for violation in these:
        if left[violation]:
            left[violation] -= 1
        else:
            beyond.append(violation)
    return beyond
