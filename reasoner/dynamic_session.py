"""A session of fully dynamic updates: whoever asks sees the last commit, whole, while the next one is under way."""

from __future__ import annotations

import copy
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.store import Snapshot
from reasoner.delta import Delta
from reasoner.errors import ReasonerError
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.dynamic import Maintain, maintain_dynamically
from reasoner.maintenance.dynamic_strategies import DYNAMIC_STRATEGIES, strategy_for_strata
from reasoner.maintenance.program import Change, MaintenanceProgram, prepare_maintenance
from reasoner.maintenance.ticket import Submitted, Ticket
from reasoner.maintenance.work import Work
from reasoner.quads import QuadRequest
from reasoner.triple_text import checked_triples
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.graphs import GraphMemberships
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.reasoner import Reasoner

    Program = MaintenanceProgram[FactSet, Plans, Representatives]


class DynamicSession:
    """Takes updates at any time, also while earlier ones are worked on; the result is that of one after the other.

    As a context manager it works in the background, and waits for all updates at the end of the block. Otherwise
    ``run`` works in the caller's thread. Transactions wait while it works on a commit, and the other way round.

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

    def __init__(self, reasoner: Reasoner, strategy: str = "auto") -> None:
        if strategy not in DYNAMIC_STRATEGIES:
            known = ", ".join(DYNAMIC_STRATEGIES)
            raise ReasonerError(f"{strategy!r} is no strategy for dynamic updates: choose one of {known}")
        self._reasoner = reasoner
        self._strategy = strategy
        self._queue: deque[Ticket] = deque()
        self._arrival = threading.Condition()
        self._running = threading.Lock()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._failures: list[list[Ticket]] = []
        self._compiled_for: tuple[object, object] = (None, None)
        self._compiled: tuple[Program, Maintain[FactSet, Plans, Representatives]] | None = None

    def submit(
        self, add: TextTriple | Iterable[TextTriple] = (), remove: TextTriple | Iterable[TextTriple] = ()
    ) -> Ticket:
        """Submit an update: facts that become explicit, and facts that are so no more; what is in both is added.

        What is wrong with a triple is an error here and now.
        """
        ticket = Ticket(checked_triples(add), checked_triples(remove))
        with self._arrival:
            if self._closed:
                raise ReasonerError("the session has ended; open another one with dynamic()")
            self._queue.append(ticket)
            self._arrival.notify()
        return ticket

    def run(self, between_rounds: Callable[[], None] = lambda: None) -> list[Delta]:
        """Work until nothing is left to do, and return what each commit did; an update that fails raises its error.

        ``between_rounds`` is called between rounds; what it submits is taken up there and then.
        """
        if self._thread is not None and threading.current_thread() is not self._thread:
            raise ReasonerError("the session works in the background; wait for its tickets instead")
        if not self._running.acquire(blocking=False):
            raise ReasonerError("the session is running already; submit, and it will be taken up")
        deltas: list[Delta] = []
        try:
            while self._queue:
                tickets = self._commit(between_rounds)
                deltas.append(tickets[0].delta)
        finally:
            self._running.release()
        return deltas

    def __enter__(self) -> DynamicSession:
        self._thread = threading.Thread(target=self._work_in_background, name="dynamic updates", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._arrival:
            self._closed = True
            self._arrival.notify()
        assert self._thread is not None
        self._thread.join()
        if kind is None:
            for tickets in self._failures:
                if not any(ticket.error_was_raised for ticket in tickets):
                    tickets[0].wait()

    def _work_in_background(self) -> None:
        while True:
            with self._arrival:
                self._arrival.wait_for(lambda: self._queue or self._closed)
                if not self._queue:
                    return
            tickets = self._commit(lambda: None)
            if tickets[0].has_failed:
                self._failures.append(tickets)

    def _commit(self, between_rounds: Callable[[], None]) -> list[Ticket]:
        """Bring all that is submitted by the end of the run into one new state; return its tickets, now settled."""
        with self._reasoner._committing:
            commit: Submitted[FactSet] = Submitted()
            try:
                self._take(commit)
                delta = self._committed(commit, between_rounds)
            except BaseException as error:
                for ticket in commit.tickets:
                    ticket.settle(None, commit.work, error)
                if not isinstance(error, Exception):
                    raise
                return commit.tickets
            self._reasoner._announce()
        for ticket in commit.tickets:
            ticket.settle(delta, commit.work)
        return commit.tickets

    def _committed(self, commit: Submitted[FactSet], between_rounds: Callable[[], None]) -> Delta:
        reasoner, began, work = self._reasoner, time.perf_counter(), Work()
        reasoner._ready_to_change()
        before, constraints = reasoner.store.state, reasoner._encoded().constraints
        commit.begin(reasoner.store.engine, before.explicit, self._encoded)
        used, reason = (
            ("bf", "updates may arrive while it runs") if self._strategy == "auto" else (self._strategy, "asked for")
        )
        try:
            after = self._maintained(commit, before, work, used, between_rounds)
            self._require_unchanged(before)
            if after is before:
                used, reason = "none", "no explicit fact changes"
            else:
                reasoner._refuse_violations(before, constraints, after)
                reasoner._keep(after)
                reasoner.store.state = after
        except NotMaintainableError as obstacle:
            if self._strategy != "auto":
                raise ReasonerError(f"{used} cannot be used here: {obstacle}; use auto, or a transaction") from None
            used, reason = "rematerialise", str(obstacle)
            after = self._rematerialised(commit, before)
        reasoner._summary = None
        added, removed = commit.asked()
        return Delta(
            *(reasoner.store, before, after, used, reason, work, time.perf_counter() - began),
            asked_to_add=added,
            asked_to_remove=removed,
            constraints_before=constraints,
            constraints_after=reasoner._encoded().constraints,
            explainer=reasoner._explainer(),
        )

    def _maintained(
        self, commit: Submitted[FactSet], before: Snapshot, work: Work, used: str, between_rounds: Callable[[], None]
    ) -> Snapshot:
        program, strategy = self._maintenance_program(used)

        def poll() -> Change[FactSet]:
            between_rounds()
            return self._wanted(commit, before, program)

        result = maintain_dynamically(
            program,
            strategy,
            poll,
            before.facts,
            before.representatives,
            work,
            commit.work,
            overdelete=used == "dred",
        )
        change, graphs = commit.net.change, self._graphs(commit, before)
        if not len(change.removed) and not len(change.added):
            return before if graphs is before.graphs else replace(before, graphs=graphs)
        values = before.values if commit.values is None else commit.values
        return Snapshot(change.after, result.facts, result.representatives, values, graphs=graphs)

    def _graphs(self, commit: Submitted[FactSet], before: Snapshot) -> GraphMemberships:
        """Return which graphs assert what in the end: what comes joins the default graph, what goes leaves all."""
        if not before.graphs:
            return before.graphs
        added, removed = commit.asked()
        return self._reasoner.store.changed_quads(QuadRequest(removed, added={None: added}))[1]

    def _wanted(self, commit: Submitted[FactSet], before: Snapshot, program: Program) -> Change[FactSet]:
        """Take up what has been submitted; return what the commit comes down to, equalities of literals included."""
        arrived = False if commit.is_full else self._take(commit)
        if self._changes_ontology(commit):
            raise NotMaintainableError("the ontology changes")
        if arrived or commit.whole is None:
            commit.whole = self._with_values(commit, before, program)
        return commit.whole

    def _take(self, commit: Submitted[FactSet]) -> bool:
        """Let a commit carry what has been submitted; tell whether there was anything."""
        with self._arrival:
            taken = list(self._queue)
            self._queue.clear()
        for ticket in taken:
            commit.take(ticket)
        return bool(taken)

    def _encoded(self, triples: list[TextTriple]) -> FactSet:
        return FactSet.of_columns(*self._reasoner.store.encode(triples))

    def _with_values(self, commit: Submitted[FactSet], before: Snapshot, program: Program) -> Change[FactSet]:
        change, known, engine = commit.net.change, before.values, program.engine
        if not program.options.equality or not self._reasoner.translation().value_equality:
            return change
        changed = engine.union(change.removed, change.added)
        gone, come = self._reasoner.store.values.changes(change.before, change.after, changed)
        commit.values = values = known.difference(gone).union(come.difference(known))
        return Change(
            engine.union(change.before, known),
            engine.union(change.after, values),
            engine.union(change.removed, gone.difference(change.after)),
            engine.union(change.added, come.difference(change.before)),
        )

    def _rematerialised(self, commit: Submitted[FactSet], before: Snapshot) -> Snapshot:
        """Start over with what is wanted by now, beside the store that others read, and put it in its place."""
        shadow = copy.copy(self._reasoner)
        shadow.store = copy.copy(self._reasoner.store)
        graphs = self._graphs(commit, before)
        shadow.store.state = replace(before, explicit=commit.net.change.after, graphs=graphs)
        shadow._rematerialise(anew=self._changes_ontology(commit))
        self._require_unchanged(before)
        shadow._refuse_violations(before, self._reasoner._encoded().constraints, shadow.store.state)
        self._reasoner._keep(shadow.store.state, shadow._kept())
        vars(self._reasoner).update(vars(shadow))
        return shadow.store.state

    def _changes_ontology(self, commit: Submitted[FactSet]) -> bool:
        return self._reasoner.profile != "none" and commit.changes_ontology

    def _require_unchanged(self, before: Snapshot) -> None:
        if self._reasoner.store.state is not before:
            raise ReasonerError("the facts were changed beside the session; submit all changes through the session")

    def _maintenance_program(self, used: str) -> tuple[Program, Maintain[FactSet, Plans, Representatives]]:
        """Compile the program for an engine of the session's own: readers count and remember in theirs.

        A store that was brought back to an earlier state has a new engine, since the old one knows terms that are gone.
        """
        self._reasoner.prepare()
        prepared, theirs = self._reasoner._prepared, self._reasoner.store.engine
        assert prepared is not None
        compiled_for = self._compiled_for
        if self._compiled is None or compiled_for[0] is not prepared or compiled_for[1] is not theirs:
            engine = ColumnarEngine(self._reasoner.store.dictionary, equality=prepared.options.equality)
            program = prepare_maintenance(engine, prepared.program, prepared.options)
            self._compiled_for = prepared, theirs
            self._compiled = program, strategy_for_strata(used, program)
        return self._compiled
