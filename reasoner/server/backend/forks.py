"""Long queries in processes of their own, which the system bounds and anybody can end.

Python runs one thread at a time, and NumPy cannot be stopped in the middle of a step: a long query in the process of
the server slows every answer down, and ends when it likes. To fork the server itself is no way out, because it has
threads, and a lock that one of them holds at that moment is never released in the fork. So there is one process beside
the server that has a single thread and a replica of the last version (``replica``). For every long query it forks: the
fork has the version in its memory at no cost, answers, and ends. Its memory and its time are limited by the system, and
it is killed when nobody waits for it any more. A version is handed over when the first long query has to see it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from reasoner.server.backend.answer import Answer
from reasoner.server.backend.child import MEGABYTE, child_environment, limit_memory
from reasoner.server.backend.refusal import FAILED, TOO_MANY_ROWS, UNAVAILABLE, RefusalError, refusal_of
from reasoner.server.backend.replica import Replica, Shipper
from reasoner.sparql.budget import Budget, MemoryPool
from reasoner.sparql.errors import QueryStoppedError, QueryTimeoutError

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner
    from reasoner.server.backend.committed import CommittedVersion
    from reasoner.server.backend.settings import Settings

T = TypeVar("T")

# What answers a query: a function that can be pickled.
Work = Callable[["Reasoner", Budget], T]

# How often whoever waits looks whether somebody still waits for it.
_STEP = 0.05

# Seconds after its limit until a process ends that did not end itself.
_GRACE = 1.0

# Seconds of the longest alarm that the system has.
_LONGEST = 1e8

# Bytes that tell the length of what follows.
_HEADER = 8

# Bytes from which on a body comes in a file.
_LARGE = MEGABYTE

# Processes for work that can wait give way to the server by so much.
NICENESS = 10

_PR_SET_PDEATHSIG = 1


def can_fork() -> bool:
    """Tell whether this system can fork a process and bound it; elsewhere long queries stay in the server."""
    return sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class _Limits:
    """What a fork may use."""

    seconds: float
    memory: int
    characters: int
    digits: int


@dataclass(eq=False, slots=True)
class _Place:
    """One long query that runs or waits for its turn."""

    client: str
    is_running: bool = False
    is_refused: bool = False


class Forks:
    """Answers long queries, a few at a time; as many wait, and clients with the fewest go first."""

    def __init__(self, settings: Settings, pool: MemoryPool) -> None:
        self._settings = settings
        self._pool = pool
        self._most = settings.slow_readers
        self._turn = threading.Condition()
        self._places: list[_Place] = []
        self._parent = _Parent()

    def start(self) -> None:
        """Start the process that forks, so that whoever is first need not wait for it."""
        self._parent.start()

    def ask(self, version: CommittedVersion, work: Work[T], budget: Budget, client: str | None) -> T:
        """Return what a piece of work gives in a version, computed in a process of its own within a budget.

        The work of a client waits for its turn, and that of the server itself (None) does not.
        """
        settings = self._settings
        with nullcontext() if client is None else self._place(client, budget):
            self._pool.take(settings.most_memory)
            try:
                limits = _Limits(budget.left, settings.most_memory, settings.most_characters, settings.most_digits)
                with self._parent.fork(version, work, limits) as (pid, answers):
                    return cast(T, self._answer(pid, answers, budget))
            finally:
                self._pool.give(settings.most_memory)

    def close(self) -> None:
        """End all processes."""
        self._parent.close()

    @contextmanager
    def _place(self, client: str, budget: Budget) -> Iterator[None]:
        place = _Place(client)
        with self._turn:
            self._places.append(place)
            if len(self._places) > 2 * self._most:
                self._refuse_one()
            self._let_run()
            try:
                while not place.is_running:
                    if place.is_refused:
                        raise self._too_many()
                    self._turn.wait(_STEP)
                    budget.check()
            except BaseException:
                self._leave(place)
                raise
        try:
            yield
        finally:
            with self._turn:
                self._leave(place)

    def _leave(self, place: _Place) -> None:
        if place in self._places:
            self._places.remove(place)
        self._let_run()
        self._turn.notify_all()

    def _let_run(self) -> None:
        """Let the queries of those clients run that have the fewest running, the oldest first."""
        while sum(place.is_running for place in self._places) < self._most:
            waiting = [place for place in self._places if not place.is_running]
            if not waiting:
                return
            running = [place.client for place in self._places if place.is_running]
            min(waiting, key=lambda place: running.count(place.client)).is_running = True
            self._turn.notify_all()

    def _refuse_one(self) -> None:
        """Refuse the last query that waits of the client that has the most."""
        clients = [place.client for place in self._places]
        waiting = [place for place in reversed(self._places) if not place.is_running]
        refused = max(waiting, key=lambda place: clients.count(place.client))
        self._places.remove(refused)
        refused.is_refused = True
        self._turn.notify_all()

    def _too_many(self) -> RefusalError:
        return RefusalError(
            UNAVAILABLE,
            f"{self._most} long queries run and as many wait for them, which is all that may (--slow-readers); "
            f"ask for less than {self._settings.time_slice:g} s of work (--time-slice), or try again",
            {"Retry-After": "5"},
        )

    def _answer(self, pid: int, answers: socket.socket, budget: Budget) -> object:
        waiting = select.poll()
        waiting.register(answers, select.POLLIN)
        while not waiting.poll(_STEP * 1000):
            if budget.is_stopped:
                raise QueryStoppedError
            if budget.left <= 0:
                raise QueryTimeoutError(self._settings.timeout)
        try:
            (outcome, value), file = _received(answers)
        except (OSError, EOFError) as error:
            raise self._ended(budget) from error
        if outcome == "timeout":
            raise QueryTimeoutError(self._settings.timeout)
        if outcome == "refused":
            raise RefusalError(*value)
        if outcome == "memory":
            raise self._too_large()
        return value if file is None else replace(value, file=os.fdopen(file, "rb"))

    def _ended(self, budget: Budget) -> Exception:
        """Return what to say of a process that ended without an answer."""
        if budget.left <= _GRACE:
            return QueryTimeoutError(self._settings.timeout)
        return self._too_large()

    def _too_large(self) -> RefusalError:
        return RefusalError(
            TOO_MANY_ROWS,
            f"the query takes more than the {self._settings.most_memory / MEGABYTE:,.0f} MB of memory allowed; join "
            "its parts by a shared variable, narrow it, add LIMIT, or raise most_memory (--max-memory)",
        )


class _Parent:
    """The process that holds the replica and forks, as the server sees it; it is started anew if it ends."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._shipper = Shipper()
        self._number = -1
        self._forked: set[int] = set()
        self._closed = False

    def start(self) -> None:
        with self._lock:
            if self._process is None and not self._closed:
                self._start()

    @contextmanager
    def fork(self, version: CommittedVersion, work: Work[Any], limits: _Limits) -> Iterator[tuple[int, socket.socket]]:
        """Begin work in a fork, which is given its number and where it answers; at the end of the block it is ended."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                pid = self._begin(version, pickle.dumps((work, limits)), theirs)
            try:
                yield pid, ours
            finally:
                self._end(pid)

    def close(self) -> None:
        # Not under the lock, which somebody may hold who waits for the process.
        self._closed = True
        for pid in list(self._forked):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            self._process.kill()
        if self._lock.acquire(timeout=_GRACE):
            try:
                self._reset()
            finally:
                self._lock.release()

    def _begin(self, version: CommittedVersion, request: bytes, answers: socket.socket) -> int:
        with self._lock:
            for is_last in (False, True):
                if self._closed:
                    raise RefusalError(UNAVAILABLE, "the server is about to end; ask another one")
                try:
                    if self._process is None:
                        self._start()
                    assert self._control is not None, "it was just started"
                    if version.number > self._number:
                        for part in self._shipper.parts(version):
                            _send(self._control, ("take", part))
                        self._number = version.number
                    _send(self._control, ("fork", request), answers.fileno())
                    pid, _ = _received(self._control)
                    self._forked.add(pid)
                    return int(pid)
                except (OSError, EOFError) as error:
                    self._reset()
                    if is_last or self._closed:
                        raise RefusalError(
                            UNAVAILABLE, "the process for long queries ended; ask again", {"Retry-After": "1"}
                        ) from error
        raise AssertionError

    def _end(self, pid: int) -> None:
        with self._lock:
            if pid not in self._forked:
                return
            # It is its parent that waits for it, and not before it is told to: until then the number is its own.
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            self._forked.discard(pid)
            with suppress(OSError):
                assert self._control is not None
                _send(self._control, ("wait", pid))

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**child_environment(), "ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,
            )
        self._control = ours
        self._shipper, self._number = Shipper(), -1
        self._forked.clear()

    def _reset(self) -> None:
        """End the process, and with it all that it has forked."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._control is not None:
            self._control.close()
        self._process = self._control = None
        self._forked.clear()


def _send(target: socket.socket, value: object, file: int | None = None) -> None:
    """Send a value, and an open file with it."""
    data = pickle.dumps(value, protocol=5)
    socket.send_fds(target, [len(data).to_bytes(_HEADER, "big")], [] if file is None else [file])
    target.sendall(data)


def _received(source: socket.socket) -> tuple[Any, int | None]:
    """Return a value that was sent, and the file that came with it; raise ``EOFError`` at the end."""
    head, files, _, _ = socket.recv_fds(source, _HEADER, 1)
    while 0 < len(head) < _HEADER:
        head += source.recv(_HEADER - len(head)) or b""
    data = bytearray(int.from_bytes(head, "big")) if len(head) == _HEADER else bytearray()
    view, have = memoryview(data), 0
    while have < len(data):
        have += (more := source.recv_into(view[have:]))
        if not more:
            break
    if not data or have < len(data):
        raise EOFError
    return pickle.loads(data), files[0] if files else None


def _serve(control: socket.socket) -> None:
    """Be the process that forks, until the other side ends."""
    os.nice(NICENESS)
    warm_up()
    replica, forked = Replica(), set[int]()
    is_new = False
    with suppress(EOFError, ConnectionError):
        while True:
            (name, value), file = _received(control)
            if name == "take":
                replica.take(value)
                is_new = True
            elif name == "wait":
                os.waitpid(value, 0)
                forked.discard(value)
            else:
                if is_new:
                    # What a fork does not touch it shares with this process; a collection would touch everything.
                    gc.unfreeze()
                    gc.collect()
                    gc.freeze()
                    is_new = False
                assert file is not None
                parent, pid = os.getpid(), os.fork()
                if pid == 0:
                    control.close()
                    _answer(replica.kb, value, socket.socket(fileno=file), parent)
                os.close(file)
                forked.add(pid)
                _send(control, pid)
    for pid in forked:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


@cache
def warm_up() -> None:
    """Load what queries load on first use: a fork would do so for itself alone, and the first query would seem long."""
    from reasoner.reasoner import Reasoner
    from reasoner.requests.query import explain_plan
    from reasoner.server.backend.answer import GRAPH_TYPES, ROW_TYPES, answered
    from reasoner.sparql.translate import translate

    kb = Reasoner("none")
    kb.add([("<urn:s>", "<urn:p>", '"o"')])
    rows = translate(
        "SELECT (COUNT(*) AS ?n) { ?s (<urn:p>|^<urn:p>)* ?o FILTER(REGEX(STR(?o), '^o')) } GROUP BY ?s ORDER BY ?n"
    )
    graph = translate("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")
    for asked, types in ((rows, ROW_TYPES), (graph, GRAPH_TYPES)):
        for accept in types:
            answered(kb, Budget(), asked=asked, accept=accept, most_rows=10)
    explain_plan(kb, rows)


def _answer(kb: Reasoner, request: bytes, answers: socket.socket, parent: int) -> None:
    """Be a fork: answer one request and end, whatever happens."""
    try:
        work, limits = pickle.loads(request)
        _bound(limits, parent)
        budget = Budget(
            limits.seconds,
            sys.maxsize,
            most_memory=limits.memory,
            most_characters=limits.characters,
            most_digits=limits.digits,
            is_killable=True,
        )
        file = None
        try:
            value = work(kb, budget)
            if isinstance(value, Answer) and len(value.body) > _LARGE:
                # It is open until this process ends.
                file = tempfile.TemporaryFile()  # noqa: SIM115
                file.write(value.body)
                file.seek(0)
                value = replace(value, body=b"")
            outcome: tuple[str, object] = "answered", value
        except QueryTimeoutError:
            outcome = "timeout", None
        except MemoryError:
            outcome = "memory", None
        except Exception as error:
            refusal = refusal_of(error)
            if refusal.status == FAILED:
                traceback.print_exception(error, file=sys.stderr)
            outcome = "refused", (refusal.status, str(refusal), refusal.headers)
        _send(answers, outcome, None if file is None else file.fileno())
    finally:
        os._exit(0)


def _bound(limits: _Limits, parent: int) -> None:
    """Let the system end this process at its limits, and with its parent."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, min(limits.seconds + _GRACE, _LONGEST))
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    limit_memory(limits.memory)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
