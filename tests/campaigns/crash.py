"""Kills, lost writes, damages and full disks: what is on disk is a prefix of the commits, whole: ``make crash``.

- A kill ends a process that commits, loads, evolves or vacuums at a random moment, half of the time inside a vacuum.
- The model of lost writes keeps what was synchronised of a commit and loses the rest, or a part of it, in any order.
- A damage flips, cuts, swaps, lengthens or removes files of a store: it is noticed, or answers are as they were.
- A full disk fails one write of a commit after the other: disk and memory are as they were.

After each the store is opened, compared with the commits that it may hold and with starting over, and written again.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

from reasoner import Reasoner, ReasonerError
from reasoner.store.local_disk import LocalDisk
from tests.campaigns.crash_model import apply, create, problem_of, resume, step_of
from tests.campaigns.record import Record
from tests.store.contents import over_texts

KILLS, LOST, DAMAGES = 5_000, 1_000, 10_000
# What one seed tries of each.
BATCH = {"kills": 25, "lost": 20, "damages": 200, "full": 1}
_LONGEST = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Run batches until all counts are reached or the time is over; return 0 if nothing was lost or wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.crash", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no batch after this")
    parser.add_argument("--seed", type=int, help="run one seed again, and record nothing")
    parser.add_argument("--engine", choices=("columnar", "spark"), default="columnar", help="what writes (columnar)")
    parser.add_argument("--parts", nargs="*", choices=tuple(BATCH), default=list(BATCH), help="only these parts")
    parser.add_argument("--share", type=float, default=1.0, help="the size of a batch, of the usual one (1.0)")
    options = parser.parse_args(arguments)
    record = Record("crash" if options.engine == "columnar" else "crash-spark")
    wanted = {"kills": KILLS, "lost": LOST, "damages": DAMAGES, "full": 50}
    began = time.monotonic()
    while time.monotonic() - began < options.minutes * 60:
        done = {part: sum(n for name, n in record.total.items() if name.startswith(part)) for part in wanted}
        left = [part for part in options.parts if done[part] < wanted[part] or options.seed is not None]
        if not left:
            break
        seed = record.next_seed if options.seed is None else options.seed
        counts, problems = run_seed(seed, left, options.engine, options.share)
        for problem in problems:
            print(f"seed {seed}: {problem}", flush=True)
        if options.seed is not None:
            print(f"crash: seed {seed}, {dict(counts)}, {len(problems)} failed", flush=True)
            return 1 if problems else 0
        record.add(seed, counts, len(problems))
    print(record.summary("trials"), flush=True)
    return 1 if record.failures else 0


def run_seed(seed: int, parts: list[str], engine: str, share: float = 1.0) -> tuple[Counter[str], list[str]]:
    """Try a batch of each part in a folder of its own; return what was tried and what went wrong."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    for part in parts:
        with tempfile.TemporaryDirectory(dir=_quick_folder()) as name:
            try:
                for what in TRIALS[part](seed, Path(name), max(1, round(BATCH[part] * share)), engine):
                    counts[what.partition(": ")[0]] += 1
                    if ": " in what:
                        problems.append(what)
            except Exception as error:
                problems.append(f"{part}: {type(error).__name__}: {error}")
    return counts, problems


def _quick_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def kills(seed: int, place: Path, count: int, engine: str) -> Iterator[str]:
    """Kill a writer again and again; yield what it was doing, and what is wrong with the store after it."""
    chance = random.Random(f"kills {seed}")
    store, acknowledged = place / "kb", 0
    _import_early(engine)
    # Whoever forks must not have a session of Spark.
    if problem := _apart(lambda: create(store, engine) or ""):
        raise RuntimeError(problem)
    for _ in range(count):
        inside = chance.random() < 0.3
        doing, least, most = _killed(store, seed, chance, inside, engine, acknowledged)
        problem = _apart(lambda least=least, most=most: problem_of(store, seed, least, most, engine=engine))
        yield f"kills while {doing}" + (f": {problem}" if problem else "")
        if problem:
            return
        acknowledged = least


def _killed(
    store: Path, seed: int, chance: random.Random, inside: bool, engine: str, before: int
) -> tuple[str, int, int]:
    """Start a writer, kill it, and return what it was doing, the last commit it acknowledged and the last it began."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            _write(store, seed, chance.random(), engine, lambda text: _say(writing, text))
        except BaseException as error:
            _say(writing, f"failed {type(error).__name__}: {error}")
        finally:
            os._exit(0)
    os.close(writing)
    told = ""
    # A few commits long: what is told apart is where in a commit a kill strikes.
    wait = chance.uniform(0, 0.06) if engine == "columnar" else chance.uniform(0, 8)
    ready = "vacuum\n" if inside else "open\n"
    end = time.monotonic() + _LONGEST * (1 if engine == "columnar" else 5)
    while ready not in told and "failed" not in told and time.monotonic() < end:
        if select.select([reading], [], [], 1.0)[0]:
            piece = os.read(reading, 1 << 16).decode()
            if not piece:
                break
            told += piece
    time.sleep(chance.uniform(0, 0.002) if inside else wait)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with os.fdopen(reading, "rb") as stream:
        told += stream.read().decode()
    words = [line.split() for line in told.splitlines()]
    failed = next((line for line in told.splitlines() if line.startswith("failed")), None)
    if failed is not None or not words:
        raise RuntimeError(f"the writer {failed or 'never began'}")
    least = max([before, *(int(word[1]) for word in words if word[0] == "end")])
    most = max([before, *(int(word[1]) for word in words if word[0] == "begin")])
    last = words[-1]
    doing = {"open": "idle", "end": "idle", "vacuumed": "idle", "vacuum": "vacuuming"}.get(last[0], last[-1])
    return (
        {"transaction": "committing", "update": "updating", "load": "loading", "evolve": "evolving"}.get(doing, doing),
        least,
        most,
    )


def _say(writing: int, text: str) -> None:
    os.write(writing, (text + "\n").encode())


def _write(store: Path, seed: int, share: float, engine: str, say: Callable[[str], None]) -> None:
    """Commit until killed, and vacuum now and then; say what is about to happen and what has."""
    chance = random.Random(f"{seed} {share}")
    with redirect_stdout(StringIO()):
        kb, number = resume(store, seed, engine)
        say("open")
        while True:
            step = step_of(seed, number + 1)
            say(f"begin {step.number} {step.way}")
            kb = apply(store, kb, step, engine)
            number += 1
            say(f"end {number}")
            if chance.random() < 0.4:
                say("vacuum")
                kb.vacuum(keep=chance.choice([1, 1, 3]))
                say("vacuumed")


@cache
def _import_early(engine: str) -> None:
    """Import what writers and checks import, so that processes which are forked later begin at once.

    A process of its own works through all of it, and this one imports what that one did and runs nothing of it.
    """

    def work() -> str:
        with tempfile.TemporaryDirectory(dir=_quick_folder()) as name, redirect_stdout(StringIO()):
            place = Path(name) / "kb"
            create(place, engine)
            kb, _ = resume(place, 0, engine)
            last = 30 if engine == "columnar" else 6
            for number in range(1, last + 1):
                kb = apply(place, kb, step_of(0, number), engine)
            kb.vacuum(keep=1)
            kb.close()
            if problem := problem_of(place, 0, last, last, engine=engine):
                raise RuntimeError(problem)
        return "\n".join(sys.modules)

    names = _apart(work).splitlines()
    if Reasoner.__module__ not in names:
        raise RuntimeError(f"without a kill: {' '.join(names)}")
    for name in names:
        # Modules that were made at run time are in none of the files.
        with suppress(ImportError):
            importlib.import_module(name)


def _apart(check: Callable[[], str]) -> str:
    """Run a check in a process of its own, which begins with nothing open; return what it finds."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            try:
                found = check()
            except BaseException as error:
                found = f"{type(error).__name__}: {error}"
            os.write(writing, found.encode()[:60_000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        told = stream.read().decode()
    os.waitpid(pid, 0)
    return told


@dataclass(slots=True)
class Disk:
    """Files as programs see them and as they are on disk: bytes last once a file, names once a folder is synchronised.

    ``seen`` and ``named`` map paths to numbers of files, ``bytes_seen`` and ``bytes_kept`` those to contents.
    """

    root: Path
    seen: dict[str, int] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    bytes_seen: dict[int, bytes] = field(default_factory=dict)
    bytes_kept: dict[int, bytes] = field(default_factory=dict)
    images: list[tuple[dict[str, int], dict[str, int], dict[int, bytes], dict[int, bytes]]] = field(
        default_factory=list
    )

    def take(self, kept: bool = True) -> None:
        """Begin from what is there, all of it on disk."""
        for number, path in enumerate(sorted(path for path in self.root.rglob("*") if path.is_file())):
            name = path.relative_to(self.root).as_posix()
            self.seen[name] = self.named[name] = number
            self.bytes_seen[number] = self.bytes_kept[number] = path.read_bytes()

    def write(self, path: Path, data: object) -> None:
        number = len(self.bytes_seen) + 1_000_000
        self.seen[self._name(path)] = number
        self.bytes_seen[number] = bytes(memoryview(data))  # type: ignore[arg-type]
        self.note()

    def move(self, source: Path, target: Path) -> None:
        self.seen[self._name(target)] = self.seen.pop(self._name(source))
        self.note()

    def sync(self, path: Path) -> None:
        if path.is_dir():
            inside = [name for name in {*self.seen, *self.named} if (self.root / name).parent == path]
            for name in inside:
                if name in self.seen:
                    self.named[name] = self.seen[name]
                else:
                    self.named.pop(name, None)
        elif self.root in path.parents:
            number = self.seen[self._name(path)]
            self.bytes_kept[number] = self.bytes_seen[number]
        self.note()

    def note(self) -> None:
        """Remember how things are, for an image of a crash at this moment."""
        self.images.append((dict(self.seen), dict(self.named), dict(self.bytes_seen), dict(self.bytes_kept)))

    def restore(self, at: int, target: Path, chance: random.Random) -> None:
        """Write what a crash at a moment may leave: what was synchronised, and any part of the rest."""
        seen, named, bytes_seen, bytes_kept = self.images[at]
        for name in sorted({*seen, *named}):
            number = named.get(name)
            if seen.get(name) != number and chance.random() < 0.5:
                number = seen.get(name)
            if number is None:
                continue
            data = bytes_seen[number]
            if number not in bytes_kept:
                cut = chance.randrange(len(data) + 1)
                data = chance.choice([b"", data[:cut], bytes(len(data)), data[:cut] + bytes(len(data) - cut), data])
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


@contextmanager
def _modelled(disk: Disk) -> Iterator[None]:
    """Let what a store writes pass through a model of a disk as well."""
    real_write, real_sync, real_replace = LocalDisk.write_new, LocalDisk.sync, Path.replace

    def write_new(files: LocalDisk, path: Path, data: object) -> None:
        real_write(files, path, data)
        disk.write(path, data)

    def sync(files: LocalDisk, paths: object) -> None:
        for path in list(paths):  # type: ignore[call-overload]
            real_sync(files, [path])
            disk.sync(path)

    def replace(source: Path, target: Path) -> Path:
        moved = real_replace(source, target)
        disk.move(source, target)
        return moved

    with (
        mock.patch.multiple(LocalDisk, write_new=write_new, sync=sync),
        mock.patch.object(Path, "replace", replace),
    ):
        yield


def lost(seed: int, place: Path, count: int, engine: str) -> Iterator[str]:
    """Commit with a model of the disk; yield each commit, and what is wrong with a store after a crash within it."""
    chance = random.Random(f"lost {seed}")
    store = place / "kb"
    create(store)
    kb, number = resume(store, seed)
    # The command has a process of its own usually, and the journal is not a part of a version.
    ways = {"load": "transaction", "evolve": "update"}
    for number in range(1, count + 1):
        disk = Disk(store)
        disk.take()
        disk.note()
        step = step_of(seed, number)
        with _modelled(disk):
            kb = apply(store, kb, type(step)(number, ways.get(step.way, step.way), step.added, step.removed))
        seen = {name: disk.bytes_seen[file] for name, file in disk.seen.items()}
        real = {p.relative_to(store).as_posix(): p.read_bytes() for p in store.rglob("*") if p.is_file()}
        if seen != real:
            yield f"lost: commit {number} wrote files that the model does not know: {seen.keys() ^ real.keys()}"
            return
        problems = []
        for at in {*chance.choices(range(len(disk.images)), k=3), len(disk.images) - 1}:
            image = place / f"image{at}"
            disk.restore(at, image, chance)
            least = number if at == len(disk.images) - 1 else number - 1
            problem = problem_of(image, seed, least, number, journal=False) or _goes_on(image, number)
            if problem:
                problems.append(f"commit {number}, lost after {at} of {len(disk.images)} operations: {problem}")
            shutil.rmtree(image)
        yield "lost" + (f": {problems[0]}" if problems else "")
        if chance.random() < 0.1:
            kb.vacuum()
    kb.close()


def _goes_on(image: Path, number: int) -> str:
    """Commit once more after a crash, over what it has left."""
    fact = ("<http://e.org/next>", "<http://e.org/p>", "<http://e.org/o>")
    with Reasoner.open(image) as kb:
        kb.add([fact])
    with Reasoner.open(image, read_only=True) as kb:
        return "" if fact in set(kb.triples()) else "what was committed after the crash is gone"


def damages(seed: int, place: Path, count: int, engine: str) -> Iterator[str]:
    """Damage files of a store; yield the kind of damage, and which answer was wrong after it."""
    chance = random.Random(f"damages {seed}")
    store = place / "kb"
    create(store)
    kb, _ = resume(store, seed)
    for number in range(1, 14):
        with redirect_stdout(StringIO()):
            kb = apply(store, kb, step_of(seed, number))
    kb.add(
        [("<http://e.org/g1>", "<http://e.org/p0>", '"1"^^<http://www.w3.org/2001/XMLSchema#integer>')],
        graph="<http://e.org/g>",
    )
    kb.prefixes["e"] = "http://e.org/"
    kb.materialise()
    kb.close()
    wanted = _answers(store)
    extra = ("<http://e.org/a>", "<http://e.org/parent>", "<http://e.org/extra>")
    after = place / "after"
    shutil.copytree(store, after)
    with Reasoner.open(after) as kb:
        kb.add([extra])
    wanted_after = _answers(after)
    shutil.rmtree(after)
    files = sorted(path for path in store.rglob("*") if path.is_file() and path.name != "LOCK")
    for _ in range(count):
        kind = chance.choice(tuple(DAMAGE))
        path, other = _chosen(files, chance), _chosen(files, chance)
        saved = {path: path.read_bytes(), other: other.read_bytes()}
        DAMAGE[kind](path, other, chance)
        wrong = ""
        try:
            found = _answers(store)
            if found != wanted:
                wrong = "another answer"
            elif chance.random() < 0.3:
                shutil.copytree(store, after)
                with Reasoner.open(after) as kb:
                    kb.add([extra])
                if _answers(after) != wanted_after:
                    wrong = "another answer after a commit"
        except ReasonerError as error:
            wrong = "" if str(place) in str(error) else f"no file is named: {error}"
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        finally:
            shutil.rmtree(after, ignore_errors=True)
            for name, data in saved.items():
                name.write_bytes(data)
        told = f"{path.relative_to(store)} and {other.relative_to(store)}: {wrong}" if wrong else ""
        yield f"damages by {kind}" + (f": {told}" if told else "")


def _chosen(files: list[Path], chance: random.Random) -> Path:
    """Choose a kind of file first, so that the few small ones have their share."""
    kinds: dict[str, list[Path]] = {}
    for path in files:
        kinds.setdefault(path.parent.name if path.suffix == ".parquet" else path.name.lstrip("0123456789"), []).append(
            path
        )
    return chance.choice(kinds[chance.choice(sorted(kinds))])


def _answers(store: Path) -> dict[str, Any]:
    """Return all that a store tells, of its last version."""
    with Reasoner.open(store, read_only=True) as kb:
        return {
            "facts": over_texts(kb),
            "quads": sorted(kb.quads(), key=repr),
            "steps": [(entry.name, entry.change) for entry in kb.evolutions()],
            "rules": kb.own_rules(),
            "prefixes": kb.prefixes,
            "query": sorted(map(tuple, kb.query("SELECT * { ?s <http://e.org/ancestor> ?o }", terms="text"))),
        }


def _flip(path: Path, other: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 1, 1, 2, 8])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _cut(path: Path, other: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])


def _swap(path: Path, other: Path, chance: random.Random) -> None:
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    other.write_bytes(one)


def _copy(path: Path, other: Path, chance: random.Random) -> None:
    path.write_bytes(other.read_bytes())


def _lengthen(path: Path, other: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data + chance.choice([b"\0", b"\n", b"1", data, other.read_bytes()]))


def _erase(path: Path, other: Path, chance: random.Random) -> None:
    data = path.read_bytes()
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice([1, 16, 4096]))
    path.write_bytes(data[:start] + bytes(end - start) + data[end:])


DAMAGE: dict[str, Callable[[Path, Path, random.Random], None]] = {
    "flipping": _flip,
    "cutting": _cut,
    "swapping": _swap,
    "copying": _copy,
    "lengthening": _lengthen,
    "erasing": _erase,
}


def full(seed: int, place: Path, count: int, engine: str) -> Iterator[str]:
    """Let the disk be full at every write of commits, one after the other; yield each, and what is wrong after it."""
    store = place / "kb"
    create(store)
    kb, number = resume(store, seed)
    for number in range(1, 6 * count + 1):
        step = step_of(seed, number)
        if step.way == "load":
            step = type(step)(number, "transaction", step.added, step.removed)
        for write in range(1, 200):
            before, version = over_texts(kb), kb.version
            steps = [entry.name for entry in kb.evolutions()]
            failing = _Full(write)
            try:
                with failing.installed():
                    apply(store, kb, step)
            except ReasonerError as error:
                if "No space left" not in str(error):
                    yield f"full: {error}"
                if over_texts(kb) != before or kb.version != version:
                    yield f"full: commit {number} at write {write}: memory is not as it was"
                    return
            else:
                break
            with Reasoner.open(store, read_only=True) as reader:
                same = over_texts(reader) == before and [entry.name for entry in reader.evolutions()] == steps
                # The very last act is to make the name of the new version last; by then it is there.
                if not same and reader.version != (version or 0) + 1:
                    yield f"full: commit {number} at write {write}: the disk is not as it was"
                    return
        yield "full"
    kb.close()
    problem = problem_of(store, seed, number, number)
    if problem:
        yield f"full: {problem}"


@dataclass(slots=True)
class _Full:
    """Lets the n-th write, synchronisation or replacement fail as a full disk does, a write after its first bytes."""

    left: int

    @contextmanager
    def installed(self) -> Iterator[None]:
        def failing(real: Callable[..., object], torn: bool = False) -> Callable[..., object]:
            def wrapped(*arguments: object, **settings: object) -> object:
                self.left -= 1
                if self.left == 0:
                    if torn:
                        real(*arguments[:-1], bytes(memoryview(arguments[-1]))[:17])  # type: ignore[arg-type]
                    raise OSError(errno.ENOSPC, "No space left on device")
                return real(*arguments, **settings)

            return wrapped

        with (
            mock.patch.object(LocalDisk, "write_new", failing(LocalDisk.write_new, torn=True)),
            mock.patch.object(os, "fsync", failing(os.fsync)),
            mock.patch.object(Path, "replace", failing(Path.replace)),
        ):
            yield


TRIALS: dict[str, Callable[[int, Path, int, str], Iterator[str]]] = {
    "kills": kills,
    "lost": lost,
    "damages": damages,
    "full": full,
}


if __name__ == "__main__":
    sys.exit(main())
