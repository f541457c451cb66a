"""Hypothesis strategies for random programs with data, and for sequences of updates.

Programs are drawn from shapes of rules rather than atom by atom, so that recursion, equality and constants that
become equal meet often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, wraps
from itertools import permutations, product
from string import Formatter

from hypothesis import HealthCheck, Phase, assume, note, settings
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption
from hypothesis.vendor.pretty import RepresentationPrinter

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import Term, Variable
from tests import oracle
from tests.notation import Fact, fact, rule, write_fact, write_rule
from tests.shapes import (
    ABOVE_NEGATION,
    BUILTINS,
    CONSTRAINTS,
    EQUALITY_BODIES,
    EQUALITY_CONSTRAINTS,
    EQUALITY_HEADS,
    GROUND,
    HORN,
    LITERAL_EQUALITIES,
    NEGATED_CONSTRAINTS,
    NEGATED_EQUALITY,
    NEGATION,
    POOLS,
    RECURSIVE,
    VARIABLE_EQUALITIES,
    VARIABLE_PREDICATES,
)

# No example database and no deadline: a failure prints a blob that reproduces it anywhere. Programs are made smaller
# by ``minimised``, which takes a second where shrinking choice by choice takes minutes.
RANDOM = settings(
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

FEW = ("a", "b", "c", "d")
MANY = (*FEW, "e", "f", "g", "h")


@dataclass(frozen=True)
class Program:
    """Rules and explicit facts, shown in the notation of the tests when a test fails."""

    rules: tuple[Rule, ...]
    facts: tuple[Fact, ...]

    def __repr__(self) -> str:
        lines = [f"    {item.name}: {write_rule(item)}" for item in self.rules]
        lines += ["    " + ", ".join(map(write_fact, self.facts))]
        return "Program(\n" + "\n".join(lines) + "\n)"

    def _repr_pretty_(self, printer: RepresentationPrinter, cycle: bool) -> None:
        """Keep Hypothesis from showing the fields instead."""
        printer.text(repr(self))


@st.composite
def programs(
    draw: st.DrawFn,
    *,
    equality: bool = True,
    negation: bool = True,
    variable_predicates: bool = False,
    builtins: bool = False,
    constraints: bool = True,
) -> Program:
    """Draw up to seven stratified rules, different up to names and order, and up to fifteen facts.

    Flags say what may occur; what may occur mostly does.
    """
    # Sizes are drawn first: a list that may end after every element mostly ends early, and small programs do little.
    fact_count, rule_count = draw(st.sampled_from(range(4, 16))), draw(st.sampled_from(range(2, 8)))
    with_negation = negation and draw(st.sampled_from([True, True, True, False]))
    groups = [RECURSIVE, RECURSIVE, HORN, HORN, HORN, draw(st.sampled_from([HORN, HORN, HORN, GROUND]))]
    if equality:
        groups += [EQUALITY_HEADS] * 3 + [EQUALITY_BODIES]
    if with_negation:
        groups += [NEGATION] * 3 + [ABOVE_NEGATION]
        groups += [NEGATED_EQUALITY] if equality else []
    if variable_predicates:
        groups += [VARIABLE_PREDICATES] * 3
        groups += [VARIABLE_EQUALITIES] if equality else []
    if builtins:
        groups += [BUILTINS] * 4
        groups += [LITERAL_EQUALITIES] * 2 if equality else []
    if constraints:
        groups += [CONSTRAINTS]
        groups += [EQUALITY_CONSTRAINTS] if equality else []
        groups += [NEGATED_CONSTRAINTS] if with_negation else []
    drawn = {_shape(item): item for item in (_draw_rule(draw, groups, equality) for _ in range(rule_count))}
    named = tuple(replace(item, name=f"rule-{number}") for number, item in enumerate(drawn.values(), 1))
    assume(_is_stratified(named, equality))
    kinds = _kinds(draw(st.sampled_from([FEW, FEW, MANY])), equality, negation, variable_predicates, builtins)
    return Program(named, tuple(dict.fromkeys(draw(draw(kinds)) for _ in range(fact_count))))


@st.composite
def updates(
    draw: st.DrawFn, facts: Sequence[Fact], *, max_steps: int = 4, equality: bool = True
) -> list[tuple[frozenset[Fact], frozenset[Fact]]]:
    """Draw (added, removed) pairs; each step removes only what is explicit then and adds only what is not.

    Facts that an earlier step removed come back now and then.
    """
    kinds = _kinds(FEW, equality, False, False, False)
    explicit = list(facts)
    gone: list[Fact] = []
    steps: list[tuple[frozenset[Fact], frozenset[Fact]]] = []
    for _ in range(draw(st.integers(1, max_steps))):
        removed = draw(st.lists(st.sampled_from(explicit), max_size=4, unique=True)) if explicit else []
        new = [draw(draw(kinds)) for _ in range(draw(st.integers(0, 4)))]
        back = draw(st.lists(st.sampled_from(gone), max_size=2)) if gone else []
        added = [item for item in dict.fromkeys(new + back) if item not in explicit]
        explicit = [item for item in explicit if item not in removed] + added
        gone += removed
        steps.append((frozenset(added), frozenset(removed)))
    return steps


def minimised(test: Callable[[Program], None]) -> Callable[[Program], None]:
    """Let a test that fails fail on as few rules and facts as possible."""

    @wraps(test)
    def run(program: Program) -> None:
        try:
            test(program)
        except UnsatisfiedAssumption:
            raise
        except Exception:
            smaller = _without_the_needless(program, lambda candidate: _fails(test, candidate))
            note(f"smallest: {smaller}")
            test(smaller)
            raise

    return run


def _fails(test: Callable[[Program], None], program: Program) -> bool:
    try:
        test(program)
    except (UnsatisfiedAssumption, oracle.Unstratified):
        return False
    except Exception:
        return True
    return False


def _without_the_needless(program: Program, fails: Callable[[Program], bool]) -> Program:
    for index in range(len(program.rules)):
        candidate = replace(program, rules=program.rules[:index] + program.rules[index + 1 :])
        if fails(candidate):
            return _without_the_needless(candidate, fails)
    for index in range(len(program.facts)):
        candidate = replace(program, facts=program.facts[:index] + program.facts[index + 1 :])
        if fails(candidate):
            return _without_the_needless(candidate, fails)
    return program


def _draw_rule(draw: st.DrawFn, groups: Sequence[Sequence[str]], equality: bool) -> Rule:
    """Draw a rule of a shape of one of the groups, or in one case of six a rule without any shape."""
    if draw(st.sampled_from(range(6))) == 5:
        return _draw_any_rule(draw, equality)
    return draw(_filled(draw(st.sampled_from(draw(st.sampled_from(groups))))))


def _is_stratified(rules: Sequence[Rule], equality: bool) -> bool:
    try:
        oracle.stratify(rules, equality)
    except oracle.Unstratified:
        return False
    return True


@cache
def _filled(shape: str) -> st.SearchStrategy[Rule]:
    """Return a strategy for the rules of one shape."""
    fields = sorted({name for _, name, _, _ in Formatter().parse(shape) if name})
    choices = product(*(POOLS[field[0]] for field in fields))
    return st.sampled_from([rule(shape.format(**dict(zip(fields, choice, strict=True)))) for choice in choices])


def _draw_any_rule(draw: st.DrawFn, equality: bool) -> Rule:
    """Draw a rule of the first layer atom by atom, with whatever repetitions and constants come up."""
    terms = st.sampled_from(["?x", "?x", "?y", "?y", "?z", "a", "b", "c"])
    predicates = st.sampled_from([*POOLS["p"], "type", *(["same"] if equality else [])])

    def atom(predicate: str) -> str:
        objects = st.sampled_from(["A", "B", "C", "?y"]) if predicate == "type" else terms
        return f"{draw(terms)} {predicate} {draw(objects)}"

    body = [atom(draw(predicates)) for _ in range(draw(st.sampled_from([1, 2, 2, 3])))]
    bound = [token for token in " ".join(body).split() if token.startswith("?")]
    head = [
        token if not token.startswith("?") or token in bound else (bound[0] if bound else "d")
        for token in atom(draw(predicates)).split()
    ]
    return rule(f"{' '.join(head)} :- {', '.join(body)}")


@cache
def _kinds(
    names: tuple[str, ...], equality: bool, negation: bool, variable_predicates: bool, builtins: bool
) -> st.SearchStrategy[st.SearchStrategy[Fact]]:
    """Return a strategy for kinds of facts; a kind that is listed twice is drawn twice as often."""
    properties = [fact(f"{s} {p} {o}") for p in POOLS["p"] for s in names for o in names]
    types = [fact(f"{s} type {c}") for c in POOLS["c"] for s in names]
    kinds = [properties] * 6 + [types] * 4
    if equality:
        kinds.append([fact(f"{s} same {o}") for s in names for o in names])
        if not negation:
            kinds.append([fact(line) for line in ("p same q", "r same s", "A same B", "q same a", "C same b")])
    if negation:
        upper = [fact(f"{s} {u} {o}") for u in ("u", "v", "t") for s in names for o in names]
        kinds.append(upper + [fact(f"{s} type {c}") for c in ("D", "E") for s in names])
    if variable_predicates:
        kinds += [[fact(f"{s} {p} {o}") for p in POOLS["p"] for s in POOLS["p"] for o in POOLS["p"]]]
        kinds += [[fact(f"{s} type {c}") for c in POOLS["c"] for s in POOLS["p"]]] * 2
    if builtins:
        kinds += [[fact(f"{s} n {i}") for s in names for i in POOLS["i"]]] * 4
    return st.sampled_from([st.sampled_from(kind) for kind in kinds])


@cache
def _shape(item: Rule) -> str:
    """Return what rules that differ only in names of variables and order of body atoms have in common."""
    return min(_renamed(replace(item, name="", body=body)) for body in permutations(item.body))


def _renamed(item: Rule) -> str:
    numbers: dict[str, str] = {}

    def term(old: Term) -> Term:
        return Variable(numbers.setdefault(old.name, str(len(numbers)))) if isinstance(old, Variable) else old

    def atoms(old: Sequence[Atom]) -> tuple[Atom, ...]:
        return tuple(Atom(*map(term, atom)) for atom in old)

    body = atoms(item.body)
    head = atoms([item.head])[0] if item.head else None
    conditions = tuple(Builtin(part.name, tuple(map(term, part.arguments))) for part in item.conditions)
    return write_rule(Rule("", head, body, atoms(item.negative), conditions))
