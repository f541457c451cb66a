"""The one class that users meet: load, reason, ask, explain, change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reasoner.errors import ReasonerError
from reasoner.questions import Questions, Source
from reasoner.rules.rule import Rule
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from loaders.load import LoadReport
    from ontologies.translation import Translation
    from reasoner.arrange import Prepared
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.delta import Delta
    from reasoner.dynamic_session import DynamicSession
    from reasoner.maintenance.maintain import MaintenanceProgram
    from reasoner.maintenance.transaction import Transaction
    from reasoner.program import EncodedProgram
    from reasoner.summary import Summary

PROFILES = ("owl2rl", "dlp", "rdfs", "lower", "upper", "none")
EQUALITY = ("rewrite", "axiomatise", "none")
STRATEGIES = ("auto", "bf", "fbf", "dred", "dredc", "counting", "declarative", "rematerialise")
MAINTENANCE = ("counting", "dredc")

# What follows from the explicit facts and the rules, and comes back when a commit fails.
_DERIVED = ("_translation", "_program", "_prepared", "_preparation", "_up_to_date", "_work", "_summary")

Watch = Callable[[str], None]


class Reasoner(Questions):
    """An RDF store that holds what its ontology entails.

    ``profile`` says how an ontology becomes rules; ``equality`` how owl:sameAs is treated: by rewriting, by the axioms
    of equality as ordinary rules, or not at all (the default for the RDFS profile, which gives it no meaning).

    >>> kb = Reasoner(profile="none")
    >>> kb.add_rules("?x <http://e.org/ancestor> ?y :- ?x <http://e.org/parent> ?y .")
    >>> kb.add([("<http://e.org/ann>", "<http://e.org/parent>", "<http://e.org/bob>")])
    1
    >>> kb.materialise().inferred
    1
    >>> list(kb.triples(inferred_only=True))
    [('<http://e.org/ann>', '<http://e.org/ancestor>', '<http://e.org/bob>')]
    """

    def __init__(
        self,
        profile: str = "owl2rl",
        *,
        equality: str | None = None,
        modules: bool = True,
        maintenance: str | None = None,
    ) -> None:
        from reasoner.columnar.store import ColumnarStore
        from reasoner.maintenance.cost import CostModel

        equality = equality or ("none" if profile == "rdfs" else "rewrite")
        _require(profile, PROFILES, "profile")
        _require(equality, EQUALITY, "equality")
        if maintenance is not None:
            _require(maintenance, MAINTENANCE, "maintenance")
        self.profile = profile
        self.equality = equality
        self.modules = modules
        self.maintenance = maintenance
        self.store = ColumnarStore()
        self.store.axioms = equality == "axiomatise"
        self.load_reports: list[LoadReport] = []
        self._user_rules: list[Rule] = []
        self._translation: Translation | None = None
        self._program: EncodedProgram | None = None
        self._prepared: Prepared[Plans] | None = None
        self._preparation = 0.0
        self._maintenance: MaintenanceProgram[FactSet, Plans, Representatives] | None = None
        self._up_to_date = False
        self._work = (0, 0.0)
        self._costs = CostModel()
        self._summary: Summary | None = None
        self._committing = threading.RLock()

    def load(
        self,
        *sources: Source,
        format: str | None = None,
        base: str | None = None,
        skip_errors: bool = False,
        progress: Watch = lambda _: None,
    ) -> LoadReport:
        """Add the triples of files, globs, folders or ``-`` (standard input) to the explicit facts.

        Nothing is added if a file is malformed, unless ``skip_errors`` is set; then the errors are in the report.
        """
        from loaders.load import load

        loaded = load(
            list(sources),
            self.store.dictionary,
            format=format,
            base=base,
            skip_errors=skip_errors,
            progress=lambda state: progress(str(state)),
        )
        self.store.add_columns(loaded.s, loaded.p, loaded.o)
        self.load_reports.append(loaded.report)
        self._changed()
        return loaded.report

    def load_ontology(self, source: Source | object, *, format: str | None = None, base: str | None = None) -> None:
        """Add an ontology: any RDF syntax, OWL/XML, functional syntax, or an owlready2 world.

        Its triples are explicit facts like any other; its rules follow from them by the profile.
        """
        from ontologies.read import read_ontology

        self.add(read_ontology(source, format=format, base=base).triples)

    def add(self, triples: Iterable[TextTriple]) -> int:
        """Add explicit facts, given as canonical N-Triples texts; return how many are new."""
        added = self.store.add_columns(*self.store.encode(triples))
        self._changed()
        return added

    def add_rules(self, rules: str | Iterable[Rule], *, file: str = "<text>") -> None:
        """Add rules of one's own, as text or ready made."""
        if isinstance(rules, str):
            from reasoner.rules.parser import parse_rules

            rules = parse_rules(rules, file=file)
        self._user_rules += rules
        self._changed()

    def load_rules(self, path: Source) -> None:
        """Add the rules of a file."""
        self.add_rules(Path(path).read_text(encoding="utf-8"), file=str(path))

    def remove(self, triples: TextTriple | Iterable[TextTriple], *, strategy: str = "auto") -> Delta:
        """Remove one explicit fact, or many, and return what went with them."""
        from reasoner.triple_text import checked_triples

        return self._commit([], checked_triples(triples), strategy)

    def transaction(self, *, strategy: str = "auto", depth: int | None = None) -> Transaction:
        """Open a transaction: facts in and out, of which all or none take effect.

        ``strategy`` is how the materialisation follows: ``bf`` (look for other proofs of a fact before deleting it),
        ``fbf`` (the same to a given ``depth``), ``dred`` (delete, then derive again), ``dredc`` (the same with counters
        and methods for transitive predicates), ``counting`` (count all derivations; for stores made with
        ``maintenance="counting"``), ``declarative`` (a generated program), ``rematerialise`` (from scratch), or
        ``auto``, which chooses by what it has measured.

        >>> kb = Reasoner(profile="none")
        >>> kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> fact = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
        >>> with kb.transaction() as change:
        ...     change.add([fact])
        >>> change.delta.inferred_added
        (('<http://e.org/a>', '<http://e.org/q>', '<http://e.org/b>'),)
        """
        from reasoner.maintenance.transaction import Transaction

        _require(strategy, STRATEGIES, "strategy")
        return Transaction(lambda added, removed: self._commit(added, removed, strategy, depth))

    def update(
        self, text: str, *, strategy: str = "auto", base: str = "", prefixes: Mapping[str, str] | None = None
    ) -> Delta:
        """Apply a SPARQL 1.1 Update, all of it or nothing, and return what it did; see ``reasoner.sparql.update``.

        >>> kb = Reasoner(profile="none")
        >>> kb.update("INSERT DATA { <http://e.org/a> <http://e.org/p> 1 }").counts.asserted_added
        1
        """
        from reasoner.sparql import update

        return update(self, text, strategy=strategy, base=base, prefixes=prefixes)

    def dynamic(self, *, strategy: str = "auto") -> DynamicSession:
        """Open a session: updates may come while earlier ones are worked on, and readers see the last commit, whole."""
        from reasoner.dynamic_session import DynamicSession

        return DynamicSession(self, strategy)

    def _commit(
        self, added: list[TextTriple], removed: list[TextTriple], strategy: str, depth: int | None = None
    ) -> Delta:
        """Apply a change of the explicit facts; an error or an interrupt on the way leaves everything as it was."""
        _require(strategy, STRATEGIES, "strategy")
        with self._committing:
            self._materialised()
            checkpoint = self.store.checkpoint()
            derived = {name: getattr(self, name) for name in _DERIVED}
            try:
                return self._committed(added, removed, strategy, depth)
            except BaseException:
                self.store.restore(checkpoint)
                self.__dict__.update(derived)
                # It holds on to an engine that the store has given up.
                self._maintenance = None
                raise

    def _committed(self, added: list[TextTriple], removed: list[TextTriple], strategy: str, depth: int | None) -> Delta:
        from reasoner.commit import Commit
        from reasoner.delta import Delta
        from reasoner.maintenance.work import Work
        from reasoner.schema import is_schema

        began = time.perf_counter()
        before, constraints, work = self.store.state, self._encoded().constraints, Work()
        change = self.store.changed(added, removed)
        is_ontology = self.profile != "none" and any(is_schema(triple) for triple in (*added, *removed))
        commit = Commit(
            self.store,
            self._costs,
            self._maintenance_program,
            lambda: self._rematerialise(anew=is_ontology),
            lambda: self.translation().value_equality,
            self.maintenance,
            work,
        )
        used, reason = "none", "no explicit fact changes"
        if len(change.removed) or len(change.added):
            used, reason = commit.apply(change, strategy, depth, "the ontology changes" if is_ontology else "")
            self._summary = None
        if used == "rematerialise":
            work.count("materialise", self.store.engine.instances, self._work[0])
        return Delta(
            *(self.store, before, self.store.state, used, reason, work, time.perf_counter() - began),
            asked_to_add=added,
            asked_to_remove=removed,
            constraints_before=constraints,
            constraints_after=self._encoded().constraints,
        )

    def _rematerialise(self, *, anew: bool = False) -> None:
        if anew:
            self._changed()
        self._reason()

    def _maintenance_program(self) -> MaintenanceProgram[FactSet, Plans, Representatives]:
        if self._maintenance is None:
            self.prepare()
            assert self._prepared is not None
            self._maintenance = self.store.prepare_maintenance(self._prepared)
        return self._maintenance

    def translation(self) -> Translation:
        """Return the rules of the ontology under the profile, and what the profile leaves out."""
        if self._translation is None:
            self._translation = self._translate()
        return self._translation

    def _translate(self) -> Translation:
        from ontologies.translation import Translation

        if self.profile == "none":
            return Translation((), ())
        from ontologies.read_rdf import ontology_of_triples
        from ontologies.translate import translate
        from reasoner.schema import schema_triples

        return translate(ontology_of_triples(schema_triples(self.store)), self.profile)

    def rules(self) -> tuple[Rule, ...]:
        """Return all rules: those of the ontology, one's own, and the axioms of equality if they are asked for."""
        from reasoner.equality_axioms import EQUALITY_AXIOMS

        axioms = EQUALITY_AXIOMS if self.equality == "axiomatise" else ()
        return (*self.translation().rules, *self._user_rules, *axioms)

    def maintenance_rules(self) -> tuple[Rule, ...]:
        """Return the program that the declarative strategy evaluates for all rules, owl:sameAs being a plain predicate.

        Variable predicates are unfolded over the predicates of the explicit facts.
        """
        from reasoner.maintenance.maintenance_rules import maintenance_program

        program = maintenance_program(rule for rule in self.rules() if rule.head is not None)
        return program.rules([self.store.dictionary.text(predicate) for predicate in self.store.state.explicit])

    def prepare(self) -> None:
        """Translate the ontology, stratify all rules and compile them; ``materialise`` does so if nobody has."""
        if self._prepared is None:
            from reasoner.arrange import Options
            from reasoner.collector_pause import collector_paused

            began = time.perf_counter()
            options = Options(equality=self.equality == "rewrite", modules=self.modules)
            with collector_paused():
                self._prepared = self.store.prepare(self._encoded(), options)
            self._preparation = time.perf_counter() - began

    def materialise(self, progress: Watch = lambda _: None) -> Summary:
        """Compute what the explicit facts and the rules entail."""
        self._reason(progress)
        self._summary = self._summarise()
        return self._summary

    def _reason(self, progress: Watch = lambda _: None) -> None:
        self.prepare()
        assert self._prepared is not None
        began, spent = time.perf_counter(), time.thread_time()
        result = self.store.materialise(
            self._prepared, value_equality=self.translation().value_equality, progress=progress
        )
        self._work = (result.rounds, time.perf_counter() - began)
        self._costs.learn_scratch(time.thread_time() - spent, len(self.store.state.explicit))
        self._up_to_date = True
        if self.maintenance is not None:
            self.store.remember(self.maintenance, self._maintenance_program())

    def summary(self) -> Summary:
        """Return the numbers of the store, which is materialised if it is not yet; the times are of that."""
        self._materialised()
        if self._summary is None:
            self._summary = self._summarise()
        return self._summary

    def _encoded(self) -> EncodedProgram:
        if self._program is None:
            from reasoner.program import Terms, encode_program

            terms = Terms(self.store.dictionary.id_of, self.store.dictionary.text)
            self._program = encode_program(self.rules(), terms, equality=self.equality == "rewrite")
        return self._program

    def _changed(self) -> None:
        self._translation = self._program = self._prepared = self._maintenance = self._summary = None
        self._up_to_date = False

    def _materialised(self) -> None:
        if not self._up_to_date:
            self._reason()

    def _summarise(self) -> Summary:
        from reasoner.summary import Summary

        rounds, seconds = self._work

        program = self._encoded()
        found = sum(1 for _ in self.store.violations(program.constraints, 1000))
        return Summary(
            rules=sum(len(stratum.rules) for stratum in program.strata),
            constraints=len(program.constraints),
            violations=found,
            rounds=rounds,
            instances=self.store.engine.instances,
            preparation=self._preparation,
            seconds=seconds,
            **self.store.counts(),
        )


def _require(value: str, known: Sequence[str], what: str) -> None:
    if value not in known:
        raise ReasonerError(f"unknown {what} {value!r}: choose one of {', '.join(known)}")
