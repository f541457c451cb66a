"""Hypothesis strategies for random programs with data, and for sequences of updates.

Programs are drawn from shapes of rules rather than atom by atom, so that recursion, equality and constants that
become equal meet often.
"""

from __future__ import annotations

import os
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
from reasoner.terms.term import Term, Variable
from tests import oracle
from tests.notation import Fact, constant, fact, rule, write_fact, write_rule
from tests.shapes import (
    ABOVE_EQUALITY,
    ABOVE_EQUALITY_NEGATED,
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
    NEGATED_OBJECTS,
    NEGATION,
    POOLS,
    RECURSIVE,
    VARIABLE_EQUALITIES,
    VARIABLE_PREDICATES,
    VOCABULARY,
    VOCABULARY_EQUALITIES,
)

# No example database and no deadline: a failure prints a blob that reproduces it anywhere. Programs are made smaller
# by ``minimised``, which takes a second where shrinking choice by choice takes minutes.
RANDOM = settings(
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

# How many times as many cases a soak draws.
_SOAKED = 10

PAIR = ("a", "b")
FEW = (*PAIR, "c", "d")
MANY = (*FEW, "e", "f", "g", "h")


def drawn(examples: int) -> int:
    """Return how many examples to draw: so many in an ordinary run of the tests, and many more if ``SOAK`` is 1."""
    return examples * _SOAKED if os.environ.get("SOAK") == "1" else examples


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
    vocabulary: bool = False,
    objects: bool = False,
) -> Program:
    """Draw up to seven stratified rules, different up to names and order, and up to fifteen facts.

    Flags say what may occur; what may occur mostly does. ``vocabulary`` are ``same`` and ``type`` as terms of rules and
    facts, variable predicates above what feeds equality, and explicit facts of all that the rules derive. ``objects``
    are negations that have strata only as long as constant objects are different, as without equality they always are.
    """
    # Sizes are drawn first: a list that may end after every element mostly ends early, and small programs do little.
    fact_count = draw(st.sampled_from(range(4, 16)))
    rule_count = draw(st.sampled_from(range(1, 6) if vocabulary else range(2, 8)))
    with_negation = negation and draw(st.sampled_from([True, True, True, False]))
    groups = [RECURSIVE, RECURSIVE, HORN, HORN, HORN, draw(st.sampled_from([HORN, HORN, HORN, GROUND]))]
    if equality and not (vocabulary and draw(st.sampled_from([True, True, False]))):
        groups += [EQUALITY_HEADS] * 3 + [EQUALITY_BODIES]
    if vocabulary:
        groups += [ABOVE_EQUALITY] * 4 + [VOCABULARY] * 3
        groups += [draw(st.sampled_from([VOCABULARY, VOCABULARY, VOCABULARY_EQUALITIES]))] if equality else []
        groups += [ABOVE_EQUALITY_NEGATED] * 2 if with_negation else []
    if with_negation:
        groups += [NEGATION] * 3 + [ABOVE_NEGATION]
        groups += [NEGATED_OBJECTS] if objects or not equality else []
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
    made = (_draw_rule(draw, groups, equality, vocabulary) for _ in range(rule_count))
    drawn = {_shape(item): item for item in made}
    named = tuple(replace(item, name=f"rule-{number}") for number, item in enumerate(drawn.values(), 1))
    assume(is_stratified(named, equality))
    # Where names are two, facts lead from a name to itself, and a fact has several derivations.
    names = draw(st.sampled_from([PAIR, PAIR, FEW] if vocabulary else [FEW, FEW, MANY]))
    kinds = _kinds(names, equality, negation, variable_predicates or vocabulary, builtins, vocabulary)
    if vocabulary:
        kinds = _with_heads(kinds, named, names)
    return Program(named, tuple(dict.fromkeys(draw(draw(kinds)) for _ in range(fact_count))))


@st.composite
def updates(
    draw: st.DrawFn,
    facts: Sequence[Fact],
    *,
    max_steps: int = 4,
    equality: bool = True,
    rules: Sequence[Rule] | None = None,
) -> list[tuple[frozenset[Fact], frozenset[Fact]]]:
    """Draw (added, removed) pairs; each step removes only what is explicit then and adds only what is not.

    Facts that an earlier step removed come back now and then. Given the rules, facts that they derive come and go as
    explicit facts too, and so do facts about ``same`` and ``type``.
    """
    names = FEW if rules is None else PAIR
    kinds = _kinds(names, equality, False, rules is not None, False, rules is not None)
    if rules is not None:
        kinds = _with_heads(kinds, rules, names)
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


def _draw_rule(draw: st.DrawFn, groups: Sequence[Sequence[str]], equality: bool, vocabulary: bool) -> Rule:
    """Draw a rule of a shape of one of the groups, or in one case of six a rule without any shape."""
    if draw(st.sampled_from(range(6))) == 5:
        return _draw_any_rule(draw, equality, vocabulary)
    return draw(_filled(draw(st.sampled_from(draw(st.sampled_from(groups))))))


def is_stratified(rules: Sequence[Rule], equality: bool) -> bool:
    """Tell whether rules have strata by their names."""
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


def _draw_any_rule(draw: st.DrawFn, equality: bool, vocabulary: bool) -> Rule:
    """Draw a rule atom by atom, with whatever repetitions and constants come up.

    It is of the first layer, unless it may have the vocabulary: then of any layer, and its predicates may be variables.
    """
    more_terms = ["?p", "?p", *POOLS["w"], "p"] if vocabulary else []
    more_predicates = ["?p", "?p", "?p", "?x", *POOLS["w"], *POOLS["u"], "t"] if vocabulary else []
    terms = st.sampled_from(["?x", "?x", "?y", "?y", "?z", "a", "b", "c", *more_terms])
    predicates = st.sampled_from([*POOLS["p"], "type", *(["same"] if equality else []), *more_predicates])
    classes = ["A", "B", "C", "?y", *(["D", *POOLS["w"]] if vocabulary else [])]

    def atom(predicate: str) -> str:
        objects = st.sampled_from(classes) if predicate == "type" else terms
        return f"{draw(terms)} {predicate} {draw(objects)}"

    body = [atom(draw(predicates)) for _ in range(draw(st.sampled_from([1, 2, 2, 3])))]
    bound = [token for token in " ".join(body).split() if token.startswith("?")]
    head = [
        token if not token.startswith("?") or token in bound else (bound[0] if bound else "d")
        for token in atom(draw(predicates)).split()
    ]
    return rule(f"{' '.join(head)} :- {', '.join(body)}")


def _with_heads(
    kinds: st.SearchStrategy[st.SearchStrategy[Fact]], rules: Sequence[Rule], names: tuple[str, ...]
) -> st.SearchStrategy[st.SearchStrategy[Fact]]:
    """Return the kinds of facts, of which every second one is a fact that a rule could derive."""
    heads = [item.head for item in rules if item.head is not None]
    if not heads:
        return kinds
    return st.one_of(kinds, st.sampled_from([_instances(head, names) for head in heads]))


@cache
def _instances(head: Atom, names: tuple[str, ...]) -> st.SearchStrategy[Fact]:
    """Return a strategy for the facts that an atom matches; a variable predicate is one of the first layer."""
    pools = [
        ((term,) if isinstance(term, str) else tuple(map(constant, POOLS["p"] if at == 1 else names)))
        for at, term in enumerate(head)
    ]
    return st.tuples(*map(st.sampled_from, pools))


@cache
def _kinds(
    names: tuple[str, ...],
    equality: bool,
    negation: bool,
    variable_predicates: bool,
    builtins: bool,
    vocabulary: bool = False,
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
    if vocabulary:
        words = POOLS["w"]
        about = [fact(f"{w} {p} {o}") for w in words for p in POOLS["p"] for o in (*names, *words)]
        about += [fact(f"{s} {p} {w}") for w in words for p in POOLS["p"] for s in (*names, *POOLS["p"])]
        types = [fact(f"{w} type {c}") for w in words for c in POOLS["c"]]
        kinds += [about, types + [fact(f"{s} type {w}") for s in names for w in words]]
        if equality:
            kinds += [[fact(line) for line in ("p same q", "A same B", "q same a", "r same type", "C same type")]]
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
