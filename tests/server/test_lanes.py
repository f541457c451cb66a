"""Turns for queries: what is short does not wait for what is long."""

from __future__ import annotations

import threading
import time

import pytest

from reasoner.server.backend.lanes import Lanes, Turn
from reasoner.server.backend.refusal import RefusalError
from reasoner.server.backend.settings import Settings


class Work:
    """Work that computes, offering its turn at every step, until it is told to end."""

    def __init__(self, lanes: Lanes, client: str = "a") -> None:
        self.begun, self.end = threading.Event(), threading.Event()
        self.steps = 0
        self._lanes = lanes
        self.future = lanes.submit(client, self._run)

    def _run(self, turn: Turn) -> str:
        self.begun.set()
        while not self.end.is_set():
            self._lanes.step(turn, self.end.is_set)
            self.steps += 1
        return "done"


@pytest.fixture
def lanes():
    made = Lanes(Settings(readers=2, slow_readers=1, time_slice=0.05, most_waiting=5))
    yield made
    made.close()


def test_short_work_is_begun_while_as_much_long_work_as_there_are_places_is_under_way(lanes):
    long = [Work(lanes) for _ in range(2)]
    for work in long:
        assert work.begun.wait(10)

    assert lanes.submit("b", lambda turn: "short").result(10) == "short"

    for work in long:
        work.end.set()
        assert work.future.result(10) == "done"


def test_long_work_pauses_until_there_is_a_place_for_it(lanes):
    first = Work(lanes)
    assert first.begun.wait(10)
    second = Work(lanes)
    # Both become long; only one of them goes on.
    while not any(turn.must_pause for turn in list(lanes._running)):
        pass
    paused = next(turn for turn in list(lanes._running) if turn.must_pause)
    assert not paused.has_place.is_set()

    first.end.set()
    second.end.set()

    assert (first.future.result(10), second.future.result(10)) == ("done", "done")
    assert lanes._long_running == 0 and not lanes._pausing


def test_long_work_beyond_what_may_wait_is_refused_and_told_when_to_come_back(lanes):
    works = [Work(lanes) for _ in range(5)]

    refused = []
    while not refused:
        refused = [work for work in works if work.future.done()]
    with pytest.raises(RefusalError, match="--slow-readers") as told:
        refused[0].future.result(0)

    assert told.value.status == 503 and told.value.headers["Retry-After"] == "5"
    assert lanes.submit("b", lambda turn: "short").result(10) == "short"
    for work in works:
        work.end.set()


def test_too_many_that_wait_are_refused():
    lanes = Lanes(Settings(readers=1, slow_readers=1, time_slice=60, most_waiting=2))
    works = [Work(lanes) for _ in range(3)]

    with pytest.raises(RefusalError, match="--max-waiting") as told:
        lanes.submit("b", lambda turn: None)

    assert told.value.headers["Retry-After"] == "1"
    for work in works:
        work.end.set()
        assert work.future.result(10) == "done"
    lanes.close()


def test_clients_take_turns_however_much_each_asks():
    lanes = Lanes(Settings(readers=1, slow_readers=1, time_slice=60))
    first, order = Work(lanes), []
    assert first.begun.wait(10)
    waiting = [lanes.submit("many", lambda turn, n=n: order.append(f"many {n}")) for n in range(5)]
    waiting.append(lanes.submit("one", lambda turn: order.append("one")))

    first.end.set()
    for future in waiting:
        future.result(10)

    assert order.index("one") <= 1
    assert [name for name in order if name != "one"] == [f"many {n}" for n in range(5)]
    lanes.close()


def test_an_error_frees_its_place(lanes):
    def fail(turn: Turn) -> None:
        raise ValueError("wrong")

    for _ in range(10):
        with pytest.raises(ValueError, match="wrong"):
            lanes.submit("a", fail).result(10)
    while lanes._running:
        time.sleep(0.01)
    assert lanes.submit("a", lambda turn: "well").result(10) == "well"


def test_work_that_waits_loses_its_place_and_is_never_refused(lanes):
    free = threading.Event()
    waiting = [lanes.submit("a", lambda turn: lanes.step(turn, free.is_set) or free.wait(20)) for _ in range(5)]

    for _ in range(10):
        assert lanes.submit("b", lambda turn: "short").result(10) == "short"
    free.set()

    assert [future.result(10) for future in waiting] == [True] * 5
