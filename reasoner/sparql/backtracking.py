"""Regular expressions by Python's ``re``, here or in a process of its own: as a program, this file answers requests.

It imports nothing of ours, so that a process of it starts in no time.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import re
import sys
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import IO, Any

_HEADER = 8
_NO_LIMIT = sys.maxsize

Answers = list[bool | str | None]


@lru_cache(maxsize=256)
def compiled(pattern: str, options: int) -> re.Pattern[str]:
    """Compile a pattern; a ``ValueError`` says that it is none."""
    try:
        # Python warns of patterns that it may read differently one day; the writer of a query cannot act on that.
        with warnings.catch_warnings(action="ignore"):
            return re.compile(pattern, options)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern} is no regular expression") from error


class TooLongError(Exception):
    """A replaced text, or all of them together, would be longer than allowed."""


def answers(
    pattern: str,
    options: int,
    pieces: Sequence[str | int] | None,
    texts: Sequence[str],
    longest: int = _NO_LIMIT,
    most: int = _NO_LIMIT,
) -> Answers:
    """Tell in which texts a pattern is found, or replace it by pieces of text and groups.

    There is no replacing of a pattern that matches the empty string (XPath, err:FORX0003): every answer is None.
    ``TooLongError`` says that an answer would have more than ``longest`` characters, or all of them more than ``most``.
    """
    expression = compiled(pattern, options)
    if pieces is None:
        return [expression.search(text) is not None for text in texts]
    if expression.search("") is not None:
        return [None] * len(texts)

    made = total = 0

    def filled(match: re.Match[str]) -> str:
        nonlocal made, total
        piece = "".join(piece if isinstance(piece, str) else match[piece] or "" for piece in pieces)
        made, total = made + len(piece), total + len(piece)
        if made > longest or total > most:
            raise TooLongError
        return piece

    found: Answers = []
    for text in texts:
        made = len(text)
        found.append(expression.sub(filled, text))
    return found


def send(stream: IO[bytes], value: object) -> None:
    """Write a value to the other side."""
    data = pickle.dumps(value)
    stream.write(len(data).to_bytes(_HEADER, "big") + data)
    stream.flush()


def received(stream: IO[bytes]) -> Any:
    """Return what the other side has written, None when it has ended."""
    head = stream.read(_HEADER)
    size = int.from_bytes(head, "big")
    data = stream.read(size) if len(head) == _HEADER else b""
    return pickle.loads(data) if data and len(data) == size else None


def _serve() -> None:
    """Answer requests from standard input until it ends; each has the seconds after which nobody waits for it."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        while (request := received(source)) is not None:
            seconds, *arguments = request
            # Whoever asked may be gone without having ended this process.
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
            try:
                found: Answers | bool = answers(*arguments)
            except TooLongError:
                found = False
            faulthandler.cancel_dump_traceback_later()
            send(target, found)


if __name__ == "__main__":
    _serve()
