"""What the tasks tell, put together: counts, blank node prefixes, and errors with their places."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loaders.errors import LoadError, ParseError
from reasoner.spark.loading.files import RdfFile
from reasoner.spark.loading.parse import Note

_ERRORS_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Findings:
    """What reading the files has shown. ``scopes`` are the prefixes of the blank nodes by file."""

    statements: int
    skipped: int
    errors: tuple[ParseError, ...]
    scopes: dict[int, str]
    has_graphs: bool


def gather(notes: Iterable[bytes], files: Sequence[RdfFile], first_scope: int, *, skip_errors: bool) -> Findings:
    """Put notes together. Raise the first error in the order of the files, unless errors are skipped.

    Tasks count lines from where they begin; a line's number in its file adds those of all segments before it.
    """
    told = sorted((Note(**json.loads(note)) for note in notes), key=lambda note: (note.file, note.start))
    errors: list[ParseError] = []
    scopes: dict[int, str] = {}
    file, lines = -1, 0
    for note in told:
        if note.file != file:
            file, lines = note.file, 0
        if note.failure:
            raise LoadError(note.failure)
        name = files[file].name
        for line, column, message, text in note.errors[: _ERRORS_KEPT - len(errors)]:
            errors.append(ParseError(message, file=name, line=lines + line, column=column, text=text))
        if errors and not skip_errors:
            raise errors[0]
        if note.has_blanks and file not in scopes:
            scopes[file] = f"f{first_scope + len(scopes)}"
        lines += note.lines
    return Findings(
        statements=sum(note.statements for note in told),
        skipped=sum(note.skipped for note in told),
        errors=tuple(errors),
        scopes=scopes,
        has_graphs=any(note.has_graphs for note in told),
    )
