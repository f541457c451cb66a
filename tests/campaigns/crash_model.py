"""A store whose every commit is known beforehand: what is in it after each, and how each is made.

Commit ``n`` of a seed changes a few facts, and always the fact that says its number, so that a store tells which commit
it is at. Commits are made in every way that there is: a transaction, a SPARQL update, the command that loads files, and
a step of an evolution, which has a journal too.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reasoner import Reasoner
from reasoner.cli import main as command
from tests.store.contents import over_texts

E = "http://e.org/"
SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"
RULES = f"?x <{E}ancestor> ?y :- ?x <{E}parent> ?y . ?x <{E}ancestor> ?z :- ?x <{E}ancestor> ?y, ?y <{E}parent> ?z ."
COUNTER, AT = f"<{E}counter>", f"<{E}at>"
WAYS = ("transaction", "transaction", "update", "load", "evolve")

Triple = tuple[str, str, str]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: its number, how it is made, and what it adds and removes, all of which is news."""

    number: int
    way: str
    added: frozenset[Triple]
    removed: frozenset[Triple]


def number_fact(number: int) -> Triple:
    """Return the fact that a store has after a commit."""
    return COUNTER, AT, f'"{number}"'


@lru_cache(maxsize=4096)
def content(seed: int, number: int) -> frozenset[Triple]:
    """Return the explicit facts after a commit."""
    if number == 0:
        return frozenset({number_fact(0)})
    step = step_of(seed, number)
    return content(seed, number - 1) - step.removed | step.added


@lru_cache(maxsize=4096)
def step_of(seed: int, number: int) -> Step:
    """Return the commit of a number."""
    chance = random.Random(f"{seed} {number}")
    before = content(seed, number - 1)
    way = chance.choice(WAYS)
    names = [f"<{E}{name}>" for name in (*"abcdef", f"n{number}")]
    drawn = set()
    for _ in range(chance.randrange(1, 5)):
        predicate = chance.choice([f"<{E}parent>", f"<{E}parent>", f"<{E}p{chance.randrange(3)}>", SAME_AS])
        drawn.add((chance.choice(names), predicate, chance.choice(names)))
    if chance.random() < 0.1:
        drawn |= {(f"<{E}m{n}>", f"<{E}parent>", f"<{E}m{n + 1}>") for n in range(chance.randrange(30))}
    old = sorted(before - {number_fact(number - 1)})
    removed = set(chance.sample(old, min(len(old), chance.choice([0, 1, 3]) + len(old) // 20)))
    added = (drawn - before) | {number_fact(number)}
    removed = removed - added | {number_fact(number - 1)}
    if way == "load":
        # What is loaded only comes; the number is one of several then.
        added, removed = added | set(), {number_fact(number - 1)}
    return Step(number, way, frozenset(added), frozenset(removed))


def create(folder: Path, engine: str = "columnar") -> None:
    """Make the store of commit 0."""
    with Reasoner.open(folder, create=True, profile="none", engine=engine) as kb:
        kb.add([number_fact(0)])
        kb.add_rules(RULES)
        kb.materialise()


def apply(folder: Path, kb: Reasoner, step: Step, engine: str = "columnar") -> Reasoner:
    """Make a commit; return the open store, which is another object if a command had to have it."""
    if step.way == "transaction":
        with kb.transaction() as change:
            change.remove(step.removed)
            change.add(step.added)
    elif step.way == "update":
        removed, added = (" ".join(f"{s} {p} {o} ." for s, p, o in sorted(side)) for side in (step.removed, step.added))
        kb.update(f"DELETE DATA {{ {removed} }} ; INSERT DATA {{ {added} }}")
    elif step.way == "evolve":
        removed, added = (" ".join(f"{s} {p} {o} ." for s, p, o in sorted(side)) for side in (step.removed, step.added))
        kb.evolve(f'step "{step.number}" remove {{ {removed} }} add {{ {added} }}', explain=False)
    else:
        return _load(folder, kb, step, engine)
    return kb


def _load(folder: Path, kb: Reasoner, step: Step, engine: str) -> Reasoner:
    """Let the command load what comes; what goes is the number before, which a transaction takes first."""
    with kb.transaction() as change:
        change.remove(step.removed)
        change.add((COUNTER, AT, f'"{step.number - 1}+"'))
    kb.close()
    data = folder.parent / f"{folder.name}.nt"
    data.write_text("".join(f"{s} {p} {o} .\n" for s, p, o in sorted(step.added)), encoding="utf-8")
    code = command(["load", str(folder), str(data), "--quiet", "--engine", engine])
    if code:
        raise RuntimeError(f"the command ended with {code}")
    kb = Reasoner.open(folder, engine=engine)
    with kb.transaction() as change:
        change.remove((COUNTER, AT, f'"{step.number - 1}+"'))
    return kb


def problem_of(
    folder: Path, seed: int, least: int, most: int, *, journal: bool = True, engine: str = "columnar"
) -> str:
    """Reopen a store after a crash; return what is wrong with it, nothing if it is as a prefix of the commits left it.

    At least commit ``least`` is there, which was acknowledged, and at most ``most``, which had begun. All that follows
    is what starting over gives; with ``journal``, that names the steps that took effect.
    """
    with Reasoner.open(folder, read_only=True, engine=engine) as kb:
        number, wrong = _place(kb, seed)
        if wrong:
            return wrong
        if not least <= number <= most:
            return f"at commit {number}, which is not from {least} to {most}"
        twin = Reasoner(profile="none")
        twin.add(kb.store.texts(kb.store.state.explicit))
        twin.add_rules(RULES)
        if over_texts(kb) != over_texts(twin):
            return f"at commit {number}, and starting over gives something else"
        if not journal:
            return ""
        steps = [int(entry.name) for entry in kb.evolutions()]
        wanted = [n for n in range(1, number + 1) if step_of(seed, n).way == "evolve"]
        if steps != wanted:
            return f"at commit {number}, and the journal has the steps {steps[-3:]} and not {wanted[-3:]}"
    return ""


def resume(folder: Path, seed: int, engine: str = "columnar") -> tuple[Reasoner, int]:
    """Open a store for writing and return the number of its last whole commit; a load under way is taken back."""
    kb = Reasoner.open(folder, engine=engine)
    marks = {o for s, p, o in kb.store.texts(kb.store.state.explicit) if s == COUNTER}
    (mark,) = (mark for mark in marks if mark.endswith('+"')) if any(m.endswith('+"') for m in marks) else (None,)
    if mark is None:
        return kb, int(next(iter(marks))[1:-1])
    number = int(mark[1:-2])
    if (COUNTER, AT, f'"{number + 1}"') in set(kb.store.texts(kb.store.state.explicit)):
        with kb.transaction() as change:
            change.remove((COUNTER, AT, mark))
        return kb, number + 1
    with kb.transaction() as change:
        change.remove((COUNTER, AT, mark))
        change.add(number_fact(number))
    return kb, number


def _place(kb: Reasoner, seed: int) -> tuple[int, str]:
    """Return which commit a store is at, a load that has begun counting as the commit before, and what is wrong."""
    explicit = frozenset(kb.store.texts(kb.store.state.explicit))
    marks = sorted(o for s, p, o in explicit if s == COUNTER)
    halves = [mark for mark in marks if mark.endswith('+"')]
    numbers = [int(mark[1:-1]) for mark in marks if not mark.endswith('+"')]
    if len(halves) > 1 or len(numbers) > 1 or not marks:
        return -1, f"the numbers are {marks}"
    rest = explicit - {(COUNTER, AT, half) for half in halves}
    number = numbers[0] if numbers else int(halves[0][1:-2])
    wanted = content(seed, number) - ({number_fact(number)} if not numbers else frozenset())
    if rest != wanted:
        return (
            number,
            f"at commit {number}, with {sorted(rest - wanted)[:3]} too many and {sorted(wanted - rest)[:3]} lost",
        )
    return number, ""
