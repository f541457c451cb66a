"""Evaluating a printed maintenance program as the paper says: facts go in and come out under names of the program.

It shares no code with the engine. The rule parser reads the text; names are made and taken apart as the documentation
tells. Programs have thousands of rules, all of constant predicates, so that strata are found predicate by predicate and
rules are only tried where there are facts; otherwise this is what ``tests.oracle`` does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Rule
from reasoner.terms.term import RDF_TYPE
from tests import oracle
from tests.notation import Fact

NAMES = "urn:x-maintenance:"


def differentials(
    text: str, old: set[Fact], explicit: set[Fact], removed: set[Fact], added: set[Fact]
) -> tuple[set[Fact], set[Fact]]:
    """Return P^+ and P^- of a change of explicit facts by a printed program; ``old`` is the closure before it."""
    start = {(s, f"<{NAMES}old-term:{quote(p, safe='')}>" if p.startswith('"') else p, o) for s, p, o in old}
    for word, part in (("edb", explicit), ("edb-del", removed), ("edb-ins", added)):
        start |= {(s, _name(word, p), o) for s, p, o in part}
    derived = evaluate(parse_rules(text), start)
    return _taken_out("plus", derived), _taken_out("minus", derived)


def evaluate(rules: Sequence[Rule], facts: Iterable[Fact]) -> set[Fact]:
    """Return what stratified rules over constant predicates derive."""
    levels = strata(rules)
    known = oracle.Facts(facts)
    for level in sorted(set(levels.values())):
        chosen = [rule for rule in rules if rule.head is not None and levels[rule.head.predicate] == level]
        readers: defaultdict[str, list[Rule]] = defaultdict(list)
        for rule in chosen:
            for predicate in {atom.predicate for atom in rule.body}:
                readers[predicate].append(rule)
        while chosen:
            new = {fact for rule in chosen for fact in _heads(rule, known)} - known.all
            for fact in new:
                known.add(fact)
            touched = {p for _, p, _ in new}
            chosen = list({id(rule): rule for p in touched for rule in readers[p]}.values())
    return known.all


def strata(rules: Iterable[Rule]) -> dict[str, int]:
    """Return the least level of each predicate, above those that it reads negated."""
    steps = {
        (atom.predicate, rule.head.predicate, step)
        for rule in rules
        for step, atoms in enumerate((rule.body, rule.negative))
        for atom in atoms
    }
    levels: dict[str, int] = {rule.head.predicate: 0 for rule in rules}
    changed = True
    while changed:
        changed = False
        for source, target, step in steps:
            if levels.get(source, 0) + step > levels[target]:
                levels[target] = levels.get(source, 0) + step
                changed = True
                if levels[target] > len(levels):
                    raise oracle.Unstratified(target)
    return levels


def _heads(rule: Rule, known: oracle.Facts) -> list[Fact]:
    if any(not known.match(None, atom.predicate, None) for atom in rule.body):
        return []
    return [oracle._ground(rule.head, found) for found in oracle._matches(rule, known, equality=False)]


def _name(word: str, predicate: str) -> str:
    if predicate.startswith("<"):
        return f"<{NAMES}{word}:{predicate[1:-1]}>"
    return f"<{NAMES}{word}-term:{quote(predicate, safe='')}>"


def _taken_out(word: str, derived: set[Fact]) -> set[Fact]:
    """Return the facts of a kind of variant under the predicates that they are of."""
    found = set()
    for s, p, o in derived:
        kind, _, name = p[1:-1].removeprefix(NAMES).partition(":")
        if p.startswith(f"<{NAMES}{word}") and kind.split("-")[0] == word:
            if kind.endswith("-object"):
                name = name.partition(":")[2]
            predicate = RDF_TYPE if "-class" in kind else unquote(name) if kind.endswith("-term") else f"<{name}>"
            found.add((s, predicate, o))
    return found
