"""The reasoner as a store of rdflib: ``Graph(store="Reasoner")`` reads what the triples in it entail.

Code that is written for rdflib works as it is: parse, serialize, ``for s, p, o in graph``, ``graph.value``, queries,
updates, SHACL. What is different from rdflib's own stores:

- Reading gives the closure. Equal terms are answers each for itself; a term's equality with itself is not shown.
- Under OWL 2 RL a graph without triples is not empty: what the profile says of its own vocabulary holds in it.
- Only explicit triples can be removed. An inferred triple stays for as long as something explicit entails it, and
  removing it is no error, just as removing a triple that is not there.
- Changes are buffered, and become one maintained transaction at the next read, or at ``commit``.
- A triple that N-Triples could not say (a space in an IRI, a literal as subject) is refused when it is added.
- There is one graph: graphs with different identifiers over one store share its triples. Libraries that insist on
  stores of many graphs, as pySHACL does from 0.40 on, are given a copy of the closure: ``Graph() + graph``.
- ``"a"`` and ``"a"^^xsd:string`` are one term, as RDF 1.1 has it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rdflib.plugins.sparql.sparql import Query, Update
from rdflib.query import Result
from rdflib.store import VALID_STORE, Store
from rdflib.term import BNode, Literal, URIRef

from loaders.terms import from_rdflib, to_rdflib
from reasoner.columnar.pattern_lookup import PatternLookup
from reasoner.columnar.representatives import Representatives
from reasoner.errors import ReasonerError
from reasoner.reasoner import Reasoner
from reasoner.triple_text import TermError, checked_triples

if TYPE_CHECKING:
    from rdflib.graph import _ContextType, _QuadType, _TriplePatternType, _TripleType
    from rdflib.term import Identifier

    from reasoner.columnar.expand import Columns
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.store import Snapshot
    from reasoner.sparql.result import Result as Answer
    from reasoner.violation import TextTriple

SETTINGS = ("profile", "equality", "maintenance")

# Up to this many ids, decoding one by one costs less than starting the bulk operation.
_ONE_BY_ONE = 32

# Variables, formulas and broken texts may be asked for, and are in no triple.
_NO_TERM = ""

TextPattern = tuple[str | None, str | None, str | None]


class ReasonerStore(Store):
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

    context_aware = False
    formula_aware = False
    graph_aware = False
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
        self._use(Reasoner(profile, equality=equality, maintenance=maintenance) if kb is None else kb)
        self._prefix_of: dict[URIRef, str] = {}
        self._namespace_of: dict[str, URIRef] = {}
        super().__init__(configuration, identifier)

    def _use(self, kb: Reasoner) -> None:
        self.kb = kb
        # By subject: the triples to come (True) and to go (False).
        self._pending: dict[str, dict[TextTriple, bool]] = {}
        # Sets of facts never change and share what they have in common, so that remembering one costs little.
        self._at_commit: FactSet = kb.store.state.explicit
        self._lookup: tuple[Snapshot, PatternLookup] | None = None

    def open(self, configuration: str | tuple[str, str], create: bool = False) -> int:
        """Set an empty store up as ``profile=...;equality=...;maintenance=...`` says; what is left out has its default.

        Without a configuration everything stays as it is.
        """
        settings = _settings(configuration)
        if settings:
            if self._pending or len(self.kb.store.state.explicit) or self.kb._user_rules:
                raise ReasonerError(
                    f"the store is in use and cannot become {configuration!r}; open it before anything is added"
                )
            self._use(
                Reasoner(
                    settings.get("profile", "owl2rl"),
                    equality=settings.get("equality"),
                    maintenance=settings.get("maintenance"),
                )
            )
        return VALID_STORE

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Commit if asked to; all is in memory, so that there is nothing to let go, and the store can still be used."""
        if commit_pending_transaction:
            self.commit()

    def destroy(self, configuration: str) -> None:
        """Start over with a new, empty reasoner of the same settings; rules of one's own are gone too."""
        kb = self.kb
        self._use(Reasoner(kb.profile, equality=kb.equality, modules=kb.modules, maintenance=kb.maintenance))

    def commit(self) -> None:
        """Apply what is buffered, and make this the state that ``rollback`` goes back to."""
        self._settle()
        self._at_commit = self.kb.store.state.explicit

    def rollback(self) -> None:
        """Bring the explicit triples back to what they were at the last ``commit``, whoever changed them since."""
        self._pending.clear()
        store = self.kb.store
        now, then = store.state.explicit, self._at_commit
        if now is not then:
            self.kb._commit(store.texts(then.difference(now)), store.texts(now.difference(then)), "auto")
            self._at_commit = store.state.explicit

    def add(self, triple: _TripleType, context: _ContextType | None = None, quoted: bool = False) -> None:
        """Buffer an explicit triple; what is no RDF is an error here and now."""
        if quoted:
            raise ReasonerError("the store keeps no quoted triples; add them to a graph with rdflib's Memory store")
        s, p, o = map(self._text, triple)
        for text in (s, p, o):
            if not _is_unicode(text):
                raise TermError(ascii(text), "holds half of a surrogate pair, which is no Unicode character")
        self._note(checked_triples((s, p, o))[0], True)
        super().add(triple, context, quoted)  # type: ignore[arg-type]

    def addN(self, quads: Iterable[_QuadType]) -> None:
        """Buffer explicit triples, whichever graph they are said to be in."""
        for s, p, o, context in quads:
            self.add((s, p, o), context)

    def remove(self, triple: _TriplePatternType, context: _ContextType | None = None) -> None:
        """Buffer the removal of the explicit triples that match; what they entailed goes with them."""
        pattern = self._pattern(triple)
        store = self.kb.store
        explicit = PatternLookup(store.state.explicit, Representatives(), store.dictionary)
        for found in (*self._buffered(pattern), *store.decoded(self._found(explicit, pattern))):
            self._note(found, False)
        super().remove(triple, context)

    def _note(self, triple: TextTriple, comes: bool) -> None:
        self._pending.setdefault(triple[0], {})[triple] = comes

    def _buffered(self, pattern: TextPattern) -> list[TextTriple]:
        s, p, o = pattern
        parts = self._pending.values() if s is None else [self._pending.get(s, {})]
        return [
            triple
            for part in parts
            for triple in part
            if (p is None or triple[1] == p) and (o is None or triple[2] == o)
        ]

    def triples(
        self, triple_pattern: _TriplePatternType, context: _ContextType | None = None
    ) -> Iterator[tuple[_TripleType, Iterator[_ContextType | None]]]:
        """Yield the triples of the closure that match, as it is when the first of them is asked for."""
        lookup = self._closure()
        given = triple_pattern
        for s, predicate, o in self._found(lookup, self._pattern(given)):
            name: Any = given[1] if given[1] is not None else _term(self.kb.store.dictionary.text(predicate))
            for subject, obj in zip(self._terms(s, given[0]), self._terms(o, given[2]), strict=True):
                yield (subject, name, obj), iter(())

    def __len__(self, context: _ContextType | None = None) -> int:
        """Count the closure."""
        return self._closure().size

    def contexts(self, triple: _TripleType | None = None) -> Generator[_ContextType, None, None]:
        """Yield nothing: the store knows of no graphs."""
        yield from ()

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

        rdflib does it, over our triples, where a query comes with bindings or other settings of its own, or as algebra
        without its text: that is what the error says that rdflib waits for.
        """
        if initBindings or kwargs or not (isinstance(query, str) or hasattr(query, "_original_args")):
            # rdflib falls back to its own evaluation on exactly this error.
            raise NotImplementedError("bindings, settings and algebra of rdflib are for rdflib's own evaluation")
        if not isinstance(query, str):
            query, initNs, base = query._original_args
        from reasoner.sparql import query as answer

        self._settle()
        prefixes = {prefix: str(namespace) for prefix, namespace in initNs.items()}
        return _rdflib_result(answer(self.kb, query, base=base or "", timeout=timeout, prefixes=prefixes))

    def update(
        self,
        update: Update | str,
        initNs: Mapping[str, Any],
        initBindings: Mapping[str, Identifier],
        queryGraph: str,
        **kwargs: Any,
    ) -> None:
        """Apply an update as one transaction; with bindings or as algebra it is left to rdflib, as queries are."""
        if initBindings or kwargs or not isinstance(update, str):
            # rdflib falls back to its own evaluation on exactly this error.
            raise NotImplementedError("bindings, settings and algebra of rdflib are for rdflib's own evaluation")
        from reasoner.sparql.update import update as apply

        self._settle()
        apply(self.kb, update, prefixes={prefix: str(namespace) for prefix, namespace in initNs.items()})

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace; without ``override`` only if both are free."""
        if not override and (prefix in self._namespace_of or namespace in self._prefix_of):
            return
        if (prefix_before := self._prefix_of.pop(namespace, None)) is not None:
            del self._namespace_of[prefix_before]
        if (namespace_before := self._namespace_of.pop(prefix, None)) is not None:
            del self._prefix_of[namespace_before]
        self._prefix_of[namespace] = prefix
        self._namespace_of[prefix] = namespace

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix of a namespace."""
        return self._prefix_of.get(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the namespace of a prefix."""
        return self._namespace_of.get(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Yield prefixes with their namespaces."""
        yield from list(self._namespace_of.items())

    def _settle(self) -> None:
        """Apply what is buffered as one transaction; if that fails, it stays in the buffer."""
        if self._pending:
            wanted = [item for part in self._pending.values() for item in part.items()]
            added = [triple for triple, comes in wanted if comes]
            removed = [triple for triple, comes in wanted if not comes]
            # Where nothing has been, there is nothing to maintain.
            self.kb._commit(added, removed, "auto" if len(self.kb.store.state.explicit) else "rematerialise")
            self._pending.clear()
        self.kb._materialised()

    def _closure(self) -> PatternLookup:
        self._settle()
        store = self.kb.store
        if self._lookup is None or self._lookup[0] is not store.state:
            state = store.state
            lookup = PatternLookup(state.facts, state.representatives, store.dictionary, hide_reflexive=store.axioms)
            self._lookup = (state, lookup)
        return self._lookup[1]

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
        return text if _is_unicode(text) else _NO_TERM

    def _text(self, term: Any) -> str:
        """Write a term; language tags have no case, and are in lower case unless the store knows them otherwise."""
        text = from_rdflib(term)
        language = term.language if isinstance(term, Literal) else None
        if language and _is_unicode(text) and self.kb.store.dictionary.lookup(text) is None:
            return text[: -len(language)] + language.lower()
        return text


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


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


def _settings(configuration: str | tuple[str, str]) -> dict[str, str]:
    """Read a configuration.

    >>> _settings("profile=dlp; equality=none")
    {'profile': 'dlp', 'equality': 'none'}
    """
    if not isinstance(configuration, str):
        raise ReasonerError(
            f"the configuration {configuration!r} is no text; write one like profile=dlp;equality=rewrite"
        )
    settings = {}
    for part in filter(None, map(str.strip, configuration.split(";"))):
        name, separator, value = (piece.strip() for piece in part.partition("="))
        if name not in SETTINGS or not separator:
            raise ReasonerError(f"unknown setting {part!r}: write name=value, with a name of {', '.join(SETTINGS)}")
        settings[name] = value
    return settings
