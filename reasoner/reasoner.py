"""The one class that users meet: load, reason, ask, explain, change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from reasoner.assertions import STRATEGIES as STRATEGIES
from reasoner.assertions import Assertions, require_strategy
from reasoner.constraint_policy import ConstraintPolicy
from reasoner.entailment.questions import EntailmentQuestions
from reasoner.errors import ReasonerError
from reasoner.evolution.evolving import Evolving
from reasoner.export.exporting import Exporting
from reasoner.ontology_loading import OntologyLoading
from reasoner.owlready_export import OwlreadyExport
from reasoner.persistence import Persistence
from reasoner.questions import Questions
from reasoner.rule_changes import RuleChanges
from reasoner.rules.rule import Rule
from reasoner.rules.value_joins import value_joins, value_joins_of_profile, without_value_joins
from reasoner.spark.dataframe import SparkFrames
from reasoner.spark.failures import failures_told
from reasoner.subscriptions.subscribing import Subscribing

if TYPE_CHECKING:
    from loaders.load import LoadReport
    from ontologies.translation import LeftOut, Translation
    from reasoner.arrange import Prepared
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import Checkpoint, ColumnarStore
    from reasoner.commit_request import CommitRequest
    from reasoner.delta import Delta
    from reasoner.dynamic_session import DynamicSession
    from reasoner.maintenance.program import MaintenanceProgram
    from reasoner.program import EncodedProgram
    from reasoner.summary import Summary

PROFILES = ("owl2rl", "dlp", "rdfs", "lower", "upper", "none")
EQUALITY = ("rewrite", "axiomatise", "none")
MAINTENANCE = ("counting", "dredc")
LITERALS = ("written", "by-value")
ENGINES = ("columnar", "spark")

# What follows from the explicit facts and the rules, and comes back when a commit fails.
_DERIVED = ("_user_rules", "_translation", "_program", "_prepared", "_preparation", "_up_to_date", "_work", "_summary")

Watch = Callable[[str], None]


class Reasoner(
    ConstraintPolicy,
    Subscribing,
    Exporting,
    SparkFrames,
    Assertions,
    OntologyLoading,
    Persistence,
    RuleChanges,
    Evolving,
    Questions,
    EntailmentQuestions,
    OwlreadyExport,
):
    """An RDF store that holds what its ontology entails.

    ``profile`` says how an ontology becomes rules; ``equality`` how owl:sameAs is treated: by rewriting, by the axioms
    of equality as ordinary rules, or not at all (the default for the RDFS profile, which gives it no meaning).
    ``engine`` is where the work is done: in memory (``columnar``) or by ``spark``, in a session that is given, the
    active one, or a new one on ``master``; ``scratch`` is a folder for what Spark writes on the way, which all machines
    of a cluster have to share (else REASONER_SCRATCH, or a temporary folder). ``constraints`` is what commits do about
    violations that they bring: ``warn`` in their delta, ``reject`` the commit, or ``ignore`` them. ``literals`` is how
    answers give literals: as they are ``written``, or ``by-value``, with all that the facts write for the value; it can
    be set at any time.

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
        constraints: str = "warn",
        literals: str = "written",
        engine: str = "columnar",
        session: object = None,
        master: str | None = None,
        scratch: str | PathLike[str] | None = None,
    ) -> None:
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
        self.literals = literals
        self.engine = engine
        self.store = _new_store(engine, session, master, scratch)
        self.store.axioms = equality == "axiomatise"
        self.load_reports: list[LoadReport] = []
        # What documents call their namespaces, for output that people read.
        self.prefixes: dict[str, str] = {}
        self._user_rules: list[Rule] = []
        self._translation: Translation | None = None
        self._joins: tuple[Translation, tuple[Rule, ...]] | None = None
        self._program: EncodedProgram | None = None
        self._prepared: Prepared[Plans] | None = None
        self._preparation = 0.0
        self._maintenance: MaintenanceProgram[FactSet, Plans, Representatives] | None = None
        self._up_to_date = False
        self._work = (0, 0.0)
        self._costs = CostModel()
        self._summary: Summary | None = None
        self._committing = threading.RLock()
        self.constraints = constraints

    def __repr__(self) -> str:
        """Tell what this is and holds, without reasoning and without a job of Spark.

        >>> Reasoner(profile="dlp")
        <Reasoner profile=dlp equality=rewrite engine=columnar: 0 asserted, not materialised>
        """
        settings = f"profile={self.profile} equality={self.equality} engine={self.engine}"
        home = "" if self._home is None else f", version {self.version} of {self._home.folder}"
        return f"<Reasoner {settings}: {len(self.store.state.explicit):,} asserted, {self._inferred_told()}{home}>"

    def _inferred_told(self) -> str:
        if not self._up_to_date:
            return "not materialised"
        if self._summary is not None:
            return f"{self._summary.inferred:,} inferred"
        if self.engine == "spark":
            return "materialised"
        return f"{self.store.expansion().count() - len(self.store.state.explicit):,} inferred"

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

    @failures_told
    def _commit(self, request: CommitRequest) -> Delta:
        """Apply a change of facts and rules; an error or an interrupt on the way leaves everything as it was."""
        require_strategy(request.strategy, request.depth)
        with self._committing:
            self._ready_to_change()
            checkpoint = self.store.checkpoint()
            derived, maintenance = {name: getattr(self, name) for name in _DERIVED}, self._maintenance
            try:
                delta = self._judged(self._committed(request), request.constraints)
                self._keep()
            except BaseException:
                self._restore(checkpoint, maintenance)
                self.__dict__.update(derived)
                raise
            self._announce()
            return delta

    def _restore(
        self, checkpoint: Checkpoint, maintenance: MaintenanceProgram[FactSet, Plans, Representatives] | None
    ) -> None:
        """Go back to a state of the store; keep the program that was compiled for maintenance if it still serves."""
        store, same = self.store, self._maintenance is maintenance
        forgets = len(store.dictionary) > checkpoint.terms
        store.restore(checkpoint)
        if not same or forgets or (maintenance is not None and maintenance.engine is not store.engine):
            self._maintenance = None

    def _committed(self, request: CommitRequest) -> Delta:
        from reasoner.commit import Commit
        from reasoner.delta import Delta

        began = time.perf_counter()
        before, constraints = self.store.state, self._encoded().constraints
        work = request.work
        added, removed = request.quads.coming(), request.quads.going()
        change, graphs = self.store.changed_quads(request.quads)
        if graphs is not before.graphs:
            self.store.state = replace(before, graphs=graphs)
        rules = self._rule_change((*added, *removed), change, request.rules)
        if rules is not None:
            self._take_over(rules)
        commit = Commit(
            self.store,
            self._costs,
            self._maintenance_program if rules is None else lambda: self._program_after(rules),
            self._reason,
            self._compares_values,
            self.maintenance,
            work,
            rules if rules is not None and rules.changes_program else None,
        )
        used, reason = "none", "no explicit fact changes"
        if len(change.removed) or len(change.added) or commit.rules is not None:
            used, reason = commit.apply(change, request.strategy, request.depth, may_start_over=request.may_start_over)
            self._summary = None
        if used == "rematerialise":
            work.count("materialise", self.store.engine.instances, self._work[0])
        return Delta(
            *(self.store, before, self.store.state, used, reason, work, time.perf_counter() - began),
            asked_to_add=added,
            asked_to_remove=removed,
            constraints_before=constraints,
            constraints_after=self._encoded().constraints,
            rules_gained=without_value_joins(rule.origin for rule in rules.gained) if rules else (),
            rules_lost=without_value_joins(rule.origin for rule in rules.lost) if rules else (),
            explainer=self._explainer(),
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

    @property
    def literals(self) -> str:
        """How answers give literals: as they are ``written``, or ``by-value``."""
        return self._literals

    @literals.setter
    def literals(self, literals: str) -> None:
        _require(literals, LITERALS, "way to give literals")
        self._literals = literals

    def translation(self) -> Translation:
        """Return the rules of the ontology under the profile, and what the profile leaves out."""
        if self._translation is None:
            self._translation = self._translate(self.store)
        return self._translation

    def outside_profile(self) -> list[LeftOut]:
        """Return what the ontology says outside the profile, and why, as ``reasoner profile`` lists it of a file."""
        from ontologies.profile import check_profile
        from ontologies.read_rdf import ontology_of_triples
        from reasoner.schema import ontology_triples

        return check_profile(ontology_of_triples(ontology_triples(self.store)), self.profile)

    def _translate(self, store: ColumnarStore) -> Translation:
        from ontologies.translation import Translation

        if self.profile == "none":
            return Translation((), ())
        from ontologies.read_rdf import ontology_of_triples
        from ontologies.translate import translate
        from reasoner.schema import schema_triples

        return translate(ontology_of_triples(schema_triples(store)), self.profile)

    def rules(self) -> tuple[Rule, ...]:
        """Return all rules: those of the ontology, one's own, those by which they compare literals by value, and the
        axioms of equality if they are asked for."""
        return self._all_rules(self.translation(), self._user_rules)

    def _all_rules(self, translation: Translation, own: Iterable[Rule]) -> tuple[Rule, ...]:
        from reasoner.equality_axioms import EQUALITY_AXIOMS

        own = tuple(own)
        axioms = EQUALITY_AXIOMS if self.equality == "axiomatise" else ()
        joins = value_joins(own) if self._compares_values(translation) else ()
        return (*translation.rules, *own, *self._value_joins(translation), *joins, *axioms)

    def _value_joins(self, translation: Translation) -> tuple[Rule, ...]:
        """Return the rules by which those of the ontology compare literals by value; the same for one translation."""
        if not self._compares_values(translation):
            return ()
        if self._joins is None or self._joins[0] is not translation:
            self._joins = translation, value_joins_of_profile(translation.rules)
        return self._joins[1]

    def _compares_values(self, translation: Translation | None = None) -> bool:
        """Whether rules take literals of one value for equal."""
        return self.equality != "none" and (translation or self.translation()).value_equality

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
        self._reason_and_judge(progress)
        self._keep()
        self._announce()
        self._summary = self._summarise()
        return self._summary

    @failures_told
    def _reason(self, progress: Watch = lambda _: None) -> None:
        self.prepare()
        assert self._prepared is not None
        began, spent = time.perf_counter(), self.store.clock()
        result = self.store.materialise(self._prepared, value_equality=self._compares_values(), progress=progress)
        self._work = (result.rounds, time.perf_counter() - began)
        self._costs.learn_scratch(self.store.clock() - spent, len(self.store.state.explicit))
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
            self._program = self._encode(self.rules())
        return self._program

    def _encode(self, rules: Iterable[Rule]) -> EncodedProgram:
        from reasoner.program import Terms, encode_program

        terms = Terms(self.store.dictionary.id_of, self.store.dictionary.text)
        return encode_program(rules, terms, equality=self.equality == "rewrite")

    def _changed(self) -> None:
        self._refuse_if_read_only()
        self._note_rules()
        self._translation = self._program = self._prepared = self._maintenance = self._summary = None
        self._up_to_date = False

    def _materialised(self) -> None:
        if not self._up_to_date:
            self._reason_and_judge()
            self._keep()
            self._announce()

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


def _new_store(engine: str, session: object, master: str | None, scratch: str | PathLike[str] | None) -> ColumnarStore:
    _require(engine, ENGINES, "engine")
    if engine == "spark":
        from reasoner.spark.store import SparkStore

        return SparkStore(session, master, scratch=scratch)
    if session is not None or master is not None or scratch is not None:
        raise ReasonerError("a session, a master or a scratch folder is for Spark: choose engine='spark' as well")
    from reasoner.columnar.store import ColumnarStore

    return ColumnarStore()
