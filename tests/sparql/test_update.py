"""SPARQL 1.1 Update: every form, requests as one commit, and what is refused."""

from __future__ import annotations

import threading

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.requests import update
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.state.session import Session
from reasoner.terms.triple_text import TermError
from tests.sparql.notation import PREFIX, ask, short, store, term

RULES = "?x <http://e.org/anc> ?y :- ?x <http://e.org/par> ?y . " + (
    "?x <http://e.org/anc> ?z :- ?x <http://e.org/anc> ?y, ?y <http://e.org/par> ?z ."
)


def explicit(kb: Reasoner) -> set[str]:
    """Return the explicit facts in the notation of ``store``."""
    return {" ".join(map(short, triple)) for triple in kb.store.texts(kb.store.state.explicit)}


def ancestors(facts: str) -> Reasoner:
    kb = store(facts)
    kb.add_rules(RULES)
    return kb


def shown(triples) -> set[str]:
    return {" ".join(map(short, triple)) for triple in triples}


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", "INSERT DATA { :a :p :b , 1 ; :q 'x' }", "a p b, a p 1, a q \"x\""),
        ("a p b", "INSERT DATA { :a :p :b }", "a p b"),
        ("a p b, c p d", "DELETE DATA { :a :p :b . :x :p :y }", "c p d"),
        ("a p b, c p d, a q b", "DELETE WHERE { ?x :p ?y }", "a q b"),
        ("a p b, b p c", "DELETE { ?x :p ?y } INSERT { ?y :p ?x } WHERE { ?x :p ?y }", "b p a, c p b"),
        ("a p a, a p b", "DELETE { ?x :p ?y } INSERT { ?x :p ?x } WHERE { ?x :p ?y }", "a p a"),
        ("a p 1, b p 5", "INSERT { ?x :large true } WHERE { ?x :p ?n FILTER(?n > 3) }", "a p 1, b p 5, b large TRUE"),
        ("a p 1, b q 2", "DELETE { ?x ?r ?o } WHERE { ?x ?r ?o OPTIONAL { ?x :q ?n } FILTER(!BOUND(?n)) }", "b q 2"),
        ("a p 1", "INSERT { ?o :q ?x . ?x ?o ?x . ?x :q ?unbound } WHERE { ?x :p ?o }", "a p 1"),
        ("a p b", "DELETE {} INSERT {} WHERE { ?x :p ?y }", "a p b"),
        ("a p b, c p d", "CLEAR DEFAULT", ""),
        ("a p b, c p d", "DROP ALL", ""),
        ("a p b", "CLEAR SILENT ALL ; INSERT DATA { :c :p :d }", "c p d"),
        ("a p b", "INSERT DATA { :c :p :d } ; DROP DEFAULT", ""),
        ("a p b", "DELETE DATA { :a :p :b } ; INSERT DATA { :a :p :b } ;", "a p b"),
        ("", "INSERT DATA { :a :p :b } ; INSERT { ?y :q ?x } WHERE { ?x :p ?y }", "a p b, b q a"),
        ("a p b", "DELETE WHERE { ?x :p ?y } ; INSERT { :a :q ?x } WHERE { ?x :p ?y }", ""),
        ("a p 1", "DELETE { ?x :p ?n } INSERT { ?x :p ?m } WHERE { ?x :p ?n BIND(?n + 1 AS ?m) }", "a p 2"),
        ("", "INSERT { :a :p ?x } WHERE { VALUES ?x { :b :c } }", "a p b, a p c"),
        ("a p b, a p c", "INSERT { ?x :n ?k } WHERE { SELECT ?x (COUNT(*) AS ?k) { ?x :p ?y } GROUP BY ?x }",
         "a p b, a p c, a n 2"),
        ("a p b", "", "a p b"),
        ("a p b", "CLEAR SILENT GRAPH :g ; CREATE SILENT GRAPH :g ; COPY SILENT :g TO DEFAULT", "a p b"),
    ],
)  # fmt: skip
def test_a_form_does_what_the_standard_says(before, text, after):
    kb = store(before)

    update(kb, PREFIX + text)

    true = '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'
    expected = {" ".join(map(short, map(term, fact.split()))) for fact in after.split(",") if fact.strip()}
    assert explicit(kb) == {fact.replace("TRUE", short(true)) for fact in expected}
    assert shown(kb.triples()) == explicit(kb)


def test_prefixes_and_base_hold_for_later_operations_and_may_change():
    kb = store("")

    update(
        kb,
        "BASE <http://e.org/> PREFIX x: <http://e.org/x/> INSERT DATA { <a> x:p g:b } ; "
        "PREFIX x: <http://e.org/y/> INSERT DATA { <a> x:p g:b }",
        prefixes={"g": "http://e.org/"},
    )
    update(kb, "INSERT DATA { <c> <d> <e> }", base="http://e.org/")

    assert explicit(kb) == {"a x/p b", "a y/p b", "c d e"}


def test_where_sees_what_is_inferred_also_from_earlier_operations():
    kb = ancestors("a par b")

    delta = update(
        kb, PREFIX + "INSERT DATA { :b :par :c } ; INSERT { ?x :known ?y } WHERE { ?x :anc ?y FILTER(?y = :c) }"
    )

    assert shown(delta.asserted_added) == {"b par c", "a known c", "b known c"}
    assert shown(delta.inferred_added) == {"b anc c", "a anc c"}


def test_deleting_what_is_inferred_is_a_reported_no_op():
    kb = ancestors("a par b, b par c")

    delta = update(kb, PREFIX + "DELETE WHERE { :a ?p ?y }")

    assert shown(delta.not_explicit) == {"a anc b", "a anc c"}
    assert shown(delta.asserted_removed) == {"a par b"}
    assert shown(delta.inferred_removed) == {"a anc b", "a anc c"}


def test_equal_terms_are_deleted_by_any_name_that_is_explicit():
    kb = store("a same b, a p x")

    ignored = update(kb, PREFIX + "DELETE DATA { :b :p :x }")
    delta = update(kb, PREFIX + "DELETE { ?s :p ?o } WHERE { ?s :p ?o . ?s owl:sameAs :b }")

    assert shown(ignored.not_explicit) == {"b p x"} and ignored.strategy == "none"
    assert shown(delta.iterate("lost")) == {"a p x", "b p x"}
    assert ask(kb, "SELECT ?x { ?x :p ?o }") == {}


def test_one_delta_leads_from_the_first_state_to_the_last():
    kb = ancestors("a par b")
    kb.materialise()

    delta = update(
        kb,
        PREFIX + "INSERT DATA { :b :par :c } ; DELETE { ?x :par ?y } WHERE { ?x :par ?y . ?y :anc :c } ; "
        "INSERT { :c :par ?y } WHERE { :b :anc ?y }",
    )

    assert shown(delta.asserted_added) == {"b par c", "c par c"}
    assert shown(delta.asserted_removed) == {"a par b"}
    assert shown(delta.inferred_added) == {"b anc c", "c anc c"}
    assert shown(delta.inferred_removed) == {"a anc b"}
    assert "steps" in delta.reason and delta.after is kb.store.state
    other = Reasoner(profile="none")
    other.add(kb.store.texts(delta.before.explicit))
    with other.transaction() as change:
        change.apply_patch(delta.to_patch())
    assert explicit(other) == explicit(kb)


@pytest.mark.parametrize(
    ("failing", "strategy"),
    [
        ("LOAD <missing.nt>", "auto"),
        ("INSERT { ?x :p ?y } WHERE { SERVICE <http://e.org/other> { ?x :q ?y } }", "bf"),
        ("LOAD <missing.nt>", "rematerialise"),
        # This one fails while the closure is brought up to date, before the last operation.
        ("INSERT DATA { :c :p :d }", "counting"),
    ],
)
def test_a_request_takes_effect_as_a_whole_or_not_at_all(failing, strategy):
    kb = ancestors("a par b")
    kb.materialise()
    state, terms, closure = kb.store.state, len(kb.store.dictionary), set(kb.triples())

    with pytest.raises(ReasonerError):
        update(
            kb,
            f"{PREFIX}INSERT DATA {{ :b :par :new }} ; DELETE WHERE {{ :a :par ?y }} ; "
            f"INSERT {{ ?x :seen ?y }} WHERE {{ ?x :anc ?y }} ; {failing}",
            strategy=strategy,
        )

    assert kb.store.state is state and len(kb.store.dictionary) == terms and set(kb.triples()) == closure
    assert ask(kb, "SELECT ?y { :a :anc ?y }") == {("b",): 1}
    delta = update(kb, PREFIX + "INSERT DATA { :b :par :newer }")
    assert shown(delta.inferred_added) == {"b anc newer", "a anc newer"}
    assert "a anc newer" in shown(kb.triples())


def test_nobody_sees_a_request_that_is_half_done(monkeypatch):
    kb = ancestors("a par b")
    seen = []
    evaluate = Session.commit

    def watched(self, *arguments):
        result = evaluate(self, *arguments)
        reader = threading.Thread(target=lambda: seen.append(shown(kb.triples())))
        reader.start()
        reader.join()
        return result

    monkeypatch.setattr(Session, "commit", watched)
    update(kb, PREFIX + "INSERT DATA { :b :par :c } ; DELETE { ?x :par ?y } WHERE { ?x :par ?y . ?x :anc :c }")

    assert seen == [{"a par b", "a anc b"}] * 2
    assert shown(kb.triples()) == set()


def test_facts_that_are_added_beside_a_request_are_not_lost(monkeypatch):
    kb = ancestors("a par b")
    commit = Session.commit

    def disturbed(self, *arguments):
        kb.add([(term("b"), term("par"), term("late"))])
        return commit(self, *arguments)

    with monkeypatch.context() as patched, pytest.raises(ReasonerError, match="changed beside the update"):
        patched.setattr(Session, "commit", disturbed)
        update(kb, PREFIX + "INSERT DATA { :b :par :early }")

    assert explicit(kb) == {"a par b", "b par late"}
    assert "a anc late" in shown(kb.triples())
    assert shown(update(kb, PREFIX + "INSERT DATA { :b :par :early }").inferred_added) == {"a anc early", "b anc early"}


def test_everything_else_goes_on_after_an_update():
    kb = ancestors("a par b")

    update(kb, PREFIX + "INSERT DATA { :b :par :c } ; DELETE { :a :par :b } INSERT { :a :par :c } WHERE { :a :anc :c }")
    proof = kb.explain((term("a"), term("anc"), term("c")))
    with kb.dynamic() as session:
        ticket = session.submit(add=(term("c"), term("par"), term("d")))
    with kb.transaction() as change:
        change.remove((term("a"), term("par"), term("c")))

    assert proof is not None and shown(ticket.delta.inferred_added) == {"c anc d", "b anc d", "a anc d"}
    assert shown(change.delta.inferred_removed) == {"a anc c", "a anc d"}
    assert kb.summary().explicit == 2


def test_the_ontology_may_change_between_two_operations():
    kb = Reasoner(profile="rdfs")
    rdfs = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "

    delta = update(
        kb,
        PREFIX + rdfs + "INSERT DATA { :x a :Cat } ; INSERT DATA { :Cat rdfs:subClassOf :Animal } ; "
        "INSERT { ?x :is 'alive' } WHERE { ?x a :Animal }",
    )

    assert 'x is "alive"' in explicit(kb)
    assert delta.counts.inferred_added > 0 and len(delta.rules_gained) >= len(delta.rules_lost)
    delta = update(kb, PREFIX + rdfs + "DELETE WHERE { ?c rdfs:subClassOf :Animal }")
    assert not [triple for triple in kb.triples() if triple[2] == term("Animal")]
    assert delta.counts.asserted_removed == 1


def test_blank_nodes_are_fresh_in_every_solution_and_every_request():
    kb = store("a p b, a p c")

    for _ in range(2):
        update(kb, PREFIX + "INSERT { ?y :q _:n . _:n :r [] } WHERE { :a :p ?y . _:n :p ?y }")
    update(kb, PREFIX + "INSERT DATA { :a :s _:n . _:n :s [ :s () ] }")
    update(kb, PREFIX + "INSERT { ?y :t ?n } WHERE { :a :p ?y BIND(BNODE() AS ?n) }")

    assert sum(ask(kb, "SELECT DISTINCT ?n { ?y :q ?n . ?n :r ?m }").values()) == 4
    assert sum(ask(kb, "SELECT DISTINCT ?m { ?y :q ?n . ?n :r ?m }").values()) == 4
    assert sum(ask(kb, "SELECT ?n { :a :s ?n . ?n :s/:s ?m FILTER(isBlank(?n)) }").values()) == 1
    assert sum(ask(kb, "SELECT DISTINCT ?n { ?y :t ?n }").values()) == 2


def test_blank_nodes_of_the_store_are_deleted_through_variables():
    kb = store("a p _:n, _:n q b")

    update(kb, PREFIX + "DELETE { ?n ?r ?o } INSERT { ?n :kept true } WHERE { :a :p ?n . ?n ?r ?o }")

    assert {triple.split()[0] for triple in explicit(kb)} == {"a", "_:n"}
    assert ask(kb, "SELECT ?r { :a :p ?n . ?n ?r ?o }") == {("kept",): 1}


def test_literals_are_deleted_as_they_are_written():
    kb = store('a p "x"@en, a p 1, a p "01"^^<http://www.w3.org/2001/XMLSchema#integer>')

    delta = update(kb, PREFIX + "DELETE DATA { :a :p 'x'@EN . :a :p 01 }")
    again = update(kb, PREFIX + "INSERT DATA { :a :p 'y'@EN } ; INSERT { :a :q 'y'@EN } WHERE { :a :p 'y'@en }")

    assert explicit(kb) == {"a p 1", 'a p "y"@en', 'a q "y"@en'}
    assert delta.not_explicit == () and len(again.asserted_added) == 2


def test_numbers_keep_their_sign_and_their_digits():
    kb = store("")
    words = ["-1", "-01", "+2", "-1.50", "+1.50", "-1.0e6", "+1E6", "1.0"]

    update(kb, PREFIX + f"INSERT DATA {{ :a :p {', '.join(words)} }}")
    delta = update(
        kb, PREFIX + f"DELETE {{ :a :p {', '.join(words[:4])} }} WHERE {{ :a :p -1.50 FILTER(-1.5 < -1.4) }}"
    )

    assert [triple[2].split('"')[1] for triple in delta.asserted_removed] == words[:4]
    assert {triple[2].split('"')[1] for triple in kb.triples()} == set(words[4:])


def test_files_are_loaded_by_path_and_by_file_iri(tmp_path, monkeypatch):
    (tmp_path / "one file.nt").write_text("<http://e.org/a> <http://e.org/p> _:b .\n")
    (tmp_path / "two.ttl").write_text("<#x> <http://e.org/p> [] .")
    monkeypatch.chdir(tmp_path)
    kb = store("_:b q c")

    update(kb, f"LOAD <{(tmp_path / 'one file.nt').as_uri()}> ; BASE <{tmp_path.as_uri()}/> LOAD <two.ttl>")
    update(kb, PREFIX + "LOAD <two.ttl> ; INSERT { ?s :loaded true } WHERE { ?s :p ?o }")

    assert len(kb.store.state.explicit) == 6
    assert ask(kb, "SELECT ?x { :a :p ?b . ?b :q ?x }") == {}
    assert sum(ask(kb, "SELECT ?s { ?s :loaded true }").values()) == 2


def test_a_silent_load_passes_over_what_cannot_be_read(tmp_path):
    (tmp_path / "bad.nt").write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\nwrong\n")
    bad = (tmp_path / "bad.nt").as_uri()
    kb = store("")

    update(
        kb,
        f"{PREFIX}LOAD SILENT <{bad}> ; LOAD SILENT <missing.nt> ; LOAD SILENT <http://e.org/x> ; "
        "LOAD SILENT <missing.nt> INTO GRAPH :g ; INSERT DATA { :c :p :d }",
    )

    assert explicit(kb) == {"c p d"}
    for text, message in [
        (f"LOAD <{bad}>", "bad.nt:2"),
        ("LOAD <missing.nt>", "there is no file missing.nt"),
        ("LOAD <->", "there is no file -"),
        ("LOAD <http://e.org/x>", "only local files are read"),
        ("LOAD <file://elsewhere/x.nt>", "another machine"),
    ]:
        with pytest.raises(ReasonerError, match=message):
            update(kb, text)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("INSERT DATA { <a> <p> <b> ", 1, 27, "unexpected end of the update"),
        ("INSERT DATA { <a> <p> <b> } ;\nDELETE DTA { <a> <p> <b> }", 2, 8, "unexpected 'DTA'"),
        ("CLEAR ALL ;; CLEAR ALL", 1, 12, "unexpected ';'"),
        ("SELECT * { ?s ?p ?o }", 1, 1, "unexpected 'SELECT'"),
        ("CLEAR ALL ;\nINSERT DATA { <a> <p> ?x }", 2, 23, "?x cannot stand in INSERT DATA"),
        ("DELETE DATA { <a> <p> $x }", 1, 23, "?x cannot stand in DELETE DATA"),
        ("DELETE DATA { <a> <p> _:b }", 1, 23, "a blank node cannot be deleted by its label"),
        ("DELETE WHERE { <a> <p> [] }", 1, 24, "use a variable"),
        ("DELETE { ?x <p> (1) } WHERE { ?x <p> ?y }", 1, 17, "use a variable"),
        ("INSERT DATA { _:b <p> 1 } ;\nINSERT DATA { _:b <p> 2 }", 2, 15, "occurs in two INSERT DATA"),
        ("INSERT {} WHERE { _:b <p> 1 } ;\nINSERT {} WHERE { _:b <p> 2 }", 2, 19, "occurs in two patterns"),
        ("INSERT DATA { <a> <p> e:b }", 1, 23, "declare it with PREFIX e: <...>"),
        ("INSERT {} WHERE { ?x <p> ?y BIND(1 AS ?y) }", 1, 39, "?y is bound already"),
    ],
)
def test_an_error_shows_its_place_and_the_remedy(text, line, column, message):
    kb = store("a p b")

    with pytest.raises(QuerySyntaxError) as caught:
        update(kb, text)

    error = caught.value
    assert message in error.message
    assert (error.line, error.column) == (line, column)
    assert str(error).splitlines()[2].index("^") == column + 1
    assert explicit(kb) == {"a p b"}


def test_what_is_no_triple_or_no_strategy_is_refused():
    kb = store("a p b")

    with pytest.raises(TermError, match="cannot be a subject"):
        update(kb, "INSERT DATA { 'x' <http://e.org/p> 1 }")
    with pytest.raises(ReasonerError, match="unknown strategy 'fast'"):
        update(kb, "CLEAR ALL", strategy="fast")
    assert update(kb, "CLEAR ALL", strategy="dred").strategy == "dred"
    assert explicit(kb) == set()


def test_requests_may_be_long():
    kb = store("")

    update(kb, PREFIX + " ; ".join(f"INSERT DATA {{ :a{number} :p :b }}" for number in range(400)))

    assert len(explicit(kb)) == 400


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("INSERT DATA { <s> <urn:p> <urn:o> }", "<s>"),
        ("INSERT DATA { <urn:s> <urn:p> <test> }", "<test>"),
        ('INSERT DATA { <urn:s> <urn:p> "1"^^<t> }', "<t>"),
        ("INSERT DATA { GRAPH <g> { <urn:s> <urn:p> 1 } }", "<g>"),
        ("INSERT { <s> ?p ?o } WHERE { ?x ?p ?o }", "<s>"),
        ("COPY DEFAULT TO <g>", "<g>"),
    ],
)
def test_a_relative_iri_is_refused_without_a_base_and_resolved_with_one(text, named):
    kb = store("a p b")

    with pytest.raises(ReasonerError, match=f"{named} is a relative IRI"):
        kb.update(text)
    assert explicit(kb) == {"a p b"}

    kb.update(text, base="http://base.org/")
    kb.update(f"BASE <http://base.org/> {text}")
    written = " ".join(term or "" for quad in kb.quads() for term in quad)
    assert named.replace("<", "<http://base.org/") in written and named not in written


def test_an_iri_of_a_text_is_absolute_or_none():
    kb = store("a p b")
    text = 'INSERT { ?s <http://e.org/q> ?x } WHERE { ?s ?p ?o BIND(IRI("rel") AS ?x) }'

    kb.update(text)
    assert explicit(kb) == {"a p b"}
    kb.update(text, base="http://e.org/")
    assert explicit(kb) == {"a p b", "a q rel"}
