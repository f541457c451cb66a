"""Telling that work goes on: a live line on a terminal, one plain line a stage elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer

PATIENCE = 1.0
"""Seconds that a stage may take in silence."""


class Watch:
    """Follows the stages of a command on standard error; a quiet one says nothing."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[str], None]]:
        """Follow one stage; what it yields takes news of how far the stage has come."""
        if self.quiet:
            yield lambda _: None
            return
        if sys.stderr.isatty():
            line = _LiveLine(name)
            try:
                yield line.update
            finally:
                line.stop()
            return
        began = time.perf_counter()
        yield lambda _: None
        seconds = time.perf_counter() - began
        if seconds > PATIENCE:
            print(f"{name}: {seconds:.1f} s", file=sys.stderr)


class _LiveLine:
    """A spinner with text that appears after a while, also if the stage gives no news by then."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.status import Status
        from rich.text import Text

        self._text = Text
        self._name = name
        self._status = Status(Text(name), console=Console(stderr=True))
        self._lock = Lock()
        self._stopped = False
        self._timer = Timer(PATIENCE, self._start)
        self._timer.daemon = True
        self._timer.start()

    def update(self, news: str) -> None:
        self._status.update(self._text(f"{self._name}: {news}", overflow="ellipsis", no_wrap=True))

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._stopped = True
            self._status.stop()

    def _start(self) -> None:
        with self._lock:
            if not self._stopped:
                self._status.start()
