"""A store whose facts are Spark's, and the questions that it answers without bringing them to the driver.

Comparing two states of a store of Spark by the few facts that can make their closures differ.

Which literals have one value, where the facts that they occur in are Spark's, and perhaps their texts as well.
"""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from loaders.local_path import local_name, local_path, scheme_of
from loaders.parted_dictionary import PartedDictionary
from reasoner.columnar.compare import Comparison, Side
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.expand import Columns, Expansion
from reasoner.columnar.factset import FactSet
from reasoner.columnar.graphs import GraphMemberships, QuadChange, named_in, united
from reasoner.columnar.kernels import Ids, sort_distinct
from reasoner.columnar.literal_values import LiteralValues, equalities_of
from reasoner.columnar.own_equalities import equal_values, values_of
from reasoner.columnar.plans import Plan, Plans
from reasoner.columnar.proofs import ProofStore
from reasoner.columnar.representatives import Representatives, moved_terms
from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.explanation.proof import Violation
from reasoner.maintenance.program import Change
from reasoner.maintenance.strategies import CountedDRed, Counting
from reasoner.maintenance.update import Work
from reasoner.reasoning.arrange import Options, Prepared, prepare, prepare_later
from reasoner.reasoning.program import EncodedProgram
from reasoner.rules.encode import EncodedRule, EncodedTerm
from reasoner.spark.by_key import FactsByKey, PartedFacts
from reasoner.spark.engine import SparkEngine
from reasoner.spark.facts import rows_at_driver
from reasoner.spark.fetched import (
    FetchedFacts,
    StoreEngine,
    changes_between,
    lookup,
    mentioning,
    unwrapped,
    with_change,
    wrapped,
)
from reasoner.spark.platform.session import is_connect, spark_session
from reasoner.spark.platform.shared_folder import require_shared, spark_name
from reasoner.spark.platform.traffic import Traffic
from reasoner.spark.questions import QuestionEngine
from reasoner.spark.set_operations import in_list
from reasoner.spark.small_updates import SmallUpdates
from reasoner.spark.term_files import ValueFiles
from reasoner.store.file_system import Place, address_of
from reasoner.terms.quads import GraphName, QuadRequest
from reasoner.terms.term import OCCURS, SAME, TYPE, TextTriple

if TYPE_CHECKING:
    from loaders.load import LoadReport
    from reasoner.reasoning.materialise import Materialisation
    from reasoner.spark.platform.scratch import Scratch
    from reasoner.spark.store_home import SparkHome


def compared(store: SparkStore, before: Snapshot, after: Snapshot) -> Comparison:
    """Compare two states, given what a comparison asks about a state and nothing else of it.

    That is what came and went of it, what is asked about the explicit facts that came and went, and the facts that
    mention a term whose class is another one. If owl:sameAs itself has got or lost an equal, that is everything.
    """
    engine = store.spark
    moved = moved_terms(before.representatives, after.representatives)
    names, names_now = (store.own_equalities(state).names for state in (before, after))
    if (moved.size and int(moved[0]) == SAME) or names != names_now:
        whole = Side(before.explicit, before.facts, before.representatives, names)
        return Comparison(whole, Side(after.explicit, after.facts, after.representatives, names_now), store.dictionary)
    told, known = changes_between(engine, before.explicit, after.explicit)
    came, went = changes_between(engine, before.facts, after.facts)
    asked = united(told, known)
    old = Side(known, _asked_of(engine, before, went, asked, moved), before.representatives, names)
    new = Side(told, _asked_of(engine, after, came, asked, moved), after.representatives, names_now)
    return Comparison(old, new, store.dictionary)


def _asked_of(engine: SparkEngine, state: Snapshot, own: FactSet, asked: FactSet, moved: Ids) -> FactSet:
    """Return what only this state holds, and of the facts that both may hold those that are asked about."""
    normal = engine.to_facts(engine.normalise(engine.of_facts(asked), state.representatives))
    found = united(own, lookup(engine, normal, state.facts))
    return united(found, mentioning(engine, moved, state.facts)) if moved.size else found


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
        keys = {key for _, key in values_of(literals, self._dictionary)}
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for id, key in values_of(self._files.may_equal(keys), self._dictionary):
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


# A question about single terms may read so many facts by their terms; Spark answers those that read more.
_NEARBY_ROWS = 2_000

# So many matches of a constraint are looked at for one violation at most, before more are asked for.
_MATCHES_PER_VIOLATION = 4
_SPARE_MATCHES = 100

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
        driver_rows: int | None = None,
        scratch: str | PathLike[str] | None = None,
    ) -> None:
        super().__init__()
        self.dictionary = PartedDictionary(self.dictionary)
        self.session = spark_session(session, master=master)
        self._driver_rows = rows_at_driver() if driver_rows is None else driver_rows
        self.traffic = Traffic()
        self.scratch_place = None if scratch is None else str(local_path(scratch).absolute())
        self._begin(equality=True)
        if is_connect(self.session):
            # The driver of Spark is another process, perhaps elsewhere: what cannot work is an error now.
            require_shared(self.session, self.spark.scratch.folder.parent)
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
        from reasoner.spark.store_write import load_into

        # Spark knows S3 by another name.
        named = [spark_name(place) if (place := address_of(source)) else source for source in sources]
        return load_into(self, named, format=format, base=base, skip_errors=skip_errors, graph=graph)

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
        view = self.at(replace(self.state, explicit=self._known(FactSet.of_columns(*self.encode(asked)))))
        change, graphs = ColumnarStore.changed_quads(view, request)
        after = with_change(self.spark, explicit, change.removed, change.added)
        return Change(explicit, after, change.removed, change.added), graphs

    def prepare(self, program: EncodedProgram, options: Options, *, later: bool = False) -> Prepared[Plans]:
        if self.engine.equality != options.equality:
            self._begin(equality=options.equality)
        self._forget()
        return (prepare_later if later else prepare)(self.engine, program, options)

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
        from reasoner.spark.store_write import closure_pieces

        state = state or self.state
        facts = state.facts
        if reflexive or not isinstance(facts, FetchedFacts) or facts.spark.local is not None:
            return super().pieces(inferred_only=inferred_only, reflexive=reflexive, state=state)
        return closure_pieces(self, state, inferred_only=inferred_only)

    def plain_pieces(self, facts: FactSet) -> Iterator[Columns]:
        from reasoner.spark.store_write import in_pieces

        if not isinstance(facts, FetchedFacts) or facts.spark.local is not None:
            yield from super().plain_pieces(facts)
            return
        for piece in in_pieces(self.spark, facts.spark.query().text):
            yield from super().plain_pieces(piece)

    def write(self, target: Any, *, inferred_only: bool, reflexive: bool) -> int:
        """Write the closure as N-Triples: a folder of parts by the executors if the target ends with a slash."""
        from reasoner.spark.store_write import write_joined, write_parts

        if isinstance(target, str) and target.endswith("/"):
            # The executors write to any file system that Spark knows.
            address = address_of(target)
            if address is not None:
                target = f"{spark_name(address)}/"
            folder = target if scheme_of(target) not in (None, "file") else local_name(target)
            return write_parts(self, folder, inferred_only=inferred_only, reflexive=reflexive)
        if not reflexive and (count := write_joined(self, target, inferred_only=inferred_only)) is not None:
            return count
        return super().write(target, inferred_only=inferred_only, reflexive=reflexive)

    def _asking(self, most: int | None = None) -> tuple[ColumnarStore, QuestionEngine]:
        """Return this store with an engine that lets Spark match rule bodies, and that engine."""
        view, engine = copy.copy(self), QuestionEngine(self.spark, most)
        view.engine = cast(Any, engine)
        return view, engine

    def nearby(self) -> ColumnarStore:
        if not self.is_distributed:
            return self
        state = self.state
        sides = [PartedFacts.of(unwrapped(self.spark, facts)) for facts in (state.explicit, state.facts)]
        explicit, facts = FactsByKey(self.spark, sides, _NEARBY_ROWS, _NEARBY_ROWS).sets
        return self.at(replace(state, explicit=explicit, facts=facts))

    def fork(self) -> ColumnarStore:
        """Return a store that holds the same, with the same dictionary, and an engine of its own on the session."""
        view = self.at(self.state)
        view._begin(equality=self.spark.equality)
        return view

    def answers(self, query: EncodedRule, asked: tuple[EncodedTerm, ...]) -> list[tuple[str, ...]]:
        return ColumnarStore.answers(self._asking()[0], query, asked)

    def violations(self, constraints: Sequence[EncodedRule], most: int) -> Iterator[Violation]:
        if not constraints:
            return iter(())
        if not self.is_distributed:
            return ColumnarStore.violations(self._asking()[0], constraints, most)
        # Of the matches that come some may repeat others, so that more than asked for have to come.
        limit: int | None = _MATCHES_PER_VIOLATION * (most + _SPARE_MATCHES)
        while True:
            view, engine = self._asking(limit)
            found = list(ColumnarStore.violations(view, constraints, most))
            told = Counter((violation.rule, violation.sources) for violation in found)
            if all(_tells_enough(plan, told, most) for plan in engine.cut):
                return iter(found)
            limit = limit * 16 if limit is not None and limit * 16 < self.spark.place.fetched_rows else None

    def violation_changes(
        self, old: Sequence[EncodedRule], before: Snapshot, new: Sequence[EncodedRule], after: Snapshot
    ) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
        if not old and not new:
            return (), ()
        return ColumnarStore.violation_changes(self._asking()[0], old, before, new, after)

    def proofs(self) -> ProofStore:
        """Return what explanations look things up in: a proof is made of a few facts, which are read by their terms."""
        view = copy.copy(self)
        view.engine = cast(Any, self.spark.driver)
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
        """Count the closure: facts are weighed by the classes of their terms where they are, by one job."""
        facts = state.facts
        if not isinstance(facts, FetchedFacts) or facts.spark.local is not None:
            return self.expansion(state).count()
        own = self.own_equalities(state)
        closure = Expansion(FactSet(), state.representatives, self.dictionary, own)
        unshown = self._unshown(facts)
        weights = "".join(f" WHEN {p}L THEN {len(closure.names(p))}L" for p in facts if p not in unshown)
        where = in_list("p", unshown, negated=True)
        if hidden := [p for p in own.names if own.hides(p)]:
            where += f" AND NOT ({in_list('p', hidden)} AND s = o)"
        count, joins = f"CASE f.p WHEN -1L THEN 0L{weights} ELSE 0L END", ""
        if state.representatives:
            view = self.spark.mappings.shown(state.representatives).view
            sizes = f"(SELECT representative AS id, count(*) AS n FROM {view} GROUP BY representative)"
            count += " * coalesce(ns.n, 1L) * coalesce(os.n, 1L)"
            joins = f" LEFT JOIN {sizes} ns ON f.s = ns.id LEFT JOIN {sizes} os ON f.o = os.id"
        # Facts about literals are no RDF.
        literals = f"(SELECT id FROM {self.spark.terms.view()} WHERE left(text, 1) = '\"')"
        text = (
            f"SELECT coalesce(sum({count}), 0L) AS n FROM ({facts.spark.query(where).text}) f{joins}"
            f" LEFT ANTI JOIN {literals} l ON f.s = l.id"
        )
        return int(self.spark.scratch.rows(text).column("n")[0].as_py()) + closure.count()

    def _unshown(self, facts: FactSet) -> frozenset[int]:
        """Return the predicates of facts that are never shown: notes that terms occur, and auxiliary classes."""
        return self.spark.driver.auxiliary.among(facts) | {OCCURS}

    @property
    def nbytes(self) -> int:
        facts = self.state.explicit.nbytes + self.state.facts.nbytes
        return facts + self.state.representatives.nbytes + self.state.graphs.nbytes + self.dictionary.overhead_bytes

    def home(self, folder: Place, *parts: Any) -> SparkHome:
        """Return the place on disk where this store lives."""
        from reasoner.spark.store_home import SparkHome

        return SparkHome(self, folder, *parts)

    def take_version(self, folder: Place, manifest: Any, *, equality: bool) -> None:
        """Hold what a version of a store on disk holds; facts stay in its files."""
        from reasoner.spark.store_home import read_version

        self.dictionary, read = read_version(folder, manifest)
        self._begin(equality=equality)
        self.state = read(self.spark)

    def close(self) -> None:
        """Release all that Spark holds for this store; its facts cannot be read any more."""
        self.spark.close_scratch()


def _tells_enough(plan: Plan, told: Mapping[tuple[str, tuple[str, ...]], int], most: int) -> bool:
    """Tell whether so many violations of the constraints of a plan are known as were asked for."""
    origins = {(rule.origin.name, rule.origin.sources) for rule in plan.template.rules}
    return sum(told[origin] for origin in origins) >= most
