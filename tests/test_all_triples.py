"""All triples are the same ones whoever is asked for them: that a term equals itself is one where it was asserted."""

from __future__ import annotations

from io import BytesIO
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import event, given, settings
from hypothesis import strategies as st
from rdflib import Dataset, Graph

from loaders.terms import from_rdflib, to_rdflib
from reasoner import Reasoner
from reasoner.documents.dump import dump
from reasoner.interop.rdflib_store import ReasonerStore
from reasoner.terms.quads import ASSERTED, CLOSURE, INFERRED
from reasoner.terms.term import SAME_AS
from tests import oracle
from tests.engines import Make
from tests.notation import Fact, fact, facts, rules
from tests.strategies import RANDOM

NAMES = ("a", "b", "c", "p", "q")
# Equalities of terms, of predicates, of owl:sameAs with other predicates, and of anything with itself.
POOL = [
    *(fact(f"{s} {p} {o}") for s in "abc" for p in "pq" for o in "abc"),
    *(fact(f"{s} same {o}") for s in "abc" for o in "abc"),
    *[fact(f"{s} same {s}") for s in (*NAMES, "same")] * 2,
    *[fact(f"{s} {p} {s}") for s in NAMES for p in "pq"],
    *[fact("p same q"), fact("same same p"), fact("q same same"), fact("p same same"), fact("a same q")] * 2,
    *(fact(f"{s} p 1") for s in "ab"),
]
STORES = st.lists(st.sampled_from(POOL), max_size=9, unique=True)
EQUALITIES = st.sampled_from(["rewrite", "rewrite", "rewrite", "axiomatise", "none"])
RULES = st.sampled_from(["", "?y q ?x :- ?x p ?y", "?x same ?y :- ?x p ?y, ?y p ?x", "?x same ?x :- ?x q ?y"])
PLACES = ("s", "p", "o")


def wanted(explicit: set[Fact], rule_text: str, equality: str) -> set[Fact]:
    """Return all triples that there are, by the oracle."""
    closure = oracle.closure(rules(rule_text), explicit, equality != "none")
    return oracle.visible(closure) if equality == "none" else oracle.shown(closure, explicit)


def fits(triple: Fact, pattern: tuple[str | None, ...]) -> bool:
    return all(asked is None or asked == term for asked, term in zip(pattern, triple, strict=True))


def written(pattern: tuple[str | None, ...]) -> str:
    return " ".join(term or f"?{place}" for place, term in zip(PLACES, pattern, strict=True))


def completed(rows: list[dict[str, str]], pattern: tuple[str | None, ...]) -> list[Fact]:
    """Return the triples that answers to a pattern stand for."""
    places = list(zip(PLACES, pattern, strict=True))
    return [tuple(row[place] if term is None else term for place, term in places) for row in rows]  # type: ignore[misc]


def selected(kb: Reasoner, pattern: tuple[str | None, ...]) -> list[Fact]:
    return completed(kb.select(written(pattern)), pattern)


def queried(kb: Reasoner, pattern: tuple[str | None, ...], body: str = "{}") -> list[Fact]:
    if None not in pattern:
        return [pattern] if kb.query(f"ASK {{ {body.format(written(pattern))} }}").askAnswer else []  # type: ignore[list-item]
    result = kb.query(f"SELECT * {{ {body.format(written(pattern))} }}", terms="text")
    names = [str(name) for name in result.vars or ()]
    return completed([dict(zip(names, row, strict=True)) for row in result.rows()], pattern)


def looked_up(kb: Reasoner, pattern: tuple[str | None, ...]) -> list[Fact]:
    asked = tuple(None if term is None else to_rdflib(term) for term in pattern)
    found = Graph(store=ReasonerStore(kb=kb)).triples(asked)  # type: ignore[arg-type]
    return [tuple(map(from_rdflib, triple)) for triple in found]  # type: ignore[misc]


def assert_one_meaning(kb: Reasoner, explicit: set[Fact], triples: set[Fact], probes: list[Fact]) -> None:
    """Ask every interface for all triples, and every one that takes patterns for those of each shape."""
    assert_the_same(list(kb.triples()), triples)
    assert set(kb.triples(inferred_only=True)) == triples - explicit
    assert (kb.summary().expanded, kb.summary().inferred) == (len(triples), len(triples - explicit))
    for part, expected in (("closure", triples), ("inferred", triples - explicit), ("asserted", explicit)):
        target = BytesIO()
        assert dump(kb, target, part=part) == len(expected)
        assert set(target.getvalue().decode().splitlines()) == {f"{s} {p} {o} ." for s, p, o in expected}
    for graph, expected in ((CLOSURE, triples), (INFERRED, triples - explicit), (ASSERTED, explicit)):
        assert_the_same(queried(kb, (None, None, None), f"GRAPH {graph} {{{{ {{}} }}}}"), expected)
        assert_the_same(list(kb.triples(graph=graph)), expected)
    assert_the_same(list(kb.query("CONSTRUCT WHERE { ?s ?p ?o }").triples()), triples)
    assert len(Graph(store=ReasonerStore(kb=kb))) == len(triples)
    assert len(list(Dataset(store=ReasonerStore(kb=kb)).quads())) == len(triples)
    for probe, chosen in product(probes, product((False, True), repeat=3)):
        pattern = tuple(term if is_bound else None for term, is_bound in zip(probe, chosen, strict=True))
        expected = {triple for triple in triples if fits(triple, pattern)}
        for ask in (selected, queried, looked_up):
            assert_the_same(ask(kb, pattern), expected)
    for text in ("?s owl:sameAs ?s", "?s ?p ?s"):
        loops = {s for s, p, o in triples if s == o and (p == SAME_AS or "?p" in text)}
        assert {row["s"] for row in kb.select(text)} == loops
        prefix = "PREFIX owl: <http://www.w3.org/2002/07/owl#>"
        assert set(kb.query(f"{prefix} SELECT ?s {{ {text} }}", terms="text").rows()) == {(term,) for term in loops}
        # A variable that is not asked for tells no more than that there is something.
        assert {row["s"] for row in kb.select("?s owl:sameAs ?o", ["s"])} == {s for s, p, _ in triples if p == SAME_AS}


def assert_the_same(found: list[Fact], expected: set[Fact]) -> None:
    assert set(found) == expected
    assert len(found) == len(expected)


@settings(RANDOM, max_examples=120)
@given(STORES, RULES, EQUALITIES, st.lists(st.sampled_from(POOL), min_size=1, max_size=2))
def test_every_interface_gives_the_same_triples(given_facts, rule_text, equality, probes):
    explicit = set(given_facts)
    triples = wanted(explicit, rule_text, equality)
    event(f"{equality}: {'some' if any(s == o for s, _, o in triples) else 'no'} loops")
    kb = Reasoner(profile="none", equality=equality)
    kb.add_rules(rules(rule_text))
    kb.add(given_facts)

    assert_one_meaning(kb, explicit, triples, [*probes, *sorted(triples)[:1]])


@settings(RANDOM, max_examples=80)
@given(STORES, EQUALITIES, st.lists(st.tuples(st.booleans(), st.sampled_from(POOL)), min_size=1, max_size=5))
def test_updates_and_deltas_and_subscriptions_know_the_same_triples(given_facts, equality, steps):
    explicit = set(given_facts)
    kb = Reasoner(profile="none", equality=equality)
    kb.add(given_facts)
    kb.materialise()
    answers: set[tuple[str | None, ...]] = set()

    def take(change) -> None:
        assert not answers & set(change.added)
        assert answers >= set(change.removed)
        answers.difference_update(change.removed)
        answers.update(change.added)

    kb.subscribe("?s ?p ?o", take, initial=True)
    triples = wanted(explicit, "", equality)
    assert answers == triples
    for comes, step in steps:
        before, before_explicit = triples, set(explicit)
        (explicit.add if comes else explicit.discard)(step)
        with kb.transaction() as change:
            (change.add if comes else change.remove)(step)
        triples, delta = wanted(explicit, "", equality), change.delta
        assert set(kb.triples()) == answers == triples
        assert set(delta.asserted_added) == explicit - before_explicit
        assert set(delta.asserted_removed) == before_explicit - explicit
        assert set(delta.inferred_added) == triples - before - explicit
        assert set(delta.inferred_removed) == before - triples - before_explicit
        assert (delta.counts.gained, delta.counts.lost) == (len(triples - before), len(before - triples))
        counted = delta.counts.inferred_added, delta.counts.inferred_removed
        assert counted == (len(delta.inferred_added), len(delta.inferred_removed))
    fresh = Reasoner(profile="none", equality=equality)
    fresh.add(explicit)
    assert set(kb.triples(reflexive=True)) == set(fresh.triples(reflexive=True))
    assert_one_meaning(kb, explicit, triples, sorted(triples)[:1])
    with TemporaryDirectory() as folder:
        kb.save(Path(folder) / "store")
        with Reasoner.open(Path(folder) / "store") as opened:
            assert_one_meaning(opened, explicit, triples, sorted(triples)[-1:])


def filled(make: Make, text: str) -> Reasoner:
    kb = make(profile="none")
    kb.add(facts(text))
    return kb


def test_that_a_term_equals_itself_is_a_triple_where_it_was_asserted(make_reasoner):
    kb = filled(make_reasoner, "c same c, a p b")

    assert set(kb.triples()) == {*facts("c same c, a p b")}
    assert kb.select("?x owl:sameAs ?y") == [{"x": "<c>", "y": "<c>"}]
    assert kb.query(f"SELECT * {{ ?x {SAME_AS} ?y }}", terms="text").rows() == [("<c>", "<c>")]
    assert kb.query(f"ASK {{ <c> {SAME_AS} <c> }}").askAnswer
    assert not kb.query(f"ASK {{ <a> {SAME_AS} <a> }}").askAnswer
    assert (kb.summary().explicit, kb.summary().expanded, kb.summary().inferred) == (2, 2, 0)
    # It holds all the same.
    assert kb.explain(fact("a same a")) is not None
    assert fact("a same a") in set(kb.triples(reflexive=True))


def test_it_is_one_under_the_name_that_it_was_asserted_with(make_reasoner):
    kb = filled(make_reasoner, "p same same, a p a, b same c")

    assert fact("a p a") in set(kb.triples())
    assert fact("a same a") not in set(kb.triples())
    assert kb.select("?x ?p ?x") == [{"x": "<a>", "p": "<p>"}]
    assert kb.query("SELECT * { ?x ?p ?x }", terms="text").rows() == [("<a>", "<p>")]


def test_it_comes_and_goes_as_an_explicit_triple(make_reasoner):
    kb = filled(make_reasoner, "c same c, a p b")
    new = fact("a same a")
    with kb.transaction() as change:
        change.add(new)
    assert change.delta.asserted_added == (new,)
    assert (change.delta.inferred_added, change.delta.became_explicit) == ((), ())
    assert (change.delta.counts.gained, change.delta.counts.inferred_added) == (1, 0)
    assert set(kb.triples()) == {*facts("c same c, a p b, a same a")}

    with kb.transaction() as change:
        change.remove(facts("a same a, c same c"))
    assert set(change.delta.asserted_removed) == {*facts("a same a, c same c")}
    assert (change.delta.inferred_removed, change.delta.became_inferred) == ((), ())
    assert (change.delta.counts.lost, change.delta.counts.inferred_removed) == (2, 0)
    assert set(kb.triples()) == {*facts("a p b")}


def test_representatives_alone_show_it_of_the_representative(make_reasoner):
    kb = filled(make_reasoner, "a same b, b same b, a p c")

    assert kb.query("SELECT * { ?s ?p ?o }", terms="text", expand=False).rows() == [
        ("<a>", "<p>", "<c>"),
        ("<a>", SAME_AS, "<a>"),
    ]


def test_a_predicate_of_which_no_fact_is_left_occurs_no_more(make_reasoner):
    kb = filled(make_reasoner, "a p b, a q b")
    kb.materialise()
    with kb.transaction() as change:
        change.remove(fact("a p b"))

    assert fact("p same p") not in set(kb.triples(reflexive=True))
    assert {"p": "<p>"} not in kb.select("?p owl:sameAs ?p", reflexive=True)
    assert {"p": "<q>"} in kb.select("?p owl:sameAs ?p", reflexive=True)
