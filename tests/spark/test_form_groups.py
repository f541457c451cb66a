"""Explicit facts about merged terms are found by their normal forms, and are those that a search of all facts finds."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner import Reasoner, StoreError
from reasoner.columnar import normal_forms as forms_module
from reasoner.columnar import persisted
from reasoner.columnar.normal_forms import FactsByClass, FormGroups, changed_forms, whole_forms
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.row_groups import only_about
from reasoner.columnar.store import Snapshot
from reasoner.spark import store_home
from reasoner.spark.fetched import unwrapped
from reasoner.spark.store import SparkStore
from reasoner.store import vacuum
from reasoner.store.folder import read_manifest
from reasoner.store.segment import BASE, write_segment
from tests.notation import facts
from tests.spark.test_reasoner import quick, seen  # noqa: F401
from tests.spark.test_row_groups import set_of, small_groups, some, triples, written  # noqa: F401
from tests.store.contents import triples_of
from tests.store.other_reader import normal_forms, rows_of
from tests.store.test_normal_forms import RULES, some_facts
from tests.strategies import RANDOM

mappings = st.dictionaries(st.integers(2, 12), st.integers(2, 12), max_size=8)


def mapping_of(pairs) -> Representatives:
    """Return classes of terms that any pairs make, each with its least member."""
    target = {term: term for term in range(2, 13)}
    for one, other in pairs.items():
        low, high = sorted((target[one], target[other]))
        target = {term: low if found == high else found for term, found in target.items()}
    members = [term for term, found in target.items() if list(target.values()).count(found) > 1]
    return Representatives(
        np.array(members, dtype=np.int64), np.array([target[term] for term in members], dtype=np.int64)
    )


@RANDOM
@given(
    states=st.lists(st.tuples(triples, mappings), min_size=3, max_size=3),
    asked=st.tuples(some, some, some),
    types=st.booleans(),
)
def test_facts_by_class_are_those_of_the_files(small_groups, tmp_path_factory, states, asked, types):  # noqa: F811
    """Forms may have been written after the facts were, and may have changed since."""
    folder = tmp_path_factory.mktemp("store")
    in_files, written_forms, now = (
        Snapshot(set_of(explicit), set_of([]), mapping_of(classes)) for explicit, classes in states
    )
    base = [
        write_segment(folder, "normal", 1, BASE, rows, predicate=predicate)
        for predicate, rows in whole_forms(written_forms)
    ]
    forms = FormGroups(
        [folder / segment.path for segment in base],
        sum(segment.rows for segment in base),
        *changed_forms(written_forms, now),
    )
    joining, leaving = persisted.differences(in_files.explicit, now.explicit)
    looked_up = FactsByClass(written(folder, states[0][0]), now.representatives, forms, leaving, joining)
    wanted = {
        name: np.array(sorted(ids), dtype=np.int64) for name, ids in zip("spo", asked, strict=True) if ids is not None
    }
    if not wanted:
        return

    found = looked_up.facts(**wanted, types=types)

    assert triples_of(found) == triples_of(only_about(in_files.explicit, **wanted, types=types))
    assert len(found) == len(triples_of(found))


def test_too_many_rows_are_left_to_a_job(tmp_path, monkeypatch):
    state = Snapshot(set_of([(3, 5, 4), (6, 5, 4)]), set_of([]), mapping_of({2: 3}))
    (segment,) = (write_segment(tmp_path, "normal", 1, BASE, rows) for _, rows in whole_forms(state))
    nothing = changed_forms(state, state)
    forms = FormGroups([tmp_path / segment.path], 1, *nothing)
    assert forms.about(np.array([2])).columns()[0].tolist() == [3]
    looked_up = FactsByClass(
        written(tmp_path, [(3, 5, 4), (6, 5, 4)]), state.representatives, forms, set_of([]), set_of([])
    )
    assert looked_up.facts(s=[3]) is not None
    # Not all of the rows are in sight.
    assert FormGroups([tmp_path / segment.path], 2, *nothing).about(np.array([2])) is None
    monkeypatch.setattr(forms_module, "MOST_ROWS", 0)
    assert forms.about(np.array([2])) is None
    assert looked_up.facts(s=[3]) is None


@pytest.fixture
def small_limits(monkeypatch):
    """Let facts stay in files, and few changes become a new base."""
    monkeypatch.setattr(persisted, "_FEWEST", 3)
    monkeypatch.setattr(vacuum, "_FULL", 2)
    monkeypatch.setattr(vacuum, "_FEW", 6)
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 4)


def looked_up(kb) -> list[FactsByClass]:
    runs = [segment.run for segment in unwrapped(kb.store.spark, kb.store.state.explicit).segments]
    return [run.groups for run in runs if isinstance(run.groups, FactsByClass)]


@pytest.mark.parametrize("seed", range(2))
def test_normal_forms_follow_every_change_on_spark(quick, tmp_path, small_limits, monkeypatch, seed):  # noqa: F811
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 30)
    if seed % 2:
        monkeypatch.setattr(store_home, "_MOST_MOVED", 0)
    chance, folder = random.Random(seed), tmp_path / "kb"
    expected = Reasoner("none")
    expected.add_rules(RULES)
    expected.add(some_facts(chance, 70))
    expected.save(folder)
    with Reasoner.open(folder, engine="spark", session=quick) as kb:
        by_class = 0
        for step in range(4):
            by_class += bool(looked_up(kb))
            asserted = sorted(expected.store.texts(expected.store.state.explicit))
            removed, added = chance.sample(asserted, 3), some_facts(chance, 3)
            for each in (expected, kb):
                with each.transaction(strategy="bf") as change:
                    change.remove(removed)
                    change.add(added)
            assert rows_of(folder, "normal") == normal_forms(folder)
            if step == 1:
                kb.vacuum()
        assert seen(kb) == seen(expected)
    assert by_class
    with Reasoner.open(folder) as kb:
        assert seen(kb) == seen(expected)
        kb.remove(asserted[:1])
    assert rows_of(folder, "normal") == normal_forms(folder)


@pytest.mark.parametrize("writer", ["columnar", "spark"])
def test_an_opened_store_is_maintained_by_its_normal_forms(quick, tmp_path, small_limits, writer):  # noqa: F811
    place = {"engine": "spark", "session": quick}
    expected = Reasoner("none")
    with Reasoner.open(tmp_path, create=True, profile="none", **(place if writer == "spark" else {})) as kb:
        for each in (expected, kb):
            each.add(facts("a same b, b same c, a p x, b p y, c p z, c type K, d p e, f p g"))
            each.materialise()
    with Reasoner.open(tmp_path, **place) as kb:
        (by_class,) = looked_up(kb)
        ids = kb.store.dictionary.find(["<b>", "<c>"])
        # The files of explicit facts are not asked about terms that others represent.
        by_class.plain = None
        found = kb.store.texts(by_class.facts(s=np.sort(ids)))
        assert sorted(found) == sorted(facts("b same c, b p y, c p z, c type K"))
    with Reasoner.open(tmp_path, **place) as kb:
        for each in (expected, kb):
            each.remove(facts("b same c"), strategy="bf")
        assert seen(kb) == seen(expected)
    assert rows_of(tmp_path, "normal") == normal_forms(tmp_path)


def test_a_torn_file_of_normal_forms_is_named(quick, tmp_path, small_limits):  # noqa: F811
    kb = Reasoner("none")
    kb.add(facts("a same b, b same c, a p x, b p y, c p z, c type K, d p e, f p g"))
    kb.save(tmp_path / "kb")
    for segment in read_manifest(tmp_path / "kb").segments("normal"):
        path = tmp_path / "kb" / segment.path
        whole = path.read_bytes()
        path.write_bytes(whole[:-9])
        with pytest.raises(StoreError, match=f"{path.name} is torn"):
            Reasoner.open(tmp_path / "kb", engine="spark", session=quick)
        path.unlink()
        with pytest.raises(StoreError, match=f"{path.name} is missing"):
            Reasoner.open(tmp_path / "kb", engine="spark", session=quick)
        path.write_bytes(whole)
    assert seen(Reasoner.open(tmp_path / "kb", engine="spark", session=quick, read_only=True)) == seen(kb)
