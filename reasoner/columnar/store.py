"""Explicit facts, their r-materialisation, and the questions that need columns to answer."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from time import thread_time
from typing import BinaryIO, Self

import numpy as np
import pyarrow as pa

from loaders.dictionary import Dictionary
from reasoner.columnar.answers import answers
from reasoner.columnar.compare import Comparison, Side
from reasoner.columnar.constraints import ConstraintState, violation_changes, violations
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.expand import Columns, Expansion, is_asserted
from reasoner.columnar.factset import FactSet, group_rows, shown_facts
from reasoner.columnar.graphs import DEFAULT, GraphMemberships, QuadChange
from reasoner.columnar.kernels import Ids, unpack
from reasoner.columnar.literal_values import LiteralValues, merged_by_value
from reasoner.columnar.membership import facts_about
from reasoner.columnar.own_equalities import OwnEqualities, equality_names, occurring_resources
from reasoner.columnar.plans import Plans
from reasoner.columnar.proofs import ProofStore
from reasoner.columnar.representatives import Representatives
from reasoner.explanation.proof import Violation
from reasoner.maintenance.maintain import maintain
from reasoner.maintenance.program import Change, MaintenanceProgram, Strategy, prepare_maintenance
from reasoner.maintenance.strategies import CountedDRed, Counting, strategy_with_memory
from reasoner.maintenance.update import Work
from reasoner.reasoning.arrange import Options, Prepared, prepare, prepare_later
from reasoner.reasoning.materialise import Materialisation, materialise
from reasoner.reasoning.program import EncodedProgram
from reasoner.rules.encode import EncodedRule, EncodedTerm
from reasoner.terms.quads import QuadRequest
from reasoner.terms.term import RESERVED_TERMS, TYPE, TextTriple


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of the store; nothing in it ever changes."""

    explicit: FactSet
    facts: FactSet
    representatives: Representatives
    # The equalities between literals of one value, which are as good as explicit.
    values: FactSet = FactSet()  # noqa: RUF009
    # What a strategy that counts remembers from one change to the next.
    memory: object = None
    # Which named graphs assert which of the explicit facts.
    graphs: GraphMemberships = GraphMemberships()  # noqa: RUF009


class ColumnarStore:
    """Holds a dictionary, the explicit facts as they were given, and (pi, I)."""

    # The time by which costs are compared, and deadlines told.
    clock = staticmethod(thread_time)

    # The seconds that a small change takes at least by this clock.
    shortest_run = 0.001

    def __init__(
        self,
        dictionary: Dictionary | None = None,
        state: Snapshot | None = None,
        *,
        equality: bool = True,
        axioms: bool = False,
    ) -> None:
        if dictionary is None:
            dictionary = Dictionary()
            dictionary.encode(RESERVED_TERMS)
        self.dictionary = dictionary
        self.state = state or Snapshot(FactSet(), FactSet(), Representatives())
        self.engine = ColumnarEngine(dictionary, equality=equality)
        self.values = LiteralValues(dictionary)
        # Whether the axioms of equality are among the rules, so that reflexive equalities are stored facts.
        self.axioms = axioms
        self._valued: tuple[Snapshot, Self] | None = None

    @property
    def is_distributed(self) -> bool:
        """Whether the facts are elsewhere, so that queries are better taken to them."""
        return False

    def nearby(self) -> ColumnarStore:
        """Return this store as one to ask about single terms: a question that reads many facts is a ``TooFarError``."""
        return self

    def at(self, state: Snapshot, dictionary: Dictionary | None = None) -> Self:
        """Return the store with another state, and perhaps with a dictionary as it was then; all else is shared."""
        view = copy.copy(self)
        view.state = state
        if dictionary is not None:
            view.dictionary = dictionary
        return view

    def fork(self) -> ColumnarStore:
        """Return a store that holds the same, with the same dictionary, and that works on its own, at the driver."""
        return ColumnarStore(self.dictionary, self.state, equality=self.engine.equality, axioms=self.axioms)

    def add_columns(self, s: Ids, p: Ids, o: Ids, g: Ids | int | None = None) -> int:
        """Add explicit facts to one graph, or to one each; return how many are new. (pi, I) is not updated."""
        if isinstance(g, np.ndarray):
            before = self.state
            coming, graphs = before.graphs.with_quads(before.explicit, g, s, p, o)
            self.state = replace(before, explicit=before.explicit.union(coming), graphs=graphs)
            return len(coming)
        return self._replace_explicit(QuadChange(added={DEFAULT if g is None else g: FactSet.of_columns(s, p, o)}))

    def remove_columns(self, s: Ids, p: Ids, o: Ids) -> int:
        """Remove explicit facts from all graphs; return how many there were. (pi, I) is not updated."""
        return self._replace_explicit(QuadChange(everywhere=FactSet.of_columns(s, p, o)))

    def _replace_explicit(self, change: QuadChange) -> int:
        before = self.state
        leaving, coming, graphs = before.graphs.changed(before.explicit, change)
        self.state = replace(before, explicit=before.explicit.difference(leaving).union(coming), graphs=graphs)
        return len(leaving) + len(coming)

    def encode(self, triples: Iterable[TextTriple]) -> tuple[Ids, Ids, Ids]:
        """Encode triples, giving new terms their ids."""
        return self.encode_terms([term for triple in triples for term in triple])

    def encode_terms(self, terms: Sequence[str] | pa.Array) -> tuple[Ids, Ids, Ids]:
        """Encode the terms of triples, one triple after another, giving new terms their ids."""
        ids = self.dictionary.encode(terms)
        return ids[0::3], ids[1::3], ids[2::3]

    def prepare(self, program: EncodedProgram, options: Options, *, later: bool = False) -> Prepared[Plans]:
        """Compile a program for this store's engine, at once or each stratum when it is needed."""
        self.engine = ColumnarEngine(self.dictionary, equality=options.equality)
        return (prepare_later if later else prepare)(self.engine, program, options)

    def materialise(
        self, prepared: Prepared[Plans], *, value_equality: bool, progress: Callable[[str], None]
    ) -> Materialisation[FactSet, Representatives]:
        """Compute (pi, I) from scratch and make it the state of the store."""
        explicit, values = self.state.explicit, FactSet()
        if value_equality:
            values = self.values.equalities(explicit)
        self.engine.instances = 0
        result = materialise(self.engine, prepared, self.engine.union(explicit, values), progress)
        self.state = Snapshot(explicit, result.facts, result.representatives, values, graphs=self.state.graphs)
        return result

    def changed(self, added: Iterable[TextTriple], removed: Iterable[TextTriple]) -> Change[FactSet]:
        """Return what a change of explicit facts comes down to, given what is explicit now."""
        return self.changed_quads(QuadRequest(list(removed), added={None: list(added)}))[0]

    def changed_quads(self, request: QuadRequest) -> tuple[Change[FactSet], GraphMemberships]:
        """Return what a change of quads comes down to for explicit facts, and the memberships after it."""
        explicit = self.state.explicit
        leaving, coming, graphs = self.state.graphs.changed(explicit, self.encode_quads(request))
        return Change(explicit, explicit.difference(leaving).union(coming), leaving, coming), graphs

    def encode_quads(self, request: QuadRequest) -> QuadChange:
        """Encode a change of quads, giving new terms their ids."""
        everywhere = FactSet.of_columns(*self.encode(request.everywhere))
        removed, added = (
            {
                DEFAULT if graph is None else self.id_of(graph): FactSet.of_columns(*self.encode(triples))
                for graph, triples in by_graph.items()
            }
            for by_graph in (request.removed, request.added)
        )
        return QuadChange(everywhere, removed, added)

    def prepare_maintenance(self, prepared: Prepared[Plans]) -> MaintenanceProgram[FactSet, Plans, Representatives]:
        """Compile a program for maintenance."""
        return prepare_maintenance(self.engine, prepared.program, prepared.options)

    def largest_closure(self, prepared: Prepared[Plans]) -> int:
        """Count the facts of the largest predicate that modules close."""
        largest = 0
        for arrangement in prepared.arrangements.values():
            modules = arrangement.modules
            closed = {closure.predicate for closure in modules.closures}
            for class_id in modules.transitive_classes:
                closed.update(self.state.facts.table(TYPE).subjects_of(class_id).tolist())
            largest = max([largest, *(self.state.facts.table(predicate).size for predicate in closed)])
        return largest

    def maintain(
        self,
        program: MaintenanceProgram[FactSet, Plans, Representatives],
        strategy: Strategy[FactSet, Plans, Representatives],
        change: Change[FactSet],
        work: Work,
        *,
        value_equality: bool,
        overdelete: bool = False,
    ) -> Snapshot:
        """Return the state after a change of explicit facts; the state of the store stays as it is."""
        state, engine = self.state, self.engine
        whole, values = change, state.values
        if value_equality:
            changed = engine.union(change.removed, change.added)
            gone, come = self.values.changes(change.before, change.after, changed)
            values = values.difference(gone).union(come.difference(values))
            whole = Change(
                engine.union(change.before, state.values),
                engine.union(change.after, values),
                engine.union(change.removed, gone.difference(change.after)),
                engine.union(change.added, come.difference(change.before)),
            )
        result = maintain(program, strategy, whole, state.facts, state.representatives, work, overdelete=overdelete)
        return Snapshot(change.after, result.facts, result.representatives, values, graphs=state.graphs)

    def strategy_with_memory(
        self, name: str, program: MaintenanceProgram[FactSet, Plans, Representatives]
    ) -> Counting | CountedDRed:
        """Return a strategy that remembers, with what it remembers of the present state."""
        state = self.state
        explicit = self.engine.union(state.explicit, state.values)
        return strategy_with_memory(name, state.memory, program, explicit, state.facts, state.representatives)

    def remember(self, name: str, program: MaintenanceProgram[FactSet, Plans, Representatives]) -> None:
        """Add to the present state what a strategy remembers of it."""
        self.state = replace(self.state, memory=self.strategy_with_memory(name, program).before)

    def own_equalities(self, state: Snapshot | None = None, *, reflexive: bool = False) -> OwnEqualities:
        """Return the equalities of a term with itself that are triples: those asserted, or with ``reflexive`` all."""
        state = state or self.state
        # All of them are facts already if the axioms of equality are among the rules.
        if not self.engine.equality and (reflexive or not self.axioms):
            return OwnEqualities()
        names = equality_names(state.facts, state.representatives, self.dictionary, axioms=self.axioms)
        every = occurring_resources(state.facts, state.representatives, self.dictionary) if reflexive else None
        return OwnEqualities(names, state.explicit, every=every, stored=self.axioms)

    def expansion(self, state: Snapshot | None = None, *, reflexive: bool = False) -> Expansion:
        """Return the closure that a state stands for."""
        state = state or self.state
        own = self.own_equalities(state, reflexive=reflexive)
        return Expansion(state.facts, state.representatives, self.dictionary, own)

    def by_value(self) -> Self:
        """Return this store as one to ask, in which a literal stands for all that have its value, as equal terms do.

        It is made when it is first asked for, and the same until the state changes.
        """
        state = self.state
        if not len(state.values):
            return self
        if self._valued is None or self._valued[0] is not state:
            self._valued = state, self.at(merged_by_value(self.engine, state))
        return self._valued[1]

    def pieces(
        self, *, inferred_only: bool = False, reflexive: bool = False, state: Snapshot | None = None
    ) -> Iterator[Columns]:
        """Yield the expanded closure piece by piece, or only what is not explicit in it."""
        state = state or self.state
        for s, predicate, o in self.expansion(state, reflexive=reflexive).pieces():
            if inferred_only:
                fresh = ~is_asserted(s, predicate, o, state.explicit)
                s, o = s[fresh], o[fresh]
            if s.size:
                yield s, predicate, o

    def decoded(self, pieces: Iterable[Columns]) -> Iterator[TextTriple]:
        """Yield the text of facts."""
        decode = self.dictionary.decode
        for s, predicate, o in pieces:
            name = self.dictionary.text(predicate)
            for subject, obj in zip(decode(s), decode(o), strict=True):
                yield subject, name, obj

    def texts(self, facts: FactSet) -> list[TextTriple]:
        """Return facts as they are, without expanding them."""
        return list(self.decoded(self.plain_pieces(facts)))

    def plain_pieces(self, facts: FactSet) -> Iterator[Columns]:
        """Yield facts as they are by predicate, piece by piece."""
        for predicate in facts:
            yield _turned(facts, predicate)

    def classes(self) -> Iterator[list[str]]:
        """Yield the equality classes of two or more terms, each with its representative first."""
        _, ends, members = self.state.representatives.classes()
        texts = self.dictionary.decode(members)
        start = 0
        for end in ends.tolist():
            yield texts[start:end]
            start = end

    def normal_triples(self) -> Iterator[TextTriple]:
        """Yield the facts over representatives."""
        facts = self.state.facts
        return self.decoded(_turned(facts, p) for p in shown_facts(facts, self.engine.auxiliary))

    def write(self, target: str | PathLike[str] | BinaryIO, *, inferred_only: bool, reflexive: bool) -> int:
        """Write the expanded closure as N-Triples, piece by piece."""
        from loaders.write import write_pieces

        facts = self.columns(inferred_only=inferred_only, reflexive=reflexive)
        return write_pieces(target, self.dictionary, facts)

    def columns(self, *, inferred_only: bool, reflexive: bool) -> Iterator[tuple[Ids, Ids, Ids]]:
        """Yield the expanded closure as columns of subjects, predicates and objects, piece by piece."""
        for s, predicate, o in self.pieces(inferred_only=inferred_only, reflexive=reflexive):
            yield s, np.full(s.size, predicate, dtype=np.int64), o

    def id_of(self, text: str) -> int:
        return self.dictionary.id_of(text)

    def answers(self, query: EncodedRule, asked: tuple[EncodedTerm, ...]) -> list[tuple[str, ...]]:
        """Return the distinct answers to a pattern, expanded."""
        state = self.state
        return answers(self.engine, query, asked, state.facts, state.representatives, state.values)

    def violations(self, constraints: Sequence[EncodedRule], most: int) -> Iterator[Violation]:
        """Yield the matches of constraints, at most ``most`` of each."""
        state = self.state
        seen = ConstraintState(constraints, state.facts, state.representatives)
        return violations(self.engine, seen, most)

    def proofs(self) -> ProofStore:
        """Return the view of the present state that explanations use."""
        return ProofStore(self)

    def explicit_of(self, predicates: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]:
        """Return the explicit facts of the predicates with some prefixes, rdf:type left out."""
        found: list[TextTriple] = []
        for predicate in self.state.explicit:
            name = self.dictionary.text(predicate)
            if predicate != TYPE and name.startswith(predicates) and name not in without:
                found += self.decoded([_turned(self.state.explicit, predicate)])
        return found

    def explicit_types(self, classes: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]:
        """Return the explicit types whose class has one of some prefixes."""
        table = self.state.explicit.table(TYPE)
        occurring = table.objects()
        found: list[TextTriple] = []
        for id, text in zip(occurring.tolist(), self.dictionary.decode(occurring), strict=True):
            if text.startswith(classes) and text not in without:
                subjects = table.subjects_of(id)
                found += self.decoded([(subjects, TYPE, np.full(subjects.size, id, dtype=np.int64))])
        return found

    def explicit_samples(self, without: tuple[str, ...]) -> list[TextTriple]:
        """Return one explicit fact of every predicate that has none of some prefixes."""
        found: list[TextTriple] = []
        for predicate in self.state.explicit:
            if not self.dictionary.text(predicate).startswith(without):
                s, o = unpack(self.state.explicit.table(predicate).keys()[:1])
                found += self.decoded([(s, predicate, o)])
        return found

    def explicit_about(self, subjects: list[str]) -> list[TextTriple]:
        """Return the explicit facts with one of some subjects."""
        ids = np.sort(self.dictionary.find(subjects))
        wanted = set(subjects)
        return [triple for triple in self.texts(facts_about(self.state.explicit, ids)) if triple[0] in wanted]

    def comparison(self, before: Snapshot, after: Snapshot) -> Comparison:
        """Compare two states."""
        old, new = (
            Side(state.explicit, state.facts, state.representatives, self.own_equalities(state).names)
            for state in (before, after)
        )
        return Comparison(old, new, self.dictionary)

    def violation_changes(
        self,
        old: Sequence[EncodedRule],
        before: Snapshot,
        new: Sequence[EncodedRule],
        after: Snapshot,
    ) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
        """Return the violations that appeared, and those that went, between two states with their constraints."""
        appeared, went = violation_changes(
            self.engine,
            ConstraintState(old, before.facts, before.representatives),
            ConstraintState(new, after.facts, after.representatives),
        )
        return tuple(appeared), tuple(went)

    def are_explicit(self, triples: Sequence[TextTriple], state: Snapshot) -> list[bool]:
        """Tell which triples are explicit in a state; terms that are new get no id."""
        ids = self.dictionary.find([term for triple in triples for term in triple]).reshape(-1, 3)
        answers = np.zeros(len(triples), dtype=np.bool_)
        known = np.flatnonzero((ids >= 0).all(axis=1))
        for predicate, rows in group_rows(ids[known, 1]):
            asked = known[rows]
            answers[asked] = is_asserted(ids[asked, 0], predicate, ids[asked, 2], state.explicit)
        found: list[bool] = answers.tolist()
        return found

    def counts(self) -> dict[str, int]:
        """Return the sizes that a summary tells."""
        state = self.state
        expanded = self.expansion(state).count()
        _, ends, members = state.representatives.classes()
        sizes = np.diff(ends, prepend=0)
        return {
            "explicit": len(state.explicit),
            "facts": len(shown_facts(state.facts, self.engine.auxiliary)),
            "expanded": expanded,
            "inferred": expanded - len(state.explicit),
            "classes": ends.size,
            "members": members.size,
            "largest_class": int(sizes.max(initial=0)),
            "terms": len(self.dictionary),
            "fact_bytes": self.nbytes,
            "text_bytes": self.dictionary.text_bytes,
        }

    @property
    def nbytes(self) -> int:
        """The memory of facts and mapping, and of the dictionary beyond the texts of its terms."""
        seen: dict[int, int] = {}
        for facts in (self.state.explicit, self.state.facts):
            for predicate in facts:
                for run in facts.table(predicate).held_runs:
                    seen[id(run)] = run.nbytes
        mapping, graphs = self.state.representatives.nbytes, self.state.graphs.nbytes
        return sum(seen.values()) + mapping + graphs + self.dictionary.overhead_bytes


def _turned(facts: FactSet, predicate: int) -> Columns:
    s, o = facts.table(predicate).pairs()
    return s, predicate, o
