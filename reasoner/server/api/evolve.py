"""Evolution scripts over HTTP: rehearsed, applied, taken back, and the journal of what was applied."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ontologies.evolution.parse_script import parse_script
from reasoner.delta import Delta
from reasoner.evolution.report import Evolution, InconsistentEvolutionError
from reasoner.reasoner import Reasoner
from reasoner.server.access import require_writer
from reasoner.server.api.parameters import answer, json_object, member
from reasoner.server.kept import lock_commits, reading
from reasoner.server.refusal import BAD_REQUEST, UNAVAILABLE, RefusalError
from reasoner.server.service import Service
from reasoner.sparql.budget import Budget

Evolve = Callable[[Reasoner, bool], Evolution]

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

    def evolve(kb: Reasoner, dry_run: bool) -> Evolution:
        return kb.evolve(script, dry_run=dry_run, allow_inconsistent=bears, explain=False)

    return await _carried_out(service, request, evolve, member(found, "dry_run", bool, True))


async def undo(service: Service, request: Request) -> Response:
    """Take the last steps back, or rehearse that."""
    found = await json_object(request, service.bodies, service.settings.most_body)
    last, bears = member(found, "last", int, 1), member(found, "allow_inconsistent", bool, False)

    def evolve(kb: Reasoner, dry_run: bool) -> Evolution:
        return kb.undo_evolutions(last, dry_run=dry_run, allow_inconsistent=bears, explain=False)

    return await _carried_out(service, request, evolve, member(found, "dry_run", bool, True))


async def _carried_out(service: Service, request: Request, evolve: Evolve, dry_run: bool) -> Response:
    if service.settings.updates or not dry_run:
        # A rehearsal keeps commits waiting, so that whoever may not commit may not rehearse beside those who do.
        require_writer(request, service.settings)
    if dry_run:
        return await service.readers.run(request, lambda budget: _report(_rehearsed(service, evolve, budget)))
    reports: list[Evolution] = []
    # A journal in memory is made for the reasoner itself, and not for the copy that a change works on.
    service.committed.kb.evolution_journal()

    def change(kb: Reasoner, _: Budget) -> Delta:
        before, constraints = kb.store.state, kb._encoded().constraints
        reports.append(evolve(kb, False))
        return Delta(
            *(kb.store, before, kb.store.state, reports[-1].steps[-1].strategy if reports[-1].steps else "none"),
            reason="an evolution script",
            constraints_before=constraints,
            constraints_after=kb._encoded().constraints,
            explainer=kb._explainer(),
        )

    try:
        _, version = await service.writer.run(request, change)
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
            return evolve(kb, True)
        finally:
            kb._committing.release()
    finally:
        service.kept.rehearsing.release()


def _journal(service: Service, budget: Budget) -> dict[str, Any]:
    kb = service.committed.kb
    lock_commits(kb, budget)
    try:
        standing = kb.evolutions()
        versions = kb.versions() if kb.version is not None else []
    finally:
        kb._committing.release()
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
