"""Which literals have one value, where the facts that they occur in are Spark's, and perhaps their texts as well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import TYPE_CHECKING

from loaders.parted_dictionary import PartedDictionary
from reasoner.columnar.equalities import equal_values
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, sort_distinct
from reasoner.columnar.literal_values import LiteralValues, equalities_of
from reasoner.spark.fetched import FetchedFacts
from reasoner.spark.set_operations import in_list
from reasoner.spark.value_files import ValueFiles

if TYPE_CHECKING:
    from reasoner.spark.scratch import Scratch


class SparkLiteralValues(LiteralValues):
    """Asks Spark for the objects of facts, and for nothing else of them; groups only literals that are at the driver.

    Which others may have the value of one of these, or of each other, files tell.
    """

    def __init__(self, scratch: Scratch, dictionary: PartedDictionary) -> None:
        super().__init__(dictionary)
        self._scratch = scratch
        self._files = ValueFiles(scratch, dictionary)

    def equalities(self, explicit: FactSet) -> FactSet:
        if not self._files or not isinstance(explicit, FetchedFacts) or explicit.spark.local is not None:
            return super().equalities(explicit)
        self._group_new_literals()
        objects = f"SELECT DISTINCT o FROM ({explicit.spark.query().text})"
        occurring = f"SELECT DISTINCT o FROM ({objects}) JOIN ({self._files.repeated(self._key)}) ON o = id"
        literals = sort_distinct(self._scratch.rows(occurring)["o"].to_numpy())
        return equalities_of(*equal_values(literals, self._dictionary))

    def _groups(self, literals: Ids) -> list[list[int]]:
        if not self._files:
            return super()._groups(literals)
        keys = {key for _, key in self._keyed(literals)}
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for id, key in self._keyed(self._files.may_equal(keys)):
            groups[key].append(id)
        return [[*groups[key], *self._group.get(key, ())] for key in keys]

    def _edges(self, groups: list[list[int]], explicit: FactSet) -> FactSet:
        if isinstance(explicit, FetchedFacts) and explicit.spark.local is None:
            explicit = explicit.only_where(in_list("o", {id for group in groups for id in group}))
        return super()._edges(groups, explicit)

    def _literals(self, facts: FactSet) -> Ids:
        if not isinstance(facts, FetchedFacts) or facts.spark.local is not None:
            return super()._literals(facts)
        objects: Ids = facts.distinct("o")
        return objects[self._dictionary.literal_mask()[objects]]
