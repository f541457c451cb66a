"""Fully dynamic maintenance: updates that arrive while earlier ones are still being worked on.

Illich, Glimm: Fully Dynamic Materialization Maintenance, 2023, algorithm 1, with I the facts, O the operations:

    1  O <- empty
    2  while updates are available
    3      if there is a new update
    4          determine its explicit operations
    5-6    determine an operation by a rule, cancel one, or execute one

``Operations`` is O; ``commit`` is the loop around it. The paper leaves open in which order operations are
determined and executed. Here the explicit operations are executed in the order of their updates, a *step* at a time: a
step is one update, or neighbours that only add facts, or many neighbours that only remove facts. It determines and
executes what follows from its operations by rules, as a transaction does, by B/F or another strategy. Line 3 is asked
between the rounds of a step.

    cancel      of an addition and a deletion of one fact, neither of them executed, the later one counts and the
                earlier one is never executed, whatever else waits between the two
    stop        the step that is being executed is given up if the operations that wait take back all that it does; so
                is the last step that is done. I is immutable, so that this costs nothing but the work so far, which
                is no more than the same update costs without a session

Deviation: additions and deletions of different updates are not executed at the same time, so that there is nothing
that the paper's memory of recursions and derivations (examples 1 to 4) would be for: no operation meets a fact that
another one has only half deleted. An update that arrives waits for the step that runs, instead of joining its rounds. A
deletion that joined them too late for its phase would send everything back to where that phase began, and a deletion
that overtakes the additions of earlier updates gives up facts that these would have proved. Additions are worth the
same either way: each rule instance is considered once. So a session considers no more rule instances than the same
updates do as transactions, and fewer where something is cancelled, stopped or shared. Two cases are excepted, in which
it may consider some more: a deletion that lies between two operations that cancel meets the facts of the cancelled
ones; and additions that are executed together may be considered before terms in them turn out to be equal, instead of
after it.

Deviation: a step of many deletions is stopped only as a whole. Few deletions that wait are not executed together, so
that each of them can be stopped.

Deviation: an update that can fail is a step of its own and neither cancels nor is cancelled, because whether it fails
depends on the state that the updates before it leave.

Updates that were submitted, and what became of them.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from reasoner.rules.errors import ReasonerError
from reasoner.state.delta import Delta
from reasoner.state.request import RuleRequest
from reasoner.terms.quads import PendingQuads
from reasoner.terms.term import TextTriple


@dataclass(slots=True)
class DynamicWork:
    """What became of the updates of one commit.

    ``submissions`` is how many updates it was to carry, ``cancelled`` how many changes of single facts were taken back
    by a later update before they were made, ``arrivals`` how often further updates came while others were worked on,
    and ``stopped`` how often a step was given up because such updates took back all that it does.
    """

    submissions: int = 0
    cancelled: int = 0
    arrivals: int = 0
    stopped: int = 0


class Ticket:
    """An update on its way: ``wait`` for the commit that carries it.

    An update is what is wanted of quads and of rules, or a ``change``, which is let loose on the state that the updates
    before it left. ``begin`` is called when the update is taken up, and may raise what it fails with.
    """

    def __init__(
        self,
        quads: PendingQuads | None = None,
        rules: RuleRequest | None = None,
        change: Callable[[Any], Delta] | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self.quads = quads or PendingQuads()
        self.rules = rules or RuleRequest()
        self.change = change
        self.begin = begin
        self._settled = threading.Event()
        self._on_settled: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._delta: Delta | None = None
        self._error: BaseException | None = None
        self._work = DynamicWork()
        self.error_was_raised = False

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
        """What became of the updates of the commit that carries this one, or would have."""
        return self._work

    def wait(self, timeout: float | None = None) -> Delta:
        """Wait until the update is committed and return what the commit did; raise the error if it failed."""
        if not self._settled.wait(timeout):
            raise TimeoutError(f"the update was not committed within {timeout} s")
        return self.delta

    def settle(self, delta: Delta | None, work: DynamicWork, error: BaseException | None = None) -> None:
        """Tell those who wait how it ended."""
        with self._lock:
            self._delta, self._work, self._error = delta, work, error
            self._settled.set()
        for callback in self._on_settled:
            callback()

    def when_settled(self, callback: Callable[[], None]) -> None:
        """Call something once it is known how it ended, from the thread that knows; at once if that is so already."""
        with self._lock:
            if not self.done:
                self._on_settled.append(callback)
                return
        callback()


# From so many deletions on that wait, it is worth more that they share their search for proofs than that each of them
# can be stopped.
_MANY_DELETIONS = 8


@dataclass(slots=True, eq=False)
class Operation:
    """What is left to execute of an update; ``joins`` says that it may be executed together with its neighbours."""

    ticket: Ticket
    quads: PendingQuads
    joins: bool = True

    def only_lets(self, is_explicit: Callable[[TextTriple], bool], *, come: bool) -> bool:
        """Tell whether it may be executed with neighbours that, like it, let facts come only, or go only.

        What is explicit already, and is to be so, does neither.
        """
        comes = self.quads.comes
        return self.joins and all(comes(triple) == come or (not come and is_explicit(triple)) for triple in self.quads)


@dataclass(slots=True, eq=False)
class UpdateStep:
    """Updates that are executed together; ``alone`` is one that can fail, or changes more than facts."""

    operations: list[Operation]
    alone: Ticket | None = None
    quads: PendingQuads = field(default_factory=PendingQuads)

    @property
    def tickets(self) -> list[Ticket]:
        return [operation.ticket for operation in self.operations] if self.alone is None else [self.alone]


class Operations:
    """The operations that are not executed yet, in the order of their updates.

    ``goes_alone`` tells, when all updates before it are executed, whether an update is a step of its own, and
    ``is_explicit`` whether a fact is explicit when all that was taken out is executed. ``cancelled`` counts the
    operations that were never executed.
    """

    def __init__(self, goes_alone: Callable[[Ticket], bool], is_explicit: Callable[[TextTriple], bool]) -> None:
        self._goes_alone = goes_alone
        self._is_explicit = is_explicit
        self._waiting: deque[Ticket] = deque()
        self._open: deque[Operation] = deque()
        # The operations that mention a triple, in order; all of them let it come, or all let it go.
        self._mentions: dict[TextTriple, list[Operation]] = {}
        self.cancelled = 0

    def take(self, tickets: Iterable[Ticket]) -> None:
        """Let updates follow those that are there (line 4)."""
        self._waiting.extend(tickets)

    def determine(self) -> None:
        """Determine and cancel operations, up to the first update that goes alone; none may be executed meanwhile."""
        while self._waiting and not self._goes_alone(self._waiting[0]):
            ticket = self._waiting.popleft()
            operation = Operation(ticket, PendingQuads())
            operation.quads.update(ticket.quads)
            self._open.append(operation)
            for triple in operation.quads:
                self._mention(triple, operation)

    def next_step(self) -> UpdateStep | None:
        """Take out what is to be executed next; None if nothing is left."""
        self.determine()
        if not self._open:
            return UpdateStep([], self._waiting.popleft()) if self._waiting else None
        alike = max(self._alike(come=True), self._alike(come=False), key=len)
        step = UpdateStep(alike or [self._open[0]])
        for operation in step.operations:
            self._open.popleft()
            step.quads.update(operation.quads)
            for triple in operation.quads:
                self._mentions[triple].remove(operation)
                if not self._mentions[triple]:
                    del self._mentions[triple]
        return step

    def put_back(self, step: UpdateStep, *, joins: bool = True) -> None:
        """Let a step that was given up be the next again, as far as what waits leaves anything of it."""
        for operation in reversed(step.operations):
            operation.joins = operation.joins and joins
            self._open.appendleft(operation)
            for triple in list(operation.quads):
                later = self._mentions.setdefault(triple, [])
                if later and later[0].quads.comes(triple) != operation.quads.comes(triple):
                    self._cancel(triple, operation, later[0])
                else:
                    later.insert(0, operation)

    def take_back(self, step: UpdateStep, changes: Iterable[tuple[TextTriple, bool]]) -> bool:
        """Tell whether what waits takes back all changes of a step: triples that become explicit, or cease to be so."""
        self.determine()
        return all(
            triple in self._mentions and step.quads.comes(triple, self._mentions[triple][0].quads) != comes
            for triple, comes in changes
        )

    def drain(self) -> list[Ticket]:
        """Take out all updates."""
        left = [*(operation.ticket for operation in self._open), *self._waiting]
        self._open.clear()
        self._waiting.clear()
        self._mentions.clear()
        return left

    def _alike(self, *, come: bool) -> list[Operation]:
        """Return the first operations as far as they only let facts come, or go, if it pays to join them."""
        found = list(takewhile(lambda each: each.only_lets(self._is_explicit, come=come), self._open))
        return found if come or len(found) >= _MANY_DELETIONS else []

    def _mention(self, triple: TextTriple, operation: Operation) -> None:
        known = self._mentions.setdefault(triple, [])
        if known and known[0].quads.comes(triple) != operation.quads.comes(triple):
            while known:
                self._cancel(triple, known.pop(), operation)
        known.append(operation)

    def _cancel(self, triple: TextTriple, earlier: Operation, later: Operation) -> None:
        """Let what an update says about a triple be said by a later one, before what that says itself."""
        self.cancelled += 1
        earlier.quads.pass_on(triple, later.quads)
