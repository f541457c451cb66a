from __future__ import annotations

import pytest

from ontologies.swrl import translate_swrl
from tests.ontologies.reading import functional, reasons, rule_texts, turtle

X, Y, N, M = (f"Variable(:{name})" for name in "xynm")


def rule(body: str, head: str) -> str:
    return f"DLSafeRule(Body({body}) Head({head}))"


@pytest.mark.parametrize(
    ("body", "head", "rules"),
    [
        (
            f"ObjectPropertyAtom(:parent {X} {Y}) ObjectPropertyAtom(ObjectInverseOf(:parent) {Y} {N})",
            f"ObjectPropertyAtom(:sibling {X} {N})",
            ["?x :sibling ?y1 :- ?x :parent ?y, ?y1 :parent ?y"],
        ),
        (
            f"ClassAtom(:A {X})",
            f"ClassAtom(:B {X}) ObjectPropertyAtom(:r {X} :i) DataPropertyAtom(:d {X} \"v\")",
            ["?x a :B :- ?x a :A", "?x :r :i :- ?x a :A", '?x :d "v" :- ?x a :A'],
        ),
        (
            f"ClassAtom(ObjectUnionOf(:A ObjectSomeValuesFrom(:r :B)) {X})",
            f"ClassAtom(ObjectIntersectionOf(:C ObjectAllValuesFrom(:s :D)) {X})",
            [
                "?x a :C :- ?x a :A",
                "?y a :D :- ?x a :A, ?x :s ?y",
                "?x a :C :- ?x :r ?y, ?y a :B",
                "?y1 a :D :- ?x :r ?y, ?y a :B, ?x :s ?y1",
            ],
        ),
        (
            f"ObjectPropertyAtom(:r {X} {Y}) SameIndividualAtom({Y} :i)",
            f"SameIndividualAtom({X} {Y})",
            ["?x owl:sameAs ?y :- ?x :r ?y, ?y owl:sameAs :i"],
        ),
        (
            f"DataPropertyAtom(:d {X} {N}) DataRangeAtom(xsd:int {N})",
            f"ClassAtom(:A {X})",
            ["?x a :A :- ?x :d ?y, inValueSpace(?y, xsd:int)"],
        ),
        (f"ClassAtom(:A {X}) ClassAtom(:B {X})", "", ["false :- ?x a :A, ?x a :B"]),
        (f"ClassAtom(owl:Thing {X})", f"ClassAtom(:A {X})", ["?x a :A :- ?x a owl:Thing"]),
        (f"ClassAtom(:A {X})", f"ClassAtom(owl:Nothing {X})", ["false :- ?x a :A"]),
        ("", "ClassAtom(:A :i)", [":i a :A"]),
        (
            f"ObjectPropertyAtom(:r {X} {Y})",
            f"DifferentIndividualsAtom({X} {Y})",
            ["?x owl:differentFrom ?y :- ?x :r ?y", "false :- ?x :r ?y, ?x owl:sameAs ?y"],
        ),
        (
            f"DataPropertyAtom(:d {X} {N})",
            f"DataRangeAtom(xsd:int {N})",
            ["false :- ?x :d ?y, notInValueSpace(?y, xsd:int)"],
        ),
    ],
)  # fmt: skip
def test_a_rule_becomes_one_rule_for_each_head_atom(body: str, head: str, rules: list[str]) -> None:
    translation = translate_swrl(functional(rule(body, head)))
    assert rule_texts(translation.rules) == rules
    assert translation.left_out == ()
    assert all(found.name == "DLSafeRule" and len(found.sources) == 1 for found in translation.rules)


@pytest.mark.parametrize(
    ("swrl", "printed"),
    [
        ("equal", "?y = ?y1"),
        ("notEqual", "?y != ?y1"),
        ("lessThan", "?y < ?y1"),
        ("lessThanOrEqual", "?y <= ?y1"),
        ("greaterThan", "?y > ?y1"),
        ("greaterThanOrEqual", "?y >= ?y1"),
        ("contains", "contains(?y, ?y1)"),
        ("startsWith", "startsWith(?y, ?y1)"),
        ("endsWith", "endsWith(?y, ?y1)"),
        ("matches", "matches(?y, ?y1)"),
    ],
)
def test_comparisons_and_string_builtins_become_conditions(swrl: str, printed: str) -> None:
    body = f"DataPropertyAtom(:d {X} {N}) DataPropertyAtom(:e {X} {M}) BuiltInAtom(swrlb:{swrl} {N} {M})"
    [text] = rule_texts(translate_swrl(functional(rule(body, f"ClassAtom(:A {X})"))).rules)
    assert text == f"?x a :A :- ?x :d ?y, ?x :e ?y1, {printed}"


@pytest.mark.parametrize(
    ("body", "head", "reason"),
    [
        (
            f"DataPropertyAtom(:d {X} {N}) BuiltInAtom(swrlb:add {N} {N} {N})",
            f"ClassAtom(:A {X})",
            "calls a builtin that is not supported",
        ),
        (f"ClassAtom(:A {X})", f"ClassAtom(:B {Y})", "the variable http://e/#y is in no class or property atom"),
        (
            f'ClassAtom(:A {X}) BuiltInAtom(swrlb:equal {N} "1")',
            f"DataPropertyAtom(:d {X} {N})",
            "the variable http://e/#n is in no class or property atom",
        ),
        (f"ClassAtom(:A {X})", f"ClassAtom(ObjectUnionOf(:B :C) {X})", "needs a disjunction in the head"),
        (f"ClassAtom(ObjectComplementOf(:A) {X})", f"ClassAtom(:B {X})", "needs a disjunction in the head"),
        (
            f"DataPropertyAtom(:d {X} {N})",
            f"BuiltInAtom(swrlb:equal {N} {N})",
            "is a builtin in the head",
        ),
        (
            f"DataPropertyAtom(:d {X} {N}) BuiltInAtom(swrlb:equal {N})",
            f"ClassAtom(:A {X})",
            "has other than two arguments",
        ),
    ],
)
def test_what_is_not_supported_is_left_out_with_the_reason(body: str, head: str, reason: str) -> None:
    translation = translate_swrl(functional(rule(body, head)))
    assert translation.rules == ()
    [found] = reasons(translation.left_out)
    assert reason in found


def test_differences_are_complete_for_the_rules_that_ask_for_them() -> None:
    body = f"ObjectPropertyAtom(:r {X} {Y}) DifferentIndividualsAtom({X} {Y})"
    texts = rule_texts(
        translate_swrl(functional(rule(body, f"ClassAtom(:A {X})"), "DifferentIndividuals(:i :j :k)")).rules
    )
    assert texts[0] == "?x a :A :- ?x :r ?y, ?x owl:differentFrom ?y"
    assert texts[1] == "?y owl:differentFrom ?x :- ?x owl:differentFrom ?y"
    assert len(texts[2:]) == 6
    assert ":k owl:differentFrom :i" in texts


def test_rules_in_rdf_are_read_with_blank_variables_and_typed_lists() -> None:
    ontology = turtle(
        """
        _:x a swrl:Variable . _:y a swrl:Variable . swrlb:lessThan a swrl:Builtin .
        :rule a swrl:Imp ; rdfs:label "grown" ;
          swrl:body [ a swrl:AtomList ; rdf:first [ a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :r ;
                      swrl:argument1 _:x ; swrl:argument2 _:y ] ;
                    rdf:rest [ a swrl:AtomList ; rdf:first [ a swrl:DifferentIndividualsAtom ;
                      swrl:argument1 _:x ; swrl:argument2 :i ] ; rdf:rest rdf:nil ] ] ;
          swrl:head [ a swrl:AtomList ; rdf:rest rdf:nil ; rdf:first [ a swrl:SameIndividualAtom ;
                      swrl:argument1 _:x ; swrl:argument2 _:y ] ] .
        """
    )
    assert ontology.unread == ()
    texts = rule_texts(translate_swrl(ontology).rules)
    assert texts[0] == "?x owl:sameAs ?y :- ?x :r ?y, ?x owl:differentFrom :i"
