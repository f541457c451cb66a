"""The loop that joins operands in order, against nested loops, for rule bodies and for queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from loaders.dictionary import Dictionary
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.factset import AuxiliaryPredicates, FactSet, Unranged
from reasoner.columnar.join_order import join_in_order
from reasoner.columnar.match import AtomScan, BodyMatcher, Conditions
from reasoner.columnar.plans import Plan
from reasoner.rules.encode import EncodedRule, Triple, encode_rule, is_variable
from reasoner.rules.parser import parse_rules
from reasoner.rules.template import group_into_templates
from reasoner.terms.term import OCCURS

TERMS = 7
NO_ONE: frozenset[int] = frozenset()


def random_facts(rng: np.random.Generator) -> FactSet:
    return FactSet.of_columns(rng.integers(0, TERMS, 30), rng.integers(2, 5, 30), rng.integers(0, TERMS, 30))


def random_body(rng: np.random.Generator) -> tuple[Triple, ...]:
    def term() -> int:
        return int(rng.choice([-1, -2, -3, -4, *range(TERMS)], p=[0.2] * 4 + [0.2 / TERMS] * TERMS))

    return tuple(
        (term(), int(rng.choice([2, 3, 4, -5], p=[0.3] * 3 + [0.1])), term()) for _ in range(rng.integers(1, 4))
    )


def by_nested_loops(body: tuple[Triple, ...], facts: FactSet) -> Counter[frozenset[tuple[int, int]]]:
    triples = list(zip(*(column.tolist() for column in facts.columns()), strict=True))
    found: Counter[frozenset[tuple[int, int]]] = Counter()
    for chosen in product(triples, repeat=len(body)):
        values: dict[int, int] = {}
        pairs = [pair for atom, fact in zip(body, chosen, strict=True) for pair in zip(atom, fact, strict=True)]
        if all(
            values.setdefault(term, value) == value if is_variable(term) else term == value for term, value in pairs
        ):
            found[frozenset(values.items())] += 1
    return found


def rows_of(parts: list[Bindings[int]]) -> Counter[frozenset[tuple[int, int]]]:
    return Counter(
        frozenset((variable, int(column[row])) for variable, column in part.columns.items())
        for part in parts
        for row in range(part.size)
    )


@pytest.mark.parametrize("seed", range(80))
def test_a_body_has_the_matches_that_nested_loops_find(seed):
    rng = np.random.default_rng(seed)
    body, facts = random_body(rng), random_facts(rng)
    found: list[Bindings[int]] = []
    operands = [AtomScan(at, atom, facts, NO_ONE) for at, atom in enumerate(body)]

    join_in_order(Bindings.unit(), operands, lambda piece, joined, rest: piece, found.append)

    assert rows_of(found) == by_nested_loops(body, facts)


@dataclass
class Known:
    """An operand that says beforehand what it will give, and notes when it is asked."""

    name: str
    variables: frozenset[int]
    estimate: float
    asked: list[str]
    gives: int = 1

    def rows(self, bindings: Bindings[int]) -> float:
        return self.estimate

    def joined(self, bindings: Bindings[int], rest: list[Known]) -> list[Bindings[int]]:
        self.asked.append(self.name)
        new = {variable: np.zeros(self.gives, dtype=np.int64) for variable in self.variables - bindings.columns.keys()}
        return [bindings.crossed(new, self.gives)]


def order_of(*operands: tuple[str, set[int], float, int]) -> list[str]:
    asked: list[str] = []
    known = [Known(name, frozenset(variables), rows, asked, gives) for name, variables, rows, gives in operands]
    join_in_order(Bindings.unit(), known, lambda piece, joined, rest: piece, lambda found: asked.append("found"))
    return asked


def test_what_gives_the_fewest_rows_comes_first_and_then_what_shares_a_variable():
    assert order_of(("many", {-1, -2}, 90, 1), ("few", {-2, -3}, 5, 1), ("apart", {-4}, 6, 1)) == [
        "few",
        "many",
        "apart",
        "found",
    ]


def test_nothing_more_is_joined_once_nothing_is_left():
    assert order_of(("none", {-1}, 0, 0), ("some", {-1}, 3, 1)) == ["none"]


def test_an_atom_without_variables_is_asked_before_the_rest_is_joined():
    assert order_of(("few", {-1}, 1, 1), ("ground", set(), 2, 1), ("many", {-1, -2}, 50, 1))[1] == "ground"


def plan_of(text: str, dictionary: Dictionary) -> Plan:
    rules: list[EncodedRule] = [encode_rule(rule, dictionary.id_of) for rule in parse_rules(text)]
    (template,) = group_into_templates(rules)
    return Plan(template)


def test_a_plan_is_matched_with_its_parameters_conditions_and_negations():
    dictionary = Dictionary()
    plan = plan_of(
        "@prefix : <http://e.org/> . ?x :q ?y :- ?x :p ?y, ?y :p :a, not ?y :r ?x, ?x != ?y ."
        " ?x :q ?y :- ?x :p ?y, ?y :p :b, not ?y :r ?x, ?x != ?y .",
        dictionary,
    )
    p, r, a, b = (dictionary.id_of(f"<http://e.org/{name}>") for name in "prab")
    c, d = (dictionary.id_of(f"<http://e.org/{name}>") for name in "cd")
    rows = [(c, p, d), (d, p, a), (d, p, d), (a, p, d), (d, r, a), (b, p, c), (c, p, b)]
    facts = FactSet.of_columns(*np.array(rows, dtype=np.int64).T)
    auxiliary = AuxiliaryPredicates(dictionary)
    wild = Unranged(frozenset({OCCURS}), auxiliary)
    matcher = BodyMatcher(Conditions(dictionary), equality=False, wild=wild, free=wild)

    found = matcher.all_matches(plan, [facts] * 2, facts)
    nothing = matcher.all_matches(plan, [FactSet()] * 2, facts)

    x, _, y = plan.template.head
    assert set(zip(found.columns[x].tolist(), found.columns[y].tolist(), strict=True)) == {(c, d), (b, c)}
    assert nothing.size == 0
    assert nothing.columns.keys() == found.columns.keys()
