"""The theorems of the papers on maintenance, and its laws, on random programs: nothing is considered twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product
from random import Random

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, ReasonerError, UnstratifiableError
from reasoner.maintenance.dred import maintain_by_dred
from reasoner.maintenance.fbf import maintain_by_fbf
from tests import oracle
from tests.maintenance.observing import Observed, ObservedSearch, ObservedUpdate, observed_searches
from tests.maintenance.stepping import PLAIN, Stepper, assert_same_state
from tests.maintenance.test_counting import GRAPH_RULES
from tests.notation import Fact, fact, rules
from tests.strategies import RANDOM, Program, programs, updates

STRATEGIES = {
    "dred": maintain_by_dred,
    "fbf-0": partial(maintain_by_fbf, depth=0),
    "fbf-1": partial(maintain_by_fbf, depth=1),
    "fbf-2": partial(maintain_by_fbf, depth=2),
    "bf": maintain_by_fbf,
}
PURPOSES = {
    "dred": {"delete", "rederive", "insert"},
    "fbf-0": {"delete", "rederive", "insert"},
    "fbf-1": {"delete", "rederive", "insert", "saturate", "search"},
    "fbf-2": {"delete", "rederive", "insert", "saturate", "search"},
    "bf": {"delete", "insert", "saturate", "search"},
}
REACHED = "?y type B :- ?x p ?y, ?x type B"
# All that considers instances of the new materialisation (theorem 25 c), and what only those of both.
NEW = ("insert", "rederive", "saturate")
BOTH = ("rederive", "saturate")


def repeated(considered: Counter) -> list:
    return [item for item, times in considered.items() if times > 1]


def observed(program: Program) -> Observed:
    try:
        return Observed(program.rules, program.facts)
    except UnstratifiableError:
        reject()


def plain_programs(variable_predicates: bool, negation: bool = True) -> st.SearchStrategy[Program]:
    return programs(equality=False, constraints=False, negation=negation, variable_predicates=variable_predicates)


class Instances:
    """The rule instances of a program over the materialisations before and after each change, by the oracle."""

    def __init__(self, program: Program) -> None:
        self.rules = program.rules
        self.explicit = set(program.facts)
        self.facts, self.old = set[Fact](), set()
        self.now = self._of_now()

    def change(self, added: frozenset[Fact], removed: frozenset[Fact]) -> None:
        self.old, self.explicit = self.now, (self.explicit - removed) | added
        self.now = self._of_now()

    def _of_now(self) -> set:
        self.facts = oracle.closure(self.rules, self.explicit, False)
        return oracle.instances(self.rules, self.facts, False)


def graphs() -> Iterator[tuple[Program, list[tuple[frozenset[Fact], frozenset[Fact]]]]]:
    """Yield programs and changes of random graphs with short cycles, and of ladders, whose proofs are long."""
    random = Random(0)
    cycles = [fact(f"n{i} p n{j}") for i in range(6) for j in range(6)], 11
    ladder = [fact(f"n{i} p n{i + step}") for i in range(10) for step in (1, 2)], 19
    for shape, (edges, size) in product([REACHED, *GRAPH_RULES.values()], [cycles, ladder, ladder]):
        program = Program(tuple(rules(shape)), (fact("n0 type B"), *random.sample(edges, size)))
        explicit, steps = set(program.facts[1:]), []
        for _ in range(4):
            removed = frozenset(random.sample(sorted(explicit), 3))
            added = frozenset(random.sample(edges, 5)) - explicit
            explicit = (explicit - removed) | added
            steps.append((added, removed))
        yield program, steps


def assert_trace_is_complete(store: Observed, update: ObservedUpdate, *, glances: bool) -> None:
    """Compare what was observed with what the engine counted.

    The search without limit first tries one instance over explicit facts for each open fact. That is a heuristic
    beside line 81, which chooses what to check first: its instances are counted by the engine, and not observed.
    """
    work = update.work.instances
    assert work.get("delete", 0) == store.instances("delete").total()
    assert work.get("rederive", 0) == store.instances("rederive").total()
    assert work.get("insert", 0) == store.instances("insert").total()
    checked = store.instances("saturate", "search").total()
    assert work.get("check", 0) >= checked if glances else work.get("check", 0) == checked


def assert_theorems(name: str, store: Observed, expected: Instances, update: ObservedUpdate, before: set) -> None:
    """Compare what a strategy did with theorems 19 and 25 (a) to (d), of which the first is the case of depth 0."""
    assert store.decoded(store.facts) == expected.facts  # a
    assert store.decoded(update.deleted) == before - expected.facts
    assert store.decoded(update.added) == expected.facts - before
    deleting, renewing, searching = (store.instances(*group) for group in (("delete",), NEW, ("search",)))
    assert repeated(deleting) == []  # b
    assert {instance for _, instance in deleting} <= expected.old
    assert repeated(renewing) == []  # c
    assert {instance for _, instance in renewing} <= expected.now
    assert {instance for _, instance in store.instances(*BOTH)} <= expected.old
    assert repeated(searching) == []  # d
    assert {instance for _, instance in searching} <= expected.old
    recursive = {rule.origin for stratum in store.strata for rule in stratum.recursive_rules}
    assert {rule for _, (rule, _) in searching} <= recursive
    assert_trace_is_complete(store, update, glances=name == "bf")
    if name == "bf":
        assert_exact(store)  # e


def assert_exact(store: Observed) -> None:
    """No fact is blocked, and one-step rederivation considers nothing."""
    assert [search for search in store.searches if len(search.blocked)] == []
    assert store.instances("rederive") == Counter()


@pytest.mark.parametrize("name", STRATEGIES)
@settings(RANDOM, max_examples=80)
@given(st.data())
def test_instances_are_of_the_right_materialisation_and_considered_once(name, data):
    program = data.draw(plain_programs(data.draw(st.booleans())))
    store, expected = observed(program), Instances(program)
    for added, removed in data.draw(updates(program.facts, max_steps=3, equality=False)):
        before = expected.facts
        expected.change(added, removed)
        update = store.change(STRATEGIES[name], added, removed)

        assert_theorems(name, store, expected, update, before)


@pytest.mark.parametrize("name", STRATEGIES)
def test_instances_are_considered_once_where_most_facts_have_several_proofs(name):
    """Every purpose that a strategy has is met, and met often."""
    met: Counter[str] = Counter()
    for program, steps in graphs():
        store, expected = observed(program), Instances(program)
        for added, removed in steps:
            before = expected.facts
            expected.change(added, removed)
            update = store.change(STRATEGIES[name], added, removed)
            met.update({purpose: found.total() for purpose, found in store.seen.items()})

            assert_theorems(name, store, expected, update, before)
    assert {purpose for purpose, times in met.items() if times > 10} == PURPOSES[name]


@pytest.mark.parametrize("negation", [False, True])
@settings(RANDOM, max_examples=80)
@given(st.data())
def test_a_search_without_limit_leaves_nothing_to_rederive(negation, data):
    """Theorem 25 (e): the deletion is exact.

    Without negation this is to say that D never has what follows from the facts that stay explicit. What comes back
    from D does so because of facts that are added.
    """
    program = data.draw(plain_programs(data.draw(st.booleans()), negation))
    store, explicit = observed(program), set(program.facts)
    for added, removed in data.draw(updates(program.facts, equality=False)):
        before = store.decoded(store.facts)
        update = store.change(maintain_by_fbf, added, removed)
        event("searched" if store.seen["search"] else "not searched")

        assert_exact(store)
        if not negation:
            lost = before - oracle.closure(program.rules, explicit - removed, False)
            assert store.decoded(update.deleted) <= store.decoded(update.overdeleted) <= lost
        explicit = (explicit - removed) | added


def assert_alike(program: Program, steps) -> None:
    """Compare DRed with FBF of depth 0: facts deleted, rounds, and instances considered, purpose by purpose."""
    by_dred, by_fbf = observed(program), observed(program)
    for added, removed in steps:
        dred = by_dred.change(maintain_by_dred, added, removed)
        fbf = by_fbf.change(STRATEGIES["fbf-0"], added, removed)

        assert by_dred.decoded(dred.overdeleted) == by_fbf.decoded(fbf.overdeleted)
        assert dred.work.rounds == fbf.work.rounds
        for purpose in ("delete", "rederive", "insert"):
            assert by_dred.instances(purpose) == by_fbf.instances(purpose)
        assert by_fbf.instances("saturate", "search") == Counter()


@settings(RANDOM, max_examples=80)
@given(st.data())
def test_a_search_of_no_depth_is_dred(data):
    """Theorem 25 (f)."""
    program = data.draw(plain_programs(data.draw(st.booleans())))
    assert_alike(program, data.draw(updates(program.facts, equality=False)))


def test_a_search_of_no_depth_is_dred_where_most_facts_have_several_proofs():
    for program, steps in graphs():
        assert_alike(program, steps)


def runs_of_bf(program: Program, steps) -> list[ObservedSearch]:
    """Change facts by B/F under rewriting, step by step until it is refused; return the runs that it took."""
    kb = Reasoner(profile="none", modules=False)
    kb.add_rules(program.rules)
    kb.add(program.facts)
    kb.materialise()
    complete = 0
    with observed_searches() as runs:
        for added, removed in steps:
            try:
                with kb.transaction(strategy="bf") as change:
                    change.remove(removed)
                    change.add(added)
            except ReasonerError:
                break
            complete = len(runs)
    return runs[:complete]


@settings(RANDOM, max_examples=200)
@given(st.data())
def test_bf_under_rewriting_considers_a_rule_with_a_substitution_once(data):
    """Motik et al. 2015, theorem 1 (2) and (3): in lines 50 and 58 together, in line 15, and in line 33 as well.

    A rule that gamma rewrites is another rule. Line 33 meets an instance once because a fact is checked once.
    """
    program = data.draw(programs(negation=data.draw(st.booleans()), constraints=False))
    try:
        runs = runs_of_bf(program, data.draw(updates(program.facts, max_steps=3)))
    except UnstratifiableError:
        reject()
    for run in runs:
        event("merging" if run.proved.result.representatives else "not merging")
        assert_theorem_1(run)


def assert_theorem_1(run: ObservedSearch) -> None:
    assert repeated(run.seen["saturate"]) == []
    assert repeated(run.seen["delete"]) == []
    assert repeated(run.seen["search"]) == []
    assert run.checking >= run.seen["saturate"].total() + run.seen["search"].total()


# Keys that are inherited along p make nodes equal; constants of rules are among the nodes.
KEYS = rules("""
    ?x same ?y :- ?x k ?z, ?y k ?z
    ?x k ?z :- ?x p ?y, ?y k ?z
    ?x p ?z :- ?x p ?y, ?y p ?z
    ?x p n0 :- ?x type A
    n1 k ?x :- ?x p n2
""")


@pytest.mark.parametrize("seed", range(8))
def test_bf_under_rewriting_considers_nothing_twice_while_classes_fall_apart(seed):
    random, met = Random(seed), Counter()
    possible = [fact(f"n{i} p n{j}") for i in range(8) for j in range(8) if i < j]
    possible += [fact(f"n{i} k m{j}") for i in range(8) for j in range(3)] + [fact(f"n{i} type A") for i in range(8)]
    for _ in range(4):
        explicit = set(random.sample(possible, 14))
        program, steps = Program(tuple(KEYS), tuple(sorted(explicit))), []
        for _ in range(4):
            removed = set(random.sample(sorted(explicit), 3))
            added = set(random.sample(possible, 2)) - explicit
            explicit = (explicit - removed) | added
            steps.append((frozenset(added), frozenset(removed)))
        for run in runs_of_bf(program, steps):
            met.update({purpose: found.total() for purpose, found in run.seen.items()})
            met["merging"] += bool(run.proved.result.representatives)
            assert_theorem_1(run)
    assert all(met[purpose] > 20 for purpose in ("saturate", "delete", "search"))
    assert met["merging"] > 5


def stepper(data) -> tuple[Program, Stepper]:
    equality = data.draw(st.sampled_from(["rewrite", "rewrite", "none"]))
    program = data.draw(programs(equality=equality == "rewrite", constraints=False))
    return program, Stepper(program, PLAIN, equality=equality, modules=data.draw(st.booleans()))


def first_update(data, program: Program) -> tuple[frozenset[Fact], frozenset[Fact]]:
    return data.draw(updates(program.facts, max_steps=1))[0]


@settings(RANDOM, max_examples=80)
@given(st.data())
def test_taking_out_what_was_put_in_restores_the_store_to_the_bit(data):
    """Whatever the strategy, and the other way round as well."""
    try:
        program, steps = stepper(data)
        before = steps.kb.store.state
        added, removed = first_update(data, program)
        for change in (added, ()), ((), added), ((), removed), (removed, ()):
            steps.step(*change)
            event("maintained" if steps.maintained else "not maintained")
            if change in (((), added), (removed, ())):
                for state in steps.states.values():
                    assert_same_state(state, before)
    except UnstratifiableError:
        reject()


@settings(RANDOM, max_examples=80)
@given(st.data())
def test_removal_and_addition_together_are_the_two_in_sequence(data):
    try:
        program, steps = stepper(data)
        before = dict(steps.states)
        added, removed = first_update(data, program)
        ends = []
        for changes in [(added, removed)], [((), removed), (added, ())], [(added, ()), ((), removed)]:
            steps.states = dict(before)
            for change in changes:
                steps.step(*change)
            ends.append(steps.states)
    except UnstratifiableError:
        reject()
    together, removed_first, added_first = ends

    for strategy in PLAIN:
        assert_same_state(removed_first[strategy], together[strategy])
        assert_same_state(added_first[strategy], together[strategy])
