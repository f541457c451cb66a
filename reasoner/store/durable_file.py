"""Bytes that are on disk once they are written, and survive the end of the process or the machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write_new(path: Path, data: Any) -> None:
    """Write a file that nobody reads yet; ``sync`` must follow before anybody does.

    What a commit that was cut short has left in its place goes first, be it a link to somewhere else.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with path.open("xb", buffering=0) as stream:
        rest = memoryview(data)
        while rest:
            rest = rest[stream.write(rest) :]


def sync(paths: Iterable[Path]) -> None:
    """Make sure that files and folders are on disk; of many, the first ones mostly take the others along."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def replace(path: Path, data: Any) -> None:
    """Put a file in the place of another one: whoever reads it sees the old one or the new one, whole."""
    temporary = path.with_name(f".{path.name}.new")
    write_new(temporary, data)
    sync([temporary])
    temporary.replace(path)
    sync([path.parent])
