"""Triples as users give them: every term checked, and brought to its canonical N-Triples text.

All triples that come from Python pass here, one by one or a hundred thousand at a time: texts, terms of rdflib, and
whole graphs of rdflib. Documents (files, patches, SPARQL) have grammars of their own, which are as strict.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from loaders.errors import ReasonerError, printable
from loaders.grammar import (
    IRI_TOKEN,
    LANGUAGE_TOKEN,
    STRING_TOKEN,
    blank_token,
    not_plain,
    plain_terms,
)
from loaders.terms import LANG_STRING, from_rdflib, literal_text, lone_surrogate, unescape, unescaped_iri
from reasoner.terms.term import CacheRoom, TextTriple

if TYPE_CHECKING:
    import pyarrow as pa

# One triple, or many, of texts or of terms of rdflib; a graph of rdflib is many.
Triples = TextTriple | Iterable[tuple[Any, Any, Any]]

_REMEDY = (
    'write terms as in N-Triples: write IRIs as <http://e.org/a>, blank nodes as _:b, literals as "text", "text"@en or '
    '"1"^^<datatype>, or pass rdflib terms'
)
# Up to this many terms, checking one by one costs less than starting the bulk operation.
_FEW = 64
_ROOM = CacheRoom()
_FIRST = itemgetter(0)


class TermError(ReasonerError):
    """What is no term, or no term for its place; ``term`` is what was given."""

    def __init__(self, term: object, problem: str) -> None:
        self.term = term
        self.problem = problem
        shown = printable((str.__str__(term) if isinstance(term, str) else repr(term))[:200])
        super().__init__(f"{shown or repr(shown)} {problem}; {_REMEDY}")


def checked_triples(given: Triples) -> list[TextTriple]:
    """Return one triple, or many, with canonical terms; raise ``TermError`` for what is none.

    >>> checked_triples(("<http://e.org/a>", "<http://e.org/p>", r'"caf\\u00E9"'))
    [('<http://e.org/a>', '<http://e.org/p>', '"café"')]
    """
    triples = _as_triples(given)
    written = [part for triple in triples for part in triple]
    terms = canonical_terms(written)
    _check_places(terms)
    if terms is written:
        return triples
    parts = iter(terms)
    return list(zip(parts, parts, parts, strict=True))


def asserted_triples(given: Triples) -> list[TextTriple]:
    """Return triples that are to become facts: checked, and without the character NUL.

    RDF has that character and documents may bring it; whoever writes it in a program has read something as text that
    is none.
    """
    triples = checked_triples(given)
    for _, _, o in triples:
        if "\0" in o:
            raise TermError(o.replace("\0", "\\u0000"), "holds the character NUL, which is in no text")
    return triples


def asserted_terms(given: Triples) -> Sequence[str] | pa.Array:
    """Return the terms of ``asserted_triples``, one triple after another, for a dictionary to encode.

    Of many triples whose terms are canonical already, all are checked by one pass over the distinct ones.
    """
    triples = _as_triples(given)
    terms: Any = [part for triple in triples for part in triple]
    if len(terms) > _FEW and set(map(type, terms)) <= {str} and (encoded := plain_terms(terms)) is not None:
        _check_places(terms)
        return encoded
    return [part for triple in asserted_triples(triples) for part in triple]


def _check_places(terms: Sequence[str]) -> None:
    """Check that no subject is a literal and every predicate an IRI, in the terms of one triple after another."""
    subjects, predicates = terms[0::3], terms[1::3]
    if '"' in set(map(_FIRST, subjects)):
        raise TermError(next(s for s in subjects if s[0] == '"'), "is a literal, which cannot be a subject")
    if not set(map(_FIRST, predicates)) <= {"<"}:
        raise TermError(next(p for p in predicates if p[0] != "<"), "is not an IRI, which a predicate has to be")


def canonical_terms(terms: Sequence[object]) -> Sequence[str]:
    """Return terms in canonical form: the very sequence that was given, if they are many and all so already."""
    texts: Any = terms if set(map(type, terms)) <= {str} else list(map(text_of, terms))
    if len(texts) <= _FEW:
        return list(map(canonical_term, texts))
    distinct = list(dict.fromkeys(texts))  # In order: texts that are neighbours in memory are copied faster.
    try:
        others = {text: canonical_term(text) for text in not_plain(distinct)}
    except UnicodeEncodeError:
        others = {text: canonical_term(text) for text in distinct}
    return [others.get(text, text) for text in texts] if others else texts


def text_of(term: object) -> str:
    """Return a term, perhaps one of rdflib, as a text that has yet to be checked."""
    library = sys.modules.get("rdflib.term")
    if library is not None and isinstance(term, library.Identifier):
        try:
            text = from_rdflib(term)
        except TypeError:
            raise TermError(term, f"is not a term, but a {type(term).__name__}") from None
        if "\\" in text and isinstance(term, library.URIRef):
            raise TermError(text, "is not a term: an IRI cannot hold a backslash")
        return text
    if isinstance(term, str):
        return str.__str__(term)
    raise TermError(term, "is not a term, and what has it is not a triple of three texts, or of three rdflib terms")


def scan_term(text: str, start: int) -> tuple[str, int]:
    """Read the term that begins at a place of a text; return it in canonical form, and where it ends.

    IRIs may be relative: the store takes any name. Raise ``ValueError`` if no term begins there.
    """
    if match := IRI_TOKEN.match(text, start):
        return f"<{unescaped_iri(match[1])}>", match.end()
    if match := blank_token().match(text, start):
        return match[0], match.end()
    if match := STRING_TOKEN.match(text, start):
        lexical, end = unescape(match[1]), match.end()
        if language := LANGUAGE_TOKEN.match(text, end):
            return literal_text(lexical, language[1]), language.end()
        if text.startswith("^^", end) and (datatype := IRI_TOKEN.match(text, end + 2)):
            name = unescaped_iri(datatype[1])
            if name == LANG_STRING:
                raise ValueError("rdf:langString needs a language tag")
            return literal_text(lexical, datatype=name), datatype.end()
        return literal_text(lexical), end
    raise ValueError("is not a term")


@lru_cache(maxsize=1 << 16)
def canonical_term(text: str) -> str:
    """Return a term in canonical form; raise ``TermError`` if the text is not a term."""
    _ROOM.take(text, canonical_term.cache_clear)
    if lone_surrogate(text) is not None:
        raise TermError(text, "holds half of a surrogate pair, which is no Unicode character")
    try:
        term, end = scan_term(text, 0)
    except ValueError as error:
        problem = str(error)
        raise TermError(text, problem if problem.startswith("is ") else f"is not a term: {problem}") from None
    if end != len(text):
        raise TermError(text, "is not a term")
    return term


def is_rdflib_graph(source: object) -> bool:
    """Tell whether something is a graph of rdflib, without importing that library."""
    library = sys.modules.get("rdflib.graph")
    return library is not None and isinstance(source, library.Graph)


def _as_triples(given: Triples) -> list[TextTriple]:
    """Return what looks like triples, whatever their terms are."""
    if isinstance(given, str):
        raise TermError(given, "is one text, where a triple is three")
    if not isinstance(given, Iterable):
        raise TermError(given, "is neither a triple nor many")
    triples: list[Any] = list(given)
    if isinstance(given, tuple | list) and len(triples) == 3 and not any(isinstance(p, tuple | list) for p in triples):
        return [(triples[0], triples[1], triples[2])]
    if not (set(map(type, triples)) <= {tuple} and set(map(len, triples)) <= {3}):
        return list(map(_as_triple, triples))
    return triples


def _as_triple(given: object) -> Any:
    if not isinstance(given, tuple | list):
        raise TermError(given, "is not a triple of three texts, or of three rdflib terms")
    if len(given) == 4:
        raise TermError(given, "is a quad; give the name of its graph as graph=, and triples of three terms")
    if len(given) != 3:
        raise TermError(given, "is not a triple of three texts, or of three rdflib terms")
    return tuple(given)


def asked_triple(triple: Triples) -> TextTriple:
    """Return a triple that is asked about; violations have literals as subjects, so that questions may have them."""
    if isinstance(triple, str) or not isinstance(triple, Sequence) or len(triple) != 3:
        raise TermError(triple, "is not a triple of three texts, or of three rdflib terms")
    s, p, o = canonical_terms(triple)
    return s, p, o
