"""The last commits, and the stream of those to come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from reasoner.server.api.parameters import JSON
from reasoner.server.commit_log import CommitLog, Stream
from reasoner.server.kept import lock_commits, reading
from reasoner.server.message import query_string, single
from reasoner.server.service import Service
from reasoner.sparql.budget import Budget

_HEARTBEAT = 15.0
_STEP = 0.25
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def commits(service: Service, request: Request) -> Response:
    """List the last commits, or with ``stream`` send them as server-sent events, those to come as well.

    Commits are remembered from the first time that somebody asks. The id of an event is the number of its commit.
    """
    log = await service.readers.run(request, lambda budget: _log_of(service, budget))
    if single(query_string(request), "stream") not in ("1", "true"):
        # The entries are JSON already.
        listed = ",".join(text for _, text in log.entries())
        return Response(f'{{"commits": [{listed}]}}', media_type=JSON, headers={"Cache-Control": "no-store"})
    heard = request.headers.get("last-event-id", "")
    stream = log.opened(int(heard) if heard.isdigit() else 0)
    server = getattr(request.app.state, "server", None)
    events = _events(log, stream, lambda: bool(getattr(server, "should_exit", False)))
    return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)


def _log_of(service: Service, budget: Budget) -> CommitLog:
    kb = reading(service.committed.kb)
    if service.kept.log is None:
        lock_commits(kb, budget)
        try:
            if service.kept.log is None:
                service.kept.log = CommitLog(kb)
        finally:
            kb._committing.release()
    return service.kept.log


async def _events(log: CommitLog, stream: Stream, is_ending: Callable[[], bool]) -> AsyncIterator[str]:
    """Yield the text of a stream until the client goes or falls behind, or the server ends."""
    silence = 0.0
    try:
        yield "retry: 3000\n\n"
        while not is_ending():
            try:
                waiting = await asyncio.wait_for(stream.waiting.get(), _STEP)
            except TimeoutError:
                silence += _STEP
                if silence >= _HEARTBEAT:
                    silence = 0.0
                    yield ": nothing new\n\n"
                continue
            if waiting is None:
                return
            silence = 0.0
            number, entry = waiting
            yield f"id: {number}\nevent: commit\ndata: {entry}\n\n"
    finally:
        log.closed(stream)
