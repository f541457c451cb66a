"""Writing the closure as N-Triples by the executors: a folder of parts, or one file that is put together from these."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from loaders.local_path import scheme_of
from loaders.write import Target, opened
from reasoner.errors import ReasonerError
from reasoner.spark.engine import SparkEngine
from reasoner.spark.failures import failures_told
from reasoner.spark.fetched import unwrapped
from reasoner.spark.set_operations import in_list
from reasoner.spark.shared_folder import UnsharedFolderError, existing_folder, require_shared, with_row_count
from reasoner.vocabulary import OCCURS, SAME

if TYPE_CHECKING:
    from reasoner.columnar.representatives import Representatives
    from reasoner.spark.store import SparkStore


@failures_told
def write_parts(store: SparkStore, folder: str, *, inferred_only: bool, reflexive: bool) -> int:
    """Write the closure to a new folder of N-Triples files and return how many triples it has."""
    from pyspark.errors import AnalysisException

    if reflexive:
        raise ReasonerError("x owl:sameAs x is written to a file only: name one, without a slash at its end")
    engine, state = store.spark, store.state
    explicit = unwrapped(engine, state.explicit).query().text
    names = sorted(store.own_equalities(state).names)
    rows = closure_text(engine, unwrapped(engine, state.facts).query().text, state.representatives, names)
    if names:
        rows += f" UNION ALL SELECT s, p, o FROM ({explicit}) WHERE {in_list('p', names)} AND s = o"
    if inferred_only:
        rows = f"SELECT f.* FROM ({rows}) f LEFT ANTI JOIN ({explicit}) e ON f.s = e.s AND f.p = e.p AND f.o = e.o"
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
