"""The log of commits: what each changed, and which violations came and went with it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from reasoner.delta import Delta
from reasoner.server.refusal import UNAVAILABLE, RefusalError

if TYPE_CHECKING:
    from reasoner.columnar.store import Snapshot
    from reasoner.reasoner import Reasoner
    from reasoner.rules.encode import EncodedRule
    from reasoner.subscriptions.announcements import Announcement

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
        self._constraints = kb._encoded().constraints
        self._thread = ThreadPoolExecutor(1, "commit log")
        self._lock = threading.Lock()
        self._entries: deque[tuple[int, str]] = deque(maxlen=_REMEMBERED)
        self._streams: list[Stream] = []
        self._number = 0
        kb._announced_by().join(self, kb.store.state)

    def hear(self, announcement: Announcement) -> None:
        """Note a commit; runs in the thread that commits."""
        self._number += 1
        before, self._constraints = self._constraints, self._kb._encoded().constraints
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
        self._kb._announced_by().leave(self)
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
