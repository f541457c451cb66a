"""Changing a reasoner in SPARQL: a request of several operations as one commit.

Documents that LOAD names: local files, by their path or by a file IRI.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from loaders.dictionary import Dictionary
from loaders.errors import nesting_refused
from reasoner.columnar.nearby import TooFarError
from reasoner.documents.assertions import graph_sizes, triples_in
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.algebra import Var
from reasoner.sparql.budget import MOST_ROWS, Budget
from reasoner.sparql.construct import constructed_quads
from reasoner.sparql.dataset import dataset_for, dataset_of
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.operation import Clear, Create, Load, Modify, Operation, QuadTemplate, Transfer
from reasoner.sparql.plan import Trace
from reasoner.sparql.terms import QueryTerms
from reasoner.sparql.translate_update import translate_update
from reasoner.state.delta import Delta
from reasoner.state.request import CommitRequest, require_strategy
from reasoner.state.work_ahead import WorkAhead
from reasoner.terms.quads import EVERYWHERE, OWN, GraphName, PendingQuads, TextQuad, checked_graph
from reasoner.terms.term import TextTriple
from reasoner.terms.triple_text import checked_triples

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.state.session import KnowledgeBase

# One letter is the drive of a path rather than the scheme of an IRI.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


def document_quads(iri: str, dictionary: Dictionary) -> dict[str | None, list[TextTriple]]:
    """Return the triples of a local file by graph, in any RDF syntax, with blank nodes new to the dictionary."""
    from loaders.load import load

    loaded = load([_file_of(iri)], dictionary)
    triples = list(zip(*(dictionary.decode(ids) for ids in (loaded.s, loaded.p, loaded.o)), strict=True))
    if loaded.g is None:
        return {None: triples}
    by_graph: dict[str | None, list[TextTriple]] = {}
    for triple, graph in zip(triples, loaded.g.tolist(), strict=True):
        by_graph.setdefault(checked_graph(None if graph < 0 else dictionary.text(graph)), []).append(triple)
    return by_graph


def _file_of(iri: str) -> Path:
    scheme = _SCHEME.match(iri)
    if scheme is None:
        path = Path(iri)
    elif scheme[1].lower() == "file":
        try:
            parts = urlsplit(iri)
        except ValueError as error:
            raise ReasonerError(f"cannot load <{iri}>: {error}; name a file of this machine") from None
        if parts.netloc not in ("", "localhost"):
            raise UnsupportedQueryError(f"LOAD <{iri}> names a file of another machine; copy it here and load the copy")
        path = Path(url2pathname(parts.path))
    else:
        raise UnsupportedQueryError(
            f"LOAD <{iri}> would fetch a document, and only local files are read; save it and load the file"
        )
    if not path.is_file():
        raise ReasonerError(f"cannot load <{iri}>: there is no file {path}")
    # As it stands, the name - would be standard input.
    return path.absolute()


# Finds the quads that an operation removes from a reasoner and adds to it, within a budget.
Match = Callable[["KnowledgeBase", Budget, Modify], tuple[list[TextQuad], list[TextQuad]]]


@nesting_refused("the update")
def update(
    kb: KnowledgeBase,
    text: str | Sequence[Operation],
    *,
    strategy: str = "auto",
    base: str | None = None,
    prefixes: Mapping[str, str] | None = None,
    timeout: float | None = None,
    most_rows: int = MOST_ROWS,
    budget: Budget | None = None,
    match: Match | None = None,
) -> Delta:
    """Apply a SPARQL 1.1 Update to the graphs of a reasoner, all of it or nothing; return what it did.

    WHERE is asked of everything that the facts entail, after the operations before it in the request; GRAPH, WITH and
    USING let it read what graphs assert. INSERT and DELETE change what the graph that they name asserts, or the default
    graph: what is only inferred stays (``Delta.not_explicit``), and so does what another graph asserts
    (``Delta.still_explicit``). ``strategy`` is that of transactions, ``base`` what relative IRIs are resolved against:
    without one they are refused, and the empty one leaves them as they are. An update may be given translated. It is
    given up if matching its patterns takes more than ``timeout`` seconds, or a step of that more than ``most_rows``
    rows; a ``budget``, which can be stopped, takes the place of both. ``match`` is what finds the quads of an operation
    with a WHERE, in the place of ``matched_quads``.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="none")
    >>> delta = update(kb, '''PREFIX : <http://e.org/>
    ... INSERT DATA { :a :p :b } ;
    ... INSERT { ?y :q ?x } WHERE { ?x :p ?y }''')
    >>> sorted(delta.asserted_added)[1]
    ('<http://e.org/b>', '<http://e.org/q>', '<http://e.org/a>')
    """
    operations = translate_update(text, base=base, prefixes=prefixes) if isinstance(text, str) else text
    # An unknown strategy is an error before anything is done.
    require_strategy(strategy, None)
    with kb.session.lock:
        kb.session.make_ready()
        request = _Request(kb, strategy, budget or Budget(timeout, most_rows), match or matched_quads)
        try:
            for operation in operations:
                request.apply(operation)
            return request.commit()
        except BaseException:
            request.work.roll_back()
            raise


def matched_quads(kb: KnowledgeBase, budget: Budget, operation: Modify) -> tuple[list[TextQuad], list[TextQuad]]:
    """Return the quads that an operation with a WHERE removes, and those that it adds.

    Where facts are Spark's, those about the terms of the pattern are looked up; if these are many, Spark finds matches.
    """
    store = kb.store
    if not store.is_distributed:
        return _matched(store, budget, operation)
    with suppress(TooFarError):
        return _matched(store.nearby(), budget, operation)
    from reasoner.spark.query.answer import matched_quads as matched_by_spark
    from reasoner.spark.query.source import source_of

    return matched_by_spark(source_of(store), operation, budget)


def _matched(store: ColumnarStore, budget: Budget, operation: Modify) -> tuple[list[TextQuad], list[TextQuad]]:
    dataset = dataset_for(operation.default, operation.named, dataset_of(store))
    terms = QueryTerms(store.dictionary, dataset.default.texts, budget)
    evaluator = Evaluator(dataset, terms, budget, Trace())
    assert operation.where is not None
    solutions = evaluator.evaluate(operation.where)
    removed, added = (
        list(constructed_quads(evaluator, solutions, template, terms, budget))
        for template in (operation.delete, operation.insert)
    )
    return removed, added


def quads_of_data(operations: Sequence[Operation]) -> PendingQuads | None:
    """Return what an update wants of quads if it names all of them, as INSERT DATA and DELETE DATA do.

    None if it has to be asked of a state: which quads match, what a new blank node or a language tag is called there.
    """
    wanted = PendingQuads()
    for operation in operations:
        if not isinstance(operation, Modify) or operation.where is not None:
            return None
        for template, comes in ((operation.delete, False), (operation.insert, True)):
            for s, p, o, graph in template:
                if not (
                    isinstance(s, str) and isinstance(p, str) and isinstance(o, str) and not isinstance(graph, Var)
                ):
                    return None
                if s.startswith("_:") or o.startswith("_:") or (o.startswith('"') and "@" in o):
                    return None
                if comes:
                    wanted.add(checked_triples([(s, p, o)]), checked_graph(graph))
                else:
                    wanted.remove([(s, p, o)], graph)
    return wanted


class _Request:
    """A request under way.

    It works on a fork of the session, so that others see the state before the request until its commit:

    1. Changes wait until somebody asks: what is said later about a triple counts.
    2. Before a WHERE is answered, the changes that wait are applied to the fork by maintenance.
    3. At the end the fork's state becomes that of the session, and the delta is from the first state to the last.
    """

    def __init__(self, kb: KnowledgeBase, strategy: str, budget: Budget, match: Match) -> None:
        self.work = WorkAhead(kb.session)
        self._match = match
        self._strategy = strategy
        self._budget = budget
        self._ahead = kb.with_session(self.work.fork)
        self._waiting = PendingQuads()
        self._asked = PendingQuads()
        self._scope = ""
        self._fresh: dict[str, str] = {}

    def apply(self, operation: Operation) -> None:
        """Carry out one operation."""
        match operation:
            case Modify(delete, insert, None):
                self._want(self._data(delete), self._data(insert))  # 1
            case Modify():
                self._modify(operation)
            case Load():
                self._load(operation)
            case Clear(graph):
                self._clear(graph)
            case Create(graph, silent):
                if not silent and self._contents(graph):
                    raise ReasonerError(f"CREATE: the graph {graph} is there already; use CREATE SILENT, or CLEAR it")
            case Transfer():
                self._transfer(operation)

    def commit(self) -> Delta:
        """Apply what waits, let everybody see the result, and return what the request did."""
        if self._waiting or not self.work.has_steps:
            self._step()
        return self.work.publish(self._asked)  # 3

    def _want(self, removed: Iterable[TextQuad], added: Iterable[TextQuad]) -> None:
        """Note a change; deletions come before insertions (SPARQL 1.1 Update, 3.1.3)."""
        for graph, triples in _by_graph(removed).items():
            self._waiting.remove(triples, graph)
        for graph, triples in _by_graph(added).items():
            self._waiting.add(checked_triples(triples), checked_graph(graph))

    def _step(self) -> None:
        # What the request as a whole brings is judged at its end.
        request = CommitRequest(self._waiting.request(), strategy=self._strategy, constraints="warn")
        self.work.took(self.work.fork.commit(request))
        self._asked.update(self._waiting)
        self._waiting = PendingQuads()

    def _data(self, template: QuadTemplate) -> list[TextQuad]:
        return [
            (self._ground(s), self._ground(p), self._ground(o), None if graph is None else self._ground(graph))
            for s, p, o, graph in template
        ]

    def _ground(self, term: Var | str) -> str:
        return self._fresh_name(term.name) if isinstance(term, Var) else self._named(term)

    def _modify(self, operation: Modify) -> None:
        if self._waiting:
            self._step()  # 2
        removed, added = self._match(self._ahead, self._budget, operation)
        self._want(removed, [(self._named(s), p, self._named(o), graph) for s, p, o, graph in added])

    def _load(self, operation: Load) -> None:
        try:
            loaded = document_quads(operation.iri, self._ahead.store.dictionary)
        except (ReasonerError, OSError):
            if not operation.silent:
                raise
            return
        for graph, triples in loaded.items():
            self._waiting.add(triples, graph if operation.graph is None else operation.graph)

    def _clear(self, graph: str) -> None:
        store = self._ahead.store
        if graph == "ALL":
            self._waiting = PendingQuads()
            self._waiting.remove(store.texts(store.state.explicit))
        elif graph == "NAMED":
            waiting = [name for triple in self._waiting for name in self._waiting.wish(triple)]
            for name in dict.fromkeys((*graph_sizes(store), *waiting)):
                if name not in (None, EVERYWHERE):
                    self._waiting.remove(self._contents(name), name)
        else:
            name = None if graph == "DEFAULT" else graph
            self._waiting.remove(self._contents(name), name)

    def _transfer(self, operation: Transfer) -> None:
        source, target = operation.source, operation.target
        found = self._contents(source)
        if source is not None and not found:
            if operation.silent:
                return
            raise ReasonerError(
                f"{operation.kind}: there is no graph {source}; name one of kb.graphs(), or use {operation.kind} SILENT"
            )
        if source == target:
            return
        if operation.kind in ("COPY", "MOVE"):
            self._waiting.remove(self._contents(target), target)
        if operation.kind == "MOVE":
            self._waiting.remove(found, source)
        self._waiting.add(found, target)

    def _contents(self, graph: GraphName) -> list[TextTriple]:
        """Return what a graph asserts once the changes that wait are applied."""
        triples = triples_in(self._ahead, OWN if graph is None else graph)
        if not self._waiting:
            return list(triples)
        wish = self._waiting.wish
        kept = dict.fromkeys(t for t in triples if wish(t).get(graph, EVERYWHERE not in wish(t)))
        return list(kept | dict.fromkeys(t for t in self._waiting if wish(t).get(graph, False)))

    def _named(self, term: str) -> str:
        """Return the text that the store has, or is to have, for a term.

        New blank nodes are named like those of documents. Language tags have no case: new ones are in lower case.
        """
        if term.startswith("<") or self._ahead.store.dictionary.lookup(term) is not None:
            return term
        if term.startswith("_:"):
            return self._fresh_name(term)
        quoted, _, tag = term.rpartition("@")
        return f"{quoted}@{tag.lower()}" if quoted.endswith('"') and '"' not in tag else term

    def _fresh_name(self, label: str) -> str:
        if not self._scope:
            self._scope = self._ahead.store.dictionary.new_blank_scope()
        return self._fresh.setdefault(label, f"_:{self._scope}-{len(self._fresh)}")


def _by_graph(quads: Iterable[TextQuad]) -> dict[GraphName, list[TextTriple]]:
    found: dict[GraphName, list[TextTriple]] = {}
    for s, p, o, graph in quads:
        found.setdefault(graph, []).append((s, p, o))
    return found
