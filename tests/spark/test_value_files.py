"""Literals of one value are found whether their texts are at the driver, in files, or some here and some there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.dictionary import Dictionary
from loaders.parted_dictionary import PartedDictionary
from reasoner.columnar.factset import FactSet
from reasoner.columnar.literal_values import LiteralValues
from reasoner.spark.engine import SparkEngine
from reasoner.spark.fetched import wrapped
from reasoner.spark.store import SparkLiteralValues
from reasoner.spark.term_files import write_terms
from reasoner.terms.term import RESERVED_TERMS
from reasoner.terms.value import key_name, value_key
from tests.spark.test_reasoner import quick  # noqa: F401
from tests.strategies import RANDOM

XSD = "http://www.w3.org/2001/XMLSchema#"
LITERALS = [
    *(f'"{text}"^^<{XSD}integer>' for text in ("1", "01", "+1", "2", "-0", "0")),
    *(f'"{text}"^^<{XSD}decimal>' for text in ("1.0", "1.00", "2.", "0.0", "3.5", "3.50")),
    *(f'"{text}"^^<{XSD}double>' for text in ("1", "1.0E0", "NaN", "INF", "-0", "0")),
    *(
        f'"{text}"^^<{XSD}dateTime>'
        for text in ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.0Z", "2026-01-01T00:00:00")
    ),
    *(f'"{text}"^^<{XSD}boolean>' for text in ("true", "1", "false")),
    *(f'"{text}"^^<{XSD}hexBinary>' for text in ("0a", "0A")),
    *(f'"{text}"^^<{XSD}token>' for text in (" a b", "a b", "a  b")),
    '"hello"@en',
    '"hello"@EN',
    '"plain"',
    f'"x"^^<{XSD}integer>',
    '"7"^^<http://e.org/own>',
]
TERMS = [*RESERVED_TERMS, "<http://e.org/s>", "<http://e.org/p>", *LITERALS]
FIRST = len(TERMS) - len(LITERALS)
facts = st.frozensets(st.integers(FIRST, len(TERMS) - 1), max_size=12)


def about(objects) -> FactSet:
    """Return facts with some objects."""
    rows = np.array(sorted(objects), dtype=np.int64)
    return FactSet.of_columns(np.full(rows.size, FIRST - 2), np.full(rows.size, FIRST - 1), rows)


def pairs(found: FactSet) -> set[tuple[int, int]]:
    s, _, o = found.columns()
    return set(zip(s.tolist(), o.tolist(), strict=True))


@pytest.fixture(scope="module", params=[FIRST, FIRST + 9, len(TERMS)], ids=["in files", "in both", "at the driver"])
def sides(request, quick):  # noqa: F811
    """Return values over a plain dictionary, those over one with terms in files from some id on, and its engine."""
    plain, held = Dictionary(), Dictionary()
    plain.encode(TERMS)
    held.encode(TERMS[: request.param])
    dictionary = PartedDictionary(held)
    engine = SparkEngine(quick, dictionary, driver_rows=0)
    if request.param < len(TERMS):
        ids = range(request.param, len(TERMS) - 2)
        rows = pa.table({"id": ids, "text": [TERMS[id] for id in ids]})
        dictionary.keep_elsewhere(write_terms(engine.scratch, quick.createDataFrame(rows), ids.start, ids.stop))
        dictionary.encode(TERMS[ids.stop :])
    assert dictionary.decode(range(len(TERMS))) == TERMS
    yield LiteralValues(plain), SparkLiteralValues(engine.scratch, dictionary), engine
    engine.close_scratch()


@settings(RANDOM, max_examples=4)
@given(objects=facts)
def test_the_same_literals_are_equal(sides, objects):
    expected, found, engine = sides
    explicit = wrapped(engine, engine.of_facts(about(objects)))

    assert pairs(found.equalities(explicit)) == pairs(expected.equalities(about(objects)))


def test_all_literals_of_one_value_are_equal(sides):
    expected, found, engine = sides
    every = about(range(FIRST, len(TERMS)))
    equal = pairs(found.equalities(wrapped(engine, engine.of_facts(every))))

    assert equal == pairs(expected.equalities(every))
    assert len(equal) > 9


@settings(RANDOM, max_examples=20)
@given(before=facts, after=facts)
def test_the_same_equalities_come_and_go(sides, before, after):
    expected, found, _ = sides
    given = about(before), about(after), about(before ^ after)

    assert list(map(pairs, found.changes(*given))) == list(map(pairs, expected.changes(*given)))


def test_keys_that_are_equal_have_one_name():
    keys = [value_key(text) for text in LITERALS]
    for one in keys:
        assert [key_name(other) == key_name(one) for other in keys] == [other == one for other in keys]
