"""Keeping the garbage collector from walking what is only being built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Switch the cyclic garbage collector off for a while.

    Thousands of axioms and rules are made at once and none of them is garbage: looking for cycles among them again and
    again can take longer than making them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
