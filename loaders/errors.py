"""The errors that reading a file can end in.

The name that pip knows this project by, and what to type to install a part of it.

``import reasoner`` and the command are called after the project; the distribution is not, because that name belongs to
another project of the package index.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

NAME = "reasoner-rdf"


def installed_version() -> str:
    """Return the version of the installed distribution, or say that it runs from source."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return "(run from source, not installed)"


def install_command(extra: str) -> str:
    """Return the command that installs what an optional part needs.

    Nothing is published yet, so that the command is one for a checkout.

    >>> install_command("spark")
    "pip install '.[spark]' (in a checkout of reasoner-rdf)"
    """
    return f"pip install '.[{extra}]' (in a checkout of {NAME})"


def printable(text: str) -> str:
    """Return a text as it can be written as UTF-8: halves of surrogate pairs become escapes."""
    return text.encode(errors="backslashreplace").decode()


class ReasonerError(Exception):
    """The base of every error that this project raises on purpose."""


class ParseError(ReasonerError):
    """Text that does not follow its grammar, with the place where it fails.

    ``file`` is the path (or ``<stdin>``, ``<text>``), ``line`` and ``column`` count from 1, ``text`` is the
    offending text.
    """

    def __init__(self, message: str, *, file: str = "<text>", line: int = 1, column: int = 1, text: str = "") -> None:
        self.message = printable(message)
        self.file = file
        self.line = line
        self.column = column
        self.text = printable(text)
        super().__init__(str(self))

    def __str__(self) -> str:
        shown = f": {self.text.strip()[:200]}" if self.text else ""
        return f"{self.file}:{self.line}:{self.column}: {self.message}{shown}"


class LoadError(ReasonerError):
    """A source that cannot be read at all: missing, unreadable, damaged, or of unknown format."""


# How many levels deep anything may be nested. What people write has a dozen; each level costs a few frames of the
# stack, of which Python has a thousand.
MOST_NESTED = 128


class NestingError(ReasonerError):
    """Something that is nested more deeply than it can be followed."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is nested too deeply to be followed; write it flatter (at most {MOST_NESTED} levels)")


class Nesting:
    """Counts how deep a reader is inside nested parts; entering a part that is too deep raises ``NestingError``.

    >>> nesting = Nesting("the list")
    >>> with nesting:
    ...     nesting.depth
    1
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.depth = 0

    def __enter__(self) -> None:
        if self.depth == MOST_NESTED:
            raise NestingError(self.what)
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


@contextmanager
def nesting_refused(what: str) -> Iterator[None]:
    """Refuse what is nested too deeply for the stack, with a clear error; also a decorator of functions.

    >>> with nesting_refused("the list"):
    ...     raise RecursionError
    Traceback (most recent call last):
        ...
    loaders.errors.NestingError: the list is nested too deeply to be followed; write it flatter (at most 128 levels)
    """
    try:
        yield
    except RecursionError:
        raise NestingError(what) from None
