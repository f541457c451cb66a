"""Trials in a process of their own, with limits of time and memory, so that whatever ends it is found and attributed.

A chunk of trials runs in one child, which is forked from a parent that has imported everything and run nothing. The
child notes in shared memory which trial it is at; so a trial that hangs, takes too much memory or aborts in native code
is known by its number, and the next child goes on behind it.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import signal
import struct
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

MEGABYTE = 1 << 20
# The number of a trial, and when it began: by the clock, and by the processor time of its process.
_PLACE = struct.Struct("qdd")
# A process that waits for something uses no processor time; one that waits for the processor is not hanging.
_PATIENCE = 12
_TICKS = os.sysconf("SC_CLK_TCK")

Trials = Callable[[ExitStack], Callable[[int], str | None]]


@dataclass(slots=True)
class Chunk:
    """What came of a chunk: how many trials ended by themselves, what they found, and the most memory taken."""

    done: int = 0
    findings: list[tuple[int, str]] = field(default_factory=list)
    megabytes: int = 0


def watched(trials: Trials, first: int, count: int, *, seconds: float, megabytes: int) -> Chunk:
    """Run trials by their numbers, and return what came of them.

    ``trials`` makes, in the child, what runs one and returns what is wrong, or None; the stack that it is given is
    closed when the child ends.
    """
    chunk, end, position = Chunk(), first + count, first
    while position < end:
        position = _child(trials, position, end, seconds, megabytes, chunk)
    return chunk


def _child(
    trials: Trials,
    first: int,
    end: int,
    seconds: float,
    megabytes: int,
    chunk: Chunk,
) -> int:
    """Run what is left in one child; return the number of the first trial that is left after it."""
    place = mmap.mmap(-1, _PLACE.size)
    _PLACE.pack_into(place, 0, first, time.monotonic(), 0.0)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.close(reading)
            faulthandler.register(signal.SIGUSR1)
            _run(trials, first, end, place, writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    given_up = ""
    os.set_blocking(reading, False)
    told = b""
    while True:
        with suppress(BlockingIOError):
            told += os.read(reading, 1 << 20)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
        if _is_over(place, pid, seconds):
            # The place may have been read while it was being written.
            time.sleep(0.05)
            given_up = f"no end after {seconds:g} s" if _is_over(place, pid, seconds) else ""
        elif _status(pid, "VmRSS") > megabytes * MEGABYTE:
            given_up = f"more than {megabytes:,} MB"
        if given_up:
            # The child writes where it is to standard error.
            os.kill(pid, signal.SIGUSR1)
            time.sleep(0.2)
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            break
        time.sleep(0.005)
    os.set_blocking(reading, True)
    with os.fdopen(reading, "rb") as stream:
        told += stream.read()
    number, _, _ = _PLACE.unpack_from(place, 0)
    for line in told.decode().splitlines():
        kind, *rest = json.loads(line)
        if kind == "found":
            chunk.findings.append((rest[0], rest[1]))
        else:
            chunk.megabytes = max(chunk.megabytes, rest[0])
    if status == 0:
        chunk.done += end - first
        return end
    what = given_up or f"the process ended ({os.waitstatus_to_exitcode(status)})"
    chunk.findings.append((number, what))
    chunk.done += number - first + 1
    return number + 1


def _run(trials: Trials, first: int, end: int, place: mmap.mmap, writing: int) -> None:
    with ExitStack() as stack:
        trial = trials(stack)
        for number in range(first, end):
            _PLACE.pack_into(place, 0, number, time.monotonic(), time.process_time())
            found = trial(number)
            if found is not None:
                os.write(writing, (json.dumps(["found", number, found[:2000]]) + "\n").encode())
        _PLACE.pack_into(place, 0, end - 1, time.monotonic(), time.process_time())
    os.write(writing, (json.dumps(["peak", _status(os.getpid(), "VmHWM") >> 20]) + "\n").encode())


def _is_over(place: mmap.mmap, pid: int, seconds: float) -> bool:
    _, began, used = _PLACE.unpack_from(place, 0)
    return _processor_time(pid) - used > seconds or time.monotonic() - began > seconds * _PATIENCE


def _processor_time(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
    return 0.0


def _status(pid: int, name: str) -> int:
    """Return what the kernel says of a process, in bytes; 0 where it says nothing."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) << 10
    return 0
