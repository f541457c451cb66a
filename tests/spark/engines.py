"""The same program on both engines, over the same ids, and their states side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.store import ColumnarStore
from reasoner.maintenance.maintain import maintain
from reasoner.maintenance.program import Change, prepare_maintenance
from reasoner.maintenance.strategies import strategy_of, strategy_with_memory
from reasoner.maintenance.update import Work
from reasoner.reasoning.arrange import Options, prepare
from reasoner.reasoning.materialise import materialise
from reasoner.reasoning.program import EncodedProgram, ProgramTerms, encode_program
from reasoner.spark.engine import SparkEngine
from tests.notation import Fact
from tests.strategies import Program

Pairs = dict[int, list[tuple[int, int]]]


@dataclass
class State:
    """A materialisation of an engine."""

    explicit: Any
    facts: Any
    representatives: Representatives


class Side:
    """A program on one engine."""

    def __init__(self, engine: Any, program: EncodedProgram, options: Options) -> None:
        self.engine = engine
        self.program = program
        self.options = options

    def placed(self, facts: FactSet) -> Any:
        return self.engine.of_facts(facts) if isinstance(self.engine, SparkEngine) else facts

    def materialised(self, explicit: FactSet) -> State:
        given = self.placed(explicit)
        result = materialise(self.engine, prepare(self.engine, self.program, self.options), given)
        return State(given, result.facts, result.representatives)

    def updated(self, state: State, strategy: str, added: FactSet, removed: FactSet) -> State:
        """Maintain a state; strategies that remember begin by remembering it."""
        engine = self.engine
        ready = prepare_maintenance(engine, self.program, self.options)
        come, gone = self.placed(added), self.placed(removed)
        after = engine.extend(engine.difference(state.explicit, gone), come)
        name, _, depth = strategy.partition("-")
        if name in ("counting", "dredc"):
            run: Any = strategy_with_memory(name, None, ready, state.explicit, state.facts, state.representatives)
        else:
            run = strategy_of(name, int(depth) if depth else None)
        change = Change(state.explicit, after, gone, come)
        done = maintain(ready, run, change, state.facts, state.representatives, Work(), overdelete=name != "bf")
        return State(after, done.facts, done.representatives)

    def comparable(self, state: State) -> tuple[list[int], list[int], Pairs]:
        """Return (pi, I) in a form that can be compared."""
        facts = self.engine.to_facts(state.facts) if isinstance(self.engine, SparkEngine) else state.facts
        return state.representatives.members.tolist(), state.representatives.targets.tolist(), pairs(facts)


class Engines:
    """A random program on the columnar engine and on a Spark engine."""

    def __init__(
        self, spark: Any, program: Program, *, equality: bool = True, modules: bool = True, driver_rows: int = 0
    ) -> None:
        self.store = ColumnarStore()
        terms = ProgramTerms(self.store.dictionary.id_of, self.store.dictionary.text)
        encoded = encode_program(program.rules, terms, equality=equality)
        options = Options(equality=equality, modules=modules)
        self.explicit = self.facts(program.facts)
        dictionary = self.store.dictionary
        self.columnar = Side(ColumnarEngine(dictionary, equality=equality), encoded, options)
        engine = SparkEngine(spark, dictionary, equality=equality, driver_rows=driver_rows)
        self.spark = Side(engine, encoded, options)

    def facts(self, facts: Iterable[Fact]) -> FactSet:
        return FactSet.of_columns(*self.store.encode(facts))

    def assert_agreement(self, expected: State, found: State) -> None:
        assert self.spark.comparable(found) == self.columnar.comparable(expected)

    def close(self) -> None:
        self.spark.engine.close_scratch()


def pairs(facts: FactSet) -> Pairs:
    return {p: sorted(zip(*(column.tolist() for column in facts.table(p).pairs()), strict=True)) for p in sorted(facts)}
