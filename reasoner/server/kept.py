"""What the API remembers of one server from one request to the next."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.term_search import TermSearch
from reasoner.server.committed import Committed, Version
from reasoner.server.refusal import NOT_IMPLEMENTED, UNAVAILABLE, RefusalError
from reasoner.sparql.budget import Budget

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner
    from reasoner.server.commit_log import CommitLog

T = TypeVar("T")


@dataclass(eq=False)
class Kept:
    """The index of names, what was found out about the last version, and the log of commits."""

    search: TermSearch = field(default_factory=TermSearch)
    rehearsing: threading.Lock = field(default_factory=threading.Lock)
    log: CommitLog | None = None
    _found: dict[str, tuple[int, object]] = field(default_factory=dict)

    def of_version(self, version: Version, name: str, find: Callable[[], T]) -> T:
        """Return what is known about a version by a name, and find it out if it is the first time.

        Two threads may find it out at once; both find the same.
        """
        number, value = self._found.get(name, (-1, None))
        if number != version.number:
            value = find()
            self._found[name] = version.number, value
        return value  # type: ignore[return-value]

    def explained(self, committed: Committed, budget: Budget) -> Reasoner:
        """Return the last version with its rules, which proofs are made of.

        A store that was read from disk has not read its rules yet; their constants may be new terms.
        """
        version = committed.last
        reading(version.kb)
        return self.of_version(version, "explained", lambda: _with_rules(committed, version, budget))

    def close(self) -> None:
        """End the thread that writes the log."""
        if self.log is not None:
            self.log.close()


def reading(kb: Reasoner) -> Reasoner:
    """Return a reasoner whose facts are in memory, or refuse: the API reads them column by column."""
    if kb.store.is_distributed:
        raise RefusalError(
            NOT_IMPLEMENTED, "the workbench reads stores in memory; serve this one with --engine columnar"
        )
    return kb


def lock_commits(kb: Reasoner, budget: Budget) -> None:
    """Keep others from committing, or refuse if a commit takes all the time there is; the caller releases the lock."""
    if not kb._committing.acquire(timeout=min(budget.left, threading.TIMEOUT_MAX)):
        raise RefusalError(UNAVAILABLE, "a commit is under way that takes long; try again", {"Retry-After": "1"})


def _with_rules(committed: Committed, version: Version, budget: Budget) -> Reasoner:
    kb = version.kb
    if kb._program is None:
        live = committed.kb
        lock_commits(live, budget)
        try:
            live._encoded()
            kb = copy.copy(live)
            kb.store = copy.copy(live.store)
            kb.store.dictionary = live.store.dictionary.frozen()
        finally:
            live._committing.release()
    found = copy.copy(kb)
    found.store = copy.copy(kb.store)
    # An engine remembers things while it works, and the one of the store works on commits.
    found.store.engine = ColumnarEngine(kb.store.dictionary, equality=kb.store.engine.equality)
    return found
