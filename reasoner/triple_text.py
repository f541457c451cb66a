"""Triples as users write them: every term checked, and brought to its canonical N-Triples text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from loaders.grammar import IRI_TOKEN, LANGUAGE_TOKEN, STRING_TOKEN, blank_token
from loaders.terms import LANG_STRING, literal_text, unescape
from reasoner.errors import ReasonerError
from reasoner.violation import TextTriple

_REMEDY = 'write terms as in N-Triples: <http://e.org/a>, _:b, "text", "text"@en, "1"^^<datatype>'


class TermError(ReasonerError):
    """A text that is no term, or no term for its place; ``term`` is the text."""

    def __init__(self, term: object, problem: str) -> None:
        self.term = term
        self.problem = problem
        shown = term if isinstance(term, str) else repr(term)
        super().__init__(f"{shown[:200] or repr(shown)} {problem}; {_REMEDY}")


def checked_triples(given: TextTriple | Iterable[TextTriple]) -> list[TextTriple]:
    """Return one triple, or many, with canonical terms; raise ``TermError`` for what is none.

    >>> checked_triples(("<http://e.org/a>", "<http://e.org/p>", r'"caf\\u00E9"'))
    [('<http://e.org/a>', '<http://e.org/p>', '"café"')]
    """
    if isinstance(given, str):
        raise TermError(given, "is one text, where a triple is three")
    if isinstance(given, (tuple, list)) and len(given) == 3 and all(isinstance(part, str) for part in given):
        return [_checked(given)]
    return [_checked(triple) for triple in given]


def scan_term(text: str, start: int) -> tuple[str, int]:
    """Read the term that begins at a place of a text; return it in canonical form, and where it ends.

    IRIs may be relative: the store takes any name. Raise ``ValueError`` if no term begins there.
    """
    if match := IRI_TOKEN.match(text, start):
        return f"<{unescape(match[1])}>", match.end()
    if match := blank_token().match(text, start):
        return match[0], match.end()
    if match := STRING_TOKEN.match(text, start):
        lexical, end = unescape(match[1]), match.end()
        if language := LANGUAGE_TOKEN.match(text, end):
            return literal_text(lexical, language[1]), language.end()
        if text.startswith("^^", end) and (datatype := IRI_TOKEN.match(text, end + 2)):
            if unescape(datatype[1]) == LANG_STRING:
                raise ValueError("rdf:langString needs a language tag")
            return literal_text(lexical, datatype=unescape(datatype[1])), datatype.end()
        return literal_text(lexical), end
    raise ValueError("is not a term")


@lru_cache(maxsize=1 << 16)
def canonical_term(text: str) -> str:
    """Return a term in canonical form; raise ``TermError`` if the text is not a term."""
    try:
        term, end = scan_term(text, 0)
    except ValueError as error:
        problem = str(error)
        raise TermError(text, problem if problem.startswith("is ") else f"is not a term: {problem}") from None
    if end != len(text):
        raise TermError(text, "is not a term")
    return term


def _checked(triple: object) -> TextTriple:
    if not isinstance(triple, (tuple, list)) or len(triple) != 3 or not all(isinstance(part, str) for part in triple):
        raise TermError(triple, "is not a triple of three texts")
    s, p, o = map(canonical_term, triple)
    if s.startswith('"'):
        raise TermError(s, "is a literal, which cannot be a subject")
    if not p.startswith("<"):
        raise TermError(p, "is not an IRI, which a predicate has to be")
    return s, p, o
