"""One source to blocks of statements, in order, with every error placed in its file."""

from __future__ import annotations

import os
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from loaders.block import Block, BlockError, parse_block
from loaders.errors import LoadError, ParseError
from loaders.formats import SAMPLE_SIZE, Format, detect_format
from loaders.limits import Limit
from loaders.prefixes import declared_prefixes
from loaders.sources import OpenSource, Source
from loaders.syntaxes import UnsupportedPlacer, statement_blocks

# Large enough to spread the cost of compiling patterns, small enough to stay in the processor's cache.
_BLOCK_SIZE = 1 << 23

WORKERS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some statements of a source, and the errors that were skipped on the way to them."""

    block: Block
    format: Format
    errors: tuple[ParseError, ...]
    bytes_read: int


def read_batches(
    source: Source,
    *,
    format: Format | None,
    base: str | None,
    skip_errors: bool,
    executor: Executor,
    prefixes: dict[str, str] | None = None,
) -> Iterator[Batch]:
    """Yield the statements of a source in order; blocks are parsed by ``executor``, a few ahead.

    Raise ``ParseError`` at the first error unless errors are skipped; where a syntax does not let reading go on
    behind an error it is raised in any case. Raise ``LoadError`` for what cannot be read. ``prefixes`` takes those that
    the source declares, unless their names are in it.
    """
    try:
        with source.open() as opened:
            sample = opened.stream.peek(SAMPLE_SIZE)
            chosen = format or detect_format(source.name, sample)
            if prefixes is not None and not chosen.is_line_based:
                for name, namespace in declared_prefixes(sample).items():
                    prefixes.setdefault(name, namespace)
            if chosen.is_line_based:
                yield from _line_batches(source, opened, chosen, skip_errors, executor)
            else:
                yield from _parsed_batches(source, opened, chosen, base, skip_errors, executor)
    except (OSError, EOFError, zlib.error) as error:
        raise LoadError(f"cannot read {source.name}: {error}") from error
    except Exception as error:
        # zstandard is imported only where a file needs it, so its error is known by name.
        if type(error).__name__ != "ZstdError":
            raise
        raise LoadError(f"cannot read {source.name}: {error}") from error


def _line_batches(
    source: Source, opened: OpenSource, format: Format, skip_errors: bool, executor: Executor
) -> Iterator[Batch]:
    lines = 0

    def placed(error: BlockError) -> ParseError:
        return ParseError(
            error.message, file=source.name, line=lines + error.line, column=error.column, text=error.text
        )

    parse = partial(parse_block, quads=format is Format.NQUADS, skip_errors=skip_errors)
    for block in _in_order(executor, _whole_lines(source, opened.stream), parse):
        errors = tuple(map(placed, block.errors))
        if errors and not skip_errors:
            raise errors[0]
        yield Batch(block, format, errors, opened.bytes_read)
        lines += block.lines


def _parsed_batches(
    source: Source, opened: OpenSource, format: Format, base: str | None, skip_errors: bool, executor: Executor
) -> Iterator[Batch]:
    again = source.rereadable(opened.stream)
    skipped: list[ParseError] = []
    with again.open() as reopened, closing(UnsupportedPlacer(again, format)) as placer:
        base = base if base is not None else source.base
        blocks = statement_blocks(again, reopened.stream, format, base, skipped.append if skip_errors else None)
        for block in _in_order(executor, blocks, partial(parse_block, quads=True, skip_errors=skip_errors)):
            skipped.extend(map(placer.place, block.errors))
            if skipped and not skip_errors:
                raise skipped[0]
            errors, skipped[:] = tuple(skipped), []
            yield Batch(block, format, errors, reopened.bytes_read)
    if skipped:
        yield Batch(parse_block(b""), format, tuple(skipped), reopened.bytes_read)


def _whole_lines(source: Source, stream: BinaryIO) -> Iterator[bytes]:
    longest, lines = Limit.LINE_BYTES.get(), 0
    while data := stream.read(_BLOCK_SIZE):
        data += stream.readline(longest + 1)
        whole = data if data.endswith(b"\n") else data + b"\n"
        if len(data) > longest:
            _refuse_long_lines(source, whole, lines, longest)
        yield whole
        lines += whole.count(b"\n")


def _refuse_long_lines(source: Source, block: bytes, before: int, longest: int) -> None:
    """Raise ``ParseError`` at the first line of a block that is too long; ``before`` lines came before the block."""
    start = 0
    while (end := block.find(b"\n", start)) >= 0:
        if end - start > longest:
            line = before + block.count(b"\n", 0, start) + 1
            text = block[start : start + 80].decode(errors="replace")
            raise ParseError(
                f"a line of more than {longest:,} bytes; {Limit.LINE_BYTES.remedy()}",
                file=source.name,
                line=line,
                text=text,
            )
        # Lines that end within the bound need not be looked at one by one.
        start = block.rfind(b"\n", start, start + longest + 1) + 1


def _in_order(executor: Executor, blocks: Iterator[bytes], parse: Callable[[bytes], Block]) -> Iterator[Block]:
    """Parse blocks side by side and yield them in order, holding no more than a few at a time."""
    first = next(blocks, None)
    if first is None:
        return
    second = next(blocks, None)
    if second is None:
        # Most files are small, and starting threads takes longer than reading them.
        yield parse(first)
        return
    running: deque[Future[Block]] = deque(executor.submit(parse, block) for block in (first, second))
    for block in blocks:
        running.append(executor.submit(parse, block))
        if len(running) > WORKERS:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
