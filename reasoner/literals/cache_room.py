"""Caches of texts kept within bytes: a number of entries says nothing about what they take."""

from __future__ import annotations

from collections.abc import Callable

# Shorter texts are not counted: as many as a cache has entries take little.
_SHORT = 1000
_MOST_CHARACTERS = 1 << 26


class CacheRoom:
    """Empties a cache whenever the long texts that came into it have taken up its room.

    The function that is cached says what it is called with, which it is only for what the cache does not hold.

    >>> cleared = []
    >>> room = CacheRoom(5_000)
    >>> for _ in range(3): room.take("x" * 2_000, lambda: cleared.append(1))
    >>> cleared
    [1]
    """

    def __init__(self, most: int = _MOST_CHARACTERS) -> None:
        self._most = most
        self._taken = 0

    def take(self, text: str, clear: Callable[[], object]) -> None:
        """Count a text that comes into the cache, and ``clear`` the cache if that is too much."""
        if len(text) > _SHORT:
            self._taken += len(text)
            if self._taken > self._most:
                self._taken = 0
                clear()
