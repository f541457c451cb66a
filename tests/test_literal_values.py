"""Literals of one value: answered as they are written, equal wherever rules and questions compare them."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontologies.owl2rl import translate_owl2rl
from reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from tests.literal_programs import axioms, statements, triples
from tests.ontologies.naive import Closure
from tests.ontologies.naive_written import written_closure
from tests.strategies import RANDOM

SPARQL = "PREFIX : <http://e.org/> PREFIX owl: <http://www.w3.org/2002/07/owl#> "
SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"
XSD = "http://www.w3.org/2001/XMLSchema#"
ONE, PADDED, DECIMAL = f'"1"^^<{XSD}integer>', f'"01"^^<{XSD}integer>', f'"1.0"^^<{XSD}decimal>'
NUMBERS = [":s :p 1 .", ":t :p 01 .", ":u :p 1.0 .", ":p <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> :q ."]


def iri(name: str) -> str:
    return f"<http://e.org/{name}>"


def filled(make, lines=NUMBERS, **options) -> Reasoner:
    kb = make(**options)
    kb.add(triples(lines))
    return kb


def rows(kb: Reasoner, text: str) -> list[tuple[str | None, ...]]:
    return sorted(tuple(row) for row in kb.query(SPARQL + text, terms="text").rows())


WRITTEN = {(iri("s"), ONE), (iri("t"), PADDED), (iri("u"), DECIMAL)}


@pytest.mark.parametrize("equality", ["rewrite", "axiomatise"])
@pytest.mark.parametrize("predicate", ["p", "q"])
def test_a_literal_is_answered_as_it_was_written_stored_or_inferred(make_reasoner, predicate, equality):
    kb = filled(make_reasoner, equality=equality)

    assert sorted((s, o) for s, p, o in kb.triples() if p == iri(predicate)) == sorted(WRITTEN)
    assert {(row["s"], row["o"]) for row in kb.select(f"?s <http://e.org/{predicate}> ?o")} == WRITTEN
    assert rows(kb, f"SELECT ?s ?o {{ ?s :{predicate} ?o }}") == sorted(WRITTEN)
    counted = rows(kb, f"SELECT (COUNT(?o) AS ?n) (SUM(?o) AS ?m) {{ ?s :{predicate} ?o }}")
    assert counted == [(f'"3"^^<{XSD}integer>', f'"3"^^<{XSD}decimal>')]
    assert rows(kb, f"SELECT (COUNT(DISTINCT ?o) AS ?n) {{ ?s :{predicate} ?o }}") == [(f'"3"^^<{XSD}integer>',)]
    groups = rows(kb, f"SELECT ?o (COUNT(*) AS ?n) {{ ?s :{predicate} ?o }} GROUP BY ?o")
    assert groups == sorted((literal, f'"1"^^<{XSD}integer>') for literal in (ONE, PADDED, DECIMAL))


def test_what_is_written_out_has_each_literal_once(make_reasoner):
    kb = filled(make_reasoner)
    stream = io.BytesIO()

    count = kb.write(stream)

    lines = stream.getvalue().decode().splitlines()
    assert len(lines) == count == kb.summary().expanded == len(list(kb.triples()))
    assert sorted(line for line in lines if iri("q") in line.split(" ")[1]) == sorted(
        f"{s} {iri('q')} {o} ." for s, o in WRITTEN
    )


def test_both_literals_are_inferred_where_both_are_written(make_reasoner):
    kb = filled(make_reasoner, [*NUMBERS, ":s :p 01 ."])

    assert rows(kb, "SELECT ?o { :s :q ?o }") == sorted([(ONE,), (PADDED,)])
    assert rows(kb, "SELECT ?o { :t :q ?o }") == [(PADDED,)]


def test_a_literal_in_a_pattern_asks_for_its_value(make_reasoner):
    kb = filled(make_reasoner, [*NUMBERS, ":s :p 01 ."])
    everybody = [(iri("s"),), (iri("t"),), (iri("u"),)]

    for predicate in ("p", "q"):
        assert rows(kb, f"SELECT ?s {{ ?s :{predicate} 1 }}") == everybody
        assert rows(kb, f"SELECT ?s {{ ?s :{predicate} ?o FILTER(?o = 1 && ?s != :s) }}") == everybody[1:]
        assert rows(kb, f"SELECT ?s {{ ?s :{predicate}+ 01 }}") == everybody
        assert [row["s"] for row in kb.select(f"?s <http://e.org/{predicate}> {ONE}")] == [s for (s,) in everybody]
    assert kb.query(SPARQL + "ASK { :t :q 1 }")
    assert not kb.query(SPARQL + "ASK { :t :q 2 }")
    assert kb.select(f"?s <http://e.org/p> ?o, not ?s <http://e.org/q> {ONE}") == []
    assert rows(kb, "SELECT ?s { ?s :p ?o FILTER NOT EXISTS { ?s :q 1.0 } }") == []
    assert rows(kb, "SELECT ?x { VALUES ?x { :t :b } ?x :q 1 }") == [(iri("t"),)]


def test_variables_join_literals_as_they_are_written(make_reasoner):
    kb = filled(make_reasoner, [*NUMBERS, ":v :w 1 ."])

    assert rows(kb, "SELECT ?x { ?x :p ?o . ?y :w ?o }") == [(iri("s"),)]
    assert kb.select("?x <http://e.org/p> ?o, ?y <http://e.org/w> ?o", ["x"]) == [{"x": iri("s")}]
    assert len(rows(kb, "SELECT ?x { ?x :p ?o . ?y :w ?i FILTER(?o = ?i) }")) == 3


def test_answers_have_all_literals_of_a_value_where_they_are_asked_for(make_reasoner):
    kb = filled(make_reasoner, literals="by-value")

    assert len(rows(kb, "SELECT ?s ?o { ?s :q ?o }")) == 9
    assert len([triple for triple in kb.triples() if triple[1] == iri("p")]) == 9
    assert len(kb.select("?s <http://e.org/p> ?o")) == 9
    assert kb.write(io.BytesIO()) == len(list(kb.triples()))
    assert len(rows(kb, "SELECT ?x ?y { ?x :p ?o . ?y :q ?o }")) == 27
    kb.literals = "written"
    assert rows(kb, "SELECT ?s ?o { ?s :q ?o }") == sorted(WRITTEN)
    with pytest.raises(ReasonerError, match="written, by-value"):
        kb.literals = "both"


def test_a_delta_has_the_literals_that_came_and_went(make_reasoner):
    kb = filled(make_reasoner)
    kb.materialise()

    with kb.transaction() as change:
        change.add((iri("s"), iri("p"), PADDED))
    assert change.delta.asserted_added == ((iri("s"), iri("p"), PADDED),)
    assert change.delta.inferred_added == ((iri("s"), iri("q"), PADDED),)
    assert change.delta.classes_merged == ()
    with kb.transaction() as change:
        change.remove((iri("s"), iri("p"), ONE))
    assert change.delta.asserted_removed == ((iri("s"), iri("p"), ONE),)
    assert change.delta.inferred_removed == ((iri("s"), iri("q"), ONE),)
    assert rows(kb, "SELECT ?o { :s :q ?o }") == [(PADDED,)]


def test_subscribers_are_told_of_literals_by_value_and_as_they_are_written():
    kb = filled(Reasoner)
    kb.materialise()
    told: list[tuple[str, object, object]] = []
    for name, text in (("by value", "?s <http://e.org/q> 1"), ("written", "<http://e.org/t> <http://e.org/q> ?o")):
        kb.subscribe(
            f"SELECT * {{ {text} }}", lambda change, name=name: told.append((name, change.added, change.removed))
        )

    kb.update(SPARQL + "INSERT DATA { :t :p 1 }")
    kb.update(SPARQL + "DELETE DATA { :t :p 01 }")
    kb.update(SPARQL + "DELETE DATA { :t :p 1 }")

    assert told == [
        ("written", ((ONE,),), ()),
        ("written", (), ((PADDED,),)),
        ("by value", (), ((iri("t"),),)),
        ("written", (), ((ONE,),)),
    ]


def test_a_store_of_rdflib_finds_by_value_and_answers_as_written():
    from rdflib import Graph, Literal, URIRef

    from reasoner.interop.rdflib_store import ReasonerStore

    graph = Graph(store=ReasonerStore(kb=filled(Reasoner)))
    found = {(str(s), o.n3()) for s, _, o in graph.triples((None, URIRef("http://e.org/q"), Literal(1)))}

    assert found == {(s[1:-1], o) for s, o in WRITTEN}
    assert (URIRef("http://e.org/t"), URIRef("http://e.org/q"), Literal(1)) in graph
    assert len(list(graph.triples((None, URIRef("http://e.org/q"), None)))) == 3


def test_entailment_and_proofs_go_by_value(make_reasoner):
    from reasoner.explanation.check import check_proof

    kb = filled(make_reasoner)
    explicit = set(triples(NUMBERS))

    for literal in (ONE, PADDED, DECIMAL):
        proof = kb.explain((iri("t"), iri("q"), literal))
        assert proof is not None and check_proof(proof, kb.rules(), explicit.__contains__) == []
    assert kb.explain((iri("t"), iri("q"), f'"2"^^<{XSD}integer>')) is None
    assert str(kb.explain((ONE, SAME_AS, PADDED))).endswith("[by dt-eq (literals of one value are equal)]")


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
@pytest.mark.parametrize("equality", ["rewrite", "axiomatise"])
def test_rules_compare_literals_by_value_in_both_modes_of_equality(make_reasoner, profile, equality):
    lines = [
        ":k a owl:InverseFunctionalProperty . :a :k 1 . :b :k 01 .",
        ":C owl:hasKey (:n) . :n a owl:DatatypeProperty . :C a owl:Class . :c a :C ; :n 1 . :d a :C ; :n 1.0 .",
        ":H a owl:Restriction ; owl:onProperty :h ; owl:hasValue 1 . :H rdfs:subClassOf :D . :D a owl:Class .",
        ":h a owl:DatatypeProperty . :e :h 01 .",
        ":f a owl:FunctionalProperty . :e :f 1 , 01 .",
    ]
    kb = filled(make_reasoner, lines, profile=profile, equality=equality)
    closure = set(kb.triples())

    assert (iri("a"), SAME_AS, iri("b")) in closure
    assert (iri("c"), SAME_AS, iri("d")) in closure
    assert (iri("e"), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", iri("D")) in closure
    assert kb.violations() == []
    with kb.transaction() as change:
        change.add((iri("e"), iri("f"), f'"2"^^<{XSD}integer>'))
        change.remove((iri("b"), iri("k"), PADDED))
    assert change.delta.violations_appeared
    assert (iri("a"), SAME_AS, iri("b")) not in set(kb.triples())


def test_rules_of_ones_own_compare_literals_by_value(make_reasoner):
    kb = filled(make_reasoner, [*NUMBERS, ":v :w 1 ."])
    kb.materialise()
    kb.add_rules("PREFIX : <http://e.org/>  [same] ?x :meets ?y :- ?x :p ?o, ?y :w ?o .")

    assert rows(kb, "SELECT ?x { ?x :meets :v }") == [(iri("s"),), (iri("t"),), (iri("u"),)]
    delta = kb.remove_rules("PREFIX : <http://e.org/>  [same] ?x :meets ?y :- ?x :p ?o, ?y :w ?o .")
    assert [rule.name for rule in delta.rules_lost] == ["same"]
    assert rows(kb, "SELECT ?x { ?x :meets :v }") == []


def test_a_store_on_disk_has_literals_as_they_were_written(tmp_path):
    with Reasoner.open(tmp_path / "store", create=True) as kb:
        kb.add(triples([*NUMBERS, ":k a owl:InverseFunctionalProperty . :a :k 1 ."]))
        kb.materialise()
    with Reasoner.open(tmp_path / "store") as kb:
        assert rows(kb, "SELECT ?s ?o { ?s :q ?o }") == sorted(WRITTEN)
        with kb.transaction(strategy="bf") as change:
            change.add((iri("b"), iri("k"), PADDED))
        assert change.delta.strategy == "bf"
        assert kb.classes() == [(iri("a"), iri("b"))]
    with Reasoner.open(tmp_path / "store", read_only=True, literals="by-value") as kb:
        assert len(rows(kb, "SELECT ?s ?o { ?s :q ?o }")) == 9


def test_the_commands_write_literals_as_they_are_asked_to(tmp_path, capfdbinary):
    from reasoner.cli import main

    with Reasoner.open(tmp_path / "store", create=True) as kb:
        kb.add(triples(NUMBERS))
        kb.materialise()
    for options, count in ([], 3), (["--literals", "by-value"], 9):
        assert main(["dump", str(tmp_path / "store"), "-q", *options]) == 0
        assert capfdbinary.readouterr().out.count(b'<http://e.org/q> "') == count
        assert main(["query", str(tmp_path / "store"), "-q", *options, "SELECT * { ?s <http://e.org/q> ?o }"]) == 0
        assert len(capfdbinary.readouterr().out.splitlines()) == 1 + count


def visible(facts) -> set[tuple[str, str, str]]:
    return {fact for fact in facts if not fact[0].startswith('"') and not (fact[1] == SAME_AS and fact[0] == fact[2])}


@settings(RANDOM, max_examples=25)
@given(axioms(), statements())
def test_what_follows_is_written_as_its_premises_are(schema, data):
    facts = triples([*schema, *data])
    wanted = visible(written_closure(_small(facts), facts))

    for equality in ("rewrite", "axiomatise"):
        kb = Reasoner(equality=equality)
        kb.add(facts)
        assert {fact for fact in kb.triples() if _is_about_data(fact)} == {f for f in wanted if _is_about_data(f)}


@settings(RANDOM, max_examples=25)
@given(axioms(), statements())
def test_with_all_literals_of_a_value_the_closure_is_that_of_the_w3c_rules(schema, data):
    facts = triples([*schema, *data])
    oracle = Closure(translate_owl2rl(facts), facts)

    for equality in ("rewrite", "axiomatise"):
        kb = Reasoner(equality=equality, literals="by-value")
        kb.add(facts)
        assert set(kb.triples()) == visible(oracle.facts)
        assert {violation.rule for violation in kb.violations()} == oracle.violations


@settings(RANDOM, max_examples=25)
@given(axioms(), statements())
def test_modes_of_equality_and_profiles_agree_on_literals(schema, data):
    facts = triples([*schema, *data])
    for profile in ("owl2rl", "dlp"):
        kbs = [Reasoner(profile, equality=equality) for equality in ("rewrite", "axiomatise")]
        for kb in kbs:
            kb.add(facts)
        assert set(kbs[0].triples()) == set(kbs[1].triples()), profile
        assert {v.rule for v in kbs[0].violations()} == {v.rule for v in kbs[1].violations()}
    whole, small = (Reasoner(profile) for profile in ("owl2rl", "dlp"))
    for kb in (whole, small):
        kb.add(facts)
    equal = [{fact for fact in kb.triples() if fact[1] == SAME_AS} for kb in (whole, small)]
    assert equal[1] <= equal[0]


@settings(RANDOM, max_examples=15)
@given(
    axioms(), st.lists(statements(), min_size=2, max_size=4), st.sampled_from(("bf", "dred", "fbf", "rematerialise"))
)
def test_updates_of_literals_leave_what_starting_over_gives(schema, steps, strategy):
    kb = Reasoner()
    kb.add(triples([*schema, *steps[0]]))
    kb.materialise()
    present = list(steps[0])
    for step in steps[1:]:
        with kb.transaction(strategy=strategy) as change:
            change.add(triples([line for line in step if line not in present]))
            change.remove(triples(present[::2]))
        present = list(dict.fromkeys([*(line for line in present if line not in present[::2] or line in step), *step]))
        fresh = Reasoner()
        fresh.add(kb.store.texts(kb.store.state.explicit))
        assert set(kb.triples()) == set(fresh.triples())
        assert {v.rule for v in kb.violations()} == {v.rule for v in fresh.violations()}


def _is_about_data(fact: tuple[str, str, str]) -> bool:
    return fact[0].startswith("<http://e.org/") and fact[1].startswith("<http://e.org/")


def _small(facts):
    """Return the rules that say anything about data; the others take the slow evaluator minutes."""
    from dataclasses import replace

    translation = translate_owl2rl(facts)
    needed = ("prp-", "cls-hv", "cls-max", "cls-svf", "cls-avf", "cax-", "dt-type2")
    return replace(translation, rules=tuple(rule for rule in translation.rules if rule.name.startswith(needed)))
