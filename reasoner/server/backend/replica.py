"""A copy of the last version for the process that long queries are forked from, kept up to date by what changed.

A version shares most of its columns with the one before it, and its terms with all that come later. So columns are
sent once each, by number, and terms once each, in their order; the rest of a state is a small structure around them.
"""

from __future__ import annotations

import io
import pickle
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from loaders.dictionary import Dictionary
from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.state.state import State

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner
    from reasoner.server.backend.committed import CommittedVersion

# Columns of fewer bytes are sent with the structure that they belong to.
_SMALL = 2048

# How many terms are sent at a time: others may run between two portions.
_PORTION = 1 << 14


@dataclass(frozen=True, slots=True)
class SentTerms:
    """The next terms of the dictionary, as an Arrow array."""

    texts: Any


@dataclass(frozen=True, slots=True)
class SentColumn:
    """A column that states refer to by its number."""

    number: int
    values: Any


@dataclass(frozen=True, slots=True)
class SentState:
    """The structure of a state over columns that were sent, what a reasoner needs besides, and columns to forget."""

    structure: bytes
    profile: str
    literals: str
    equality: bool
    axioms: bool
    forgotten: tuple[int, ...]


Sent = SentTerms | SentColumn | SentState


class Shipper:
    """Tells what a replica needs to become the next version; for one thread at a time."""

    def __init__(self) -> None:
        self._terms = 0
        self._numbers: dict[int, int] = {}
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._last = 0
        self._gone: list[int] = []

    def parts(self, version: CommittedVersion) -> Iterator[Sent]:
        """Yield what the replica has to be told, in this order, to become a version not older than the one before."""
        kb = version.kb
        dictionary, state = kb.store.dictionary, replace(kb.store.state, memory=None)
        while self._terms < len(dictionary):
            end = min(self._terms + _PORTION, len(dictionary))
            yield SentTerms(dictionary.decode_arrow(range(self._terms, end)))
            self._terms = end
        target, new = io.BytesIO(), list[SentColumn]()
        _Structure(target, lambda column: self._number(column, new)).dump(state)
        yield from new
        # Columns may go at any moment, and are added to the list by whichever thread drops them.
        forgotten = tuple(self._gone.pop() for _ in range(len(self._gone)))
        store = kb.store
        yield SentState(target.getvalue(), kb.profile, kb.literals, store.engine.equality, store.axioms, forgotten)

    def _number(self, column: Any, new: list[SentColumn]) -> int:
        known = self._numbers.get(id(column))
        if known is not None:
            return known
        self._last += 1
        number, key = self._last, id(column)
        self._numbers[key] = number
        self._alive[number] = weakref.ref(column, lambda _: self._forget(key, number))
        new.append(SentColumn(number, column))
        return number

    def _forget(self, key: int, number: int) -> None:
        del self._numbers[key], self._alive[number]
        self._gone.append(number)


class Replica:
    """A reasoner that can be asked as the version that it was last told about."""

    def __init__(self) -> None:
        self._dictionary: Dictionary | None = None
        self._columns: dict[int, Any] = {}
        self._kb: Reasoner | None = None

    @property
    def kb(self) -> Reasoner:
        """The reasoner; its store holds the last version."""
        assert self._kb is not None, "the replica was told about no version yet"
        return self._kb

    def take(self, part: Sent) -> None:
        """Take what a ``Shipper`` tells."""
        match part:
            case SentTerms(texts):
                if self._dictionary is None:
                    self._dictionary = Dictionary()
                self._dictionary.encode(texts)
            case SentColumn(number, values):
                values.flags.writeable = False
                self._columns[number] = values
            case SentState():
                self._become(part)

    def _become(self, told: SentState) -> None:
        from reasoner.reasoner import Reasoner

        state: Snapshot = _Filled(io.BytesIO(told.structure), self._columns).load()
        dictionary = Dictionary() if self._dictionary is None else self._dictionary
        kb = Reasoner(told.profile, literals=told.literals)
        store = ColumnarStore(dictionary, state, equality=told.equality, axioms=told.axioms)
        kb.session.use(store, State(state, len(dictionary), is_materialised=True))
        self._kb = kb
        for number in told.forgotten:
            self._columns.pop(number, None)


class _Structure(pickle.Pickler):
    """Writes a state with numbers in the place of its columns."""

    def __init__(self, target: io.BytesIO, number: Any) -> None:
        super().__init__(target, protocol=5)
        self._number = number

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a column that is large."""
        if hasattr(value, "__array_interface__") and value.nbytes >= _SMALL:
            number: int = self._number(value)
            return number
        return None


class _Filled(pickle.Unpickler):
    """Reads a state whose columns are known by number."""

    def __init__(self, source: io.BytesIO, columns: dict[int, Any]) -> None:
        super().__init__(source)
        self._columns = columns

    def persistent_load(self, number: Any) -> Any:
        """Return the column of a number."""
        return self._columns[number]
