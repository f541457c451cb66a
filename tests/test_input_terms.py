"""What comes in as triples: every way in refuses what is no term, names it and the remedy, and takes rdflib's terms."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, BNode, Dataset, Graph, Literal, URIRef, Variable

from loaders.errors import ParseError
from loaders.load import parse_text
from loaders.terms import literal_parts
from loaders.terms import literal_text as literal
from ontologies.read import read_ontology
from reasoner import Reasoner, ReasonerError
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import Variable as RuleVariable
from reasoner.terms.triple_text import TermError, checked_triples
from tests.strategies import RANDOM

A, P, B = "<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>"
FACT = (A, P, B)
RDFLIB_FACT = (URIRef("http://e.org/a"), URIRef("http://e.org/p"), URIRef("http://e.org/b"))
MANY = [(A, P, f"<http://e.org/{number}>") for number in range(100)]


def store() -> Reasoner:
    kb = Reasoner("none")
    kb.add(FACT)
    return kb


def patched(kb: Reasoner, triple: tuple[str, str, str]) -> None:
    with kb.transaction() as change:
        change.apply_patch(f"A {' '.join(triple)} .")


def ruled(kb: Reasoner, triple: tuple[str, str, str]) -> None:
    kb.add_rules([Rule("own", Atom(*triple), (Atom(RuleVariable("x"), P, RuleVariable("y")),))])


WAYS: dict[str, Callable[[Reasoner, tuple[str, str, str]], object]] = {
    "add": lambda kb, triple: kb.add([triple]),
    "add one": lambda kb, triple: kb.add(triple),
    "add many": lambda kb, triple: kb.add([*MANY, triple]),
    "add to a graph": lambda kb, triple: kb.add([triple], graph="<http://e.org/g>"),
    "remove": lambda kb, triple: kb.remove(triple),
    "remove many": lambda kb, triple: kb.remove([*MANY, triple]),
    "transaction add": lambda kb, triple: kb.transaction().add([*MANY, triple]),
    "transaction remove": lambda kb, triple: kb.transaction().remove(triple),
    "dynamic add": lambda kb, triple: kb.dynamic().submit(add=triple),
    "dynamic remove": lambda kb, triple: kb.dynamic().submit(remove=[triple]),
    "entails": lambda kb, triple: kb.entails([triple]),
    "subscribe": lambda kb, triple: kb.subscribe(triple, print),
}
ASKING: dict[str, Callable[[Reasoner, tuple[str, str, str]], object]] = {
    "explain": lambda kb, triple: kb.explain(triple),
    "explanations": lambda kb, triple: list(kb.explanations(triple)),
}
NO_TERMS = ["http://a", "", "a", "?x", "<http://e.org/a b>", r"<http://e.org/\u0020>", "<http://e.org/a> ", "_:", '"a']
NO_TERMS += ['"a"@', '"a"^^xsd:integer', '"a\nb"', r'"\x"', r'"\ud800"', "<http://e.org/\ud800>", '"\udfff"']
NO_TERMS += [f"{A} {B}", r"<http://e.org/\u0000>", "_:a b"]


@pytest.mark.parametrize("way", [*WAYS, *ASKING])
@pytest.mark.parametrize("text", NO_TERMS, ids=ascii)
def test_what_is_no_term_is_refused_with_the_remedy_and_changes_nothing(way, text):
    kb = store()
    before = kb.store.state, len(kb.store.dictionary)

    with pytest.raises(TermError, match=r"write IRIs as <http://e.org/a>.*or pass rdflib terms") as error:
        (WAYS | ASKING)[way](kb, (A, P, text))

    str(error.value).encode()
    assert (kb.store.state, len(kb.store.dictionary)) == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("triple", "problem"),
    [
        (('"a"', P, B), "cannot be a subject"),
        ((A, '"p"', B), "a predicate has to be"),
        ((A, "_:p", B), "a predicate has to be"),
        ((Literal("a"), RDFLIB_FACT[1], RDFLIB_FACT[2]), "cannot be a subject"),
        ((A, BNode("p"), B), "a predicate has to be"),
    ],
)
def test_a_term_that_cannot_stand_where_it_does_is_refused(way, triple, problem):
    with pytest.raises(TermError, match=problem):
        WAYS[way](store(), triple)


@pytest.mark.parametrize("way", ["add", "add one", "add many", "transaction add", "dynamic add"])
@pytest.mark.parametrize("text", ['"a\0"', r'"\u0000"@en', Literal("\0")], ids=ascii)
def test_a_new_fact_holds_no_nul(way, text):
    with pytest.raises(TermError, match="the character NUL"):
        WAYS[way](store(), (A, P, text))


def test_a_nul_that_a_document_brought_can_be_asked_for_and_removed(tmp_path):
    (tmp_path / "nul.nt").write_text(f'{A} {P} "a\\u0000" .\n')
    kb = Reasoner("none")
    kb.load(tmp_path / "nul.nt")
    (fact,) = kb.triples()

    assert kb.explain(fact) is not None
    assert kb.remove(fact).counts.asserted_removed == 1


@pytest.mark.parametrize(
    "given",
    [
        None,
        7,
        "abc",
        f"{A} {P} {B} .",
        [FACT, "abc"],
        [(A, P)],
        [(A, P, B, A)],
        {"a": 1},
        [None],
        (A, P, 1),
        (A, P, None),
    ],
    ids=repr,
)
@pytest.mark.parametrize("way", ["add", "remove", "transaction", "dynamic"])
def test_what_is_no_triple_is_refused(given, way):
    kb = store()
    ways = {"add": kb.add, "remove": kb.remove, "transaction": kb.transaction().add, "dynamic": kb.dynamic().submit}

    with pytest.raises(TermError):
        ways[way](given)


def test_what_is_added_is_written():
    kb, target = Reasoner("none"), io.BytesIO()
    with pytest.raises(TermError, match=r"^http://a is not a term; write terms as in N-Triples: write IRIs as"):
        kb.add([("http://a", "http://b", "http://c")])

    assert kb.add([("<http://a>", "<http://b>", "<http://c>")]) == 1
    assert kb.write(target) == 1
    assert target.getvalue() == b"<http://a> <http://b> <http://c> .\n"


@pytest.mark.parametrize("texts", [NO_TERMS[0], NO_TERMS[4], r"<http://e.org/\u0020>", '"\ud800"'], ids=ascii)
def test_patches_and_rules_refuse_what_is_no_term(texts):
    for way in (patched, ruled):
        with pytest.raises(ReasonerError) as error:
            way(store(), (A, P, texts))
        str(error.value).encode()


@pytest.mark.parametrize(
    "ask",
    [
        lambda kb, text: kb.select(f"?x {P} {text}"),
        lambda kb, text: kb.query(f"SELECT * {{ ?x {P} {text} }}"),
        lambda kb, text: kb.update(f"INSERT DATA {{ {A} {P} {text} }}"),
        lambda kb, text: kb.add_rules(f"?x {P} {text} :- ?x {P} ?y ."),
        lambda kb, text: kb.evolve(f"add {{ {A} {P} {text} . }}"),
        lambda kb, text: kb.evolve(f"add AnnotationAssertion(rdfs:label {A} {text})"),
        lambda kb, text: kb.subscribe(f"?x {P} {text}", print),
    ],
)
@pytest.mark.parametrize("text", ['"\ud800"', r'"\ud800"', "<http://e.org/\udfff>"], ids=ascii)
def test_texts_with_halves_of_surrogate_pairs_are_refused_with_their_place(ask, text):
    with pytest.raises(ReasonerError) as error:
        ask(store(), text)

    str(error.value).encode()


def test_a_document_with_half_of_a_surrogate_pair_is_refused_with_its_place():
    with pytest.raises(ParseError, match=r"<text>:2:4: half of a surrogate pair is no Unicode character") as error:
        parse_text(f'{A} {P}\n  "\udcfe" .', "turtle")

    str(error.value).encode()


E = "http://e.org/"
NO_HOST = "//[x"
OWLXML = '<Ontology xmlns="http://www.w3.org/2002/07/owl#"{}><Declaration><Class IRI="{}"/></Declaration></Ontology>'


@pytest.mark.parametrize(
    "read",
    [
        lambda: read_ontology(io.BytesIO(b"Ontology(Declaration(Class(<//[x>)))"), format="functional", base=E),
        lambda: read_ontology(io.BytesIO(b"Prefix(:=<//[x>) Ontology()"), format="functional", base=E),
        lambda: read_ontology(io.BytesIO(OWLXML.format("", NO_HOST).encode()), format="owlxml", base=E),
        lambda: read_ontology(io.BytesIO(OWLXML.format(' xml:base="h://[x"', "A").encode()), format="owlxml", base=E),
        lambda: store().query(f"BASE <{E}> SELECT * {{ ?x <{NO_HOST}> ?y }}"),
        lambda: store().update("LOAD <file://[x>"),
        lambda: store().load("file://[x"),
    ],
)
def test_an_address_with_a_host_that_is_none_is_refused(read):
    with pytest.raises(ReasonerError, match=r"\[x"):
        read()


def test_a_function_that_makes_an_iri_of_it_has_no_value():
    (row,) = store().query(f"BASE <{E}> SELECT (IRI('{NO_HOST}') AS ?x) (IRI('b') AS ?y) {{}}", terms="text")

    assert tuple(row) == (None, f"<{E}b>")


def test_constants_of_ready_made_rules_become_canonical():
    kb = store()
    kb.add_rules([Rule("own", Atom(RuleVariable("x"), P, r'"caf\u00E9"'), (Atom(RuleVariable("x"), P, B),))])

    assert (A, P, '"café"') in set(kb.triples())


def test_terms_of_rdflib_are_taken_wherever_triples_are():
    graph = Graph()
    graph.add(RDFLIB_FACT)
    graph.add((BNode("b0"), RDF.type, Literal("a\nb", lang="en")))
    texts = {FACT, ("_:b0", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", r'"a\nb"@en')}
    kb = Reasoner("none")

    assert kb.add(graph) == 2 and set(kb.triples()) == texts
    assert kb.explain(RDFLIB_FACT) and list(kb.explanations(RDFLIB_FACT))
    assert kb.entails([RDFLIB_FACT]) and kb.entails(graph)
    assert kb.remove(graph).counts.asserted_removed == 2
    with kb.transaction() as change:
        change.add(graph)
        change.add(RDFLIB_FACT, graph=BNode("g"))
        change.remove(RDFLIB_FACT, graph=None)
    assert kb.graphs() == {"_:g": 1} and set(kb.triples()) == texts
    with kb.dynamic() as session:
        session.submit(remove=graph)
        session.submit(add=RDFLIB_FACT)
    assert list(kb.triples()) == [FACT]
    other = Reasoner("none")
    other.load_ontology(graph)
    assert set(other.triples()) == texts


def test_many_terms_of_rdflib_are_taken_at_once():
    graph = Graph()
    for number in range(100):
        graph.add((RDFLIB_FACT[0], RDFLIB_FACT[1], Literal(number)))
    kb = Reasoner("none")

    assert kb.add(graph) == 100
    assert set(kb.query(f"SELECT ?n {{ {A} {P} ?n }}")) == {(Literal(number),) for number in range(100)}


def test_what_rdflib_has_and_rdf_has_not_is_refused():
    dataset = Dataset()
    dataset.add((*RDFLIB_FACT, URIRef("http://e.org/g")))
    for triples in (dataset, (*RDFLIB_FACT[:2], Variable("x")), (URIRef("http://e.org/\\u0041"), *RDFLIB_FACT[1:])):
        with pytest.raises(TermError):
            store().add(triples)
    for load in (store().load, store().load_ontology):
        with pytest.raises(ReasonerError, match="cannot"):
            load([FACT])
    with pytest.raises(TermError):
        store().load(dataset)


def terms() -> st.SearchStrategy[str]:
    pieces = st.lists(
        st.sampled_from(["<", ">", '"', "\\", "u0041", "_:", "a", "é", "@en", "^^", " ", "\n", "http://e/"])
    )
    strings = st.text(st.characters(exclude_categories=("Cs",)), max_size=4)
    datatypes = st.sampled_from([None, "http://e.org/d", "http://www.w3.org/2001/XMLSchema#string"])
    return st.one_of(
        pieces.map("".join),
        st.builds(literal, strings, st.sampled_from([None, "en"]), datatypes),
        st.builds('"{}"^^<{}>'.format, st.sampled_from(["a", "b"]), datatypes),
        st.sampled_from([A, "_:b", r'"caf\u00E9"', '"\t"', "<a>"]),
    )


@settings(RANDOM, max_examples=60)
@given(st.lists(terms(), min_size=1, max_size=6))
def test_many_terms_are_judged_as_each_is_alone(texts):
    """The check of many at once and the check of one share no pattern."""
    alone = []
    for text in texts:
        try:
            alone += checked_triples((A, P, text))
        except TermError:
            alone.append(None)
    padded = [*MANY, *((A, P, text) for text in texts)]
    if None in alone:
        with pytest.raises(TermError):
            Reasoner("none").add(padded)
        with pytest.raises(TermError):
            checked_triples(padded)
        return
    assert checked_triples(padded)[len(MANY) :] == alone
    for _, _, o in alone:
        if o.startswith('"'):
            parts = literal_parts(o)
            assert literal(parts.lexical, parts.language, parts.datatype) == o
    if not any("\0" in o for _, _, o in alone):
        kb = Reasoner("none")
        kb.add(padded)
        assert set(kb.triples()) == {*MANY, *alone}
