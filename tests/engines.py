"""The engines that tests of algorithms run on, each as a maker of reasoners that work there.

``columnar`` works in memory, ``spark`` on Spark, whose driver has room for all facts of a test, and ``spark in files``
on Spark with a driver that has room for none, so that every set of facts is in files and every round is distributed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reasoner import Reasoner

ENGINES = ("columnar", "spark", "spark in files")

# Takes what ``Reasoner`` takes, the engine and its session apart.
Make = Callable[..., Reasoner]


class SparkMaker:
    """Makes reasoners in one session of Spark; what Spark holds for them is released in the end."""

    def __init__(self, session: Any, *, in_files: bool) -> None:
        self._session = session
        self._in_files = in_files
        self._made: list[Reasoner] = []

    def __call__(self, profile: str = "owl2rl", **options: Any) -> Reasoner:
        kb = Reasoner(profile, engine="spark", session=self._session, **options)
        if self._in_files:
            from reasoner.spark.store import SparkStore

            store = SparkStore(self._session, driver_rows=0)
            store.axioms = kb.store.axioms
            kb.session.use(store)
        self._made.append(kb)
        return kb

    def close(self) -> None:
        """Release all that was made; none of it can be asked any more."""
        while self._made:
            self._made.pop().store.close()
