"""A delta says exactly what differs between two states, and counts it without writing it out."""

from __future__ import annotations

import json
import time
from collections import Counter
from io import BytesIO

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from reasoner import ParseError, Reasoner, ReasonerError, UnstratifiableError
from reasoner.state.delta import PARTS
from reasoner.state.delta_formats import read_patch
from reasoner.terms.term import SAME_AS
from tests.notation import fact, facts, rules
from tests.strategies import RANDOM, programs, updates


def reasoner(rule_text="", fact_text="", **options) -> Reasoner:
    kb = Reasoner(profile="none", **options)
    kb.add_rules(rules(rule_text))
    kb.add(facts(fact_text))
    return kb


def is_reflexive(triple) -> bool:
    return triple[1] == SAME_AS and triple[0] == triple[2]


class Seen:
    """What a reasoner shows to those who ask."""

    def __init__(self, kb: Reasoner, explicit: set) -> None:
        self.explicit = explicit
        self.closure = set(kb.triples())
        self.normal = set(kb.normal_triples())
        self.classes = {frozenset(members) for members in kb.classes()}
        self.violations = Counter(kb.violations(most=10**6))

    def class_of(self, term: str) -> frozenset:
        return next((members for members in self.classes if term in members), frozenset({term}))


def assert_tells(delta, old: Seen, new: Seen) -> None:
    """Compare every part of a delta with the difference of what was seen."""
    told = {part: list(delta.iterate(part)) for part in PARTS}
    assert all(len(found) == len(set(found)) for found in told.values())
    part = {name: set(found) for name, found in told.items()}
    assert part["gained"] == new.closure - old.closure
    assert part["lost"] == old.closure - new.closure
    assert part["asserted_added"] == new.explicit - old.explicit
    assert part["asserted_removed"] == old.explicit - new.explicit
    assert part["inferred_added"] == new.closure - old.closure - new.explicit
    assert part["inferred_removed"] == old.closure - new.closure - old.explicit
    assert part["became_explicit"] == (new.explicit - old.explicit) & old.closure
    assert part["became_inferred"] == (old.explicit - new.explicit) & new.closure
    assert part["normal_added"] == new.normal - old.normal
    assert part["normal_removed"] == old.normal - new.normal
    counts = delta.counts.as_dict()
    assert {name: counts[name] for name in PARTS} == {name: len(found) for name, found in told.items()}
    assert set(delta.inferred_added) == part["inferred_added"]
    assert Counter(delta.violations_appeared) == new.violations - old.violations
    assert Counter(delta.violations_went) == old.violations - new.violations
    assert_tells_classes(delta, old, new)


def assert_tells_classes(delta, old: Seen, new: Seen) -> None:
    merged, split = delta.classes_merged, delta.classes_split
    assert (len(merged), len(split)) == (delta.counts.classes_merged, delta.counts.classes_split)
    for before, after in (*merged, *split):
        assert {term for members in before for term in members} == {term for members in after for term in members}
        assert all(old.class_of(members[0]) == frozenset(members) for members in before)
        assert all(new.class_of(members[0]) == frozenset(members) for members in after)
    # A class of one state that is none of the other is in some group.
    grown = {members for members in new.classes if len({old.class_of(term) for term in members}) > 1}
    fallen = {members for members in old.classes if len({new.class_of(term) for term in members}) > 1}
    assert grown <= {frozenset(members) for _, after in merged for members in after}
    assert fallen <= {frozenset(members) for before, _ in split for members in before}
    assert bool(grown) == bool(merged)
    assert bool(fallen) == bool(split)


def assert_updates_are_told(data, program, **options) -> None:
    """Apply random updates, with some that do nothing among them, and look at what their deltas say."""
    kb = Reasoner(profile="none", **options)
    kb.add_rules(program.rules)
    kb.add(program.facts)
    explicit = set(program.facts)
    try:
        old = Seen(kb, explicit)
        for added, removed in data.draw(updates(program.facts)):
            needless = set(data.draw(st.lists(st.sampled_from(sorted(old.closure | {fact("x y z")})), max_size=2)))
            needless -= added | removed
            explicit = (explicit - removed - (needless - old.closure)) | added
            with kb.transaction() as change:
                change.remove(sorted(removed | (needless - old.explicit)))
                change.add(sorted(added | (needless & old.explicit)))
            new = Seen(kb, explicit)
            event(change.delta.strategy)
            assert_tells(change.delta, old, new)
            assert set(change.delta.not_explicit) == needless - old.explicit
            assert set(change.delta.already_explicit) == needless & old.explicit
            old = new
    except UnstratifiableError:
        event("unstratified")


@settings(RANDOM, max_examples=200)
@given(st.data())
def test_a_delta_tells_what_differs_under_equality(data):
    assert_updates_are_told(data, data.draw(programs(negation=False)))


@settings(RANDOM, max_examples=120)
@given(st.data())
def test_a_delta_tells_what_differs_under_negation(data):
    assert_updates_are_told(data, data.draw(programs(objects=True)))


@settings(RANDOM, max_examples=60)
@given(st.data())
def test_a_delta_tells_what_differs_with_variable_predicates_and_literals(data):
    program = data.draw(programs(negation=False, variable_predicates=True, builtins=True))
    assert_updates_are_told(data, program)


@settings(RANDOM, max_examples=60)
@given(st.data(), st.sampled_from(["none", "axiomatise"]))
def test_a_delta_tells_what_differs_without_rewriting(data, equality):
    assert_updates_are_told(data, data.draw(programs(equality=equality == "axiomatise")), equality=equality)


@pytest.mark.parametrize("start", ["a p b, c p c, a same b, c r c", "a p a, c q d, c same d"])
def test_another_name_of_equality_is_told_as_such(start):
    kb, name = reasoner("", start), fact(f"p same {SAME_AS}")
    explicit = set(facts(start))
    old = Seen(kb, explicit)
    with kb.transaction() as change:
        change.add(name)
    new = Seen(kb, explicit | {name})
    assert_tells(change.delta, old, new)

    delta = kb.remove([name])
    assert_tells(delta, new, Seen(kb, explicit))


def test_what_is_inferred_already_becomes_explicit_and_back():
    kb = reasoner("?x q ?y :- ?x p ?y", "a p b")
    with kb.transaction() as change:
        change.add(fact("a q b"))
    delta = change.delta
    assert delta.asserted_added == delta.became_explicit == (fact("a q b"),)
    assert delta.inferred_added == delta.inferred_removed == ()
    assert (delta.counts.gained, delta.counts.lost) == (0, 0)

    delta = kb.remove([fact("a q b")])
    assert delta.asserted_removed == delta.became_inferred == (fact("a q b"),)
    assert delta.inferred_added == delta.inferred_removed == ()


def test_a_term_that_changes_sides_is_in_a_group_that_merged_and_split():
    kb = reasoner("", "a same b, c p d")
    with kb.transaction() as change:
        change.remove(fact("a same b"))
        change.add(fact("b same c"))
    group = ((("<a>", "<b>"), ("<c>",)), (("<a>",), ("<b>", "<c>")))

    assert change.delta.classes_merged == change.delta.classes_split == (group,)


def test_a_class_of_five_thousand_is_counted_without_being_written_out():
    """Five thousand names of one thing make twenty-five million equalities; counting them takes no time."""
    size = 5000
    names = [("<n0>", SAME_AS, f"<n{number}>") for number in range(1, size)]
    kb = reasoner("?x q ?y :- ?x p ?y", "n0 p n1, b r c")
    kb.add(names)
    kb.materialise()

    with kb.transaction() as change:
        change.add(fact("b same n7"))
    merging = change.delta
    began = time.perf_counter()
    counts = merging.counts
    # b equals them all both ways, is p and q to each of them and each to it, and what b is r to they are too.
    assert counts.gained == 2 * size + 2 * (2 * size + 1) + size
    assert (counts.lost, counts.classes_merged, counts.classes_split) == (0, 1, 0)
    assert len(next(merging.iterate("inferred_added"))) == 3
    spent = time.perf_counter() - began

    splitting = kb.remove(names, strategy="rematerialise")
    began = time.perf_counter()
    counts = splitting.counts
    # What is left is n0 p n1, n0 q n1, and what b and n7 have in common.
    assert counts.lost == (size + 1) * size - 2 + 2 * ((size + 1) ** 2 - 1) + size - 1
    assert (counts.gained, counts.classes_merged, counts.classes_split) == (0, 0, 1)
    assert len(splitting.classes_split[0][1]) == size
    assert spent + time.perf_counter() - began < 2


def test_a_patch_turns_the_old_facts_into_the_new_ones_and_is_read_back():
    kb = reasoner("?x q ?y :- ?x p ?y\n?y same ?z :- ?x q ?y, ?x q ?z", 'a p b, _:n p "x\\n"@en, a r 7')
    explicit, closure = set(facts('a p b, _:n p "x\\n"@en, a r 7')), set(kb.triples())
    with kb.transaction() as change:
        change.remove(facts("a r 7"))
        change.add(facts("a q c, a q d, _:n p c"))
    added, removed = read_patch(change.delta.to_patch())
    assert (explicit - set(removed)) | set(added) == (explicit - {fact("a r 7")}) | set(facts("a q c, a q d, _:n p c"))
    assert set(added) == set(change.delta.asserted_added)

    added, removed = read_patch(change.delta.to_patch(inferred=True))
    assert (closure - set(removed)) | set(added) == set(kb.triples())


def test_a_patch_has_the_rows_of_its_format():
    kb = reasoner("", "a p b")
    delta = kb.remove([fact("a p b")])

    assert delta.to_patch(previous="uuid:1").splitlines() == [
        f"H id <{delta.id}> .",
        "H prev <uuid:1> .",
        'H content "asserted" .',
        "TX .",
        "D <a> <p> <b> .",
        "TC .",
    ]


def test_patches_and_json_are_written_to_files_and_streams(tmp_path):
    kb = reasoner("", "a p b")
    delta = kb.remove([fact("a p b")])
    stream = BytesIO()

    assert delta.write_patch(tmp_path / "change.rdfp.gz") == delta.write_patch(stream) == 5
    assert stream.getvalue().decode() == delta.to_patch()
    assert (tmp_path / "change.rdfp.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert delta.write_json(tmp_path / "change.json") > 5
    assert json.loads((tmp_path / "change.json").read_text()) == json.loads(delta.to_json())
    with kb.transaction() as change:
        change.add(fact("a p b"))
    with kb.transaction() as change:
        change.apply_patch(tmp_path / "change.rdfp.gz")
    assert set(kb.triples()) == set()


def test_what_a_patch_may_hold_besides_is_read():
    text = """# a comment
        H id <uuid:7> .
        PA "e" <http://e.org/> .
        TX .
        A <a> <p> <_:b1> . # a blank node
        A <a> <p> "caf\\u00E9\u2028" .
        TC .
        TX .
        D <a> <p> <c> .
        TA .
        TX .
        A <x> <y> <z>.
        D <x> <y> <z>.
        PD "e" .
        TC ."""

    assert read_patch(text) == ([("<a>", "<p>", "_:b1"), ("<a>", "<p>", '"café\u2028"')], [("<x>", "<y>", "<z>")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X <a> <b> <c> .", "<text>:1:1: expected H, TX, TC, TA, PA, PD, A or D"),
        ("TX .\nA <a> <b> .", "<text>:2:11: expected a term"),
        ("A <a> <b> <c>", "<text>:1:14: expected . at the end"),
        ("A <a> <b> <c> <g> <h> .", "<text>:1:19: expected . at the end"),
        ("A <a> <b> <c> <urn:reasoner:inferred> .", "can be asked and not changed"),
        ('A "a" <b> <c> .', '"a" is a literal'),
        ("A <a> _:b <c> .", "_:b is not an IRI"),
        ("A <a> e:b <c> .", "expected a term"),
        ("TX .\nA <a> <b> <c> .", "TC . is missing"),
        ("TX .\nTX .", "<text>:2:1: a transaction begins inside another"),
        ("TC .", "TX . is missing"),
        ("H <id> .", "the name of a header"),
    ],
)
def test_a_patch_with_a_mistake_is_refused_with_its_place(text, message):
    with pytest.raises(ParseError) as raised:
        read_patch(text)

    assert message in str(raised.value)


def test_json_tells_everything():
    kb = reasoner("?x q ?y :- ?x p ?y\nfalse :- ?x q ?x", "a p b")
    with kb.transaction() as change:
        change.add(facts("a p b, c p c, a same c"))
        change.remove(fact("x y z"))
    told = json.loads(change.delta.to_json())

    assert told["asserted_added"] == [list(triple) for triple in change.delta.asserted_added]
    assert {tuple(triple) for triple in told["inferred_added"]} == set(change.delta.inferred_added)
    assert told["counts"] == change.delta.counts.as_dict()
    assert told["already_explicit"] == [["<a>", "<p>", "<b>"]]
    assert told["not_explicit"] == [["<x>", "<y>", "<z>"]]
    assert told["classes_merged"] == [{"before": [["<a>"], ["<c>"]], "after": [["<a>", "<c>"]]}]
    assert [violation["rule"] for violation in told["violations_appeared"]] == ["rule-2"]
    assert told["work"]["total"] == change.delta.work.total
    assert "inferred_added" not in json.loads(change.delta.to_json(inferred=False))


def test_a_delta_can_be_read_at_a_glance():
    kb = reasoner("?x q ?y :- ?x p ?y", "a p b")
    delta = kb.remove([fact("a p b")])

    assert str(delta).startswith("asserted: +0 -1; inferred: +0 -1; facts over representatives: +0 -2")
    assert f"strategy: {delta.strategy}" in str(delta)
    assert "<tr><th>asserted</th><td>+0 -1</td></tr>" in delta._repr_html_()


# A key makes things equal, and is the core; the rule above it reads what is not.
ABOVE_A_KEY = "?x same ?y :- ?x k ?z, ?y k ?z\n?x q ?y :- ?x p ?y"
CORE_BY = {"bf": "bf", "fbf": "bf", "dred": "dred", "dredc": "dred", "counting": "bf", "declarative": "bf"}


def changed_by(strategy: str, removed: str, *, rules_text: str = ABOVE_A_KEY, equality: str = "rewrite"):
    kb = Reasoner(profile="none", equality=equality, maintenance="counting" if strategy == "counting" else None)
    kb.add_rules(rules(rules_text))
    kb.add(facts("a k n, b k n, c p d, d p c"))
    return kb.remove(facts(removed), strategy=strategy)


@pytest.mark.parametrize(("strategy", "core"), CORE_BY.items())
def test_a_delta_says_what_maintained_the_core_and_what_the_strata_above(strategy, core):
    delta = changed_by(strategy, "a k n, c p d")

    assert delta.strategy == strategy
    assert delta.done == {"core": core, "strata": strategy}
    assert json.loads(delta.to_json())["done"] == delta.done
    told = (
        strategy
        if core == strategy
        else f"{strategy}, the core of equality by {core} and the strata above by {strategy}"
    )
    assert dict(delta.rows())["strategy"] == f"{told} (asked for)"


def test_a_delta_names_no_strategy_for_a_part_that_it_left_alone():
    only_core = "?x same ?y :- ?x k ?z, ?y k ?z\n?x ?q ?y :- ?x ?p ?y, ?p p ?q"

    assert changed_by("bf", "c p d").done == {"strata": "bf"}
    assert changed_by("dredc", "c p d", rules_text=only_core).done == {"core": "dred"}
    assert changed_by("declarative", "c p d", rules_text="?x q ?y :- ?x p ?y", equality="none").done == {
        "strata": "declarative"
    }
    assert changed_by("rematerialise", "c p d").done == {}
    assert changed_by("bf", "x p y").done == {}


def test_the_delta_of_an_update_in_steps_says_what_was_done_where():
    kb = Reasoner(profile="none")
    kb.add_rules(rules(ABOVE_A_KEY.replace(" k ", " <urn:k> ").replace(" p ", " <urn:p> ")))
    kb.add(facts("<urn:a> <urn:k> <urn:n>, <urn:b> <urn:k> <urn:n>, <urn:c> <urn:p> <urn:d>"))
    kb.materialise()

    delta = kb.update(
        "DELETE DATA { <urn:c> <urn:p> <urn:d> } ; DELETE DATA { <urn:a> <urn:k> <urn:n> }", strategy="dredc"
    )

    assert delta.done == {"core": "dred", "strata": "dredc"}


@pytest.mark.parametrize("depth", [-1, 1.5, "x", True])
def test_a_depth_that_is_none_is_refused(depth):
    with pytest.raises(ReasonerError, match=f"depth={depth!r} is no depth: give a whole number from 0 on"):
        Reasoner(profile="none").transaction(strategy="fbf", depth=depth)


@pytest.mark.parametrize("strategy", ["auto", "bf", "dred", "dredc", "counting", "declarative", "rematerialise"])
def test_a_depth_for_a_strategy_that_has_none_is_refused(strategy):
    with pytest.raises(ReasonerError, match=f"depth=3 is for strategy='fbf', not for {strategy}: leave it out"):
        Reasoner(profile="none").transaction(strategy=strategy, depth=3)


def test_asking_for_a_part_that_is_none_names_those_that_are():
    delta = reasoner("", "a p b").remove([fact("a p b")])

    with pytest.raises(ReasonerError, match="no part 'all': choose one of asserted_added"):
        delta.iterate("all")


def test_violations_of_constraints_that_come_and_go_with_the_ontology_are_told():
    """An axiom that goes takes its violations with it, whatever facts are left."""
    kb = Reasoner(profile="owl2rl")
    apart = fact("<urn:A> <http://www.w3.org/2002/07/owl#disjointWith> <urn:B>")
    kb.add([apart, *facts("x type <urn:A>, x type <urn:B>, y type <urn:A>")])
    old = Counter(kb.violations())
    assert len(old) == 1

    delta = kb.remove([apart])
    assert Counter(delta.violations_went) == old
    assert delta.violations_appeared == ()
    with kb.transaction() as change:
        change.add([apart, fact("y type <urn:B>")])
    assert Counter(change.delta.violations_appeared) == Counter(kb.violations())
    assert len(change.delta.violations_appeared) == 2
