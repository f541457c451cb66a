"""What the endpoints of one server share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasoner.server.committed import Committed
from reasoner.server.kept import Kept
from reasoner.server.metrics import Metrics
from reasoner.server.parsing import Parsers, parsers
from reasoner.server.settings import Settings
from reasoner.server.workers import Readers, Writer

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner


@dataclass(frozen=True, slots=True)
class Service:
    """A reasoner that is served: its settings, its last commit, and the threads that read and write."""

    settings: Settings
    committed: Committed
    parsers: Parsers
    readers: Readers
    writer: Writer
    metrics: Metrics
    kept: Kept = field(default_factory=Kept)

    @classmethod
    def of(cls, kb: Reasoner, settings: Settings) -> Service:
        """Materialise a reasoner if it is not yet, and get ready to serve it.

        From now on it is changed through the service alone: readers see what the service has committed.
        """
        metrics, committed = Metrics(), Committed(kb)
        readers = Readers(settings.readers, settings.timeout)
        return cls(settings, committed, parsers(), readers, Writer(kb, committed, settings.timeout, metrics), metrics)

    def close(self) -> None:
        """Finish the commit under way, and drop all other work."""
        self.kept.close()
        self.readers.close()
        self.writer.close()
