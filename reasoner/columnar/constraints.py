"""Matches of constraints, all of them in one state, or those that came and went between two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reasoner.arrange import occurrence_probe, readings
from reasoner.columnar.answers import matches_over
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.plan import Plan
from reasoner.columnar.representatives import Representatives
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.rule import Rule
from reasoner.violation import TextTriple, Violation
from reasoner.vocabulary import OCCURS, SAME

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
    stated = _stated(state.readings(equality=engine.equality), Counter(map(_key, state.constraints)))
    for plan, found in matches_over(engine, state.constraints, state.facts, state.representatives):
        found = found if most is None else found.piece(0, min(most, found.size))
        rows = zip(_rules_of_rows(plan, found), _bodies(engine, plan.template.body, found), strict=True)
        yield from _told(rows, stated)


def violation_changes(
    engine: ColumnarEngine, before: ConstraintState, after: ConstraintState
) -> tuple[list[Violation], list[Violation]]:
    """Return the violations that appeared, and those that went.

    A constraint that reads the same in both states is matched only where it uses a fact that changed: a fact of its
    body that came, or a fact that it negates and that went. The others are matched in full: those that came or went
    with the ontology, those of which a constant has another representative, and those that ask which terms occur.
    """
    old, new = before.readings(equality=engine.equality), after.readings(equality=engine.equality)
    old_counts, new_counts = Counter(map(_key, before.constraints)), Counter(map(_key, after.constraints))
    kept = {
        key: read
        for key, read in old.items()
        if new.get(key) == read
        and old_counts[key] == new_counts[key]
        and all(occurrence_probe(reading) is None for reading in read)
    }
    stated = _stated(kept, old_counts)
    came, went = after.facts.difference(before.facts), before.facts.difference(after.facts)
    appeared = list(_told(_using(engine, stated, after.facts, came, went), stated))
    vanished = list(_told(_using(engine, stated, before.facts, went, came), stated))
    for state, changed in ((before, vanished), (after, appeared)):
        rest = tuple(rule for rule in state.constraints if _key(rule) not in kept)
        changed += violations(engine, replace(state, constraints=rest)) if rest else ()
    return _beyond(appeared, vanished), _beyond(vanished, appeared)


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
    engine: ColumnarEngine, stated: Stated, facts: FactSet, came: FactSet, went: FactSet
) -> Iterator[tuple[EncodedRule, tuple[TextTriple, ...]]]:
    """Yield the matches over ``facts`` that a fact in ``came``, or the lack of one in ``went``, makes possible."""
    old = facts.difference(came)
    for plan in engine.compile(rule for rule in stated if any(_may_match(atom, came) for atom in rule.body)):
        body = plan.template.body
        for position, atom in enumerate(body):
            if _may_match(atom, came):
                # Atoms before the one that reads what came read the old facts, so that no match recurs.
                sources = [old] * position + [came] + [facts] * (len(body) - position - 1)
                for found in _matches(engine, plan, sources, facts):
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
