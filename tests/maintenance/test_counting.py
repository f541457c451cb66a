"""Counting keeps the facts and the trace that materialising from scratch gives, and meets no rule instance twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from random import Random

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from reasoner import UnstratifiableError
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.multiset import ColumnarMultiset
from reasoner.columnar.plans import Plan
from reasoner.columnar.store import ColumnarStore
from reasoner.maintenance.counting import DerivationTrace, maintain_by_counting, traced_materialisation
from reasoner.maintenance.strata import maintained_strata
from reasoner.maintenance.update import Update, Work
from reasoner.reasoning.arrange import Options
from reasoner.reasoning.program import ProgramTerms, encode_program
from reasoner.rules.encode import is_variable
from reasoner.rules.rule import Rule
from reasoner.rules.template import Template
from tests import oracle
from tests.notation import Fact, fact, facts, rules
from tests.strategies import RANDOM, programs, updates
from tests.test_papers import STRATA, STRATA_FACTS

WITHOUT_EQUALITY = Options(equality=False, modules=False)
Instance = tuple[tuple[int, Template], tuple[Fact, ...], tuple[Fact, ...]]


def read_multiset(store: ColumnarStore, some: ColumnarMultiset) -> dict[Fact, int]:
    """Return how often each fact occurs, in a form that does not depend on ids."""
    found: dict[Fact, int] = {}
    for predicate in some.facts:
        table = some.facts.table(predicate)
        s, o = table.pairs()
        amounts = some.multiplicities(predicate, table.keys()).tolist()
        found |= dict(zip(store.decoded([(s, predicate, o)]), amounts, strict=True))
    return found


def read_trace(store: ColumnarStore, trace: DerivationTrace) -> list[tuple[list[dict[Fact, int]], dict[Fact, int]]]:
    """Return the rounds and the births of each stratum."""
    return [
        ([read_multiset(store, part) for part in stratum.rounds], read_multiset(store, stratum.births))
        for stratum in trace.strata
    ]


class PhasedUpdate(Update):
    """An update that tells which phase it is in."""

    current_phase = ""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self.current_phase = name
        with super().phase(name):
            yield


class Counting:
    """A store that is maintained by counting."""

    def __init__(self, program: Sequence[Rule], explicit: Iterable[Fact]) -> None:
        self.store = ColumnarStore()
        dictionary = self.store.dictionary
        self.program = program
        encoded = encode_program(program, ProgramTerms(dictionary.id_of, dictionary.text), equality=False)
        self.engine = ColumnarEngine(dictionary, equality=False)
        self.base, self.strata = maintained_strata(self.engine, encoded, WITHOUT_EQUALITY)
        self.denials = {
            plan.denial(at): plan
            for stratum in self.strata
            for plans in (stratum.nonrecursive, stratum.recursive)
            for plan in plans
            for at in range(len(plan.template.negative))
        }
        bodyless = [rule for stratum in encoded.strata for rule in stratum.rules if not rule.body and not rule.negative]
        self.stated = self.engine.evaluate(self.engine.compile(bodyless), FactSet())
        self.explicit = self.engine.union(self.encoded(explicit), self.stated)
        self.facts, self.trace, self.rounds = self.from_scratch()

    def encoded(self, triples: Iterable[Fact]) -> FactSet:
        return FactSet.of_columns(*self.store.encode(triples))

    def decoded(self, some: FactSet) -> set[Fact]:
        return set(self.store.texts(some))

    def from_scratch(self) -> tuple[FactSet, DerivationTrace, dict[Instance, int]]:
        """Return facts, trace, and for each rule instance the number of the round that it follows."""
        seen: list[Instance] = []
        facts, traces = self.engine.of_splits(self.explicit, self.base), []
        rounds: dict[Instance, int] = {}
        for stratum in self.strata:
            self.engine.trace = lambda plan, found, level=stratum.level: seen.extend(self.read(level, plan, found))
            facts, trace = traced_materialisation(self.engine, (stratum,), facts, self.explicit)
            traces += trace.strata
            births = self.multiset(trace.strata[0].births)
            rounds |= {instance: max((births.get(fact, 0) for fact in instance[1]), default=0) for instance in seen}
            seen.clear()
        self.engine.trace = None
        return facts, DerivationTrace(tuple(traces)), rounds

    def change(self, added: Iterable[Fact], removed: Iterable[Fact]) -> PhasedUpdate:
        """Apply a change that removes explicit facts only, and adds only others."""
        engine = self.engine
        gone, come = self.encoded(removed).difference(self.stated), self.encoded(added).difference(self.stated)
        after = self.explicit.difference(gone).union(come)
        update = PhasedUpdate(engine, self.facts, after, engine.identity(), gone, come, Work())
        self.seen: dict[str, list[Instance]] = {"delete": [], "insert": [], "look ahead": []}
        update.delete(engine.of_splits(gone, self.base))
        update.add(engine.of_splits(come, self.base))
        traces = []
        for stratum, trace in zip(self.strata, self.trace.strata, strict=True):
            engine.trace = lambda plan, found, level=stratum.level: self.seen[update.current_phase].extend(
                self.read(level, plan, found)
            )
            traces.append(maintain_by_counting(update, stratum, trace))
        engine.trace = None
        self.explicit, self.facts, self.trace = after, update.current, DerivationTrace(tuple(traces))
        return update

    def read(self, level: int, plan: Plan, found: Bindings[int]) -> Iterator[Instance]:
        """Yield instances with their body facts; a rule that several strata have is as many rules."""
        template = self.denials.get(plan, plan).template
        text = self.store.dictionary.text
        for row in range(found.size):
            values = {term: text(int(column[row])) for term, column in found.columns.items()}
            ground = [
                tuple(values[term] if is_variable(term) else text(term) for term in atom)
                for atom in (*template.body, *template.negative, template.head)
            ]
            yield (level, template), tuple(ground[: len(template.body)]), tuple(ground[len(template.body) :])

    def multiset(self, some: ColumnarMultiset) -> dict[Fact, int]:
        return read_multiset(self.store, some)

    def written(self, trace: DerivationTrace) -> list[tuple[list[dict[Fact, int]], dict[Fact, int]]]:
        return read_trace(self.store, trace)


def counts(text: str) -> dict[Fact, int]:
    """Read a multiset in which a fact occurs as often as it is written."""
    return dict(Counter(facts(text)))


def assert_as_from_scratch(counting: Counting, update: Update, before: FactSet) -> None:
    """Compare facts, trace (theorem 12 a), what the update says has come and gone, and the instances considered.

    These are each met once (theorem 12 b and c), and they are just those that are of another round than before. A look
    ahead comes on top: it meets an instance once for each of its facts that goes, and for each that comes, at most.
    """
    old = counting.rounds
    scratch, trace, new = counting.from_scratch()
    counting.rounds = new
    assert counting.decoded(counting.facts) == counting.decoded(scratch)
    assert counting.written(counting.trace) == counting.written(trace)
    assert counting.decoded(update.deleted) == counting.decoded(before) - counting.decoded(scratch)
    assert counting.decoded(update.added) == counting.decoded(scratch) - counting.decoded(before)
    for phase, here, there in (("delete", old, new), ("insert", new, old)):
        considered = Counter(counting.seen[phase])
        assert considered == Counter(instance for instance, round in here.items() if there.get(instance) != round)
        assert update.work.instances.get(phase, 0) == considered.total()
    looked_at = Counter(counting.seen["look ahead"])
    assert update.work.instances.get("look ahead", 0) == looked_at.total()
    for (_, body, denied_and_head), times in looked_at.items():
        assert times <= 2 * (len(body) + len(denied_and_head) - 1)


def test_the_trace_of_the_first_example_has_the_rounds_of_figure_3():
    counting = Counting(STRATA, STRATA_FACTS)

    (first, _), (second, births) = counting.written(counting.trace)

    assert first == [counts("a T b, b T c, c T d, d T c, e T c, f T g, g T c, b T e")]
    assert second == [
        counts("a type B"),
        counts("b type B"),
        counts("c type B, e type B"),
        counts("c type B, d type B"),
        counts("c type B"),
    ]
    assert births == dict(zip(facts("a type B, b type B, c type B, e type B, d type B"), [1, 2, 3, 3, 4], strict=True))


def test_the_update_of_the_second_example_gives_the_other_trace_of_figure_3():
    counting = Counting(STRATA, STRATA_FACTS)
    before = counting.facts

    update = counting.change(facts("b type A"), [])

    (first, _), (second, _) = counting.written(counting.trace)
    assert first == [counts("a T b, b T c, c T d, d T c, e T c, f T g, g T c, b T f")]
    assert second == [
        counts("a type B"),
        counts("b type B"),
        counts("c type B, f type B"),
        counts("d type B, g type B"),
        counts("c type B, c type B"),
    ]
    assert counting.decoded(update.deleted) == set(facts("b T e, e type B"))
    assert counting.decoded(update.added) == set(facts("b type A, b T f, f type B, g type B"))
    assert_as_from_scratch(counting, update, before)


def test_the_update_of_the_second_example_considers_the_instances_of_the_eighth_only():
    """(15), (16), (17) are undone, (11) to (14) done: nothing else is looked at."""
    counting = Counting(STRATA, STRATA_FACTS)

    update = counting.change(facts("b type A"), [])

    assert update.work.instances == {"delete": 3, "insert": 4}


def test_a_fact_that_supports_itself_is_deleted():
    """Examples 5 and 9: one count for all rounds would leave R(a, b) and R(b, a) behind."""
    counting = Counting(rules("?y R ?x :- ?x R ?y"), facts("a R b"))
    assert counting.written(counting.trace)[0][0] == [counts("a R b"), counts("b R a"), counts("a R b")]

    counting.change([], facts("a R b"))

    assert len(counting.facts) == 0
    assert counting.written(counting.trace) == [([], {})]


def test_a_change_that_combines_old_with_new_facts_only_considers_nothing():
    """Example 4: R(a, b) comes as R(b, c) goes, and no instance has ever had both."""
    counting = Counting(rules("?x S ?z :- ?x R ?y, ?y R ?z"), facts("b R c"))

    update = counting.change(facts("a R b"), facts("b R c"))

    assert update.work.total == 0
    assert counting.decoded(counting.facts) == set(facts("a R b"))


def test_derivations_are_counted_where_nothing_is_recursive():
    """Example 3: S(a, d) has two derivations, and outlives one."""
    counting = Counting(rules("?x S ?z :- ?x R ?y, ?y R ?z"), facts("a R b, b R d, a R c, c R d"))
    assert counting.written(counting.trace) == [([counts("a S d, a S d")], {})]

    counting.change([], facts("a R b"))

    assert counting.written(counting.trace) == [([counts("a S d")], {})]


def test_a_fact_that_is_born_later_than_before_stays():
    """The edge a-d is a shortcut: without it, the path goes on, a few rounds longer."""
    counting = Counting(
        rules("""
            ?x type B :- ?x type A
            ?y type B :- ?x type B, ?x p ?y
        """),
        facts("a type A, a p b, b p c, c p d, a p d, d p e"),
    )
    before = counting.facts

    update = counting.change([], facts("a p d"))

    births = counting.written(counting.trace)[0][1]
    assert births == dict(zip(facts("a type B, b type B, c type B, d type B, e type B"), range(1, 6), strict=True))
    assert counting.decoded(update.deleted) == set(facts("a p d"))
    assert_as_from_scratch(counting, update, before)

    update = counting.change(facts("a p d"), [])

    assert counting.decoded(update.added) == set(facts("a p d"))
    assert_as_from_scratch(counting, update, before.difference(counting.encoded(facts("a p d"))))


def test_rounds_before_and_after_a_change_are_not_looked_at():
    """A chain of sixty rounds: a twig at its start concerns few of them, a link those behind it."""
    chain = [fact(f"n{i} p n{i + 1}") for i in range(60)]
    program = rules("?y type B :- ?x type B, ?x p ?y, not ?x type A")
    counting = Counting(program, [*chain, *facts("n0 type B, n1 p m")])
    for added, removed in [
        ("", "n1 p m"),
        ("", "n40 p n41"),
        ("n40 p n41, n10 p n41", ""),
        ("n30 type A", "n10 p n41"),
        ("n2 p n31", ""),
        ("", "n30 type A"),
    ]:
        before, old = counting.facts, counting.written(counting.trace)[0][0]

        update = counting.change(facts(added), facts(removed))

        new = counting.written(counting.trace)[0][0]
        differing = sum(first != second for first, second in zip_longest(old, new))
        assert update.work.rounds <= differing + 6
        assert_as_from_scratch(counting, update, before)


def test_looks_ahead_follow_the_change_and_not_its_square():
    """Every third node of a chain loses a twig: a look after each must not look at all again."""
    chain = [fact(f"n{i} p n{i + 1}") for i in range(150)]
    twigs = [fact(f"n{i} p m{i}") for i in range(0, 150, 3)]
    counting = Counting(rules("?y type B :- ?x type B, ?x p ?y"), [*chain, *twigs, *facts("n0 type B")])
    before = counting.facts

    update = counting.change([], twigs)

    assert update.work.instances == {"delete": 50, "insert": 0, "look ahead": 50}
    assert_as_from_scratch(counting, update, before)


@pytest.mark.parametrize("variable_predicates", [False, True])
@settings(RANDOM, max_examples=150)
@given(st.data())
def test_random_updates_keep_facts_and_trace_and_meet_no_instance_twice(variable_predicates, data):
    program = data.draw(programs(equality=False, constraints=False, variable_predicates=variable_predicates))
    try:
        counting = Counting(program.rules, program.facts)
    except UnstratifiableError:
        reject()
    explicit = set(program.facts)
    assert counting.decoded(counting.facts) == oracle.closure(program.rules, explicit, False)
    if not any(stratum.spans for stratum in counting.strata):
        evaluated = [rule for rule in program.rules if rule.body or rule.negative]
        assert len(counting.rounds) == len(oracle.instances(evaluated, counting.decoded(counting.facts), False))
    event(f"{max((len(part.rounds) for part in counting.trace.strata), default=0)} rounds")
    for added, removed in data.draw(updates(program.facts, equality=False)):
        before = counting.facts
        explicit = (explicit - removed) | added
        update = counting.change(added, removed)
        event("rounds" if update.work.rounds else "no rounds")

        assert counting.decoded(counting.facts) == oracle.closure(program.rules, explicit, False)
        assert_as_from_scratch(counting, update, before)


GRAPH_RULES = {
    "linear": "?x t ?y :- ?x p ?y\n ?x t ?z :- ?x t ?y, ?y p ?z",
    "squaring": "?x t ?y :- ?x p ?y\n ?x t ?z :- ?x t ?y, ?y t ?z",
    "explicit and derived": "?x p ?z :- ?x p ?y, ?y p ?z",
    "symmetric": "?y p ?x :- ?x p ?y\n ?x p ?z :- ?x p ?y, ?y p ?z",
    "cubing, and what is not reached": """
        ?x t ?y :- ?x p ?y
        ?x t ?w :- ?x t ?y, ?y t ?z, ?z t ?w
        ?x u ?y :- ?y p ?x, not ?x t ?y
        ?x u ?z :- ?x u ?y, ?y u ?z, not ?z t ?z, not ?x type A
    """,
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", GRAPH_RULES)
def test_births_move_through_many_rounds_of_random_graphs(name, seed):
    """Sparse graphs have long paths: an edge that comes or goes gives many facts another round."""
    random = Random(seed)
    edges = [fact(f"n{i} p n{(i + 1) % 9}") for i in range(9)]
    others = [fact(f"n{i} p n{j}") for i in range(9) for j in range(9)] + [fact(f"n{i} type A") for i in range(9)]
    explicit = set(random.sample(edges, 7)) | set(random.sample(others, 3))
    program = rules(GRAPH_RULES[name])
    counting = Counting(program, sorted(explicit))
    most = 0
    for _ in range(6):
        removed = set(random.sample(sorted(explicit), random.randint(0, 2)))
        added = set(random.sample(edges + others, random.randint(0, 2))) - explicit
        explicit = (explicit - removed) | added
        before = counting.facts
        update = counting.change(sorted(added), sorted(removed))
        most = max(most, update.work.rounds)

        assert counting.decoded(counting.facts) == oracle.closure(program, explicit, False)
        assert_as_from_scratch(counting, update, before)
    assert most > 1
