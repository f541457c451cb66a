"""Naive stratified datalog over Python sets with explicit equality axioms: what every engine is judged by.

It shares no code with the engines; the rule dataclasses are its input and nothing else. Rules are evaluated in full,
round after round, until nothing is new; equality is the program (≈1)-(≈4) of Motik et al., "Combining Rewriting and
Incremental Materialisation Maintenance for Datalog Programs with Equality", 2015, section 2, applied fact by fact.

Deviation: an ``owl:sameAs`` fact with a literal on either side replaces nothing; it is a fact like any other.
Triples with a literal subject may be derived, and may lead to others; ``visible`` leaves them out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import RDF_TYPE, SAME_AS, XSD, Term, Variable

Fact = tuple[str, str, str]
Substitution = Mapping[str, str]


class Unstratified(Exception):
    """The rules have no stratification, by their names or because of what became equal."""


class TooLarge(Exception):
    """The evaluation considered more rule instances than its caller allowed."""


class Facts:
    """A set of facts, each listed under its eight patterns, where ``None`` stands for any term."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self.all: set[Fact] = set()
        self.by_pattern: dict[tuple[str | None, ...], list[Fact]] = defaultdict(list)
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        if fact not in self.all:
            self.all.add(fact)
            for pattern in product(*((term, None) for term in fact)):
                self.by_pattern[pattern].append(fact)

    def match(self, s: str | None, p: str | None, o: str | None) -> list[Fact]:
        return self.by_pattern.get((s, p, o), [])


def closure(rules: Sequence[Rule], facts: Iterable[Fact], equality: bool = True, limit: int = 10**6) -> set[Fact]:
    """Return all facts that hold, with reflexive equalities if ``equality``; at most ``limit`` instances are tried."""
    levels = stratify(rules, equality)
    known = Facts()
    _insert(facts, known, equality)
    level = 0
    while level <= max(levels, default=0):
        limit = _saturate([rule for rule, at in zip(rules, levels, strict=True) if at <= level], known, equality, limit)
        if level == 0 and equality and max(levels, default=0) > 0:
            # No rule above level 0 derives an equality, so these are final; predicates that became equal are one.
            levels = stratify(merged(rules, rewriting(known.all)[0]), equality)
        level += 1
    return known.all


def stratify(rules: Sequence[Rule], equality: bool = True) -> list[int]:
    """Return the least level of each rule, or raise ``Unstratified``.

    A rule is at least as high as the rules that feed its body, and higher than those that feed its negated atoms.
    With equality, what derives equalities feeds every rule, and stands below every negation and every ``!=``.
    """
    levels = [int(equality and _is_nonmonotone(rule)) for rule in rules]
    while True:
        before = list(levels)
        for reader, rule in enumerate(rules):
            for writer, other in enumerate(rules):
                step = None if other.head is None else _step(other.head, rule, equality)
                if step is not None:
                    levels[reader] = max(levels[reader], levels[writer] + step)
        if max(levels, default=0) > len(rules):
            raise Unstratified([rule.name for rule in rules])
        if levels == before:
            return levels


def instances(rules: Sequence[Rule], facts: Iterable[Fact], equality: bool = True) -> set[tuple[Rule, frozenset[Any]]]:
    """Return every rule with every substitution under which its body, negations and conditions hold in ``facts``."""
    known = Facts(facts)
    return {(rule, frozenset(found.items())) for rule in rules for found in _matches(rule, known, equality)}


def violations(
    rules: Sequence[Rule], facts: Iterable[Fact], equality: bool = True
) -> set[tuple[str, tuple[Fact, ...]]]:
    """Return the name and the body facts of every constraint instance that holds in ``facts``."""
    known = Facts(facts)
    return {
        (rule.name, tuple(_ground(atom, found) for atom in rule.body))
        for rule in rules
        if rule.head is None
        for found in _matches(rule, known, equality)
    }


def smallest_first(term: str) -> tuple[bool, str]:
    """Order terms by text, with ``owl:sameAs`` before all others as the paper wants it."""
    return term != SAME_AS, term


def rewriting(facts: set[Fact], order: Callable[[str], Any] = smallest_first) -> tuple[dict[str, str], set[Fact]]:
    """Return the rewriting (π, I): π(c) is the first of {c} ∪ {d | c ≈ d ∈ facts} in ``order``, and I is π(facts)."""
    equals: dict[str, set[str]] = {term: {term} for fact in facts for term in fact}
    for s, p, o in facts:
        if p == SAME_AS and _is_resource(s) and _is_resource(o):
            equals[s].add(o)
    representative = {term: min(others, key=order) for term, others in equals.items()}
    return representative, {normal(fact, representative) for fact in facts}


def classes(facts: set[Fact]) -> set[frozenset[str]]:
    """Return the equality classes of two or more terms."""
    members: dict[str, set[str]] = defaultdict(set)
    for term, representative in rewriting(facts)[0].items():
        members[representative].add(term)
    return {frozenset(terms) for terms in members.values() if len(terms) > 1}


def normal(fact: Fact, representative: Mapping[str, str]) -> Fact:
    """Return π(fact); terms that π does not mention stand for themselves."""
    s, p, o = (representative.get(term, term) for term in fact)
    return s, p, o


def merged(rules: Sequence[Rule], representative: Mapping[str, str]) -> list[Rule]:
    """Return π(rules)."""

    def terms(old: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(representative.get(term, term) if isinstance(term, str) else term for term in old)

    return [
        replace(
            rule,
            head=Atom(*terms(rule.head)) if rule.head else None,
            body=tuple(Atom(*terms(atom)) for atom in rule.body),
            negative=tuple(Atom(*terms(atom)) for atom in rule.negative),
            conditions=tuple(Builtin(part.name, terms(part.arguments)) for part in rule.conditions),
        )
        for rule in rules
    ]


def merges_splits(rules: Sequence[Rule], facts: set[Fact]) -> bool:
    """Tell whether two predicates, or two classes, that the rules name are equal in ``facts``.

    If so, the strata that the names suggest need not be those of the program: negation is then over what is equal.
    """
    representative = rewriting(facts)[0]
    atoms = [atom for rule in rules for atom in (*rule.body, *rule.negative, *([rule.head] if rule.head else []))]
    splits = {(atom.predicate, atom.object if atom.predicate == RDF_TYPE else None) for atom in atoms}
    named = {split for split in splits if not any(isinstance(term, Variable) for term in split)}
    return len({tuple(representative.get(str(term), term) for term in split) for split in named}) < len(named)


def visible(facts: Iterable[Fact], reflexive: bool = True) -> set[Fact]:
    """Return the facts that may leave the system: no literal subjects, and reflexive equalities only if asked for."""
    return {(s, p, o) for s, p, o in facts if _is_resource(s) and (reflexive or not (p == SAME_AS and s == o))}


def shown(facts: set[Fact], explicit: Iterable[Fact]) -> set[Fact]:
    """Return all triples of a closure with equality: that a term equals itself is one only where it is explicit."""
    names = {SAME_AS, *(p for p, same, equal in facts if same == SAME_AS and equal == SAME_AS)}
    asserted = set(explicit)
    return {
        (s, p, o)
        for s, p, o in facts
        if _is_resource(s) and p.startswith("<") and (s != o or p not in names or (s, p, o) in asserted)
    }


def _is_resource(term: str) -> bool:
    return not term.startswith('"')


def _insert(new: Iterable[Fact], known: Facts, equality: bool) -> None:
    """Add facts and, with equality, all that the axioms derive from them and what is known."""
    waiting = list(new)
    while waiting:
        fact = waiting.pop()
        if fact not in known.all:
            known.add(fact)
            if equality:
                waiting.extend(other for other in _congruence(fact, known) if other not in known.all)


def _congruence(fact: Fact, known: Facts) -> Iterator[Fact]:
    """Yield the heads of (≈1)-(≈4) whose first or second body atom is ``fact``; the other one is in ``known``."""
    s, p, o = fact
    yield from ((term, SAME_AS, term) for term in fact)  # (≈4)
    yield from ((other, p, o) for other in _equals(s, known))  # (≈1)
    yield from ((s, other, o) for other in _equals(p, known))  # (≈2)
    yield from ((s, p, other) for other in _equals(o, known))  # (≈3)
    if p == SAME_AS and _is_resource(s) and _is_resource(o):
        yield from ((o, p1, o1) for _, p1, o1 in known.match(s, None, None))  # (≈1)
        yield from ((s1, o, o1) for s1, _, o1 in known.match(None, s, None))  # (≈2)
        yield from ((s1, p1, o) for s1, p1, _ in known.match(None, None, s))  # (≈3)


def _equals(term: str, known: Facts) -> list[str]:
    if not _is_resource(term):
        return []
    return [o for _, _, o in known.match(term, SAME_AS, None) if _is_resource(o)]


def _saturate(rules: Sequence[Rule], known: Facts, equality: bool, limit: int) -> int:
    """Add the consequences of the rules until there are no more; return what is left of ``limit``."""
    while True:
        new = set()
        for rule in rules:
            if rule.head is not None:
                for found in _matches(rule, known, equality):
                    new.add(_ground(rule.head, found))
                    limit -= 1
                    if limit < 0:
                        raise TooLarge
        if new <= known.all:
            return limit
        _insert(new, known, equality)


def _matches(rule: Rule, known: Facts, equality: bool) -> Iterator[Substitution]:
    for found in _solutions(rule.body, known, {}):
        if any(_ground(atom, found) in known.all for atom in rule.negative):
            continue
        if all(_holds(condition, found, known, equality) for condition in rule.conditions):
            yield found


def _solutions(body: Sequence[Atom], known: Facts, found: Substitution) -> Iterator[Substitution]:
    if not body:
        yield found
        return
    atom = body[0]
    terms = [found.get(term.name) if isinstance(term, Variable) else term for term in atom]
    for fact in known.match(*terms):
        extended = dict(found)
        if all(
            extended.setdefault(term.name, value) == value
            for term, value in zip(atom, fact, strict=True)
            if isinstance(term, Variable)
        ):
            yield from _solutions(body[1:], known, extended)


def _ground(atom: Atom, found: Substitution) -> Fact:
    s, p, o = (found[term.name] if isinstance(term, Variable) else term for term in atom)
    return s, p, o


def _holds(condition: Builtin, found: Substitution, known: Facts, equality: bool) -> bool:
    """Compare integers by value, and resources by the equality that is known so far; only integers have an order."""
    left, right = (found[term.name] if isinstance(term, Variable) else term for term in condition.arguments)
    x, y = _value(left), _value(right)
    same = left == right if x is None or y is None else x == y
    if equality and _is_resource(left) and _is_resource(right):
        same = same or (left, SAME_AS, right) in known.all
    if condition.name in {"=", "!="}:
        return same == (condition.name == "=")
    if x is None or y is None:
        return False
    return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[condition.name]


def _value(term: str) -> int | None:
    return int(term[1 : term.index('"', 1)]) if term.endswith(f'"^^<{XSD}integer>') else None


def _is_nonmonotone(rule: Rule) -> bool:
    return bool(rule.negative) or any(condition.name == "!=" for condition in rule.conditions)


def _step(head: Atom, reader: Rule, equality: bool) -> int | None:
    """Return how far ``reader`` must stand above a rule with this head: 1, 0, or None if it may stand anywhere."""
    derives_equality = equality and (isinstance(head.predicate, Variable) or head.predicate == SAME_AS)
    if any(_overlap(head, atom) for atom in reader.negative) or (derives_equality and _is_nonmonotone(reader)):
        return 1
    if derives_equality or any(_overlap(head, atom) for atom in reader.body):
        return 0
    return None


def _overlap(left: Atom, right: Atom) -> bool:
    """Tell whether two atoms share a predicate and an object; a variable predicate shares everything."""
    if isinstance(left.predicate, Variable) or isinstance(right.predicate, Variable):
        return True
    if left.predicate != right.predicate:
        return False
    return isinstance(left.object, Variable) or isinstance(right.object, Variable) or left.object == right.object
