"""``reasoner demo``: the story that a newcomer sees first."""

from __future__ import annotations

import re


def test_the_demonstration_shows_every_part(run):
    outcome = run("demo")

    assert outcome.status == 0
    for part in (
        "generated 3,162 triples",
        "loaded 3,417 statements",
        "facts in the closure",
        "facts/s",
        "bytes a fact",
        "equality classes",
        "visitor0:0, visitor0:1",
        "answers in all",
        "?department id:hasHead ?head",
        "asserted and",
        "Is it still a chair? No",
    ):
        assert part in outcome.out, part
    assert "no answer" not in outcome.out


def test_a_proof_ends_in_what_was_asserted(run):
    text = run("demo").out
    proof = text[text.index("4. Why") : text.index("5. A fact goes")]

    assert "by cax-sco" in proof
    assert "ub:headOf <http://www.Department0.University0.edu>   asserted" in proof


def test_nothing_is_coloured_where_there_is_no_terminal(run):
    outcome = run("demo")

    assert "\x1b" not in outcome.out + outcome.err


def test_another_seed_tells_the_same_story(run):
    outcome = run("demo", "--seed", "3")

    assert outcome.status == 0
    assert re.search(r"had [2-9] names and has 1 left", outcome.out)
