"""One commit of a dynamic session: updates executed step by step, ahead of the reasoner that others read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from reasoner.commit_request import CommitRequest
from reasoner.delta import Delta
from reasoner.errors import ReasonerError
from reasoner.maintenance.dynamic import Operations, Step
from reasoner.maintenance.ticket import DynamicWork, Ticket
from reasoner.maintenance.work import Work
from reasoner.quads import WantedQuads
from reasoner.rules.term import SAME_AS
from reasoner.schema import is_schema
from reasoner.vocabulary import SAME
from reasoner.work_ahead import WorkAhead

if TYPE_CHECKING:
    from reasoner.program import EncodedProgram
    from reasoner.reasoner import Reasoner
    from reasoner.violation import TextTriple

# Updates that arrive after so many others wait for the next commit: a stream of updates without an end must not keep
# readers from ever seeing one.
_MOST_ARRIVALS = 64

# A step of so many triples begins with a sample, which tells whether starting over costs less.
_LARGE = 4096


class DynamicCommit:
    """Executes what was submitted, and what arrives until all of it is done, and publishes the result as one commit.

    ``arrivals`` returns the updates that have been submitted since it was last called; ``between_rounds`` is called
    before it. The caller holds the reasoner's lock. ``executed`` and ``failed`` are the updates by how they ended.
    """

    def __init__(
        self,
        kb: Reasoner,
        strategy: str,
        fragility: Fragility,
        arrivals: Callable[[], list[Ticket]],
        between_rounds: Callable[[], None] = lambda: None,
    ) -> None:
        self._kb = kb
        self._strategy = strategy
        self._arrivals = arrivals
        self._between_rounds = between_rounds
        self._operations = Operations(self._goes_alone, self._is_explicit)
        self._work_ahead: WorkAhead | None = None
        self._running: _Running | None = None
        self._done: list[_Running] = []
        self._broken: BaseException | None = None
        self._fragility = fragility
        self.work = DynamicWork()
        self.executed: list[Ticket] = []
        self.failed: list[tuple[Ticket, BaseException]] = []

    def run(self) -> Delta | None:
        """Do everything, and return what it did; None if every update has failed.

        An error that is none of a single update's fails all of them.
        """
        try:
            self._take()
            self._kb._ready_to_change()
            self._work_ahead = WorkAhead(self._kb)
            while (step := self._operations.next_step()) is not None:  # 2
                self._execute(step)
                self._undo_what_is_taken_back()
            self.work.cancelled = self._operations.cancelled
            if not self.executed:
                self._ahead.roll_back()
                return None
            if self._ahead.is_overtaken:
                raise ReasonerError("the facts were changed beside the session; submit all changes through the session")
            # Every step was judged when it was made.
            return self._ahead.publish(self._asked(), "warn" if self._kb.constraints == "reject" else None)
        except BaseException as error:
            lost = [*self.executed, *(self._running.step.tickets if self._running else ()), *self._operations.drain()]
            self.failed += [(ticket, error) for ticket in dict.fromkeys(lost)]
            self.executed = []
            if self._work_ahead is not None:
                self._work_ahead.roll_back()
            if not isinstance(error, Exception):
                raise
            return None

    def _take(self) -> bool:
        """Take up what has been submitted (lines 3-4); tell whether there was anything."""
        if self.work.arrivals >= _MOST_ARRIVALS:
            return False
        taken = []
        for ticket in self._arrivals():
            self.work.submissions += 1
            try:
                ticket.begin()
            except Exception as error:
                self.failed.append((ticket, error))
            else:
                taken.append(ticket)
        self._operations.take(taken)
        return bool(taken)

    def _poll(self) -> None:
        """Look for further updates; give up the step that is executed if they take back all that it does."""
        try:
            self._between_rounds()
        except BaseException as error:
            self._broken = error
            raise
        if not self._take():
            return
        self.work.arrivals += 1
        running = self._running
        if running is not None and self._is_taken_back(running):
            raise _StoppedError

    def _execute(self, step: Step) -> None:
        """Determine what follows from the operations of a step, and execute all of it (lines 5-6)."""
        running = self._running = _Running(step, self._ahead.kb, Work(between_rounds=self._poll))
        try:
            self._poll()
            if step.alone is None:
                for ticket in step.tickets:
                    # Terms get their numbers in the order of the updates, whatever is left of these.
                    self._ahead.kb.store.encode_quads(ticket.quads.request())
            running.delta = self._applied(step, running.work)
            self._poll()
        except _StoppedError:
            self.work.stopped += 1
            self._ahead.give_up(running.delta, running.work.total)
            self._operations.put_back(step)
        except Exception as error:
            if error is self._broken:
                raise
            if len(step.tickets) > 1:
                self._operations.put_back(step, joins=False)
            else:
                self.failed.append((step.tickets[0], error))
        else:
            self._done.append(running)
            self.executed += step.tickets
        self._running = None

    def _undo_what_is_taken_back(self) -> None:
        """Go back to the state before the last step, as long as what waits takes back all that the step has done."""
        while self._done and self._is_taken_back(self._done[-1]):
            last = self._done.pop()
            self.work.stopped += 1
            self._ahead.give_up(last.delta, 0)
            del self.executed[-len(last.step.tickets) :]
            self._operations.put_back(last.step)

    def _is_taken_back(self, step: _Running) -> bool:
        if step.step.alone is not None or not step.changes:
            return False
        return self._operations.take_back(step.step, step.changes)

    @property
    def _ahead(self) -> WorkAhead:
        assert self._work_ahead is not None
        return self._work_ahead

    def _applied(self, step: Step, work: Work) -> Delta:
        ticket = step.alone
        if ticket is None:
            return self._ahead.commit(self._request(step.quads, work))
        if ticket.change is not None:
            return self._ahead.take(ticket.change)
        return self._ahead.commit(self._request(ticket.quads, work, ticket))

    def _request(self, quads: WantedQuads, work: Work, alone: Ticket | None = None) -> CommitRequest:
        rules = alone.rules if alone is not None else Ticket().rules
        strategy, may_start_over = self._strategy, False
        if strategy == "auto" and len(quads) < _LARGE and not (alone is not None and self._changes_rules(alone)):
            strategy, may_start_over = self._kb.maintenance or "bf", True
        return CommitRequest(quads.request(), rules, strategy, may_start_over=may_start_over, work=work)

    def _asked(self) -> WantedQuads:
        asked = WantedQuads()
        for ticket in self.executed:
            asked.update(ticket.quads)
        return asked

    def _goes_alone(self, ticket: Ticket) -> bool:
        """Tell whether an update changes rules, or can fail: what becomes of it depends on the state before it."""
        kb = self._ahead.kb
        if ticket.change is not None or self._changes_rules(ticket):
            return True
        program = kb._encoded()
        if kb.constraints == "reject" and program.constraints:
            return True
        negates, equates = self._fragility.of(program)
        return negates and (
            equates
            or any(predicate == SAME_AS for _, predicate, _ in ticket.quads)
            or kb.store.engine.class_size(kb.store.state.representatives, SAME) > 1
        )

    def _is_explicit(self, triple: TextTriple) -> bool:
        store = self._ahead.kb.store
        return store.are_explicit([triple], store.state)[0]

    def _changes_rules(self, ticket: Ticket) -> bool:
        return bool(ticket.rules) or (self._kb.profile != "none" and any(map(is_schema, ticket.quads)))


class Fragility:
    """Tells whether a program can cease to be stratified by equality, and whether rules derive equalities.

    It remembers that of the last program.
    """

    def __init__(self) -> None:
        self._known: tuple[EncodedProgram, bool, bool] | None = None

    def of(self, program: EncodedProgram) -> tuple[bool, bool]:
        if self._known is None or self._known[0] is not program:
            negates = program.equality and any(
                rule.negative or any(name == "!=" for name, _ in rule.conditions)
                for stratum in program.strata
                for rule in stratum.rules
            )
            equates = any(stratum.level == 0 and stratum.rules for stratum in program.strata)
            self._known = program, negates, equates
        return self._known[1:]


class _StoppedError(Exception):
    """All that the step does has been taken back."""


class _Running:
    """A step that is executed, or is done and not published yet, with the state that it began with."""

    def __init__(self, step: Step, kb: Reasoner, work: Work) -> None:
        self.step = step
        self.work = work
        self.delta: Delta | None = None
        self._store = kb.store
        self._before = kb.store.state

    @cached_property
    def changes(self) -> list[tuple[TextTriple, bool]]:
        """The triples that become explicit by it, and those that cease to be so."""
        quads = self.step.quads
        triples = list(quads)
        known = self._store.are_explicit(triples, self._before)
        return [
            (triple, comes)
            for triple, explicit in zip(triples, known, strict=True)
            if (comes := quads.comes(triple)) != explicit
        ]
