"""Writing the closure as N-Triples by the executors: a folder of parts, or one file that is put together from these.

Loading files into a store of Spark: by the executors where there is much to read, else by the driver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from loaders.local_path import local_path, scheme_of
from loaders.write import Target, opened
from reasoner.columnar.expand import Columns
from reasoner.columnar.factset import FactSet
from reasoner.columnar.graphs import named_in
from reasoner.rules.errors import ReasonerError
from reasoner.spark import term_files
from reasoner.spark.engine import SparkEngine
from reasoner.spark.fetched import unwrapped, wrapped
from reasoner.spark.platform.failures import failures_told
from reasoner.spark.platform.shared_folder import UnsharedFolderError, existing_folder, require_shared, with_row_count
from reasoner.spark.set_operations import in_list
from reasoner.terms.quads import GraphName, checked_graph
from reasoner.terms.term import OCCURS, RESERVED_TERMS, SAME

if TYPE_CHECKING:
    from loaders.load import LoadReport
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import Snapshot
    from reasoner.spark.store import SparkStore

# So many facts are looked at before the whole closure is computed.
_FIRST = 1000


@failures_told
def write_parts(store: SparkStore, folder: str, *, inferred_only: bool, reflexive: bool) -> int:
    """Write the closure to a new folder of N-Triples files and return how many triples it has."""
    from pyspark.errors import AnalysisException

    if reflexive:
        raise ReasonerError("x owl:sameAs x is written to a file only: name one, without a slash at its end")
    engine = store.spark
    rows = _closure_of(store, store.state, inferred_only=inferred_only)
    terms = engine.terms.view()
    joined = (
        f"SELECT concat(ts.text, ' ', tp.text, ' ', ot.text, ' .') AS value FROM ({rows}) f JOIN {terms} ts"
        f" ON f.s = ts.id JOIN {terms} tp ON f.p = tp.id JOIN {terms} ot ON f.o = ot.id"
        " WHERE left(ts.text, 1) <> '\"' AND left(tp.text, 1) = '<'"
    )
    if scheme_of(folder) is None:
        require_shared(store.session, existing_folder(Path(folder)))
    frame, count = with_row_count(store.session.sql(joined))
    try:
        frame.write.text(folder.rstrip("/"))
    except AnalysisException as error:
        if "PATH_ALREADY_EXISTS" in str(error):
            raise ReasonerError(f"{folder} exists already; name a new folder for the closure") from None
        raise
    return int(count())


def write_joined(store: SparkStore, target: Target, *, inferred_only: bool) -> int | None:
    """Write the closure to one file or stream, as the executors have written it; None if that is left to the driver.

    The driver copies bytes, and looks at none of the texts.
    """
    if not store.is_distributed or not store.dictionary.kept:
        return None
    with TemporaryDirectory(dir=store.spark.scratch.folder) as folder, opened(target) as stream:
        count = write_parts(store, f"{folder}/parts", inferred_only=inferred_only, reflexive=False)
        lines = 0
        for path in sorted(Path(folder, "parts").glob("part-*")):
            with path.open("rb") as part:
                while data := part.read(1 << 20):
                    lines += data.count(b"\n")
                    stream.write(data)
        if lines != count:
            raise UnsharedFolderError(
                Path(folder), f"executors wrote {count:,} triples there, and the driver sees {lines:,}"
            )
    return count


def closure_pieces(store: SparkStore, state: Snapshot, *, inferred_only: bool) -> Iterator[Columns]:
    """Yield the closure of a state by predicate, piece by piece; the driver holds no more than a piece of it."""
    for facts in in_pieces(store.spark, _closure_of(store, state, inferred_only=inferred_only)):
        yield from _shown(store, facts)


def in_pieces(engine: SparkEngine, text: str) -> Iterator[FactSet]:
    """Yield the facts of a query, each once, some at a time.

    The first rows come by a job of their own: whoever wants no more does not let the others be computed. These are
    written to the scratch folder, where the driver reads them a few at a time.
    """
    first = engine.scratch.fetched(f"SELECT s, p, o FROM ({text}) LIMIT {_FIRST}")
    yield first
    if len(first) == _FIRST:
        run = engine.scratch.written(text)
        for piece in engine.scratch.read_in_pieces(run):
            yield piece.difference(first)


def _shown(store: SparkStore, facts: FactSet) -> Iterator[Columns]:
    """Yield facts by predicate, without those that are no RDF."""
    literal = store.dictionary.literal_mask()
    for predicate in facts:
        if store.dictionary.text(predicate).startswith("<"):
            s, o = facts.table(predicate).pairs()
            resources = ~literal[s]
            if resources.any():
                yield s[resources], predicate, o[resources]


def _closure_of(store: SparkStore, state: Snapshot, *, inferred_only: bool) -> str:
    """Return the query for the closure of a state over ids, each fact once, or for what of it is not explicit."""
    engine = store.spark
    explicit = unwrapped(engine, state.explicit).query().text
    names = sorted(store.own_equalities(state).names)
    rows = closure_text(engine, unwrapped(engine, state.facts).query().text, state.representatives, names)
    if names:
        rows += f" UNION ALL SELECT s, p, o FROM ({explicit}) WHERE {in_list('p', names)} AND s = o"
    if inferred_only:
        rows = f"SELECT f.* FROM ({rows}) f LEFT ANTI JOIN ({explicit}) e ON f.s = e.s AND f.p = e.p AND f.o = e.o"
    return rows


def closure_text(engine: SparkEngine, facts: str, mapping: Representatives, equality: Sequence[int]) -> str:
    """Return the query for the facts that (pi, I) stands for, over ids, each once; those c = c are left out.

    ``equality`` are the IRIs that equality goes by. Literals among the subjects are still there: who knows the texts of
    terms leaves them out.
    """
    shown = f"p <> {OCCURS}"
    if equality:
        shown += f" AND NOT ({in_list('p', equality)} AND s = o)"
    facts = f"SELECT s, p, o FROM ({facts}) WHERE {shown}"
    if not mapping:
        return facts
    members = engine.mappings.shown(mapping).view
    expanded = (
        f"SELECT coalesce(ms.id, f.s) AS s, coalesce(mp.id, f.p) AS p, coalesce(mo.id, f.o) AS o FROM ({facts}) f"
        f" LEFT JOIN {members} ms ON f.s = ms.representative LEFT JOIN {members} mp ON f.p = mp.representative"
        f" LEFT JOIN {members} mo ON f.o = mo.representative"
    )
    names = ", ".join(f"({name}L)" for name in mapping.class_of(SAME).tolist())
    return (
        f"{expanded} UNION ALL SELECT l.id AS s, n.name AS p, r.id AS o FROM {members} l JOIN {members} r"
        f" ON l.representative = r.representative CROSS JOIN (SELECT * FROM VALUES {names} AS t(name)) n"
        " WHERE l.id <> r.id"
    )


# Reading less than this takes the driver less time than Spark needs to begin.
SMALL_BYTES = 1 << 23


def load_into(
    store: SparkStore,
    sources: Sequence[Any],
    *,
    format: str | None,
    base: str | None,
    skip_errors: bool,
    graph: GraphName = None,
) -> LoadReport | None:
    """Add the statements of files to the explicit facts, or return None if the driver should load them.

    New terms stay where they are, unless there are few of them in all. So do statements, unless they are in named
    graphs, or all of them in ``graph``: the memberships in graphs are at the driver.
    """
    from dataclasses import replace

    from reasoner.spark.loading.load import load

    if "-" in map(str, sources) or _is_small(sources):
        return None
    engine, known = store.spark, len(store.dictionary)
    terms = None
    if known > len(RESERVED_TERMS):
        terms = store.session.sql(f"SELECT id, text FROM {engine.terms.view()}")
    with load(store.session, list(sources), terms, format=format, base=base, skip_errors=skip_errors) as loaded:
        try:
            if store.dictionary.held + loaded.terms - known <= term_files.DRIVER_TERMS:
                store.dictionary.hold(store.traffic.fetched(loaded.added).sort_by("id").column("text"))
            else:
                store.dictionary.keep_elsewhere(
                    term_files.write_terms(engine.scratch, loaded.added, known, loaded.terms)
                )
            if len(store.dictionary) != loaded.terms:
                raise AssertionError("the dictionary and its table have grown apart")
            if graph is not None:
                rows = store.traffic.fetched(loaded.statements.select("s", "p", "o"))
                s, p, o = (rows.column(name).to_numpy() for name in "spo")
                store.add_columns(s, p, o, store.id_of(graph))
            elif "g" in loaded.statements.columns:
                rows = store.traffic.fetched(loaded.statements.selectExpr("s", "p", "o", "coalesce(g, -1L) AS g"))
                s, p, o, g = (rows.column(name).to_numpy() for name in "spog")
                for id in named_in(g):
                    checked_graph(store.dictionary.text(id))
                store.add_columns(s, p, o, g)
            else:
                fresh, before = engine.of_frame(loaded.statements), store.state
                whole = engine.union(unwrapped(engine, before.explicit), fresh)
                store.state = replace(before, explicit=wrapped(engine, whole, before.explicit))
                whole.segments  # noqa: B018 - computed while what was loaded is there
        except BaseException:
            store.dictionary.truncate(known)
            raise
    return loaded.report


def _is_small(sources: Sequence[Any]) -> bool:
    """Tell whether all sources are files of this machine, and small."""
    total = 0
    for source in sources:
        if scheme_of(source) not in (None, "file") or not (path := local_path(source)).is_file():
            return False
        total += path.stat().st_size
    return total < SMALL_BYTES
