"""Finding terms by a part of their name or label, as somebody types."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, Mask, expand, ranges
from reasoner.columnar.table import Table
from reasoner.terms.term import OCCURS, RDFS

if TYPE_CHECKING:
    from loaders.dictionary import Dictionary
    from reasoner.columnar.store import ColumnarStore

_SKOS = "http://www.w3.org/2004/02/skos/core#"

# What labels something, the best label first; so does a predicate of any vocabulary whose name is one of ``_WORDS``.
LABELS = tuple(
    f"<{iri}>"
    for iri in (
        *(_SKOS + "prefLabel", RDFS + "label", "http://schema.org/name", "https://schema.org/name"),
        *("http://xmlns.com/foaf/0.1/name", "http://purl.org/dc/terms/title", "http://purl.org/dc/elements/1.1/title"),
        *(_SKOS + "altLabel", _SKOS + "hiddenLabel"),
    )
)
_WORDS = ("label", "name", "title")

_ENDINGS = tuple(f"{mark}{word}" for mark in "/#:" for word in _WORDS)

# The last part of an IRI, and what a literal says; a blank node has no name that anybody knows.
_NAME_OF_IRI = r"^<(?:.*[/#:])?([^/#:>]+)[/#:]?>$"
_LOCAL = re.compile(_NAME_OF_IRI)
_NAME_OF_LITERAL = r'(?s)^"(.*)"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?$'
_NAME_OF_BLANK = r"(?s)^_:.*$"

# Terms are put into the index in pieces of so many, between which the time is looked at.
_PIECE = 1 << 18

# Stands between names, and is in none of them.
_END = b"\0"

# Names that are found for each way to match.
_MOST_FOUND = 5000

# Matches that are put in order; where there are more, those that were numbered first are taken.
_MOST_RANKED = 2000

# Labels of one term that are compared.
_MOST_LABELS = 50


@dataclass(frozen=True, slots=True)
class Match:
    """A term that was found, and the label by which it was found, if it was not by its own name.

    Classes and properties, the words of the store, come before others that match as well.
    """

    term: str
    label: str | None
    rank: int
    is_word: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    """The different names of terms from ``first`` on, one after another in a row of bytes, and who has each of them.

    A mark stands before each name and after the last, so that one search finds names that begin or end with a text.
    ``starts`` are where names begin; those called by name k are ``terms[ends[k - 1]:ends[k]]``.
    """

    first: int
    text: bytes
    starts: Ids
    terms: Ids
    ends: Ids

    def named(self, needle: bytes) -> Ids:
        """Return the first terms in whose names some bytes occur, in order."""
        found: list[int] = []
        at = self.text.find(needle)
        while at >= 0 and len(found) < _MOST_FOUND:
            found.append(at)
            at = self.text.find(needle, at + 1)
        names = np.unique(self.starts.searchsorted(np.array(found, dtype=np.int64), "right") - 1)
        if not names.size:
            return names
        _, places = expand(np.where(names > 0, self.ends[names - 1], 0), self.ends[names])
        return np.sort(self.terms[places[:_MOST_FOUND]]) + self.first


class TermSearch:
    """The names of all terms of a dictionary in lower case, made when they are first asked for.

    A dictionary only ever grows, so that the index is kept across commits and extended by what is new. Who has which
    label is looked up in the facts of the store that is asked, so that no commit makes the index wrong.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: list[_Piece] = []
        self._size = 0
        self._words: tuple[object, list[tuple[str, str]]] = (None, [])

    def matches(self, store: ColumnarStore, text: str, most: int, check: Callable[[], None]) -> list[Match]:
        """Return the terms whose name or label begins with a text, or else has it in it, the best first.

        An empty text finds nothing, and leaves the index ready. ``check`` is called now and then, and may raise.
        """
        self._extend(store.dictionary, check)
        wanted = text.strip().lower()
        if not wanted:
            return []
        found: dict[str, Match] = {}
        exact, words = self._exact(store, text.strip()), self._worded(store, wanted)
        for match in (*exact, *words, *self._named(store, wanted, check)):
            if match.term not in found or match.rank < found[match.term].rank:
                found[match.term] = match
        return sorted(found.values(), key=_order)[:most]

    def _extend(self, dictionary: Dictionary, check: Callable[[], None]) -> None:
        """Bring the index up to the size of a dictionary."""
        with self._lock:
            while self._size < len(dictionary):
                check()
                last = min(self._size + _PIECE, len(dictionary))
                texts = dictionary.decode_arrow(np.arange(self._size, last))
                names = pc.replace_substring_regex(texts, _NAME_OF_IRI, r"\1")
                names = pc.replace_substring_regex(names, _NAME_OF_LITERAL, r"\1")
                names = pc.replace_substring_regex(names, _NAME_OF_BLANK, "")
                self._pieces.append(_piece(self._size, pc.utf8_lower(names)))
                self._size = last

    def _exact(self, store: ColumnarStore, text: str) -> list[Match]:
        """Return the term that is written out in full."""
        iri = text if text.startswith("<") else f"<{text}>"
        id = store.dictionary.lookup(iri)
        return [] if id is None or not _occurring(store, [id]) else [Match(iri, None, 0)]

    def _worded(self, store: ColumnarStore, wanted: str) -> list[Match]:
        """Return the classes and properties that are called so; there are few of them beside what they are about."""
        state, words = self._words
        if state is not store.state:
            ids = np.fromiter({*store.state.facts, *store.state.facts.classes()} - {OCCURS}, np.int64)
            texts = [text for text in store.dictionary.decode(np.sort(ids)) if text[0] == "<"]
            words = [(_LOCAL.sub(r"\1", text).lower(), text) for text in texts]
            self._words = store.state, words
        return [
            Match(text, None, 0 if name == wanted else 1 if name.startswith(wanted) else 2, True)
            for name, text in words
            if wanted in name
        ][:_MOST_RANKED]

    def _named(self, store: ColumnarStore, wanted: str, check: Callable[[], None]) -> list[Match]:
        ranks = _ranks(self._pieces, wanted, len(store.dictionary), check)
        if any(mark in wanted for mark in "/#:"):
            # What looks like a piece of an IRI is no name, and is looked for in whole IRIs.
            ranks.append((3, _with_piece(store.dictionary, wanted, check)))
        literal = store.dictionary.literal_mask()
        found: list[Match] = []
        for rank, ids in ranks:
            check()
            if len(found) >= _MOST_RANKED:
                break
            named = ids[~literal[ids]][:_MOST_RANKED]
            found += [Match(text, None, rank) for text in _occurring(store, named.tolist())]
            found += _labelled(store, ids[literal[ids]], rank)
        return found


def _piece(first: int, names: pa.Array) -> _Piece:
    encoded = names.dictionary_encode()
    codes = encoded.indices.to_numpy()
    marked = pc.binary_join_element_wise(pa.scalar(""), encoded.dictionary, _END.decode())
    lengths = pc.binary_length(marked).to_numpy(zero_copy_only=False).astype(np.int64)
    text = "".join((*marked.to_pylist(), _END.decode())).encode()
    ends = np.cumsum(np.bincount(codes, minlength=len(encoded.dictionary)))
    return _Piece(first, text, np.cumsum(lengths) - lengths, np.argsort(codes, kind="stable"), ends)


def label_predicates(store: ColumnarStore) -> list[int]:
    """Return the predicates whose objects label their subjects, the best first."""
    known = {predicate: store.dictionary.text(predicate) for predicate in store.state.facts if predicate != OCCURS}
    order = {text: place for place, text in enumerate(LABELS)}
    chosen = {
        predicate: order.get(text, len(order))
        for predicate, text in known.items()
        if text in order or text[1:-1].lower().endswith(_ENDINGS)
    }
    return sorted(chosen, key=lambda predicate: (chosen[predicate], predicate))


def labels_of(store: ColumnarStore, terms: Iterable[str]) -> dict[str, str]:
    """Return the best label of each term that has one, as a literal; one in English, or in no language, comes first.

    Of several names of one thing each has the label that was asserted of it, so that they can be told apart.
    """
    asked = [text for text in dict.fromkeys(terms) if text[0] != '"']
    predicates = label_predicates(store)
    representatives = store.state.representatives
    found: dict[str, str] = {}
    for text, id in zip(asked, store.dictionary.find(asked).tolist(), strict=True):
        if id < 0:
            continue
        facts = store.state.explicit if representatives.class_of(id).size > 1 else store.state.facts
        for predicate in predicates:
            objects = facts.table(predicate).objects_of(id)[:_MOST_LABELS]
            labels = [label for label in store.dictionary.decode(objects) if label[0] == '"']
            if labels:
                found[text] = min(labels, key=_preference)
                break
    return found


def _ranks(pieces: list[_Piece], wanted: str, size: int, check: Callable[[], None]) -> list[tuple[int, Ids]]:
    """Return the ids of the terms that are named so, those whose name begins so, and those that have it within.

    Of each of the three as many are found as are put in order; where one has enough, the next is not looked for.
    """
    text = wanted.encode()
    ranks: list[tuple[int, Ids]] = []
    known = np.empty(0, dtype=np.int64)
    for rank, needle in enumerate((_END + text + _END, _END + text, text)):
        parts = [np.empty(0, dtype=np.int64)]
        for piece in pieces:
            check()
            if sum(part.size for part in parts) < _MOST_FOUND:
                parts.append(piece.named(needle))
        # A reader may have an older dictionary than the one that the index was last made for.
        ids = np.concatenate(parts)
        ids = ids[(ids < size) & ~np.isin(ids, known)]
        ranks.append((rank, ids))
        known = np.concatenate((known, ids))
        if known.size >= _MOST_FOUND:
            break
    return ranks


def _with_piece(dictionary: Dictionary, wanted: str, check: Callable[[], None]) -> Ids:
    parts = [np.empty(0, np.int64)]
    for first in range(0, len(dictionary), _PIECE):
        check()
        ids = np.arange(first, min(first + _PIECE, len(dictionary)))
        texts = dictionary.decode_arrow(ids)
        hit = pc.match_substring(texts, wanted, ignore_case=True).to_numpy(zero_copy_only=False)
        parts.append(ids[hit])
    found = np.concatenate(parts)
    return found[~dictionary.literal_mask()[found]]


def _occurring(store: ColumnarStore, ids: list[int]) -> list[str]:
    """Return the texts of the terms that some fact mentions; the dictionary knows others, which went."""
    state, asked = store.state, np.array(ids, dtype=np.int64)
    kept = asked[state.representatives.is_plural(asked) | _mentioned(state.facts, state.representatives.of(asked))]
    return [text for text in store.dictionary.decode(kept) if not text.startswith("_:")]


def _mentioned(facts: FactSet, terms: Ids) -> Mask:
    """Tell which representatives occur in some fact."""
    found = np.isin(terms, np.fromiter(facts, np.int64))
    for predicate in facts:
        if found.all():
            break
        open_ = np.flatnonzero(~found)
        found[open_] = _in_table(facts.table(predicate), terms[open_])
    return found


def _in_table(table: Table, terms: Ids) -> Mask:
    found = np.zeros(terms.size, dtype=np.bool_)
    for keys in (*table.subject_runs(), *table.object_runs()):
        low, high = ranges(keys, terms)
        found |= high > low
    if table.dead.size:
        # What runs still hold may be facts no more.
        for place in np.flatnonzero(found).tolist():
            term = int(terms[place])
            found[place] = bool(table.objects_of(term).size or table.subjects_of(term).size)
    return found


def _labelled(store: ColumnarStore, literals: Ids, rank: int) -> list[Match]:
    """Return what some literals label."""
    found: list[Match] = []
    for predicate in label_predicates(store):
        table = store.state.facts.table(predicate)
        known = table.objects()
        here = literals[np.isin(literals, known)][:_MOST_RANKED]
        labels = dict(zip(here.tolist(), store.dictionary.decode(here), strict=True))
        for literal, label in labels.items():
            subjects = table.subjects_of(literal)[:_MOST_RANKED]
            found += [Match(text, label, rank) for text in store.dictionary.decode(subjects) if text[0] != '"']
            if len(found) >= _MOST_RANKED:
                return found
    return found


def _preference(label: str) -> tuple[int, int, str]:
    language = label.rpartition('"')[2]
    return 0 if language.startswith("@en") else 1 if not language.startswith("@") else 2, len(label), label


def _order(match: Match) -> tuple[int, bool, bool, int, str]:
    shown = match.label or match.term
    return match.rank, not match.is_word, match.label is not None, len(shown), match.term
