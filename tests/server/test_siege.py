"""A short siege: the server lives, answers every honest request, and keeps what it confirmed."""

from __future__ import annotations

import random

import pytest

from tests import siege


def test_a_short_siege_is_withstood():
    outcome = siege.campaign(requests=60, runaways=3, sockets=40, seed=7)

    assert outcome.failures == [] and outcome.deaths == 0
    assert outcome.points and outcome.healths
    assert outcome.found == outcome.inserted > 0
    assert outcome.is_well and "deaths 0" in str(outcome)


@pytest.mark.parametrize("kind", siege.KINDS, ids=lambda kind: kind.__name__)
def test_a_seed_makes_the_same_request_again(kind):
    assert kind(random.Random(3)) == kind(random.Random(3)) != b""


def test_a_failure_is_told():
    outcome = siege.Outcome(1, points=[0.1, 0.2], failures=["after 1 s: wrong"], inserted=2, found=1)

    assert not outcome.is_well
    assert "1 of 2 confirmed updates" in str(outcome) and "p50 150 ms" in str(outcome)
