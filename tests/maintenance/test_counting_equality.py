"""Counting maintains the strata above equality, also where classes and the constants of rules change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, UnstratifiableError
from reasoner.columnar.factset import FactSet
from reasoner.columnar.store import Snapshot
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.counting import DerivationTrace, maintain_by_counting, traced_materialisation
from reasoner.maintenance.maintain import maintain
from reasoner.maintenance.program import prepare_maintenance
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update, Work
from reasoner.reasoning.arrange import Options
from reasoner.rules.rule import Rule
from tests.maintenance.test_counting import read_trace
from tests.notation import Fact, facts, rules
from tests.strategies import RANDOM, drawn, programs, updates


class CountingAboveEquality:
    """A store with equality, of which the strata above it are maintained by counting."""

    def __init__(self, program: Sequence[Rule], explicit: Iterable[Fact]) -> None:
        self.kb = Reasoner(profile="none", modules=False)
        self.kb.add_rules(program)
        self.kb.add(explicit)
        self.kb.materialise()
        self.engine = self.kb.store.engine
        self.maintenance = prepare_maintenance(self.engine, self.kb.session.program(), Options(modules=False))
        state = self.kb.store.state
        self.maintenance.require_no_occurrences(state.facts, state.representatives)
        self.trace = self.from_scratch(state)
        self.rewritten = 0

    def from_scratch(self, state: Snapshot) -> DerivationTrace:
        engine, mapping = self.engine, state.representatives
        strata = self.maintenance.strata_between(mapping, mapping)
        explicit = engine.normalise(engine.union(engine.irreflexive(state.explicit), self.maintenance.stated), mapping)
        below = engine.of_splits(state.facts, strata[0].settled) if strata else FactSet()
        facts, trace = traced_materialisation(engine, strata, below, explicit)
        assert len(facts.difference(state.facts)) == 0
        return trace

    def change(self, added: Iterable[Fact], removed: Iterable[Fact]) -> bool:
        """Apply a change; tell whether counting had a part in it."""
        state, traces = self.kb.store.state, []

        def by_counting(update: Update, program: object, strata: Sequence[MaintainedStratum]) -> None:
            for stratum, trace in zip(strata, self.trace.strata, strict=True):
                self.rewritten += bool(stratum.lost_rules or stratum.new_rules)
                traces.append(maintain_by_counting(update, stratum, trace))

        change = self.kb.store.changed(added, removed)
        result = maintain(self.maintenance, by_counting, change, state.facts, state.representatives, Work())
        session, store = self.kb.session, self.kb.store
        snapshot = Snapshot(change.after, result.facts, result.representatives)
        session.use(store.at(snapshot), replace(session.state, snapshot=snapshot, terms=len(store.dictionary)))
        if traces:
            self.trace = DerivationTrace(tuple(traces))
        return bool(traces)


@pytest.mark.parametrize("vocabulary", [False, True])
@settings(RANDOM, max_examples=drawn(100))
@given(st.data())
def test_counting_above_equality_keeps_facts_and_trace(vocabulary, data):
    program = data.draw(programs(constraints=False, vocabulary=vocabulary))
    try:
        counting = CountingAboveEquality(program.rules, program.facts)
        explicit = set(program.facts)
        for added, removed in data.draw(updates(program.facts, rules=program.rules if vocabulary else None)):
            explicit = (explicit - removed) | added
            if not counting.change(added, removed):
                reject()
            scratch = CountingAboveEquality(program.rules, sorted(explicit))
            event("classes" if scratch.kb.classes() else "no classes")
            event("rules change" if counting.rewritten else "rules stay")

            assert set(counting.kb.triples()) == set(scratch.kb.triples())
            expected = counting.from_scratch(counting.kb.store.state)
            assert read_trace(counting.kb.store, counting.trace) == read_trace(counting.kb.store, expected)
    except (UnstratifiableError, NotMaintainableError):
        reject()


def test_a_stratum_whose_rules_are_rewritten_is_traced_anew():
    """The constant b of the rule becomes a, and b again."""
    counting = CountingAboveEquality(
        rules("""
            ?x same ?y :- ?x k ?z, ?y k ?z
            ?x q b :- ?x p ?y, not ?x r b
        """),
        facts("a k c, d p d, e p e, e r b"),
    )
    before = read_trace(counting.kb.store, counting.trace)
    for added, removed, expected in (("b k c, e k e", "", "d q a, d q b"), ("", "b k c, e k e", "d q b")):
        assert counting.change(facts(added), facts(removed))

        answers = {triple for triple in counting.kb.triples() if triple[1] == "<q>"}
        assert answers == set(facts(expected))
    assert counting.rewritten == 2
    assert read_trace(counting.kb.store, counting.trace) == before
