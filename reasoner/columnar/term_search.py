"""Finding terms by a part of their name or label, as somebody types."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, Mask, ranges
from reasoner.columnar.table import Table
from reasoner.rules.term import RDFS
from reasoner.vocabulary import OCCURS

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
_NAME_OF_LITERAL = r'(?s)^"(.*)"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?$'
_NAME_OF_BLANK = r"(?s)^_:.*$"

# Terms are put into the index in pieces of so many, between which the time is looked at.
_PIECE = 1 << 17

# Matches that are put in order; where there are more, those that were numbered first are taken.
_MOST_RANKED = 2000

# Labels of one term that are compared.
_MOST_LABELS = 50


@dataclass(frozen=True, slots=True)
class Match:
    """A term that was found, and the label by which it was found, if it was not by its own name."""

    term: str
    label: str | None
    rank: int


class TermSearch:
    """The names of all terms of a dictionary in lower case, made when they are first asked for.

    A dictionary only ever grows, so that the index is kept across commits and extended by what is new. Who has which
    label is looked up in the facts of the store that is asked, so that no commit makes the index wrong.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: list[pa.Array] = []
        self._size = 0

    def matches(self, store: ColumnarStore, text: str, most: int, check: Callable[[], None]) -> list[Match]:
        """Return the terms whose name or label begins with a text, or else has it in it, the best first.

        ``check`` is called now and then, and may raise.
        """
        wanted = text.strip().lower()
        if not wanted:
            return []
        self._extend(store.dictionary, check)
        found: dict[str, Match] = {}
        for match in (*self._exact(store, text.strip()), *self._named(store, wanted, check)):
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
                self._pieces.append(pc.utf8_lower(names))
                self._size = last

    def _exact(self, store: ColumnarStore, text: str) -> list[Match]:
        """Return the term that is written out in full."""
        iri = text if text.startswith("<") else f"<{text}>"
        id = store.dictionary.lookup(iri)
        return [] if id is None or not _occurring(store, [id]) else [Match(iri, None, 0)]

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


def _ranks(pieces: list[pa.Array], wanted: str, size: int, check: Callable[[], None]) -> list[tuple[int, Ids]]:
    """Return the ids of the terms that are named so, those whose name begins so, and those that have it within."""
    found: tuple[list[Ids], ...] = ([], [], [])
    first = 0
    for piece in pieces:
        check()
        within = np.flatnonzero(pc.match_substring(piece, wanted).to_numpy(zero_copy_only=False))
        names = piece.take(pa.array(within))
        starts = pc.starts_with(names, wanted).to_numpy(zero_copy_only=False)
        equal = pc.equal(names, wanted).to_numpy(zero_copy_only=False)
        ids = within + first
        for place, mask in enumerate((equal, starts & ~equal, ~starts)):
            found[place].append(ids[mask])
        first += len(piece)
    # A reader may have an older dictionary than the one that the index was last made for.
    whole = [np.concatenate([np.empty(0, np.int64), *parts]) for parts in found]
    return [(rank, ids[ids < size]) for rank, ids in enumerate(whole)]


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


def _order(match: Match) -> tuple[int, bool, int, str]:
    shown = match.label or match.term
    return match.rank, match.label is not None, len(shown), match.term
