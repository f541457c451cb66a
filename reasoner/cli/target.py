"""Where a closure is written to: a file, a device or pipe, or standard output."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path, PurePath

from reasoner.cli.errors import naming
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError

_OTHER_SYNTAXES = (".ofn", ".owx", ".omn", ".obo", ".csv", ".parquet")

_COMPRESSIONS = (".gz", ".bz2", ".zst")
_QUADS = {".nq": "nquads", ".nquads": "nquads", ".trig": "trig"}


@dataclass(frozen=True, slots=True)
class OutputTarget:
    """What follows ``-o``; nothing or ``-`` is standard output."""

    name: str | None

    def __post_init__(self) -> None:
        """Refuse what cannot be written, before any work is done for it."""
        if self.is_stdout:
            return
        path = self.path
        if path.suffix.lower() in _OTHER_SYNTAXES:
            raise ReasonerError(
                f"cannot write {self.name}: the closure is RDF; use a name such as out.nt, out.ttl or out.rdf"
            )
        if path.is_dir():
            raise ReasonerError(f"cannot write {self.name}: it is a folder")
        if not path.parent.is_dir():
            raise ReasonerError(f"cannot write {self.name}: there is no folder {path.parent}")
        if not os.access(path.parent if self._is_replaced else path, os.W_OK):
            raise ReasonerError(f"cannot write {self.name}: permission denied")

    @property
    def is_stdout(self) -> bool:
        return self.name is None or self.name == "-"

    @property
    def path(self) -> Path:
        """The file itself: a link to it must go on pointing to it."""
        return Path(os.path.realpath(self.name or "-"))

    @property
    def _is_replaced(self) -> bool:
        """Whether a new file takes the place of the old; a device or a pipe must stay what it is."""
        return not self.path.exists() or self.path.is_file()

    def __str__(self) -> str:
        return "standard output" if self.is_stdout else str(self.name)

    @property
    def quad_format(self) -> str | None:
        """The syntax of quads that the name asks for, compression aside."""
        path = PurePath(self.name or "")
        suffix = (path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path).suffix.lower()
        return _QUADS.get(suffix)

    def write_quads(self, kb: Reasoner, format: str) -> int:
        """Write what every graph asserts and return how many quads that is."""
        with naming(f"cannot write {self}"):
            count = kb.write_quads(sys.stdout.buffer if self.is_stdout else self.path, format=format)
            if self.is_stdout:
                sys.stdout.flush()
            return count

    def write(self, kb: Reasoner, *, inferred_only: bool, reflexive: bool) -> int:
        """Write the closure and return how many triples it has."""
        with naming(f"cannot write {self}"):
            target = sys.stdout.buffer if self.is_stdout else self.path
            count = kb.write(target, inferred_only=inferred_only, reflexive=reflexive)
            if self.is_stdout:
                sys.stdout.flush()
            return count
