"""Random choices that are the same for the same key on every machine and Python version."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Draw:
    """A stream of choices that depends on nothing but its key.

    Python promises that a seeded ``random()`` never changes, and promises it for no other method of ``Random``;
    so everything here is made of ``random()``. Give each part of a data set a key of its own (seed, part, number), and
    the part stays as it is when the data set grows.

    >>> Draw("example", 7).distinct(10, 3) == Draw("example", 7).distinct(10, 3)
    True
    """

    __slots__ = ("_random",)

    def __init__(self, *key: object) -> None:
        self._random = Random("/".join(map(str, key))).random

    def below(self, bound: int) -> int:
        """Return one of 0, ..., ``bound`` - 1."""
        return int(self._random() * bound)

    def between(self, low: int, high: int) -> int:
        """Return one of ``low``, ..., ``high``."""
        return low + int(self._random() * (high - low + 1))

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of ``items``, which must not be empty."""
        return items[int(self._random() * len(items))]

    def distinct(self, bound: int, count: int) -> list[int]:
        """Return ``count`` different numbers below ``bound``, in random order; ``count`` must not exceed ``bound``."""
        if 2 * count > bound:
            return self.shuffled(range(bound))[:count]
        random = self._random
        chosen: dict[int, None] = {}
        while len(chosen) < count:
            chosen[int(random() * bound)] = None
        return list(chosen)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return ``items`` in random order (Fisher and Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = int(self._random() * (last + 1))
            result[last], result[other] = result[other], result[last]
        return result
