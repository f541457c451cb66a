"""The last committed state of a reasoner, for readers that never wait for the next one."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner


@dataclass(frozen=True, slots=True)
class Version:
    """One committed state: a reasoner that can be asked by many threads and never changes, and its number.

    A commit makes facts, mapping and program anew and leaves the old ones as they are; what it does change is the
    dictionary, which grows, and the attributes of the reasoner and its store. So a version has copies of these two,
    which cost nothing, and the dictionary as it was.
    """

    number: int
    kb: Reasoner
    since: float = field(default_factory=time.time)


class Committed:
    """Holds the last version; ``publish`` is for the one writer, ``last`` for everybody."""

    def __init__(self, kb: Reasoner) -> None:
        self._kb = kb
        kb._materialised()
        self._last = Version(0, _frozen(kb))

    @property
    def kb(self) -> Reasoner:
        """The reasoner that commits are made to."""
        return self._kb

    @property
    def last(self) -> Version:
        return self._last

    def publish(self) -> Version:
        """Let readers see what was committed, and return it as a version."""
        if self._kb.store.state is not self._last.kb.store.state:
            self._last = Version(self._last.number + 1, _frozen(self._kb))
        return self._last


def _frozen(kb: Reasoner) -> Reasoner:
    frozen = copy.copy(kb)
    frozen.store = copy.copy(kb.store)
    frozen.store.dictionary = kb.store.dictionary.frozen()
    return frozen
