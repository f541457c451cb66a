"""Scripts hold every literal and every IRI: what is written reads back, is applied, and is taken back exactly."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loaders.grammar import is_absolute_iri
from loaders.terms import LANG_STRING, literal_text
from ontologies import axioms as ax
from ontologies import expressions as ex
from ontologies.axioms import Axiom, Triple
from ontologies.evolution.blank_parts import isomorphic_graphs
from ontologies.evolution.diff import diff_triples
from ontologies.evolution.find_structure import axiom_triples
from ontologies.evolution.parse_script import parse_script
from ontologies.evolution.script import (
    AddAxioms,
    AddRules,
    AddTriples,
    Deprecate,
    Merge,
    Move,
    Remark,
    RemoveAxioms,
    RemoveRuleNamed,
    RemoveRules,
    RemoveTriples,
    Rename,
    Script,
    SplitPart,
    SplitTerm,
    Statement,
    Step,
    print_script,
)
from ontologies.read_functional import read_axiom
from ontologies.write_functional import write_functional
from reasoner import Reasoner
from reasoner.evolution.evolving import read_script
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import Variable
from tests.strategies import RANDOM

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
PIECES = (
    *("\n", "\r", "\r\n", "\t", "\b", "\f", "\v", "\x00", "\x01", "\x7f", "\x85", "\u2028", "\ufeff", "\u00a0"),
    *("#", '"', "'", '"""', "'''", "\\", "\\\\", '\\"', "\\n", "\\u0041", "\\ud83d\\ude00", "\\", "/"),
    *("{", "}", "(", ")", "[", "]", "<", ">", ";", ".", ",", ":", "?x", ":-", "@EN", "^^", "$1", "}\n# x", '"\n#)'),
    *('\n  step "s"', "remove {", "<http://e.org/a>", "a", "é", "\U0001f600", "\ufffe", "\U0010ffff", " ", "  "),
)
SEGMENTS = (
    *(
        "a",
        "Z9",
        "-",
        ".",
        "_",
        "~",
        "!",
        "$",
        "&",
        "'",
        "(",
        ")",
        "*",
        "+",
        ",",
        ";",
        "=",
        ":",
        "@",
        "/",
        "%20",
        "%C3",
    ),
    *("é", "\u00a0", "\u2028", "\u3000", "日本", "\U00010000", "\ufdf0"),
)
STEMS = (
    "http://e.org/",
    "http://e.org/ns#",
    "urn:x:",
    "mailto:a@",
    "http://e.org/?q=",
    "tag:e.org,2026:",
    "http://[::1]/",
)
TAGS = ("en", "EN", "de-AT", "zh-Hant-x-a1")
DATATYPES = tuple(
    f"http://www.w3.org/{name}"
    for name in ("2001/XMLSchema#integer", "2001/XMLSchema#decimal", "1999/02/22-rdf-syntax-ns#PlainLiteral")
)


def texts() -> st.SearchStrategy[str]:
    """Draw texts of what scripts, Turtle, rules and axioms bracket, quote, escape and comment with."""
    characters = st.characters(exclude_categories=("Cs",))
    return st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), characters), max_size=8).map("".join)


def iris() -> st.SearchStrategy[str]:
    """Draw IRIs that are legal, and look as few do."""
    tails = st.lists(st.sampled_from(SEGMENTS), max_size=5).map("".join)
    return st.builds(str.__add__, st.sampled_from(STEMS), tails).filter(is_absolute_iri).map("<{}>".format)


def every_literal() -> st.SearchStrategy[str]:
    lexical = st.one_of(texts(), st.sampled_from(["1", "-07", ".5", "true", "a@EN", ""]))
    odd = iris().map(lambda constant: constant[1:-1]).filter(lambda name: name != LANG_STRING)
    return st.one_of(
        st.builds(literal_text, lexical),
        st.builds(literal_text, lexical, st.sampled_from(TAGS)),
        st.builds(literal_text, lexical, st.none(), st.one_of(st.sampled_from(DATATYPES), odd)),
    )


def owl_literals() -> st.SearchStrategy[str]:
    """Draw literals of axioms: functional syntax reads those of rdf:PlainLiteral as the plain ones that they mean."""
    return every_literal().filter(lambda term: not term.endswith("#PlainLiteral>"))


def axioms() -> st.SearchStrategy[Axiom]:
    literals = owl_literals()
    values = st.lists(literals, min_size=1, max_size=3, unique=True).map(tuple)
    has_value = st.builds(ex.DataHasValue, iris(), literals)
    some = st.builds(ex.DataSomeValuesFrom, st.tuples(iris()), st.builds(ex.DataOneOf, values))
    return st.one_of(
        st.builds(ax.AnnotationAssertion, st.just(LABEL), iris(), st.one_of(iris(), literals)),
        st.builds(ax.SubClassOf, iris(), st.one_of(iris(), has_value, some)),
        st.builds(ax.EquivalentClasses, st.tuples(iris(), has_value)),
        st.builds(ax.DataPropertyAssertion, iris(), iris(), literals),
        st.builds(ax.NegativeDataPropertyAssertion, iris(), iris(), literals),
        st.builds(ax.DataPropertyRange, iris(), st.builds(ex.DataOneOf, values)),
        st.builds(ax.Declaration, st.just("Class"), iris()),
    )


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Triple, ...]:
    """Draw the triples of axioms, and statements, some of them about blank nodes."""
    found: list[Triple] = []
    for number, axiom in enumerate(draw(st.lists(axioms(), max_size=4))):
        labels = {term: f"_:a{number}{term[2:]}" for t in axiom_triples(axiom) for term in t if term.startswith("_:")}
        found += [(labels.get(s, s), p, labels.get(o, o)) for s, p, o in axiom_triples(axiom)]
    blank = st.sampled_from(["_:x", "_:y"])
    found += draw(
        st.lists(
            st.tuples(
                st.one_of(iris(), blank), st.one_of(st.just(LABEL), iris()), st.one_of(iris(), blank, every_literal())
            ),
            max_size=5,
        )
    )
    return tuple(dict.fromkeys(found))


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    x, y = Variable("x"), Variable("y")
    body = (Atom(x, draw(iris()), y), Atom(x, draw(iris()), draw(st.one_of(iris(), every_literal()))))
    condition = Builtin(draw(st.sampled_from(["=", "!=", "<", "startsWith"])), (y, draw(every_literal())))
    name = draw(st.one_of(texts().filter(bool), st.sampled_from(["r1", "a] b", "prp-trp"])))
    head = draw(st.sampled_from([None, Atom(x, draw(iris()), draw(st.one_of(iris(), every_literal())))]))
    return Rule(name, head, body, conditions=(condition,))


def rule_texts() -> st.SearchStrategy[tuple[Rule, ...]]:
    """Draw the rules of one text: one rule, or one for each of several heads."""

    def headed(rule: Rule, predicates: list[str]) -> tuple[Rule, ...]:
        heads = [Atom(Variable("x"), predicate, Variable("y")) for predicate in predicates]
        return tuple(Rule(rule.name, head, rule.body, (), rule.conditions) for head in heads) or (rule,)

    return st.builds(headed, rules(), st.lists(iris(), max_size=3, unique=True))


@st.composite
def annotated(draw: st.DrawFn, kind: type[AddAxioms | RemoveAxioms]) -> Statement:
    found = tuple(draw(st.lists(axioms(), min_size=1, max_size=3, unique=True)))
    remarks = tuple(
        ax.AxiomAnnotation(axiom, (ax.Annotation(draw(iris()), draw(owl_literals())),))
        for axiom in found
        if not isinstance(axiom, ax.Declaration) and draw(st.booleans())
    )
    return kind(found, remarks)


def statements() -> st.SearchStrategy[Statement]:
    ground = st.lists(
        st.tuples(iris(), iris(), st.one_of(iris(), every_literal())), min_size=1, max_size=3, unique=True
    )
    pattern = st.tuples(
        st.tuples(st.builds(Atom, st.just(Variable("x")), iris(), st.one_of(iris(), every_literal()))),
        st.just(()),
        st.just(()),
    )
    condition = st.one_of(iris(), st.builds(ex.DataHasValue, iris(), owl_literals()))
    parts = st.tuples(
        st.one_of(
            st.builds(SplitPart, st.just("<http://e.org/part1>"), condition),
            st.builds(SplitPart, st.just("<http://e.org/part2>"), st.none(), pattern),
        ),
        st.builds(SplitPart, st.just("<http://e.org/part3>")),
    )
    return st.one_of(
        st.builds(Remark, texts().map(lambda text: " ".join("".join(text.split("#")).split()))),
        annotated(AddAxioms),
        annotated(RemoveAxioms),
        st.builds(AddTriples, ground.map(tuple)),
        st.builds(RemoveTriples, ground.map(tuple)),
        st.builds(AddRules, rule_texts()),
        st.builds(RemoveRules, rule_texts()),
        st.builds(RemoveRuleNamed, texts().filter(bool)),
        st.builds(Rename, iris(), iris()),
        st.builds(Merge, st.lists(iris(), min_size=1, max_size=3, unique=True).map(tuple), iris()),
        st.builds(SplitTerm, st.just("<http://e.org/whole>"), parts),
        st.builds(Move, iris(), iris(), st.one_of(st.none(), iris())),
        st.builds(Deprecate, iris(), st.one_of(st.none(), iris()), st.one_of(st.none(), texts())),
    )


def scripts() -> st.SearchStrategy[Script]:
    steps = st.lists(
        st.builds(Step, texts().filter(str.strip), st.lists(statements(), min_size=1, max_size=4).map(tuple)),
        min_size=1,
        max_size=2,
        unique_by=lambda step: step.name,
    )
    prefixes = st.sampled_from([(), (("", "http://e.org/"), ("ns", "http://e.org/ns#"), ("q", "http://e.org/?q="))])
    return st.builds(Script, steps.map(tuple), prefixes)


@settings(RANDOM, max_examples=50)
@given(scripts())
@example(Script((Step("s", (AddAxioms((ax.SubClassOf("<urn:A>", "<urn:B>"),)), Remark("after axioms"))),)))
@example(Script((Step("s", (Deprecate("<urn:A>"), Remark("after a name"), Rename("<urn:A>", "<urn:B>"))),)))
def test_every_script_is_written_so_that_it_reads_back(script):
    assert parse_script(print_script(script)) == script


@settings(RANDOM, max_examples=25)
@given(graphs(), graphs(), st.booleans())
def test_a_difference_leads_from_old_to_new_and_back_by_way_of_its_file(old, new, renames):
    with TemporaryDirectory() as folder:
        path = Path(folder, "change.evolve")
        path.write_text(print_script(diff_triples(old, new, detect_renames=renames)), encoding="utf-8", newline="\n")
        data = Path(folder, "old.nt")
        data.write_text("".join(f"{' '.join(triple)} .\n" for triple in old), encoding="utf-8", newline="\n")
        kb = Reasoner("none")
        kb.load(data)
        before = set(asserted(kb))
        kb.keep_evolutions_in(Path(folder, "journal.jsonl"))
        applied = kb.evolve(path).steps

        assert isomorphic_graphs(before, old) and isomorphic_graphs(asserted(kb), new)
        if applied:
            kb.undo_evolutions(len(applied))
        assert set(asserted(kb)) == before


def asserted(kb: Reasoner) -> tuple[Triple, ...]:
    return tuple(kb.store.texts(kb.store.state.explicit))


@pytest.mark.parametrize("text", ["a\n# b", 'say "hi"\r\n\t\\ #', '"""', "x # y ) } ."])
def test_an_annotation_of_several_lines_is_one_line_of_a_script(text):
    axiom = ax.AnnotationAssertion(LABEL, "<http://e.org/A>", literal_text(text))
    script = Script((Step("change", (AddAxioms((axiom,)),)),))

    assert len(print_script(script).splitlines()) == 2
    assert parse_script(print_script(script)) == script
    assert read_axiom(write_functional(axiom)) == axiom


def test_axioms_may_hold_line_breaks_as_functional_syntax_writes_them():
    text = 'add AnnotationAssertion(rdfs:label <urn:A> "one\n# two) \\" \\\\ three")\n# a remark'
    axioms_added, remark = parse_script(text).steps[0].statements

    assert axioms_added.axioms == (ax.AnnotationAssertion(LABEL, "<urn:A>", r'"one\n# two) \" \\ three"'),)
    assert remark == Remark("a remark")


def test_line_ends_inside_a_literal_of_a_file_stay_what_they_are(tmp_path):
    path = tmp_path / "change.evolve"
    path.write_bytes(b'add {\r\n  <urn:a> <urn:p> """one\r\ntwo"""@EN .\r\n}\r\n')
    (statement,) = read_script(path).steps[0].statements

    assert statement.triples == (("<urn:a>", "<urn:p>", r'"one\r\ntwo"@EN'),)
