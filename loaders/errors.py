"""The errors that reading a file can end in."""

from __future__ import annotations


class ReasonerError(Exception):
    """The base of every error that this project raises on purpose."""


class ParseError(ReasonerError):
    """Text that does not follow its grammar, with the place where it fails.

    ``file`` is the path (or ``<stdin>``, ``<text>``), ``line`` and ``column`` count from 1, ``text`` is the
    offending text.
    """

    def __init__(self, message: str, *, file: str = "<text>", line: int = 1, column: int = 1, text: str = "") -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.text = text
        super().__init__(str(self))

    def __str__(self) -> str:
        shown = f": {self.text.strip()[:200]}" if self.text else ""
        return f"{self.file}:{self.line}:{self.column}: {self.message}{shown}"


class LoadError(ReasonerError):
    """A source that cannot be read at all: missing, unreadable, damaged, or of unknown format."""
