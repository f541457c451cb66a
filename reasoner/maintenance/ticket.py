"""Updates that were submitted, and what became of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Generic

from reasoner.delta import Delta
from reasoner.engine import Engine, F, M, P
from reasoner.errors import ReasonerError
from reasoner.maintenance.program import Change
from reasoner.maintenance.wanted import DynamicWork, NetChange
from reasoner.schema import is_schema
from reasoner.violation import TextTriple

# Updates that arrive after so many others, or after so many returns, wait for the next commit: a stream of updates
# without an end must not keep readers from ever seeing one.
_MOST_ARRIVALS = 64
_MOST_RESTARTS = 8


class Ticket:
    """An update on its way: ``wait`` for the commit that carries it."""

    def __init__(self, added: list[TextTriple], removed: list[TextTriple]) -> None:
        self.added = added
        self.removed = removed
        self._settled = threading.Event()
        self._delta: Delta | None = None
        self._error: BaseException | None = None
        self._work = DynamicWork()
        self.error_was_raised = False

    @cached_property
    def changes_ontology(self) -> bool:
        return any(map(is_schema, (*self.added, *self.removed)))

    @property
    def done(self) -> bool:
        """Whether the update is committed, or has failed."""
        return self._settled.is_set()

    @property
    def has_failed(self) -> bool:
        return self._error is not None

    @property
    def delta(self) -> Delta:
        """What the commit that carries the update did, with that of the other updates that it carries."""
        if not self.done:
            raise ReasonerError("the update has not been committed yet; wait for it")
        if self._error is not None:
            self.error_was_raised = True
            raise self._error
        assert self._delta is not None
        return self._delta

    @property
    def work(self) -> DynamicWork:
        """What became of the operations of the commit that carries the update."""
        return self._work

    def wait(self, timeout: float | None = None) -> Delta:
        """Wait until the update is committed and return what the commit did; raise the error if it failed."""
        if not self._settled.wait(timeout):
            raise TimeoutError(f"the update was not committed within {timeout} s")
        return self.delta

    def settle(self, delta: Delta | None, work: DynamicWork, error: BaseException | None = None) -> None:
        """Tell those who wait how it ended."""
        self._delta, self._work, self._error = delta, work, error
        self._settled.set()


class Submitted(Generic[F]):
    """The updates that one run has taken up, and what they come down to.

    ``whole`` is what they come down to for maintenance, and ``values`` the equalities of literals that go with it, once
    somebody has worked that out.
    """

    def __init__(self) -> None:
        self.tickets: list[Ticket] = []
        self.work = DynamicWork()
        self.whole: Change[F] | None = None
        self.values: F | None = None
        self._encode: Callable[[list[TextTriple]], F] | None = None
        self._net: NetChange[F] | None = None

    def begin(self, engine: Engine[F, P, M], explicit: F, encode: Callable[[list[TextTriple]], F]) -> None:
        """Take the updates that are there for changes of explicit facts."""
        self._net, self._encode = NetChange(engine, explicit), encode
        early, self.tickets = self.tickets, []
        for ticket in early:
            self.take(ticket)

    def take(self, ticket: Ticket) -> None:
        """Let an update follow those that are there."""
        self.tickets.append(ticket)
        if self._net is not None and self._encode is not None:
            self.work.submissions += 1
            self.work.cancelled += self._net.take(self._encode(ticket.added), self._encode(ticket.removed))

    @property
    def net(self) -> NetChange[F]:
        assert self._net is not None
        return self._net

    @property
    def changes_ontology(self) -> bool:
        return any(ticket.changes_ontology for ticket in self.tickets)

    @property
    def is_full(self) -> bool:
        return self.work.arrivals >= _MOST_ARRIVALS or self.work.restarts >= _MOST_RESTARTS

    def asked(self) -> tuple[list[TextTriple], list[TextTriple]]:
        """Return what is asked to be added and removed in the end: what is said later about a triple counts."""
        wanted: dict[TextTriple, bool] = {}
        for ticket in self.tickets:
            wanted.update(dict.fromkeys(ticket.removed, False))
            wanted.update(dict.fromkeys(ticket.added, True))
        return [triple for triple, comes in wanted.items() if comes], [
            triple for triple, comes in wanted.items() if not comes
        ]
