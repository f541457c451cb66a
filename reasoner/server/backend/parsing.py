"""Reading queries and updates: short ones at once, long ones in processes that can be stopped and hold nobody up.

Reading takes about ten microseconds for every triple of an update, and Python runs one thread at a time: in the process
of the server, a text of megabytes would slow every answer down, and could not be stopped. A short text takes a few
milliseconds at the most, which is less than to wait for another process that reads somebody else's.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import cache

from reasoner.server.backend.child import MEGABYTE, Child, serve_requests
from reasoner.sparql import translate as translating
from reasoner.sparql.algebra import Query
from reasoner.sparql.budget import Budget
from reasoner.sparql.operation import Operation
from reasoner.sparql.translate import translate_anew
from reasoner.sparql.translate_update import translate_update
from reasoner.subscriptions.view import view_of

# Seconds after which a text is given up, whoever waits for it.
_LONGEST_QUERY = 5.0
_LONGEST_UPDATE = 60.0

# Texts of queries that are remembered: so many, of so many characters together, and none of more than so many, so that
# what is remembered stays small whatever clients send.
_REMEMBERED = 512
_REMEMBERED_CHARACTERS = 1 << 20
_REMEMBERED_LENGTH = 16_384

# Texts up to this length are read in the thread that asks.
_SHORT = 4096

# What a process that reads texts may take: many times what it takes for a megabyte of a query.
_MEMORY = 2048 * MEGABYTE


@cache
def parsers() -> Parsers:
    """Return the parsers of this process, which all its servers share; they end with it."""
    made = Parsers()
    atexit.register(made.close)
    return made


class Parsers:
    """Reads texts: short ones in the thread that asks, long queries and long updates each in a process."""

    def __init__(self) -> None:
        self._queries = Child(__name__, "query", "text", _LONGEST_QUERY, _MEMORY)
        self._updates = Child(__name__, "update", "text", _LONGEST_UPDATE, _MEMORY)
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], Query] = OrderedDict()
        self._characters = 0

    def query(self, text: str, base: str, budget: Budget) -> Query:
        """Return a query as algebra; what is malformed is refused with its place, and what takes too long as well."""
        key = base, text
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found: Query
        if len(text) <= _SHORT:
            found = translate_anew(text, base=base)
        else:
            found = self._queries.ask("query", text, base, budget=budget)
        if len(text) <= _REMEMBERED_LENGTH:
            self._remember(key, found)
        return found

    def view(self, text: str, base: str, budget: Budget) -> Query:
        """Return what a text subscribes to, as ``view_of`` tells it, or refuse it."""
        if len(text) <= _SHORT:
            return view_of(text, base=base)
        found: Query = self._queries.ask("view", text, base, budget=budget)
        return found

    def update(self, text: str, base: str, budget: Budget) -> tuple[Operation, ...]:
        """Return the operations of an update, or refuse it."""
        if len(text) <= _SHORT:
            return translate_update(text, base=base)
        found: tuple[Operation, ...] = self._updates.ask("update", text, base, budget=budget)
        return found

    def close(self) -> None:
        """End the processes."""
        for child in (self._queries, self._updates):
            child.close()

    def _remember(self, key: tuple[str, str], found: Query) -> None:
        with self._lock:
            if key not in self._known:
                self._known[key] = found
                self._characters += sum(map(len, key))
            while len(self._known) > _REMEMBERED or self._characters > _REMEMBERED_CHARACTERS:
                (base, text), _ = self._known.popitem(last=False)
                self._characters -= len(base) + len(text)


def _reader(kind: str) -> Callable[[str, str, str], object]:
    """Return what reads texts in a process."""
    readers: dict[str, Callable[..., object]] = {"query": translate_anew, "view": view_of, "update": translate_update}

    remembering = [value for value in vars(translating).values() if hasattr(value, "cache_clear")]

    def read(reading: str, text: str, base: str) -> object:
        try:
            return readers[reading](text, base=base)
        finally:
            # A translation may be remembered with its text, however long that is.
            for function in remembering:
                function.cache_clear()

    # Whoever is first should not wait for the modules to be loaded.
    read(kind, "INSERT DATA {}" if kind == "update" else "ASK {}", "")
    return read


if __name__ == "__main__":
    serve_requests(_reader(sys.argv[1]), int(sys.argv[2]))
