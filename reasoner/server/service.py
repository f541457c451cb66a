"""What the endpoints of one server share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasoner.server.committed import Committed
from reasoner.server.documents import Documents, documents
from reasoner.server.kept import Kept
from reasoner.server.message import BodyRoom
from reasoner.server.metrics import Metrics
from reasoner.server.parsing import Parsers, parsers
from reasoner.server.settings import Settings
from reasoner.server.workers import Readers, Writer
from reasoner.sparql.budget import MemoryPool

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner


@dataclass(frozen=True, slots=True)
class Service:
    """A reasoner that is served: its settings, its last commit, and the threads that read and write."""

    settings: Settings
    committed: Committed
    parsers: Parsers
    documents: Documents
    bodies: BodyRoom
    readers: Readers
    writer: Writer
    metrics: Metrics
    kept: Kept = field(default_factory=Kept)

    @classmethod
    def of(cls, kb: Reasoner, settings: Settings) -> Service:
        """Materialise a reasoner if it is not yet, and get ready to serve it.

        From now on it is changed through the service alone: readers see what the service has committed.
        """
        metrics, committed, pool = Metrics(), Committed(kb), MemoryPool(settings.most_total_memory)
        return cls(
            settings,
            committed,
            parsers(),
            documents(settings.document_memory),
            BodyRoom(settings.most_bodies),
            Readers(settings, pool),
            Writer(kb, committed, settings, pool, metrics),
            metrics,
        )

    def close(self, seconds: float) -> bool:
        """Drop all work but the commit under way; tell whether that was finished within so many seconds."""
        self.kept.close()
        self.readers.close()
        return self.writer.close(seconds)
