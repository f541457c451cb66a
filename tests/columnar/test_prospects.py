"""Bodies that cannot match are told by names alone, and matches that derive nothing are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.columnar.factset import FactSet
from reasoner.columnar.plans import Plan
from reasoner.rules.encode import EncodedRule, Triple, is_variable
from reasoner.rules.template import group_into_templates
from reasoner.terms.term import TYPE
from tests.notation import fact, rule, rules
from tests.strategies import RANDOM

X, Y, P, C, D = -1, -2, -3, -4, -5
DOMAIN, SUB, KNOWS, PERSON, AGENT = 10, 11, 12, 20, 21


def facts_of(*triples: Triple) -> FactSet:
    columns = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    return FactSet.of_columns(*columns)


def plans_of(*bodies: Sequence[Triple]) -> list[Plan]:
    origin = rule("a p b :- a p b")
    encoded = [EncodedRule((X, KNOWS, X), tuple(body), (), (), origin) for body in bodies]
    return [Plan(template) for template in group_into_templates(encoded)]


SCHEMA = facts_of((KNOWS, DOMAIN, PERSON), (PERSON, SUB, AGENT))


@pytest.mark.parametrize(
    ("body", "sources", "expected"),
    [
        ([(X, KNOWS, Y)], [facts_of((1, DOMAIN, 2))], False),
        ([(X, KNOWS, Y)], [facts_of((1, KNOWS, 2))], True),
        ([(X, TYPE, PERSON)], [facts_of((1, TYPE, AGENT))], False),
        ([(X, TYPE, PERSON)], [facts_of((1, TYPE, PERSON))], True),
        ([(X, SUB, PERSON)], [SCHEMA], False),
        ([(PERSON, SUB, X)], [SCHEMA], True),
        ([(P, DOMAIN, C), (X, P, Y)], [SCHEMA, facts_of((1, 13, 2))], False),
        ([(P, DOMAIN, C), (X, P, Y)], [SCHEMA, facts_of((1, KNOWS, 2))], True),
        ([(C, SUB, D), (X, TYPE, C)], [SCHEMA, facts_of((1, TYPE, AGENT))], False),
        ([(C, SUB, D), (X, TYPE, C)], [SCHEMA, facts_of((1, TYPE, PERSON))], True),
        ([(C, SUB, D), (X, TYPE, D)], [SCHEMA, facts_of((1, TYPE, AGENT))], True),
    ],
)
def test_names_tell_whether_a_body_may_match(body, sources, expected):
    (plan,) = plans_of(body)

    assert plan.prospect.may_match(sources) is expected


def test_values_of_parameters_tell_it_as_well():
    (plan,) = plans_of([(X, TYPE, PERSON), (X, KNOWS, Y)], [(X, TYPE, AGENT), (X, KNOWS, Y)])
    known = facts_of((1, KNOWS, 2))

    assert plan.row_count == 2
    assert plan.prospect.may_match([facts_of((1, TYPE, AGENT)), known])
    assert not plan.prospect.may_match([facts_of((1, TYPE, 22)), known])


terms = st.sampled_from((1, 2, KNOWS, DOMAIN, PERSON, AGENT))
predicates = st.sampled_from((TYPE, DOMAIN, SUB, KNOWS))
fact_sets = st.lists(st.tuples(terms, predicates, terms), max_size=5).map(lambda drawn: facts_of(*drawn))
places = st.one_of(terms, st.sampled_from((X, Y, P, C)), st.sampled_from((X, Y, P, C)))
atoms = st.tuples(places, st.one_of(predicates, st.sampled_from((P, C))), places)


def matches(body: Sequence[Triple], sources: Sequence[FactSet], values: dict[int, int]) -> Iterator[dict[int, int]]:
    """Yield what the variables of a body can be, one fact after the other."""
    if not body:
        yield values
        return
    for triple in zip(*(column.tolist() for column in sources[0].columns()), strict=True):
        bound = dict(values)
        if all(
            bound.setdefault(term, id) == id if is_variable(term) else term == id
            for term, id in zip(body[0], triple, strict=True)
        ):
            yield from matches(body[1:], sources[1:], bound)


@settings(RANDOM, max_examples=400)
@given(st.lists(st.tuples(atoms, fact_sets), min_size=1, max_size=3))
def test_a_body_that_matches_is_never_passed_by(drawn):
    body, sources = [atom for atom, _ in drawn], [facts for _, facts in drawn]
    (plan,) = plans_of(body)

    if not plan.prospect.may_match(sources):
        assert not list(matches(body, sources, {}))


@pytest.mark.parametrize(
    ("text", "same", "idle"),
    [
        ("?x type ?d :- ?c sub ?d, ?x type ?c", "c sub c\nx type c", True),
        ("?x ?q ?y :- ?p sub ?q, ?x ?p ?y", "p sub p\nx p y", True),
        ("?y p ?x :- ?x p ?y", "x p x\ny p y", True),
        ("?y q ?x :- ?x p ?y", "x p x\ny p y", False),
    ],
)
def test_matches_that_derive_one_of_their_own_facts_are_left_out(text, same, idle):
    kb = Reasoner(profile="none", modules=False)
    kb.add_rules(rules(text))
    kb.add([fact(line) for line in same.splitlines()])
    kb.materialise()

    assert (kb.store.engine.instances == 0) is idle
