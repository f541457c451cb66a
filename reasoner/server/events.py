"""Continuous queries over HTTP: server-sent events, one for every commit that changes the answers."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from reasoner.server.backend.message import query_string, request_iri, single
from reasoner.server.backend.refusal import BAD_REQUEST, TOO_MANY_ROWS, UNAVAILABLE, RefusalError
from reasoner.server.backend.service import Service
from reasoner.sparql.algebra import Query
from reasoner.sparql.answer_changes import Row
from reasoner.sparql.budget import Budget
from reasoner.subscriptions.announcements import announcements_of, answers
from reasoner.subscriptions.subscription import AnswerChange, Subscription

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

# Changes that wait for a client; one that is further behind has to begin anew.
_MOST_WAITING = 1000
_MOST_WAITING_BYTES = 16 << 20

# Every commit finds out what it changes for each of these.
_MOST_SUBSCRIBERS = 100

# Seconds of silence after which a line is sent that means nothing, so that nobody takes the connection for dead.
_HEARTBEAT = 15.0

# How often a stream looks whether the server is to end.
_STEP = 0.25

# What a client waits, in milliseconds, before it connects again.
_RETRY = 3000

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def subscribe(service: Service, request: Request) -> Response:
    """Stream what commits change about the answers of a query, from the version that the client names or from now on.

    The id of an event is the version that it leads to. The answers there are come first, in an event ``answers``, if
    the parameter ``initial`` asks for them, or if a client comes back that missed a version: changes that nobody
    was there to hear are not kept.
    """
    feed = _Feed(service, request)
    try:
        await service.readers.run(request, feed.begin)
    except BaseException:
        feed.abandon()
        raise
    return StreamingResponse(feed.events(_is_ending(request)), media_type="text/event-stream", headers=_HEADERS)


@dataclass(eq=False)
class _Feed:
    """One client's stream: filled by the thread that commits, emptied by the one that serves."""

    service: Service
    request: Request
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _waiting: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    _waiting_bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _subscription: Subscription | None = None
    _is_abandoned: bool = False

    def begin(self, budget: Budget) -> None:
        """Subscribe, and queue the answers there are if they are wanted; runs in a thread for queries.

        Commits wait only while the subscription is made, not while it is answered.
        """
        given = query_string(self.request)
        text, heard = single(given, "query"), self.request.headers.get("last-event-id")
        if text is None:
            raise RefusalError(BAD_REQUEST, "give the query to subscribe to in the parameter query")
        initial = single(given, "initial") in ("1", "true")
        kb = self.service.committed.kb
        view = self.service.parsers.view(text, request_iri(self.request), budget)
        with _between_commits(kb, budget):
            if len(announcements_of(kb.session)) >= _MOST_SUBSCRIBERS:
                raise RefusalError(UNAVAILABLE, f"the server has {_MOST_SUBSCRIBERS} subscribers already; try later")
            # Changes that come while the first answers are found stay behind these.
            early: list[bytes] = []
            is_answered = False

            def hear(change: AnswerChange) -> None:
                event = _event("change", self._number(kb), change)
                with self._lock:
                    if not is_answered:
                        early.append(event)
                        return
                self._send(event)

            subscription = kb.subscribe(view, hear)
            version = self.service.committed.present
        with self._lock:
            self._subscription = subscription
            if self._is_abandoned:
                subscription.cancel()
                return
        if initial or (heard is not None and heard != str(version.number)):
            work = partial(_first_answers, asked=subscription.query, most=self.service.settings.most_rows)
            rows = self.service.readers.ask(version, work, budget)
            first = AnswerChange(version.number, subscription.variables, rows, (), initial=True)
            self._send(_event("answers", version.number, first))
        with self._lock:
            for event in early:
                self._send(event)
            is_answered = True

    def abandon(self) -> None:
        """End the subscription, or the one that is just being made."""
        with self._lock:
            self._is_abandoned = True
            if self._subscription is not None:
                self._subscription.cancel()

    async def events(self, is_ending: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Yield the text of the stream until the client goes, falls behind, or the server ends."""
        silence = 0.0
        try:
            yield b"retry: %d\n\n" % _RETRY
            while not is_ending():
                try:
                    event = await asyncio.wait_for(self._waiting.get(), _STEP)
                except TimeoutError:
                    silence += _STEP
                    if silence >= _HEARTBEAT:
                        silence = 0.0
                        yield b": nothing new\n\n"
                    continue
                silence = 0.0
                if event is None:
                    yield b"event: overflow\ndata: more changes waited than are kept for a client; subscribe again\n\n"
                    return
                self._waiting_bytes -= len(event)
                yield event
        finally:
            self.abandon()

    def _number(self, kb: Reasoner) -> int:
        """Return the version of the present state, which readers may not see yet."""
        last = self.service.committed.last
        return last.number + (last.kb.store.state is not kb.store.state)

    def _send(self, event: bytes) -> None:
        """Hand an event over to the thread that serves; runs in any other."""
        try:
            self._loop.call_soon_threadsafe(self._put, event)
        except RuntimeError:
            # The server has ended.
            self._is_abandoned = True

    def _put(self, event: bytes) -> None:
        if self._is_abandoned:
            return
        # The first one, be it large, is there to be read at once.
        if self._waiting.qsize() < _MOST_WAITING and self._waiting_bytes <= _MOST_WAITING_BYTES:
            self._waiting_bytes += len(event)
            self._waiting.put_nowait(event)
            return
        self.abandon()
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put_nowait(None)


def _first_answers(kb: Reasoner, budget: Budget, *, asked: Query, most: int) -> tuple[Row, ...]:
    """Return the answers there are, or refuse if they are too many."""
    found = answers(kb.store, kb.store.state, asked, budget)
    if len(found) > most:
        raise RefusalError(
            TOO_MANY_ROWS,
            f"there are {len(found):,} answers, more than the {most:,} that this server gives; subscribe to less",
        )
    return tuple(found)


@contextmanager
def _between_commits(kb: Reasoner, budget: Budget) -> Iterator[None]:
    """Keep commits from being made for the time of a block; wait for the one under way as long as the budget allows."""
    while not kb.session.lock.acquire(timeout=_STEP):
        budget.check()
    try:
        yield
    finally:
        kb.session.lock.release()


def _event(name: str, number: int, change: AnswerChange) -> bytes:
    told = {"added": change.as_dicts(change.added), "removed": change.as_dicts(change.removed)}
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(told, ensure_ascii=False)}\n\n".encode()


def _is_ending(request: Request) -> Callable[[], bool]:
    """Return what tells whether the server has been told to stop; streams would keep it from doing so."""
    server = getattr(request.app.state, "server", None)
    return lambda: bool(getattr(server, "should_exit", False))
