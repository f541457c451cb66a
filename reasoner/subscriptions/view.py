"""What can be subscribed to: SELECT and ASK, a group in braces, triple patterns as text, or one as a tuple."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, cast

from reasoner.rules.errors import ReasonerError
from reasoner.rules.parser import parse_patterns
from reasoner.rules.rule import Atom
from reasoner.sparql.algebra import (
    VOLATILE,
    Bgp,
    Call,
    Exists,
    Filter,
    Node,
    Project,
    Query,
    ServicePattern,
    TriplePattern,
    Var,
    visible,
)
from reasoner.sparql.translate import opening_of, translate
from reasoner.terms.term import Variable
from reasoner.terms.triple_text import TermError, checked_triples, text_of

if TYPE_CHECKING:
    from reasoner.terms.term import TextTriple

# What a query in SPARQL begins with, declarations aside; a group alone asks for all of its variables.
_GROUP = ("WHERE", "{")
_SPARQL = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE", *_GROUP)

# What these give does not follow from the facts.
_UNSTEADY = VOLATILE | {"NOW"}

_ANY = "<any>"


# One triple, as N-Triples texts or terms of rdflib; None is open.
TriplePatternTuple = tuple[object, object, object]
_PLACES = ("s", "p", "o")


def view_of(
    asked: str | TriplePatternTuple | Query, *, base: str = "", prefixes: Mapping[str, str] | None = None
) -> Query:
    """Return what is asked for, as a query of the algebra; a query of the algebra stays what it is.

    A text is SPARQL if its first word, prefixes aside, is that of a query or opens a group; else it is patterns as
    ``Reasoner.select`` takes them, perhaps with ``not``, and answered as a query is. A tuple is one triple, in which
    None is open; its variables are ``s``, ``p`` and ``o``, as far as they are open.

    >>> view_of((None, "<http://e.org/p>", None)).variables
    ('s', 'o')
    >>> view_of("?x a <http://e.org/C>, ?x <http://e.org/p> ?y").variables
    ('x', 'y')
    >>> view_of("PREFIX : <http://e.org/> { ?y :p ?x FILTER(?x > 3) }").variables
    ('y', 'x')
    """
    if isinstance(asked, Query):
        return asked
    if isinstance(asked, tuple):
        return _of_triple(asked)
    if not isinstance(asked, str):
        raise ReasonerError(
            f"{asked!r} cannot be subscribed to; give SELECT or ASK, patterns such as '?x a <http://e.org/Person>', "
            "or a triple with None for what is open"
        )
    text = asked
    opening, place = opening_of(text)
    if opening not in _SPARQL:
        return _of_patterns(text, prefixes)
    if opening in _GROUP:
        text = f"{text[:place]}SELECT * {text[place:]}"
    query = translate(text, base=base, prefixes=prefixes)
    if query.form not in ("SELECT", "ASK"):
        raise ReasonerError(f"{query.form} cannot be subscribed to; use SELECT or ASK")
    for part in _parts(query.node):
        if isinstance(part, ServicePattern):
            raise ReasonerError("SERVICE cannot be subscribed to: the answers of another endpoint change unheard")
        if isinstance(part, Call) and part.name in _UNSTEADY:
            raise ReasonerError(
                f"{part.name}() gives another value each time, so that answers would change without a commit; "
                "subscribe without it"
            )
    return query


def _of_triple(given: tuple[object, ...]) -> Query:
    if len(given) != len(_PLACES):
        raise ReasonerError(f"{given!r} cannot be subscribed to: a triple has three terms, each of which may be None")
    # Terms are checked in a triple that has some name where they are open.
    texts = tuple(_ANY if term is None else _text(term) for term in given)
    (checked,) = checked_triples([cast("TextTriple", texts)])
    s, p, o = (Var(place) if term is None else text for place, term, text in zip(_PLACES, given, checked, strict=True))
    node = Bgp((TriplePattern(s, p, o),))
    shown = tuple(visible(node))
    return Query("SELECT", Project(node, shown), shown)


def _text(term: object) -> str:
    try:
        return text_of(term)
    except TermError:
        raise ReasonerError(
            f"{term!r} cannot be subscribed to: a term is a text such as <http://e.org/a>, a term of rdflib, or None"
        ) from None


def _of_patterns(text: str, prefixes: Mapping[str, str] | None) -> Query:
    body, negative, conditions = parse_patterns(text, prefixes)
    if conditions:
        raise ReasonerError(
            f"the builtin {conditions[0].name} cannot be subscribed to in patterns; write SELECT with FILTER"
        )
    if not body:
        raise ReasonerError("there is no pattern to subscribe to; write one such as ?x a <http://e.org/Person>")
    node: Node = Bgp(tuple(map(_pattern, body)))
    shown = tuple(visible(node))
    if negative:
        node = Filter(tuple(Exists(Bgp((_pattern(atom),)), negated=True) for atom in negative), node)
    return Query("SELECT", Project(node, shown), shown)


def _pattern(atom: Atom) -> TriplePattern:
    s, p, o = (Var(term.name) if isinstance(term, Variable) else term for term in atom)
    return TriplePattern(s, p, o)


def _parts(value: object) -> Iterator[object]:
    """Yield everything that a node consists of."""
    if isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif is_dataclass(value):
        yield value
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
