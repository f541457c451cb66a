"""The Spark engine: the protocol of engines over tables of ids in files, and columns at the driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from loaders.dictionary import Dictionary
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import AuxiliaryPredicates, FactSet
from reasoner.spark.body import BodyQueries
from reasoner.spark.closures import Closures
from reasoner.spark.components import Mappings, distributed_from
from reasoner.spark.facts import DRIVER_ROWS, FactPlacement, PendingRows, SparkFacts
from reasoner.spark.multiset import SparkCountedHeads
from reasoner.spark.platform.scratch import Scratch
from reasoner.spark.platform.session import parallelism
from reasoner.spark.platform.traffic import Traffic
from reasoner.spark.terms import SparkTerms

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.reasoning.engine import Engine

    def _as_protocol(engine: SparkEngine) -> Engine[SparkFacts, Plans, Representatives]:
        """Let the type checker compare the class with the protocol."""
        return engine


class SparkEngine(SparkCountedHeads, Closures):
    """All operations of the protocol.

    Sets of up to ``driver_rows`` facts are at the driver, where the columnar engine works on them without a job. Larger
    ones are in Parquet files below ``scratch``, a folder that driver and executors share; see ``shared_folder``.
    ``terms`` is a table (id, text) of the dictionary, if there is one; else it is made where a rule asks for texts.

    ``Chaining`` and ``CountedHeads`` run plans; ``SetOperations`` unite and compare; ``Rewriting`` and ``Membership``
    are about equality; ``Closures`` are the modules. Operations return queries that nobody has run yet where they can:
    a round of a fixpoint is one job, which runs when the round asks whether it found anything new.
    """

    def __init__(
        self,
        session: SparkSession,
        dictionary: Dictionary,
        *,
        equality: bool = True,
        driver_rows: int = DRIVER_ROWS,
        scratch: str | None = None,
        terms: DataFrame | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        self.session = session
        self.equality = equality
        self.driver = ColumnarEngine(dictionary, equality=equality)
        self.scratch = Scratch(session, scratch, traffic)
        self.place = FactPlacement(self.scratch, driver_rows)
        self.terms = SparkTerms(self.scratch, dictionary, terms)
        self.mappings = Mappings(self.scratch)
        self.bodies = BodyQueries(self.terms, equality, self.driver.matcher.wild, self.driver.matcher.free)
        self.closure_rows = driver_rows
        self.components_from = min(distributed_from(parallelism(session)), driver_rows * 64)

    @property
    def auxiliary(self) -> AuxiliaryPredicates:
        return self.driver.auxiliary

    @property
    def instances(self) -> int:
        return self.driver.instances

    @instances.setter
    def instances(self, value: int) -> None:
        self.driver.instances = value

    @property
    def overdue(self) -> Callable[[], bool] | None:
        return self.driver.overdue

    @overdue.setter
    def overdue(self, value: Callable[[], bool] | None) -> None:
        self.driver.overdue = value

    def of_facts(self, facts: FactSet) -> SparkFacts:
        """Take over facts of the columnar engine."""
        return self.place.of_facts(facts)

    def of_frame(self, frame: DataFrame, *, distinct: bool = False) -> SparkFacts:
        """Take over a frame with columns s, p and o of ids.

        It is read where it is if its rows are known to be ``distinct``, which pays if they are sorted by predicate;
        else it is written anew, sorted and each row once.
        """
        if distinct:
            return self.place.of_run(self.scratch.given(frame))
        name = f"{self.scratch.prefix}frame"
        frame.select("s", "p", "o").createOrReplaceTempView(name)
        try:
            run = self.place.computed(PendingRows(f"SELECT s, p, o FROM {name}", (), None))
        finally:
            self.session.catalog.dropTempView(name)
        return self.place.of_run(run)

    def to_facts(self, facts: SparkFacts) -> FactSet:
        """Bring facts to the driver, all of them."""
        here = facts.local
        return self.scratch.fetched(facts.query().text) if here is None else here

    def to_frame(self, facts: SparkFacts) -> DataFrame:
        """Return facts as a frame; it can be read for as long as the facts are there."""
        facts.segments  # noqa: B018 - computed now, so that the frame does not compute them again
        return self.session.sql(facts.query().text)

    def close_scratch(self) -> None:
        """Release all views and files; facts of this engine cannot be read any more."""
        self.scratch.close()
