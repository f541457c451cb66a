"""Matches of constraints, all of them in one state, or those that came and went between two.

A contradiction is one violation, however often axioms state what it contradicts: see ``columnar.repetitions``.

Violations about values, reported with the subjects and properties that have these values.

Two constraints of OWL 2 RL match literals alone: dt-not-type finds ``"old" a xsd:integer``, a value outside its
datatype, and dt-diff finds ``1 owl:sameAs 2``, two values that a property with at most one value makes equal. A user
asks which subject has the value, and by which property. So a match is reported once for each subject and property that
the ranges, functional properties and restrictions of the ontology lead from; the literals stand alone only where there
are none.

Matches of constraints that say what another match says, because an axiom is stated in several ways.

- ``A owl:disjointWith B`` and ``B owl:disjointWith A``: of two matches that differ only in which way a symmetric
  statement is written, the one is kept whose statement has the terms in the order of their texts.
- ``owl:AllDisjointClasses`` beside a pairwise statement: the pairwise one is kept.
- ``x p y`` and ``y p x`` of an asymmetric property, two values of a functional one: they match in two orders, and one
  is kept.
- Axioms that become the same constraint, whatever the order of its atoms, are one constraint with several sources.

Which match is kept depends on the texts of terms and not on ids, so that all engines keep the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from reasoner.columnar.answers import matches_over
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.join_order import join_in_order
from reasoner.columnar.kernels import Ids, Mask
from reasoner.columnar.match import AtomScan
from reasoner.columnar.plans import Plan
from reasoner.columnar.representatives import Representatives, mentioning_keys
from reasoner.columnar.scan import holds
from reasoner.explanation.proof import Violation
from reasoner.reasoning.arrange import occurrence_probe, readings
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.rule import Rule
from reasoner.rules.template import Template
from reasoner.terms.builtins import same_value
from reasoner.terms.term import OCCURS, OWL, RDFS, SAME, TYPE, XSD, TextTriple

_RULES = {"dt-not-type": TYPE, "dt-diff": SAME}
_RANGE, _ALL, _ON = f"<{RDFS}range>", f"<{OWL}allValuesFrom>", f"<{OWL}onProperty>"
_FUNCTIONAL, _MOST = f"<{OWL}FunctionalProperty>", f"<{OWL}maxCardinality>"
_ONE = f'"1"^^<{XSD}nonNegativeInteger>'
_VALUE, _OTHER, _SUBJECT, _PROPERTY, _RESTRICTION, _NUMBER = -1, -2, -3, -4, -5, -6
_HAS, _HAS_OTHER = (_SUBJECT, _PROPERTY, _VALUE), (_SUBJECT, _PROPERTY, _OTHER)


def is_value_check(rule: EncodedRule) -> bool:
    """Tell whether a constraint matches values alone: one outside its datatype, or two that cannot be equal."""
    return len(rule.body) == 1 and rule.body[0][1] == _RULES.get(rule.origin.name)


class ValueOwners:
    """One state, asked for the subjects and properties of values that violate a constraint."""

    def __init__(self, engine: ColumnarEngine, facts: FactSet, representatives: Representatives) -> None:
        self._engine = engine
        self._facts = facts
        ids = [engine.dictionary.lookup(text) for text in (_RANGE, _ALL, _ON, _FUNCTIONAL, _MOST)]
        self._range, self._all, self._on, self._functional, self._most = (
            -1 if id is None else representatives.of_one(id) for id in ids
        )

    def reported(self, value: int, predicate: int, other: int) -> list[tuple[TextTriple, ...]]:
        """Return the facts behind ``value predicate other``, a row for each subject and property of the value."""
        start = Bindings({_VALUE: np.array([value]), _OTHER: np.array([other])}, 1)
        ways = self._ways_to_datatypes() if predicate == TYPE else self._ways_to_equalities()
        found = [row for way in ways for bindings in self._matches(start, way) for row in self._texts(way, bindings)]
        return sorted(set(found)) or list(self._texts(((_VALUE, predicate, _OTHER),), start))

    def depend_on(self, changed: FactSet) -> bool:
        """Tell whether changed facts are axioms that say which values a property may have."""
        if any(predicate in changed for predicate in (self._range, self._all, self._on, self._most)):
            return True
        if TYPE not in changed:
            return False
        classes = changed.table(TYPE).pairs()[1]
        restrictions = [self._facts.table(p).pairs()[0] for p in (self._all, self._most) if p in self._facts]
        return bool(np.isin(classes, np.concatenate([*restrictions, np.array([self._functional])])).any())

    def touched(self, changed: FactSet) -> Ids:
        """Return the terms that changed facts have as their values, or give types to."""
        parts = [changed.table(predicate).pairs()[0 if predicate == TYPE else 1] for predicate in changed]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)

    def _ways_to_datatypes(self) -> tuple[tuple[Triple, ...], ...]:
        restricted = (_RESTRICTION, self._all, _OTHER), (_RESTRICTION, self._on, _PROPERTY)
        return (
            ((_PROPERTY, self._range, _OTHER), _HAS),
            (*restricted, (_SUBJECT, TYPE, _RESTRICTION), _HAS),
        )

    def _ways_to_equalities(self) -> tuple[tuple[Triple, ...], ...]:
        restricted = (_RESTRICTION, self._most, _NUMBER), (_RESTRICTION, self._on, _PROPERTY)
        return (
            ((_PROPERTY, TYPE, self._functional), _HAS, _HAS_OTHER),
            (*restricted, (_SUBJECT, TYPE, _RESTRICTION), _HAS, _HAS_OTHER),
        )

    def _matches(self, start: Bindings[int], atoms: tuple[Triple, ...]) -> list[Bindings[int]]:
        found: list[Bindings[int]] = []
        operands = [AtomScan(at, atom, self._facts, frozenset()) for at, atom in enumerate(atoms)]
        join_in_order(start, operands, lambda piece, joined, rest: piece, found.append)
        return found

    def _texts(self, atoms: tuple[Triple, ...], found: Bindings[int]) -> Iterator[tuple[TextTriple, ...]]:
        text = self._engine.dictionary.text
        columns = {term: column.tolist() for term, column in found.columns.items()}
        for row in range(found.size):
            names = {term: text(column[row]) for term, column in columns.items()}
            if _NUMBER in names and not same_value(names[_NUMBER], _ONE):
                continue
            yield tuple((names[s], names.get(p) or text(p), names.get(o) or text(o)) for s, p, o in atoms)


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
        found = repetitions.dropped(plan, engine.matcher.all_matches(plan, [facts], state.facts))
        yield from _told(_rows(engine, state, plan, found), stated)


def _rows(
    engine: ColumnarEngine, state: ConstraintState, plan: Plan, found: Bindings[int]
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
                found = state.dropped(plan, engine.matcher.all_matches(plan, sources, facts))
                yield from zip(_rules_of_rows(plan, found), _bodies(engine, body, found), strict=True)
    guarded = (
        replace(rule, body=(atom, *rule.body)) for rule in stated for atom in rule.negative if _may_match(atom, went)
    )
    seen: set[tuple[EncodedRule, tuple[TextTriple, ...]]] = set()
    for plan in engine.compile(guarded):
        _, *rest = plan.template.body
        found = engine.matcher.all_matches(plan, [went] + [old] * len(rest), facts, free=0)
        for rule, triples in zip(_rules_of_rows(plan, found), _bodies(engine, rest, found), strict=True):
            row = (replace(rule, body=rule.body[1:]), triples)
            if row not in seen:
                seen.add(row)
                yield row


def _may_match(atom: Triple, facts: FactSet) -> bool:
    return bool(len(facts)) if is_variable(atom[1]) else atom[1] in facts


def _rules_of_rows(plan: Plan, found: Bindings[int]) -> list[EncodedRule]:
    template = plan.template
    if not template.parameters:
        return [template.rules[0]] * found.size
    index = dict(zip(template.rows, template.rules, strict=True))
    rows = np.stack([found.columns[term] for term in template.parameters], axis=1).tolist()
    return [index[tuple(row)] for row in rows]


def _bodies(engine: ColumnarEngine, body: Sequence[Triple], found: Bindings[int]) -> Iterator[tuple[TextTriple, ...]]:
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


_DISJOINT, _APART, _COMPLEMENT, _DIFFERENT = (
    f"<{OWL}{name}>" for name in ("disjointWith", "propertyDisjointWith", "complementOf", "differentFrom")
)
# The rules of OWL 2 RL without sources of which a match and its mirror image are one contradiction.
_MIRRORED = frozenset({"cax-dw", "prp-pdw", "cls-com", "eq-diff1", "prp-asyp", "dt-diff"})
_SYMMETRIC_CONDITIONS = frozenset({"differentValue", "sameValue", "!=", "="})

# The rules over lists of what is pairwise so, with the predicate that states it of one pair.
_PAIRWISE = {"cax-adc": _DISJOINT, "prp-adp": _APART, "eq-diff2": _DIFFERENT, "eq-diff3": _DIFFERENT}


def merged(constraints: Sequence[EncodedRule]) -> list[EncodedRule]:
    """Return constraints with those of axioms that say the same as one, which has the sources of all."""
    groups: dict[object, list[EncodedRule]] = {}
    for number, rule in enumerate(constraints):
        parts = (rule.origin.name, _undirected(rule.body), frozenset(rule.negative), frozenset(rule.conditions))
        groups.setdefault(parts if rule.origin.sources else number, []).append(rule)
    return [_united(rules) for rules in groups.values()]


def _united(rules: list[EncodedRule]) -> EncodedRule:
    """Return one of some rules with the sources of all; sources and atoms are in the order of their texts."""
    sources = tuple(sorted({source for rule in rules for source in rule.origin.sources}))
    if len(sources) < 2:
        return rules[0]
    origin, body = rules[0].origin, rules[0].body
    places = sorted(range(len(body)), key=lambda place: tuple(map(str, origin.body[place])))
    ordered = replace(origin, body=tuple(origin.body[place] for place in places), sources=sources)
    return replace(rules[0], body=tuple(body[place] for place in places), origin=ordered)


class Repetitions:
    """One state in which constraints are matched, and which of their matches repeat another."""

    def __init__(self, engine: ColumnarEngine, facts: FactSet, representatives: Representatives) -> None:
        self.facts = facts
        self._engine = engine
        self._representatives = representatives
        self._symmetric = {id for text in (_DISJOINT, _APART, _COMPLEMENT, _DIFFERENT) if (id := self._id(text)) >= 0}

    def dropped(self, plan: Plan, found: Bindings[int]) -> Bindings[int]:
        """Return the matches of a plan without those that repeat another."""
        if not found.size:
            return found
        for repeated in (self._mirrored(plan, found), self._in_pairs(plan, found)):
            if repeated is not None and repeated.any():
                return found.taken(~repeated)
        return found

    def read_by(self, rule: EncodedRule) -> Iterator[int]:
        """Yield the symmetric predicates that statements of a constraint, or of its pairs, are made with."""
        if not _is_of_ontology(rule.origin):
            return
        if rule.origin.name in _PAIRWISE:
            yield self._id(_PAIRWISE[rule.origin.name])
        yield from (self._representatives.of_one(p) for _, p, _ in rule.body if not is_variable(p))

    def restated(self, changed: FactSet) -> set[int]:
        """Return the symmetric predicates of changed statements that are also made in another way."""
        found = set()
        for predicate in (*self._symmetric, SAME):
            if predicate in changed:
                s, o = changed.table(predicate).pairs()
                if self.facts.table(predicate).contains(o, s).any() or self._lists_any(predicate):
                    found.add(predicate)
        return found

    def _lists_any(self, predicate: int) -> bool:
        """Tell whether anything is said of the members of lists that a predicate says of pairs."""
        kinds = {_DISJOINT: "AllDisjointClasses", _APART: "AllDisjointProperties", _DIFFERENT: "AllDifferent"}
        names = (f"<{OWL}{name}>" for text, name in kinds.items() if self._id(text) == predicate)
        return any((id := self._id(name)) >= 0 and id in self.facts.classes() for name in names)

    def _mirrored(self, plan: Plan, found: Bindings[int]) -> Mask | None:
        """Tell which matches are also there with two terms exchanged, and have these in the wrong order."""
        template = plan.template
        if template.negative or not all(_is_of_ontology(rule.origin) for rule in template.rules):
            return None
        variables = sorted({term for atom in template.body for term in atom if is_variable(term)}, reverse=True)
        own = [term for term in variables if term not in template.parameters]
        for s, o in combinations(own, 2):
            if _is_same_turned(template, s, o, self._symmetric):
                turned = [atom for atom in template.body if atom[1] in {*self._symmetric, SAME} and {s, o} & {*atom}]
                there = [holds(found, (b, p, a), self.facts, equality=True) for a, p, b in turned]
                return np.asarray(np.logical_and.reduce([self._later(found, s, o), *there]))
        return None

    def _in_pairs(self, plan: Plan, found: Bindings[int]) -> Mask | None:
        """Tell which matches are about a pair of a list that is also stated as a pair."""
        stated = [self._is_stated(rule.origin) for rule in plan.template.rules]
        if not any(stated):
            return None
        if not plan.template.parameters:
            return np.full(found.size, stated[0])
        by_row = dict(zip(plan.template.rows, stated, strict=True))
        rows = np.stack([found.columns[term] for term in plan.template.parameters], axis=1).tolist()
        return np.array([by_row[tuple(row)] for row in rows], dtype=np.bool_)

    def _is_stated(self, origin: Rule) -> bool:
        predicate = self._id(_PAIRWISE[origin.name]) if origin.name in _PAIRWISE and origin.sources else -1
        if predicate < 0 or predicate not in self.facts:
            return False
        *_, first, second = origin.body
        pairs = {
            _DISJOINT: (first.object, second.object),
            _APART: (first.predicate, second.predicate),
            _DIFFERENT: (second.subject, second.object),
        }
        left, right = (np.array([self._id(str(term))]) for term in pairs[_PAIRWISE[origin.name]])
        table = self.facts.table(predicate)
        return bool(table.contains(left, right)[0] or table.contains(right, left)[0])

    def _later(self, found: Bindings[int], s: EncodedTerm, o: EncodedTerm) -> Mask:
        """Tell in which rows the text of one term comes behind that of another."""
        left, right = found.values(s), found.values(o)
        ids, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        texts = self._engine.dictionary.decode(ids)
        ranks = np.empty(ids.size, dtype=np.int64)
        ranks[sorted(range(ids.size), key=texts.__getitem__)] = np.arange(ids.size)
        ordered = ranks[places]
        return np.asarray(ordered[: left.size] > ordered[left.size :])

    def _id(self, text: str) -> int:
        id = self._engine.dictionary.lookup(text)
        return -1 if id is None else self._representatives.of_one(id)


def _is_of_ontology(origin: Rule) -> bool:
    """Tell whether a constraint comes from axioms, or is one of those that read axioms as data."""
    return bool(origin.sources) or origin.name in _MIRRORED


def _is_same_turned(template: Template, s: EncodedTerm, o: EncodedTerm, symmetric: set[int]) -> bool:
    """Tell whether a body says the same with two variables in each other's places."""

    def other(term: EncodedTerm) -> EncodedTerm:
        return {s: o, o: s}.get(term, term)

    def conditions(of: Callable[[EncodedTerm], EncodedTerm]) -> frozenset[object]:
        turned = [(name, tuple(map(of, terms))) for name, terms in template.conditions]
        return frozenset(
            (name, frozenset(terms)) if name in _SYMMETRIC_CONDITIONS else (name, terms) for name, terms in turned
        )

    turned = [(other(a), other(p), other(b)) for a, p, b in template.body]
    return _undirected(turned, symmetric) == _undirected(template.body, symmetric) and conditions(other) == conditions(
        int
    )


def _undirected(atoms: Iterable[Triple], symmetric: Collection[int] = ()) -> frozenset[Triple]:
    """Return atoms as a set in which equalities, and other symmetric statements, have no direction."""
    return frozenset((min(a, b), p, max(a, b)) if p == SAME or p in symmetric else (a, p, b) for a, p, b in atoms)
