"""A store whose facts are Spark's, and the questions that it answers without bringing them to the driver."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaders.local_path import local_name, local_path, scheme_of
from loaders.parted_dictionary import PartedDictionary
from reasoner.arrange import Options, Prepared, prepare
from reasoner.columnar.compare import Comparison
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.expand import Columns, Expansion
from reasoner.columnar.factset import FactSet
from reasoner.columnar.graphs import GraphMemberships, QuadChange, named_in
from reasoner.columnar.kernels import Ids
from reasoner.columnar.plans import Plans
from reasoner.columnar.proofs import ProofStore
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.store import Checkpoint, ColumnarStore, Snapshot
from reasoner.maintenance.program import Change
from reasoner.maintenance.strategies import CountedDRed, Counting
from reasoner.maintenance.work import Work
from reasoner.program import EncodedProgram
from reasoner.quads import GraphName, QuadRequest
from reasoner.rules.encode import EncodedRule, EncodedTerm
from reasoner.spark.engine import DRIVER_ROWS, SparkEngine
from reasoner.spark.fetched import FetchedFacts, changes_between, lookup, with_change, wrapped
from reasoner.spark.session import spark_session
from reasoner.spark.set_operations import in_list
from reasoner.spark.small_updates import SmallUpdates
from reasoner.spark.store_comparison import compared
from reasoner.spark.store_engine import StoreEngine
from reasoner.spark.store_values import SparkLiteralValues
from reasoner.spark.traffic import Traffic
from reasoner.violation import TextTriple, Violation
from reasoner.vocabulary import OCCURS, TYPE

if TYPE_CHECKING:
    from loaders.load import LoadReport
    from reasoner.materialise import Materialisation
    from reasoner.spark.store_home import SparkHome

# Quads in more graphs than these are added by looking at all memberships.
_FEW_GRAPHS = 64


class SparkStore(ColumnarStore):
    """Holds explicit facts, (pi, I) and the terms of a dictionary wherever Spark has them.

    The state is that of a columnar store, with sets of facts that are read from Spark when they are asked for. The
    mapping to representatives, memberships in named graphs and a limited number of terms are at the driver.
    """

    dictionary: PartedDictionary

    def __init__(
        self,
        session: Any = None,
        master: str | None = None,
        *,
        driver_rows: int = DRIVER_ROWS,
        scratch: str | PathLike[str] | None = None,
    ) -> None:
        super().__init__()
        self.dictionary = PartedDictionary(self.dictionary)
        self.session = spark_session(session, master=master)
        self._driver_rows = driver_rows
        self.traffic = Traffic()
        self.scratch_place = None if scratch is None else str(local_path(scratch).absolute())
        self._begin(equality=True)
        empty = self.spark.empty()
        self.state = Snapshot(wrapped(self.spark, empty), wrapped(self.spark, empty), Representatives())

    @property
    def spark(self) -> SparkEngine:
        """The engine itself, which works on facts of Spark; copies of a store may have another one to ask."""
        return self._spark

    @property
    def is_distributed(self) -> bool:
        facts = getattr(self.state.facts, "spark", None)
        return facts is not None and facts.local is None

    # Some jobs of Spark, however little there is to do.
    shortest_run = 0.5

    @staticmethod
    def clock() -> float:
        """Tell the time by which costs are compared: here most of the work is done by others."""
        import time

        return time.perf_counter()

    def _begin(self, *, equality: bool) -> None:
        """Take a new engine; what the one before has written can still be read."""
        self._spark = SparkEngine(
            self.session,
            self.dictionary,
            equality=equality,
            driver_rows=self._driver_rows,
            scratch=self.scratch_place,
            traffic=self.traffic,
        )
        self.engine = StoreEngine(self._spark)  # type: ignore[assignment]
        self._small = SmallUpdates(self._spark)
        self.values = SparkLiteralValues(self._spark.scratch, self.dictionary)

    def load(
        self,
        sources: Sequence[Any],
        *,
        format: str | None,
        base: str | None,
        skip_errors: bool,
        graph: GraphName = None,
    ) -> LoadReport | None:
        """Add what files hold to the explicit facts, read by the executors; None if that is left to the driver."""
        from reasoner.spark.store_load import load_into

        return load_into(self, sources, format=format, base=base, skip_errors=skip_errors, graph=graph)

    def explicit_since(self, before: Snapshot) -> list[TextTriple]:
        """Return the explicit facts that came since another state, which are to be few."""
        came, _ = changes_between(self.spark, before.explicit, self.state.explicit)
        return self.texts(came)

    def add_columns(self, s: Ids, p: Ids, o: Ids, g: Ids | int | None = None) -> int:
        if g is None or isinstance(g, int):
            return super().add_columns(s, p, o, g)
        before = self.state
        few = len(named_in(g)) <= _FEW_GRAPHS
        known = self._known(FactSet.of_columns(s, p, o)) if few else before.explicit
        coming, graphs = before.graphs.with_quads(known, g, s, p, o)
        self.state = replace(before, explicit=before.explicit.union(coming), graphs=graphs)
        return len(coming)

    def _replace_explicit(self, change: QuadChange) -> int:
        before = self.state
        leaving, coming, graphs = before.graphs.changed(self._known(change.touched()), change)
        self.state = replace(before, explicit=with_change(self.spark, before.explicit, leaving, coming), graphs=graphs)
        return len(leaving) + len(coming)

    def _known(self, facts: FactSet) -> FactSet:
        """Return those of some facts that are explicit, which is all that a change of them asks about the others."""
        return lookup(self.spark, facts, self.state.explicit)

    def changed_quads(self, request: QuadRequest) -> tuple[Change[FactSet], GraphMemberships]:
        explicit = self.state.explicit
        asked = [
            triple
            for triples in (request.everywhere, *request.removed.values(), *request.added.values())
            for triple in triples
        ]
        view = copy.copy(self)
        view.state = replace(self.state, explicit=self._known(FactSet.of_columns(*self.encode(asked))))
        change, graphs = ColumnarStore.changed_quads(view, request)
        after = with_change(self.spark, explicit, change.removed, change.added)
        return Change(explicit, after, change.removed, change.added), graphs

    def prepare(self, program: EncodedProgram, options: Options) -> Prepared[Plans]:
        if self.engine.equality != options.equality:
            self._begin(equality=options.equality)
        self._forget()
        return prepare(self.engine, program, options)

    def _forget(self) -> None:
        """Let the engine forget what it remembers of terms by id."""
        self.spark.driver = ColumnarEngine(self.dictionary, equality=self.spark.equality)

    def materialise(
        self, prepared: Prepared[Plans], *, value_equality: bool, progress: Callable[[str], None]
    ) -> Materialisation[FactSet, Representatives]:
        with self.traffic.watched(progress) as news:
            return super().materialise(prepared, value_equality=value_equality, progress=news)

    def maintain(
        self,
        program: Any,
        strategy: Any,
        change: Change[FactSet],
        work: Work,
        *,
        value_equality: bool,
        overdelete: bool = False,
    ) -> Snapshot:
        """Return the state after a change: near what changed where that will do, else by Spark."""
        state = self.state
        if not isinstance(strategy, Counting | CountedDRed):
            gone, come = self._value_changes(change, value_equality)
            found = self._small.maintained(program, strategy, change, state, (gone, come), work, overdelete=overdelete)
            if found is not None:
                values = state.values.difference(gone).union(come.difference(state.values))
                return Snapshot(change.after, *found, values, graphs=state.graphs)
        return super().maintain(program, strategy, change, work, value_equality=value_equality, overdelete=overdelete)

    def _value_changes(self, change: Change[FactSet], value_equality: bool) -> tuple[FactSet, FactSet]:
        """Return the equalities of literals that go and come with a change."""
        if not value_equality:
            return FactSet(), FactSet()
        changed = self.engine.union(change.removed, change.added)
        return self.values.changes(change.before, change.after, changed)

    def largest_closure(self, prepared: Prepared[Plans]) -> int:
        largest = 0
        facts = self.state.facts
        for arrangement in prepared.arrangements.values():
            modules = arrangement.modules
            closed = {closure.predicate for closure in modules.closures}
            for class_id in modules.transitive_classes:
                closed.update(self.engine.subjects(facts, TYPE, class_id))
            largest = max([largest, *(self.engine.count(facts, predicate) for predicate in closed)])
        return largest

    def pieces(
        self, *, inferred_only: bool = False, reflexive: bool = False, state: Snapshot | None = None
    ) -> Iterator[Columns]:
        state = state or self.state
        passing = replace(state, explicit=_passing(state.explicit), facts=_passing(state.facts))
        return super().pieces(inferred_only=inferred_only, reflexive=reflexive, state=passing)

    def write(self, target: Any, *, inferred_only: bool, reflexive: bool) -> int:
        """Write the closure as N-Triples: a folder of parts by the executors if the target ends with a slash."""
        from reasoner.spark.store_write import write_joined, write_parts

        if isinstance(target, str) and target.endswith("/"):
            # The executors write to any file system that Spark knows.
            folder = target if scheme_of(target) not in (None, "file") else local_name(target)
            return write_parts(self, folder, inferred_only=inferred_only, reflexive=reflexive)
        if not reflexive and (count := write_joined(self, target, inferred_only=inferred_only)) is not None:
            return count
        return super().write(target, inferred_only=inferred_only, reflexive=reflexive)

    def _asking(self) -> ColumnarStore:
        """Return this store with the engine of the driver, which reads facts as columns."""
        view = copy.copy(self)
        view.engine = self.spark.driver
        return view

    def answers(self, query: EncodedRule, asked: tuple[EncodedTerm, ...]) -> list[tuple[str, ...]]:
        return ColumnarStore.answers(self._asking(), query, asked)

    def violations(self, constraints: Sequence[EncodedRule], most: int) -> Iterator[Violation]:
        if not constraints:
            return iter(())
        return ColumnarStore.violations(self._asking(), constraints, most)

    def violation_changes(
        self, old: Sequence[EncodedRule], before: Snapshot, new: Sequence[EncodedRule], after: Snapshot
    ) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
        if not old and not new:
            return (), ()
        return ColumnarStore.violation_changes(self._asking(), old, before, new, after)

    def proofs(self) -> ProofStore:
        """Return what explanations look things up in: a proof is made of a few facts, which are read by their terms."""
        view = self._asking()
        view.state = self._small.nearby(self.state)
        return ProofStore(view)

    def explicit_of(self, predicates: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]:
        explicit = self.state.explicit
        if isinstance(explicit, FetchedFacts):
            names = self._names(p for p in explicit if p != TYPE)
            explicit.fetch([p for p, name in names if name.startswith(predicates) and name not in without])
        return super().explicit_of(predicates, without)

    def explicit_types(self, classes: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]:
        explicit = self.state.explicit
        if not isinstance(explicit, FetchedFacts) or explicit.spark.local is not None:
            return super().explicit_types(classes, without)
        chosen = [
            id for id, name in self._names(explicit.classes()) if name.startswith(classes) and name not in without
        ]
        return self.texts(explicit.only_where(f"p = {TYPE} AND {in_list('o', chosen)}", TYPE)) if chosen else []

    def explicit_samples(self, without: tuple[str, ...]) -> list[TextTriple]:
        explicit = self.state.explicit
        if not isinstance(explicit, FetchedFacts) or explicit.spark.local is not None:
            return super().explicit_samples(without)
        chosen = [p for p, name in self._names(explicit) if not name.startswith(without)]
        if not chosen:
            return []
        facts = explicit.spark.query(in_list("p", chosen)).text
        first = f"SELECT p, min(struct(s, o)) AS first FROM ({facts}) GROUP BY p"
        return self.texts(self.spark.scratch.fetched(f"SELECT first.s AS s, p, first.o AS o FROM ({first})"))

    def explicit_about(self, subjects: list[str]) -> list[TextTriple]:
        explicit = self.state.explicit
        if not isinstance(explicit, FetchedFacts) or explicit.spark.local is not None:
            return super().explicit_about(subjects)
        facts = explicit.spark.query(in_list("s", self.dictionary.find(subjects).tolist())).text
        return self.texts(self.spark.scratch.fetched(f"SELECT s, p, o FROM ({facts})"))

    def _names(self, ids: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Return terms with their texts, which are looked up all at once."""
        asked = sorted(ids)
        return zip(asked, self.dictionary.decode(asked), strict=True)

    def comparison(self, before: Snapshot, after: Snapshot) -> Comparison:
        return compared(self, before, after)

    def are_explicit(self, triples: Sequence[TextTriple], state: Snapshot) -> list[bool]:
        ids = self.dictionary.find([term for triple in triples for term in triple]).reshape(-1, 3)
        known = ids[(ids >= 0).all(axis=1)]
        explicit = lookup(self.spark, FactSet.of_columns(known[:, 0], known[:, 1], known[:, 2]), state.explicit)
        return super().are_explicit(triples, replace(state, explicit=explicit))

    def restore(self, checkpoint: Checkpoint) -> None:
        self.state = checkpoint.state
        if len(self.dictionary) > checkpoint.terms:
            self.dictionary.truncate(checkpoint.terms)
            self.values = SparkLiteralValues(self._spark.scratch, self.dictionary)
            if not isinstance(self.engine, StoreEngine):
                self.engine = ColumnarEngine(self.dictionary, equality=self.engine.equality)
            self._forget()
        self.engine.instances = checkpoint.instances

    def counts(self) -> dict[str, int]:
        state, mapping = self.state, self.state.representatives
        expanded = self._expanded(state)
        _, ends, members = mapping.classes()
        return {
            "explicit": len(state.explicit),
            "facts": len(state.facts) - sum(self.engine.count(state.facts, p) for p in self._unshown(state.facts)),
            "expanded": expanded,
            "inferred": expanded - len(state.explicit),
            "classes": ends.size,
            "members": members.size,
            "largest_class": max((b - a for a, b in zip([0, *ends.tolist()], ends.tolist(), strict=False)), default=0),
            "terms": len(self.dictionary),
            "fact_bytes": self.nbytes,
            "text_bytes": self.dictionary.text_bytes,
        }

    def _expanded(self, state: Snapshot) -> int:
        """Count the closure: facts that stand for themselves where they are, the others at the driver."""
        facts = state.facts
        if not isinstance(facts, FetchedFacts) or facts.spark.local is not None:
            return self.expansion(state).count()
        unshown, own = self._unshown(facts), self.own_equalities(state)
        special = self._special(state, facts, in_list("p", unshown, negated=True))
        others = Expansion(special, state.representatives, self.dictionary, own).count()
        hidden = sum(facts.reflexive(p).size - special.reflexive(p).size for p in own.names if own.hides(p))
        return len(facts) - sum(self.engine.count(facts, p) for p in unshown) - len(special) - hidden + others

    def _unshown(self, facts: FactSet) -> frozenset[int]:
        """Return the predicates of facts that are never shown: notes that terms occur, and auxiliary classes."""
        return self.spark.driver.auxiliary.among(facts) | {OCCURS}

    def _special(self, state: Snapshot, facts: FetchedFacts, shown: str) -> FactSet:
        """Bring the facts to the driver that stand for others as well, or that are no RDF, of those that are shown."""
        found = facts.spark.query(shown)
        subjects = facts.distinct("s", shown)
        literals = subjects[self.dictionary.literal_mask()[subjects]]
        plural = state.representatives.members
        if not literals.size and not plural.size:
            return FactSet()
        terms = self.spark.of_facts(FactSet.of_columns(plural, plural * 0, plural))
        odd = self.spark.of_facts(FactSet.of_columns(literals, literals * 0, literals))
        ids, strange = (f"(SELECT s AS id FROM ({each.query().text}))" for each in (terms, odd))
        text = (
            f"SELECT f.s, f.p, f.o FROM ({found.text}) f LEFT JOIN {ids} ts ON f.s = ts.id LEFT JOIN {ids} tp"
            f" ON f.p = tp.id LEFT JOIN {ids} ot ON f.o = ot.id LEFT JOIN {strange} l ON f.s = l.id"
            " WHERE ts.id IS NOT NULL OR tp.id IS NOT NULL OR ot.id IS NOT NULL OR l.id IS NOT NULL"
        )
        return self.spark.scratch.fetched(text)

    @property
    def nbytes(self) -> int:
        facts = self.state.explicit.nbytes + self.state.facts.nbytes
        return facts + self.state.representatives.nbytes + self.state.graphs.nbytes + self.dictionary.overhead_bytes

    def home(self, folder: Path, *parts: Any) -> SparkHome:
        """Return the place on disk where this store lives."""
        from reasoner.spark.store_home import SparkHome

        return SparkHome(self, folder, *parts)

    def take_version(self, folder: Path, manifest: Any, *, equality: bool) -> Snapshot:
        """Hold what a version of a store on disk holds; facts stay in its files."""
        from reasoner.spark.store_home import read_version

        self.dictionary, read = read_version(folder, manifest)
        self._begin(equality=equality)
        self.state = read(self.spark)
        return self.state

    def close(self) -> None:
        """Release all that Spark holds for this store; its facts cannot be read any more."""
        self.spark.close_scratch()


def _passing(facts: FactSet) -> FactSet:
    """Return facts that do not stay at the driver once they were read."""
    return FetchedFacts(facts._engine, facts.spark, keeps=False) if isinstance(facts, FetchedFacts) else facts
