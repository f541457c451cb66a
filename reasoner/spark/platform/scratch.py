"""Where results of Spark go: the one place that cuts lineage, and the one place that releases.

A result that is needed more than once is written to Parquet files in a scratch folder and read back from there: its
plan starts anew, nothing is cached in the executors, and columns and predicates are read only where they are asked for.
Few rows come to the driver instead, and are held there as columns.

A run: facts that Spark has written once, or that the driver holds, under a name that queries read them by.
"""

from __future__ import annotations

import shutil
import weakref
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasoner.columnar.factset import FactSet
from reasoner.columnar.row_groups import RowGroups
from reasoner.spark.platform.failures import failures_told
from reasoner.spark.platform.shared_folder import (
    UnsharedFolderError,
    is_one_machine,
    parquet_files,
    require_shared,
    scratch_folder,
    spark_name,
    with_row_count,
)
from reasoner.spark.platform.traffic import Traffic
from reasoner.store.file_system import Place
from reasoner.terms.term import TYPE

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.columnar.normal_forms import FactsByClass


class ScratchRun:
    """Distinct facts that never change; ``facts`` are the same at the driver, where they are few.

    ``predicates`` and ``classes`` (the objects of rdf:type) are what its facts mention. A run lives as long as anything
    refers to it; then the scratch folder forgets it. If it is ``counted``, a column n tells how often facts occur.
    """

    def __init__(
        self,
        scratch: Scratch,
        name: str,
        rows: int,
        predicates: frozenset[int],
        classes: frozenset[int],
        facts: FactSet | None = None,
        *,
        counted: bool = False,
    ) -> None:
        self._scratch = scratch
        self.name = name
        self.rows = rows
        self.predicates = predicates
        self.classes = classes
        self.facts = facts
        self._counted = counted
        # A view of the same facts that is read in fewer tasks, for who asks about terms whatever the predicate.
        self.view_by_term: str | None = None
        # What the driver may read of it by itself.
        self.groups: RowGroups | FactsByClass | None = None

    @property
    def view(self) -> str:
        """The name of the view that holds the facts, made when a query first asks for it."""
        self._scratch.show(self.name, self.facts, counted=self._counted)
        return self.name

    def read_at_driver(self, **asked: Any) -> FactSet | None:
        """Return the facts about some terms, read by the driver; None if a job is to read them."""
        found = None if self.groups is None else self.groups.facts(**asked)
        if found is not None:
            self._scratch.traffic.read(len(found))
        return found

    @cached_property
    def counts(self) -> Mapping[int, int]:
        """How many facts each predicate has; one job for a run that is not at the driver."""
        if self.facts is not None:
            return {predicate: self.facts.table(predicate).size for predicate in self.facts}
        if len(self.predicates) == 1:
            return dict.fromkeys(self.predicates, self.rows)
        rows = self._scratch.rows(f"SELECT p, count(*) AS n FROM {self.view} GROUP BY p")
        return dict(zip(rows["p"].to_pylist(), rows["n"].to_pylist(), strict=True))

    def estimate(self, predicate: int) -> float:
        """Guess how many facts of a predicate there are, without a job."""
        if predicate not in self.predicates:
            return 0.0
        if self.facts is not None or "counts" in self.__dict__:
            return float(self.counts[predicate])
        return self.rows / len(self.predicates)


# Up to so many rows are written into the query itself, which costs less than a file.
_INLINE_ROWS = 256
_COLUMNS = ("s", "p", "o")
# So many facts are read at a time of a run that is read as a whole.
_PIECE_ROWS = 1 << 16

# How files are written that are looked up: a group of rows is what a lookup reads at least.
LOOKED_UP = {"compression": "zstd", "parquet.block.size": str(1 << 20), "parquet.enable.dictionary": "false"}
# Nobody asks whether a result is whole: a query that fails says so.
_PLAIN = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
# A file that is not there, or not whole, is an error, whatever the session thinks of it.
EXACT = {"ignoreMissingFiles": "false", "ignoreCorruptFiles": "false"}
# Spark finds pages of a store that have changed since it was opened.
VERIFIED = {**EXACT, "parquet.page.verify-checksum.enabled": "true"}
_SERIAL = count()


class Scratch:
    """A folder of runs, below a ``place`` that driver and executors share; see ``shared_folder``."""

    def __init__(self, session: SparkSession, place: str | None = None, traffic: Traffic | None = None) -> None:
        self.session = session
        self.traffic = traffic or Traffic()
        self.prefix = f"reasoner_{next(_SERIAL)}_"
        self._numbers = count()
        self._shown: set[str] = set()
        # Names of what nobody refers to any more: the garbage collector may run anywhere, and only takes notes.
        self._unused: deque[str] = deque()
        self.place = place
        self.folder = scratch_folder(place)
        self._end = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def close(self) -> None:
        """Release everything; runs that are still referred to cannot be read any more."""
        if self._end.alive:
            self._unused.extend(self._shown)
            self.release()
            self._end()

    def release(self) -> None:
        """Drop the views and files that nobody refers to any more."""
        while self._unused:
            self._forget(self._unused.popleft())

    @failures_told
    def written(self, query: str, *, counted: bool = False) -> ScratchRun:
        """Run a query over s, p, o (and n, if ``counted``), write its rows, and return them as a run; one job."""
        self.release()
        name = self._new_name()
        columns = [*_COLUMNS, *(["n"] if counted else [])]
        self.traffic.job()
        # Sorted by predicate and object, so that an atom reads only the pages of its predicate or class.
        frame = self.session.sql(query).select(*columns).sortWithinPartitions("p", "o")
        if self._sees_all:
            frame.write.options(**_PLAIN).parquet(self._path(name))
            groups = RowGroups(_files(self.folder / name), None)
            run = ScratchRun(self, name, *groups.mentioned(), counted=counted)
            run.groups = groups
        else:
            run = ScratchRun(self, name, *self._write_observed(frame, name), counted=counted)
            run.groups = self._groups(name, run.rows)
        self._watch(run, name)
        return run

    def held(self, facts: FactSet) -> ScratchRun:
        """Return facts of the driver as a run; nothing leaves the driver before a query asks for it."""
        name = self._new_name()
        run = ScratchRun(self, name, len(facts), frozenset(facts), facts.classes(), facts)
        self._watch(run, name)
        return run

    @failures_told
    def given(self, frame: DataFrame) -> ScratchRun:
        """Return a frame of distinct facts as a run, without writing it anew; one job that counts them."""
        name = self._new_name()
        frame.select(*_COLUMNS).createOrReplaceTempView(name)
        self._shown.add(name)
        classes = f"collect_set(CASE WHEN p = {TYPE} THEN o END)"
        found = self.rows(f"SELECT p, count(*) AS rows, {classes} AS classes FROM {name} GROUP BY p").to_pylist()
        counts = {row["p"]: row["rows"] for row in found}
        named = frozenset(class_id for row in found for class_id in row["classes"])
        run = ScratchRun(self, name, sum(counts.values()), frozenset(counts), named)
        run.counts = counts
        self._watch(run, name)
        return run

    def stored(
        self,
        frame: DataFrame,
        by_term: DataFrame,
        groups: RowGroups,
        counts: dict[int, int],
        classes: frozenset[int],
    ) -> ScratchRun:
        """Return files of others as a run, two frames of the same distinct facts, given what is in them; no job."""
        name = self._new_name()
        run = ScratchRun(self, name, sum(counts.values()), frozenset(counts), classes)
        run.counts = counts
        run.groups = groups
        run.view_by_term = f"{name}_by_term"
        for view, shown in ((name, frame), (run.view_by_term, by_term)):
            shown.select(*_COLUMNS).createOrReplaceTempView(view)
            self._shown.add(view)
            self._watch(run, view)
        return run

    def distributed(self, facts: FactSet) -> ScratchRun:
        """Return facts of the driver as a run that is not held there any more."""
        name = self._new_name()
        self._write_table(_table(facts), name)
        run = ScratchRun(self, name, len(facts), frozenset(facts), facts.classes())
        run.groups = self._groups(name, run.rows)
        self._watch(run, name)
        return run

    def read(self, run: ScratchRun) -> FactSet:
        """Bring a run to the driver."""
        if run.facts is not None:
            return run.facts
        import pyarrow.parquet as pq

        folder = self.folder / run.name
        rows = pq.read_table(folder, columns=list(_COLUMNS)) if run.rows else None
        self.traffic.read(run.rows)
        found = FactSet() if rows is None else facts_of(rows)
        if len(found) != run.rows:
            raise UnsharedFolderError(folder, f"{run.rows:,} facts were written there, and {len(found):,} are left")
        return found

    def read_in_pieces(self, run: ScratchRun) -> Iterator[FactSet]:
        """Yield the facts of a run that is in files, some at a time."""
        import pyarrow.parquet as pq

        folder, rows = self.folder / run.name, 0
        for path in sorted(folder.glob("*.parquet")):
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(_PIECE_ROWS, columns=list(_COLUMNS)):
                    rows += batch.num_rows
                    self.traffic.read(batch.num_rows)
                    yield facts_of(batch)
        if rows != run.rows:
            raise UnsharedFolderError(folder, f"{run.rows:,} facts were written there, and {rows:,} are left")

    def fetched(self, query: str) -> FactSet:
        """Run a query whose result is known to be small, and bring it to the driver; one job."""
        return facts_of(self.rows(query))

    def rows(self, query: str) -> pa.Table:
        """Run a query and return its rows at the driver; one job."""
        self.release()
        return self.traffic.fetched(self._frame(query))

    @failures_told
    def _frame(self, query: str) -> DataFrame:
        return self.session.sql(query)

    def show(self, name: str, facts: FactSet | None, *, counted: bool) -> None:
        """Give a run the view that queries read it by."""
        if name in self._shown:
            return
        if facts is None:
            self._show_files(name, "s long, p long, o long" + (", n long" if counted else ""))
        else:
            self.show_table(name, _table(facts))

    def show_table(self, name: str, table: pa.Table) -> None:
        """Give rows of the driver a view: as part of the query if they are few, else as a file."""
        if table.num_rows <= _INLINE_ROWS and all(str(kind) == "int64" for kind in table.schema.types):
            rows = ", ".join(
                "({})".format(", ".join(f"{value}L" for value in row.values())) for row in table.to_pylist()
            )
            columns = ", ".join(table.column_names)
            empty = ", ".join(f"0L AS {name}" for name in table.column_names)
            query = f"SELECT * FROM VALUES {rows} AS t({columns})" if rows else f"SELECT {empty} WHERE false"
            self.session.sql(query).createOrReplaceTempView(name)
        else:
            self._write_table(table, name)
            kinds = ", ".join(f"{field.name} {_KINDS[str(field.type)]}" for field in table.schema)
            self._show_files(name, kinds)
        self._shown.add(name)

    def table_view(self, owner: Any, table: pa.Table) -> str:
        """Give rows of the driver a view that lasts as long as its owner."""
        name = self._new_name()
        self.show_table(name, table)
        self._watch(owner, name)
        return name

    @failures_told
    def frame_written(self, owner: Any, frame: DataFrame, schema: str) -> tuple[str, list[Place], int]:
        """Write rows that are looked up in sorted files, and return a view of them, which lasts as long as its owner.

        The files are returned too, and how many rows they have; one job.
        """
        self.release()
        name = self._new_name()
        require_shared(self.session, self.folder.parent)
        self.traffic.job()
        observed, rows = with_row_count(frame)
        observed.write.options(**LOOKED_UP).parquet(self._path(name))
        files = parquet_files(self.folder / name, rows())
        self._show_files(name, schema)
        self._watch(owner, name)
        return name, files, rows()

    def file_view(self, owner: Any, schema: str, paths: Sequence[Place]) -> str:
        """Give files of others a view that lasts as long as its owner."""
        name = self._new_name()
        self._show_files(name, schema, *(spark_name(path) for path in paths))
        self._watch(owner, name)
        return name

    @failures_told
    def _show_files(self, name: str, schema: str, *paths: str) -> None:
        options = VERIFIED if paths else EXACT
        files = self.session.read.schema(schema).options(**options).parquet(*(paths or (self._path(name),)))
        files.createOrReplaceTempView(name)
        self._shown.add(name)

    @property
    def _sees_all(self) -> bool:
        """Whether executors and driver are one process on this machine, which at once sees all that it writes."""
        return is_one_machine(self.session)

    def _write_observed(self, frame: DataFrame, name: str) -> tuple[int, frozenset[int], frozenset[int]]:
        """Write facts, and return how many there are, their predicates and classes, as the executors have seen them.

        The driver has to see as many.
        """
        from pyspark.sql import Observation
        from pyspark.sql import functions as f

        require_shared(self.session, self.folder.parent)
        seen = Observation()
        asked = (
            f.count(f.lit(1)).alias("rows"),
            f.collect_set("p").alias("predicates"),
            f.collect_set(f.when(f.col("p") == TYPE, f.col("o"))).alias("classes"),
        )
        frame.observe(seen, *asked).write.parquet(self._path(name))
        # A session of Spark Connect may have nothing to tell when its server is busy; then the files are asked.
        found = seen.get or self.session.read.parquet(self._path(name)).agg(*asked).collect()[0].asDict()
        parquet_files(self.folder / name, int(found["rows"]))
        return int(found["rows"]), frozenset(found["predicates"]), frozenset(found["classes"])

    def _write_table(self, table: pa.Table, name: str) -> None:
        import pyarrow.parquet as pq

        require_shared(self.session, self.folder.parent)
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        pq.write_table(table, folder / "part-0.parquet")

    def _groups(self, name: str, rows: int) -> RowGroups:
        """Return what the driver may read of files by itself."""
        return RowGroups(_files(self.folder / name), rows)

    def _watch(self, owner: Any, name: str) -> None:
        """Forget a run or view once nobody refers to it; what is left at the end goes with the folder."""
        weakref.finalize(owner, self._unused.append, name).atexit = False

    def _forget(self, name: str) -> None:
        if name in self._shown:
            self._shown.discard(name)
            # A session that was stopped has no views any more.
            with suppress(Exception):
                self.session.catalog.dropTempView(name)
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def _new_name(self) -> str:
        return f"{self.prefix}{next(self._numbers)}"

    def _path(self, name: str) -> str:
        return str(self.folder / name)


_KINDS = {"int64": "long", "string": "string"}


def facts_of(table: pa.Table | pa.RecordBatch) -> FactSet:
    """Make a set of facts from a table of Arrow columns."""
    return FactSet.of_columns(*(table.column(name).to_numpy() for name in _COLUMNS))


def _table(facts: FactSet) -> pa.Table:
    import pyarrow as pa

    return pa.table(dict(zip(_COLUMNS, facts.columns(), strict=True)))


def _files(folder: Path) -> list[tuple[Place, None]]:
    return [(path, None) for path in folder.glob("*.parquet")]
