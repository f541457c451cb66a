"""What a reasoner is told: triples in and out of its graphs, and what each graph asserts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

from reasoner.constraint_policy import checked_policy
from reasoner.errors import ReasonerError
from reasoner.short_terms import declare
from reasoner.spark.failures import failures_told
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    import pyarrow as pa

    from loaders.load import Loaded, LoadReport
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import Checkpoint, ColumnarStore, Snapshot
    from reasoner.commit_request import CommitRequest
    from reasoner.delta import Delta
    from reasoner.maintenance.program import MaintenanceProgram
    from reasoner.maintenance.transaction import Transaction
    from reasoner.quads import GraphName, TextQuad
    from reasoner.triple_text import Triples

Source = str | PathLike[str]
Watch = Callable[[str], None]

STRATEGIES = ("auto", "bf", "fbf", "dred", "dredc", "counting", "declarative", "rematerialise")

# More statements than this, or than such a part of all explicit facts, are not maintained: to reason over everything
# costs less than to look at what each of them leads to.
_MOST_MAINTAINED = 1 << 18
_LARGE_PART = 4

QUAD_FORMATS = {"nq": "nquads", "nquads": "nquads", "n-quads": "nquads", "trig": "trig"}


def require_strategy(strategy: str, depth: int | None = None) -> None:
    """Refuse a strategy that there is not, and a depth that is none or that the strategy would not use."""
    if strategy not in STRATEGIES:
        raise ReasonerError(f"unknown strategy {strategy!r}: choose one of {', '.join(STRATEGIES)}")
    if depth is None:
        return
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 0:
        raise ReasonerError(
            f"depth={depth!r} is no depth: give a whole number from 0 on, or none for the one that fbf takes by itself"
        )
    if strategy != "fbf":
        raise ReasonerError(f"depth={depth} is for strategy='fbf', not for {strategy}: leave it out, or choose fbf")


class Assertions:
    """The explicit facts of a reasoner, by graph.

    A triple is explicit if the default graph or a named graph asserts it, and the rules know no graphs: everything that
    is asserted anywhere is reasoned over as one. A graph that asserts nothing does not exist.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="none")
    >>> fact = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
    >>> kb.add([fact], graph="<http://e.org/g>"), kb.add([fact], graph="<http://e.org/h>")
    (1, 0)
    >>> kb.graphs()
    {'<http://e.org/g>': 1, '<http://e.org/h>': 1}
    >>> with kb.transaction() as change:
    ...     change.remove(fact, graph="<http://e.org/g>")
    >>> change.delta.asserted_removed, list(kb.triples(graph="<http://e.org/h>")) == [fact]
    ((), True)
    """

    store: ColumnarStore
    load_reports: list[LoadReport]
    prefixes: dict[str, str]

    if TYPE_CHECKING:

        @property
        def answering(self) -> ColumnarStore: ...

        def _materialised(self) -> None: ...

        def _changed(self) -> None: ...

        _up_to_date: bool
        _maintenance: MaintenanceProgram[FactSet, Plans, Representatives] | None

        def _restore(
            self, checkpoint: Checkpoint, maintenance: MaintenanceProgram[FactSet, Plans, Representatives] | None
        ) -> None: ...

        def _commit(self, request: CommitRequest) -> Delta: ...

    @failures_told
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

        A source may also be a graph of rdflib, a DataFrame of pandas or Polars, an Arrow table, or a file of CSV or
        Parquet, with a ``template`` that makes triples of the rows; see ``add_table``. Quads join the graphs that they
        name, or all of them ``graph`` if it is given. On Spark a source may also be an address of any of its file
        systems, such as ``hdfs://host/folder``. Nothing is added if a file is malformed, unless ``skip_errors`` is set;
        then the errors are in the report. Where everything is materialised, a load that is small beside it is
        maintained like a transaction; else all is reasoned over when it is next asked for.
        """
        from loaders.load import load
        from reasoner.columnar.graphs import named_in
        from reasoner.owlready_export import refuse_worlds
        from reasoner.quads import checked_graph

        refuse_worlds(sources)
        others = [source for source in sources if _is_no_document(source)]
        if others:
            documents = [source for source in sources if not _is_no_document(source)]
            how = {"format": format, "base": base, "skip_errors": skip_errors, "progress": progress}
            return self._load_with_tables(documents, others, template, graph, how)
        if template is not None:
            raise ReasonerError("a template is for tables: CSV, Parquet, DataFrames; leave it out for RDF")
        _refuse_triples(sources)
        name, known = checked_graph(graph), len(self.store.dictionary)
        checkpoint = self.store.checkpoint()
        distributed: Any = getattr(self.store, "load", None)
        if distributed is not None:
            report: LoadReport | None = distributed(
                sources, format=format, base=base, skip_errors=skip_errors, graph=name
            )
            if report is not None:
                came = self._few_that_came(report.statements, checkpoint.state)
                if came is not None:
                    self._insert({None: came}, checkpoint)
                else:
                    self._changed()
                self.load_reports.append(report)
                return report
        documents_only: Any = list(sources)
        loaded = load(
            documents_only,
            self.store.dictionary,
            format=format,
            base=base,
            skip_errors=skip_errors,
            progress=lambda state: progress(str(state)),
        )
        if name is None and loaded.g is not None:
            try:
                for id in named_in(loaded.g):
                    checked_graph(self.store.dictionary.text(id))
            except ReasonerError:
                self.store.dictionary.truncate(known)
                raise
        if self._is_insertion(len(loaded)):
            self._insert(self._texts_by_graph(loaded, name), checkpoint)
        else:
            self.store.add_columns(loaded.s, loaded.p, loaded.o, loaded.g if name is None else self.store.id_of(name))
            self._changed()
        declare(self.prefixes, loaded.report.prefixes)
        self.load_reports.append(loaded.report)
        return loaded.report

    def _is_insertion(self, statements: int) -> bool:
        """Tell whether so many statements are maintained: all else is materialised, and they are few beside it."""
        few = min(_MOST_MAINTAINED, len(self.store.state.explicit) // _LARGE_PART)
        return self._up_to_date and statements <= few

    def _few_that_came(self, statements: int, before: Snapshot) -> list[TextTriple] | None:
        """Return what executors have added to the default graph if it is to be maintained; None if it is not."""
        changed: Any = self.store
        if not self._is_insertion(statements) or changed.state.graphs is not before.graphs:
            return None
        found: list[TextTriple] = changed.explicit_since(before)
        return found

    def _texts_by_graph(self, loaded: Loaded, name: GraphName) -> dict[GraphName, list[TextTriple]]:
        """Return what was loaded as the triples of each graph, or all of them as those of a graph with a name."""
        from reasoner.columnar.graphs import named_in

        decode = self.store.dictionary.decode
        rows = (loaded.s, loaded.p, loaded.o)
        if name is not None or loaded.g is None:
            return {name: list(zip(*map(decode, rows), strict=True))}
        graphs = {-1: None, **{id: self.store.dictionary.text(id) for id in named_in(loaded.g)}}
        return {
            graph: list(zip(*(decode(column[loaded.g == id]) for column in rows), strict=True))
            for id, graph in graphs.items()
        }

    def _insert(self, triples: dict[GraphName, list[TextTriple]], checkpoint: Checkpoint) -> None:
        """Add what a load has read as one commit; if that fails, everything is as it was before the load."""
        from reasoner.commit_request import CommitRequest
        from reasoner.quads import WantedQuads

        wanted = WantedQuads()
        for graph, rows in triples.items():
            wanted.add(rows, graph)
        try:
            self.store.state = checkpoint.state
            self._commit(CommitRequest(wanted.request()))
        except BaseException:
            self._restore(checkpoint, self._maintenance)
            raise

    def add_table(self, table: object, template: str | None = None, *, graph: GraphName = None) -> int:
        """Add the triples of a table and return how many are new, all or nothing.

        A table is a DataFrame of pandas or of Polars, a table of Arrow, or the name of a file of CSV or Parquet.
        Without a ``template`` it has columns s, p and o with terms as in N-Triples; a template is Turtle with columns
        in braces, one copy of which every row becomes, without triples whose values are missing (see
        ``loaders.template``).

        >>> import pyarrow as pa
        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> people = pa.table({"id": ["a b", "c"], "age": [61, None]})
        >>> kb.add_table(people, "PREFIX ex: <http://ex.org/> ex:{id} a ex:Person ; ex:age {age} .")
        3
        >>> list(kb.triples())[-1]
        ('<http://ex.org/a%20b>', '<http://ex.org/age>', '"61"^^<http://www.w3.org/2001/XMLSchema#integer>')
        """
        return self.add(self._triples_of_table(table, template), graph=graph)

    def _triples_of_table(self, table: object, template: str | None) -> list[TextTriple]:
        from reasoner.short_terms import declared_in
        from reasoner.table_triples import table_triples

        triples = table_triples(table, template, self.prefixes, self.store.dictionary.new_blank_scope())
        declare(self.prefixes, {} if template is None else declared_in(template.encode()))
        return triples

    def _load_with_tables(
        self, documents: list[Any], others: list[Any], template: str | None, graph: GraphName, how: dict[str, Any]
    ) -> LoadReport:
        """Load tables and graphs of rdflib, and documents beside them; tables are read before anything is added."""
        from time import perf_counter

        from loaders.load import LoadReport
        from loaders.tables import is_table, is_table_file
        from reasoner.triple_text import asserted_triples

        began = perf_counter()
        triples: list[TextTriple] = []
        for source in _each_file(others):
            has_rows = is_table(source) or is_table_file(source)
            triples += self._triples_of_table(source, template) if has_rows else asserted_triples(source)
        if documents:
            self.load(*documents, graph=graph, **how)
        self.add(triples, graph=graph)
        files = sum(isinstance(source, str | PathLike) for source in others)
        report = LoadReport(files, len(triples), perf_counter() - began, names=tuple(map(_name_of, others)))
        self.load_reports.append(report)
        return report

    def add(self, triples: Triples, *, graph: GraphName = None) -> int:
        """Add one explicit fact, or many, to a graph; return how many are new.

        Terms are texts as in N-Triples, or terms of rdflib, and a graph of rdflib is many triples. ``graph`` is a name,
        or None for the default graph; what another graph asserts already is not new. Nothing is added if anything is
        no term, or cannot stand where it does.
        """
        from reasoner.quads import checked_graph
        from reasoner.triple_text import asserted_terms

        return self._add_terms(asserted_terms(triples), checked_graph(graph))

    def _add_terms(self, terms: Sequence[str] | pa.Array, graph: GraphName) -> int:
        """Add facts, given as the checked terms of one after another."""
        columns = self.store.encode_terms(terms)
        added = self.store.add_columns(*columns, None if graph is None else self.store.id_of(graph))
        self._changed()
        return added

    def remove(self, triples: Triples, *, graph: GraphName = "*", strategy: str = "auto") -> Delta:
        """Remove one explicit fact, or many, and return what went with them.

        They leave ``graph``, which is None for the default graph, or every graph if it is not given.
        """
        change = self.transaction(strategy=strategy)
        change.remove(triples, graph=graph)
        return change.commit()

    def transaction(
        self, *, strategy: str = "auto", depth: int | None = None, constraints: str | None = None
    ) -> Transaction:
        """Open a transaction: facts in and out, of which all or none take effect.

        ``constraints`` is what it does about violations that it brings, if not what the reasoner does: ``warn``,
        ``reject`` or ``ignore``.

        ``strategy`` is how the materialisation follows: ``bf`` (look for other proofs of a fact before deleting it),
        ``fbf`` (the same to a given ``depth``), ``dred`` (delete, then derive again), ``dredc`` (the same with counters
        and methods for transitive predicates), ``counting`` (count all derivations; for stores made with
        ``maintenance="counting"``), ``declarative`` (a generated program), ``rematerialise`` (from scratch), or
        ``auto``, which chooses by what it has measured.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner(profile="none")
        >>> kb.add_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> fact = ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")
        >>> with kb.transaction() as change:
        ...     change.add([fact])
        >>> change.delta.inferred_added
        (('<http://e.org/a>', '<http://e.org/q>', '<http://e.org/b>'),)
        """
        from reasoner.commit_request import CommitRequest
        from reasoner.maintenance.transaction import Transaction

        require_strategy(strategy, depth)
        policy = None if constraints is None else checked_policy(constraints)
        return Transaction(lambda quads, rules: self._commit(CommitRequest(quads, rules, strategy, depth, policy)))

    def graphs(self) -> dict[str, int]:
        """Return the names of the named graphs, in order, each with the number of triples that it asserts."""
        graphs = self.store.state.graphs
        return dict(sorted((self.store.dictionary.text(id), graphs.named.size(id)) for id in graphs))

    def quads(self) -> Iterator[TextQuad]:
        """Yield what is asserted: subject, predicate, object and graph, which is None for the default graph."""
        state, text = self.store.state, self.store.dictionary.text
        for id, facts in state.graphs.by_graph(state.explicit):
            name = None if id < 0 else text(id)
            for s, p, o in self.store.texts(facts):
                yield s, p, o, name

    def _triples_in(self, graph: str) -> Iterator[TextTriple]:
        """Return what a graph asserts, or what one of the names of our own stands for."""
        from reasoner.quads import ASSERTED, CLOSURE, INFERRED, OWN, checked_graph

        name, store = checked_graph(graph, pseudo=True), self.store
        if name in (CLOSURE, INFERRED):
            self._materialised()
            store = self.answering
            return store.decoded(store.pieces(inferred_only=name == INFERRED))
        state = store.state
        if name in (ASSERTED, OWN):
            return iter(store.texts(state.explicit if name == ASSERTED else state.graphs.default(state.explicit)))
        id = store.dictionary.lookup(name) if name is not None else None
        return iter(() if id is None else store.texts(state.graphs.graph(id)))

    def write_quads(self, target: Source | BinaryIO, *, format: str = "nquads") -> int:
        """Write what is asserted as N-Quads or TriG and return the count of quads.

        A file is compressed by its extension, and written whole or not at all.
        """
        from loaders.write import write_nquads, write_syntax

        if format not in QUAD_FORMATS:
            raise ReasonerError(f"cannot write quads as {format!r}: choose nquads or trig")
        state = self.store.state
        graphs = ((id, *facts.columns()) for id, facts in state.graphs.by_graph(state.explicit))
        if QUAD_FORMATS[format] == "trig":
            return write_syntax(target, self.store.dictionary, graphs, "trig", self.prefixes)
        return write_nquads(target, self.store.dictionary, graphs)


def _is_no_document(source: object) -> bool:
    """Tell whether a source is no document of RDF, but a table or a graph of rdflib."""
    from loaders.tables import is_table, is_table_file
    from reasoner.triple_text import is_rdflib_graph

    return is_table_file(source) or is_rdflib_graph(source) or is_table(source)


def _each_file(sources: list[Any]) -> Iterator[Any]:
    """Yield sources, and for a pattern the files that it stands for."""
    from loaders.sources import expand_sources

    for source in sources:
        if isinstance(source, str | PathLike):
            yield from (one.path for one in expand_sources(source))
        else:
            yield source


def _name_of(source: object) -> str:
    return str(source) if isinstance(source, str | PathLike) else f"<{type(source).__name__}>"


def _refuse_triples(sources: tuple[object, ...]) -> None:
    for source in sources:
        if not isinstance(source, str | PathLike) and not hasattr(source, "read"):
            raise ReasonerError(
                f"cannot load {type(source).__name__}: load reads files; give triples, or a graph of rdflib, to add"
            )
