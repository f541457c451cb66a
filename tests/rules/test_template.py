"""Rules that differ in constants alone share a template; others never do."""

from reasoner.rules.encode import encode_rule
from reasoner.rules.parser import parse_rules
from reasoner.rules.template import group_into_templates


def templates(text: str):
    ids: dict[str, int] = {}
    rules = parse_rules("PREFIX : <http://e.org/> " + text)
    return group_into_templates(encode_rule(rule, lambda term: ids.setdefault(term, len(ids))) for rule in rules)


def test_subclass_rules_are_one_template_with_a_row_each():
    (template,) = templates("?x a :B :- ?x a :A . ?y a :C :- ?y a :B . ?x a :D :- ?x a :C .")

    assert len(template.rows) == 3
    assert len(template.parameters) == 2


def test_predicates_stay_in_the_template():
    assert len(templates("?x :p ?y :- ?x :q ?y . ?x :p ?y :- ?x :r ?y .")) == 2


def test_a_rule_that_is_stated_twice_is_taken_once():
    (template,) = templates("?x a :B :- ?x a :A . ?z a :B :- ?z a :A .")

    assert template.rows == ((),)


def test_a_variable_is_never_taken_for_a_parameter():
    """A rule over constants alone and one over variables have different shapes."""
    found = templates(":a a :A :- :a :p :a . :a a :A :- ?x :p ?y . :b a :A :- ?x :p ?y .")

    assert sorted(len(template.rows) for template in found) == [1, 2]
