"""The reasoner as a store of rdflib: ``Graph(store="Reasoner")`` reads what the triples in it entail.

Code that is written for rdflib works as it is: parse, serialize, ``for s, p, o in graph``, ``graph.value``, queries,
updates, SHACL. What is different from rdflib's own stores:

- Reading gives the closure. Equal terms are answers each for itself; a term's equality with itself is shown where it
  was added.
- Under OWL 2 RL a graph without triples is not empty: what the profile says of its own vocabulary holds in it.
- Only explicit triples can be removed. An inferred triple stays for as long as something explicit entails it, and
  removing it is no error, just as removing a triple that is not there.
- Changes are buffered, and become one maintained transaction at the next read, or at ``commit``.
- ``Dataset`` and ``ConjunctiveGraph`` have named graphs, which hold what was asserted in them and nothing more, so that
  ``quads`` shows inferred triples in the default graph. The default graph reads everything that holds, also where
  rdflib's own would show no union. See ``reasoner.interop.rdflib_store``.
- A triple that N-Triples could not say (a space in an IRI, a literal as subject) is refused when it is added.
- ``"a"`` and ``"a"^^xsd:string`` are one term, as RDF 1.1 has it.

The configuration is text, such as ``profile=dlp``. Prefixes are kept in a file beside the versions of a store on disk.

What rdflib calls contexts: which graph of a reasoner each of them stands for, and what that graph holds.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph
from rdflib.plugins.sparql.sparql import Query, Update
from rdflib.query import Result
from rdflib.store import NO_STORE, VALID_STORE, Store
from rdflib.term import BNode, Literal, URIRef

from loaders.local_path import local_name
from loaders.terms import from_rdflib, lone_surrogate, to_rdflib
from reasoner.columnar.graphs import lost_by_graphs
from reasoner.reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.dataset import Graph as FactGraph
from reasoner.sparql.pattern_lookup import PatternLookup
from reasoner.state.request import CommitRequest
from reasoner.store.file_system import file_system
from reasoner.store.folder import FILE, is_store, read_namespaces, write_namespaces
from reasoner.terms.quads import CLOSURE, EVERYWHERE, PSEUDO_GRAPHS, GraphName, PendingQuads, QuadRequest, checked_graph
from reasoner.terms.triple_text import asserted_triples, text_of

if TYPE_CHECKING:
    from rdflib.graph import _ContextType, _QuadType, _TriplePatternType, _TripleType
    from rdflib.term import Identifier

    from reasoner.columnar.expand import Columns
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.graphs import GraphMemberships
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.sparql.result import Result as Answer
    from reasoner.terms.term import TextTriple

SETTINGS = ("profile", "equality", "maintenance", "constraints", "literals", "folder")


def settings_of(configuration: str | tuple[str, str]) -> dict[str, str]:
    """Read a configuration: settings with names, or a folder.

    >>> settings_of("profile=dlp; equality=none")
    {'profile': 'dlp', 'equality': 'none'}
    >>> settings_of("people")
    {'folder': 'people'}
    """
    if not isinstance(configuration, str):
        raise ReasonerError(
            f"the configuration {configuration!r} is no text; write one like profile=dlp;equality=rewrite"
        )
    if configuration and (is_store(configuration) or "=" not in configuration):
        return {"folder": configuration}
    settings = {}
    for part in filter(None, map(str.strip, configuration.split(";"))):
        name, separator, value = (piece.strip() for piece in part.partition("="))
        if name not in SETTINGS or not separator:
            raise ReasonerError(f"unknown setting {part!r}: write name=value, with a name of {', '.join(SETTINGS)}")
        settings[name] = value
    return settings


class Namespaces:
    """Prefixes and namespaces, one to one, as rdflib's own stores have them; a mixin of our store."""

    _prefix_of: dict[URIRef, str]
    _namespace_of: dict[str, URIRef]
    _has_new_prefixes = False

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace; without ``override`` only if both are free."""
        if self._namespace_of.get(prefix) == namespace:
            return
        if not override and (prefix in self._namespace_of or namespace in self._prefix_of):
            return
        if (prefix_before := self._prefix_of.pop(namespace, None)) is not None:
            del self._namespace_of[prefix_before]
        if (namespace_before := self._namespace_of.pop(prefix, None)) is not None:
            del self._prefix_of[namespace_before]
        self._prefix_of[namespace] = prefix
        self._namespace_of[prefix] = namespace
        self._has_new_prefixes = True

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix of a namespace."""
        return self._prefix_of.get(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the namespace of a prefix."""
        return self._namespace_of.get(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Yield prefixes with their namespaces."""
        yield from list(self._namespace_of.items())

    def _recall_namespaces(self, kb: Reasoner) -> None:
        """Bind what was kept with a store on disk, in the place of what is bound otherwise."""
        from rdflib.term import URIRef

        home = kb.persistence.home
        if home is None or file_system(home.folder).size(home.folder / FILE) is None:
            return
        kept = read_namespaces(home.folder)
        for prefix, namespace in kept.items():
            self.bind(prefix, URIRef(namespace))
        self._has_new_prefixes = len(self._namespace_of) > len(kept)

    def _keep_namespaces(self, kb: Reasoner) -> None:
        """Write the prefixes to the folder of a store on disk, if there are others than it has."""
        home = kb.persistence.home
        if self._has_new_prefixes and home is not None and home.lock is not None:
            write_namespaces(home.folder, {prefix: str(namespace) for prefix, namespace in self.namespaces()})
            self._has_new_prefixes = False

    def _forget_namespaces(self, kb: Reasoner) -> None:
        """Remove what was kept with a store on disk."""
        home = kb.persistence.home
        if home is not None:
            file_system(home.folder).delete(home.folder / FILE)
        self._has_new_prefixes = True


# Up to this many ids, decoding one by one costs less than starting the bulk operation.
_ONE_BY_ONE = 32

# Variables, formulas and broken texts may be asked for, and are in no triple.
_NO_TERM = ""

TextPattern = tuple[str | None, str | None, str | None]


class ReasonerStore(Namespaces, Store):
    """A store of rdflib that holds what its triples entail; ``kb`` is the reasoner behind it.

    Settings are given by name, or as a configuration such as ``profile=dlp;equality=rewrite``, here or to ``open``. A
    reasoner that is there already becomes a store with ``ReasonerStore(kb=...)``.

    >>> from rdflib import RDF, RDFS, Graph, URIRef
    >>> graph = Graph(store=ReasonerStore(profile="rdfs"))
    >>> cat, animal, tom = map(URIRef, ("http://e.org/Cat", "http://e.org/Animal", "http://e.org/tom"))
    >>> _ = graph.add((cat, RDFS.subClassOf, animal)).add((tom, RDF.type, cat))
    >>> (tom, RDF.type, animal) in graph
    True
    """

    context_aware = True
    formula_aware = False
    graph_aware = True
    # ``rollback`` brings the explicit triples back to what they were at the last ``commit``, reads in between or not.
    transaction_aware = True

    def __init__(
        self,
        configuration: str | None = None,
        identifier: Identifier | None = None,
        *,
        profile: str = "owl2rl",
        equality: str | None = None,
        maintenance: str | None = None,
        kb: Reasoner | None = None,
    ) -> None:
        if kb is not None and configuration:
            raise ReasonerError(f"a reasoner has its settings; give it alone, without {configuration!r}")
        self._prefix_of: dict[URIRef, str] = {}
        self._namespace_of: dict[str, URIRef] = {}
        self._use(Reasoner(profile, equality=equality, maintenance=maintenance) if kb is None else kb)
        super().__init__(configuration, identifier)

    def _use(self, kb: Reasoner) -> None:
        self.kb = kb
        self._pending = PendingQuads()
        self._by_subject: dict[str, dict[TextTriple, None]] = {}
        self._contexts = Contexts(self)
        # The folder that was to be opened and has no store, so that there is nothing to read or write.
        self._missing: str | None = None
        self._recall_namespaces(kb)
        # Sets of facts never change and share what they have in common, so that remembering them costs little.
        self._at_commit: tuple[FactSet, GraphMemberships] = self._asserted()

    def _asserted(self) -> tuple[FactSet, GraphMemberships]:
        return self.kb.store.state.explicit, self.kb.store.state.graphs

    def _forget_pending(self) -> None:
        self._pending.clear()
        self._by_subject.clear()

    def open(self, configuration: str | tuple[str, str], create: bool = False) -> int:
        """Set an empty store up as ``profile=...;equality=...;maintenance=...`` says; what is left out has its default.

        The folder of a store on disk, alone or as ``folder=...``, is opened, or made if ``create`` is set: every commit
        is then kept there, and prefixes are. If there is no store in the folder, the answer is NO_STORE, as rdflib has
        it, and nothing can be done before another ``open``. Without a configuration everything stays as it is.
        """
        settings: dict[str, Any] = settings_of(configuration)
        if settings:
            if self._pending or len(self.kb.store.state.explicit) or self.kb.own_rules():
                raise ReasonerError(
                    f"the store is in use and cannot become {configuration!r}; open it before anything is added"
                )
            if "folder" in settings and not create and not is_store(local_name(settings["folder"])):
                self._missing = settings["folder"]
                return NO_STORE
            self._use(Reasoner.open(create=create, **settings) if "folder" in settings else Reasoner(**settings))
        return VALID_STORE

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Commit if asked to, or if the store is on disk, which is let go; what is in memory can still be used."""
        if commit_pending_transaction or self.kb.version is not None:
            self.commit()
        self.kb.close()

    def destroy(self, configuration: str) -> None:
        """Start over with a new, empty reasoner of the same settings; its rules and its store on disk are gone."""
        kb = self.kb
        self._forget_namespaces(kb)
        kb.remove_store()
        new = Reasoner(kb.profile, equality=kb.equality, modules=kb.modules, maintenance=kb.maintenance)
        new.constraints, new.literals = kb.constraints, kb.literals
        self._use(new)

    def commit(self) -> None:
        """Apply what is buffered, and make this the state that ``rollback`` goes back to."""
        self._settle()
        self._at_commit = self._asserted()

    def rollback(self) -> None:
        """Bring the explicit triples back to what they were at the last ``commit``, whoever changed them since."""
        self._forget_pending()
        store, now, then = self.kb.store, self._asserted(), self._at_commit
        if now[0] is not then[0] or now[1] is not then[1]:
            removed, added = (
                {
                    None if id < 0 else store.dictionary.text(id): store.texts(facts)
                    for id, facts in lost_by_graphs(one, other)
                }
                for one, other in ((now, then), (then, now))
            )
            request = QuadRequest(removed=removed, added=added)
            self.kb.session.commit(CommitRequest(request))
            self._at_commit = self._asserted()

    def add(self, triple: _TripleType, context: _ContextType | None = None, quoted: bool = False) -> None:
        """Buffer an explicit triple; what is no RDF is an error here and now."""
        if quoted:
            raise ReasonerError("the store keeps no quoted triples; add them to a graph with rdflib's Memory store")
        s, p, o = map(self._text, triple)
        (checked,) = asserted_triples((s, p, o))
        self._note(checked, self._changeable(context), True)
        super().add(triple, context, quoted)  # type: ignore[arg-type]

    def addN(self, quads: Iterable[_QuadType]) -> None:
        """Buffer explicit triples of graphs."""
        for s, p, o, context in quads:
            self.add((s, p, o), context)

    def remove(self, triple: _TriplePatternType, context: _ContextType | None = None) -> None:
        """Buffer the removal of the explicit triples of a graph that match; what they entailed goes with them."""
        pattern, graph, store = self._pattern(triple), self._changeable(context), self.kb.store
        facts = store.state.explicit
        if graph not in (None, EVERYWHERE):
            facts = store.state.graphs.graph(store.id_of(str(graph)))
        explicit = PatternLookup(FactGraph(facts, store.dictionary))
        for found in (*self._buffered(pattern), *store.decoded(self._found(explicit, pattern))):
            self._note(found, graph, False)
        super().remove(triple, context)

    def add_graph(self, graph: Graph) -> None:
        """Let a graph be there, empty as it may be."""
        self._contexts.remember(graph)

    def remove_graph(self, graph: Graph) -> None:
        """Remove what a graph asserts, and the graph."""
        self.remove((None, None, None), graph)
        self._contexts.forget(self._contexts.name(graph, self.kb.store))

    def _changeable(self, context: _ContextType | None) -> GraphName:
        name = self._contexts.name(context, self.kb.store)
        return checked_graph(name) if name in PSEUDO_GRAPHS else name

    def _note(self, triple: TextTriple, graph: GraphName, comes: bool) -> None:
        self._require_open()
        if comes:
            self._pending.add([triple], None if graph == EVERYWHERE else graph)
        else:
            self._pending.remove([triple], graph)
        self._by_subject.setdefault(triple[0], {})[triple] = None

    def _buffered(self, pattern: TextPattern) -> list[TextTriple]:
        s, p, o = pattern
        parts = self._by_subject.values() if s is None else [self._by_subject.get(s, {})]
        return [
            triple
            for part in parts
            for triple in part
            if (p is None or triple[1] == p) and (o is None or triple[2] == o)
        ]

    def triples(
        self, triple_pattern: _TriplePatternType, context: _ContextType | None = None
    ) -> Iterator[tuple[_TripleType, Iterator[_ContextType | None]]]:
        """Yield the triples of the closure, or of a named graph, that match, as they are when the first is asked for.

        Each comes with the graphs that assert it, the default graph standing in for those of which it is inferred.
        """
        lookup, graph = self._asked_of(context)
        given = triple_pattern
        only = None
        if graph not in (None, EVERYWHERE):
            only = context
        elif not self.kb.store.state.graphs:
            only = self._contexts.default
        for s, predicate, o in self._found(lookup, self._pattern(given)):
            name: Any = given[1] if given[1] is not None else _term(self.kb.store.dictionary.text(predicate))
            # A literal is asked for by value, and answered as it is written.
            end = None if isinstance(given[2], Literal) else given[2]
            terms = zip(self._terms(s, given[0]), self._terms(o, end), strict=True)
            if only is not None:
                yield from (((subject, name, obj), iter((only,))) for subject, obj in terms)
                continue
            for place, (subject, obj) in enumerate(terms):
                yield (
                    (subject, name, obj),
                    self._contexts.holding(self.kb.store, int(s[place]), predicate, int(o[place])),
                )

    def __len__(self, context: _ContextType | None = None) -> int:
        """Count the closure, or what a named graph asserts."""
        return self._asked_of(context)[0].size

    def contexts(self, triple: _TripleType | None = None) -> Generator[_ContextType, None, None]:
        """Yield the named graphs, or the graphs that a triple is in."""
        self._settle()
        if triple is None:
            yield from self._contexts.all(self.kb.store)
            return
        for _, graphs in self.triples(triple):
            yield from (graph for graph in graphs if graph is not None)

    def query(
        self,
        query: Query | str,
        initNs: Mapping[str, Any],
        initBindings: Mapping[str, Identifier],
        queryGraph: str,
        *,
        base: str | None = None,
        timeout: float | None = None,
        **kwargs: Any,
    ) -> Result:
        """Answer a query with the SPARQL engine of the reasoner.

        What comes with bindings or other settings of rdflib, or as algebra without its text, is left to rdflib, which
        evaluates it over our triples when its own class for stores says that it has no way of its own.
        """
        if initBindings or kwargs or not (isinstance(query, str) or hasattr(query, "_original_args")):
            return super().query(query, initNs, initBindings, queryGraph, **kwargs)
        if not isinstance(query, str):
            query, initNs, base = query._original_args
        from reasoner.requests import query as answer

        self._settle()
        prefixes = {prefix: str(namespace) for prefix, namespace in initNs.items()}
        default = self._named(queryGraph)
        settings: dict[str, Any] = {"base": base or "", "timeout": timeout, "prefixes": prefixes}
        return _rdflib_result(answer(self.kb, query, default_graphs=default and [default], **settings))

    def update(
        self,
        update: Update | str,
        initNs: Mapping[str, Any],
        initBindings: Mapping[str, Identifier],
        queryGraph: str,
        **kwargs: Any,
    ) -> None:
        """Apply an update as one transaction.

        With bindings, as algebra, or to a named graph on its own it is left to rdflib, as queries are.
        """
        if initBindings or kwargs or not isinstance(update, str) or self._named(queryGraph):
            super().update(update, initNs, initBindings, queryGraph, **kwargs)
            return
        from reasoner.requests.update import update as apply

        self._settle()
        apply(self.kb, update, prefixes={prefix: str(namespace) for prefix, namespace in initNs.items()})

    def _settle(self) -> None:
        """Apply what is buffered as one transaction; if that fails, it stays in the buffer."""
        self._require_open()
        if self._pending:
            request = self._pending.request()
            # Where nothing has been, there is nothing to maintain.
            strategy = "auto" if len(self.kb.store.state.explicit) else "rematerialise"
            self.kb.session.commit(CommitRequest(request, strategy=strategy))
            self._forget_pending()
        self.kb.session.settle()
        self._keep_namespaces(self.kb)

    def _require_open(self) -> None:
        if self._missing is not None:
            raise ReasonerError(f"{self._missing} has no store; open it with create=True, or open another one")

    def _asked_of(self, context: _ContextType | None) -> tuple[PatternLookup, GraphName]:
        self._settle()
        name = self._contexts.name(context, self.kb.store)
        return self._contexts.lookup(name, self.kb.answering), name

    def _named(self, graph: Identifier | str) -> str | None:
        """Return the named graph that rdflib asks, None if it asks the whole store."""
        name = self._contexts.name(graph, self.kb.store) if isinstance(graph, URIRef | BNode) else None
        return None if name == EVERYWHERE else name

    def _found(self, lookup: PatternLookup, pattern: TextPattern) -> Iterator[Columns]:
        known = self.kb.store.dictionary.lookup
        ids = [None if text is None else known(text) for text in pattern]
        if any(id is None and text is not None for id, text in zip(ids, pattern, strict=True)):
            return iter(())
        return lookup.matches(*ids)

    def _terms(self, ids: Any, given: Any) -> list[Any]:
        if given is not None:
            return [given] * ids.size
        dictionary = self.kb.store.dictionary
        if ids.size <= _ONE_BY_ONE:
            return [_term(dictionary.text(id)) for id in ids.tolist()]
        return list(map(_term, dictionary.decode(ids)))

    def _pattern(self, triple: _TriplePatternType) -> TextPattern:
        s, p, o = (None if term is None else self._asked(term) for term in triple)
        return s, p, o

    def _asked(self, term: object) -> str:
        text = self._text(term) if isinstance(term, URIRef | BNode | Literal) else _NO_TERM
        return text if lone_surrogate(text) is None else _NO_TERM

    def _text(self, term: Any) -> str:
        """Write a term; language tags have no case, and are in lower case unless the store knows them otherwise."""
        text = text_of(term) if isinstance(term, URIRef | BNode | Literal) else from_rdflib(term)
        language = term.language if isinstance(term, Literal) else None
        if language and lone_surrogate(text) is None and self.kb.store.dictionary.lookup(text) is None:
            return text[: -len(language)] + language.lower()
        return text


@lru_cache(maxsize=1 << 16)
def _term(text: str) -> Any:
    return to_rdflib(text)


def _rdflib_result(answer: Answer) -> Result:
    result = Result(answer.type)
    result.askAnswer = answer.askAnswer
    result.graph = answer.graph
    if answer.type == "SELECT":
        names = result.vars = answer.vars or []
        result.bindings = (
            {name: term for name, term in zip(names, row, strict=True) if term is not None} for row in answer
        )
    return result


class Contexts:
    """The graphs of one store of rdflib.

    - No context, a conjunctive graph or a dataset, and a graph without a name of its own (``Graph(store=...)``, whose
      identifier is a new blank node) are the whole store: they read the closure, write to the default graph, and
      remove from all graphs.
    - The default graph of a dataset reads the closure too, and removes only what it asserts itself.
    - Any other graph is the named graph of its identifier, and reads what is asserted in it.

    A graph that asserts nothing is remembered if it was added as a graph, for as long as this object lives.
    """

    def __init__(self, owner: Store) -> None:
        self._owner = owner
        self._added: dict[str, None] = {}
        self._state: Snapshot | None = None
        self._lookups: dict[GraphName, PatternLookup] = {}

    def name(self, context: Any, store: ColumnarStore) -> GraphName:
        """Return the name of the graph that a context stands for; None is the default graph, ``*`` the whole store."""
        if context is None or isinstance(context, ConjunctiveGraph):
            return EVERYWHERE
        identifier = context.identifier if isinstance(context, Graph) else context
        if identifier == DATASET_DEFAULT_GRAPH_ID:
            return None
        text = from_rdflib(identifier)
        if isinstance(identifier, BNode) and text not in self._added and not _is_graph(text, store):
            return EVERYWHERE
        return checked_graph(text, pseudo=True)

    def remember(self, graph: Graph) -> None:
        """Let a graph be there, empty as it may be; from now on a blank node may be its name."""
        if graph.identifier != DATASET_DEFAULT_GRAPH_ID and not isinstance(graph, ConjunctiveGraph):
            self._added[str(checked_graph(from_rdflib(graph.identifier)))] = None

    def forget(self, name: GraphName) -> None:
        """Let a graph be there only if it asserts something."""
        self._added.pop(str(name), None)

    def all(self, store: ColumnarStore) -> Iterator[Graph]:
        """Yield the named graphs."""
        texts = map(store.dictionary.text, store.state.graphs)
        yield from map(self._named, dict.fromkeys([*texts, *self._added]))

    def holding(self, store: ColumnarStore, s: int, p: int, o: int) -> Iterator[Graph]:
        """Yield the graphs of a triple that holds: those that assert it, and the default graph if no other does."""
        state, found = store.state, False
        if state.graphs and self._is_among(state.graphs.counts.facts, s, p, o):
            found = True
            for id in state.graphs:
                if self._is_among(state.graphs.graph(id), s, p, o):
                    yield self._named(store.dictionary.text(id))
        if not found or self._is_among(state.graphs.shared, s, p, o):
            yield self.default

    @property
    def default(self) -> Graph:
        """The default graph of a dataset."""
        return Graph(self._owner, DATASET_DEFAULT_GRAPH_ID)

    def lookup(self, name: GraphName, store: ColumnarStore) -> PatternLookup:
        """Return a graph to be asked with patterns; the lookups of one state are kept."""
        from reasoner.sparql.dataset import dataset_of

        if self._state is not store.state:
            self._state = store.state
            self._lookups.clear()
        name = CLOSURE if name in (None, EVERYWHERE) else name
        if name not in self._lookups:
            assert name is not None
            self._lookups[name] = PatternLookup(dataset_of(store).find(name))
        return self._lookups[name]

    def _named(self, text: str) -> Graph:
        return Graph(self._owner, to_rdflib(text))

    def _is_among(self, facts: Any, s: int, p: int, o: int) -> bool:
        return bool((facts.table(p).objects_of(s) == o).any()) if p in facts else False


def _is_graph(text: str, store: ColumnarStore) -> bool:
    id = store.dictionary.lookup(text)
    return id is not None and id in store.state.graphs.named
