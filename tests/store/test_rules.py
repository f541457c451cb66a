"""The rules that a version was reasoned with, as tables: what is in them, and what a change of rules writes."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from datasets.registry import GENERATORS
from reasoner import Reasoner
from reasoner.columnar import home
from reasoner.columnar.home import RuleHome
from reasoner.rules.printer import print_rule
from reasoner.state.persistence import Persistence
from reasoner.store.folder import manifest_path, read_manifest
from tests.notation import RDF_TYPE, fact
from tests.store.conftest import small_limits
from tests.store.stored_rules import other_rules, own_texts, rows_of

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SUBCLASS = f"<{RDFS}subClassOf>"
ANCESTORS = """
PREFIX e: <http://e/>
[direct] ?x e:ancestor ?y :- ?x e:parent ?y .
["through others"] ?x e:ancestor ?z :- ?x e:ancestor ?y, ?y e:parent ?z .
[direct] ?x e:ancestor ?y :- ?x e:parent ?y .
"""


def subclass(number: int) -> tuple[str, str, str]:
    return f"<http://e.org/C{number}>", SUBCLASS, f"<http://e.org/C{number // 2}>"


def classes(count: int, **settings: str) -> Reasoner:
    kb = Reasoner(profile="dlp", **settings)
    kb.add(subclass(number) for number in range(2, count))
    return kb


def test_rules_that_are_equal_up_to_constants_are_one_text_with_rows_of_constants(tmp_path):
    """DuckDB shares no code with us."""
    duckdb = pytest.importorskip("duckdb")
    kb = classes(5)
    kb.add_rules(ANCESTORS)
    kb.save(tmp_path / "kb")

    def rows(query: str) -> list[tuple]:
        for table in ("rules", "parameters", "dictionary"):
            query = query.replace(table, f"read_parquet('{tmp_path}/kb/data/{table}/*.parquet')")
        return duckdb.sql(query).fetchall()

    own, (template,) = rows("SELECT text FROM rules WHERE own = 1 ORDER BY rule"), rows("FROM rules WHERE own = 0")
    assert [text for (text,) in own] == [
        "[direct] ?x <http://e/ancestor> ?y :- ?x <http://e/parent> ?y .",
        '["through others"] ?x <http://e/ancestor> ?z :- ?x <http://e/ancestor> ?y, ?y <http://e/parent> ?z .',
        "[direct] ?x <http://e/ancestor> ?y :- ?x <http://e/parent> ?y .",
    ]
    assert template == (3, 0, "[SubClassOf] ?x a $1 :- ?x a $2 .")
    found = rows(
        "SELECT super.text, sub.text FROM parameters h JOIN parameters b USING (rule, row) JOIN dictionary super"
        " ON super.id = h.id JOIN dictionary sub ON sub.id = b.id WHERE h.position = 1 AND b.position = 2"
    )
    assert set(found) == {(o, s) for s, _, o in map(subclass, range(2, 5))}


def test_predicates_stay_and_constants_of_conditions_and_facts_do_not(tmp_path):
    kb = Reasoner(profile="owl2rl")
    number = '"18"^^<http://www.w3.org/2001/XMLSchema#integer>'
    kb.add([("<http://e.org/Adult>", f"<{OWL}onProperty>", "<http://e.org/age>")])
    kb.add([("<http://e.org/Adult>", f"<{OWL}hasValue>", number), ("<http://e.org/age>", RDF_TYPE, f"<{OWL}Thing>")])
    kb.save(tmp_path / "kb")

    found = other_rules(tmp_path / "kb")
    texts = {text for text, _ in found}
    assert "[axiomatic] $1 a $2 ." in texts and len(texts) < len(found)
    assert any("owl:onProperty" in text for text in texts)
    assert len(found) == len({(rule.head, rule.body, rule.conditions) for rule in kb.rules()})


def test_axioms_of_equality_are_among_the_rules_if_they_are_reasoned_with(tmp_path):
    for equality in ("rewrite", "axiomatise"):
        classes(5, equality=equality).save(tmp_path / equality)
    plain, more = (other_rules(tmp_path / equality) for equality in ("rewrite", "axiomatise"))

    assert plain < more and len(more - plain) == 6
    assert all(text.startswith("[eq-re") for text, _ in more - plain)


def test_a_store_that_is_not_reasoned_over_yet_has_only_rules_of_ones_own(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="owl2rl"):
        assert rows_of(tmp_path, "rules") == set() == rows_of(tmp_path, "parameters")
    assert len(other_rules(tmp_path)) > 50


def test_rules_of_ones_own_come_back_with_their_names_in_their_order_and_as_often_as_they_were_said(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.add_rules(ANCESTORS)
        expected = kb.own_rules()
    assert len(expected) == 3
    with Reasoner.open(tmp_path) as kb:
        assert kb.own_rules() == expected
        assert manifest_path(tmp_path, kb.version).read_text().count("ancestor") == 0


def test_rules_of_ones_own_stay_in_their_order_whatever_comes_and_goes(tmp_path):
    texts = [f"[r{number}] ?x <http://e.org/q{number}> ?y :- ?x <http://e.org/p> ?y ." for number in range(9)]
    chance = random.Random(7)
    with small_limits(), Reasoner.open(tmp_path, create=True, profile="none") as kb:
        kb.materialise()
        for _ in range(30):
            with kb.transaction() as change:
                known = {rule.name for rule in kb.own_rules()}
                for text in chance.sample(texts, 3):
                    if text[1:3] in known:
                        change.remove_rules(text)
                    else:
                        change.add_rules(text)
            assert own_texts(tmp_path) == [print_rule(replace(rule, sources=())) for rule in kb.own_rules()]
            with Reasoner.open(tmp_path, read_only=True) as reader:
                assert reader.own_rules() == kb.own_rules()
    with Reasoner.open(tmp_path) as kb:
        numbers = {text: number for number, _, text in rows_of(tmp_path, "rules")}
        # Rules in another order are the same rules, and are kept in that order.
        with kb.session.changing() as draft:
            draft.put(user_rules=(*kb.own_rules()[1:], kb.own_rules()[0]))
        kb.update("INSERT DATA { <http://e.org/a> <http://e.org/p> 1 }")
        assert own_texts(tmp_path) == [print_rule(replace(rule, sources=())) for rule in kb.own_rules()]
        now = {text: number for number, _, text in rows_of(tmp_path, "rules")}
        assert len({text for text in now if now[text] != numbers[text]}) == 1


def test_a_commit_that_leaves_the_rules_alone_neither_writes_nor_looks_at_them(tmp_path, monkeypatch):
    kb = classes(100)
    kb.add_rules(ANCESTORS)
    kb.save(tmp_path / "kb")
    before = set((tmp_path / "kb/data").rglob("*.parquet"))
    with Reasoner.open(tmp_path / "kb") as kb:
        kb.update("INSERT DATA { <http://e.org/a> a <http://e.org/C77> }")
        monkeypatch.setattr(home, "chain", None)
        monkeypatch.setattr(home, "abstracted", None)
        for number in range(3):
            kb.update(f"INSERT DATA {{ <http://e.org/a{number}> a <http://e.org/C77> }}")
        kb.remove(fact("no such fact"))
        assert kb.version == 5
    written = set((tmp_path / "kb/data").rglob("*.parquet")) - before
    assert {path.parent.name for path in written} <= {"dictionary", "explicit", "facts"}
    first, last = (json.loads(manifest_path(tmp_path / "kb", number).read_bytes()) for number in (1, 5))
    for table in ("rules", "parameters"):
        assert first["tables"][table] == last["tables"][table]
    assert last["counts"] | {"rules": 101, "own rules": 3, "templates": 1} == last["counts"]


def test_opening_asking_and_setting_a_policy_do_not_read_the_constants_of_rules(tmp_path, monkeypatch):
    classes(20).save(tmp_path / "kb")
    monkeypatch.setattr(RuleHome, "known", None)
    with Reasoner.open(tmp_path / "kb") as kb:
        assert kb.query("ASK { <http://e.org/C9> ?p ?o }")
        kb.constraints = "reject"
        kb.vacuum()
        assert kb.session.state.translation is None and kb.version == 2
    assert read_manifest(tmp_path / "kb").counts["rules"] == 18


def test_an_axiom_among_many_is_a_few_rows_and_the_others_keep_their_numbers(tmp_path, monkeypatch):
    classes(5_000).save(tmp_path / "kb")
    with Reasoner.open(tmp_path / "kb") as kb:
        kb.update("INSERT DATA { <http://e.org/a> a <http://e.org/C77> }")
        rules, parameters = (rows_of(tmp_path / "kb", table) for table in ("rules", "parameters"))
        looked_at = []
        real = home.abstracted
        monkeypatch.setattr(home, "abstracted", lambda rule: looked_at.append(rule) or real(rule))
        for axiom in (subclass(77), ("<http://e.org/new>", SUBCLASS, "<http://e.org/C5>")):
            with kb.transaction() as change:
                (change.remove if axiom == subclass(77) else change.add)(axiom)
        assert [rule.body[0].object for rule in looked_at] == ["<http://e.org/new>"]
        segments = read_manifest(tmp_path / "kb").segments("parameters")
        assert [(segment.kind, segment.rows) for segment in segments] == [
            *(("base", 2 * 4998), ("removed", 2), ("added", 2)),
        ]
        assert rows_of(tmp_path / "kb", "rules") == rules
        assert len(rows_of(tmp_path / "kb", "parameters") & parameters) == 2 * 4997


AXIOMS = [
    *(subclass(number) for number in range(2, 20)),
    *((f"<http://e.org/p{n}>", RDF_TYPE, f"<{OWL}ObjectProperty>") for n in range(4)),
    *((f"<http://e.org/p{n}>", RDF_TYPE, f"<{OWL}TransitiveProperty>") for n in range(4)),
    *((f"<http://e.org/p{n}>", f"<{RDFS}domain>", f"<http://e.org/C{n}>") for n in range(4)),
    *((f"<http://e.org/C{n}>", f"<{OWL}equivalentClass>", f"<http://e.org/C{2 * n}>") for n in range(4)),
    ("<http://e.org/C1>", f"<{OWL}intersectionOf>", "_:list"),
    ("_:list", f"<{RDF}first>", "<http://e.org/C7>"),
    ("_:list", f"<{RDF}rest>", f"<{RDF}nil>"),
]


@pytest.mark.parametrize("profile", ["dlp", "owl2rl", "upper"])
@pytest.mark.parametrize("seed", range(3))
def test_after_any_changes_of_the_ontology_the_tables_come_down_to_those_of_a_new_store(tmp_path, profile, seed):
    chance = random.Random(seed)
    with small_limits():
        kb = Reasoner.open(tmp_path / "kb", create=True, profile=profile)
        for step in range(20):
            with kb.transaction() as change:
                for axiom in chance.sample(AXIOMS, chance.choice([1, 1, 4])):
                    (change.add if chance.random() < 0.6 else change.remove)(axiom)
            if step % 5 == 4:
                fresh = Reasoner(profile=profile)
                fresh.add(kb.store.texts(kb.store.state.explicit))
                fresh.save(tmp_path / f"fresh{step}")
                # Of axioms that say the same, the one that was there first names the rule.
                assert _unnamed(tmp_path / "kb") == _unnamed(tmp_path / f"fresh{step}")
                if chance.random() < 0.5:
                    kb.close()
                    kb = Reasoner.open(tmp_path / "kb")
        kb.close()


def _unnamed(folder) -> set[tuple]:
    return {(text.partition("] ")[2], constants) for text, constants in other_rules(folder)}


def test_an_old_version_has_the_rules_of_then_until_it_is_vacuumed(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="dlp") as kb:
        for number in range(2, 6):
            with kb.transaction() as change:
                change.add(subclass(number))
                change.add_rules(f"[r{number}] ?x <http://e.org/q{number}> ?y :- ?x <http://e.org/p> ?y .")
        last = kb.version
        for version in range(last - 3, last + 1):
            with Reasoner.open(tmp_path, version=version) as old:
                assert [rule.name for rule in old.own_rules()] == [f"r{number}" for number in range(2, version)]
                assert len(other_rules(tmp_path, version)) == version - 2 == len(old.rules()) - len(old.own_rules())
        kb.vacuum()
    assert len(own_texts(tmp_path)) == 4 == len(other_rules(tmp_path))
    with Reasoner.open(tmp_path) as kb:
        assert len(kb.rules()) == 8


def test_rules_are_of_the_facts_that_are_written_by_any_way_of_changing_the_ontology(tmp_path):
    """SPARQL and sessions work ahead on a copy, which has other rules than the reasoner until the commit."""
    with Reasoner.open(tmp_path, create=True, profile="dlp") as kb:
        kb.materialise()
        kb.update(f"INSERT DATA {{ {' '.join(subclass(2))} }} ; INSERT {{ ?x a ?x }} WHERE {{ ?x {SUBCLASS} ?y }}")
        assert len(other_rules(tmp_path)) == 1
        session = kb.dynamic()
        session.submit(add=subclass(3))
        session.run()
        assert len(other_rules(tmp_path)) == 2
        kb.remove([subclass(2), subclass(3)])
        assert other_rules(tmp_path) == set() == rows_of(tmp_path, "rules")
    with Reasoner.open(tmp_path) as kb:
        kb.add([subclass(4)])
    assert len(other_rules(tmp_path)) == 1


def test_a_commit_that_was_taken_back_after_it_took_effect_is_followed_by_sound_constants(tmp_path, monkeypatch):
    """The ids of its terms are on disk, and mean others in memory."""
    real = Persistence.keep

    def interrupted(self, draft):
        real(self, draft)
        raise KeyboardInterrupt

    with Reasoner.open(tmp_path, create=True, profile="dlp") as kb:
        kb.add([subclass(2)])
        kb.materialise()
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt), kb.transaction() as change:
            patch.setattr(Persistence, "keep", interrupted)
            change.add(("<http://e.org/lost>", SUBCLASS, "<http://e.org/C1>"))
        with kb.transaction() as change:
            change.add(("<http://e.org/found>", SUBCLASS, "<http://e.org/C1>"))
    assert {constants[1] for _, constants in other_rules(tmp_path)} == {"<http://e.org/C2>", "<http://e.org/found>"}


def test_a_data_set_has_few_templates(tmp_path):
    kb = Reasoner(profile="dlp")
    kb.add(GENERATORS["lubm"].build().ontology_triples())
    kb.save(tmp_path / "kb")
    counts = read_manifest(tmp_path / "kb").counts

    assert counts["rules"] == len(kb.rules()) == len(other_rules(tmp_path / "kb"))
    assert counts["templates"] == len(rows_of(tmp_path / "kb", "rules")) < counts["rules"]
