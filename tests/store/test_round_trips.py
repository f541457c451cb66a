"""What was written is what is read: after saving, after any commits, of old versions, and by readers of other make."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.columnar.home import read_state
from reasoner.store.folder import read_manifest, versions
from reasoner.store.manifest import Manifest, read_table
from tests.notation import fact, facts
from tests.store.conftest import FAMILY, small_limits
from tests.store.contents import over_ids, over_texts, triples_of
from tests.store.other_reader import rows_of
from tests.strategies import RANDOM, Program, programs, updates

ANCESTORS = """
?x <ancestor> ?y :- ?x <parent> ?y .
?x <ancestor> ?z :- ?x <ancestor> ?y, ?y <parent> ?z .
[key] ?x owl:sameAs ?y :- ?x <p> ?k, ?y <p> ?k .
false :- ?x <parent> ?x .
"""


def family(**settings) -> Reasoner:
    kb = Reasoner(**settings)
    kb.add(FAMILY)
    kb.add_rules(ANCESTORS)
    return kb


@pytest.mark.parametrize("profile", ["owl2rl", "rdfs", "none"])
@pytest.mark.parametrize("maintenance", [None, "counting", "dredc"])
def test_a_saved_store_comes_back_to_the_bit(tmp_path, profile, maintenance):
    kb = family(profile=profile, maintenance=maintenance)
    kb.save(tmp_path / "kb")

    with Reasoner.open(tmp_path / "kb") as opened:
        assert over_ids(opened) == over_ids(kb)
        assert opened.is_materialised
        assert over_texts(opened) == over_texts(kb)
        assert opened.version == 1
    assert kb.version is None


@given(programs(variable_predicates=True, builtins=True))
@settings(RANDOM, max_examples=60)
def test_any_program_comes_back_to_the_bit(program: Program):
    kb = Reasoner(profile="none")
    kb.add(program.facts)
    kb.add_rules(program.rules)
    with tempfile.TemporaryDirectory() as folder, small_limits():
        kb.save(folder)
        with Reasoner.open(folder, read_only=True) as opened:
            assert over_ids(opened) == over_ids(kb)
            assert over_texts(opened) == over_texts(kb)


@st.composite
def histories(draw):
    """Draw a program and updates of its facts, each with the means that it is made by, and whether to reopen then."""
    program = draw(programs())
    steps = draw(updates(program.facts, max_steps=8))
    means = st.sampled_from(["transaction", "remove and add", "sparql", "dynamic", "strategy", "materialise"])
    return program, [(step, draw(means), draw(st.booleans())) for step in steps]


def change(kb: Reasoner, added, removed, means: str) -> None:
    added, removed = sorted(added), sorted(removed)
    if means == "remove and add":
        kb.remove(removed)
        kb.add(added)
        kb.materialise()
    elif means == "sparql":
        # Absolute names: in SPARQL text these would be resolved.
        data = ["\n".join(" ".join(triple) + " ." for triple in part) for part in (removed, added)]
        kb.update(f"DELETE DATA {{ {data[0]} }} ; INSERT DATA {{ {data[1]} }}", base="")
    elif means == "dynamic":
        session = kb.dynamic()
        session.submit(add=added, remove=removed)
        session.run()
    else:
        with kb.transaction(strategy="rematerialise" if means == "strategy" else "auto") as transaction:
            transaction.remove(removed)
            transaction.add(added)
    if means == "materialise":
        kb.materialise()


@given(histories())
@settings(RANDOM, max_examples=30)
def test_after_any_commits_a_reopened_store_is_its_twin_in_memory(history):
    program, steps = history
    twin = Reasoner(profile="none")
    with tempfile.TemporaryDirectory() as folder, small_limits():
        kb = Reasoner.open(folder, create=True, profile="none")
        for each in (kb, twin):
            each.add(program.facts)
            each.add_rules(program.rules)
            each.materialise()
        for (added, removed), means, reopens in steps:
            note(f"{means}: +{sorted(added)} -{sorted(removed)}")
            change(kb, added, removed, means)
            change(twin, added, removed, "transaction")
            with Reasoner.open(folder, read_only=True) as reader:
                assert over_texts(reader) == over_texts(twin)
                # The one that writes may know further terms, which no fact mentions.
                texts = over_ids(kb)["texts"]
                assert over_ids(reader) == {**over_ids(kb), "texts": texts[: len(reader.store.dictionary)]}
            if reopens:
                kb.close()
                kb = Reasoner.open(folder)
        kb.close()


def test_old_versions_stay_readable_until_they_are_vacuumed(tmp_path, limits):
    expected = {}
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.add_rules(ANCESTORS)
        for number in range(12):
            with kb.transaction() as change:
                change.add(fact(f"n{number} parent ann"))
                change.remove(fact(f"n{number - 3} parent ann"))
            expected[kb.version] = over_texts(kb)
        for version, content in expected.items():
            with Reasoner.open(tmp_path, version=version) as old:
                assert over_texts(old) == content
        removed = kb.vacuum(keep=3)
        assert [version.number for version in kb.versions()] == sorted(expected)[-3:]
        assert removed.versions == 14 - 3 and removed.files > 10 and removed.bytes > 1000
        for version in sorted(expected)[-3:]:
            with Reasoner.open(tmp_path, version=version) as old:
                assert over_texts(old) == expected[version]
        needed = set().union(*(read_manifest(tmp_path, number).paths for number in versions(tmp_path)))
        assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("data/*/*")} == needed


def test_rules_are_kept_and_a_new_one_is_a_new_version(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.add_rules(ANCESTORS)
        kb.materialise()
        before = kb.version
        kb.add_rules("?y <child> ?x :- ?x <parent> ?y .")
        kb.materialise()
        assert kb.version == before + 1
    with Reasoner.open(tmp_path) as kb:
        assert len(kb.own_rules()) == 5
        assert fact("bob child ann") in set(kb.triples())
        assert kb.remove(fact("ann parent bob")).inferred_removed


def test_computing_the_same_again_is_no_new_version(tmp_path):
    with Reasoner.open(tmp_path, create=True) as kb:
        kb.add(FAMILY)
        kb.materialise()
        before = kb.version
        kb.materialise()
        kb.add(FAMILY)
        kb.materialise()
        kb.remove(fact("no such fact"))
        assert kb.version == before
    with Reasoner.open(tmp_path) as kb:
        kb.select("?x <never> <seen>")
        kb.materialise()
        assert kb.version == before


def test_named_graphs_are_kept(tmp_path, limits):
    def graphs(kb: Reasoner) -> list[list[int]]:
        return [column.tolist() for column in kb.store.state.graphs.columns()]

    source = tmp_path / "quads.nq"
    source.write_text(
        "".join(f"<http://e.org/s{n}> <http://e.org/p> <http://e.org/o> <http://e.org/g{n % 3}> .\n" for n in range(20))
        + "<http://e.org/s1> <http://e.org/p> <http://e.org/o> .\n"
    )
    with Reasoner.open(tmp_path / "kb", create=True, profile="none") as kb:
        kb.load(source)
        for number in range(9):
            with kb.transaction() as change:
                gone = (f"<http://e.org/s{number}>", "<http://e.org/p>", "<http://e.org/o>")
                change.remove(gone, graph="<http://e.org/g1>")
                change.add(fact(f"a p {number}"), graph=f"<http://e.org/g{number}>")
                change.add(fact(f"a p {number}"), graph=None)
            with Reasoner.open(tmp_path / "kb", read_only=True) as reader:
                assert graphs(reader) == graphs(kb) and len(graphs(kb)[0]) > 10


def test_arrow_tables_hold_what_the_engine_reads(tmp_path, limits):
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.add_rules(ANCESTORS)
        for number in range(9):
            with kb.transaction() as change:
                change.add(facts(f"n{number} parent ann, n{number} p {number % 2}"))
                change.remove(fact(f"n{number - 1} parent ann"))
            manifest = read_manifest(tmp_path)
            table = read_table(tmp_path, manifest, "facts").to_pydict()
            assert set(zip(table["s"], table["p"], table["o"], strict=True)) == triples_of(kb.store.state.facts)
            assert list(zip(table["p"], table["s"], table["o"], strict=True)) == sorted(
                zip(table["p"], table["s"], table["o"], strict=True)
            )
            state, dictionary = read_state(tmp_path, manifest)
            assert triples_of(state.explicit) == triples_of(kb.store.state.explicit)
            assert (
                read_table(tmp_path, manifest, "dictionary")["text"].to_pylist()
                == over_ids(kb)["texts"][: len(dictionary)]
            )
        kinds = {segment.kind for segment in manifest.segments("facts")}
        assert "base" in kinds and len(kinds) > 1


def test_another_reader_of_parquet_sees_the_same_facts(tmp_path, limits):
    """DuckDB shares no code with us: it applies the segments in order, as the format says."""
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.add_rules(ANCESTORS)
        for number in range(9):
            with kb.transaction() as change:
                change.add(fact(f"n{number} parent ann"))
                change.remove(fact(f"n{number - 1} parent ann"))
        expected = triples_of(kb.store.state.facts)
        texts = over_ids(kb)["texts"]

    assert rows_of(tmp_path, "facts") == expected
    known = dict(rows_of(tmp_path, "dictionary"))
    assert [known[id] for id in range(len(known))] == texts[: len(known)]


def test_a_store_that_only_has_explicit_facts_is_materialised_when_it_is_asked(tmp_path):
    """So may somebody leave it who only loads."""
    family(profile="none").save(tmp_path / "kb")
    manifest = read_manifest(tmp_path / "kb")
    tables = {name: manifest.segments(name) for name in ("dictionary", "explicit", "rules")}
    bare = Manifest(1, None, manifest.settings, tables)
    (tmp_path / "kb/manifests/00000001.json").write_bytes(bare.to_json())

    with Reasoner.open(tmp_path / "kb", read_only=True) as kb:
        assert not kb.is_materialised
        assert over_texts(kb) == over_texts(family(profile="none"))
        assert kb.version == 1
    with Reasoner.open(tmp_path / "kb") as kb:
        kb.triples()
        assert kb.version == 2
    with Reasoner.open(tmp_path / "kb") as kb:
        assert kb.is_materialised
        assert over_texts(kb) == over_texts(family(profile="none"))


def test_a_folder_can_be_named_in_any_way(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    family().save("here")
    with Reasoner.open(Path("here")) as kb, Reasoner.open("./here", read_only=True) as reader:
        assert over_ids(kb) == over_ids(reader)


@pytest.mark.parametrize("equality", ["rewrite", "axiomatise", "none"])
def test_every_treatment_of_equality_goes_on_after_reopening(tmp_path, equality):
    twin = family(profile="none", equality=equality)
    twin.save(tmp_path / "kb")
    with Reasoner.open(tmp_path / "kb") as kb:
        for step in (fact("ann same anna"), fact("bob parent cid")):
            assert over_texts(kb) == over_texts(twin)
            kb.remove(step)
            twin.remove(step)
        assert over_texts(kb) == over_texts(twin)


@pytest.mark.parametrize("maintenance", ["counting", "dredc"])
def test_a_store_that_counts_goes_on_counting_after_reopening(tmp_path, maintenance):
    twin = family(profile="none", maintenance=maintenance)
    twin.save(tmp_path / "kb")
    with Reasoner.open(tmp_path / "kb") as kb:
        for step in (fact("ann parent bob"), fact("cid parent dan")):
            assert kb.remove(step, strategy=maintenance).strategy == maintenance
            twin.remove(step)
            assert over_texts(kb) == over_texts(twin)


def test_literals_of_one_value_stay_equal(tmp_path):
    one, same = (f'"{text}"^^<http://www.w3.org/2001/XMLSchema#integer>' for text in ("1", "01"))
    with Reasoner.open(tmp_path, create=True) as kb:
        kb.add([("<a>", "<p>", one), ("<b>", "<p>", same)])
        kb.materialise()
        assert len(kb.store.state.values) == 2
    with Reasoner.open(tmp_path, literals="by-value") as kb:
        assert len(kb.store.state.values) == 2
        assert ("<a>", "<p>", same) in set(kb.triples())
        kb.remove(("<b>", "<p>", same))
        assert ("<a>", "<p>", same) not in set(kb.triples())
    with Reasoner.open(tmp_path) as kb:
        assert len(kb.store.state.values) == 0
        assert over_ids(kb)["members"] == []
