"""Streams of updates of all kinds in a dynamic session, against the same updates as transactions one after the other.

The two share the code of a single update; what is compared is how updates are cut into steps, cancelled, stopped, kept
apart and put together to commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, ReasonerError
from tests.engines import Make
from tests.maintenance.streams import Interleaved, StreamUpdate, begun, draw_stream, outcome, total, whole_state
from tests.notation import Fact
from tests.strategies import RANDOM

SETTINGS = {
    "owl2rl": {"profile": "owl2rl"},
    "dlp": {"profile": "dlp"},
    "rules": {"profile": "none"},
    "rules without equality": {"profile": "none", "equality": "none"},
}


def assert_as_transactions(random: Random, kind: str, policy: str, make: Make = Reasoner, most: int = 8) -> None:
    rules, explicit, stream = draw_stream(random, schema=kind in ("owl2rl", "dlp"), most=most)
    rounds = sorted(random.randrange(random.choice([1, 6, 14])) for _ in stream)
    one, other = (begun(make, rules, explicit, constraints=policy, **SETTINGS[kind]) for _ in range(2))

    deltas, outcomes = [], []
    for update in stream:
        outcomes.append(outcome(lambda update=update: deltas.append(update.commit(one, "auto")) or deltas[-1]))
    session = Interleaved(other, stream, rounds, "auto")
    session.run()

    assert [outcome(lambda ticket=ticket: ticket.delta) for ticket in session.tickets] == outcomes
    assert whole_state(other) == whole_state(one)
    assert total(session.deltas) == total(deltas)
    event(f"refused {min(sum(each is not None for each in outcomes), 3)}")
    works = {id(ticket.work): ticket.work for ticket in session.tickets}.values()
    event(f"stopped {min(sum(work.stopped for work in works), 2)}")
    event(f"cancelled {min(sum(work.cancelled for work in works), 3)}")
    event(f"commits {min(len(works), 3)}")


@pytest.mark.parametrize("policy", ["warn", "reject"])
@pytest.mark.parametrize("kind", SETTINGS)
@settings(RANDOM, max_examples=25)
@given(st.randoms(use_true_random=False))
def test_a_stream_ends_as_the_same_updates_one_after_the_other(kind, policy, random):
    assert_as_transactions(random, kind, policy)


def instances(random: Random, profile: str) -> tuple[int, int, bool]:
    """Return the rule instances of a stream as transactions and in a session, and whether the law of the page holds.

    It excepts streams in which terms become equal, and those in which a deletion lies between two operations that may
    cancel.
    """
    rules, explicit, stream = draw_stream(random, schema=True, changing=False, most=10)
    rounds = sorted(random.randrange(random.choice([1, 6, 14])) for _ in stream)
    one, other = (begun(Reasoner, rules, explicit, profile=profile) for _ in range(2))
    try:
        deltas = [update.commit(one, "bf") for update in stream]
    except ReasonerError:
        reject()
    session = Interleaved(other, stream, rounds, "bf")
    session.run()
    consecutive, together = (sum(delta.work.total for delta in each) for each in (deltas, session.deltas))
    return consecutive, together, not any(delta.classes_merged for delta in deltas) and not _deletes_between(stream)


def _deletes_between(stream: Sequence[StreamUpdate]) -> bool:
    """Tell whether a fact changes twice with the deletion of another one between."""
    said: dict[Fact, int] = {}
    for at, update in enumerate(stream):
        for _, _, triple in update.quads:
            between = stream[said.get(triple, at) + 1 : at]
            if any(not comes and other != triple for each in between for comes, _, other in each.quads):
                return True
        said |= {triple: at for _, _, triple in update.quads}
    return False


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
@settings(RANDOM, max_examples=40)
@given(st.randoms(use_true_random=False))
def test_a_stream_takes_no_more_rule_instances_than_one_after_the_other(profile, random):
    consecutive, together, holds = instances(random, profile)

    event(f"law {holds}, less {together < consecutive}")
    if holds:
        assert together <= consecutive


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
def test_streams_take_fewer_rule_instances_on_the_whole(profile):
    totals = [instances(Random(seed), profile)[:2] for seed in range(30)]

    assert sum(together for _, together in totals) < 0.9 * sum(consecutive for consecutive, _ in totals)
