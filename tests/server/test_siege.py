"""A short siege: the server keeps every promise that does not depend on how fast the machine is."""

from __future__ import annotations

import random

import pytest

from tests import siege


def test_a_short_siege_is_withstood():
    outcome = siege.campaign(requests=60, runaways=5, sockets=40, seed=7)

    assert outcome.failures == [] and outcome.deaths == 0
    assert outcome.points and outcome.healths
    assert outcome.found == outcome.inserted > 0
    assert outcome.own_memory > 0 and 0 < outcome.memory < siege.PROMISED_MEMORY
    assert outcome.end_seconds < 5 and outcome.left_over == 0
    assert outcome.is_well and "deaths 0" in str(outcome)


@pytest.mark.parametrize("kind", siege.KINDS, ids=lambda kind: kind.__name__)
def test_a_seed_makes_the_same_request_again(kind):
    assert kind(random.Random(3)) == kind(random.Random(3)) != b""


def test_a_failure_is_told():
    outcome = siege.Outcome(1, points=[0.1, 0.2], failures=["after 1 s: wrong"], inserted=2, found=1)

    assert not outcome.is_well and "not as promised" in str(outcome)
    assert "1 of 2 confirmed updates" in str(outcome) and "p50 150 ms" in str(outcome)


@pytest.mark.parametrize("broken", [{"memory": siege.PROMISED_MEMORY}, {"deaths": 1}, {"left_over": 1}, {"found": 1}])
def test_every_promise_counts(broken):
    kept = {"points": [0.1] * 200, "healths": [0.01] * 200, "inserted": 2, "found": 2}

    assert siege.Outcome(1, **kept).is_well and siege.Outcome(1, **kept).is_fast
    assert not siege.Outcome(1, **{**kept, **broken}).is_well
    assert not siege.Outcome(1, **{**kept, "points": [0.6] * 200}).is_fast
    assert not siege.Outcome(1, **{**kept, "healths": [0.2] * 200}).is_fast
