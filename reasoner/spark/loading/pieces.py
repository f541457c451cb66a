"""Files cut into pieces of work, each for one task: parts of large files, and small files together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from loaders.formats import Format
from reasoner.spark.loading.files import RdfFile

# A large piece repeats fewer terms of other pieces; a small one leaves no task alone at the end.
SMALLEST_PIECE = 1 << 20
LARGEST_PIECE = 1 << 25


@dataclass(frozen=True, slots=True)
class Segment:
    """The lines of a file that begin in a range of bytes, or the whole file if ``stop`` is None."""

    file: int
    name: str
    path: Path
    format: Format | None
    start: int = 0
    stop: int | None = None


Piece = tuple[Segment, ...]


def cut(files: Sequence[RdfFile], tasks: int) -> list[Piece]:
    """Return the pieces of files that tasks can read, about evenly many for each of so many ``tasks`` at a time."""
    total = sum(file.size for file in files)
    size = min(max(-(-total // max(tasks, 1)), SMALLEST_PIECE), LARGEST_PIECE)
    pieces: list[Piece] = []
    open_piece: list[Segment] = []
    room = size
    for file in files:
        for segment, length in _segments(file, size):
            if open_piece and length > room:
                pieces.append(tuple(open_piece))
                open_piece, room = [], size
            open_piece.append(segment)
            room -= length
    return [*pieces, tuple(open_piece)] if open_piece else pieces


def _segments(file: RdfFile, size: int) -> list[tuple[Segment, int]]:
    assert file.path is not None, "Spark reads what has no path"
    if not file.is_plain:
        return [(Segment(file.number, file.name, file.path, file.format), file.size)]
    count = max(-(-file.size // size), 1)
    bounds = [file.size * place // count for place in range(count + 1)]
    return [
        (Segment(file.number, file.name, file.path, file.format, start, stop), stop - start)
        for start, stop in pairwise(bounds)
    ]
