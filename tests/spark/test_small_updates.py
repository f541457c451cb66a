"""Updates of a few facts read a neighbourhood only, and give what updates of everything give."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, UnstratifiableError
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.nearby import Neighbourhood, TooFarError, change_of
from reasoner.columnar.store import ColumnarStore
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.maintain import maintain
from reasoner.maintenance.program import Change, prepare_maintenance
from reasoner.maintenance.strategies import strategy_of
from reasoner.maintenance.update import Work
from reasoner.reasoning.arrange import Options, prepare
from reasoner.reasoning.materialise import materialise
from reasoner.reasoning.program import ProgramTerms, encode_program
from reasoner.spark import store_write
from reasoner.state.draft import Draft
from reasoner.terms.term import TYPE
from tests.spark.engines import pairs
from tests.spark.test_reasoner import deltas_of_change, fact, on_spark, quick, seen  # noqa: F401
from tests.strategies import RANDOM, programs, updates


class Fetching:
    """Gives facts of sets in memory, and counts how often it was asked."""

    def __init__(self, *sets):
        self.sets = sets
        self.asked = 0

    def __call__(self, kind, ids):
        self.asked += 1
        wanted = set(ids.tolist())
        return [self.chosen(facts, kind, wanted) for facts in self.sets]

    def chosen(self, facts, kind, wanted):
        s, p, o = facts.columns()
        column = {"s": s, "o": o, "class": o, "p": p}[kind].tolist()
        rows = [
            at
            for at, (value, predicate) in enumerate(zip(column, p.tolist(), strict=True))
            if value in wanted and (kind not in ("o", "class") or (predicate == TYPE) == (kind == "class"))
        ]
        return FactSet.of_columns(s[rows], p[rows], o[rows])


def nearby(known, most, *sets):
    fetching = Fetching(*sets)
    around = Neighbourhood(fetching, known, most)
    nothing = FactSet()
    views = [around.facts({p: f.table(p).size for p in f}, f.classes(), nothing, nothing) for f in sets]
    return fetching, views


@pytest.mark.parametrize("strategy", ["bf", "dred", "fbf"])
@pytest.mark.parametrize("equality", [True, False])
def test_random_updates_of_a_neighbourhood_agree_with_those_of_everything(strategy, equality):
    @settings(RANDOM, max_examples=60)
    @given(st.data())
    def agree(data):
        program = data.draw(programs(constraints=False))
        ((added, removed),) = data.draw(updates(program.facts, max_steps=1))
        store = ColumnarStore()
        encoded = encode_program(
            program.rules, ProgramTerms(store.dictionary.id_of, store.dictionary.text), equality=equality
        )
        options = Options(equality=equality, modules=data.draw(st.booleans()))
        engine = ColumnarEngine(store.dictionary, equality=equality)
        before, come, gone = (FactSet.of_columns(*store.encode(some)) for some in (program.facts, added, removed))
        gone, come = gone.intersection(before), come.difference(before)
        try:
            state = materialise(engine, prepare(engine, encoded, options), before)
        except UnstratifiableError:
            reject()
        ready = prepare_maintenance(engine, encoded, options)

        def updated(explicit, facts):
            after = explicit.difference(gone).union(come)
            change = Change(explicit, after, gone, come)
            run, overdelete = strategy_of(strategy), strategy == "dred"
            return maintain(ready, run, change, facts, state.representatives, Work(), overdelete=overdelete)

        try:
            expected = updated(before, state.facts)
        except NotMaintainableError:
            reject()
        _, (explicit, facts) = nearby(len(store.dictionary), 10**6, before, state.facts)
        found = updated(explicit, facts)
        came, went = change_of(facts, found.facts)

        assert found.representatives.members.tolist() == expected.representatives.members.tolist()
        assert found.representatives.targets.tolist() == expected.representatives.targets.tolist()
        assert pairs(state.facts.difference(went).union(came)) == pairs(expected.facts)

    agree()


def test_what_leads_too_far_is_an_error():
    store = ColumnarStore()
    facts = FactSet.of_columns(*store.encode([fact(f"a p b{at}") for at in range(9)]))
    _, (view,) = nearby(len(store.dictionary), 5, facts)

    with pytest.raises(TooFarError):
        view.table(store.id_of("<http://e.org/p>")).objects_of(store.id_of("<http://e.org/a>"))


def test_terms_that_are_new_are_not_asked_for():
    store = ColumnarStore()
    facts = FactSet.of_columns(*store.encode([fact("a p b")]))
    fetching, (view,) = nearby(len(store.dictionary), 5, facts)
    new = store.id_of("<http://e.org/new>")

    assert view.table(store.id_of("<http://e.org/p>")).objects_of(new).tolist() == []
    assert fetching.asked == 0


def test_one_fact_takes_few_jobs_and_gives_the_same(quick):  # noqa: F811
    rules = """PREFIX e: <http://e.org/>
    ?x a e:Member :- ?x e:in ?y .
    ?x e:in ?z :- ?x e:in ?y, ?y e:part ?z .
    ?x e:knows ?z :- ?x e:in ?y, ?z e:in ?y, ?x e:shares ?z ."""
    data = [fact(f"x{at} in g{at % 7}") for at in range(60)] + [fact(f"g{at} part g{at // 2}") for at in range(2, 7)]
    data += [fact(f"x{at} shares x{at + 7}") for at in range(40)]
    expected, found = Reasoner("none"), on_spark(quick, driver_rows=24)
    for kb in (expected, found):
        kb.add_rules(rules)
        kb.add(data)
        kb.materialise()
    tracker = quick.sparkContext.statusTracker()
    for change in ({"remove": data[10]}, {"add": [fact("x61 in g3")]}):
        before = set(tracker.getJobIdsForGroup(None))
        wanted, delta = deltas_of_change(change, "bf", expected, found)
        assert len(set(tracker.getJobIdsForGroup(None)) - before) < 15
        assert delta.counts == wanted.counts
        assert seen(found) == seen(expected)


@pytest.mark.parametrize("strategy", ["bf", "dred"])
def test_equal_values_of_literals_do_not_keep_updates_from_being_small(quick, strategy, monkeypatch):  # noqa: F811
    """Two spellings of one number make equal what has it as its key; they come and go near what changes."""

    def number(text: str) -> str:
        return f'"{text}"^^<http://www.w3.org/2001/XMLSchema#integer>'

    def age(name: str, text: str) -> tuple[str, str, str]:
        return fact(f"{name} age x")[0], fact("x age x")[1], number(text)

    rules = "PREFIX e: <http://e.org/> ?x owl:sameAs ?y :- ?x e:age ?n, ?y e:age ?n . ?x a e:Known :- ?x e:age ?n ."
    data = [fact(f"a{at} in g{at % 3}") for at in range(40)]
    data += [age("a1", "1"), age("a2", "01"), age("a3", "3"), age("a4", "4")]
    expected, found = Reasoner("owl2rl"), on_spark(quick, profile="owl2rl", driver_rows=8)
    for kb in (expected, found):
        kb.add_rules(rules)
        kb.add(data)
        kb.materialise()
    outcomes = []
    maintained = found.store._small.maintained
    monkeypatch.setattr(
        found.store._small, "maintained", lambda *a, **k: outcomes.append(maintained(*a, **k)) or outcomes[-1]
    )
    # One pair, in both orders.
    assert len(found.store.state.values) == 2
    for change in (
        {"add": [fact("a1 in g9")]},
        {"add": [age("a5", "003")]},
        {"remove": [age("a2", "01")]},
        {"remove": [age("a3", "3")], "add": [age("a2", "1")]},
    ):
        wanted, delta = deltas_of_change(change, strategy, expected, found)
        assert delta.counts == wanted.counts
        assert seen(found) == seen(expected)
        assert len(found.store.state.values) == len(expected.store.state.values)
    assert len(outcomes) == 4
    assert [outcome is not None for outcome in outcomes] == [True] * 4


@pytest.mark.parametrize("by_executors", [False, True])
def test_a_small_load_into_a_materialised_store_is_maintained(quick, tmp_path, monkeypatch, by_executors):  # noqa: F811
    data = [fact(f"x{at} in g{at % 7}") for at in range(60)] + [fact(f"g{at} part g{at // 2}") for at in range(2, 7)]
    come = [fact("x61 in g3"), fact("y in x61"), data[0]]
    (tmp_path / "come.nt").write_text("".join(f"{' '.join(each)} .\n" for each in come))
    expected, found = Reasoner("none"), on_spark(quick, driver_rows=24)
    for kb in (expected, found):
        kb.add_rules("PREFIX e: <http://e.org/> ?x e:in ?z :- ?x e:in ?y, ?y e:part ?z .")
        kb.add(data if kb is found else [*data, *come])
        kb.materialise()
    monkeypatch.setattr(store_write, "SMALL_BYTES", 0 if by_executors else 1 << 20)
    monkeypatch.setattr(Draft, "reason", lambda *_: pytest.fail("everything is materialised again"))

    found.load(tmp_path / "come.nt")

    assert found.is_materialised
    assert seen(found) == seen(expected)
    found.store.close()
