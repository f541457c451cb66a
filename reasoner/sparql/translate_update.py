"""The text of an update to operations (19.8, [29]-[52]), with the rules that the grammar cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loaders.errors import nesting_refused
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.algebra import Bgp, GraphPattern, Join, Node, Project, Term, TriplePattern, balanced, visible
from reasoner.sparql.operation import (
    Clear,
    Create,
    Load,
    Modify,
    Operation,
    QuadTemplate,
    Transfer,
    refuse_relative_iris,
)
from reasoner.sparql.tokens import Names, Tokens
from reasoner.sparql.translate import QueryTranslator, as_triple
from reasoner.terms.quads import checked_graph

_OPERATIONS = ("INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY")


@nesting_refused("the update")
def translate_update(
    text: str, *, base: str | None = None, prefixes: Mapping[str, str] | None = None
) -> tuple[Operation, ...]:
    """Translate the text of an update; what is declared before an operation holds for the later ones too.

    An operation that would change a graph that cannot be changed is an error, or is left out if it is SILENT. One that
    would store a relative IRI is an error without a ``base``; the empty one leaves such IRIs as they are.
    """
    tokens = Tokens(text, "update")
    names = Names(tokens, base or "", prefixes or {})
    translator = _UpdateTranslator(tokens, names)
    found: list[_Checked] = []
    names.declarations()
    while tokens.kind != "end":
        found.append(translator.operation())
        if not tokens.take(";"):
            break
        names.declarations()
    if tokens.kind != "end":
        raise tokens.unexpected(";", "end")
    # Only now: a mistake in the text is told first, wherever it is.
    operations = tuple(checked.operation for checked in found if checked.is_possible())
    if base is None:
        refuse_relative_iris(operations)
    return operations


@dataclass(frozen=True, slots=True)
class _Checked:
    """An operation with the graphs that it would change."""

    operation: Operation
    graphs: tuple[str, ...] = ()
    silent: bool = False

    def is_possible(self) -> bool:
        """Tell whether all the graphs can be changed; if not, that is an error unless the operation is silent."""
        try:
            for graph in self.graphs:
                checked_graph(graph)
        except ReasonerError:
            if not self.silent:
                raise
            return False
        return True


class _UpdateTranslator:
    def __init__(self, tokens: Tokens, names: Names) -> None:
        self._tokens = tokens
        self._names = names
        # A label of INSERT DATA or of WHERE must not come again in another one of the same request (grammar, note 10).
        self._labels_of_data: set[str] = set()
        self._labels_of_patterns: set[str] = set()
        self._patterns = QueryTranslator(tokens, names, self._labels_of_patterns)

    def operation(self) -> _Checked:
        """Read one operation."""
        tokens = self._tokens
        kind = tokens.kind
        if kind not in _OPERATIONS:
            raise tokens.unexpected(known=_OPERATIONS)
        tokens.advance()
        if kind == "INSERT" and tokens.take("DATA"):
            return self._insert_data()
        if kind == "DELETE" and tokens.take("DATA"):
            quads = self._ground(self._deleted(), "DELETE DATA")
            return _Checked(Modify(delete=quads.template), quads.graphs)
        if kind == "DELETE" and tokens.take("WHERE"):
            quads = self._deleted()
            return _Checked(Modify(quads.template, (), quads.pattern()), quads.graphs)
        if kind in ("INSERT", "DELETE", "WITH"):
            return self._modify(kind)
        silent = tokens.take("SILENT")
        if kind == "LOAD":
            return self._load(silent)
        if kind == "CREATE":
            graph = self._graph()
            return _Checked(Create(graph, silent), (graph,), silent)
        if kind in ("CLEAR", "DROP"):
            return self._clear(silent)
        source = self._graph_or_default()
        tokens.expect("TO")
        target = self._graph_or_default()
        graphs = tuple(graph for graph in (source, target) if graph is not None)
        return _Checked(Transfer(kind, source, target, silent), graphs, silent)

    def _load(self, silent: bool) -> _Checked:
        iri = self._names.iri()[1:-1]
        graph = self._graph() if self._tokens.take("INTO") else None
        return _Checked(Load(iri, silent, graph), () if graph is None else (graph,), silent)

    def _clear(self, silent: bool) -> _Checked:
        tokens = self._tokens
        for keyword in ("DEFAULT", "NAMED", "ALL"):
            if tokens.take(keyword):
                return _Checked(Clear(keyword))
        if tokens.kind != "GRAPH":
            raise tokens.unexpected("GRAPH", "DEFAULT", "NAMED", "ALL")
        graph = self._graph()
        return _Checked(Clear(graph), (graph,), silent)

    def _graph(self) -> str:
        self._tokens.expect("GRAPH")
        return self._names.iri()

    def _graph_or_default(self) -> str | None:
        if self._tokens.take("DEFAULT"):
            return None
        self._tokens.take("GRAPH")
        return self._names.iri()

    def _modify(self, kind: str) -> _Checked:
        tokens = self._tokens
        graph = None
        if kind == "WITH":
            graph = self._names.iri()
            kind = tokens.kind
            if kind not in ("DELETE", "INSERT"):
                raise tokens.unexpected("DELETE", "INSERT")
            tokens.advance()
        delete = insert = _Quads([], [])
        if kind == "DELETE":
            if tokens.kind != "{":
                raise tokens.unexpected("{", *(() if graph else ("DATA", "WHERE")))
            delete = self._deleted()
        if kind == "INSERT" or tokens.take("INSERT"):
            insert = self._quads()
        default, named = self._patterns.dataset("USING")
        if default is None and graph is not None:
            default = (graph,)
        tokens.expect("WHERE")
        where = self._patterns.where()
        graphs = (*(() if graph is None else (graph,)), *delete.graphs, *insert.graphs)
        return _Checked(Modify(delete.template_in(graph), insert.template_in(graph), where, default, named), graphs)

    def _insert_data(self) -> _Checked:
        quads = self._ground(self._quads(), "INSERT DATA")
        for name, place in self._patterns.triples.places.items():
            if name in self._labels_of_data:
                raise self._tokens.error(
                    f"the blank node {name} occurs in two INSERT DATA, where it would be two nodes; "
                    "put both into one, or use another label",
                    place,
                )
        self._labels_of_data |= self._patterns.triples.places.keys()
        return _Checked(Modify(insert=quads.template), quads.graphs)

    def _deleted(self) -> _Quads:
        quads = self._quads()
        for name, place in self._patterns.triples.places.items():
            if name.startswith("_:"):
                raise self._tokens.error(
                    "a blank node cannot be deleted by its label, which names no node of the store; use a variable in "
                    "DELETE and WHERE",
                    place,
                )
        return quads

    def _ground(self, quads: _Quads, form: str) -> _Quads:
        for name, place in self._patterns.triples.places.items():
            if not name.startswith("_:"):
                raise self._tokens.error(
                    f"?{name} cannot stand in {form}, which takes triples without variables; use WHERE", place
                )
        return quads

    def _quads(self) -> _Quads:
        """Read triples and graphs of triples, in braces."""
        tokens, patterns = self._tokens, self._patterns
        patterns.triples.places = {}
        found = _Quads([], [])
        tokens.open("{")
        patterns.template_triples(found.triples)
        while tokens.take("GRAPH"):
            graph = patterns.triples.variable_or_iri()
            found.named.append((graph, patterns.template()))
            tokens.take(".")
            patterns.template_triples(found.triples)
        tokens.close("}")
        return found


@dataclass(frozen=True, slots=True)
class _Quads:
    """Triples of the default graph, and of others by their names."""

    triples: list[TriplePattern]
    named: list[tuple[Term, list[TriplePattern]]]

    @property
    def template(self) -> QuadTemplate:
        return self.template_in(None)

    @property
    def graphs(self) -> tuple[str, ...]:
        return tuple(graph for graph, _ in self.named if isinstance(graph, str))

    def template_in(self, default: str | None) -> QuadTemplate:
        """Return the quads, with what names no graph in the one that WITH names."""
        parts: list[tuple[Term | None, list[TriplePattern]]] = [(default, self.triples), *self.named]
        return tuple((*as_triple(triple), graph) for graph, triples in parts for triple in triples)

    def pattern(self) -> Node:
        """Return what DELETE WHERE matches: a group of the same triples and graphs."""
        parts: list[Node] = [Bgp(tuple(self.triples))] if self.triples else []
        parts += [GraphPattern(graph, Bgp(tuple(triples))) for graph, triples in self.named]
        node = balanced(Join, parts) if parts else Bgp()
        return Project(node, tuple(visible(node)))
