"""Who answers a query: Spark where it has the facts, else the columnar evaluator, which starts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.reasoner import Reasoner
    from reasoner.sparql.result import Result


def is_distributed(store: ColumnarStore) -> bool:
    """Tell whether the facts of a store are in files of Spark rather than at the driver."""
    facts = getattr(store.state.facts, "spark", None)
    return facts is not None and facts.local is None


def asked(kb: Reasoner, text: str, **options: Any) -> Result:
    """Answer a query over a reasoner that is materialised."""
    if is_distributed(kb.store):
        from reasoner.spark.query.answer import query as query_frames
        from reasoner.spark.query.of_store import source_of

        return query_frames(source_of(kb.store), text, **options)
    from reasoner.sparql import query

    return query(kb, text, **options)
