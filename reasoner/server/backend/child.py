"""A process that reads what clients send: it can be stopped, keeps nobody else waiting, and may fail alone.

A text can be built to keep a parser busy, to take all memory, or to abort native code; none of that is the server's.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from reasoner.server.backend.refusal import BAD_REQUEST, TOO_LARGE, UNAVAILABLE, RefusalError
from reasoner.sparql.backtracking import received, send
from reasoner.sparql.budget import Budget
from reasoner.sparql.errors import QueryStoppedError

MEGABYTE = 1 << 20

# How a request to a process ends.
_READ, _REFUSED, _NO_MEMORY = "read", "refused", "no memory"

# How often whoever waits looks whether somebody still waits for it.
_STEP = 0.1

# Seconds of work after which a process ends itself that nobody ended.
_GRACE = 5.0


class Child:
    """One process that reads, one thing at a time, started when it is first needed.

    ``module`` is what runs in it, ``what`` the thing that it reads, ``longest`` the seconds that one may take, and
    ``memory`` the bytes, which ``option`` sets. Whoever gives up leaves the process at work, and the next one waits for
    it; only when something has taken as long as nothing should is the process stopped, and another one started.
    """

    def __init__(
        self, module: str, kind: str, what: str, longest: float, memory: int, option: str | None = None
    ) -> None:
        self._command = [sys.executable, "-m", module, kind, str(memory)]
        self._what = what
        self._longest = longest
        self._memory = memory
        self._option = option
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        # Since when it has been reading, or getting ready; None if it waits for something to read.
        self._since: float | None = None

    def ask(self, *request: object, budget: Budget) -> Any:
        """Return what the process makes of a request, within the time of a query; refuse what it cannot read."""
        seconds = budget.left
        while not self._turn.acquire(timeout=_STEP):
            self._check(budget, seconds)
        try:
            if self._process is None:
                self._start()
            if self._since is not None:
                self._answer(budget, seconds)
            self._since = time.monotonic()
            assert self._process is not None and self._process.stdin is not None
            send(self._process.stdin, (min(budget.left, self._longest) + _GRACE, *request))
            outcome, found = self._answer(budget, seconds)
            if outcome == _NO_MEMORY:
                self._end()
        except (OSError, EOFError) as error:
            raise self._failed() from error
        finally:
            self._turn.release()
        if outcome == _NO_MEMORY:
            raise self._too_much()
        if outcome == _REFUSED:
            raise RefusalError(BAD_REQUEST, found)
        return found

    def start(self) -> None:
        """Get ready before somebody waits for it."""
        with self._turn:
            if self._process is None:
                self._start()

    def close(self) -> None:
        """End the process."""
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def _check(self, budget: Budget, seconds: float) -> None:
        if budget.is_stopped:
            raise QueryStoppedError
        if budget.left <= 0:
            raise RefusalError(
                UNAVAILABLE, f"reading the {self._what} took more than the {seconds:.3g} s left for it; send less"
            )

    def _answer(self, budget: Budget, seconds: float) -> Any:
        """Return what the process says about what it has; give up at the end, or if it takes too long."""
        last = (self._since or 0.0) + self._longest
        while True:
            try:
                answer = self._answers.get(timeout=max(min(budget.left, last - time.monotonic(), _STEP), 0))
                break
            except queue.Empty:
                if time.monotonic() >= last:
                    self._end()
                    raise RefusalError(
                        UNAVAILABLE,
                        f"reading the {self._what} took more than the {min(seconds, self._longest):.3g} s left for it; "
                        "send less",
                    ) from None
                self._check(budget, seconds)
        if answer is None:
            raise EOFError
        self._since = None
        return answer

    def _failed(self) -> RefusalError:
        process = self._process
        self._end()
        code = 0 if process is None else process.returncode
        if code >= 0 or -code == signal.SIGKILL:
            return RefusalError(UNAVAILABLE, f"the {self._what} could not be read; send it again")
        return self._too_much(f", by the signal {signal.Signals(-code).name}")

    def _too_much(self, how: str = "") -> RefusalError:
        allowed = f"the {self._memory // MEGABYTE:,} MB of memory allowed" + (
            f" ({self._option})" if self._option else ""
        )
        return RefusalError(
            TOO_LARGE,
            f"reading the {self._what} ended its process{how}: it takes more than {allowed}, or its parser failed; "
            "send less at a time",
        )

    def _end(self) -> None:
        self.close()
        self._process = None

    def _start(self) -> None:
        # No signal meant for the server reaches it.
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=child_environment(),
            start_new_session=True,
        )
        self._process, self._answers = process, queue.SimpleQueue()
        # It says when it is ready, which is its first answer.
        self._since = time.monotonic()
        threading.Thread(target=_pass_on, args=(process, self._answers), name="parser", daemon=True).start()


def child_environment() -> dict[str, str]:
    """Return the environment of a process that finds our modules where this one found them."""
    root = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}


def _pass_on(process: subprocess.Popen[bytes], answers: queue.SimpleQueue[Any]) -> None:
    """Pass on what a process says, and None when it has ended."""
    assert process.stdin is not None and process.stdout is not None
    with process.stdout, suppress(OSError):
        while (answer := received(process.stdout)) is not None:
            answers.put(answer)
    process.wait()
    with suppress(OSError):
        process.stdin.close()
    answers.put(None)


def serve_requests(read: Callable[..., object], memory: int) -> None:
    """Be such a process: answer requests from standard input until it ends, within so many bytes beyond the present.

    ``read`` is called with what ``Child.ask`` was; an error of ours refuses the request. If the server is gone, so that
    nobody takes an answer, the process ends without a word.
    """
    try:
        _answer_requests(read, memory)
    except BrokenPipeError:
        os._exit(0)


def _answer_requests(read: Callable[..., object], memory: int) -> None:
    from reasoner.rules.errors import ReasonerError

    source, target = sys.stdin.buffer, _answers_apart()
    limit_memory(memory)
    send(target, (_READ, None))
    while (request := received(source)) is not None:
        seconds, *given = request
        _limit_time(seconds)
        try:
            answer: tuple[str, object] = _READ, read(*given)
            send(target, answer)
            continue
        except ReasonerError as error:
            answer = _REFUSED, str(error)
        except RefusalError as error:
            answer = _REFUSED, str(error)
        except RecursionError:
            answer = _REFUSED, "the request is nested too deeply; write it flatter"
        except MemoryError:
            # What is left of it goes with the process.
            send(target, (_NO_MEMORY, None))
            return
        send(target, answer)


def _answers_apart() -> IO[bytes]:
    """Return where answers go; what libraries print goes to standard error instead."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return target


def limit_memory(more: int) -> None:
    """Let this process take so many bytes more, where the system can tell and keep to it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more,) * 2)


def _limit_time(seconds: float) -> None:
    """Let this process compute for so many seconds more; the system ends it then."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, hard))
