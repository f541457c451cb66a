"""A reasoner on Spark gives what one in memory gives, wherever its facts are kept."""

from __future__ import annotations

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.spark import store_write
from reasoner.spark.fetched import FetchedFacts
from reasoner.spark.store import SparkStore
from tests.spark.quick_session import quickly

RULES = """PREFIX e: <http://e.org/>
?x e:ancestor ?y :- ?x e:parent ?y .
?x e:ancestor ?z :- ?x e:ancestor ?y, ?y e:parent ?z .
?x owl:sameAs ?y :- ?z e:mother ?x, ?z e:mother ?y .
?x a e:Person :- ?x e:parent ?y .
"""
# Without recursion: every round is a job, and there is one for each of them.
FEW_RULES = """PREFIX e: <http://e.org/>
?x e:ancestor ?y :- ?x e:parent ?y .
?x owl:sameAs ?y :- ?z e:mother ?x, ?z e:mother ?y .
"""
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"


def iri(name):
    return f"<http://e.org/{name}>"


def fact(text):
    s, p, o = text.split()
    return iri(s), iri(p), iri(o)


FACTS = [fact(text) for text in ("a parent b", "b parent c", "a mother m", "a mother n", "m likes d", "b mother m")]
CHANGE = [fact("b parent c"), fact("a mother n")], [fact("c parent d"), fact("n likes a")]


@pytest.fixture(scope="module")
def quick(spark):
    with quickly(spark) as session:
        yield session


def on_spark(session, *, driver_rows, profile="none"):
    kb = Reasoner(profile, engine="spark", session=session)
    kb.session.use(SparkStore(session, driver_rows=driver_rows))
    return kb


def filled(kb, rules=RULES):
    kb.add_rules(rules)
    kb.add(FACTS)
    return kb


def deltas_of_change(change, strategy, *reasoners):
    """Add and remove facts in a transaction of each reasoner, and return their deltas."""
    deltas = []
    for kb in reasoners:
        with kb.transaction(strategy=strategy) as tx:
            for name, facts in change.items():
                getattr(tx, name)(facts)
        deltas.append(tx.delta)
    return deltas


def seen(kb):
    return sorted(kb.triples()), sorted(map(sorted, kb.classes())), sorted(kb.triples(inferred_only=True))


def told(delta):
    parts = ("asserted_added", "asserted_removed", "inferred_added", "inferred_removed", "gained", "lost")
    return delta.counts, {part: sorted(delta.iterate(part)) for part in parts}, delta.not_explicit


def test_facts_in_files_give_the_same_closure_counts_answers_and_delta(quick):
    expected, found = filled(Reasoner("none"), FEW_RULES), filled(on_spark(quick, driver_rows=4), FEW_RULES)
    one, other = expected.materialise(), found.materialise()

    assert isinstance(found.store.state.facts, FetchedFacts)
    assert seen(found) == seen(expected)
    assert (other.expanded, other.inferred, other.facts) == (one.expanded, one.inferred, one.facts)
    query = "SELECT ?x { ?x <http://e.org/ancestor> ?y }"
    assert sorted(map(str, found.query(query))) == sorted(map(str, expected.query(query)))

    deltas = []
    for kb in (expected, found):
        with kb.transaction(strategy="bf") as change:
            change.remove(CHANGE[0])
            change.add(CHANGE[1])
        deltas.append(told(change.delta))
    assert deltas[1] == deltas[0]
    assert seen(found) == seen(expected)


@pytest.mark.parametrize("strategy", ["auto", "bf", "fbf", "dred", "dredc", "declarative", "rematerialise"])
def test_every_strategy_is_there(quick, strategy):
    expected, found = filled(Reasoner("none")), filled(Reasoner("none", engine="spark", session=quick))

    deltas = []
    for kb in (expected, found):
        with kb.transaction(strategy=strategy) as change:
            change.remove(CHANGE[0])
            change.add(CHANGE[1])
        deltas.append(told(change.delta))

    assert deltas[1] == deltas[0]
    assert seen(found) == seen(expected)


def test_counting_is_there_for_a_store_that_is_made_for_it(quick):
    expected = filled(Reasoner("none", equality="none", maintenance="counting"))
    found = filled(Reasoner("none", equality="none", maintenance="counting", engine="spark", session=quick))

    for kb in (expected, found):
        with kb.transaction(strategy="counting") as change:
            change.remove(CHANGE[0])

    assert seen(found) == seen(expected)


def test_an_ontology_gives_rules_violations_and_proofs(quick):
    kinds = [(iri("Cat"), SUBCLASS, iri("Animal")), (iri("tom"), TYPE, iri("Cat"))]
    apart = (iri("Animal"), "<http://www.w3.org/2002/07/owl#disjointWith>", iri("Stone"))
    expected, found = Reasoner(), Reasoner(engine="spark", session=quick)

    for kb in (expected, found):
        kb.add([*kinds, apart, (iri("tom"), TYPE, iri("Stone"))])

    assert seen(found) == seen(expected)
    assert list(map(str, found.violations())) == list(map(str, expected.violations())) != []
    assert found.explain((iri("tom"), TYPE, iri("Animal"))) is not None


def test_a_commit_that_fails_leaves_everything_as_it_was(quick):
    kb = filled(Reasoner("none", engine="spark", session=quick))
    kb.materialise()
    before = seen(kb), len(kb.store.dictionary)

    with pytest.raises(ReasonerError, match="counting cannot be used here"), kb.transaction(strategy="counting") as tx:
        tx.add([fact("new parent term")])

    assert (seen(kb), len(kb.store.dictionary)) == before


def test_files_are_loaded_by_the_executors(quick, tmp_path, monkeypatch):
    monkeypatch.setattr(store_write, "SMALL_BYTES", 0)
    file = tmp_path / "data.nt"
    file.write_text("".join(f"{' '.join(each)} .\n" for each in FACTS))
    kb = Reasoner("none", engine="spark", session=quick)
    kb.add([fact("a parent b"), fact("z parent a")])

    report = kb.load(file)

    assert report.statements == len(FACTS)
    assert sorted(kb.triples()) == sorted({*FACTS, fact("z parent a")})


def test_named_graphs_are_kept(quick):
    kb = Reasoner("none", engine="spark", session=quick)
    kb.add(FACTS[:2], graph=iri("g"))
    kb.add(FACTS[1:3])

    delta = kb.remove(FACTS[1], graph=iri("g"))

    assert kb.graphs() == {iri("g"): 1}
    assert delta.asserted_removed == ()
    assert sorted(kb.triples()) == sorted(FACTS[:3])


def test_the_executors_write_a_folder_of_parts(quick, tmp_path):
    kb = filled(Reasoner("none", engine="spark", session=quick))

    count = kb.write(f"{tmp_path}/closure/")

    lines = [line for part in (tmp_path / "closure").glob("part-*") for line in part.read_text().splitlines()]
    assert sorted(lines) == sorted(f"{' '.join(triple)} ." for triple in kb.triples())
    assert count == len(lines)
    with pytest.raises(ReasonerError, match="exists already"):
        kb.write(f"{tmp_path}/closure/")


def test_an_unknown_engine_and_a_session_without_spark_are_errors():
    with pytest.raises(ReasonerError, match="unknown engine 'flink'"):
        Reasoner(engine="flink")
    with pytest.raises(ReasonerError, match="choose engine='spark'"):
        Reasoner(master="local[2]")
