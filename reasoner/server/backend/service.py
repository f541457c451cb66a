"""What the endpoints of one server share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasoner.server.backend.committed import Committed, ServerMemory
from reasoner.server.backend.documents import Documents, documents
from reasoner.server.backend.message import BodyRoom
from reasoner.server.backend.metrics import Metrics
from reasoner.server.backend.parsing import Parsers, parsers
from reasoner.server.backend.settings import Settings
from reasoner.server.backend.workers import Readers, Writer
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
    kept: ServerMemory = field(default_factory=ServerMemory)

    @classmethod
    def of(cls, kb: Reasoner, settings: Settings) -> Service:
        """Materialise a reasoner if it is not yet, and get ready to serve it.

        From now on it is changed through the service alone: readers see what the service has committed.
        """
        metrics, committed, pool = Metrics(), Committed(kb), MemoryPool(settings.most_total_memory)
        readers = Readers(settings, pool)
        return cls(
            settings,
            committed,
            parsers(),
            documents(settings.document_memory),
            BodyRoom(settings.most_bodies),
            readers,
            Writer(kb, committed, settings, pool, readers, metrics),
            metrics,
        )

    def close(self, seconds: float) -> bool:
        """Drop all work but the commit under way; tell whether that was finished within so many seconds."""
        self.kept.close()
        self.readers.close()
        return self.writer.close(seconds)
