"""Mutated inputs for everything that reads: nothing but clean errors, no hang, no memory over a bound: ``make fuzz``.

An input is a document with a few mutations: bits flipped, pieces cut, doubled, moved, nested a thousand times, spliced
with another document, tokens and numbers exchanged. Its reader, seed and number say all about it, so that every finding
can be made again: ``python -m tests.campaigns.fuzz --seed 12 --chunks 1 --readers Turtle``.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from reasoner import ReasonerError
from tests.campaigns.fuzz_readers import Reader, readers
from tests.campaigns.record import FOLDER, ROOT, Record
from tests.campaigns.watched import Chunk, watched

SECONDS = 10.0
MEGABYTES = 1024
CHUNK = 100
_LONGEST = 200_000
_TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")


def main(arguments: list[str] | None = None) -> int:
    """Run chunks of inputs until enough were read or the time is over; return 0 if nothing was found."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.fuzz", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs in all, earlier runs included")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no chunk after this")
    parser.add_argument("--seed", type=int, help="run one seed again, and record nothing")
    parser.add_argument("--chunk", type=int, default=CHUNK, help="inputs of one seed and share (100)")
    parser.add_argument("--readers", nargs="*", help="only these readers")
    options = parser.parse_args(arguments)
    chosen = [reader for reader in readers() if not options.readers or reader.name in options.readers]
    record = Record("fuzz")
    if options.seed is not None:
        counts, findings = run_seed(chosen, options.seed, chunk=options.chunk)
        print(f"fuzz: seed {options.seed}, {counts.total():,} inputs, {findings} findings")
        return 1 if findings else 0
    began = time.monotonic()
    while record.total.total() < options.inputs and time.monotonic() - began < options.minutes * 60:
        seed = record.next_seed
        counts, findings = run_seed(chosen, seed, chunk=options.chunk)
        record.add(seed, counts, findings)
    print(record.summary("inputs"), flush=True)
    return 1 if record.failures else 0


def run_seed(chosen: list[Reader], seed: int, *, chunk: int = CHUNK) -> tuple[Counter[str], int]:
    """Read mutated inputs of one seed with every reader, in proportion to its share; return counts and findings."""
    counts: Counter[str] = Counter()
    findings = 0
    for reader in chosen:
        result = fuzz(reader, seed, chunk * reader.share)
        counts[reader.name] += result.done
        findings += len(result.findings)
        alike: dict[str, tuple[int, str]] = {}
        for number, what in result.findings:
            alike.setdefault(re.sub(r"\d+|'.*'", "", what.partition(": ")[0]), (number, what))
        for number, what in alike.values():
            _keep(reader, seed, number, what)
    return counts, findings


def fuzz(reader: Reader, seed: int, count: int) -> Chunk:
    """Read inputs with a reader in a process of its own; return what was found by the number of the input."""

    def trials(stack: ExitStack) -> Callable[[int], str | None]:
        read = reader.make(stack)

        def trial(number: int) -> str | None:
            return finding(read, mutated(reader.seeds, seed, number))

        return trial

    return watched(trials, 0, count, seconds=SECONDS, megabytes=MEGABYTES)


def finding(read: Callable[[bytes], None], data: bytes) -> str | None:
    """Read an input; return what is wrong with how that ended, or None."""
    try:
        read(data)
    except ReasonerError as error:
        try:
            str(error).encode()
        except UnicodeEncodeError:
            return f"an error that cannot be written: {error!r}"
        return None if str(error) else f"an error without a message: {error!r}"
    except MemoryError:
        return f"more than {MEGABYTES} MB: {_where()}"
    except BaseException:
        return _where()
    return None


def mutated(seeds: tuple[bytes, ...], seed: int, number: int) -> bytes:
    """Return the input of a number: a document with one to six mutations."""
    chance = random.Random(f"{seed} {number}")
    data = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 6))):
        data = chance.choice(MUTATORS)(data, chance, seeds)[:_LONGEST]
    return data


Mutator = Callable[[bytes, random.Random, tuple[bytes, ...]], bytes]


def _span(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((1, 2, 5, 20, 100)))


def _flip(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    if not data:
        return data
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def _cut(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def _end(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _double(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 2, 10)) + data[end:]


def _move(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    start, end = _span(data, chance)
    place = chance.randrange(len(data) + 1)
    return data[:place] + data[start:end] + data[place:]


def _splice(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    other = chance.choice(seeds)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _insert(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(STRANGE) + data[place:]


def _nest(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    opened, closed = chance.choice(NESTED)
    times = chance.choice((2, 10, 100, 1000))
    start, end = _span(data, chance)
    return data[:start] + opened * times + data[start:end] + closed * times + data[end:]


def _exchange(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    tokens = _TOKEN.findall(data)
    if len(tokens) < 2:
        return data
    one, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]
    return b"".join(tokens)


def _token(data: bytes, chance: random.Random, seeds: tuple[bytes, ...]) -> bytes:
    tokens, others = _TOKEN.findall(data), _TOKEN.findall(chance.choice(seeds))
    if not tokens or not others:
        return data
    tokens[chance.randrange(len(tokens))] = chance.choice((chance.choice(others), b"", chance.choice(STRANGE)))
    return b"".join(tokens)


MUTATORS: tuple[Mutator, ...] = (
    *(_flip, _flip, _cut, _end, _double, _move, _splice, _insert, _exchange, _exchange, _token, _token, _token),
    _nest,
)
STRANGE = (
    *(
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\\ud800",
        b"\\uDFFF",
        b"\\U00110000",
        b"\\u00",
        b"\r",
        b"\n",
    ),
    *(
        b"'",
        b'"',
        b'"""',
        b"'''",
        b"\\",
        b"<",
        b">",
        b"#",
        b"_:",
        b"@",
        b"^^",
        b".",
        b"..",
        b"%",
        b"%GG",
        b"&x;",
        b"\x85",
    ),
    *(
        b"-1",
        b"0",
        b"1e999",
        b"NaN",
        b"99999999999999999999999",
        b"1" * 5000,
        b"null",
        b"[]",
        b"{}",
        b"true",
        b"\xc2\xa0",
    ),
    *("é𝕏\u0301\u202e".encode(), b"a" * 3000, b"http://", b"urn:", b"//[", b":", b"1970-13-45T99:99:99Z", b" " * 500),
)
NESTED = (
    *((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<a>", b"</a>"), (b'{"a":', b"}"), (b"[ :p ", b" ]"), (b"!", b"")),
    *((b"ObjectComplementOf(", b")"), (b"not ", b""), (b"{ OPTIONAL ", b"}"), (b"<<", b">>"), (b"-", b""), (b"^", b"")),
)


def _where() -> str:
    """Describe the error at hand by its kind and the last lines of ours and of others."""
    error = sys.exception()
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    root = str(ROOT)
    own = [frame for frame in frames if frame.filename.startswith(root) and "campaigns" not in frame.filename]
    shown = [f"{frame.filename.removeprefix(root + '/')}:{frame.lineno}" for frame in [*own[-2:], *frames[-1:]]]
    return f"{type(error).__name__} at {' > '.join(dict.fromkeys(shown))}: {error}"


def _keep(reader: Reader, seed: int, number: int, what: str) -> None:
    """Print a finding and keep its input, so that it can be looked at and become a golden case."""
    folder = FOLDER / "fuzz-findings"
    folder.mkdir(parents=True, exist_ok=True)
    path: Path = folder / f"{reader.name.replace('/', '-').replace(' ', '-')}-{seed}-{number}"
    path.write_bytes(mutated(reader.seeds, seed, number))
    print(f"{reader.name}, seed {seed}, input {number}: {what[:300]} ({path.name})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
