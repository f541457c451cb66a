"""What a change did to the closure as a frame: nothing of it comes to the driver, however much it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from reasoner.columnar.regroup import moved_terms
from reasoner.spark.query.frames import closure_frame, require_shown
from reasoner.spark.query.of_store import facts_frame, source_of_state

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from reasoner.columnar.factset import FactSet
    from reasoner.delta import Delta

_TRIPLE = ["subject", "predicate", "object"]


def delta_frame(delta: Delta, facts: tuple[FactSet, FactSet], terms: str, session: SparkSession | None) -> DataFrame:
    """Return the triples that a closure gained and lost, with a column that tells which.

    ``facts`` are the facts over representatives that came and went. Where the classes of equals are the same, they tell
    the difference, with the explicit facts c = c that did. Where they are not, both closures are written out and
    compared.
    """
    require_shown(terms)
    old, new = (source_of_state(delta.store, state, session) for state in (delta.before, delta.after))
    regrouped = bool(moved_terms(delta.before.representatives, delta.after.representatives).size)
    regrouped = regrouped or old.equality != new.equality
    frames = []
    for change, source, other, normal in (("added", new, old, facts[0]), ("removed", old, new, facts[1])):
        if regrouped:
            known = closure_frame(other)
            view = source.with_facts(closure_frame(source).join(known, on=_TRIPLE, how="left_anti").toDF("s", "p", "o"))
        else:
            closure, known_own = source.closure(), other.closure().own
            own = closure.own
            if own is not None and known_own is not None:
                own = own.join(known_own, on=["s", "p", "o"], how="left_anti")
            view = replace(closure, facts=facts_frame(source.session, normal), equates=False, own=own)
        found = closure_frame(source, terms=terms, view=view)
        frames.append(found.select(f.lit(change).alias("change"), *_TRIPLE))
    return frames[0].union(frames[1])
