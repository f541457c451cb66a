"""What a commit imports, imported before it begins: Ctrl-C must not leave a module half imported.

A package whose import was interrupted can often not be imported again in the same process, NumPy's among them. So the
modules that are otherwise imported when they are first needed are imported here, and an interrupt that comes meanwhile
is raised when all of them are there.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@cache
def import_for_commits(profile: str) -> None:
    """Import what reasoning by a profile and a change of it need, once."""
    with held_interrupts():
        import reasoner.columnar.schema_lookup
        import reasoner.rules.value_joins
        import reasoner.state.delta
        import reasoner.state.draft
        import reasoner.state.rule_change  # noqa: F401

        if profile != "none":
            from ontologies import dlp, owl2rl, separable, structural, swrl, translate  # noqa: F401


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Let an interrupt that comes during a block take effect when the block is over."""
    handler = signal.getsignal(signal.SIGINT)
    # Elsewhere than in the main thread nothing is interrupted, and no handler can be set.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if came:
        signal.raise_signal(came[0])
