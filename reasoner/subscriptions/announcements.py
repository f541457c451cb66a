"""Commits in their order, for everybody who wants to hear of them."""

from __future__ import annotations

import threading
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Protocol
from weakref import ref

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.delta import Delta
    from reasoner.reasoner import Reasoner
    from reasoner.sparql.answer_changes import AnswerChanges


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
        from reasoner.delta import Delta

        return Delta(self.store, self.before, self.after, "none", "heard of")

    @cached_property
    def answer_changes(self) -> AnswerChanges:
        """What the change did to the answers of queries."""
        from reasoner.sparql.answer_changes import AnswerChanges

        return AnswerChanges(self.store, self.before, self.after)


class Announcements:
    """Tells listeners of every change of a reasoner, each exactly once, one change after another.

    Whatever led to a new state, be it a transaction, an update, a session or facts that were added and then reasoned
    over, is seen by comparing the state with the one that was announced last. A listener that commits is told of its
    own commit after everybody has heard of the one before. Copies of a reasoner, which work ahead of it, share its
    announcements and announce nothing.
    """

    def __init__(self, owner: Reasoner) -> None:
        # A reference that keeps its owner alive would leave large stores to the garbage collector.
        self._owner = ref(owner)
        self._listeners: list[Listener] = []
        self._changing = threading.Lock()
        self._seen: Snapshot | None = None
        self._waiting: deque[Announcement] = deque()
        self._is_telling = False
        self.number = 0

    def is_of(self, reasoner: object) -> bool:
        """Tell a reasoner from its copies."""
        return self._owner() is reasoner

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
