"""Whatever goes wrong while a version is written, and whenever a process is killed, the version before is readable."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from reasoner import Reasoner, StoreError
from reasoner.state.persistence import Persistence
from reasoner.store import local_disk
from reasoner.store.local_disk import LocalDisk
from tests.notation import fact
from tests.store.conftest import FAMILY
from tests.store.contents import over_ids, over_texts

RULES = "?x <ancestor> ?y :- ?x <parent> ?y . ?x <ancestor> ?z :- ?x <ancestor> ?y, ?y <parent> ?z ."


class Faulty:
    """Lets the n-th write, replacement or synchronisation fail, before it does anything or in the middle of it."""

    def __init__(self, patch: pytest.MonkeyPatch, error: type[BaseException] = OSError) -> None:
        self.left = -1
        self.error = error
        for owner, name in ((os, "fsync"), (os, "replace")):
            self._wrap(patch, owner, name)
        self._wrap(patch, local_disk.Path, "replace")
        self._wrap(patch, LocalDisk, "write_new")

    def _wrap(self, patch, owner, name) -> None:
        real = getattr(owner, name)

        def wrapped(*arguments, **settings):
            self.left -= 1
            if self.left == 0:
                if name == "write_new":
                    # A torn file.
                    _, path, data = arguments
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(bytes(memoryview(data)[:17]))
                raise self.error(errno.ENOSPC, "No space left on device")
            return real(*arguments, **settings)

        patch.setattr(owner, name, wrapped)


def commits(kb: Reasoner):
    """Return ways to change a store, each with a new term, so that the dictionary changes too."""
    return {
        "transaction": lambda n: kb.remove([FAMILY[n % 3]]) if n % 2 else _add(kb, fact(f"t{n} parent ann")),
        "sparql": lambda n: kb.update(f"INSERT DATA {{ <http://e.org/u{n}> <http://e.org/p> <http://e.org/a> }}"),
        "dynamic": lambda n: _submit(kb, fact(f"d{n} parent bob")),
    }


def _add(kb: Reasoner, triple) -> None:
    with kb.transaction() as change:
        change.add(triple)


def _submit(kb: Reasoner, triple) -> None:
    session = kb.dynamic()
    ticket = session.submit(add=triple)
    session.run()
    ticket.wait()


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("means", ["transaction", "sparql", "dynamic"])
def test_a_commit_that_fails_at_any_write_leaves_disk_and_memory_as_they_were(
    tmp_path, monkeypatch, limits, means, error
):
    kb = Reasoner.open(tmp_path, create=True, profile="none")
    kb.add(FAMILY)
    kb.add_rules(RULES)
    kb.materialise()
    failures = 0
    faulty = Faulty(monkeypatch, error)
    for step in range(3):
        for place in range(1, 60):
            before, version = over_texts(kb), kb.version
            faulty.left = place
            try:
                commits(kb)[means](step)
            except (StoreError, KeyboardInterrupt) as problem:
                failures += 1
                assert over_texts(kb) == before and kb.version == version
                if error is OSError:
                    assert "No space left on device" in str(problem) and "commit again" in str(problem)
            else:
                faulty.left = -1
                break
            finally:
                faulty.left = -1
            with Reasoner.open(tmp_path, read_only=True) as reader:
                # The very last act is to make the name of the new version last; by then it is there.
                assert over_texts(reader) == before or reader.version == version + 1
        else:
            pytest.fail("no commit ever succeeded")
        with Reasoner.open(tmp_path, read_only=True) as reader:
            assert over_texts(reader) == over_texts(kb)
            assert over_texts(reader) != before
    assert failures > 15
    kb.close()
    with Reasoner.open(tmp_path) as kb:
        _add(kb, fact("last parent ann"))
        with Reasoner.open(tmp_path, read_only=True) as reader:
            assert over_texts(reader) == over_texts(kb)


def test_creating_a_store_can_fail_anywhere_and_be_tried_again(tmp_path, monkeypatch):
    faulty = Faulty(monkeypatch)
    for place in range(1, 60):
        faulty.left = place
        try:
            kb = Reasoner.open(tmp_path / "kb", create=True, profile="none")
        except StoreError:
            faulty.left = -1
            continue
        faulty.left = -1
        break
    assert place > 4
    with kb:
        kb.add(FAMILY)
        kb.materialise()
        content = over_ids(kb)
    with Reasoner.open(tmp_path / "kb") as kb:
        assert over_ids(kb) == content


def test_a_commit_interrupted_after_it_took_effect_is_followed_by_a_sound_one(tmp_path, monkeypatch):
    """The ids of its terms are on disk, and mean others in memory."""
    kb = Reasoner.open(tmp_path, create=True, profile="none")
    kb.add(FAMILY)
    kb.materialise()
    real = Persistence.keep

    def interrupted(self, draft):
        real(self, draft)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Persistence, "keep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _add(kb, fact("lost parent ann"))
    assert fact("lost parent ann") not in set(kb.triples())
    _add(kb, fact("found parent ann"))
    with Reasoner.open(tmp_path, read_only=True) as reader:
        assert over_texts(reader) == over_texts(kb)
        assert over_ids(reader) == over_ids(kb)
        assert fact("found parent ann") in set(reader.triples())
    kb.close()


WRITER = """
import sys
from reasoner import Reasoner
kb = Reasoner.open(sys.argv[1])
first = int(sys.argv[2])
for number in range(first, first + 10_000):
    with kb.transaction() as change:
        change.add((f"<n{number}>", "<parent>", "<ann>"))
        change.remove((f"<n{number - 2}>", "<parent>", "<ann>"))
    print(number, kb.version, flush=True)
"""


def test_a_writer_killed_at_any_moment_leaves_its_last_commit_or_the_one_after_it(tmp_path):
    """What was told to be committed is there; of what was under way, all or nothing is."""
    place = tmp_path / "kb"
    with Reasoner.open(place, create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.add_rules(RULES)
    random.seed(20)
    number = 0
    for _ in range(12):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(place), str(number)], stdout=subprocess.PIPE, text=True
        ) as writer:
            lines = [writer.stdout.readline()]
            time.sleep(random.uniform(0, 0.12))
            writer.send_signal(signal.SIGKILL)
            lines += writer.stdout.readlines()
        last, version = map(int, [line for line in lines if line.endswith("\n")][-1].split())
        with Reasoner.open(place) as kb:
            assert kb.version in (version, version + 1)
            number = last + (kb.version - version)
            named = {s for s, p, o in kb.store.texts(kb.store.state.explicit) if s.startswith("<n") and o == "<ann>"}
            assert named == {f"<n{n}>" for n in (number, number - 1) if n >= 0}
            twin = Reasoner(profile="none")
            twin.add(kb.store.texts(kb.store.state.explicit))
            twin.add_rules(RULES)
            assert over_texts(kb) == over_texts(twin)
        number += 1
    with Reasoner.open(place) as kb:
        kb.vacuum()
        assert len(kb.versions()) == 1
    assert number > 12
