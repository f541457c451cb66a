"""What a reasoner is told: triples in and out of its graphs, and what each graph asserts.

Tables give triples too: by three columns that hold terms, or by any columns and a template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

from reasoner.rules.errors import ReasonerError
from reasoner.rules.prefixes import COMMON, declare
from reasoner.spark.platform.failures import failures_told
from reasoner.state.request import CommitRequest
from reasoner.terms.term import TextTriple
from reasoner.terms.triple_text import TermError, checked_triples

if TYPE_CHECKING:
    import pyarrow as pa

    from loaders.load import Loaded, LoadReport
    from loaders.tables import TextTable
    from reasoner.columnar.store import ColumnarStore
    from reasoner.state.draft import Draft
    from reasoner.state.persistence import Persistence
    from reasoner.state.session import KnowledgeBase, Session
    from reasoner.terms.quads import GraphName, TextQuad
    from reasoner.terms.triple_text import Triples

Source = str | PathLike[str]
Watch = Callable[[str], None]

# More statements than this, or than such a part of all explicit facts, are not maintained: to reason over everything
# costs less than to look at what each of them leads to.
_MOST_MAINTAINED = 1 << 18
_LARGE_PART = 4

QUAD_FORMATS = {"nq": "nquads", "nquads": "nquads", "n-quads": "nquads", "trig": "trig"}


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

    def __init__(self, session: Session, persistence: Persistence) -> None:
        self._session = session
        self._persistence = persistence
        self.reports: list[LoadReport] = []

    @failures_told
    def load(
        self,
        sources: Sequence[Source | object],
        *,
        format: str | None,
        base: str | None,
        graph: GraphName,
        template: str | None,
        skip_errors: bool,
        progress: Watch,
    ) -> LoadReport:
        """Add the triples of files, tables and graphs of rdflib to the explicit facts; see ``Reasoner.load``."""
        from reasoner.documents.remote_files import fetched
        from reasoner.terms.quads import checked_graph

        _refuse_worlds(sources)
        how: dict[str, Any] = {"format": format, "base": base, "skip_errors": skip_errors}
        others = [source for source in sources if _is_no_document(source)]
        if others:
            documents = [source for source in sources if not _is_no_document(source)]
            return self._load_with_tables(documents, others, template, graph, {**how, "progress": progress})
        if template is not None:
            raise ReasonerError("a template is for tables: CSV, Parquet, DataFrames; leave it out for RDF")
        _refuse_triples(sources)
        name = checked_graph(graph)
        with self._session.changing() as draft:
            report = self._load_distributed(draft, sources, name, how)
            if report is None:
                with fetched(sources) as documents:
                    watched = {**how, "progress": lambda at: progress(str(at))}
                    report = self._load_documents(draft, documents, name, watched)
        declare(self._persistence.prefixes, report.prefixes)
        self.reports.append(report)
        return report

    def _load_distributed(
        self, draft: Draft, sources: Sequence[object], name: GraphName, how: dict[str, Any]
    ) -> LoadReport | None:
        """Let executors add what files hold; None if that is left to the driver."""
        store: Any = draft.store
        if not hasattr(store, "load"):
            return None
        before = store.state
        report: LoadReport | None = store.load(sources, graph=name, **how)
        if report is not None:
            if self._is_insertion(report.statements) and store.state.graphs is before.graphs:
                came: list[TextTriple] = store.explicit_since(before)
                store.state = before
                self._insert({None: came})
            else:
                draft.begin_anew()
        return report

    def _load_documents(
        self, draft: Draft, sources: Sequence[object], name: GraphName, how: dict[str, Any]
    ) -> LoadReport:
        from loaders.load import load
        from reasoner.columnar.graphs import named_in
        from reasoner.terms.quads import checked_graph

        store = draft.store
        documents: Any = list(sources)
        loaded = load(documents, store.dictionary, **how)
        if name is None and loaded.g is not None:
            for id in named_in(loaded.g):
                checked_graph(store.dictionary.text(id))
        if self._is_insertion(len(loaded)):
            self._insert(_texts_by_graph(store, loaded, name))
        else:
            store.add_columns(loaded.s, loaded.p, loaded.o, loaded.g if name is None else store.id_of(name))
            draft.begin_anew()
        return loaded.report

    def _is_insertion(self, statements: int) -> bool:
        """Tell whether so many statements are maintained: all else is materialised, and they are few beside it."""
        state = self._session.state
        few = min(_MOST_MAINTAINED, len(state.snapshot.explicit) // _LARGE_PART)
        return state.is_materialised and statements <= few

    def _insert(self, triples: dict[GraphName, list[TextTriple]]) -> None:
        """Add what a load has read as one commit."""
        from reasoner.terms.quads import PendingQuads

        wanted = PendingQuads()
        for graph, rows in triples.items():
            wanted.add(rows, graph)
        self._session.commit(CommitRequest(wanted.request()))

    def triples_of_table(self, table: object, template: str | None) -> list[TextTriple]:
        """Return the triples of a table; see ``Reasoner.add_table``."""
        from reasoner.rules.prefixes import declared_in

        prefixes = self._persistence.prefixes
        triples = table_triples(table, template, prefixes, self._session.store.dictionary.new_blank_scope())
        declare(prefixes, {} if template is None else declared_in(template.encode()))
        return triples

    def _load_with_tables(
        self, documents: list[Any], others: list[Any], template: str | None, graph: GraphName, how: dict[str, Any]
    ) -> LoadReport:
        """Load tables and graphs of rdflib, and documents beside them; tables are read before anything is added."""
        from time import perf_counter

        from loaders.load import LoadReport
        from loaders.tables import is_table, is_table_file
        from reasoner.terms.triple_text import asserted_triples

        began = perf_counter()
        triples: list[TextTriple] = []
        for source in _each_file(others):
            has_rows = is_table(source) or is_table_file(source)
            triples += self.triples_of_table(source, template) if has_rows else asserted_triples(source)
        if documents:
            self.load(documents, graph=graph, template=None, **how)
        self.add(triples, graph)
        files = sum(isinstance(source, str | PathLike) for source in others)
        report = LoadReport(files, len(triples), perf_counter() - began, names=tuple(map(_name_of, others)))
        self.reports.append(report)
        return report

    def add(self, triples: Triples, graph: GraphName) -> int:
        """Add explicit facts to a graph; return how many are new."""
        from reasoner.terms.quads import checked_graph
        from reasoner.terms.triple_text import asserted_terms

        return self.add_terms(asserted_terms(triples), checked_graph(graph))

    def add_terms(self, terms: Sequence[str] | pa.Array, graph: GraphName) -> int:
        """Add facts, given as the checked terms of one after another; return how many are new."""
        with self._session.changing() as draft:
            store = draft.store
            columns = store.encode_terms(terms)
            added = store.add_columns(*columns, None if graph is None else store.id_of(graph))
            draft.begin_anew()
        return added

    @property
    def store(self) -> ColumnarStore:
        """The store at the current state: to ask, not to change."""
        return self._session.store

    @property
    def prefixes(self) -> dict[str, str]:
        """What documents call their namespaces."""
        return self._persistence.prefixes

    def graphs(self) -> dict[str, int]:
        """Return the names of the named graphs, in order, each with the number of triples that it asserts."""
        return graph_sizes(self._session.store)

    def quads(self) -> Iterator[TextQuad]:
        """Yield what is asserted: subject, predicate, object and graph, which is None for the default graph."""
        store = self._session.store
        for id, facts in store.state.graphs.by_graph(store.state.explicit):
            name = None if id < 0 else store.dictionary.text(id)
            for s, p, o in store.decoded(store.plain_pieces(facts)):
                yield s, p, o, name

    def write_quads(self, target: Source | BinaryIO, *, format: str) -> int:
        """Write what is asserted as N-Quads or TriG and return the count of quads."""
        from loaders.write import write_nquads, write_syntax
        from reasoner.documents.remote_files import sent

        if format not in QUAD_FORMATS:
            raise ReasonerError(f"cannot write quads as {format!r}: choose nquads or trig")
        store = self._session.store
        graphs = ((id, *facts.columns()) for id, facts in store.state.graphs.by_graph(store.state.explicit))
        with sent(target) as file:
            if QUAD_FORMATS[format] == "trig":
                return write_syntax(file, store.dictionary, graphs, "trig", self._persistence.prefixes)
            return write_nquads(file, store.dictionary, graphs)


def graph_sizes(store: ColumnarStore) -> dict[str, int]:
    """Return the names of the named graphs, in order, each with the number of triples that it asserts."""
    graphs = store.state.graphs
    return dict(sorted((store.dictionary.text(id), graphs.named.size(id)) for id in graphs))


def triples_in(kb: KnowledgeBase, graph: GraphName) -> Iterator[TextTriple]:
    """Return what a graph asserts; pseudo graphs are the default graph, all that is explicit, inferred, or holds."""
    from reasoner.terms.quads import ASSERTED, CLOSURE, INFERRED, OWN, checked_graph

    name = checked_graph(graph, pseudo=True)
    if name in (CLOSURE, INFERRED):
        kb.session.settle()
        store = kb.answering
        return store.decoded(store.pieces(inferred_only=name == INFERRED, reflexive=False))
    store = kb.store
    state = store.state
    if name in (ASSERTED, OWN):
        facts = state.explicit if name == ASSERTED else state.graphs.default(state.explicit)
        return store.decoded(store.plain_pieces(facts))
    id = store.dictionary.lookup(name) if name is not None else None
    return iter(()) if id is None else store.decoded(store.plain_pieces(state.graphs.graph(id)))


def _texts_by_graph(store: ColumnarStore, loaded: Loaded, name: GraphName) -> dict[GraphName, list[TextTriple]]:
    """Return what was loaded as the triples of each graph, or all of them as those of a graph with a name."""
    from reasoner.columnar.graphs import named_in

    decode = store.dictionary.decode
    rows = (loaded.s, loaded.p, loaded.o)
    if name is not None or loaded.g is None:
        return {name: list(zip(*map(decode, rows), strict=True))}
    graphs = {-1: None, **{id: store.dictionary.text(id) for id in named_in(loaded.g)}}
    return {
        graph: list(zip(*(decode(column[loaded.g == id]) for column in rows), strict=True))
        for id, graph in graphs.items()
    }


def _is_no_document(source: object) -> bool:
    """Tell whether a source is no document of RDF, but a table or a graph of rdflib."""
    from loaders.tables import is_table, is_table_file
    from reasoner.terms.triple_text import is_rdflib_graph

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


def _refuse_triples(sources: Sequence[object]) -> None:
    for source in sources:
        if not isinstance(source, str | PathLike) and not hasattr(source, "read"):
            raise ReasonerError(
                f"cannot load {type(source).__name__}: load reads files; give triples, or a graph of rdflib, to add"
            )


def _refuse_worlds(sources: Sequence[object]) -> None:
    """Raise an error that names the way in if one of the sources of a load is a world or an ontology of owlready2."""
    for source in sources:
        if callable(getattr(source, "save", None)) and hasattr(source, "graph"):
            kind = type(source).__name__
            raise ReasonerError(
                f"load reads files and streams, and not a {kind} of owlready2; use load_ontology for it"
            )


_TRIPLE_COLUMNS = (("s", "p", "o"), ("subject", "predicate", "object"))


def table_triples(source: Any, template: str | None, prefixes: Mapping[str, str], scope: str) -> list[TextTriple]:
    """Return the triples of a DataFrame, an Arrow table, or a file of CSV or Parquet, all checked.

    Without a ``template`` the table has columns s, p and o, or subject, predicate and object, with terms as in
    N-Triples. ``prefixes`` and the common ones need not be declared in a template.
    """
    from loaders.tables import TableTemplate, read_table

    table = read_table(source)
    if template is not None:
        read = TableTemplate(template, {**COMMON, **prefixes})
        return checked_triples(read.triples(table, scope))
    return _written_triples(table)


def _written_triples(table: TextTable) -> list[TextTriple]:
    by_name = {name.lower(): name for name in table.columns}
    names = next((names for names in _TRIPLE_COLUMNS if set(names) <= set(by_name)), None)
    if names is None:
        raise ReasonerError(
            f"{table.name} has the columns {', '.join(table.columns)}: give a template that makes triples of them, "
            "such as '<http://e.org/{id}> a <http://e.org/Person>', or columns s, p and o with terms as in N-Triples"
        )
    columns = [table.columns[by_name[name]].texts for name in names]
    for row, triple in enumerate(zip(*columns, strict=True)):
        for name, term in zip(names, triple, strict=True):
            if term is None:
                raise ReasonerError(f"{table.place(row, by_name[name])} is empty; a triple has three terms")
    triples: list[Any] = list(zip(*columns, strict=True))
    try:
        return checked_triples(triples)
    except TermError as error:
        raise ReasonerError(f"{_place_of(table, names, by_name, triples)}: {error}") from error


def _place_of(table: TextTable, names: tuple[str, ...], by_name: Mapping[str, str], triples: list[Any]) -> str:
    """Name the place of the first term that is none, or none for its place."""
    for row, triple in enumerate(triples):
        try:
            checked_triples(triple)
        except TermError as error:
            column = next((name for name, term in zip(names, triple, strict=True) if term == error.term), names[0])
            return table.place(row, by_name[column])
    return table.name
