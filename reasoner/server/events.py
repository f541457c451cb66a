"""Continuous queries over HTTP: server-sent events, one for every commit that changes the answers."""

from __future__ import annotations

import asyncio
import copy
import json
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from reasoner.server.message import query_string, single
from reasoner.server.refusal import BAD_REQUEST, UNAVAILABLE, RefusalError
from reasoner.server.service import Service
from reasoner.sparql.answer_changes import answers
from reasoner.sparql.budget import Budget
from reasoner.subscriptions.subscription import AnswerChange, Subscription

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

# Changes that wait for a client; one that is further behind has to begin anew.
_MOST_WAITING = 1000

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
    given = query_string(request)
    text = single(given, "query")
    if text is None:
        raise RefusalError(BAD_REQUEST, "give the query to subscribe to in the parameter query")
    heard = request.headers.get("last-event-id")
    feed = _Feed(service, text, single(given, "initial") in ("1", "true"), heard)
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
    text: str
    initial: bool
    heard: str | None
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _waiting: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _subscription: Subscription | None = None
    _is_abandoned: bool = False

    def begin(self, budget: Budget) -> None:
        """Subscribe, and queue the answers there are if they are wanted; runs in a thread for queries.

        Commits wait only while the subscription is made, not while it is answered.
        """
        kb = self.service.committed.kb
        view = self.service.parsers.view(self.text, budget.left)
        with kb._committing:
            if len(kb._announced_by()) >= _MOST_SUBSCRIBERS:
                raise RefusalError(UNAVAILABLE, f"the server has {_MOST_SUBSCRIBERS} subscribers already; try later")
            # Changes that come while the first answers are found stay behind these.
            early: list[str] = []
            is_answered = False

            def hear(change: AnswerChange) -> None:
                event = _event("change", self._number(kb), change)
                with self._lock:
                    if not is_answered:
                        early.append(event)
                        return
                self._send(event)

            subscription = kb.subscribe(view, hear)
            number, state = self._number(kb), kb.store.state
            store = copy.copy(kb.store)
            store.dictionary = kb.store.dictionary.frozen()
        with self._lock:
            self._subscription = subscription
            if self._is_abandoned:
                subscription.cancel()
                return
        if self.initial or (self.heard is not None and self.heard != str(number)):
            rows = tuple(answers(store, state, subscription.query, budget))
            first = AnswerChange(number, subscription.variables, rows, (), initial=True)
            self._send(_event("answers", number, first))
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

    async def events(self, is_ending: Callable[[], bool]) -> AsyncIterator[str]:
        """Yield the text of the stream until the client goes, falls behind, or the server ends."""
        silence = 0.0
        try:
            yield f"retry: {_RETRY}\n\n"
            while not is_ending():
                try:
                    event = await asyncio.wait_for(self._waiting.get(), _STEP)
                except TimeoutError:
                    silence += _STEP
                    if silence >= _HEARTBEAT:
                        silence = 0.0
                        yield ": nothing new\n\n"
                    continue
                silence = 0.0
                if event is None:
                    yield "event: overflow\ndata: more changes waited than are kept for a client; subscribe again\n\n"
                    return
                yield event
        finally:
            self.abandon()

    def _number(self, kb: Reasoner) -> int:
        """Return the version of the present state, which readers may not see yet."""
        last = self.service.committed.last
        return last.number + (last.kb.store.state is not kb.store.state)

    def _send(self, event: str) -> None:
        """Hand an event over to the thread that serves; runs in any other."""
        try:
            self._loop.call_soon_threadsafe(self._put, event)
        except RuntimeError:
            # The server has ended.
            self._is_abandoned = True

    def _put(self, event: str) -> None:
        if self._is_abandoned:
            return
        if self._waiting.qsize() < _MOST_WAITING:
            self._waiting.put_nowait(event)
            return
        self.abandon()
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put_nowait(None)


def _event(name: str, number: int, change: AnswerChange) -> str:
    told = {"added": change.as_dicts(change.added), "removed": change.as_dicts(change.removed)}
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(told, ensure_ascii=False)}\n\n"


def _is_ending(request: Request) -> Callable[[], bool]:
    """Return what tells whether the server has been told to stop; streams would keep it from doing so."""
    server = getattr(request.app.state, "server", None)
    return lambda: bool(getattr(server, "should_exit", False))
