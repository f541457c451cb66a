"""Thousands of lines of N-Triples or N-Quads at once, vectorised.

A block is cut at its white space into tokens, tokens are made distinct, and only distinct tokens are validated and
brought to canonical form. Lines that do not consist of valid tokens in the usual places are read one by one, which
also tells what is wrong with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loaders.arrow import flag_column, mask_array, number_array, number_column, text_array
from loaders.grammar import (
    INTERNATIONAL_TOKEN,
    PLAIN_TOKEN,
    TOKEN_TRAIL,
    LineError,
    Statement,
    canonical_token,
    parse_line,
)
from loaders.terms import LANG_STRING, XSD_STRING

_SPACE, _LINE_FEED, _CARRIAGE_RETURN = 0x20, 0x0A, 0x0D
_LESS, _UNDERSCORE, _QUOTE, _DOT = b'<_".'


@dataclass(frozen=True, slots=True)
class BlockError:
    """A line of a block that is not a statement; ``line`` and ``column`` count from 1 within the block."""

    line: int
    column: int
    message: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """The statements of a block: ``codes[i]`` indexes ``terms`` for s, p, o and, in quads, g (-1: default graph).

    Terms are canonical; equal terms may occur more than once.
    """

    terms: pa.StringArray
    codes: NDArray[np.int32]
    lines: int
    errors: tuple[BlockError, ...]


def parse_block(data: bytes, *, quads: bool = False, skip_errors: bool = False) -> Block:
    """Read whole lines, the last one ended by a line feed as well; stop at the first bad line or skip it.

    >>> block = parse_block(b'<http://a/s> <http://a/p> "x" .\\n# done\\n')
    >>> block.terms.to_pylist(), block.codes.tolist(), block.lines
    (['<http://a/s>', '<http://a/p>', '"x"'], [[0, 1, 2]], 2)
    """
    width = 4 if quads else 3
    bounds = _token_bounds(np.frombuffer(data, np.uint8), quads)
    lines = len(bounds) // width
    tokens = pa.StringArray.from_buffers(lines * width, pa.py_buffer(bounds), pa.py_buffer(data))
    encoded = tokens.dictionary_encode()
    codes = number_column(encoded.indices).reshape(lines, width)
    raw = encoded.dictionary
    first = _first_bytes(raw)
    terms, valid = _canonical(raw, data.isascii())

    iri, node = valid & (first == _LESS), valid & (first != _QUOTE)
    good = node[codes[:, 0]] & iri[codes[:, 1]] & valid[codes[:, 2]]
    if quads:
        absent = first == 0
        good &= (node | absent)[codes[:, 3]]
        codes = np.where(np.arange(width) == 3, np.where(absent, -1, np.arange(len(raw)))[codes], codes)
    if good.all():
        if not quads:
            return Block(terms, codes, lines, ())
        return _with_others(terms, codes, np.arange(lines), [], [], lines, ())
    ends = bounds[width::width]
    rows, statements, errors = _read_singly(data, ends, np.flatnonzero(~good), quads, skip_errors)
    return _with_others(terms, codes[good], np.flatnonzero(good), rows, statements, lines, tuple(errors))


def _token_bounds(buffer: NDArray[np.uint8], quads: bool) -> NDArray[np.int32]:
    """Return where each token begins: a token takes along the white space, or the end of statement, behind it.

    A line with too few separators gets empty tokens.
    """
    blanks = np.flatnonzero(buffer <= _SPACE)
    kinds = buffer[blanks]
    ends = np.flatnonzero(kinds == _LINE_FEED)
    previous = np.empty_like(ends)
    previous[:1] = -1
    previous[1:] = ends[:-1]
    finish = blanks[ends] + 1
    width = 4 if quads else 3
    bounds = np.zeros(len(ends) * width + 1, np.int32)
    bounds[1::width] = blanks[np.minimum(previous + 1, ends)] + 1
    bounds[2::width] = blanks[np.minimum(previous + 2, ends)] + 1
    bounds[width::width] = finish
    if quads:
        # The separator before the last token of the line; without one it is that before the line, -1 before the first.
        last = ends - 1
        last -= (last > previous) & (kinds[last] == _CARRIAGE_RETURN)
        start = _behind(blanks, last)
        dotted = (last > previous) & (start + 1 == blanks[last + 1]) & (buffer[start] == _DOT)
        start = _behind(blanks, last - dotted)
        mark = buffer[start]
        named = (last - dotted > previous + 2) & ((mark == _LESS) | (mark == _UNDERSCORE))
        bounds[3::width] = np.where(named, start, finish)
    return bounds


def _behind(blanks: NDArray[np.int64], separators: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the tokens behind some separators begin; separator -1 stands before the first byte."""
    starts: NDArray[np.int64] = np.where(separators < 0, 0, blanks[separators] + 1)
    return starts


def _first_bytes(array: pa.StringArray) -> NDArray[np.uint8]:
    """Return the first byte of each text, 0 for an empty one."""
    _, offsets_buffer, data_buffer = array.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32, len(array) + 1, array.offset * 4)
    # The zero at the end is for an empty text that would begin where the buffer ends.
    data = np.append(np.frombuffer(data_buffer, np.uint8, int(offsets[-1])), np.uint8(0))
    return np.where(offsets[1:] > offsets[:-1], data[offsets[:-1]], np.uint8(0))


def _canonical(raw: pa.StringArray, ascii_only: bool) -> tuple[pa.StringArray, NDArray[np.bool_]]:
    """Return the canonical terms of tokens, and which tokens are valid."""
    if not ascii_only:
        raw = _without_broken_text(raw)
    pattern = PLAIN_TOKEN if ascii_only else INTERNATIONAL_TOKEN
    valid = flag_column(pc.match_substring_regex(raw, pattern))
    terms = pc.ascii_rtrim(raw, TOKEN_TRAIL)
    unusual = np.flatnonzero(~valid)
    if len(unusual):
        found = [canonical_token(token) for token in raw.take(number_array(unusual)).to_pylist()]
        mask = np.zeros(len(raw), np.bool_)
        mask[unusual] = True
        valid = valid.copy()
        valid[unusual] = [term is not None for term in found]
        replacements = text_array([term or "" for term in found])
        terms = pc.replace_with_mask(terms, mask_array(mask), replacements)
    if pc.any(pc.ends_with(terms, f'"^^<{XSD_STRING}>')).as_py():
        terms = pc.replace_substring_regex(terms, rf"\^\^<{XSD_STRING}>$", "")
    without_language = pc.ends_with(terms, f'"^^<{LANG_STRING}>')
    if pc.any(without_language).as_py():
        valid = valid & ~flag_column(without_language)
    return terms, valid


def _without_broken_text(raw: pa.StringArray) -> pa.StringArray:
    """Empty the tokens that are not UTF-8, which makes them invalid; their lines are then read singly."""
    try:
        raw.validate(full=True)
        return raw
    except pa.ArrowInvalid:
        texts = raw.cast(pa.binary()).to_pylist()
        return pa.array([text if _is_utf8(text) else b"" for text in texts], pa.binary()).cast(pa.string())


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read_singly(
    data: bytes, ends: NDArray[np.int32], rows: NDArray[np.int64], quads: bool, skip_errors: bool
) -> tuple[list[int], list[Statement], list[BlockError]]:
    found_rows: list[int] = []
    statements: list[Statement] = []
    errors: list[BlockError] = []
    for row in rows.tolist():
        line = data[ends[row - 1] if row else 0 : ends[row] - 1]
        # A carriage return ends a line as well; only where it is alone does it make two of one.
        offset = 0
        for piece in line.split(b"\r"):
            try:
                text = piece.decode()
                statement = parse_line(text, quads=quads)
            except UnicodeDecodeError as error:
                column = len(piece[: error.start].decode()) + 1
                errors.append(BlockError(row + 1, offset + column, "invalid UTF-8", piece.decode(errors="replace")))
            except LineError as error:
                errors.append(BlockError(row + 1, offset + error.column, error.message, text))
            else:
                if statement is not None:
                    found_rows.append(row)
                    statements.append(statement)
            offset += len(piece.decode(errors="replace")) + 1
            if errors and not skip_errors:
                return found_rows, statements, errors
    return found_rows, statements, errors


def _with_others(
    terms: pa.StringArray,
    codes: NDArray[np.int32],
    code_rows: NDArray[np.int64],
    rows: list[int],
    statements: list[Statement],
    lines: int,
    errors: tuple[BlockError, ...],
) -> Block:
    """Drop the terms that no statement uses, and put the statements that were read singly in their places."""
    width = codes.shape[1]
    used = np.zeros(len(terms) + 1, np.bool_)
    used[codes.ravel()] = True
    used[-1] = False  # where the code -1 of the default graph leads
    renumbered = np.cumsum(used, dtype=np.int32) - 1
    renumbered[-1] = -1
    codes, terms = renumbered[codes], terms.filter(mask_array(used[:-1]))
    if statements:
        flat = [term for statement in statements for term in statement]
        sizes = np.fromiter(map(len, statements), np.int64, len(statements))
        starts = np.cumsum(sizes) - sizes + len(terms)
        others = (starts[:, None] + np.arange(width)).astype(np.int32)
        if width == 4:
            others[sizes == 3, 3] = -1
        terms = pa.concat_arrays([terms, text_array(flat)])
        order = np.argsort(np.concatenate([code_rows, np.asarray(rows, np.int64)]), kind="stable")
        codes = np.concatenate([codes, others])[order]
    return Block(terms, codes, lines, errors)
