"""Unions do not multiply rules: auxiliary classes take their places, and nobody sees them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest
import rdflib

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.axioms import Ontology
from ontologies.collector import Translation
from ontologies.dlp import translate_dlp
from ontologies.read_functional import read_functional
from ontologies.structural import ClauseFinisher
from ontologies.swrl import translate_swrl
from ontologies.translate import upper_bound
from ontologies.write_functional import write_functional
from ontologies.write_rdf import triples_of
from reasoner import Reasoner
from reasoner.explanation.check import check_proof
from reasoner.interop.rdflib_store import ReasonerStore
from reasoner.rules.parser import parse_rules
from reasoner.rules.printer import print_rules
from reasoner.rules.rule import is_auxiliary
from reasoner.terms.term import RDF_TYPE, SAME_AS
from tests.engines import Make
from tests.ontologies.semantics import CLASSES, INDIVIDUALS, PROPERTIES, random_interpretation, random_property


def union(number: int) -> str:
    return f"ObjectUnionOf(:A{number} :B{number})"


def ontology(*axioms: str) -> Ontology:
    return read_functional(f"Prefix(:=<urn:>) Ontology({' '.join(axioms)})")


def all_of(number: int, part: str = "{}", of: str = "C") -> str:
    """Say that a class is below the intersection of some unions."""
    parts = " ".join(part.format(union(at), at=at) for at in range(number))
    return f"SubClassOf(ObjectIntersectionOf({parts}) :{of})"


def uses_auxiliary(translation: Translation) -> bool:
    return any(is_auxiliary(constant) for rule in translation.rules for constant in rule.constants)


@pytest.fixture
def multiplied(monkeypatch):
    """Multiply everything out."""

    def translated(given: Ontology) -> Translation:
        with monkeypatch.context() as patch:
            patch.setattr(ClauseFinisher, "_shortened", lambda self, clause: None)
            return translate_dlp(given)

    return translated


def test_thirteen_unions_are_twenty_seven_rules():
    assert len(translate_dlp(ontology(all_of(13))).rules) == 27


def test_auxiliary_classes_have_no_literals_that_rules_would_compare_by_value():
    kb = Reasoner("dlp")
    kb.add(triples_of(ontology(all_of(13))))

    assert len(kb.rules()) == 27


@pytest.mark.parametrize(
    ("axiom", "rules"),
    [
        (all_of(13, "ObjectSomeValuesFrom(:r{at} {})"), 27),
        (all_of(13, "ObjectSomeValuesFrom(:r ObjectSomeValuesFrom(:s {}))"), 27),
        (all_of(13, "ObjectSomeValuesFrom(:r{at} ObjectOneOf(:i{at} :j{at}))"), 27),
        (all_of(13, 'DataSomeValuesFrom(:d{at} DataOneOf("1" "2"))'), 27),
        (f"SubClassOf(:D ObjectSomeValuesFrom(:r {union(0)}))", 0),
        (f"SubClassOf(ObjectSomeValuesFrom(:r {all_of(13)[11:-4]}) :C)", 27),
        (f"SubClassOf({all_of(13)[11:-4]} ObjectIntersectionOf(:C :D))", 28),
        (f"SubClassOf({all_of(13)[11:-4]} ObjectAllValuesFrom(:r :D))", 27),
        (f"EquivalentClasses(:C {all_of(13)[11:-4]})", 27),
        (f"SubClassOf(ObjectUnionOf(:D {all_of(13)[11:-4]}) :C)", 28),
        (
            f"SubClassOf(:D ObjectUnionOf(:C {' '.join(f'ObjectComplementOf({union(at)})' for at in range(13))}))",
            27,
        ),
        ("SubClassOf(:D ObjectMaxCardinality(1 :r ObjectUnionOf(:A :B :C :D :E)))", 6),
        ("HasKey(ObjectUnionOf(:A :B :C :D :E) (:r) ())", 6),
        (f"SubClassOf(:D ObjectComplementOf(ObjectIntersectionOf({union(0)} {union(1)} {union(2)})))", 8),
    ],
)
def test_wherever_unions_meet_rules_do_not_multiply(axiom, rules):
    """The last one is a constraint, whose violations show facts: it is multiplied out."""
    assert len(translate_dlp(ontology(axiom)).rules) == rules


def test_swrl_rules_and_bounds_do_not_multiply_either():
    atoms = " ".join(f"ClassAtom({union(at)} Variable(:x))" for at in range(13))
    rule = ontology(f"DLSafeRule(Body({atoms}) Head(ClassAtom(:C Variable(:x))))")

    assert len(translate_swrl(rule).rules) == 27
    assert len(upper_bound(ontology(all_of(13))).rules) == 27


@pytest.mark.parametrize(
    "axiom",
    [
        "SubClassOf(ObjectUnionOf(:A :B) :C)",
        all_of(2),
        f"SubClassOf(:C ObjectIntersectionOf({union(0)} :D))",
        f"EquivalentClasses(:C ObjectIntersectionOf(:D {union(0)}))",
        "DisjointUnion(:C :A :B)",
    ],
)
def test_ordinary_axioms_have_no_auxiliary_classes(axiom, multiplied):
    translation = translate_dlp(ontology(axiom))

    assert translation == multiplied(ontology(axiom))
    assert not uses_auxiliary(translation)


def test_a_part_that_holds_of_everything_or_is_left_out_is_multiplied_out():
    everything = all_of(4).replace(":B2", "owl:Thing")

    assert not uses_auxiliary(translate_dlp(ontology(all_of(4, of="C").replace(" :C", " ObjectSomeValuesFrom(:r :C)"))))
    assert len(translate_dlp(ontology(everything)).rules) <= 11


def test_two_axioms_share_what_they_have_in_common():
    both = translate_dlp(ontology(all_of(5), all_of(4, of="D"))).rules

    assert len(both) == 12
    assert sum(len(rule.sources) == 2 for rule in both) == 8


def test_rules_with_auxiliary_classes_can_be_read_again():
    rules = translate_dlp(
        ontology(all_of(4), all_of(4, 'DataSomeValuesFrom(:d{at} DataOneOf("a" "b\\"c"))', "D"))
    ).rules

    assert [rule.body for rule in parse_rules(print_rules(rules))] == [rule.body for rule in rules]


def random_part(random: Random, depth: int) -> ex.ClassExpression:
    """Make up an expression of unions, most of which a class can stand for."""
    if depth == 0:
        return random.choice([*CLASSES, *CLASSES, *CLASSES, "<http://www.w3.org/2002/07/owl#Thing>"])
    parts = tuple(random_part(random, depth - 1) for _ in range(random.randint(2, 3)))
    some = ex.ObjectSomeValuesFrom(random_property(random), parts[0])
    kinds = [ex.ObjectUnionOf(parts)] * 4 + [ex.ObjectIntersectionOf(parts)] * 3 + [some] * 2
    return random.choice([*kinds, ex.ObjectOneOf(INDIVIDUALS), ex.ObjectHasSelf(random_property(random))])


def random_product(random: Random) -> ax.Axiom:
    parts = tuple(random_part(random, random.randint(1, 2)) for _ in range(random.randint(2, 4)))
    target = random.choice(
        [*CLASSES, ex.ObjectIntersectionOf(CLASSES[:2]), ex.ObjectAllValuesFrom(PROPERTIES[0], CLASSES[1])]
    )
    if random.random() < 0.2:
        return ax.SubClassOf(
            CLASSES[0], ex.ObjectUnionOf((CLASSES[1], ex.ObjectComplementOf(ex.ObjectIntersectionOf(parts))))
        )
    return ax.SubClassOf(ex.ObjectIntersectionOf(parts), target)


@pytest.mark.parametrize("seed", range(4))
def test_random_products_mean_what_their_axiom_means(seed):
    random, seen = Random(seed), 0
    for _ in range(40):
        axiom = random_product(random)
        translation = translate_dlp(Ontology((axiom,)))
        seen += uses_auxiliary(translation)
        if any(len(rule.variables) > 5 for rule in translation.rules):
            continue
        for _ in range(8):
            interpretation = random_interpretation(random)
            assert interpretation.satisfies_rules(translation.rules) == interpretation.satisfies(axiom), axiom
    assert seen > 3


@pytest.mark.parametrize("seed", range(3))
def test_random_products_derive_what_they_derive_multiplied_out(seed, multiplied):
    random, seen = Random(seed), 0
    for _ in range(12):
        given = Ontology((random_product(random), random_product(random)))
        short, long = translate_dlp(given), multiplied(given)
        seen += uses_auxiliary(short)
        names = ("<urn:u>", "<urn:v>", *INDIVIDUALS)
        facts = [(s, RDF_TYPE, o) for s, o in product(names, CLASSES) if random.random() < 0.4]
        facts += [(s, p, o) for s, p, o in product(names, PROPERTIES, names) if random.random() < 0.15]
        facts += [("<urn:u>", SAME_AS, INDIVIDUALS[0])] if random.random() < 0.5 else []
        gone = random.sample(facts, k=min(3, len(facts)))
        found = []
        for translation in (short, long):
            kb = Reasoner(profile="none")
            kb.add_rules(translation.rules)
            kb.add(facts)
            first = set(kb.triples(reflexive=True))
            with kb.transaction(strategy="bf") as change:
                change.remove(gone)
            delta = set(change.delta.inferred_removed), set(change.delta.inferred_added)
            found.append((first, delta, set(kb.triples(reflexive=True)), len(list(kb.normal_triples()))))
        assert found[0] == found[1], [write_functional(axiom) for axiom in given.axioms]
    assert seen > 2


PREFIX = "PREFIX : <urn:>\n"
MEMBERS = [("<urn:x>", RDF_TYPE, f"<urn:{'AB'[at % 2]}{at}>") for at in range(4)]
MEMBER = ("<urn:x>", RDF_TYPE, "<urn:C>")
WILD = """
    ?x <urn:seen> ?p :- ?x ?p ?y .
    ?x <urn:is> ?c :- ?x a ?c .
    ?x a <urn:Occurs> :- ?x <http://www.w3.org/2002/07/owl#sameAs> ?x .
    false :- ?x a <urn:C>, ?x ?p <urn:bad> ."""
AXIOM = triples_of(ontology(all_of(4)))


def store(make: Make, profile: str = "dlp", rules: str = WILD) -> Reasoner:
    kb = make(profile=profile)
    kb.add([*AXIOM, *MEMBERS, ("<urn:x>", SAME_AS, "<urn:y>"), ("<urn:x>", "<urn:p>", "<urn:bad>")])
    if rules:
        kb.add_rules(rules)
    kb.materialise()
    assert uses_auxiliary(kb.translation())
    return kb


def shown(kb: Reasoner, folder: Path) -> Iterator[object]:
    """Yield what each interface tells of a store."""
    yield sorted(kb.triples(reflexive=True))
    yield sorted(kb.triples(inferred_only=True))
    yield sorted(kb.normal_triples())
    yield kb.classes()
    yield kb.violations()
    for pattern in ("?x ?p ?y", "?x ?p ?x", "?x a ?c"):
        yield kb.select(pattern)
    queries = [
        "SELECT * { ?s ?p ?o }",
        "SELECT * { ?s !:p ?o }",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "SELECT DISTINCT ?p { ?s ?p ?s }",
        "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }",
        "DESCRIBE :x",
    ]
    for query in queries:
        written = kb.query(PREFIX + query).serialize(format="nt" if query[0] in "CD" else "csv")
        assert written is not None
        yield sorted(written.splitlines())
    kb.write(folder / "closure.nt")
    yield (folder / "closure.nt").read_text()
    kb.write(folder / "inferred.nt", inferred_only=True)
    yield (folder / "inferred.nt").read_text()


@pytest.mark.parametrize("profile", ["dlp", "lower", "upper"])
def test_no_interface_shows_auxiliary_classes(tmp_path, make_reasoner, profile):
    kb = store(make_reasoner, profile)

    assert MEMBER in set(kb.triples())
    assert kb.violations()
    for told in shown(kb, tmp_path):
        assert "auxiliary" not in str(told)


def test_what_is_told_is_what_is_told_multiplied_out(tmp_path, make_reasoner, monkeypatch):
    """Counts are the same as well; facts are listed in the order of their tables, which may differ."""
    short = store(make_reasoner)
    with monkeypatch.context() as patch:
        patch.setattr(ClauseFinisher, "_shortened", lambda self, clause: None)
        long = make_reasoner(profile="dlp")
        long.add([*AXIOM, *MEMBERS, ("<urn:x>", SAME_AS, "<urn:y>"), ("<urn:x>", "<urn:p>", "<urn:bad>")])
        long.add_rules(WILD)
        long.materialise()

    for first, second in zip(shown(short, tmp_path), shown(long, tmp_path), strict=True):
        assert sorted(str(first)) == sorted(str(second))
    one, other = short.summary(), long.summary()
    names = ("explicit", "facts", "expanded", "inferred", "classes", "members")
    assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]


@pytest.mark.parametrize("strategy", ["bf", "dred", "fbf", "dredc", "counting", "declarative", "auto"])
def test_deltas_do_not_show_them_and_taking_back_restores_the_store(strategy):
    kb = Reasoner(profile="dlp", maintenance=strategy if strategy in ("dredc", "counting") else None)
    kb.add([*AXIOM, *MEMBERS])
    kb.materialise()
    before = sorted(kb.triples())
    with kb.transaction(strategy=strategy) as change:
        change.remove(MEMBERS[0])
    assert change.delta.inferred_removed == (MEMBER,)
    assert set(change.delta.normal_removed) == {MEMBER, MEMBERS[0]}
    assert change.delta.counts.normal_removed == 2
    with kb.transaction(strategy=strategy) as change:
        change.add(MEMBERS[0])

    assert sorted(kb.triples()) == before
    assert "auxiliary" not in change.delta.to_json()


def test_the_axiom_goes_and_comes(make_reasoner):
    kb = store(make_reasoner, rules="")
    before, state = sorted(kb.triples()), sorted(kb.normal_triples())
    with kb.transaction() as change:
        change.remove(AXIOM)
    assert MEMBER in change.delta.inferred_removed
    assert not any(is_auxiliary(p) for _, p, _ in kb.store.texts(kb.store.state.facts))
    with kb.transaction() as change:
        change.add(AXIOM)

    assert (sorted(kb.triples()), sorted(kb.normal_triples())) == (before, state)
    assert "auxiliary" not in str(change.delta.inferred_added)


def test_a_proof_says_which_part_of_the_axiom_holds(make_reasoner):
    kb = store(make_reasoner)
    goal = ("<urn:y>", RDF_TYPE, "<urn:C>")
    proof = kb.explain(goal)

    assert '<urn:x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "ObjectUnionOf(<urn:A0> <urn:B0>)"' in str(proof)
    for text in (str(proof), proof.to_json(), proof.to_turtle(), proof.to_html()):
        assert "auxiliary" not in text
    explicit = {*AXIOM, *MEMBERS, ("<urn:x>", SAME_AS, "<urn:y>")}
    assert check_proof(proof, kb.rules(), explicit.__contains__) == []


def test_a_store_that_is_opened_again_goes_on_and_shows_nothing(tmp_path):
    kb = store(Reasoner)
    told = sorted(kb.triples())
    kb.save(tmp_path / "store")

    again = Reasoner.open(tmp_path / "store")
    for item in shown(again, tmp_path):
        assert "auxiliary" not in str(item)
    assert sorted(again.triples()) == told
    with again.transaction() as change:
        change.remove(MEMBERS[0])
    assert MEMBER in change.delta.inferred_removed


def test_entailment_exports_and_rdflib_do_not_show_them(tmp_path):
    kb = store(Reasoner, rules="")
    graph = rdflib.Graph(store=ReasonerStore(kb=kb))
    assert all("auxiliary" not in str(triple) for triple in graph)
    assert len(graph) == len(set(kb.triples()))
    assert kb.entails("<urn:y> a <urn:C> .")
    assert kb.entails(triples_of(ontology("SubClassOf(ObjectIntersectionOf(:A0 :A1 :B2 :A3) :C)")))
    assert not kb.entails(triples_of(ontology("SubClassOf(ObjectIntersectionOf(:A0 :A1 :B2) :C)")))
    kb.export(tmp_path / "export.sqlite")
    with sqlite3.connect(tmp_path / "export.sqlite") as connection:
        assert not any("auxiliary" in line for line in connection.iterdump())


def test_variable_predicates_do_not_range_over_auxiliary_classes(make_reasoner):
    kb = store(make_reasoner, rules="?x <urn:seen> ?p :- ?x ?p ?y .")
    told = set(kb.triples())

    assert {o for s, p, o in told if (s, p) == ("<urn:x>", "<urn:seen>")} == {
        RDF_TYPE,
        "<urn:p>",
        "<urn:seen>",
        SAME_AS,
    }
    assert MEMBER in told
    assert kb.summary().expanded == len(told)


def test_strata_do_not_depend_on_what_a_variable_predicate_does_not_reach():
    """The rule reads all predicates, of which auxiliary classes are none."""
    kb = Reasoner(profile="dlp")
    kb.add([*AXIOM, *MEMBERS, ("<urn:z>", RDF_TYPE, "<urn:Z>")])
    kb.add_rules("?x a <urn:A0> :- ?x a <urn:Z>, not ?x ?p <urn:bad> , ?x ?p ?y .")

    assert ("<urn:z>", RDF_TYPE, "<urn:A0>") in set(kb.triples())
