"""What a reasoner does to be exported."""

from __future__ import annotations

import threading
from os import PathLike
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.export.export import Export
    from reasoner.reasoner import Reasoner
    from reasoner.subscriptions.announcements import Announcements


class Exporting:
    """A reasoner whose closure can be had as tables."""

    store: ColumnarStore
    _committing: threading.RLock

    if TYPE_CHECKING:

        def _materialised(self) -> None: ...

        def _announced_by(self) -> Announcements: ...

    def export(
        self, target: str | PathLike[str], *, format: str | None = None, terms: str = "text", attach: bool = False
    ) -> Export:
        """Write the closure to a database: a table for every class and property; return the export.

        ``format`` is sqlite, duckdb or parquet (a folder of files), by the name of the target if it is not given. With
        ``terms="ids"`` tables hold ids, and the table ``terms`` says of what. An export of this very version of a store
        on disk is left as it is, one of an earlier version that is still there is brought up to date by what differs,
        and any other is written anew. ``Export.refresh`` brings it up to date by what changed since; with ``attach``
        every commit does so until ``Export.close``.

        >>> import sqlite3
        >>> from tempfile import TemporaryDirectory
        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/age>", '"7"^^<http://www.w3.org/2001/XMLSchema#integer>')])
        1
        >>> with TemporaryDirectory() as folder:
        ...     kb.export(f"{folder}/out.sqlite").close()
        ...     file = sqlite3.connect(f"{folder}/out.sqlite")
        ...     file.execute("SELECT * FROM property_age").fetchall()
        ...     file.close()
        [('<http://e.org/a>', 7)]
        """
        from loaders.local_path import local_path
        from reasoner.export.export import Export

        path = local_path(target)
        with self._committing:
            self._materialised()
            export = Export(cast("Reasoner", self), path, format, terms)
            try:
                export.begin()
                if attach:
                    self._announced_by().join(export, self.store.state)
            except BaseException:
                export.close()
                raise
        return export
