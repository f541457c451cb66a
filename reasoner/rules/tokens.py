"""The tokens of the rule language, with their places in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from reasoner.errors import ParseError
from reasoner.literals.text import lone_surrogate

# What names begin with and go on with (PN_CHARS_BASE and PN_CHARS of Turtle and SPARQL), as classes of expressions.
NAME_START = (
    r"A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF"
    r"\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
NAME_REST = NAME_START + r"_0-9\u00B7\u0300-\u036F\u203F\u2040\-"
_PREFIX = rf"(?:[{NAME_START}](?:[{NAME_REST}.]*[{NAME_REST}])?)?"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?#@%-]"
# A colon before a dash and white space is the arrow of a rule that follows a name without a space.
_COLON = r":(?!-(?:\s|$))"
_LOCAL = (
    rf"(?:(?:[{NAME_START}_0-9]|{_COLON}|{_ESCAPED})"
    rf"(?:(?:[{NAME_REST}]|{_COLON}|{_ESCAPED}|\.(?=[{NAME_REST}:%\\.]))*(?:[{NAME_REST}]|{_COLON}|{_ESCAPED}))?)?"
)
_STRING = (
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n\r]|\\.)*"'
    r"|'(?:[^'\\\n\r]|\\.)*'"
)

# Order matters: the first alternative that matches wins.
_TOKEN = re.compile(
    "|".join(
        f"(?P<{kind}>{pattern})"
        for kind, pattern in (
            ("space", r"(?:\s+|\#[^\n\r]*)+"),
            ("rule_name", r'\[\s*(?:[\w.:/+-]+|"(?:[^"\\\n\r]|\\.)*")\s*\]'),
            ("iri", r"<(?:[^\x00-\x20<>\"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>"),
            ("arrow", r":-"),
            ("blank", rf"_:[{NAME_START}_0-9](?:[{NAME_REST}.]*[{NAME_REST}])?"),
            ("prefixed", rf"{_PREFIX}{_COLON}{_LOCAL}"),
            ("variable", r"[?$]\w+"),
            ("string", _STRING),
            ("at_word", r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*"),
            ("double", r"[+-]?(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+"),
            ("decimal", r"[+-]?[0-9]*\.[0-9]+"),
            ("integer", r"[+-]?[0-9]+"),
            ("datatype_mark", r"\^\^"),
            ("comparison", r"!=|<=|>=|=|<|>"),
            ("punctuation", r"[.,()]"),
            ("word", r"[A-Za-z][A-Za-z0-9_-]*"),
        )
    ),
    re.DOTALL,
)


class Token(NamedTuple):
    """A piece of text of one kind; the last token of every text has kind ``end``."""

    kind: str
    text: str
    start: int


class Source:
    """A text with a name, which can tell lines and columns and so make errors."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._line_starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text))]
        if (place := lone_surrogate(text)) is not None:
            raise self.error("half of a surrogate pair is no Unicode character", place, text[place])

    def place(self, start: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both counted from 1."""
        line = bisect_right(self._line_starts, start)
        return line, start - self._line_starts[line - 1] + 1

    def error(self, message: str, start: int, text: str) -> ParseError:
        """Make the error for a place, to be raised by the caller."""
        line, column = self.place(start)
        return ParseError(message, file=self.file, line=line, column=column, text=text)

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the text without white space and comments, and an ``end`` token."""
        position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                raise self.error(*self._unreadable(position))
            kind = match.lastgroup or ""
            if kind != "space":
                yield Token(kind, match[0], position)
            position = match.end()
        yield Token("end", "", position)

    def _unreadable(self, position: int) -> tuple[str, int, str]:
        character = self.text[position]
        rest = re.split(r"[\n\r]", self.text[position:], maxsplit=1)[0]
        message = {
            '"': "the string is not closed on its line; use three quotes for a string of several lines",
            "'": "the string is not closed on its line; use three quotes for a string of several lines",
            "[": 'a rule name is a word in brackets such as [prp-trp], or a quoted text such as ["my rule"]',
            "?": "a variable needs a name of letters, digits and underscores",
            "$": "a variable needs a name of letters, digits and underscores",
            "_": "a blank node is written _:label",
            "{": "no braces here; the body of a rule is a list of patterns separated by commas",
            ";": "no semicolons here; write out every pattern, separated by commas",
        }.get(character, "this character begins nothing that a rule can hold")
        return message, position, rest
