"""Evolution scripts over HTTP: rehearsed, applied, taken back, and the journal of what was applied.

The last commits, and the stream of those to come.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ontologies.evolution.parse_script import parse_script
from reasoner.evolution.report import Evolution, InconsistentEvolutionError
from reasoner.reasoner import Reasoner
from reasoner.server.api.parameters import JSON, answer, json_object, member
from reasoner.server.backend.committed import CommitLog, Stream, lock_commits, reading
from reasoner.server.backend.message import query_string, require_writer, single
from reasoner.server.backend.refusal import BAD_REQUEST, UNAVAILABLE, RefusalError
from reasoner.server.backend.service import Service
from reasoner.sparql.budget import Budget
from reasoner.state.delta import Delta

Evolve = Callable[[Reasoner, bool, Budget], Evolution]

_MOST_ENTRIES = 200


async def evolution(service: Service, request: Request) -> Response:
    """List the steps that stand and the versions on disk (GET), or rehearse or apply a script (POST)."""
    if request.method == "GET":
        return await service.readers.run(request, lambda budget: answer(_journal(service, budget)))
    found = await json_object(request, service.bodies, service.settings.most_body)
    text, bears = member(found, "script", str, ""), member(found, "allow_inconsistent", bool, False)
    if not text.strip():
        raise RefusalError(BAD_REQUEST, 'there is no script; send {"script": "..."}')
    # A text that looks like the name of a file is none here: the server reads no files for others.
    script = await service.readers.run(request, lambda _: parse_script(text, file="script"))

    def evolve(kb: Reasoner, dry_run: bool, budget: Budget) -> Evolution:
        return kb.evolve(
            script, dry_run=dry_run, allow_inconsistent=bears, explain=False, while_rehearsing=budget.check
        )

    return await _carried_out(service, request, evolve, member(found, "dry_run", bool, True))


async def undo(service: Service, request: Request) -> Response:
    """Take the last steps back, or rehearse that."""
    found = await json_object(request, service.bodies, service.settings.most_body)
    last, bears = member(found, "last", int, 1), member(found, "allow_inconsistent", bool, False)

    def evolve(kb: Reasoner, dry_run: bool, budget: Budget) -> Evolution:
        return kb.undo_evolutions(
            last, dry_run=dry_run, allow_inconsistent=bears, explain=False, while_rehearsing=budget.check
        )

    return await _carried_out(service, request, evolve, member(found, "dry_run", bool, True))


async def _carried_out(service: Service, request: Request, evolve: Evolve, dry_run: bool) -> Response:
    if service.settings.updates or not dry_run:
        # A rehearsal keeps commits waiting, so that whoever may not commit may not rehearse beside those who do.
        require_writer(request, service.settings)
    if dry_run:
        return await service.readers.run(request, lambda budget: _report(_rehearsed(service, evolve, budget)))
    reports: list[Evolution] = []
    # A journal in memory is made for the reasoner itself, and not for the copy that a change works on.
    journal = service.committed.kb.evolution_journal()

    def change(kb: Reasoner, budget: Budget) -> Delta:
        before, constraints = kb.store.state, kb.session.program().constraints
        # The copy takes the place of the reasoner when its version is written, which may fail.
        journal.begin_commit()
        reports.append(evolve(kb, False, budget))
        return Delta(
            *(kb.store, before, kb.store.state, reports[-1].steps[-1].strategy if reports[-1].steps else "none"),
            reason="an evolution script",
            constraints_before=constraints,
            constraints_after=kb.session.program().constraints,
            explainer=kb.session.explainer(),
        )

    try:
        _, version = await service.writer.run(
            request, change, lambda was_committed: journal.end_commit(applied=was_committed)
        )
    except InconsistentEvolutionError as error:
        refused, why = error.evolution, str(error)
        return await service.readers.run(request, lambda _: _report(refused, refused=why))
    return await service.readers.run(request, lambda _: _report(reports[-1], version=version.number))


def _report(evolution: Evolution, **more: object) -> Response:
    return answer({**json.loads(evolution.to_json()), **more})


def _rehearsed(service: Service, evolve: Evolve, budget: Budget) -> Evolution:
    if not service.kept.rehearsing.acquire(blocking=False):
        raise RefusalError(UNAVAILABLE, "somebody else rehearses a script; try again", {"Retry-After": "1"})
    try:
        kb = reading(service.committed.kb)
        lock_commits(kb, budget)
        try:
            return evolve(kb, True, budget)
        finally:
            kb.session.lock.release()
    finally:
        service.kept.rehearsing.release()


def _journal(service: Service, budget: Budget) -> dict[str, Any]:
    kb = service.committed.kb
    lock_commits(kb, budget)
    try:
        standing = kb.evolutions()
        versions = kb.versions() if kb.version is not None else []
    finally:
        kb.session.lock.release()
    return {
        "steps": [
            {
                "number": entry.number,
                "name": entry.name,
                "script": entry.script,
                "time": entry.time,
                "added": len(entry.change.added),
                "removed": len(entry.change.removed),
                "rules_added": len(entry.change.rules_added),
                "rules_removed": len(entry.change.rules_removed),
            }
            for entry in standing[-_MOST_ENTRIES:]
        ],
        "versions": [
            {"number": version.number, "created": version.created, "counts": dict(version.counts)}
            for version in versions[-_MOST_ENTRIES:]
        ],
    }


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
            kb.session.lock.release()
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
