"""Commits in their order, for everybody who wants to hear of them."""

from __future__ import annotations

import threading
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.sparql.algebra import Query
    from reasoner.sparql.answer_changes import AnswerChanges, Row
    from reasoner.sparql.budget import Budget
    from reasoner.state.delta import Delta
    from reasoner.state.session import Session


class Listener(Protocol):
    """Who hears of commits; what goes wrong while hearing is the listener's own business."""

    def hear(self, announcement: Announcement) -> None: ...


class Announcement:
    """One change of a store: the state before and after it, and its number.

    What it did is found out once for all listeners, and only if one of them asks.
    """

    def __init__(
        self, store: ColumnarStore, before: Snapshot, after: Snapshot, number: int, listeners: list[Listener]
    ) -> None:
        self.store = store
        self.before = before
        self.after = after
        self.number = number
        self.listeners = deque(listeners)

    @cached_property
    def delta(self) -> Delta:
        """What the change did to the facts."""
        from reasoner.state.delta import Delta

        return Delta(self.store, self.before, self.after, "none", "heard of")

    @cached_property
    def answer_changes(self) -> AnswerChanges:
        """What the change did to the answers of queries."""
        from reasoner.sparql.answer_changes import AnswerChanges

        return AnswerChanges(self.store, self.before, self.after, answers)


def answers(store: ColumnarStore, state: Snapshot, query: Query, budget: Budget | None = None) -> list[Row]:
    """Return the distinct answers to SELECT or ASK in a state of a store; Spark finds them if the facts are its own."""
    from reasoner.sparql.answer_changes import answers_in

    at_state = store if store.state is state else store.at(state)
    if not at_state.is_distributed:
        return answers_in(store, state, query, budget)
    from reasoner.spark.query.answer import query as query_frames
    from reasoner.spark.query.source import source_of

    result = query_frames(source_of(at_state), query, terms="text", budget=budget)
    return [()] * bool(result) if query.form == "ASK" else list(dict.fromkeys(result.texts()))


class Announcements:
    """Tells listeners of every change of a session, each exactly once, one change after another.

    Whatever led to a new state, be it a transaction, an update, a session or facts that were added and then reasoned
    over, is seen by comparing the state with the one that was announced last. A listener that commits is told of its
    own commit after everybody has heard of the one before. Nobody hears of what forks of a session do.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._changing = threading.Lock()
        self._seen: Snapshot | None = None
        self._waiting: deque[Announcement] = deque()
        self._is_telling = False
        self.number = 0

    def __len__(self) -> int:
        """Return how many listen."""
        return len(self._listeners)

    def join(self, listener: Listener, state: Snapshot) -> None:
        """Let a listener hear of whatever changes a state from now on; the caller holds the lock of commits."""
        with self._changing:
            if not self._listeners:
                self._seen = state
            self._listeners = [*self._listeners, listener]

    def leave(self, listener: Listener) -> None:
        """Tell a listener no more; any thread may say so."""
        with self._changing:
            self._listeners = [each for each in self._listeners if each is not listener]
            if not self._listeners:
                self._seen = None

    def publish(self, store: ColumnarStore) -> None:
        """Announce the present state if it is a new one; the caller holds the lock of commits."""
        before, after = self._seen, store.state
        if before is None or before is after:
            return
        self._seen = after
        self.number += 1
        self._waiting.append(Announcement(store, before, after, self.number, self._listeners))
        if self._is_telling:
            return
        self._is_telling = True
        try:
            while self._waiting:
                current = self._waiting[0]
                while current.listeners:
                    current.listeners.popleft().hear(current)
                self._waiting.popleft()
        finally:
            self._is_telling = False


def announcements_of(session: Session) -> Announcements:
    """Return what tells of the commits of a session."""
    if session.audience is None:
        session.audience = Announcements()
    assert isinstance(session.audience, Announcements)
    return session.audience
