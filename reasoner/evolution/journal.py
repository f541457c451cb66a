"""The journal: every applied step with its exact inverse, one JSON object a line, on disk before the store changes.

A step is written down before its transaction, and its outcome after it. If the process ends in between, the store
itself tells whether the step took effect: each transaction does so whole or not at all. A line that was not written to
its end is as good as not written.

    {"begin": 3, "step": "...", "added": [...], ...}     a step is about to be taken, or {"begin": 4, "undo": 3} back
    {"end": 3, "applied": true}                          it took effect, or it did not
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from reasoner.errors import ReasonerError
from reasoner.evolution.apply_change import ExactChange, graphs_of
from reasoner.evolution.store_facts import StoreFacts
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner
    from reasoner.rules.rule import Rule

FILE = "evolution.jsonl"

# Structures of blank nodes are small, unless data use them for everything.
_MOST_CONTEXT = 10_000


@dataclass(frozen=True, slots=True)
class Entry:
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


class Journal:
    """The steps that were taken and taken back, in a file or, without one, in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._lines: list[dict[str, Any]] = []
        self._read = False

    @classmethod
    def in_memory(cls, path: Path) -> Journal:
        """Return a journal that begins with what a file holds, if there is one, and is not written before ``save``."""
        journal = cls()
        journal._lines = _lines(path) if path.exists() else []
        journal._read = True
        return journal

    def save(self, path: Path) -> None:
        """Write the whole journal to a file, in the place of what it held."""
        from reasoner.store import durable_file

        durable_file.replace(
            path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self._known()).encode()
        )

    def standing(self, kb: Reasoner) -> list[Entry]:
        """Return the steps that took effect and were not taken back, the oldest first."""
        entries: dict[int, Entry] = {}
        ended = {line["end"]: line["applied"] for line in self._known() if "end" in line}
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
        self, kb: Reasoner, name: str, script: str, change: ExactChange, prefixes: Mapping[str, str]
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
    def undoing(self, kb: Reasoner, entry: Entry) -> Iterator[None]:
        """Write down around a transaction that it takes a step back."""
        with self._around(kb, {"undo": entry.number, "time": datetime.now(UTC).isoformat(timespec="seconds")}):
            yield

    @contextmanager
    def _around(self, kb: Reasoner, details: dict[str, Any]) -> Iterator[None]:
        self._settle(kb)
        number = 1 + max((line["begin"] for line in self._known() if "begin" in line), default=0)
        self._append({"begin": number, **details})
        try:
            yield
        except BaseException:
            self._append({"end": number, "applied": False})
            raise
        self._append({"end": number, "applied": True})

    def _settle(self, kb: Reasoner) -> None:
        """Write down the outcome of a step whose process ended before it could."""
        lines = self._known()
        ended = {line["end"] for line in lines if "end" in line}
        standing = {entry.number for entry in self.standing(kb)}
        for line in [line for line in lines if "begin" in line and line["begin"] not in ended]:
            applied = line["undo"] not in standing if "undo" in line else line["begin"] in standing
            self._append({"end": line["begin"], "applied": applied})

    def _known(self) -> list[dict[str, Any]]:
        if not self._read and self.path is not None and self.path.exists():
            self._lines = _lines(self.path)
        self._read = True
        return self._lines

    def _append(self, line: dict[str, Any]) -> None:
        if self.path is not None:
            data = (json.dumps(line, ensure_ascii=False) + "\n").encode()
            with self.path.open("r+b" if self.path.exists() else "w+b") as stream:
                stream.seek(_end_of_lines(stream))
                stream.truncate()
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        self._lines.append(line)


def context_of(kb: Reasoner, change: ExactChange) -> tuple[TextTriple, ...] | None:
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


def _end_of_lines(stream: BinaryIO) -> int:
    """Return where the last whole line of a file ends: a line without an end was never written."""
    end = stream.seek(0, os.SEEK_END)
    if end:
        stream.seek(end - 1)
        if stream.read(1) == b"\n":
            return end
    stream.seek(0)
    return stream.read().rfind(b"\n") + 1


def took_effect(kb: Reasoner, change: ExactChange) -> bool:
    """Tell whether a store is as a change left it: all that came is there, and nothing of what went."""
    known = graphs_of(kb, dict.fromkeys((s, p, o) for s, p, o, _ in (*change.added, *change.removed)))
    if not all(graph in known[s, p, o] for s, p, o, graph in change.added):
        return False
    if any(graph in known[s, p, o] for s, p, o, graph in change.removed):
        return False
    own = set(_rule_texts(kb.own_rules()))
    return own.issuperset(_rule_texts(change.rules_added)) and not own & set(_rule_texts(change.rules_removed))


def _lines(path: Path) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            line = json.loads(text)
            if not isinstance(line, dict) or not {"begin", "end"} & line.keys():
                raise ValueError
        except ValueError:
            raise ReasonerError(
                f"{path}:{number}: this is no line of a journal of evolutions; restore the file from a copy, or remove "
                "it, after which earlier steps cannot be taken back"
            ) from None
        lines.append(line)
    return lines


def _entry(line: dict[str, Any]) -> Entry:
    from reasoner.rules.parser import parse_rules

    change = ExactChange(
        tuple((s, p, o, g) for s, p, o, g in line["added"]),
        tuple((s, p, o, g) for s, p, o, g in line["removed"]),
        tuple(rule for text in line["rules added"] for rule in parse_rules(text)),
        tuple(rule for text in line["rules removed"] for rule in parse_rules(text)),
    )
    given = line.get("context", ())
    context = None if given is None else tuple((s, p, o) for s, p, o in given)
    prefixes = tuple(line.get("prefixes", {}).items())
    return Entry(line["begin"], line["step"], line["script"], line["time"], change, context, prefixes)


def _rule_texts(rules: tuple[Rule, ...]) -> list[str]:
    from reasoner.rules.printer import print_rule

    return [print_rule(replace(rule, sources=())) for rule in rules]
