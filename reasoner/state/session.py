"""The current state of a reasoner, and the only place where another one takes its place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar
from weakref import WeakSet

from reasoner.columnar.memory import MemoryLimit, MemoryLimitError, within_memory
from reasoner.maintenance.race import CostModel
from reasoner.spark.platform.failures import failures_told
from reasoner.state.draft import Draft
from reasoner.state.early_imports import import_for_commits
from reasoner.state.request import require_strategy
from reasoner.state.state import Configuration, State

if TYPE_CHECKING:
    from ontologies.collector import Translation
    from reasoner.columnar.store import ColumnarStore
    from reasoner.explanation.explain import Proof
    from reasoner.explanation.proof import Violation
    from reasoner.reasoning.program import EncodedProgram
    from reasoner.rules.rule import Rule
    from reasoner.state.delta import Delta
    from reasoner.state.request import CommitRequest, RuleRequest
    from reasoner.state.state import Summary
    from reasoner.terms.quads import QuadRequest
    from reasoner.terms.term import TextTriple

T = TypeVar("T")


class Judge(Protocol):
    """Decides about violations that a new state brings."""

    def judged(self, delta: Delta, policy: str | None) -> Delta:
        """Return the delta of a commit as a policy has it, or raise what rejects the commit."""

    def refuse(self, draft: Draft) -> tuple[Exception, State] | None:
        """Return the error that rejects what was added without a commit, and the state to go back to."""

    def added(self, draft: Draft) -> None:
        """Note that facts or rules were added without a commit, before they become part of the state."""

    def stand(self, state: State) -> None:
        """Take a state as the one that what is added to it is compared with."""


class Keeper(Protocol):
    """Keeps states on disk."""

    @property
    def is_compared(self) -> bool:
        """Whether the facts of the state on disk are known to follow from the rules of the session."""

    def has_other_rules(self, draft: Draft) -> bool:
        """Tell whether the facts of the state on disk follow from other rules than those that the draft has."""

    def require_keepable(self, draft: Draft) -> None:
        """Raise an error if a draft has changes that cannot be kept."""

    def keep(self, draft: Draft) -> None:
        """Write a draft as a new version, which may move its facts into the files of that version."""


class Audience(Protocol):
    """Hears of states."""

    def publish(self, store: ColumnarStore) -> None:
        """Tell of the state of a store if it is a new one."""


class KnowledgeBase(Protocol):
    """A session and how it is asked and judged: all that the rooms below the class that users meet know of it."""

    @property
    def session(self) -> Session:
        """The session that holds the facts."""

    @property
    def store(self) -> ColumnarStore:
        """The store at the current state: to ask, not to change."""

    @property
    def answering(self) -> ColumnarStore:
        """The store as it is asked: with literals as they are written, or with all of one value."""

    @property
    def prefixes(self) -> dict[str, str]:
        """What documents call their namespaces."""

    @property
    def constraints(self) -> str:
        """What commits do about new violations."""

    def with_session(self, session: Session, *, constraints: str | None = None) -> Self:
        """Return the same for a fork of the session, in memory only; ``constraints`` is its policy, if another one."""


class Session:
    """Holds the current state, which only ``commit`` and its kin replace: whole, as their last step.

    An error or an interrupt before that step leaves the state that was there. What is worked out on the way, in drafts,
    nobody sees. ``lock`` keeps others from changing the state; whoever asks needs no lock.

    ``fork`` gives another session, which begins with the same state and goes its own way. All sessions of a family
    share one dictionary, which only grows; terms are forgotten again when no session needs them.
    """

    def __init__(
        self,
        settings: Configuration,
        store: ColumnarStore,
        state: State | None = None,
        *,
        costs: CostModel | None = None,
        lock: threading.RLock | None = None,
        family: WeakSet[Session] | None = None,
        memory: MemoryLimit | None = None,
    ) -> None:
        self.settings = settings
        # What the work of this session may take; a step that would take more raises an error before it begins.
        self.memory = memory or MemoryLimit.of(None)
        self.costs = costs or CostModel()
        self.lock = lock or threading.RLock()
        self.judge: Judge | None = None
        self.keeper: Keeper | None = None
        self.audience: Audience | None = None
        # What documents call their namespaces, for deltas that people read.
        self.prefixes: Mapping[str, str] = {}
        self._store = store
        self._state = state or State(store.state, len(store.dictionary))
        self._assigning = threading.Lock()
        # Terms from here on came with this session; the most terms that one of its states had; drafts under way.
        self._first = len(store.dictionary)
        self._most = self._state.terms
        self._open: set[object] = set()
        self._family: WeakSet[Session] = WeakSet() if family is None else family
        self._family.add(self)

    @property
    def state(self) -> State:
        """The current state."""
        return self._state

    @property
    def store(self) -> ColumnarStore:
        """The store at the current state: to ask, not to change."""
        store, snapshot = self._store, self._state.snapshot
        return store if store.state is snapshot else store.at(snapshot)

    def use(self, store: ColumnarStore, state: State | None = None) -> None:
        """Begin with another store, and with what it holds."""
        self._store = store
        self._state = state or State(store.state, len(store.dictionary))
        self._most = self._state.terms

    def fork(self, *, frozen: bool = False, apart: bool = True, settings: Configuration | None = None) -> Session:
        """Return a session that begins with this state; neither ever sees what the other does.

        A fork has an engine, a lock and measured costs of its own, and no place on disk. One that is not ``apart``
        shares engine, lock and costs: whoever makes it keeps this session from working meanwhile. A ``frozen`` one is
        for readers in other threads: it has the terms that there are now, and cannot be changed. ``settings`` are
        others than those of this session, under which the state holds as well.
        """
        settings, store, state = settings or self.settings, self.store, self._state
        if frozen:
            view = store.at(store.state, store.dictionary.frozen())
            return Session(settings, view, state, costs=self.costs, memory=self.memory)
        if not apart:
            return Session(
                settings,
                store.at(store.state),
                state,
                costs=self.costs,
                lock=self.lock,
                family=self._family,
                memory=self.memory,
            )
        forked = store.fork()
        if type(forked) is not type(store):
            # The engine is another one, for which nothing is compiled yet.
            state = replace(state, prepared=None, maintenance=None)
        return Session(settings, forked, state, family=self._family, memory=self.memory)

    @contextmanager
    def rehearsal(self) -> Iterator[Session]:
        """Give out a fork for a block, at whose end its terms are forgotten; texts have to be taken out before."""
        with self.lock:
            self.settle()
            fork = self.fork()
            try:
                yield fork
            finally:
                fork.close()

    def close(self, *, forget: bool = True) -> None:
        """End a fork: the terms that came with it are forgotten, unless another session needs them.

        Without ``forget`` they stay, as those of a commit do, also where it changed nothing.
        """
        self._family.discard(self)
        if forget:
            self._forget(self._first, ended=True)

    def translation(self) -> Translation:
        """Return the rules of the ontology under the profile, and what the profile leaves out."""
        return self._state.translation or self._worked_out(Draft.translation)

    def rules(self) -> tuple[Rule, ...]:
        """Return all rules."""
        return self._worked_out(Draft.rules)

    def value_joins(self) -> tuple[Rule, ...]:
        """Return the rules by which those of the ontology compare literals by value."""
        return self._worked_out(Draft.value_joins)

    def program(self) -> EncodedProgram:
        """Return all rules over ids."""
        return self._state.program or self._worked_out(Draft.program)

    def prepare(self) -> None:
        """Translate the ontology, stratify all rules and compile them."""
        if self._state.prepared is None:
            self._worked_out(Draft.prepared)

    def summary(self) -> Summary:
        """Return the numbers of the store."""
        return self._state.summary or self._worked_out(Draft.summary)

    def prepare_maintenance(self) -> None:
        """Compile the rules for maintenance."""
        self._worked_out(Draft.maintenance)

    def maintenance_rules(self, requested: tuple[QuadRequest, RuleRequest] | None) -> tuple[Rule, ...]:
        """Return the program that tells what a change, or any change of facts, does to the closure."""
        with self.lock:
            terms, draft = len(self.store.dictionary), self.draft()
            try:
                with self._limited():
                    return draft.maintenance_rules(requested)
            finally:
                self._forget(terms)

    def violations(self, most: int) -> tuple[Violation, ...]:
        """Return the matches of constraints, at most ``most`` of each, in what is materialised if it is not yet."""
        self.settle()
        return tuple(self.store.violations(self.program().constraints, most))

    def explainer(self) -> Callable[[TextTriple], Proof | None]:
        """Return what proves facts of the current state, also when others follow it."""
        return self._worked_out(Draft.explainer)

    def _worked_out(self, question: Callable[[Draft], T]) -> T:
        """Answer a question that a state remembers the answer to."""
        mark = object()
        self._open.add(mark)
        try:
            draft = self.draft()
            with self._limited():
                answer = question(draft)
            if draft.is_changed:
                with self._assigning:
                    # Somebody may have committed meanwhile; then the answer is about a state of the past.
                    if self._state is draft.began_with:
                        self._assign(draft)
            return answer
        finally:
            self._open.discard(mark)

    def draft(self) -> Draft:
        """Return a draft that begins with the current state."""
        state = self._state
        return Draft(self.settings, state, self._store.at(state.snapshot), self.costs, self.prefixes)

    def settle(self) -> None:
        """Materialise what is not materialised yet."""
        if not self._state.is_materialised:
            with self.lock:
                if not self._state.is_materialised:
                    self.materialise()

    def make_ready(self) -> None:
        """Materialise what is not materialised yet, or was with other rules than the ontology has now.

        Facts of a store on disk may follow from rules of an earlier release, by which no change can be maintained.
        """
        self.doubt()
        self.settle()

    def doubt(self) -> None:
        """Let everything be materialised anew if the facts on disk follow from other rules than there are now."""
        keeper = self.keeper
        if keeper is None or keeper.is_compared or not self._state.is_materialised:
            return
        if self._worked_out(keeper.has_other_rules):
            self.start_over()

    def start_over(self, *, anew: bool = False) -> None:
        """Let everything be materialised anew when it is next asked for; ``anew`` compiles the rules again, too."""
        with self.changing() as draft:
            draft.put(is_materialised=False)
            if anew:
                draft.begin_anew()

    def materialise(self, progress: Callable[[str], None] = lambda _: None) -> None:
        """Compute what the explicit facts and the rules entail."""
        import_for_commits(self.settings.profile)
        with self._drafting() as draft:
            draft.reason(progress)
            refusal = self.judge.refuse(draft) if self.judge is not None else None
            if refusal is not None:
                error, state = refusal
                self._go_back(state)
                raise error
            self._keep(draft)
            self._assign(draft)
        self._tell()

    @contextmanager
    def changing(self) -> Iterator[Draft]:
        """Give out a draft for a block that changes explicit facts or rules; what follows waits until it is asked for.

        If the draft has changed, it takes the place of the state at the end of the block, unless an error leaves it.
        """
        with self._drafting() as draft:
            yield draft
            if draft.is_changed:
                if self.keeper is not None:
                    self.keeper.require_keepable(draft)
                if self.judge is not None:
                    self.judge.added(draft)
                self._assign(draft)

    @failures_told
    def commit(self, request: CommitRequest) -> Delta:
        """Change facts and rules, and bring what follows up to date; return what that did."""
        require_strategy(request.strategy, request.depth)
        import_for_commits(self.settings.profile)
        with self.lock:
            self.make_ready()
            with self._drafting() as draft:
                delta = self._judged(draft.apply(request), request.constraints)
                self._keep(draft)
                self._assign(draft)
            self._tell()
            return delta

    def take_over(self, fork: Session, delta: Delta, policy: str | None = None) -> Delta:
        """Make the state of a fork the current one, as one commit that did what ``delta`` says."""
        with self.lock, self._drafting() as draft:
            delta = self._judged(delta, policy)
            draft.become(fork.draft())
            before, after = self._state, draft.state
            changes = after.snapshot is not before.snapshot or after.user_rules is not before.user_rules
            if changes:
                self._keep(draft)
            self._assign(draft)
        if changes:
            self._tell()
        return delta

    def take_back(self, last: Delta) -> None:
        """Go back to the state before the last commit, which has changed facts and no rules."""
        with self._drafting() as draft:
            draft.store.state = last.before
            draft.put(summary=None)
            self._assign(draft)

    def keep(self) -> None:
        """Write the current state as a new version, if it is not on disk yet."""
        with self._drafting() as draft:
            self._keep(draft)
            self._assign(draft)

    def _judged(self, delta: Delta, policy: str | None) -> Delta:
        return delta if self.judge is None else self.judge.judged(delta, policy)

    def _keep(self, draft: Draft) -> None:
        if self.keeper is not None:
            self.keeper.keep(draft)

    def _tell(self) -> None:
        """Let everybody know of the current state."""
        if self.judge is not None:
            self.judge.stand(self._state)
        if self.audience is not None:
            with self.lock:
                self.audience.publish(self.store)

    @contextmanager
    def _drafting(self) -> Iterator[Draft]:
        """Give out a draft under the lock; an error leaves everything as it was, and its terms are forgotten."""
        with self.lock:
            store = self._store
            terms, engine, instances = len(store.dictionary), store.engine, store.engine.instances
            # A set and no counter under a lock: an interrupt between taking the lock and giving it back would keep it.
            mark = object()
            self._open.add(mark)
            try:
                with self._limited():
                    yield self.draft()
            except BaseException:
                engine.instances = instances
                self._forget(terms)
                raise
            finally:
                self._open.discard(mark)

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Let the limit of this session hold for a block, and name terms in the error of a step that exceeds it."""
        with within_memory(self.memory):
            try:
                yield
            except MemoryLimitError as error:
                raise error.named(self._store.dictionary.text) from None

    def _forget(self, terms: int, *, ended: bool = False) -> None:
        """Forget the terms of a draft, or of a session, that has ended: those from a number on that nobody needs."""
        others = [session for session in self._family if session is not self]
        if any(session._open for session in others) or (len(self._open) > 1 and not ended):
            # Terms of a draft under way are not known yet.
            return
        needed = [session._most for session in others] + ([] if ended else [self._state.terms])
        self._store.dictionary.truncate(max([terms, *needed]))

    def _assign(self, draft: Draft) -> None:
        state = draft.finished()
        self._store = draft.store
        self._most = max(self._most, state.terms)
        self._state = state

    def _go_back(self, state: State) -> None:
        """Let an earlier state be the current one again, and forget the terms that came since."""
        self._store = self._store.at(state.snapshot)
        self._most = state.terms
        self._state = state
        self._forget(state.terms)
