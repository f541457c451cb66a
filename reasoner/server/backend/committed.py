"""The last committed state of a reasoner, for readers that never wait for the next one.

The log of commits: what each changed, and which violations came and went with it.

What the API remembers of one server from one request to the next.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from reasoner.columnar.term_search import TermSearch
from reasoner.server.backend.refusal import NOT_IMPLEMENTED, UNAVAILABLE, RefusalError
from reasoner.sparql.budget import Budget
from reasoner.state.delta import Delta
from reasoner.subscriptions.announcements import announcements_of

if TYPE_CHECKING:
    from reasoner.columnar.store import Snapshot
    from reasoner.reasoner import Reasoner
    from reasoner.rules.encode import EncodedRule
    from reasoner.subscriptions.announcements import Announcement


@dataclass(frozen=True, slots=True)
class CommittedVersion:
    """One committed state: a reasoner that can be asked by many threads and never changes, and its number.

    It works on a frozen fork of the session, which costs nothing: the state, and the dictionary as it was.
    """

    number: int
    kb: Reasoner
    since: float = field(default_factory=time.time)


class Committed:
    """Holds the last version; ``publish`` is for the one writer, ``last`` for everybody."""

    def __init__(self, kb: Reasoner) -> None:
        self._kb = kb
        kb.session.settle()
        self._last = CommittedVersion(0, frozen(kb))

    @property
    def kb(self) -> Reasoner:
        """The reasoner that commits are made to."""
        return self._kb

    @property
    def last(self) -> CommittedVersion:
        return self._last

    @property
    def present(self) -> CommittedVersion:
        """The present state, which readers may not see yet; for whoever keeps others from committing."""
        if self._kb.store.state is self._last.kb.store.state:
            return self._last
        return CommittedVersion(self._last.number + 1, frozen(self._kb))

    def publish(self) -> CommittedVersion:
        """Let readers see what was committed, and return it as a version."""
        self._last = self.present
        return self._last


def frozen(kb: Reasoner) -> Reasoner:
    """Return a reasoner that holds what another one holds now, and never changes."""
    return kb.with_session(kb.session.fork(frozen=True))


# Commits that are remembered, facts that are listed of each part of one, and streams at a time.
_REMEMBERED = 100
_LISTED = 50
_MOST_STREAMS = 50

# Entries that wait for a client; one that is further behind is cut off, and begins anew where it was.
_MOST_WAITING = 200

_PARTS = ("asserted_added", "asserted_removed", "inferred_added", "inferred_removed")


@dataclass(frozen=True, slots=True)
class _Heard:
    """A commit of which it is not yet known what it did."""

    number: int
    moment: float
    before: Snapshot
    after: Snapshot
    constraints_before: Sequence[EncodedRule]
    constraints_after: Sequence[EncodedRule]


@dataclass(eq=False)
class Stream:
    """One client's queue, filled by the thread that writes the log."""

    loop: asyncio.AbstractEventLoop
    waiting: asyncio.Queue[tuple[int, str] | None]

    def put(self, number: int, entry: str) -> None:
        """Hand an entry over to the thread that serves; runs in any other."""
        try:
            self.loop.call_soon_threadsafe(self._put, (number, entry))
        except RuntimeError:
            # The server has ended.
            return

    def _put(self, entry: tuple[int, str]) -> None:
        if self.waiting.qsize() < _MOST_WAITING:
            self.waiting.put_nowait(entry)
        elif self.waiting.qsize() == _MOST_WAITING:
            self.waiting.put_nowait(None)


class CommitLog:
    """Hears of the commits of a reasoner, and finds out what they did in a thread of its own, so that none waits."""

    def __init__(self, kb: Reasoner) -> None:
        """Begin to listen; the caller keeps others from committing."""
        self._kb = kb
        self._constraints = kb.session.program().constraints
        self._thread = ThreadPoolExecutor(1, "commit log")
        self._lock = threading.Lock()
        self._entries: deque[tuple[int, str]] = deque(maxlen=_REMEMBERED)
        self._streams: list[Stream] = []
        self._number = 0
        announcements_of(kb.session).join(self, kb.store.state)

    def hear(self, announcement: Announcement) -> None:
        """Note a commit; runs in the thread that commits."""
        self._number += 1
        before, self._constraints = self._constraints, self._kb.session.program().constraints
        heard = _Heard(*(self._number, time.time(), announcement.before, announcement.after, before, self._constraints))
        self._thread.submit(self._digest, heard)

    def entries(self) -> list[tuple[int, str]]:
        """Return the commits that are remembered, by number and as JSON, the oldest first."""
        with self._lock:
            return list(self._entries)

    def opened(self, after: int) -> Stream:
        """Return a stream that begins with what is remembered after a commit."""
        stream = Stream(asyncio.get_running_loop(), asyncio.Queue())
        with self._lock:
            if len(self._streams) >= _MOST_STREAMS:
                raise RefusalError(UNAVAILABLE, f"{_MOST_STREAMS} clients follow the commits already; try later")
            for number, entry in self._entries:
                if number > after:
                    stream.waiting.put_nowait((number, entry))
            self._streams.append(stream)
        return stream

    def closed(self, stream: Stream) -> None:
        """Send nothing to a stream any more."""
        with self._lock:
            self._streams = [each for each in self._streams if each is not stream]

    def close(self) -> None:
        """Listen no more."""
        announcements_of(self._kb.session).leave(self)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _digest(self, heard: _Heard) -> None:
        try:
            entry = _told(self._kb, heard)
        except Exception as error:
            entry = {"number": heard.number, "time": heard.moment, "failed": f"{type(error).__name__}: {error}"}
        text = json.dumps(entry, ensure_ascii=False)
        with self._lock:
            self._entries.append((heard.number, text))
            streams = list(self._streams)
        for stream in streams:
            stream.put(heard.number, text)


def _told(kb: Reasoner, heard: _Heard) -> dict[str, Any]:
    delta = Delta(
        *(kb.store, heard.before, heard.after, "none"),
        constraints_before=heard.constraints_before,
        constraints_after=heard.constraints_after,
    )
    return {
        "number": heard.number,
        "time": heard.moment,
        "counts": delta.counts.as_dict(),
        **{part: list(islice(delta.iterate(part), _LISTED)) for part in _PARTS},
        "classes_merged": [{"before": old, "after": new} for old, new in delta.classes_merged[:_LISTED]],
        "classes_split": [{"before": old, "after": new} for old, new in delta.classes_split[:_LISTED]],
        "violations_appeared": [each.as_dict() for each in delta.violations_appeared[:_LISTED]],
        "violations_went": [each.as_dict() for each in delta.violations_went[:_LISTED]],
        "explicit": len(heard.after.explicit),
    }


T = TypeVar("T")


@dataclass(eq=False)
class ServerMemory:
    """The index of names, what was found out about the last version, and the log of commits."""

    search: TermSearch = field(default_factory=TermSearch)
    rehearsing: threading.Lock = field(default_factory=threading.Lock)
    log: CommitLog | None = None
    _found: dict[str, tuple[int, object]] = field(default_factory=dict)

    def of_version(self, version: CommittedVersion, name: str, find: Callable[[], T]) -> T:
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
    if not kb.session.lock.acquire(timeout=min(budget.left, threading.TIMEOUT_MAX)):
        raise RefusalError(UNAVAILABLE, "a commit is under way that takes long; try again", {"Retry-After": "1"})


def _with_rules(committed: Committed, version: CommittedVersion, budget: Budget) -> Reasoner:
    kb = version.kb
    if kb.session.state.program is None:
        live = committed.kb
        lock_commits(live, budget)
        try:
            live.session.program()
            kb = frozen(live)
        finally:
            live.session.lock.release()
    # An engine remembers things while it works, and the one of the store works on commits.
    return kb.with_session(kb.session.fork())
