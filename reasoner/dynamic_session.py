"""A session of fully dynamic updates: whoever asks sees the last commit, whole, while the next one is under way."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from reasoner.delta import Delta
from reasoner.dynamic_commit import DynamicCommit, Fragility
from reasoner.errors import ReasonerError
from reasoner.maintenance.ticket import Ticket
from reasoner.quads import EVERYWHERE, GraphName, WantedQuads, checked_graph
from reasoner.rule_request import RuleRequest, rules_of
from reasoner.triple_text import Triples, asserted_triples, checked_triples

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner
    from reasoner.rules.rule import Rule

DYNAMIC_STRATEGIES = ("auto", "bf", "fbf", "dred")


class DynamicSession:
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

    def __init__(
        self, reasoner: Reasoner, strategy: str = "auto", *, on_commit: Callable[[], object] = lambda: None
    ) -> None:
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

    def submit(
        self,
        add: Triples = (),
        remove: Triples = (),
        *,
        graph: GraphName = EVERYWHERE,
        add_rules: str | Iterable[Rule] = (),
        remove_rules: str | Iterable[Rule] = (),
    ) -> Ticket:
        """Submit an update: facts that become explicit, and facts that are so no more; what is in both is added.

        Facts join and leave ``graph``, which is None for the default graph; if it is not given they join the default
        graph, and leave all. Rules of one's own come and go with them. What is wrong with a triple, or with the text
        of a rule, is an error here and now.
        """
        quads, name = WantedQuads(), graph if graph == EVERYWHERE else checked_graph(graph)
        quads.remove(checked_triples(remove), name)
        quads.add(asserted_triples(add), None if name == EVERYWHERE else name)
        return self.submit_quads(quads, RuleRequest(rules_of(add_rules), rules_of(remove_rules)))

    def submit_quads(
        self, quads: WantedQuads, rules: RuleRequest | None = None, begin: Callable[[], None] = lambda: None
    ) -> Ticket:
        """Submit what is wanted of any graphs, and of rules; ``begin`` may refuse it when its turn comes."""
        return self._submitted(Ticket(quads, rules, begin=begin))

    def submit_change(self, change: Callable[[Reasoner], Delta], begin: Callable[[], None] = lambda: None) -> Ticket:
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

    def __enter__(self) -> DynamicSession:
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
            with self._reasoner._committing:
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
