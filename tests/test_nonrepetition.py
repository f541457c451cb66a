"""No rule instance is considered twice, equality or not: every match is recorded, none may recur."""

from collections import Counter

import pytest
from hypothesis import event, given, reject, settings

from reasoner import Reasoner, UnstratifiableError
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.plans import Plan
from reasoner.rules.encode import is_variable
from tests.engines import Make
from tests.strategies import RANDOM, Program, programs


def considered(program: Program, equality: str, make: Make = Reasoner) -> tuple[Counter, Reasoner]:
    """Materialise and return how often each instance, written out over representatives, was considered."""
    kb = make(profile="none", equality=equality, modules=False)
    kb.add_rules(program.rules)
    kb.add(program.facts)
    kb.prepare()
    seen: Counter = Counter()

    def record(plan: Plan, bindings: Bindings[int]) -> None:
        template = plan.template
        # Rules of one template may differ in the constant of a negated atom only, which is a parameter like any other.
        atoms = [template.head, *template.body, *template.negative]
        for row in range(bindings.size):
            values = {term: int(column[row]) for term, column in bindings.columns.items()}
            written = tuple(values.get(term, term) if is_variable(term) else term for atom in atoms for term in atom)
            seen[(template.head, template.body, template.conditions, template.negative, written)] += 1

    on_spark = getattr(kb.store, "spark", None)
    (kb.store.engine if on_spark is None else on_spark.driver).trace = record
    kb.materialise()
    return seen, kb


@pytest.mark.parametrize("equality", ["rewrite", "none"])
@settings(RANDOM, max_examples=200)
@given(programs(constraints=False))
def test_no_instance_is_considered_twice(equality, program):
    assert_none_is_considered_twice(equality, program)


def assert_none_is_considered_twice(equality: str, program: Program, make: Make = Reasoner) -> None:
    """A program whose own constants become equal may be stratified, and then evaluated, a second time."""
    try:
        seen, kb = considered(program, equality, make)
    except UnstratifiableError:
        reject()
    members = {term for group in kb.classes() for term in group}
    if members & {constant for rule in program.rules for constant in rule.constants}:
        reject()
    event("has equality" if members else "no equality")

    assert [instance for instance, times in seen.items() if times > 1] == []
    assert sum(seen.values()) == kb.summary().instances
