"""Text becomes rules: every construct of the language, and what it stands for."""

import pytest

from reasoner.rules.parser import parse_patterns, parse_rules
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import OWL, RDF_TYPE, SAME_AS, XSD, Variable

EX = "http://example.org/"
PREFIX = f"PREFIX ex: <{EX}>\n"
N, X, Y, Z = (Variable(name) for name in "nxyz")


def ex(local: str) -> str:
    return f"<{EX}{local}>"


def parse_one(text: str) -> Rule:
    (rule,) = parse_rules(PREFIX + text)
    return rule


def parse_object(text: str) -> str:
    """Return the constant that a term in object position becomes."""
    return parse_one(f"ex:s ex:p {text} .").head.object


def test_a_named_rule_has_name_head_and_body_in_order():
    rule = parse_one("[grandparent] ?x ex:grandparentOf ?z :- ?x ex:parentOf ?y, ?y ex:parentOf ?z .")

    assert rule == Rule(
        "grandparent",
        Atom(X, ex("grandparentOf"), Z),
        (Atom(X, ex("parentOf"), Y), Atom(Y, ex("parentOf"), Z)),
    )


def test_unnamed_rules_are_numbered_by_their_place():
    rules = parse_rules(PREFIX + "ex:a ex:p ex:b . [named] ex:a ex:p ex:c . ex:a ex:p ex:d .")

    assert [rule.name for rule in rules] == ["rule-1", "named", "rule-3"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("[prp-trp]", "prp-trp"),
        ("[ cls-int1 ]", "cls-int1"),
        ('["my \\"odd\\" rule]"]', 'my "odd" rule]'),
        ('[""]', ""),
    ],
)
def test_rule_names_may_be_bare_or_quoted(written, name):
    assert parse_one(f"{written} ex:a ex:p ex:b .").name == name


def test_negation_and_conditions_are_set_apart_from_the_positive_body():
    rule = parse_one(
        "?x a ex:Adult :- not ?x a ex:Ghost, ?n >= 18, ?x ex:age ?n, inValueSpace(?n, xsd:integer), ?x != ex:me ."
    )

    assert rule.body == (Atom(X, ex("age"), N),)
    assert rule.negative == (Atom(X, RDF_TYPE, ex("Ghost")),)
    assert rule.conditions == (
        Builtin(">=", (N, f'"18"^^<{XSD}integer>')),
        Builtin("inValueSpace", (N, f"<{XSD}integer>")),
        Builtin("!=", (X, ex("me"))),
    )


def test_several_heads_are_several_rules_of_one_name():
    rules = parse_rules(PREFIX + "[both] ex:a ex:p ex:b, ?x ex:q ?y :- ?x ex:r ?y .")

    assert [rule.name for rule in rules] == ["both", "both"]
    assert [rule.head for rule in rules] == [Atom(ex("a"), ex("p"), ex("b")), Atom(X, ex("q"), Y)]
    assert rules[0].body == rules[1].body


def test_a_head_of_false_is_a_constraint():
    assert parse_one("false :- ?x a ex:Cat, ?x a ex:Dog .").head is None
    assert parse_one("false:- ?x a ex:Cat .").head is None
    assert parse_one("false .") == Rule("rule-1", None, ())


def test_false_with_a_predicate_is_a_literal():
    assert parse_one("false a xsd:boolean .").head == Atom(f'"false"^^<{XSD}boolean>', RDF_TYPE, f"<{XSD}boolean>")


def test_a_fact_is_a_rule_without_a_body():
    assert parse_one("ex:a ex:p ex:b .") == Rule("rule-1", Atom(ex("a"), ex("p"), ex("b")), ())


def test_both_forms_of_prefix_are_accepted_and_the_common_ones_are_known():
    rules = parse_rules(
        "@prefix a: <http://a/> .\nprefix : <http://b/> a:x :y owl:Thing . ?x owl:sameAs ?x :- ?x a ?x ."
    )

    assert rules[0].head == Atom("<http://a/x>", "<http://b/y>", f"<{OWL}Thing>")
    assert rules[1].head.predicate == SAME_AS


def test_prefixes_given_by_the_caller_are_known_and_may_be_redeclared():
    (rule,) = parse_rules("PREFIX a: <http://new/> a:x b:y a:z .", prefixes={"a": "http://old/", "b": "http://b/"})

    assert rule.head == Atom("<http://new/x>", "<http://b/y>", "<http://new/z>")


def test_comments_and_line_ends_of_all_kinds_are_white_space():
    assert len(parse_rules("# one\r\n<a> <b> <c> . # two\r<a> <b> <d> .\n\n#three")) == 2


def test_nothing_at_all_is_no_rules():
    assert parse_rules("") == parse_rules("# only a comment") == ()


@pytest.mark.parametrize(
    ("written", "constant"),
    [
        ("18", f'"18"^^<{XSD}integer>'),
        ("-1.50", f'"-1.50"^^<{XSD}decimal>'),
        ("+1e-3", f'"+1e-3"^^<{XSD}double>'),
        ("1.e3", f'"1.e3"^^<{XSD}double>'),
        (".5", f'".5"^^<{XSD}decimal>'),
        ("true", f'"true"^^<{XSD}boolean>'),
        ('"a"', '"a"'),
        ("'a\"b'", '"a\\"b"'),
        ('""', '""'),
        ('""""""', '""'),
        ('"""a\n"b" \'c\'"""', '"a\\n\\"b\\" \'c\'"'),
        ("'''it's'''", '"it\'s"'),
        ('"\\u00e9\\t\\U0001F600"', '"é\\t\U0001f600"'),
        ('"a"@en-GB', '"a"@en-GB'),
        ('"a"@prefix', '"a"@prefix'),
        ('"a"^^xsd:string', '"a"'),
        ('"a"^^<http://d/t>', '"a"^^<http://d/t>'),
        ("_:b.1", "_:b.1"),
        ("<http://e/\\u00e9>", "<http://e/é>"),
        ("ex:a.b-c", "<http://example.org/a.b-c>"),
        ("ex:a\\,b%20c", "<http://example.org/a,b%20c>"),
        ("ex:a:b", "<http://example.org/a:b>"),
        ("ex:", "<http://example.org/>"),
        ("ex:123", "<http://example.org/123>"),
        ("ex:été", "<http://example.org/été>"),
    ],
)
def test_terms_become_their_canonical_text(written, constant):
    assert parse_object(written) == constant


@pytest.mark.parametrize("text", ["ex:a ex:p ex:b.", "ex:a ex:p 18.", "ex:a ex:p _:b.", 'ex:a ex:p "x"@en.'])
def test_a_full_stop_may_follow_without_a_space(text):
    assert parse_one(text).head.subject == ex("a")


def test_an_arrow_may_follow_a_name_without_a_space():
    assert parse_one("ex:a a ex:B:- ex:a a ex:C .").head.object == ex("B")


def test_variables_may_be_written_with_a_dollar_sign():
    assert parse_one("$x a ex:B :- ?x a ex:C .").head.subject == X


def test_variables_may_stand_for_predicates():
    assert parse_one("?x ?y ?z :- ?z ?y ?x .").head == Atom(X, Y, Z)


@pytest.mark.parametrize("comparison", ["=", "!=", "<", "<=", ">", ">="])
def test_every_comparison_is_infix_and_may_have_constants_on_both_sides(comparison):
    rule = parse_one(f"ex:a ex:p ?x :- ?x ex:q ?y, ?x {comparison} ?y, 1 {comparison} 2 .")

    assert [condition.name for condition in rule.conditions] == [comparison, comparison]
    assert rule.conditions[0].arguments == (X, Y)


def test_a_bare_body_is_a_query():
    positive, negative, conditions = parse_patterns(
        "PREFIX ex: <http://example.org/> ?x a ex:A . ?x ex:p ?n, not ?x a ex:B, isIRI(?x) ."
    )

    assert positive == (Atom(X, RDF_TYPE, ex("A")), Atom(X, ex("p"), N))
    assert negative == (Atom(X, RDF_TYPE, ex("B")),)
    assert conditions == (Builtin("isIRI", (X,)),)


def test_a_query_takes_prefixes_from_its_caller():
    assert parse_patterns("?x ex:p ?y", {"ex": EX})[0] == (Atom(X, ex("p"), Y),)
