"""Regular expressions of XPath (SPARQL 1.1, 17.4.3.14), written for two engines: one always in time, one for the rest.

RE2 takes time linear in the text, whatever the pattern, and has neither look-around nor back-references. Python's
``re`` has them, and can take as good as forever. Patterns that both read alike are for RE2, and the rest for ``re``.

Deviation: ``\\d``, ``\\w`` and ``\\s`` are the digits, word characters and spaces of Python, not of XML Schema, and a
class within a class is no subtraction. Look-around, back-references and ``\\b`` are an addition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from reasoner.terms.term import CacheRoom

_ROOM = CacheRoom()
_FLAGS = frozenset("ismxq")
_OPTIONS = {"s": re.DOTALL, "m": re.MULTILINE, "i": re.IGNORECASE}

_WORD = r"\p{L}\p{N}_"
_SPACE = r"\x{9}-\x{d}\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_NO_SPACE = (
    r"\x{0}-\x{8}\x{e}-\x{1b}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}"
    r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}"
)
_CLASSES = {"d": r"\p{Nd}", "D": r"\P{Nd}", "w": _WORD, "s": _SPACE, "S": _NO_SPACE}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_CATEGORY = re.compile(r"\\[pP]\{[A-Z][a-z]?\}")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??")
# Escapes, classes, and the rest one by one; the first bracket within a class is no end of it.
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_REPLACEMENT = re.compile(r"\\([\\$])|\$([0-9]+)|(\\|\$)")


class RegexError(ValueError):
    """A pattern, flags or a replacement that mean nothing."""


@dataclass(frozen=True, slots=True)
class Regex:
    """A pattern for each engine.

    ``python`` and ``options`` are for ``re``. ``linear`` is for RE2, None where only ``re`` will do, and ``groups`` how
    many groups it has; ``repeats_groups`` says that of a group's several matches engines may not remember the same one.
    """

    python: str
    options: int
    linear: str | None
    groups: int
    repeats_groups: bool


@lru_cache(maxsize=256)
def regex_of(pattern: str, flags: str) -> Regex:
    """Translate a pattern with its flags: ``i``, ``s``, ``m``, ``x`` and ``q``.

    >>> regex_of(r"^a.\\d$", "s").linear
    '(?s:^a.[\\\\p{Nd}]$)'
    >>> regex_of(r"(a)\\1$", "").linear is None, regex_of(r"(a)\\1$", "").python
    (True, '(a)\\\\1\\\\Z')
    """
    _ROOM.take(pattern, regex_of.cache_clear)
    if not _FLAGS.issuperset(flags):
        raise RegexError(f"unknown flags of a regular expression: {flags}")
    options = 0
    for flag in flags:
        options |= _OPTIONS.get(flag, 0)
    if "q" in flags:
        python, scan = re.escape(pattern), _Scan("")
        scan.out += map(_literal, pattern)
    else:
        pieces = _PIECE.findall(pattern)
        if "x" in flags:
            pieces = [piece for piece in pieces if piece not in ("\t", "\n", "\r", " ")]
        # The end is the end: Python would also stop before a last line break.
        end = "$" if "m" in flags else r"\Z"
        python, scan = "".join(end if piece == "$" else piece for piece in pieces), _Scan("".join(pieces))
    try:
        scan.run()
    except _BacktrackingNeeded:
        return Regex(python, options, None, 0, repeats_groups=False)
    kept = "".join(flag for flag in ("i" if "q" in flags else "ims") if flag in flags)
    return Regex(python, options, f"(?{kept}:{''.join(scan.out)})", scan.groups, scan.repeats_groups)


def replacement_pieces(template: str, groups: int) -> tuple[str | int, ...]:
    """Return a replacement as texts and numbers of groups; a group that the pattern has not is empty.

    >>> replacement_pieces(r"[$12\\$]", 1)
    ('[', 1, '2', '$', ']')
    """
    pieces: list[str | int] = []
    place = 0
    for found in _REPLACEMENT.finditer(template):
        pieces.append(template[place : found.start()])
        place = found.end()
        if found[3]:
            raise RegexError("a replacement has a backslash or a dollar that stands for nothing")
        if found[1]:
            pieces.append(found[1])
            continue
        # As many digits as there are groups belong to the number, the rest is text.
        digits = found[2]
        while len(digits) > 1 and int(digits) > groups:
            digits = digits[:-1]
        pieces.append(int(digits) if int(digits) <= groups else "")
        pieces.append(found[2][len(digits) :])
    pieces.append(template[place:])
    return tuple(piece for piece in pieces if piece != "")


class _BacktrackingNeeded(Exception):
    """RE2 has not, or may read differently, what a pattern uses."""


class _Scan:
    """One pass over a pattern, which writes it down for RE2."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._place = 0
        self.out: list[str] = []
        self.groups = 0
        self.repeats_groups = False

    def run(self) -> None:
        opened: list[int] = []
        repeatable = has_group = False
        while self._place < len(self._pattern):
            character = self._pattern[self._place]
            if character in "*+?{":
                self._quantifier(repeatable, has_group)
                repeatable = False
                continue
            repeatable, has_group = character not in "(|^$", False
            if character == "(":
                opened.append(self.groups)
                self._open()
            elif character == ")":
                if not opened:
                    raise _BacktrackingNeeded
                has_group = self.groups > opened.pop()
                self._copy()
            elif character == "[":
                self.out.append(self._class())
            elif character == "\\":
                repeatable = self._pattern[self._place + 1 :][:1] not in ("A", "Z")
                self.out.append(self._escape())
            elif character in ".^$|":
                self._copy()
            else:
                self.out.append(_literal(character))
                self._place += 1
        if opened:
            raise _BacktrackingNeeded

    def _copy(self) -> None:
        self.out.append(self._pattern[self._place])
        self._place += 1

    def _quantifier(self, repeatable: bool, has_group: bool) -> None:
        found = _QUANTIFIER.match(self._pattern, self._place)
        if found is None or not repeatable:
            raise _BacktrackingNeeded
        self.repeats_groups |= has_group and found[0] not in ("?", "??")
        self.out.append(found[0])
        self._place = found.end()

    def _open(self) -> None:
        start = "(?:" if self._pattern.startswith("(?:", self._place) else "("
        if start == "(" and self._pattern.startswith("(?", self._place):
            raise _BacktrackingNeeded
        self.groups += start == "("
        self.out.append(start)
        self._place += len(start)

    def _class(self) -> str:
        start = "[^" if self._pattern.startswith("[^", self._place) else "["
        self._place += len(start)
        members: list[str] = []
        while not self._pattern.startswith("]", self._place) or not members:
            members.append(self._member())
        self._place += 1
        return f"{start}{''.join(members)}]"

    def _member(self) -> str:
        """Return one character of a class, a range of them, or a class that is named."""
        text, first = self._single()
        if not self._pattern.startswith("-", self._place) or self._pattern.startswith("-]", self._place):
            return text
        self._place += 1
        if first is None or self._pattern.startswith("[", self._place):
            raise _BacktrackingNeeded
        _, last = self._single()
        if last is None or last < first:
            raise _BacktrackingNeeded
        return f"{_literal(first)}-{_literal(last)}"

    def _single(self) -> tuple[str, str | None]:
        """Return a character of a class, as RE2 writes it and as it is, or one of the classes, which are none."""
        character = self._pattern[self._place : self._place + 1]
        if character == "\\":
            place = self._place
            text = self._escape(inside=True)
            escaped = self._pattern[place + 1]
            return text, None if escaped in "dDwsSpP" else _CONTROLS.get(escaped, escaped)
        # An end that is missing, or comes first, is for the other engine to judge.
        if character in ("", "]"):
            raise _BacktrackingNeeded
        self._place += 1
        return _literal(character), character

    def _escape(self, *, inside: bool = False) -> str:
        escaped = self._pattern[self._place + 1 : self._place + 2]
        if found := _CATEGORY.match(self._pattern, self._place):
            self._place = found.end()
            return found[0]
        self._place += 2
        if escaped in _CLASSES and escaped:
            return _CLASSES[escaped] if inside else f"[{_CLASSES[escaped]}]"
        if escaped in _CONTROLS and escaped:
            return _literal(_CONTROLS[escaped])
        if not inside and escaped in ("W", "A", "Z"):
            return {"W": f"[^{_WORD}]", "A": r"\A", "Z": r"\z"}[escaped]
        if not escaped or (escaped.isascii() and escaped.isalnum()):
            raise _BacktrackingNeeded
        return _literal(escaped)


def _literal(character: str) -> str:
    return character if character.isalnum() or not character.isascii() else f"\\x{{{ord(character):x}}}"
