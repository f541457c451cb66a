"""The journal: every applied step with its exact inverse, one JSON object a line, on disk before the store changes.

A step is written down before its transaction, and its outcome after it. If the process ends in between, the store
itself tells whether the step took effect: each transaction does so whole or not at all. A line that was not written to
its end is as good as not written. Each line has a checksum of itself and all lines before it, so that a line that was
changed, removed or moved is noticed; journals of earlier releases have none. Each version of a store notes how far the
journal went by then, so that lines that are cut off its end are noticed too.

    {"begin": 3, "step": "...", "added": [...], ..., "crc": 9}     a step is about to be taken, or
    {"begin": 4, "undo": 3, ..., "crc": 9}                         taken back
    {"end": 3, "applied": true, "crc": 9}                          it took effect, or it did not
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from reasoner.evolution.apply_change import ExactChange, StoreFacts, graphs_of
from reasoner.rules.errors import ReasonerError
from reasoner.store.file_system import Address, Place, file_system
from reasoner.terms.term import TextTriple

if TYPE_CHECKING:
    from reasoner.rules.rule import Rule
    from reasoner.state.session import KnowledgeBase

FILE = "evolution.jsonl"
_CRC = "crc"

# Structures of blank nodes are small, unless data use them for everything.
_MOST_CONTEXT = 10_000


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One applied step: its number, its name, the script, the time, and what it changed.

    ``context`` is what stayed as it was of the structures of blank nodes that it changed, so that they can be found
    again where their labels are others; None if that is too much to write down. ``prefixes`` are those of the script.
    """

    number: int
    name: str
    script: str
    time: str
    change: ExactChange
    context: tuple[TextTriple, ...] | None = ()
    prefixes: tuple[tuple[str, str], ...] = ()


class JournalError(ReasonerError):
    """A journal that cannot be written."""


class Journal:
    """The steps that were taken and taken back, in a file or, without one, in memory.

    Beyond the local disk, where nothing is appended to a file, it is a folder with a file a line. ``least`` is a
    ``mark`` that it has reached before.
    """

    def __init__(self, path: Place | None = None, least: tuple[int, int] | None = None) -> None:
        self.path = path
        self._least = least
        self._mark: tuple[int, int] | None = None
        self._lines: list[dict[str, Any]] = []
        self._checksum = 0
        self._read = False
        # The steps that were taken on a store which is not committed yet, None if a step is a commit of its own.
        self._taken: list[int] | None = None

    @classmethod
    def in_memory(cls, path: Path) -> Journal:
        """Return a journal that begins with what a file holds, if there is one, and is not written before ``save``."""
        journal = cls()
        if path.exists():
            journal._lines, journal._checksum = _lines(path.read_bytes(), path)
        journal._read = True
        return journal

    def save(self, path: Path) -> None:
        """Write the whole journal to a file, in the place of what it held."""
        data, checksum = [], 0
        for line in self._known():
            written, checksum = _written(line, checksum)
            data.append(written)
        file_system(path).replace(path, b"".join(data))

    def mark(self) -> tuple[int, int]:
        """Return how many bytes are in the file, and their checksum, without reading its lines."""
        if self._mark is None:
            self._mark = _mark_of(self._stored())
        return self._mark

    def begin_commit(self) -> None:
        """Leave the outcome of steps open from now on: the store that they are taken on is committed later, as one.

        Steps that were taken for an earlier attempt of the same commit did not take effect.
        """
        self.end_commit(applied=False)
        self._taken = []

    def end_commit(self, *, applied: bool) -> None:
        """Write down whether the steps since ``begin_commit`` took effect: their store was committed, or it was not."""
        taken, self._taken = self._taken or [], None
        for number in taken:
            self._append({"end": number, "applied": applied})

    def standing(self, kb: KnowledgeBase) -> list[JournalEntry]:
        """Return the steps that took effect and were not taken back, the oldest first."""
        entries: dict[int, JournalEntry] = {}
        ended = {line["end"]: line["applied"] for line in self._known() if "end" in line}
        ended.update(dict.fromkeys(self._taken or (), True))
        for line in self._known():
            if "begin" not in line:
                continue
            number = line["begin"]
            if "undo" in line:
                undone = entries.get(line["undo"])
                if undone and (ended[number] if number in ended else not took_effect(kb, undone.change)):
                    del entries[line["undo"]]
            else:
                entry = _entry(line)
                if ended[number] if number in ended else took_effect(kb, entry.change):
                    entries[number] = entry
        return list(entries.values())

    @contextmanager
    def recording(
        self, kb: KnowledgeBase, name: str, script: str, change: ExactChange, prefixes: Mapping[str, str]
    ) -> Iterator[None]:
        """Write a step down around its transaction."""
        context = context_of(kb, change)
        details = {
            "step": name,
            "script": script,
            "prefixes": dict(prefixes),
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "added": [list(quad) for quad in change.added],
            "removed": [list(quad) for quad in change.removed],
            "rules added": _rule_texts(change.rules_added),
            "rules removed": _rule_texts(change.rules_removed),
            **({} if context == () else {"context": context}),
        }
        with self._around(kb, details):
            yield

    @contextmanager
    def undoing(self, kb: KnowledgeBase, entry: JournalEntry) -> Iterator[None]:
        """Write down around a transaction that it takes a step back."""
        with self._around(kb, {"undo": entry.number, "time": datetime.now(UTC).isoformat(timespec="seconds")}):
            yield

    @contextmanager
    def _around(self, kb: KnowledgeBase, details: dict[str, Any]) -> Iterator[None]:
        self._settle(kb)
        number = 1 + max((line["begin"] for line in self._known() if "begin" in line), default=0)
        self._append({"begin": number, **details})
        try:
            yield
        except BaseException:
            with suppress(JournalError):
                self._append({"end": number, "applied": False})
            raise
        if self._taken is None:
            # The store itself tells that the step took effect, if this cannot be written.
            with suppress(JournalError):
                self._append({"end": number, "applied": True})
        else:
            self._taken.append(number)

    def _settle(self, kb: KnowledgeBase) -> None:
        """Write down the outcome of a step whose process ended before it could."""
        lines = self._known()
        ended = {line["end"] for line in lines if "end" in line}.union(self._taken or ())
        standing = {entry.number for entry in self.standing(kb)}
        for line in [line for line in lines if "begin" in line and line["begin"] not in ended]:
            applied = line["undo"] not in standing if "undo" in line else line["begin"] in standing
            self._append({"end": line["begin"], "applied": applied})

    def _known(self) -> list[dict[str, Any]]:
        if not self._read and self.path is not None:
            data = self._stored()
            self._lines, self._checksum = _lines(data, self.path)
            self._mark = _mark_of(data)
        self._read = True
        return self._lines

    def _stored(self) -> bytes:
        """Return what the file holds, which is nothing if there is none; one that was cut is refused."""
        if isinstance(self.path, Address):
            data = _joined_files(self.path)
            is_there = bool(data)
        else:
            is_there = self.path is not None and self.path.exists()
            data = self.path.read_bytes() if self.path is not None and is_there else b""
        if is_there and self._least is not None:
            size, checksum = self._least
            if len(data) < size or zlib.crc32(data[:size]) != checksum:
                # A line that was changed is told with its number.
                _lines(data, self.path or FILE)
                raise ReasonerError(f"{self.path}: lines at its end are missing; {_REMEDY}")
        return data

    def _append(self, line: dict[str, Any]) -> None:
        self._known()
        data, checksum = _written(line, self._checksum)
        size, crc = self.mark()
        if isinstance(self.path, Address):
            number = 1 + len(self._lines)
            if not file_system(self.path).create(self.path / f"{number:08d}.json", data):
                raise JournalError(
                    f"{self.path} has a line {number} of somebody else; open the store again and repeat the step"
                )
        elif self.path is not None:
            # If something fails on the way, the file tells whether the line is in it.
            self._read, self._mark = False, None
            try:
                _append_durably(self.path, data)
            except OSError as error:
                raise JournalError(
                    f"{self.path} cannot be written: {error.strerror or error}; the store is as it was, remove the "
                    "cause and evolve again"
                ) from error
            self._read = True
        self._mark = size + len(data), zlib.crc32(data, crc)
        self._lines.append(line)
        self._checksum = checksum


def context_of(kb: KnowledgeBase, change: ExactChange) -> tuple[TextTriple, ...] | None:
    """Return what stays as it is of the structures of blank nodes that a change touches; None if it is too much."""
    facts = StoreFacts(kb)
    gone = {(s, p, o) for s, p, o, _ in change.removed}
    waiting = [term for quad in (*change.added, *change.removed) for term in (quad[0], quad[2]) if term[:2] == "_:"]
    seen: set[str] = set()
    found: dict[TextTriple, None] = {}
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        for triple in (*facts.matching(s=node), *facts.matching(o=node)):
            if triple not in gone:
                found[triple] = None
                waiting += [term for term in triple if term.startswith("_:")]
        if len(found) > _MOST_CONTEXT:
            return None
    return tuple(found)


def _append_durably(path: Path, data: bytes) -> None:
    """Write a line behind the last whole one, and wait until it is on disk."""
    with path.open("r+b" if path.exists() else "w+b") as stream:
        stream.seek(_end_of_lines(stream))
        stream.truncate()
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _end_of_lines(stream: BinaryIO) -> int:
    """Return where the last whole line of a file ends: a line without an end was never written."""
    end = stream.seek(0, os.SEEK_END)
    if end:
        stream.seek(end - 1)
        if stream.read(1) == b"\n":
            return end
    stream.seek(0)
    return stream.read().rfind(b"\n") + 1


def took_effect(kb: KnowledgeBase, change: ExactChange) -> bool:
    """Tell whether a store is as a change left it: all that came is there, and nothing of what went."""
    known = graphs_of(kb, dict.fromkeys((s, p, o) for s, p, o, _ in (*change.added, *change.removed)))
    if not all(graph in known[s, p, o] for s, p, o, graph in change.added):
        return False
    if any(graph in known[s, p, o] for s, p, o, graph in change.removed):
        return False
    own = set(_rule_texts(kb.session.state.user_rules))
    return own.issuperset(_rule_texts(change.rules_added)) and not own & set(_rule_texts(change.rules_removed))


def _joined_files(folder: Address) -> bytes:
    """Return the lines of a journal that is a folder with a file a line."""
    files = file_system(folder)
    names = sorted(name for name in files.files(folder) if not name.startswith("."))
    return b"".join(files.read(folder / name).to_pybytes() for name in names)


def _mark_of(data: bytes) -> tuple[int, int]:
    end = data.rfind(b"\n") + 1
    return end, zlib.crc32(data[:end])


def _written(line: dict[str, Any], before: int) -> tuple[bytes, int]:
    """Return a line as it is written behind lines of a checksum, and the checksum after it."""
    checksum = _checksum(line, before)
    return (json.dumps({**line, _CRC: checksum}, ensure_ascii=False) + "\n").encode(), checksum


def _checksum(line: dict[str, Any], before: int) -> int:
    return zlib.crc32(json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(), before)


def _lines(data: bytes, path: Place | str) -> tuple[list[dict[str, Any]], int]:
    """Return the lines of a journal and the checksum of them all."""
    lines: list[dict[str, Any]] = []
    checksum, is_checked = 0, False
    for number, text in enumerate(data.split(b"\n")[:-1], 1):
        try:
            line = json.loads(text)
            stored = line.pop(_CRC, None)
            checksum = _checksum(line, checksum)
            _require_whole(line)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ReasonerError(f"{path}:{number}: this is no line of a journal of evolutions; {_REMEDY}") from None
        if stored != checksum and (is_checked or stored is not None):
            raise ReasonerError(
                f"{path}:{number}: this line or one before it is not as it was written: its checksum is wrong; "
                f"{_REMEDY}"
            )
        is_checked = stored is not None
        lines.append(line)
    return lines, checksum


def _require_whole(line: dict[str, Any]) -> None:
    """Raise a ``KeyError``, ``TypeError`` or ``ValueError`` if a line lacks something that is read of it."""
    if "begin" not in line:
        known = isinstance(line["end"], int) and isinstance(line["applied"], bool)
    elif "undo" in line:
        known = isinstance(line["begin"], int) and isinstance(line["undo"], int)
    else:
        entry = _entry(line, parsed=False)
        texts = [entry.name, entry.script, entry.time, *line["rules added"], *line["rules removed"]]
        for row in (*entry.change.added, *entry.change.removed):
            texts += row[:3] if row[3] is None else row
        texts += [term for triple in entry.context or () for term in triple]
        texts += [name for pair in entry.prefixes for name in pair]
        known = isinstance(entry.number, int) and all(isinstance(text, str) for text in texts)
    if not known:
        raise ValueError


def _entry(line: dict[str, Any], *, parsed: bool = True) -> JournalEntry:
    from reasoner.rules.parser import parse_rules

    rules_added, rules_removed = (
        tuple(rule for text in line[side] for rule in (parse_rules(text) if parsed else ()))
        for side in ("rules added", "rules removed")
    )
    change = ExactChange(
        tuple((s, p, o, g) for s, p, o, g in line["added"]),
        tuple((s, p, o, g) for s, p, o, g in line["removed"]),
        rules_added,
        rules_removed,
    )
    given = line.get("context", ())
    context = None if given is None else tuple((s, p, o) for s, p, o in given)
    prefixes = tuple(line.get("prefixes", {}).items())
    return JournalEntry(line["begin"], line["step"], line["script"], line["time"], change, context, prefixes)


def _rule_texts(rules: tuple[Rule, ...]) -> list[str]:
    from reasoner.rules.printer import print_rule

    return [print_rule(replace(rule, sources=())) for rule in rules]


_REMEDY = "restore the file from a copy, or remove it, after which earlier steps cannot be taken back"
