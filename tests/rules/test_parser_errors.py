"""Every error names its place and the offending text, and says what to do."""

import pytest

from reasoner.rules.errors import ParseError, UnsafeRuleError
from reasoner.rules.parser import parse_patterns, parse_rules

PREFIX = "PREFIX ex: <http://example.org/>\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "offending", "message"),
    [
        ("?x a exx:B :- ?x a ex:C .", 2, 6, "exx:B", "unknown prefix exx:, did you mean ex?"),
        ("?x a zebra:B .", 2, 6, "zebra:B", "declare it with PREFIX zebra: <...>"),
        ("ex:a ex:p .", 2, 11, ".", "expected a term"),
        ("ex:a .", 2, 6, ".", "expected a predicate"),
        ("ex:a ex:p ex:b\nex:c ex:p ex:d .", 3, 1, "ex:c", "the full stop that ends a fact"),
        ("ex:a ex:p ?x :- ?x ex:q ?y ?z .", 2, 28, "?z", "the full stop that ends the rule"),
        ("ex:a ex:p ex:b", 2, 15, "", "the text ends here"),
        ("ex:a ex:p ex:b :- .", 2, 19, ".", "expected a term"),
        ('ex:a "p" ex:b .', 2, 6, '"p"', "a literal cannot be a predicate"),
        ('ex:a ex:p "b\nc" .', 2, 11, '"b', "three quotes"),
        ('ex:a ex:p "\\x" .', 2, 11, '"\\x"', "unknown escape \\x"),
        ('ex:a ex:p "\\uD800" .', 2, 11, '"\\uD800"', "not a Unicode character"),
        ('ex:a ex:p "b"^^5 .', 2, 16, "5", "expected a datatype"),
        ("ex:a ex:p ?x :- ?x ex:p ?y, isIri(?x) .", 2, 29, "isIri", "unknown builtin, did you mean isIRI?"),
        ("ex:a ex:p ?x :- ?x ex:p ?y, zzz(?x) .", 2, 29, "zzz", "known are isIRI, isBlank"),
        ("ex:a ex:p ?x :- ?x ex:p ?y, isIRI(?x, ?y) .", 2, 29, "isIRI", "takes 1 argument, not 2"),
        ("ex:a ex:p ?x :- ?x ex:p ?y, contains(?x) .", 2, 29, "contains", "takes 2 arguments, not 1"),
        ("ex:a ex:p ?x :- ?x ex:p ?y, isIRI(?x .", 2, 38, ".", "closing parenthesis"),
        ('ex:a ex:p ?x :- ?x ex:p ?y, matches(?y, "(") .', 2, 29, '"("', "regular expression is malformed"),
        ("ex:a ex:p bob .", 2, 11, "bob", "expected a term"),
        ("ex:a ex:p ?x :- bob ex:p ?x .", 2, 17, "bob", "a bare word is neither a term nor a builtin"),
        ("[a b] ex:a ex:p ex:b .", 2, 1, "[a b] ex:a ex:p ex:b .", "a rule name is a word in brackets"),
        ("ex:a ex:p ex:b ; ex:q ex:c .", 2, 16, "; ex:q ex:c .", "no semicolons"),
        ("ex:a ex:p ? .", 2, 11, "? .", "a variable needs a name"),
        ("PREFIX ex <http://e/>", 2, 8, "ex", "a prefix such as ex:"),
        ("PREFIX ex: ex:a", 2, 12, "ex:a", "the namespace of the prefix"),
        ("@prefix ex: <http://e/>\nex:a", 3, 1, "ex:a", "the full stop that ends @prefix"),
        ("false, ex:a ex:p ex:b .", 2, 6, ",", "expected a predicate"),
    ],
)
def test_an_error_names_place_text_and_remedy(text, line, column, offending, message):
    with pytest.raises(ParseError) as caught:
        parse_rules(PREFIX + text, file="family.rules")

    error = caught.value
    assert (error.file, error.line, error.column, error.text) == ("family.rules", line, column, offending)
    assert message in error.message
    assert str(error).startswith(f"family.rules:{line}:{column}: ")


def test_columns_count_after_every_kind_of_line_end():
    with pytest.raises(ParseError) as caught:
        parse_rules("<a> <b> <c> .\r\n<a> <b> <c> .\r  zebra:a <b> <c> .")

    assert (caught.value.line, caught.value.column) == (3, 3)


@pytest.mark.parametrize(
    ("text", "unbound"),
    [
        ("?x a ex:Orphan :- ?x a ex:Child, not ?y ex:parentOf ?x .", {"y"}),
        ("?x ex:p ?z :- ?x a ex:Child .", {"z"}),
        ("?x a ex:B :- ?x a ex:A, ?n > 5 .", {"n"}),
        ("?x ex:p ex:a .", {"x"}),
        ("false :- ?n > 5 .", {"n"}),
    ],
)
def test_an_unsafe_rule_is_rejected_with_its_variable_and_place(text, unbound):
    with pytest.raises(UnsafeRuleError, match=r"^<text>:2:1: rule rule-1 is unsafe: \?") as caught:
        parse_rules(PREFIX + text)

    assert caught.value.unbound == unbound


def test_an_unsafe_query_is_rejected():
    with pytest.raises(UnsafeRuleError, match=r"\?y"):
        parse_patterns("?x a owl:Class, not ?x owl:sameAs ?y")


def test_a_query_has_no_arrow():
    with pytest.raises(ParseError, match="the end of the query"):
        parse_patterns("?x a owl:Class :- ?x a owl:Thing")
