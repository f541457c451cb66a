"""Explicit facts are kept with their normal forms, whatever changes, as another reader of Parquet sees."""

from __future__ import annotations

import random

import pytest

from reasoner import Reasoner
from reasoner.store.folder import read_manifest
from reasoner.store.manifest import Manifest
from tests.notation import facts
from tests.store.other_reader import normal_forms, rows_of

RULES = "?x owl:sameAs ?y :- ?x <key> ?k, ?y <key> ?k ."
NAMES = "abcdef"
# Names of predicates become equal, too, and so do classes.
PREDICATES = ("same", "key", "type", "p", "q")


def some_facts(chance: random.Random, count: int) -> set:
    def one() -> str:
        predicate = chance.choice(PREDICATES)
        pool = "pq" if predicate == "same" and chance.random() < 0.2 else NAMES
        return f"{chance.choice(pool)} {predicate} {chance.choice(pool)}"

    return {triple for _ in range(count) for triple in facts(one())}


@pytest.mark.parametrize("seed", range(12))
def test_normal_forms_follow_every_change_of_facts_and_classes(tmp_path, limits, seed):
    chance = random.Random(seed)
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add_rules(RULES)
        kb.add(some_facts(chance, 15))
        kb.materialise()
        seen = 0
        for _ in range(10):
            assert rows_of(tmp_path, "normal") == normal_forms(tmp_path)
            seen += len(rows_of(tmp_path, "normal"))
            asserted = sorted(kb.store.texts(kb.store.state.explicit))
            with kb.transaction() as change:
                change.remove(chance.sample(asserted, min(3, len(asserted))))
                change.add(some_facts(chance, 3))
        kb.vacuum()
        assert rows_of(tmp_path, "normal") == normal_forms(tmp_path)
    assert seen


def test_a_store_without_equal_terms_has_no_normal_forms_to_keep(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(facts("a p b, b type c"))
        kb.materialise()
    assert read_manifest(tmp_path).tables["normal"] == ()
    assert not (tmp_path / "data/normal").exists()


def test_a_small_change_adds_to_normal_forms_and_leaves_their_files_alone(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(facts("a same b, b p c, d p c"))
        kb.materialise()
        before = read_manifest(tmp_path).segments("normal")
        kb.add(facts("d q c"))
        assert read_manifest(tmp_path).segments("normal") == before
        kb.add(facts("b q d"))
        kb.materialise()
        after = read_manifest(tmp_path).segments("normal")
    assert after[: len(before)] == before
    assert [(segment.kind, segment.rows) for segment in after[len(before) :]] == [("added", 1)]


def test_a_store_that_was_written_without_normal_forms_gets_all_of_them(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(facts("a same b, b p c, d p c"))
        kb.materialise()
        manifest = kb.persistence.home.manifest
    tables = {name: rows for name, rows in manifest.tables.items() if name != "normal"}
    older = Manifest(manifest.version, manifest.parent, manifest.settings, tables, manifest.counts)
    (tmp_path / f"manifests/{manifest.version:08d}.json").write_bytes(older.to_json())

    with Reasoner.open(tmp_path) as kb:
        kb.remove(facts("d p c"))
    assert rows_of(tmp_path, "normal") == normal_forms(tmp_path)
    assert len(rows_of(tmp_path, "normal")) == 2
