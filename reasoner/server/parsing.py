"""Reading queries and updates in processes of their own, which can be stopped, and keep nobody else waiting.

Reading takes about ten microseconds for every triple of an update, and Python runs one thread at a time: in the process
of the server, a text of megabytes would slow every answer down, and could not be stopped.
"""

from __future__ import annotations

import atexit
import os
import queue
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal

from reasoner.server.refusal import BAD_REQUEST, UNAVAILABLE, RefusalError
from reasoner.sparql.algebra import Query
from reasoner.sparql.backtracking import received, send
from reasoner.sparql.operation import Operation

# Seconds after which a text is given up, whoever waits for it: megabytes of a query, many of an update.
_LONGEST = {"query": 5.0, "update": 60.0}

# Texts of queries that are remembered: so many, and none of more than so many characters, so that what is remembered
# stays small whatever clients send.
_REMEMBERED = 512
_REMEMBERED_LENGTH = 16_384

# What a process reads, and as what: a view is a query that is subscribed to.
Kind = Literal["query", "update"]
Reading = Literal["query", "view", "update"]


@cache
def parsers() -> Parsers:
    """Return the parsers of this process, which all its servers share; they end with it."""
    made = Parsers()
    atexit.register(made.close)
    return made


class Parsers:
    """Reads texts, queries and updates apart from each other; the last few hundred queries are remembered."""

    def __init__(self) -> None:
        self._queries = _Child("query")
        self._updates = _Child("update")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Query] = OrderedDict()

    def query(self, text: str, seconds: float) -> Query:
        """Return a query as algebra; what is malformed is refused with its place, and what takes too long as well."""
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        found: Query = self._queries.parsed("query", text, seconds)
        if len(text) <= _REMEMBERED_LENGTH:
            with self._lock:
                self._known[text] = found
                if len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
        return found

    def view(self, text: str, seconds: float) -> Query:
        """Return what a text subscribes to, as ``view_of`` tells it, or refuse it."""
        found: Query = self._queries.parsed("view", text, seconds)
        return found

    def update(self, text: str, seconds: float) -> tuple[Operation, ...]:
        """Return the operations of an update, or refuse it."""
        found: tuple[Operation, ...] = self._updates.parsed("update", text, seconds)
        return found

    def close(self) -> None:
        """End the processes."""
        self._queries.close()
        self._updates.close()


class _Child:
    """One process that reads texts, one at a time.

    Whoever gives up leaves the process at work, and the next one waits for it; only when a text has taken as long as
    none should is the process stopped, and another one started.
    """

    _process: subprocess.Popen[bytes]
    _answers: queue.SimpleQueue[Any]
    # Since when it has been reading a text, or getting ready; None if it waits for one.
    _since: float | None

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._turn = threading.Lock()
        self._start()

    def parsed(self, reading: Reading, text: str, seconds: float) -> Any:
        end = time.monotonic() + seconds
        if not self._turn.acquire(timeout=seconds):
            raise _too_long(seconds)
        try:
            if self._since is not None:
                self._answer(end, seconds)
            assert self._process.stdin is not None
            self._since = time.monotonic()
            send(self._process.stdin, (reading, text))
            accepted, found = self._answer(end, seconds)
        except (OSError, EOFError) as error:
            self._restart()
            raise RefusalError(UNAVAILABLE, f"the {self._kind} could not be read; send it again") from error
        finally:
            self._turn.release()
        if not accepted:
            raise RefusalError(BAD_REQUEST, found)
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answer(self, end: float, seconds: float) -> Any:
        """Return what the process says about the text that it has; give up at the end, or if it takes too long."""
        last = (self._since or 0.0) + _LONGEST[self._kind]
        try:
            answer = self._answers.get(timeout=max(min(end, last) - time.monotonic(), 0))
        except queue.Empty:
            if time.monotonic() >= last:
                self._restart()
            raise _too_long(seconds) from None
        if answer is None:
            raise EOFError
        self._since = None
        return answer

    def _restart(self) -> None:
        self.close()
        self._start()

    def _start(self) -> None:
        self._process = _started(self._kind)
        self._answers = queue.SimpleQueue()
        # It says when it is ready, which is its first answer.
        self._since = time.monotonic()
        threading.Thread(target=_pass_on, args=(self._process, self._answers), name="parser", daemon=True).start()


def _pass_on(process: subprocess.Popen[bytes], answers: queue.SimpleQueue[Any]) -> None:
    """Pass on what a process says, and None when it has ended."""
    assert process.stdin is not None and process.stdout is not None
    with process.stdout, suppress(OSError):
        while (answer := received(process.stdout)) is not None:
            answers.put(answer)
    with suppress(OSError):
        process.stdin.close()
    answers.put(None)


def _started(kind: Kind) -> subprocess.Popen[bytes]:
    # Found where this process found it, and no signal meant for the server reaches it.
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", __name__, kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )


def _too_long(seconds: float) -> RefusalError:
    return RefusalError(UNAVAILABLE, f"reading the text took more than the {seconds:.3g} s left for it; send less")


def _read_all(kind: str) -> None:
    """Read texts from standard input until it ends, and answer each: whether it is well-formed, and what it says."""
    from reasoner.errors import ReasonerError
    from reasoner.sparql.translate import translate
    from reasoner.sparql.translate_update import translate_update
    from reasoner.subscriptions.view import view_of

    readers: dict[str, Callable[[str], object]] = {"query": translate, "view": view_of, "update": translate_update}
    # Whoever is first should not wait for the modules to be loaded.
    readers[kind]("INSERT DATA {}" if kind == "update" else "ASK {}")
    source, target = sys.stdin.buffer, sys.stdout.buffer
    send(target, (True, None))
    while (given := received(source)) is not None:
        reading, text = given
        try:
            answer: tuple[bool, object] = True, readers[reading](text)
        except ReasonerError as error:
            answer = False, str(error)
        except RecursionError:
            answer = False, f"the {kind} is nested too deeply; write it flatter"
        send(target, answer)


if __name__ == "__main__":
    _read_all(sys.argv[1])
