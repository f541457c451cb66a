"""Which literals have one value, where the facts that they occur in are Spark's."""

from __future__ import annotations

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.columnar.literal_values import LiteralValues
from reasoner.spark.fetched import FetchedFacts
from reasoner.spark.set_operations import in_list


class SparkLiteralValues(LiteralValues):
    """Asks Spark for the objects of facts, and for nothing else of them."""

    def _edges(self, groups: list[list[int]], explicit: FactSet) -> FactSet:
        if isinstance(explicit, FetchedFacts) and explicit.spark.local is None:
            explicit = explicit.only_where(in_list("o", {id for group in groups for id in group}))
        return super()._edges(groups, explicit)

    def _literals(self, facts: FactSet) -> Ids:
        if not isinstance(facts, FetchedFacts) or facts.spark.local is not None:
            return super()._literals(facts)
        objects: Ids = facts.distinct("o")
        return objects[self._dictionary.literal_mask()[objects]]
