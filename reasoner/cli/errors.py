"""What an error says in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reasoner.errors import ReasonerError


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
