"""The one class that users meet: load, reason, ask, explain, change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, cast

from loaders.errors import NestingError
from loaders.local_path import local_path
from reasoner.columnar.memory import MemoryLimit
from reasoner.documents.assertions import Assertions, triples_in
from reasoner.explanation.notebook import Classes, Violations
from reasoner.explanation.proof import Violation
from reasoner.rules.errors import ReasonerError
from reasoner.spark.platform.failures import failures_told
from reasoner.state.constraint_policy import ConstraintPolicy, checked_policy
from reasoner.state.persistence import Persistence, open_store
from reasoner.state.request import STRATEGIES as STRATEGIES
from reasoner.state.request import CommitRequest, require_strategy
from reasoner.state.session import Session
from reasoner.state.state import Configuration
from reasoner.terms.term import TextTriple
from reasoner.terms.triple_text import asked_triple

if TYPE_CHECKING:
    from loaders.load import LoadReport
    from ontologies.collector import LeftOut, Translation
    from ontologies.evolution.script import Script
    from ontologies.write_owlready import WriteBack
    from reasoner.columnar.store import ColumnarStore
    from reasoner.documents.ontology_documents import ImportReport
    from reasoner.dynamic.session import DynamicSession
    from reasoner.entailment.questions import EntailmentQuestions
    from reasoner.entailment.result import Entailment
    from reasoner.evolution.journal import Journal, JournalEntry
    from reasoner.evolution.report import Evolution
    from reasoner.explanation.proof import Proof
    from reasoner.export.export import Export
    from reasoner.rules.rule import Rule
    from reasoner.spark.platform.traffic import Statistics
    from reasoner.spark.query.dataframe import DataFrame, SparkSession
    from reasoner.sparql.algebra import Query
    from reasoner.sparql.result import Result
    from reasoner.state.delta import Delta
    from reasoner.state.persistence import Version
    from reasoner.state.state import Summary
    from reasoner.state.transaction import Transaction
    from reasoner.store.vacuum import Vacuumed
    from reasoner.subscriptions.subscription import AnswerChange, Subscription
    from reasoner.subscriptions.view import TriplePatternTuple
    from reasoner.terms.quads import GraphName, TextQuad
    from reasoner.terms.triple_text import Triples

    Folder = str | PathLike[str]

PROFILES = ("owl2rl", "dlp", "rdfs", "lower", "upper", "none")
EQUALITY = ("rewrite", "axiomatise", "none")
MAINTENANCE = ("counting", "dredc")
LITERALS = ("written", "by-value")
ENGINES = ("columnar", "spark")

OWLREADY_NAME = "http://inferred.owl#"

Source = str | PathLike[str]
Watch = Callable[[str], None]


class Reasoner:
    """An RDF store with everything that its ontology entails.

    ``profile`` says how an ontology becomes rules. ``equality`` says how owl:sameAs is treated: by rewriting, by the
    axioms of equality as ordinary rules, or not at all (the default for the RDFS profile, which gives it no meaning).
    ``engine`` is ``columnar`` (in memory) or ``spark``, which uses the given session, the active one, or a new one on
    ``master``. ``scratch`` is a folder for Spark's intermediate files, which all machines of a cluster must share
    (default: REASONER_SCRATCH, or a temporary folder). ``constraints`` says what a commit does about new violations:
    ``warn`` in its delta, ``reject`` the commit, or ``ignore`` them. ``literals`` says how answers show literals: as
    they are ``written``, or ``by-value``, with every spelling of the value in the facts; it can be set at any time.
    ``memory`` limits the memory of the process, in bytes or as ``"4G"`` (default: REASONER_MEMORY, or three quarters
    of the free memory): a join or a closure that would exceed it raises a ``MemoryLimitError`` before it begins.

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
        memory: int | str | None = None,
    ) -> None:
        equality = equality or ("none" if profile == "rdfs" else "rewrite")
        _require(profile, PROFILES, "profile")
        _require(equality, EQUALITY, "equality")
        if maintenance is not None:
            _require(maintenance, MAINTENANCE, "maintenance")
        self.literals = literals
        self.engine = engine
        _require(engine, ENGINES, "engine")
        store = _new_store(engine, session, master, scratch)
        store.axioms = equality == "axiomatise"
        settings, limit = Configuration(profile, equality, modules, maintenance), MemoryLimit.of(memory)
        self._assemble(Session(settings, store, memory=limit), constraints, {})
        self.constraint_policy.stand(self.session.state)

    def _assemble(self, session: Session, constraints: str, prefixes: dict[str, str]) -> None:
        """Put the parts together, which all work on one session."""
        self.session = session
        self.constraint_policy = ConstraintPolicy(constraints)
        self.persistence = Persistence(self.constraint_policy, prefixes)
        self.assertions = Assertions(session, self.persistence)
        self._journal: Journal | None = None
        self.persistence.journal_mark = self._journal_mark
        self._entailment: EntailmentQuestions | None = None
        session.judge, session.keeper = self.constraint_policy, self.persistence
        session.prefixes = prefixes

    def with_session(self, session: Session, *, constraints: str | None = None) -> Self:
        """Return a reasoner for a fork of this one's session; it is in memory only, and shares prefixes and journal.

        ``constraints`` is its policy, if not that of this one.
        """
        kb = type(self).__new__(type(self))
        kb.literals, kb.engine = self.literals, self.engine
        kb._assemble(session, constraints or self.constraints, self.prefixes)
        kb._journal = self._journal
        return kb

    @property
    def profile(self) -> str:
        """How an ontology becomes rules."""
        return self.session.settings.profile

    @property
    def equality(self) -> str:
        """How owl:sameAs is treated."""
        return self.session.settings.equality

    @property
    def modules(self) -> bool:
        """Whether closures of transitive predicates are computed by special methods."""
        return self.session.settings.modules

    @property
    def maintenance(self) -> str | None:
        """The maintenance strategy that the reasoner stores additional data for, if any."""
        return self.session.settings.maintenance

    @property
    def store(self) -> ColumnarStore:
        """The store at the current state, for reading only."""
        return self.session.store

    @property
    def prefixes(self) -> dict[str, str]:
        """The prefixes of loaded documents, for output that people read."""
        return self.persistence.prefixes

    @prefixes.setter
    def prefixes(self, prefixes: dict[str, str]) -> None:
        self.persistence.prefixes = self.session.prefixes = prefixes

    @property
    def load_reports(self) -> list[LoadReport]:
        """The reports of all loads so far."""
        return self.assertions.reports

    def __repr__(self) -> str:
        """Show settings and counts, without reasoning and without a Spark job.

        >>> Reasoner(profile="dlp")
        <Reasoner profile=dlp equality=rewrite engine=columnar: 0 asserted, not materialised>
        """
        settings = f"profile={self.profile} equality={self.equality} engine={self.engine}"
        home, explicit = self.persistence.home, self.session.state.snapshot.explicit
        place = "" if home is None else f", version {self.version} of {home.folder}"
        return f"<Reasoner {settings}: {len(explicit):,} asserted, {self._about_inferred()}{place}>"

    def _about_inferred(self) -> str:
        state = self.session.state
        if not state.is_materialised:
            return "not materialised"
        if state.summary is not None:
            return f"{state.summary.inferred:,} inferred"
        if self.engine == "spark":
            return "materialised"
        return f"{self.store.expansion().count() - len(state.snapshot.explicit):,} inferred"

    @property
    def literals(self) -> str:
        """How answers show literals: as they are ``written``, or ``by-value``."""
        return self._literals

    @literals.setter
    def literals(self, literals: str) -> None:
        _require(literals, LITERALS, "way to give literals")
        self._literals = literals

    @property
    def constraints(self) -> str:
        """What commits do about new violations: ``warn``, ``reject`` or ``ignore``; a store on disk keeps it."""
        return self.constraint_policy.policy

    @constraints.setter
    def constraints(self, policy: str) -> None:
        self.constraint_policy.change(policy, self.session)

    @classmethod
    def open(
        cls,
        folder: str | PathLike[str],
        *,
        create: bool = False,
        read_only: bool = False,
        version: int | None = None,
        profile: str | None = None,
        equality: str | None = None,
        modules: bool | None = None,
        maintenance: str | None = None,
        constraints: str | None = None,
        literals: str = "written",
        engine: str = "columnar",
        session: object = None,
        master: str | None = None,
        scratch: str | PathLike[str] | None = None,
        memory: int | str | None = None,
    ) -> Self:
        """Open a store on disk; every commit is then a new version of it, on disk before the commit returns.

        ``create`` makes a new store with the given settings if there is none; an existing store keeps its settings.
        One process writes at a time, and any number may read: with ``read_only``, or an earlier ``version``, nothing is
        written. The additions of ``add``, ``load`` and ``add_rules`` are saved when they are next reasoned over, at the
        latest by ``close``. Opening needs no reasoning. ``constraints`` is a policy for this opening only; a store
        keeps the one that it was created with, or that was set later (``kb.constraints = ...``). ``literals``,
        ``engine``, ``session``, ``master``, ``scratch`` and ``memory`` are those of ``Reasoner``; on a cluster the
        scratch folder is beside the store by default. Each engine opens stores that the other has written.

        >>> from tempfile import TemporaryDirectory
        >>> from reasoner import Reasoner
        >>> fact = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
        >>> with TemporaryDirectory() as folder:
        ...     with Reasoner.open(folder, create=True, profile="none") as kb:
        ...         kb.add([fact])
        ...     with Reasoner.open(folder) as kb:
        ...         kb.version, list(kb.triples()) == [fact]
        1
        (2, True)
        """
        given = {"profile": profile, "equality": equality, "modules": modules, "maintenance": maintenance}
        place = {"literals": literals, "engine": engine, "session": session, "master": master, "scratch": scratch}
        return open_store(
            cls,
            folder,
            create=create,
            read_only=read_only,
            version=version,
            given={**given, "constraints": constraints},
            place={**place, "memory": memory},
        )

    def save(self, folder: str | PathLike[str]) -> None:
        """Write a copy to a new store in a folder; the reasoner itself stays where it is."""
        self.persistence.save(self.session, folder)

    def close(self) -> None:
        """Save pending additions, and let other processes write to the store; queries are still possible."""
        self.persistence.close(self.session)

    def remove_store(self) -> None:
        """Remove the store on disk, with all versions and files, and continue in memory only."""
        self.persistence.remove_store(self.session)

    def detach(self) -> None:
        """Continue in memory only: later changes are not saved, and other processes may write to the store on disk."""
        self.persistence.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            if self.persistence.home is not None:
                self.persistence.home.close()

    @property
    def version(self) -> int | None:
        """The version on disk that the reasoner has last written or read; None if it is in memory only."""
        return self.persistence.version

    def versions(self) -> list[Version]:
        """Return the versions that can be opened, oldest first."""
        return self.persistence.versions()

    def vacuum(self, *, keep: int = 1) -> Vacuumed:
        """Remove all but the last ``keep`` versions and the files that only they needed; return what was removed."""
        return self.persistence.vacuum(self.session, keep)

    def load(
        self,
        *sources: Source | object,
        format: str | None = None,
        base: str | None = None,
        graph: GraphName = None,
        template: str | None = None,
        skip_errors: bool = False,
        progress: Watch = lambda _: None,
    ) -> LoadReport:
        """Add the triples of files, globs, folders or ``-`` (standard input) to the explicit facts.

        A source may also be an rdflib graph, a DataFrame of pandas or Polars, an Arrow table, or a CSV or Parquet file
        with a ``template`` that turns rows into triples (see ``add_table``). A source may also be a URL of S3 or HDFS,
        and on Spark of any of its file systems. Quads are added to the graphs that they name, or all to ``graph`` if it
        is given. Nothing is added if a file is malformed, unless ``skip_errors`` is set; then the report lists the
        errors. A small load into a materialised store is maintained like a transaction; otherwise the next query
        reasons over everything.
        """
        return self.assertions.load(
            sources,
            format=format,
            base=base,
            graph=graph,
            template=template,
            skip_errors=skip_errors,
            progress=progress,
        )

    def add_table(self, table: object, template: str | None = None, *, graph: GraphName = None) -> int:
        """Add the triples of a table, all or none, and return how many are new.

        A table is a DataFrame of pandas or Polars, an Arrow table, or the name of a CSV or Parquet file. A ``template``
        is Turtle with column names in braces; every row fills in a copy of it, and triples with missing values are left
        out (see ``loaders.tables``). Without a template, the table has columns s, p and o with terms as in N-Triples.

        >>> import pyarrow as pa
        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> people = pa.table({"id": ["a b", "c"], "age": [61, None]})
        >>> kb.add_table(people, "PREFIX ex: <http://ex.org/> ex:{id} a ex:Person ; ex:age {age} .")
        3
        >>> list(kb.triples())[-1]
        ('<http://ex.org/a%20b>', '<http://ex.org/age>', '"61"^^<http://www.w3.org/2001/XMLSchema#integer>')
        """
        return self.add(self.assertions.triples_of_table(table, template), graph=graph)

    def add(self, triples: Triples, *, graph: GraphName = None) -> int:
        """Add one explicit fact, or many, to a graph; return how many are new.

        Terms are N-Triples texts or rdflib terms; an rdflib graph stands for all its triples. ``graph`` is a name, or
        None for the default graph. A triple that another graph asserts already is not new. Nothing is added if a term
        is invalid or not allowed in its position.
        """
        return self.assertions.add(triples, graph)

    def remove(self, triples: Triples, *, graph: GraphName = "*", strategy: str = "auto") -> Delta:
        """Remove one explicit fact, or many, and return all changes.

        They are removed from ``graph`` (None is the default graph), or from every graph if it is not given.
        """
        change = self.transaction(strategy=strategy)
        change.remove(triples, graph=graph)
        return change.commit()

    def transaction(
        self, *, strategy: str = "auto", depth: int | None = None, constraints: str | None = None
    ) -> Transaction:
        """Open a transaction, which adds and removes facts and rules, completely or not at all.

        ``constraints`` says what it does about new violations, if not the same as the reasoner: ``warn``, ``reject`` or
        ``ignore``.

        ``strategy`` is the algorithm that updates inferred facts: ``bf`` (look for another proof of a fact before
        deleting it), ``fbf`` (the same to a given ``depth``), ``dred`` (delete, then derive again), ``dredc`` (the same
        with counters and methods for transitive predicates), ``counting`` (count all derivations; for stores made with
        ``maintenance="counting"``), ``declarative`` (a generated program), ``rematerialise`` (from scratch), or
        ``auto``, which chooses by measured cost.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> fact = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
        >>> with kb.transaction() as change:
        ...     change.add([fact])
        >>> change.delta.inferred_added
        (('<http://e.org/a>', '<http://e.org/q>', '<http://e.org/b>'),)
        """
        from reasoner.state.transaction import Transaction

        require_strategy(strategy, depth)
        policy, session = None if constraints is None else checked_policy(constraints), self.session
        return Transaction(lambda quads, rules: session.commit(CommitRequest(quads, rules, strategy, depth, policy)))

    def update(
        self, text: str, *, strategy: str = "auto", base: str | None = None, prefixes: Mapping[str, str] | None = None
    ) -> Delta:
        """Apply a SPARQL 1.1 Update, completely or not at all; return all changes. See ``reasoner.requests.update``.

        The prefixes of the store need not be declared. Without a ``base``, relative IRIs are refused.

        >>> kb = Reasoner(profile="none")
        >>> kb.update("INSERT DATA { <http://e.org/a> <http://e.org/p> 1 }").counts.asserted_added
        1
        """
        from reasoner.requests import update

        prefixes = self.prefixes if prefixes is None else prefixes
        return update(self, text, strategy=strategy, base=base, prefixes=prefixes)

    def dynamic(self, *, strategy: str = "auto") -> DynamicSession[Self]:
        """Open a session for updates that may arrive while earlier ones run; readers see the last complete commit."""
        from reasoner.dynamic.session import DynamicSession

        return DynamicSession(self, strategy)

    def graphs(self) -> dict[str, int]:
        """Return the names of the named graphs, in order, each with the number of triples that it asserts."""
        return self.assertions.graphs()

    def quads(self) -> Iterator[TextQuad]:
        """Yield the asserted quads: subject, predicate, object and graph, which is None for the default graph."""
        return self.assertions.quads()

    def write_quads(self, target: Source | BinaryIO, *, format: str = "nquads") -> int:
        """Write the asserted quads as N-Quads or TriG and return how many there are.

        A file is compressed by its extension, and written whole or not at all; it may be a URL of S3 or HDFS.
        """
        return self.assertions.write_quads(target, format=format)

    def load_ontology(
        self,
        source: Folder | object,
        *,
        format: str | None = None,
        base: str | None = None,
        graph: str | None = None,
        imports: Iterable[Folder] = (),
    ) -> ImportReport:
        """Add an ontology: any RDF syntax, OWL/XML, functional syntax, a graph of rdflib, or an owlready2 world.

        Its triples become explicit facts of ``graph``, and the profile turns them into rules. Imported documents are
        added too, and their imports, if they are found in the folders ``imports`` or by a ``catalog-v001.xml`` there or
        beside the ontology. Nothing is downloaded, and nothing is added if a document is malformed.
        """
        from reasoner.documents.ontology_documents import load_ontology

        return load_ontology(self.assertions, source, format=format, base=base, graph=graph, imports=imports)

    def follow_imports(
        self, folders: Iterable[Folder], *, beside: Iterable[Folder] = (), graph: str | None = None
    ) -> ImportReport:
        """Add the missing imports of the ontologies in the store, found as by ``load_ontology``.

        ``beside`` are further folders whose catalogs are used, such as that of the importing file.
        """
        from reasoner.documents.ontology_documents import follow_imports

        return follow_imports(self.assertions, folders, beside, graph)

    def add_rules(self, rules: str | Iterable[Rule], *, file: str = "<text>") -> None:
        """Add user rules, as text or as ``Rule`` objects.

        A materialised store is updated at once; otherwise the rules wait for ``materialise``.
        """
        from reasoner.state.request import RuleRequest, rules_of

        given = rules_of(rules, file=file)
        if self.is_materialised:
            self.session.commit(CommitRequest(rules=RuleRequest(added=given)))
            return
        with self.session.changing() as draft:
            draft.put(user_rules=(*draft.state.user_rules, *given))
            draft.begin_anew()

    def load_rules(self, path: str | PathLike[str]) -> None:
        """Add the rules of a file."""
        self.add_rules(local_path(path).read_text(encoding="utf-8"), file=str(path))

    def remove_rules(self, rules: str | Iterable[Rule], *, file: str = "<text>", strategy: str = "auto") -> Delta:
        """Remove user rules, given as text or as ``Rule`` objects, and return all changes.

        Rules are compared by head and body; their names, and the names of variables, do not matter.
        """
        from reasoner.state.request import RuleRequest, rules_of

        going = RuleRequest(removed=rules_of(rules, file=file))
        return self.session.commit(CommitRequest(rules=going, strategy=strategy))

    def own_rules(self) -> tuple[Rule, ...]:
        """Return the user rules, without those of the ontology."""
        return self.session.state.user_rules

    def rules(self) -> tuple[Rule, ...]:
        """Return all rules: those of the ontology, user rules, those that compare literals by value, and the axioms of
        equality if these are ordinary rules."""
        return self.session.rules()

    def translation(self) -> Translation:
        """Return the rules of the ontology under the profile, and the axioms that the profile cannot express."""
        return self.session.translation()

    def outside_profile(self) -> list[LeftOut]:
        """Return the axioms outside the profile, with the reasons, as ``reasoner profile`` lists them for a file."""
        from ontologies.profile import check_profile
        from ontologies.read_rdf import ontology_of_triples
        from reasoner.state.rule_change import ontology_triples

        return check_profile(ontology_of_triples(ontology_triples(self.store)), self.profile)

    def maintenance_rules(self, change: Transaction | None = None) -> tuple[Rule, ...]:
        """Return rules that compute how a change of facts and rules changes the closure; nothing is changed.

        ``change`` is an open transaction, and the rules are for that change. Without it, they are for every change of
        facts that introduces no new predicates or classes, neither asserted nor inferred.
        ``reasoner.maintenance.unfolding`` describes the input and the output of the evaluation. To these rules,
        owl:sameAs is an ordinary predicate.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner("none")
        >>> kb.add_rules("[q] ?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> change = kb.transaction()
        >>> change.add(("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>"))
        >>> next(rule.head.predicate for rule in kb.maintenance_rules(change) if rule.name == "theta-plus/q")
        '<urn:x-maintenance:plus:http://e.org/q>'
        """
        if change is not None:
            # What is compiled is kept, and so are the ids of its terms.
            self.session.prepare()
        return self.session.maintenance_rules(None if change is None else change.requested)

    def prepare(self) -> None:
        """Translate the ontology, and stratify and compile all rules; otherwise ``materialise`` does so."""
        self.session.prepare()

    def materialise(self, progress: Watch = lambda _: None) -> Summary:
        """Compute what the explicit facts and the rules entail."""
        self.session.materialise(progress)
        return self.session.summary()

    @property
    def is_materialised(self) -> bool:
        """Whether everything that follows is computed, so that queries need no reasoning."""
        return self.session.state.is_materialised

    def summary(self) -> Summary:
        """Materialise the store if necessary, and return its counts and the times of that."""
        self.session.settle()
        return self.session.summary()

    def triples(
        self, *, inferred_only: bool = False, reflexive: bool = False, graph: str | None = None
    ) -> Iterator[TextTriple]:
        """Yield the closure: every asserted and inferred fact, for every equal name.

        Literals are as they were written, unless ``literals`` is ``by-value``. The equality of a term with itself is
        included only if it was asserted; ``reflexive`` adds c owl:sameAs c for every term c. No literal is ever a
        subject. With the name of a ``graph``, yield the triples that this graph asserts instead.
        """
        if graph is not None:
            return triples_in(self, graph)
        store = self._settled()
        return store.decoded(store.pieces(inferred_only=inferred_only, reflexive=reflexive))

    @property
    def answering(self) -> ColumnarStore:
        """The store as it is asked: with literals as they are written, or with all of one value, by ``literals``."""
        return self.store if self.literals == "written" else self.store.by_value()

    def _settled(self) -> ColumnarStore:
        """Return the store that answers, once everything is materialised."""
        self.session.settle()
        return self.answering

    def normal_triples(self) -> Iterator[TextTriple]:
        """Yield the stored facts, which are over representatives."""
        self.session.settle()
        return self.store.normal_triples()

    def write(
        self,
        target: Source | BinaryIO,
        *,
        inferred_only: bool = False,
        reflexive: bool = False,
        format: str | None = None,
    ) -> int:
        """Write the closure and return how many triples it has; ``format`` nq or trig writes the asserted quads.

        ``format`` is nt, ttl, rdf (RDF/XML), jsonld, nq or trig. Without it, the extension of the file decides, and
        other files are N-Triples; a closure in a file named .nq or .trig has its asserted triples in their graphs.
        A file is compressed by its extension, and written whole or not at all; it may be a URL of S3 or HDFS.
        """
        from reasoner.documents.dump import dump, format_named, format_of_name
        from reasoner.documents.remote_files import sent

        chosen = format_named(format) if format else format_of_name(target)
        if format is not None and chosen in ("nq", "trig"):
            return self.write_quads(target, format=chosen)
        self.session.settle()
        with sent(target) as file:
            if chosen != "nt":
                part = "inferred" if inferred_only else "closure"
                return dump(self, file, format=chosen, part=part, reflexive=reflexive)
            return self.answering.write(file, inferred_only=inferred_only, reflexive=reflexive)

    def classes(self) -> list[tuple[str, ...]]:
        """Return the classes of two or more equal terms, each with its representative first."""
        self.session.settle()
        return Classes((tuple(members) for members in self.store.classes()), self.prefixes)

    def violations(self, *, most: int = 1000) -> list[Violation]:
        """Return the matches of constraints, at most ``most`` of each; none means consistent."""
        found, explainer = self.session.violations(most), self.session.explainer()
        return Violations((replace(violation, explainer=explainer) for violation in found), self.prefixes)

    def select(
        self, patterns: str, variables: Sequence[str] | None = None, *, reflexive: bool = False
    ) -> list[dict[str, str]]:
        """Return the distinct answers to triple patterns, such as ``?x a <C>, ?x <p> ?y``.

        Patterns may be negated with ``not`` and filtered with the builtins of rules; ``PREFIX`` lines may come first.
        They match the triples that ``triples`` yields, like those of ``query``.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
        1
        >>> kb.select("PREFIX e: <http://e.org/> e:a e:p ?y")
        [{'y': '<http://e.org/b>'}]
        """
        from reasoner.state.rule_patterns import select

        return select(self._settled(), patterns, variables, reflexive=reflexive)

    def query(
        self,
        text: str,
        *,
        expand: bool = True,
        timeout: float | None = None,
        prefixes: Mapping[str, str] | None = None,
        terms: str = "rdflib",
    ) -> Result:
        """Answer a SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE.

        Each of several equal terms gets its own answer, unless ``expand`` is off. A query is stopped after ``timeout``
        seconds. It can use ``prefixes``, by default those of the store, without declaring them. Rows hold rdflib
        terms, or texts with ``terms="text"``.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
        1
        >>> [str(row.y) for row in kb.query("SELECT ?y { ?x <http://e.org/p> ?y }")]
        ['http://e.org/b']
        """
        from reasoner.requests import query
        from reasoner.rules.prefixes import declared_in

        self.session.settle()
        try:
            known = self.prefixes if prefixes is None else prefixes
            result = failures_told(query)(self, text, expand=expand, timeout=timeout, prefixes=known, terms=terms)
        except RecursionError:
            raise NestingError("the query") from None
        result.prefixes = {**self.prefixes, **declared_in(text.encode())}
        return result

    def explain(self, triple: Triples) -> Proof | None:
        """Return a proof of a triple from explicit facts, whose steps are rule instances; None if it does not hold."""
        from reasoner.explanation.explain import explain

        asked = asked_triple(triple)
        self.session.settle()
        proof = explain(self.store.proofs(), self.session.program(), asked)
        return proof and replace(proof, prefixes=self.prefixes)

    def explanations(self, triple: Triples, *, most: int = 5) -> Iterator[Proof]:
        """Yield different proofs of a triple, the shortest first."""
        from reasoner.explanation.explain import explanations

        asked = asked_triple(triple)
        self.session.settle()
        found = explanations(self.store.proofs(), self.session.program(), asked, most)
        return (replace(proof, prefixes=self.prefixes) for proof in found)

    def entails(
        self,
        graph: Any,
        *,
        semantics: str = "rdf",
        format: str | None = None,
        base: str | None = None,
        patience: float = 10.0,
    ) -> Entailment:
        """Decide whether a whole graph follows, and why, part by part.

        ``graph`` is a path, a text (Turtle unless ``format`` names another syntax), triples, a graph of rdflib, an
        ontology, an owlready2 world, or another reasoner. A blank node means that something exists; axioms are
        tested on new individuals, which are never added to the store. The answer can be used as a truth value. A yes is
        always right; a no means that the rules cannot derive the conclusion.

        Under the ``rdf`` (RDF-Based) semantics of OWL 2, annotations and declarations are ordinary triples; under the
        ``direct`` semantics they are ignored. If the premises go beyond OWL 2 RL, existential and disjunctive axioms
        are considered as well, for about ``patience`` seconds.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner()
        >>> sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
        >>> kb.add([("<urn:Cat>", sub, "<urn:Pet>"), ("<urn:Pet>", sub, "<urn:Animal>")])
        2
        >>> bool(kb.entails(f"<urn:Cat> {sub} <urn:Animal> .")), bool(kb.entails(f"<urn:Pet> {sub} <urn:Cat> ."))
        (True, False)
        """
        asked = graph.session if isinstance(graph, Reasoner) else graph
        return self._entailment_questions().entails(
            asked, semantics=semantics, format=format, base=base, patience=patience
        )

    def inconsistency(self, *, patience: float = 0.0) -> str:
        """Return a reason why the store is inconsistent, one violation of a constraint; empty if none is found.

        With ``patience``, in seconds, also search for contradictions with existential and disjunctive axioms, which
        OWL 2 RL has no rules for.
        """
        return self._entailment_questions().inconsistency(patience=patience)

    def is_consistent(self, *, patience: float = 0.0) -> bool:
        """Return whether no inconsistency is found; see ``inconsistency``."""
        return not self.inconsistency(patience=patience)

    def _entailment_questions(self) -> EntailmentQuestions:
        if self._entailment is None:
            from reasoner.entailment.questions import EntailmentQuestions

            self._entailment = EntailmentQuestions(self.session)
        return self._entailment

    def subscribe(
        self,
        query: str | TriplePatternTuple | Query,
        callback: Callable[[AnswerChange], object] | None = None,
        *,
        initial: bool = False,
        limit: int | None = None,
        prefixes: Mapping[str, str] | None = None,
    ) -> Subscription:
        """Report the answers that every commit adds to a query and removes from it.

        ``query`` is SELECT or ASK in SPARQL, a group in braces, patterns as in ``select``, one triple with None as
        a wildcard, or a view that ``view_of`` made of one of these. Answers are distinct and over the closure, with all
        equal names. Changes are delivered exactly once and in the order of commits, before the commit returns; a commit
        that fails, or changes no answer, delivers nothing.
        An error of a callback is logged and breaks nothing. Without a callback, changes wait in a queue of at most
        ``limit``. With ``initial``, the answers there are come first, as added.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> with kb.subscribe("?x <http://e.org/q> ?y") as changes:
        ...     with kb.transaction() as change:
        ...         change.add(("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>"))
        ...     changes.get().added
        (('<http://e.org/a>', '<http://e.org/b>'),)
        """
        from reasoner.subscriptions.subscription import subscribe

        return subscribe(self.session, query, callback, initial=initial, limit=limit, prefixes=prefixes)

    def export(
        self, target: str | PathLike[str], *, format: str | None = None, terms: str = "text", attach: bool = False
    ) -> Export:
        """Write the closure to a database: a table for every class and property; return the export.

        ``format`` is sqlite, duckdb or parquet (a folder of files), by the name of the target if it is not given. With
        ``terms="ids"``, tables hold ids, and the table ``terms`` maps them to terms. An export of the same version of a
        store on disk is left as it is, one of an earlier version that still exists is updated with the differences, and
        any other is written from scratch. ``Export.refresh`` updates it; with ``attach``, every commit does so until
        ``Export.close``.

        >>> import sqlite3
        >>> from tempfile import TemporaryDirectory
        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add([("<http://e.org/a>", "<http://e.org/age>", '"7"^^<http://www.w3.org/2001/XMLSchema#integer>')])
        1
        >>> with TemporaryDirectory() as folder:
        ...     kb.export(f"{folder}/out.sqlite").close()
        ...     file = sqlite3.connect(f"{folder}/out.sqlite")
        ...     file.execute("SELECT * FROM property_age").fetchall()
        ...     file.close()
        [('<http://e.org/a>', 7)]
        """
        from reasoner.export.export import export

        return export(self.session, self.persistence, local_path(target), format, terms, attach=attach)

    def write_to_owlready(
        self, place: Any, *, name: str = OWLREADY_NAME, annotations: bool = False, delta: Delta | None = None
    ) -> WriteBack:
        """Write the inferred facts into an ontology of an owlready2 world, where its Python objects show them.

        ``place`` is a world, in which the ontology is called ``name``, or an ontology that is to hold inferences and
        nothing else. Written are types, values of properties, equalities, and the hierarchy of named classes and of
        properties; classes that are subclasses of one another are written as equivalent. What is there and no longer
        inferred goes, so that writing twice changes nothing. With the ``delta`` of a transaction only what it changed
        is looked at. Values of annotation properties, which equality spreads, are written with ``annotations`` only.
        """
        from reasoner.documents.ontology_documents import write_to_owlready

        return write_to_owlready(self, place, name, annotations=annotations, delta=delta)

    def evolve(
        self,
        script: str | PathLike[str] | Script,
        *,
        dry_run: bool = False,
        steps: list[str] | None = None,
        allow_inconsistent: bool = False,
        explain: bool = True,
        strategy: str = "auto",
        while_rehearsing: Callable[[], None] = lambda: None,
    ) -> Evolution:
        """Apply an evolution script, every step as one transaction, and return a report.

        ``script`` is a path, the text of a script, or a parsed one; ``steps`` names the steps to apply (default: all).
        The script is rehearsed first: an error anywhere in it, or a violation that it would cause, leaves the store
        unchanged. With ``allow_inconsistent``, violations are reported and accepted, and an error in a later step
        leaves the earlier ones applied. ``dry_run`` only rehearses. The first violations of a rehearsal can be
        explained later, unless ``explain`` is off, which saves the time of finding proofs. Every applied step is
        recorded with its inverse; ``undo_evolutions`` undoes the last ones. ``while_rehearsing`` is called between the
        rounds of a rehearsal, and may stop it by raising an error.
        """
        from reasoner.evolution.evolving import EvolutionRequest, evolve

        asked = EvolutionRequest(dry_run, allow_inconsistent, explain, strategy, while_rehearsing)
        return evolve(self, self.evolution_journal(), script, steps, asked)

    def undo_evolutions(
        self,
        last: int = 1,
        *,
        dry_run: bool = False,
        allow_inconsistent: bool = False,
        explain: bool = True,
        strategy: str = "auto",
        while_rehearsing: Callable[[], None] = lambda: None,
    ) -> Evolution:
        """Undo the last applied steps exactly, by the inverse changes of facts and rules.

        An undo is rehearsed, checked and reported like a script of ``evolve``, because newer facts may contradict what
        it restores.
        """
        from reasoner.evolution.evolving import EvolutionRequest, undo

        asked = EvolutionRequest(dry_run, allow_inconsistent, explain, strategy, while_rehearsing)
        return undo(self, self.evolution_journal(), last, asked)

    def undo_evolution(self, *, allow_inconsistent: bool = False, strategy: str = "auto") -> JournalEntry:
        """Undo the last applied step as ``undo_evolutions`` does, and return its record."""
        with self.session.lock:
            recorded = self.evolutions()
            self.undo_evolutions(allow_inconsistent=allow_inconsistent, strategy=strategy)
            return recorded[-1]

    def evolutions(self) -> list[JournalEntry]:
        """Return the steps that were applied and not undone, the oldest first."""
        return self.evolution_journal().standing(self)

    def evolution_journal(self) -> Journal:
        """Return the journal of applied steps: a file in the folder of a store on disk, else a list in memory."""
        from reasoner.evolution.journal import FILE, Journal

        if self._journal is None:
            home = self.persistence.home
            self._journal = Journal() if home is None else Journal(home.folder / FILE, home.manifest.journal)
        return self._journal

    def _journal_mark(self) -> tuple[int, int] | None:
        """Return how far the journal goes; None if no step was ever recorded."""
        home = self.persistence.home
        known = None if home is None else home.manifest.journal
        if self._journal is None and known is None:
            return None
        mark = self.evolution_journal().mark()
        return mark if any(mark) or known else None

    def keep_evolutions_in(self, journal: str | PathLike[str] | Journal) -> None:
        """Record applied steps in a file or a given journal, for a store that is in memory only."""
        from reasoner.evolution.journal import Journal

        if self.persistence.home is not None:
            raise ReasonerError("a store on disk keeps its evolutions in its own folder; name no other file")
        self._journal = journal if isinstance(journal, Journal) else Journal(local_path(journal))

    @failures_told
    def dataframe(
        self,
        pattern: str = "?s ?p ?o",
        *,
        cls: str | None = None,
        property: str | None = None,
        terms: str = "plain",
        details: bool = False,
        typed: bool = True,
        prefixes: Mapping[str, str] | None = None,
        session: SparkSession | None = None,
    ) -> DataFrame:
        """Return asserted and inferred triples as a lazy Spark DataFrame.

        The pattern of all triples gives the columns subject, predicate and object. ``cls`` (an IRI) gives the members
        of a class, in the column subject. ``property`` (an IRI) gives the columns subject and object, with objects as
        numbers, dates or booleans if all are literals of one datatype, unless ``typed`` is off. Any other pattern, or a
        SELECT, gives a column for each variable. Each of several equal terms has its own rows.

        ``terms`` are ``plain`` (IRIs without brackets, literals without quotes), N-Triples ``text``, or ``ids``. With
        ``details`` the columns object_type, object_lang and object_datatype tell what an object is.
        """
        from reasoner.spark.query.dataframe import dataframe

        how: dict[str, Any] = {"terms": terms, "details": details, "typed": typed, "prefixes": prefixes}
        return dataframe(self._settled, pattern, cls=cls, property=property, session=session, **how)

    @property
    def statistics(self) -> Statistics:
        """The number of Spark jobs so far, and of rows that reached the driver; zeros without Spark.

        Subtract earlier statistics to see the cost of an operation.
        """
        from reasoner.spark.platform.traffic import Statistics

        traffic = getattr(self.store, "traffic", None)
        return Statistics() if traffic is None else cast(Statistics, traffic.statistics)

    def follow(
        self,
        stream: DataFrame,
        *,
        name: str = "stream",
        format: str = "ntriples",
        checkpoint: str | None = None,
        graph: str | None = None,
        trigger: Mapping[str, Any] | None = None,
        strategy: str = "auto",
    ) -> Any:
        """Commit every micro-batch of a stream as one transaction, exactly once; return Spark's streaming query.

        ``stream`` has a column value of text: lines of N-Triples that are added to ``graph``, or with ``format`` patch
        RDF Patches. Each commit records the number of its batch, under the ``name`` of the stream: a batch that Spark
        sends again after a crash is skipped. ``checkpoint`` is the folder where Spark records the progress of the
        stream; a name must keep the checkpoint that it started with. ``trigger`` is Spark's, such as
        ``{"availableNow": True}``.
        """
        from reasoner.spark.streaming.following import Following

        return Following(self.session, name, format, graph, strategy).start(stream, checkpoint, trigger)

    def followed(self) -> dict[str, int]:
        """Return the streams that this reasoner has followed, each with its last batch."""
        return {name: progress.batch for name, progress in self.session.state.streams.items()}


def _require(value: str, known: Sequence[str], what: str) -> None:
    if value not in known:
        raise ReasonerError(f"unknown {what} {value!r}: choose one of {', '.join(known)}")


def _new_store(engine: str, session: object, master: str | None, scratch: str | PathLike[str] | None) -> ColumnarStore:
    """Return an empty store of an engine."""
    if engine == "spark":
        from reasoner.spark.store import SparkStore

        return SparkStore(session, master, scratch=scratch)
    if session is not None or master is not None or scratch is not None:
        raise ReasonerError("a session, a master or a scratch folder is for Spark: choose engine='spark' as well")
    from reasoner.columnar.store import ColumnarStore

    return ColumnarStore()
