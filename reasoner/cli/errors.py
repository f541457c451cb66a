"""What an error says in one line, or with the place that it points to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reasoner.rules.errors import ParseError, ReasonerError


def described(error: BaseException) -> str:
    """Describe an error in one line, or in the lines that show its place with a caret."""
    text = str(error)
    return text if isinstance(error, ParseError) and text.endswith("^") else one_line(error)


def one_line(error: BaseException) -> str:
    """Describe an error without line breaks.

    >>> one_line(FileNotFoundError(2, "No such file or directory", "data.nt"))
    'data.nt: No such file or directory'
    """
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        return place + error.strerror
    return " ".join(str(error).splitlines()) or type(error).__name__


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Say in the message of a system error what was being done; a broken pipe stays what it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except UnicodeDecodeError as error:
        raise ReasonerError(f"{what}: the text is not UTF-8") from error
    except OSError as error:
        raise ReasonerError(f"{what}: {error.strerror or error}") from error
