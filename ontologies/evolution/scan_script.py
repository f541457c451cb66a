"""Places and words in the text of a script, and the extent of what is written in another language inside it."""

from __future__ import annotations

import re
from bisect import bisect_right

from loaders.terms import unescape
from ontologies.syntax_tree import Place
from ontologies.vocabulary import PREFIXES
from reasoner.errors import ParseError
from reasoner.rules.tokens import Source

_SPACE = re.compile(r"[ \t\r\n]+|#[^\n]*")
_WHITE = re.compile(r"[ \t\r\n]+")
_CALL = re.compile(r"[A-Za-z]+\s*\(")
_BLANKS = re.compile(r"[ \t\r]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?!:)")
_IRI = re.compile(r"<([^\x00-\x20<>\"{}|^`]*)>")
# A name may hold anything but white space and what brackets and separates; a full stop or comma at its end is not its.
_PREFIXED = re.compile(r"([^\s:<>\"'(){}\[\],#]*):((?:[^\s<>\"'(){}\[\],;#]*[^\s<>\"'(){}\[\],;#.])?)")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_SKIPPED = re.compile(
    r'<[^\s<>"{}|^`]*>|"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*'
)


class Scanner:
    """The text of a script and how far it has been read."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.offset = 0
        self.prefixes: dict[str, str] = dict(PREFIXES)
        self._starts = [0, *(match.end() for match in re.finditer(r"\n", text))]

    def place(self, offset: int | None = None) -> Place:
        """Return line and column of an offset, or of what comes next."""
        at = self.offset if offset is None else offset
        line = bisect_right(self._starts, at)
        return Place(self.file, line, at - self._starts[line - 1] + 1)

    def skip(self) -> None:
        """Go past white space and comments."""
        while match := _SPACE.match(self.text, self.offset):
            self.offset = match.end()

    def remark(self) -> str | None:
        """Take a comment that stands on a line of its own, if one comes next but for white space."""
        at = self.offset
        while match := _WHITE.match(self.text, at):
            at = match.end()
        begins_line = _BLANKS.fullmatch(self.text, self.text.rfind("\n", 0, at) + 1, at)
        if self.text[at : at + 1] != "#" or not begins_line:
            return None
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        self.offset = end
        return self.text[at + 1 : end].strip()

    @property
    def at_end(self) -> bool:
        self.skip()
        return self.offset == len(self.text)

    def peek(self) -> str:
        """Return the word that comes next, or nothing if none does."""
        self.skip()
        match = _WORD.match(self.text, self.offset)
        return match[0] if match else ""

    def take_word(self, *words: str) -> bool:
        """Go past a word if it is one of some."""
        word = self.peek()
        if word not in words:
            return False
        self.offset += len(word)
        return True

    def expect_word(self, word: str, where: str) -> None:
        """Go past a word that has to come."""
        if not self.take_word(word):
            raise self.expected(f"'{word}' {where}")

    def take_mark(self, mark: str) -> bool:
        """Go past a punctuation mark if it comes next."""
        self.skip()
        if not self.text.startswith(mark, self.offset):
            return False
        self.offset += len(mark)
        return True

    def iri(self, what: str) -> str:
        """Read an IRI, whole or abbreviated, as a constant."""
        self.skip()
        if match := _IRI.match(self.text, self.offset):
            try:
                constant = f"<{unescape(match[1])}>"
            except ValueError as error:
                raise self.place().error(str(error), match[0]) from None
            self.offset = match.end()
            return constant
        match = _PREFIXED.match(self.text, self.offset)
        if match is None:
            raise self.expected(what)
        if match[1] not in self.prefixes:
            known = ", ".join(f"{name}:" for name in self.prefixes)
            raise self.place().error(
                f"the prefix {match[1]}: is not declared; declare it with 'prefix {match[1]}: <...>' (known: {known})",
                match[0],
            )
        self.offset = match.end()
        return f"<{self.prefixes[match[1]]}{match[2]}>"

    def string(self) -> str | None:
        """Read a quoted text, if one comes next."""
        self.skip()
        match = _STRING.match(self.text, self.offset)
        if match is None:
            return None
        try:
            value = unescape(match[1])
        except ValueError as error:
            raise self.place().error(str(error), match[0]) from None
        self.offset = match.end()
        return value

    def parenthesised(self) -> tuple[int, int] | None:
        """Return the extent of ``Name( ... )`` if that comes next, and go past it."""
        self.skip()
        match = _CALL.match(self.text, self.offset)
        if match is None:
            return None
        start, depth, at = self.offset, 1, match.end()
        while depth:
            if skipped := _SKIPPED.match(self.text, at):
                at = skipped.end()
                continue
            mark = self.text[at : at + 1]
            if not mark:
                raise self.place(start).error("the parenthesis of this is never closed", match[0])
            depth += {"(": 1, ")": -1}.get(mark, 0)
            at += 1
        self.offset = at
        return start, at

    def braced(self) -> tuple[int, int] | None:
        """Return the extent of what stands in braces, without them, if they come next, and go past it."""
        self.skip()
        if self.text[self.offset : self.offset + 1] != "{":
            return None
        start = at = self.offset + 1
        while True:
            if skipped := _SKIPPED.match(self.text, at):
                at = skipped.end()
                continue
            mark = self.text[at : at + 1]
            if not mark:
                raise self.place(start - 1).error("the brace is never closed: } is missing", "{")
            if mark == "}":
                self.offset = at + 1
                return start, at
            at += 1

    def rule(self) -> tuple[int, int]:
        """Return the extent of a rule up to its full stop, and go past it."""
        self.skip()
        start = self.offset
        for token in Source(self.masked(start, len(self.text)), self.file).tokens():
            if token.kind == "punctuation" and token.text == ".":
                self.offset = token.start + 1
                return start, self.offset
        raise self.place(start).error("the rule has no end: a full stop is missing", self.text[start : start + 40])

    def masked(self, start: int, end: int) -> str:
        """Return the text up to ``end`` with everything before ``start`` blank, so that places stay what they are."""
        return re.sub(r"[^\n]", " ", self.text[:start]) + self.text[start:end]

    def expected(self, what: str) -> ParseError:
        """Make the error for something else coming than was expected."""
        self.skip()
        rest = self.text[self.offset : self.offset + 60].split("\n")[0]
        found = "this is something else" if rest else "the text ends here"
        return self.place().error(f"expected {what}, but {found}", rest)
