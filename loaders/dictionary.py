"""Terms to dense ids and back, in a few bytes a term beyond the texts.

``Dictionary`` is the usual one, ``FrozenDictionary`` one as it was at one moment, for readers that must not wait for
whoever makes it grow, and ``ReadyDictionary`` one over texts that have their ids already, such as those of a file.
"""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loaders.arrow import flag_column, number_array, number_column, text_array, text_list
from loaders.texts import TermTexts

_EMPTY = -1
_FULLEST = 0.8
# Below this many terms, one by one in Python beats a round of array operations.
_SMALL_BATCH = 256
_SMALL_ROUND = 32
_QUOTE = ord('"')
_UNDERSCORE = ord("_")
_SCOPED_LABEL = re.compile(r"_:f([0-9]{1,18})[_-]")


Own = TypeVar("Own", bound="Dictionary")
Given = ParamSpec("Given")
Result = TypeVar("Result")


def one_at_a_time(
    method: Callable[Concatenate[Own, Given], Result],
) -> Callable[Concatenate[Own, Given], Result]:
    """Let no thread see the table or the texts while another one makes them grow."""

    @wraps(method)
    def locked(self: Own, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        with self._lock:
            return method(self, *args, **kwargs)

    return locked


class Dictionary:
    """Terms <-> dense int ids from 0, in order of first appearance. Term text is canonical N-Triples.

    The index is an open-addressing table of ids with triangular probing, and 32 bits of hash an id. A hash only ever
    proposes a candidate; texts decide. Work on a batch costs in proportion to the batch, whatever the size of the
    dictionary, save for the amortised doubling of the table. Threads may share a dictionary.

    >>> terms = Dictionary()
    >>> terms.encode(["<http://a/x>", '"1"', "<http://a/x>"]).tolist()
    [0, 1, 0]
    >>> terms.text(1), terms.lookup('"2"')
    ('"1"', None)
    """

    # How often terms were forgotten: what was remembered by id before may be about another term now.
    truncations = 0

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._texts = TermTexts()
        self._hashes: NDArray[np.uint32] = np.zeros(64, np.uint32)
        self._hashes_view = self._hashes.data
        self._literals: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._literals_known = 0
        self._scopes = 0
        self._scopes_known = 0
        self._marked = 0
        self._set_slots(np.full(128, _EMPTY, np.int32))

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def text_bytes(self) -> int:
        """The bytes of the term texts proper."""
        return self._texts.text_bytes

    @property
    def overhead_bytes(self) -> int:
        """The bytes of everything else: positions, hashes, table, and the mask of literals once asked for."""
        hashes = len(self) * self._hashes.itemsize
        return int(hashes + self._slots.nbytes + self._literals_known + self._texts.overhead_bytes)

    @one_at_a_time
    def encode(self, terms: Sequence[str] | pa.Array) -> NDArray[np.int64]:
        """Return the id of each term, giving the next free ids to terms not seen before."""
        if len(terms) <= _SMALL_BATCH:
            return np.fromiter(map(self.id_of, _listed(terms)), np.int64, len(terms))
        unique, codes = distinct_texts(terms)
        hashes = _hash_all(unique)
        self._make_room(len(unique))
        ids = self._find_distinct(unique, hashes)
        missing = np.flatnonzero(ids < 0)
        if len(missing):
            first = len(self)
            self._texts.extend(unique if len(missing) == len(unique) else unique.take(number_array(missing)))
            added = np.arange(first, first + len(missing))
            ids[missing] = added
            self._hashes[first : first + len(missing)] = hashes[missing]
            self._insert(added, hashes[missing])
        return ids[codes]

    @one_at_a_time
    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each term, or -1 where it is unknown; nothing is added."""
        if len(terms) <= _SMALL_BATCH:
            found = (self.lookup(term) for term in terms)
            return np.fromiter((-1 if id is None else id for id in found), np.int64, len(terms))
        unique, codes = distinct_texts(terms)
        return self._find_distinct(unique, _hash_all(unique))[codes]

    @one_at_a_time
    def lookup(self, term: str) -> int | None:
        """Return the id of one term, or None if it is unknown."""
        id, _ = self._probe(term.encode(), hash(term) & 0xFFFFFFFF)
        return None if id < 0 else id

    @one_at_a_time
    def id_of(self, term: str) -> int:
        """Return the id of one term, giving it the next free id if it was not seen before."""
        text, hashed = term.encode(), hash(term) & 0xFFFFFFFF
        id, slot = self._probe(text, hashed)
        if id >= 0:
            return id
        id = len(self._texts)
        if (id + 1) > _FULLEST * len(self._slots) or id >= len(self._hashes):
            self._make_room(1)
            _, slot = self._probe(text, hashed)
        self._texts.append(text)
        self._hashes_view[id] = hashed
        self._slots_view[slot] = id
        return id

    def index(self) -> None:
        """Make what looking up terms needs, if it is only made when they are first looked up."""

    def text(self, id: int) -> str:
        """Return the text of one id; raise ``IndexError`` if there is no such id."""
        if not 0 <= id < len(self._texts):
            raise IndexError(f"no term has the id {id}; the dictionary holds {len(self._texts)} terms")
        return self._texts[int(id)].decode()

    def decode(self, ids: NDArray[np.integer[Any]] | Sequence[int]) -> list[str]:
        """Return the texts of ids, in their order."""
        return text_list(self.decode_arrow(ids))

    @one_at_a_time
    def decode_arrow(self, ids: NDArray[np.integer[Any]] | Sequence[int]) -> pa.Array:
        """Return the texts of ids, in their order, as an Arrow array of strings."""
        ids = np.asarray(ids)
        if not len(ids):
            return text_array([])
        low, high = int(ids.min()), int(ids.max())
        if low < 0 or high >= len(self):
            raise IndexError(f"no term has the id {low if low < 0 else high}; the dictionary holds {len(self)} terms")
        return self._texts.take(ids)

    def held_from(self, first: int) -> NDArray[np.int64]:
        """Return the ids, from ``first`` on, of the terms that are in memory, which here are all."""
        return np.arange(first, max(first, len(self)))

    @one_at_a_time
    def literal_mask(self) -> NDArray[np.bool_]:
        """Tell for every id whether it is a literal; read-only, extended by what is new since the last call."""
        known, total = self._literals_known, len(self)
        if known < total:
            if total > len(self._literals):
                grown = np.zeros(total + total // 8, np.bool_)
                grown[:known] = self._literals[:known]
                self._literals = grown
            self._literals[known:total] = self._are_literals_from(known)
            self._literals_known = total
        mask = self._literals[:total]
        mask.flags.writeable = False
        return mask

    @one_at_a_time
    def new_blank_scope(self) -> str:
        """Return a prefix for blank node labels that no blank node of this dictionary begins with."""
        self._scopes = max(self._scopes, self.highest_new_scope() + 1)
        scope = f"f{self._scopes}"
        self._scopes += 1
        return scope

    @one_at_a_time
    def mark(self, length: int) -> None:
        """Note that somebody has a copy of the first ``length`` terms."""
        self._marked = length

    @property
    def marked(self) -> int:
        """How many of the terms that were marked are still there, each with the id that it had."""
        return self._marked

    @one_at_a_time
    def truncate(self, length: int) -> None:
        """Forget every term with an id of ``length`` or more, as if it had never been seen."""
        if length >= len(self):
            return
        self.truncations += 1
        self._marked = min(self._marked, length)
        self._texts.truncate(length)
        self._literals_known = min(self._literals_known, length)
        # Masks handed out before share this memory up to the old length.
        self._literals = self._literals[: self._literals_known].copy()
        self._scopes_known = min(self._scopes_known, length)
        self._rebuild(len(self._slots))

    def frozen(self) -> Dictionary:
        """Return the dictionary as it is now, for readers that must not wait for whoever makes it grow."""

        return FrozenDictionary(self)

    def _are_literals_from(self, first: int) -> NDArray[np.bool_]:
        """Tell for every id from ``first`` on whether it is a literal."""
        found: NDArray[np.bool_] = self._texts.first_bytes(first) == _QUOTE
        return found

    def _probe(self, text: bytes, hashed: int) -> tuple[int, int]:
        """Return the id of a term, or -1, and the slot where the search ended."""
        slots, hashes, mask = self._slots_view, self._hashes_view, self._mask
        slot, step = hashed & mask, 0
        while (id := slots[slot]) >= 0:
            if hashes[id] == hashed and self._texts[id] == text:
                return id, slot
            step += 1
            slot = (slot + step) & mask
        return -1, slot

    def _find_distinct(self, unique: pa.StringArray, hashes: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return ids, -1 where unknown, in rounds that move all open searches one slot on."""
        ids = np.full(len(unique), -1, np.int64)
        pending = np.arange(len(unique))
        wanted, slot, step = hashes, (hashes & np.uint32(self._mask)).astype(np.int64), 0
        while len(pending) > _SMALL_ROUND:
            occupant = self._slots[slot]
            taken = occupant >= 0
            same = taken & (self._hashes[occupant] == wanted)
            ids[pending[same]] = occupant[same]
            going = taken & ~same
            pending, wanted, step = pending[going], wanted[going], step + 1
            slot = (slot[going] + step) & self._mask
        candidates = np.flatnonzero(ids >= 0)
        if len(candidates):
            ours = unique if len(candidates) == len(unique) else unique.take(number_array(candidates))
            equal = flag_column(pc.equal(ours, self._texts.take(ids[candidates])))
            # 32 bits do collide among millions of terms: whoever met a stranger searches alone.
            pending = np.concatenate([pending, candidates[~equal]])
        for index in pending.tolist():
            ids[index], _ = self._probe(unique[index].as_py().encode(), int(hashes[index]))
        return ids

    def _insert(self, ids: NDArray[np.int64], hashes: NDArray[np.uint32]) -> None:
        """Enter ids of terms that are known to be absent and distinct."""
        slot, step = (hashes & np.uint32(self._mask)).astype(np.int64), 0
        while len(ids) > _SMALL_ROUND:
            free = self._slots[slot] == _EMPTY
            self._slots[slot[free]] = ids[free]
            # Of several that met in one free slot the last writer stays; the others go on.
            going = self._slots[slot] != ids
            ids, step = ids[going], step + 1
            slot = (slot[going] + step) & self._mask
        slots, mask = self._slots_view, self._mask
        for id, place in zip(ids.tolist(), slot.tolist(), strict=True):
            taken = step
            while slots[place] >= 0:
                taken += 1
                place = (place + taken) & mask
            slots[place] = id

    def _make_room(self, count: int) -> None:
        total = len(self) + count
        if total > len(self._hashes):
            grown = np.zeros(max(total, len(self._hashes) * 3 // 2), np.uint32)
            grown[: len(self)] = self._hashes[: len(self)]
            self._hashes, self._hashes_view = grown, grown.data
        size = len(self._slots)
        while total > _FULLEST * size:
            size *= 2
        if size > len(self._slots):
            self._rebuild(size)

    def _rebuild(self, size: int) -> None:
        self._set_slots(np.full(size, _EMPTY, np.int32 if size <= 2**31 else np.int64))
        # In pieces: the temporaries of one piece stay small beside the table.
        for first in range(0, len(self), 1 << 20):
            last = min(first + (1 << 20), len(self))
            self._insert(np.arange(first, last), self._hashes[first:last])

    def _set_slots(self, slots: NDArray[Any]) -> None:
        self._slots, self._slots_view, self._mask = slots, slots.data, len(slots) - 1

    def highest_new_scope(self) -> int:
        """Return the highest scope number in a blank node that was added since the last call, or -1."""
        first, self._scopes_known = self._scopes_known, len(self)
        blanks = first + np.flatnonzero(self._texts.first_bytes(first) == _UNDERSCORE)
        if not len(blanks):
            return -1
        heads = pc.unique(pc.utf8_slice_codeunits(self._texts.take(blanks), 0, 24)).to_pylist()
        return max((int(match[1]) for head in heads if (match := _SCOPED_LABEL.match(head))), default=-1)


def distinct_texts(terms: Sequence[str] | pa.Array) -> tuple[pa.StringArray, NDArray[np.int32]]:
    """Return the different ones of some terms, and for each term which of these it is."""
    if isinstance(terms, pa.ChunkedArray):
        terms = terms.combine_chunks()
    if isinstance(terms, pa.DictionaryArray):
        return terms.dictionary, number_column(terms.indices)
    if not isinstance(terms, pa.Array):
        if any(term is None for term in terms):
            raise ValueError("a term must not be null")
        terms = text_array(terms)
    array = terms
    if array.type != pa.string():
        array = array.cast(pa.string())
    if array.null_count:
        raise ValueError("a term must not be null")
    encoded = array.dictionary_encode()
    return encoded.dictionary, number_column(encoded.indices)


def _hash_all(unique: pa.StringArray) -> NDArray[np.uint32]:
    texts = text_list(unique)
    return np.fromiter(map(hash, texts), np.int64, len(unique)).astype(np.uint32)


class FrozenDictionary(Dictionary):
    """The terms that a dictionary had when this was made: nothing is copied, and no lock is ever taken.

    What the two share never changes for these terms: texts and hashes are written behind them only, and the table of
    ids is filled where it was empty. A term found in the table whose id is too high came later, and is passed by: it
    stands behind all older ones on its way. Whoever takes back terms of the dictionary must not take back these.

    >>> terms = Dictionary()
    >>> _ = terms.encode(["<http://a/x>"])
    >>> frozen = FrozenDictionary(terms)
    >>> _ = terms.encode(["<http://a/y>"])
    >>> frozen.lookup("<http://a/x>"), frozen.lookup("<http://a/y>"), len(frozen)
    (0, None, 1)
    """

    def __init__(self, source: Dictionary) -> None:
        with source._lock:
            # Whatever the dictionary makes on first use it makes now, for both.
            source.literal_mask()
            source.index()
            vars(self).update(vars(source))
            self._texts = _frozen_texts(source._texts)
        self._size = len(self._texts)
        self._lock: Any = nullcontext()

    def encode(self, terms: Sequence[str] | Any) -> NoReturn:
        raise TypeError("this dictionary is frozen; give new terms to the one that it was made from")

    id_of = truncate = new_blank_scope = encode  # type: ignore[assignment]

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each term, or -1 where it is unknown."""
        found = (self.lookup(term) for term in terms)
        return np.fromiter((-1 if id is None else id for id in found), np.int64, len(terms))

    def _probe(self, text: bytes, hashed: int) -> tuple[int, int]:
        slots, hashes, mask, size = self._slots_view, self._hashes_view, self._mask, self._size
        slot, step = hashed & mask, 0
        while (id := slots[slot]) >= 0:
            if id < size and hashes[id] == hashed and self._texts[id] == text:
                return id, slot
            step += 1
            slot = (slot + step) & mask
        return -1, slot


def _frozen_texts(texts: TermTexts) -> TermTexts:
    """Return the texts so far: the same memory, with ends of its own."""
    frozen = copy.copy(texts)
    frozen._segments = [copy.copy(segment) for segment in texts._segments]
    frozen._firsts = list(texts._firsts)
    return frozen


# As many scans through all terms cost less than an index of them; one for several terms costs as much as a few.
_MOST_SCANS = 64
_SCAN_FOR_SEVERAL = 4


class ReadyDictionary(Dictionary):
    """A dictionary over texts that have their ids already, such as those of a file.

    ``texts`` gives them, ``count`` in number, when one of them is first needed. There is no index at first: the hash of
    a text is another one in every process, so that an index cannot be kept in a file, and making one takes as long as
    many scans through the texts. Terms are looked up by scans until these have cost about as much; then the index is
    made.

    >>> terms = ReadyDictionary(lambda: [pa.array(["<http://a/x>", '"1"'])], 2)
    >>> terms.text(1), terms.lookup("<http://a/x>"), terms.id_of("<http://a/y>"), terms.is_indexed
    ('"1"', 0, 2, False)
    """

    def __init__(self, texts: Callable[[], Iterable[pa.StringArray]], count: int) -> None:
        super().__init__()
        del self._texts
        self._waiting = texts
        self._count = count
        self._scans = 0
        # The ids of the terms that scans were for; -1 is that of an unknown one.
        self._scanned: dict[str, int] = {}
        self.is_indexed = False

    def __getattr__(self, name: str) -> TermTexts:
        # Only what is missing is asked for here.
        if name != "_texts":
            raise AttributeError(name)
        with self._lock:
            if "_texts" not in vars(self):
                texts = TermTexts()
                for part in self._waiting():
                    texts.extend(part)
                if len(texts) != self._count:
                    raise ValueError(f"{len(texts):,} terms are there, and {self._count:,} should be")
                self._waiting = tuple
                self._texts = texts
        return self._texts

    def __len__(self) -> int:
        return len(self._texts) if "_texts" in vars(self) else self._count

    @one_at_a_time
    def encode(self, terms: Sequence[str] | pa.Array) -> NDArray[np.int64]:
        if len(terms) > _SMALL_BATCH or not self._scan(texts := _listed(terms)):
            self.index()
            return super().encode(terms)
        return np.fromiter(map(self._scanned_id, texts), np.int64, len(texts))

    @one_at_a_time
    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        if len(terms) > _SMALL_BATCH or not self._scan(terms):
            self.index()
            return super().find(terms)
        return np.fromiter(map(self._scanned.__getitem__, terms), np.int64, len(terms))

    @one_at_a_time
    def lookup(self, term: str) -> int | None:
        if not self._scan((term,)):
            self.index()
            return super().lookup(term)
        id = self._scanned[term]
        return None if id < 0 else id

    @one_at_a_time
    def id_of(self, term: str) -> int:
        if not self._scan((term,)):
            self.index()
            return super().id_of(term)
        return self._scanned_id(term)

    @one_at_a_time
    def truncate(self, length: int) -> None:
        self._scanned.clear()
        super().truncate(length)

    @one_at_a_time
    def index(self) -> None:
        if self.is_indexed:
            return
        total = len(self)
        hashes: NDArray[Any] = np.empty(max(total, 64), np.uint32)
        # In pieces: a Python object for each term of a piece is enough.
        for first in range(0, total, 1 << 18):
            ids = np.arange(first, min(first + (1 << 18), total))
            hashes[ids] = _hash_all(self._texts.take(ids))
        self._hashes, self._hashes_view = hashes, hashes.data
        size = 128
        while total > _FULLEST * size:
            size *= 2
        self.is_indexed = True
        self._scanned.clear()
        self._rebuild(size)

    def _rebuild(self, size: int) -> None:
        if self.is_indexed:
            super()._rebuild(size)

    def _scan(self, terms: Sequence[str]) -> bool:
        """Find the ids of terms by a scan; return whether they are known now, or an index is to be asked."""
        if self.is_indexed:
            return False
        new = [term for term in dict.fromkeys(terms) if term not in self._scanned]
        if not new:
            return True
        self._scans += 1 if len(new) == 1 else _SCAN_FOR_SEVERAL
        if self._scans > _MOST_SCANS:
            return False
        self._scanned |= dict.fromkeys(new, -1) | self._texts.positions(new)
        return True

    def _scanned_id(self, term: str) -> int:
        """Return the id of a term that a scan was for, giving it the next free id if it was not found."""
        id = self._scanned[term]
        if id < 0:
            id = self._scanned[term] = len(self._texts)
            self._texts.append(term.encode())
        return id


def _listed(terms: Sequence[str] | pa.Array) -> Sequence[str]:
    return terms.to_pylist() if isinstance(terms, (pa.Array, pa.ChunkedArray)) else terms
