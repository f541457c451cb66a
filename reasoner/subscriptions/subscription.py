"""One subscriber to a query: with a callback, or with a queue to be read at leisure."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING

from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.sparql.algebra import Query
    from reasoner.state.session import Session
    from reasoner.subscriptions.announcements import Announcement, Announcements
    from reasoner.subscriptions.view import TriplePatternTuple

Row = tuple[str | None, ...]

_log = logging.getLogger("reasoner.subscriptions")


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """What one commit did to the answers of a query.

    Rows hold the N-Triples texts of ``variables``, None where one is unbound. ``number`` counts the commits since
    somebody first subscribed; that of the initial answers is the last one before them.
    """

    number: int
    variables: tuple[str, ...]
    added: tuple[Row, ...]
    removed: tuple[Row, ...]
    initial: bool = False

    def as_dicts(self, rows: tuple[Row, ...]) -> list[dict[str, str]]:
        """Return rows, the added or the removed ones, by variable, without what is unbound."""
        return [
            {name: text for name, text in zip(self.variables, row, strict=True) if text is not None} for row in rows
        ]


class Subscription:
    """A subscription that is under way until it is cancelled, or the end of its ``with`` block.

    Without a callback, changes wait in a queue: iterate over the subscription, or ``get`` them one by one. If more than
    ``limit`` changes wait, or the query fails, the subscription ends, and ``failure`` says why.
    """

    def __init__(
        self,
        query: Query,
        variables: tuple[str, ...],
        announcements: Announcements,
        callback: Callable[[AnswerChange], object] | None,
        limit: int | None,
    ) -> None:
        self.query = query
        self.variables = variables
        self.failure: Exception | None = None
        self._announcements = announcements
        self._callback = callback
        self._limit = limit
        self._queue: SimpleQueue[AnswerChange | None] = SimpleQueue()
        self._is_active = True

    def __repr__(self) -> str:
        names = " ".join(f"?{name}" for name in self.variables)
        return f"<Subscription {names}: {'active' if self._is_active else self.failure or 'ended'}>"

    @property
    def is_active(self) -> bool:
        """Whether changes are still delivered."""
        return self._is_active

    def cancel(self) -> None:
        """Deliver nothing any more; what waits in the queue can still be read. To cancel again does nothing."""
        if self._is_active:
            self._is_active = False
            self._announcements.leave(self)
            self._queue.put(None)

    def hear(self, announcement: Announcement) -> None:
        """Deliver what a commit did to the answers, if it did anything."""
        if not self._is_active:
            return
        try:
            added, removed = announcement.answer_changes.of(self.query)
        except Exception as error:
            _log.exception("a subscription ended: its query failed")
            self._end(error)
            return
        if added or removed:
            self.deliver(AnswerChange(announcement.number, self.variables, added, removed))

    def deliver(self, change: AnswerChange) -> None:
        """Hand a change to the callback, or put it into the queue."""
        if self._callback is None:
            if self._limit is not None and self._queue.qsize() >= self._limit:
                self._end(ReasonerError(f"more than {self._limit:,} changes wait to be read; read them sooner"))
            else:
                self._queue.put(change)
            return
        try:
            self._callback(change)
        except Exception as error:
            # The commit has taken effect, and others wait to hear of it.
            self.failure = error
            _log.exception("the callback of a subscription failed; it is called again for the next change")

    def get(self, timeout: float | None = None) -> AnswerChange | None:
        """Return the next change, None if none comes within ``timeout`` seconds or the subscription has ended."""
        self._require_queue()
        try:
            change = self._queue.get(timeout=timeout) if timeout != 0 else self._queue.get_nowait()
        except Empty:
            return None
        if change is None:
            # Whoever asks after the end is told so again.
            self._queue.put(None)
            if self.failure is not None:
                raise self.failure
        return change

    def __iter__(self) -> Iterator[AnswerChange]:
        """Yield changes as they come, until the subscription is cancelled."""
        self._require_queue()
        while (change := self.get()) is not None:
            yield change

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def _end(self, error: Exception) -> None:
        self.failure = error
        self.cancel()

    def _require_queue(self) -> None:
        if self._callback is not None:
            raise ReasonerError("this subscription calls a function; subscribe without one to read changes")


def subscribe(
    session: Session,
    query: str | TriplePatternTuple | Query,
    callback: Callable[[AnswerChange], object] | None,
    *,
    initial: bool,
    limit: int | None,
    prefixes: Mapping[str, str] | None,
) -> Subscription:
    """Let every commit of a session deliver what it adds to the answers of a query and takes away."""
    from reasoner.sparql.answer_changes import shown_variables
    from reasoner.subscriptions.announcements import announcements_of, answers
    from reasoner.subscriptions.view import view_of

    view = view_of(query, prefixes=prefixes)
    with session.lock:
        session.settle()
        known, store = announcements_of(session), session.store
        subscription = Subscription(view, shown_variables(view), known, callback, limit)
        present = tuple(answers(store, store.state, view)) if initial else ()
        known.join(subscription, store.state)
        if initial:
            subscription.deliver(AnswerChange(known.number, subscription.variables, present, (), initial=True))
    return subscription
