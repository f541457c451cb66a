"""Exports hold what queries answer, table by table, over random updates and in every format."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.export.export import TYPES
from reasoner.terms.term import RDF_TYPE
from tests.export.reading import read_export
from tests.strategies import RANDOM, programs, updates

FORMATS = {"sqlite": "out.sqlite", "duckdb": "out.duckdb", "parquet": "out.parquet"}


def closure_of_export(path: Path, format: str, terms: str) -> list[tuple[str, str, str]]:
    """Put the triples together again from the tables alone."""
    tables = read_export(path, format)
    texts = {id: term for id, term, *_ in tables["terms"]} if terms == "ids" else None
    triples = []
    for name, kind, term, type in tables["catalogue"]:
        for row in tables[name]:
            held = [texts[id] for id in row] if texts is not None else [row[0], *map(TYPES[type].term, row[1:])]
            triples.append((held[0], RDF_TYPE, term) if kind == "class" else (held[0], term, held[1]))
    return sorted(triples)


@pytest.mark.parametrize("terms", ["text", "ids"])
@pytest.mark.parametrize("format", FORMATS)
@settings(RANDOM, max_examples=6)
@given(data=st.data())
def test_an_export_that_follows_commits_holds_the_closure(format, terms, data):
    program = data.draw(programs(variable_predicates=True, builtins=True, constraints=False))
    steps = data.draw(updates(program.facts))
    kb = Reasoner(profile="none")
    kb.add_rules(program.rules)
    kb.add(program.facts)
    with TemporaryDirectory() as folder:
        path = Path(folder) / FORMATS[format]
        for attach in (True, False):
            with kb.export(path, terms=terms, attach=attach) as export:
                for added, removed in steps:
                    with kb.transaction() as change:
                        change.remove(list(removed))
                        change.add(list(added))
                    if not attach:
                        export.refresh(change.delta)
                    assert export.failure is None and export.is_current
            assert closure_of_export(path, format, terms) == sorted(kb.triples())
