"""Updates that were submitted, and what became of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoner.delta import Delta
from reasoner.errors import ReasonerError
from reasoner.quads import WantedQuads
from reasoner.rule_request import RuleRequest

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner


@dataclass(slots=True)
class DynamicWork:
    """What became of the updates of one commit.

    ``submissions`` is how many updates it was to carry, ``cancelled`` how many changes of single facts were taken back
    by a later update before they were made, ``arrivals`` how often further updates came while others were worked on,
    and ``stopped`` how often a step was given up because such updates took back all that it does.
    """

    submissions: int = 0
    cancelled: int = 0
    arrivals: int = 0
    stopped: int = 0


class Ticket:
    """An update on its way: ``wait`` for the commit that carries it.

    An update is what is wanted of quads and of rules, or a ``change``, which is let loose on the state that the updates
    before it left. ``begin`` is called when the update is taken up, and may raise what it fails with.
    """

    def __init__(
        self,
        quads: WantedQuads | None = None,
        rules: RuleRequest | None = None,
        change: Callable[[Reasoner], Delta] | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> None:
        self.quads = quads or WantedQuads()
        self.rules = rules or RuleRequest()
        self.change = change
        self.begin = begin
        self._settled = threading.Event()
        self._on_settled: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._delta: Delta | None = None
        self._error: BaseException | None = None
        self._work = DynamicWork()
        self.error_was_raised = False

    @property
    def done(self) -> bool:
        """Whether the update is committed, or has failed."""
        return self._settled.is_set()

    @property
    def has_failed(self) -> bool:
        return self._error is not None

    @property
    def delta(self) -> Delta:
        """What the commit that carries the update did, with that of the other updates that it carries."""
        if not self.done:
            raise ReasonerError("the update has not been committed yet; wait for it")
        if self._error is not None:
            self.error_was_raised = True
            raise self._error
        assert self._delta is not None
        return self._delta

    @property
    def work(self) -> DynamicWork:
        """What became of the updates of the commit that carries this one, or would have."""
        return self._work

    def wait(self, timeout: float | None = None) -> Delta:
        """Wait until the update is committed and return what the commit did; raise the error if it failed."""
        if not self._settled.wait(timeout):
            raise TimeoutError(f"the update was not committed within {timeout} s")
        return self.delta

    def settle(self, delta: Delta | None, work: DynamicWork, error: BaseException | None = None) -> None:
        """Tell those who wait how it ended."""
        with self._lock:
            self._delta, self._work, self._error = delta, work, error
            self._settled.set()
        for callback in self._on_settled:
            callback()

    def when_settled(self, callback: Callable[[], None]) -> None:
        """Call something once it is known how it ended, from the thread that knows; at once if that is so already."""
        with self._lock:
            if not self.done:
                self._on_settled.append(callback)
                return
        callback()
