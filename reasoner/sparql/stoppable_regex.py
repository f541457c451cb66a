"""Patterns that only ``re`` can match, matched so that the limit of a query ends them.

``re`` looks at no clock and lets no other thread run, so that a pattern that runs away can be ended only together with
its process.
"""

from __future__ import annotations

import atexit
import math
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from reasoner.errors import ReasonerError
from reasoner.sparql import backtracking
from reasoner.sparql.backtracking import Answers, TooLongError
from reasoner.sparql.budget import Budget
from reasoner.sparql.errors import ValueTooLargeError

# Seconds between two looks at the limit, and after the limit until a process that nobody ended ends itself.
_TICK = 0.02
_GRACE = 2.0
_SLICE = 256

# Processes without work, by the process that started them: one that was forked must not use those of its parent.
_idle: dict[int, list[subprocess.Popen[bytes]]] = {}


def answers_within(
    budget: Budget, pattern: str, options: int, pieces: Sequence[str | int] | None, texts: Sequence[str]
) -> Answers:
    """Return what ``backtracking.answers`` does, within the limits of a query; without a time limit, right here."""
    longest, most = budget.most_characters, int(min(budget.memory_left, sys.maxsize))
    if math.isinf(budget.left):
        found: Answers = []
        for start in range(0, len(texts), _SLICE):
            budget.check()
            try:
                found += backtracking.answers(pattern, options, pieces, texts[start : start + _SLICE], longest, most)
            except TooLongError:
                _refuse(budget)
        return found
    process = _taken()
    done = threading.Event()
    threading.Thread(target=_end_at_limit, args=(process, budget, done), name="regex", daemon=True).start()
    try:
        answer = _asked(process, (budget.left + _GRACE, pattern, options, pieces, texts, longest, most))
    except BaseException:
        process.kill()
        raise
    finally:
        done.set()
    if answer is None:
        _ended(process)
        budget.check()
        raise ReasonerError(f"the regular expression {pattern} could not be matched; write it simpler")
    _idle.setdefault(os.getpid(), []).append(process)
    if answer is False:
        _refuse(budget)
    assert isinstance(answer, list)
    return answer


def _refuse(budget: Budget) -> NoReturn:
    raise ValueTooLargeError(
        "REPLACE", budget.most_characters + 1, "characters or more", budget.most_characters, "most_characters"
    )


def _asked(process: subprocess.Popen[bytes], request: tuple[object, ...]) -> Answers | bool | None:
    """Return the answer of a process, False if it would be too long, None if the process ends before."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(OSError):
        backtracking.send(process.stdin, request)
        answer: Answers | bool | None = backtracking.received(process.stdout)
        return answer
    return None


def _end_at_limit(process: subprocess.Popen[bytes], budget: Budget, done: threading.Event) -> None:
    while not done.wait(_TICK):
        try:
            budget.check()
        except ReasonerError:
            process.kill()
            return


def _taken() -> subprocess.Popen[bytes]:
    waiting = _idle.get(os.getpid(), [])
    while waiting:
        with suppress(IndexError):
            process = waiting.pop()
            if process.poll() is None:
                return process
            _ended(process)
    if not _idle:
        atexit.register(_end_all)
    # No signal meant for this process reaches it, and it sees none of our files in place of the library's.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", backtracking.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )


def _ended(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.kill()
    process.wait()
    process.stdout.close()
    with suppress(OSError):
        process.stdin.close()


def _end_all() -> None:
    for process in _idle.pop(os.getpid(), []):
        _ended(process)
