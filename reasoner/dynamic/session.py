"""A session of fully dynamic updates: whoever asks sees the last commit, whole, while the next one is under way.

One commit of a dynamic session: updates executed step by step, ahead of the reasoner that others read.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

from reasoner.dynamic.operations import DynamicWork, Operations, Ticket, UpdateStep
from reasoner.maintenance.update import Work
from reasoner.rules.errors import ReasonerError
from reasoner.state.delta import Delta
from reasoner.state.request import CommitRequest, RuleRequest, rules_of
from reasoner.state.rule_change import is_schema
from reasoner.state.work_ahead import WorkAhead
from reasoner.terms.quads import EVERYWHERE, GraphName, PendingQuads, checked_graph
from reasoner.terms.term import SAME, SAME_AS
from reasoner.terms.triple_text import Triples, asserted_triples, checked_triples

if TYPE_CHECKING:
    from reasoner.reasoning.program import EncodedProgram
    from reasoner.rules.rule import Rule
    from reasoner.state.session import KnowledgeBase
    from reasoner.terms.term import TextTriple

DYNAMIC_STRATEGIES = ("auto", "bf", "fbf", "dred")


K = TypeVar("K", bound="KnowledgeBase")


class DynamicSession(Generic[K]):
    """Takes updates at any time, also while earlier ones are worked on; the result is that of one after the other.

    Every update has the outcome that it has as a transaction after the updates before it: it is accepted, or fails with
    the same error, and those after it go on. A commit carries what was submitted by its end.

    As a context manager it works in the background, and waits for all updates at the end of the block. Otherwise
    ``run`` works in the caller's thread. Transactions wait while it works on a commit, and the other way round.
    ``on_commit`` is called after every commit, before those who wait for its updates hear of it.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="none")
    >>> kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
    >>> fact = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
    >>> with DynamicSession(kb) as session:
    ...     first = session.submit(add=fact)
    ...     second = session.submit(remove=fact)
    >>> second.done, list(kb.triples())
    (True, [])
    """

    def __init__(self, reasoner: K, strategy: str = "auto", *, on_commit: Callable[[], object] = lambda: None) -> None:
        if strategy not in DYNAMIC_STRATEGIES:
            known = ", ".join(DYNAMIC_STRATEGIES)
            raise ReasonerError(f"{strategy!r} is no strategy for dynamic updates: choose one of {known}")
        self._reasoner = reasoner
        self._strategy = strategy
        self._on_commit = on_commit
        self._fragility = Fragility()
        self._queue: deque[Ticket] = deque()
        self._arrival = threading.Condition()
        self._running = threading.Lock()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._failures: list[Ticket] = []

    def __repr__(self) -> str:
        state = "closed" if self._closed else "in the background" if self._thread else "to be run"
        return f"<DynamicSession strategy={self._strategy}: {state}, {len(self._queue):,} updates waiting>"

    def submit(
        self,
        add: Triples = (),
        remove: Triples = (),
        *,
        graph: GraphName = EVERYWHERE,
        add_rules: str | Iterable[Rule] = (),
        remove_rules: str | Iterable[Rule] = (),
    ) -> Ticket:
        """Submit an update that adds and removes explicit facts and user rules; a fact in both is added.

        Facts are added to ``graph`` and removed from it (None is the default graph). If it is not given, they are added
        to the default graph and removed from all graphs. An invalid triple, or an error in the text of a rule, is
        raised at once.
        """
        quads, name = PendingQuads(), graph if graph == EVERYWHERE else checked_graph(graph)
        quads.remove(checked_triples(remove), name)
        quads.add(asserted_triples(add), None if name == EVERYWHERE else name)
        return self.submit_quads(quads, RuleRequest(rules_of(add_rules), rules_of(remove_rules)))

    def submit_quads(
        self, quads: PendingQuads, rules: RuleRequest | None = None, begin: Callable[[], None] = lambda: None
    ) -> Ticket:
        """Submit what is wanted of any graphs, and of rules; ``begin`` may refuse it when its turn comes."""
        return self._submitted(Ticket(quads, rules, begin=begin))

    def submit_change(self, change: Callable[[K], Delta], begin: Callable[[], None] = lambda: None) -> Ticket:
        """Submit an update that reads before it writes, such as an update in SPARQL.

        When its turn comes it is given a reasoner with the state that the updates before it left, makes one commit to
        that, and returns its delta.
        """
        return self._submitted(Ticket(change=change, begin=begin))

    def run(self, between_rounds: Callable[[], None] = lambda: None) -> list[Delta]:
        """Work until nothing is left to do, and return what each commit did; then raise the first error, if any.

        ``between_rounds`` is called between rounds; what it submits is taken up there and then.
        """
        if self._thread is not None and threading.current_thread() is not self._thread:
            raise ReasonerError("the session works in the background; wait for its tickets instead")
        if not self._running.acquire(blocking=False):
            raise ReasonerError("the session is running already; submit, and it will be taken up")
        deltas: list[Delta] = []
        failed: list[Ticket] = []
        try:
            while self._queue:
                deltas += self._commit(between_rounds, failed)
        finally:
            self._running.release()
        for ticket in failed:
            ticket.wait()
        return deltas

    def close(self) -> None:
        """Take no more updates, and wait for those that were submitted if the session works in the background."""
        with self._arrival:
            self._closed = True
            self._arrival.notify()
        if self._thread is not None:
            self._thread.join()

    def start(self) -> None:
        """Work in the background from now on."""
        self._thread = threading.Thread(target=self._work_in_background, name="dynamic updates", daemon=True)
        self._thread.start()

    def __enter__(self) -> DynamicSession[K]:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if kind is None:
            for ticket in self._failures:
                if not ticket.error_was_raised:
                    ticket.wait()

    def _submitted(self, ticket: Ticket) -> Ticket:
        with self._arrival:
            if self._closed:
                raise ReasonerError("the session has ended; open another one with dynamic()")
            self._queue.append(ticket)
            self._arrival.notify()
        return ticket

    def _work_in_background(self) -> None:
        while True:
            with self._arrival:
                self._arrival.wait_for(lambda: self._queue or self._closed)
                if not self._queue:
                    return
            self._failures = [ticket for ticket in self._failures if not ticket.error_was_raised]
            self._commit(lambda: None, self._failures)

    def _commit(self, between_rounds: Callable[[], None], failures: list[Ticket]) -> list[Delta]:
        """Bring all that is submitted by the end of the run into one new state, and settle its tickets."""
        commit = DynamicCommit(self._reasoner, self._strategy, self._fragility, self._taken, between_rounds)
        delta = None
        try:
            with self._reasoner.session.lock:
                delta = commit.run()
                self._on_commit()
        finally:
            for ticket, error in commit.failed:
                ticket.settle(None, commit.work, error)
                failures.append(ticket)
            for ticket in commit.executed:
                ticket.settle(delta, commit.work)
        return [] if delta is None else [delta]

    def _taken(self) -> list[Ticket]:
        with self._arrival:
            taken = list(self._queue)
            self._queue.clear()
        return taken


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
        kb: KnowledgeBase,
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
        # The reasoner on the fork that works ahead.
        self._fork = kb
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
            self._kb.session.make_ready()
            self._work_ahead = WorkAhead(self._kb.session)
            self._fork = self._kb.with_session(self._work_ahead.fork)
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

    def _execute(self, step: UpdateStep) -> None:
        """Determine what follows from the operations of a step, and execute all of it (lines 5-6)."""
        running = self._running = _Running(step, self._fork, Work(between_rounds=self._poll))
        try:
            self._poll()
            if step.alone is None:
                for ticket in step.tickets:
                    # Terms get their numbers in the order of the updates, whatever is left of these.
                    self._fork.store.encode_quads(ticket.quads.request())
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

    def _applied(self, step: UpdateStep, work: Work) -> Delta:
        ticket = step.alone
        if ticket is not None and ticket.change is not None:
            return self._ahead.took(ticket.change(self._fork))
        request = self._request(step.quads, work) if ticket is None else self._request(ticket.quads, work, ticket)
        return self._ahead.took(self._fork.session.commit(request))

    def _request(self, quads: PendingQuads, work: Work, alone: Ticket | None = None) -> CommitRequest:
        rules = alone.rules if alone is not None else Ticket().rules
        strategy, may_start_over = self._strategy, False
        if strategy == "auto" and len(quads) < _LARGE and not (alone is not None and self._changes_rules(alone)):
            strategy, may_start_over = self._kb.session.settings.maintenance or "bf", True
        return CommitRequest(quads.request(), rules, strategy, may_start_over=may_start_over, work=work)

    def _asked(self) -> PendingQuads:
        asked = PendingQuads()
        for ticket in self.executed:
            asked.update(ticket.quads)
        return asked

    def _goes_alone(self, ticket: Ticket) -> bool:
        """Tell whether an update changes rules, or can fail: what becomes of it depends on the state before it."""
        kb = self._fork
        if ticket.change is not None or self._changes_rules(ticket):
            return True
        program = kb.session.program()
        if kb.constraints == "reject" and program.constraints:
            return True
        negates, equates = self._fragility.of(program)
        return negates and (
            equates
            or any(predicate == SAME_AS for _, predicate, _ in ticket.quads)
            or kb.store.engine.class_size(kb.store.state.representatives, SAME) > 1
        )

    def _is_explicit(self, triple: TextTriple) -> bool:
        store = self._fork.store
        return store.are_explicit([triple], store.state)[0]

    def _changes_rules(self, ticket: Ticket) -> bool:
        return bool(ticket.rules) or (self._kb.session.settings.profile != "none" and any(map(is_schema, ticket.quads)))


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

    def __init__(self, step: UpdateStep, kb: KnowledgeBase, work: Work) -> None:
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
