"""Reading uploaded documents in processes of their own, small ones apart from large ones."""

from __future__ import annotations

import atexit
import sys
from functools import cache

from reasoner.server.backend.child import MEGABYTE, Child, serve_requests
from reasoner.sparql.budget import Budget

# Documents up to this size need not wait for larger ones.
_SMALL = MEGABYTE

# Seconds after which a document is given up, whoever waits for it.
_LONGEST = 60.0


@cache
def documents(memory: int) -> Documents:
    """Return what reads documents within so many bytes; all servers of this process share it, and it ends with it."""
    made = Documents(memory)
    atexit.register(made.close)
    return made


class Documents:
    """Reads documents of one graph; their processes are kept, so that a small one costs little."""

    def __init__(self, memory: int) -> None:
        self._small, self._large = (
            Child(__name__, "document", "document", _LONGEST, memory, "--document-memory") for _ in range(2)
        )

    def read(self, body: bytes, media: str, base: str, budget: Budget) -> bytes:
        """Return a document as N-Triples, or refuse it."""
        child = self._small if len(body) <= _SMALL else self._large
        found: bytes = child.ask(body, media, base, budget=budget)
        return found

    def close(self) -> None:
        """End the processes."""
        self._small.close()
        self._large.close()


if __name__ == "__main__":
    from reasoner.server.backend.answer import TURTLE, read

    # Whoever is first should not wait for the libraries to be loaded.
    read(b"<a:s> <a:p> <a:o> .", TURTLE, "a:b")
    serve_requests(read, int(sys.argv[2]))
