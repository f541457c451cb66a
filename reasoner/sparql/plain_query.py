"""The most common queries read without the grammar: SELECT and ASK over one basic graph pattern.

Deriving a parse tree takes milliseconds, which is longer than answering a selective query does. The texts that are read
here are of a sub-language of SPARQL; any other text, be it a larger query or a mistake, is left to the grammar.

    query    ::= (PREFIX name: <iri>)* (SELECT (DISTINCT | REDUCED)? (var+ | *) | ASK) WHERE? { triples } slice?
    triples  ::= (subject verb object (; verb object | , object)* .)*, the last dot may be missing
    slice    ::= LIMIT n (OFFSET n)?
    subject  ::= var | <iri> | prefix:local          verb ::= subject | a
    object   ::= subject | "string" (@language | ^^ datatype)? | digits

Names and variables are of ASCII letters, digits and underscores here, names also of hyphens, with neither escapes nor
comments in between. Deviation: none; a query that is read here has the algebra that the grammar and ``translate`` give.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from loaders.terms import literal_text, lone_surrogate
from reasoner.rules.term import RDF_TYPE
from reasoner.sparql.algebra import Bgp, Distinct, Node, Project, Query, Slice, Term, TriplePattern, visible
from reasoner.sparql.expression import Var
from reasoner.sparql.names import Names

_XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"

_SPACE = r"[ \t\r\n]"
_VARIABLE = r"[?$][A-Za-z0-9_]+"
_IRI = r"<[^<>\"{}|^`\\\x00-\x20]*>"
_PREFIX_NAME = r"(?:[A-Za-z][A-Za-z0-9_-]*)?"
_NAME = rf"{_PREFIX_NAME}:[A-Za-z0-9_][A-Za-z0-9_-]*"
_RESOURCE = rf"{_VARIABLE}|{_IRI}|{_NAME}"
# The grammar turns tabs into spaces, and a third quote begins another kind of string.
_LITERAL = rf"\"[^\"\\\n\r\t]*\"(?!\")(?:@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*|\^\^(?:{_IRI}|{_NAME}))?"
_SUBJECT = rf"({_RESOURCE}){_SPACE}+"
_VERB = rf"({_RESOURCE}|a){_SPACE}+"
# A dot may be a part of a name, unless nothing of a name follows.
_OBJECT = rf"({_RESOURCE}|{_LITERAL}|[0-9]+){_SPACE}*(\.(?=[ \t\r\n}}])|[;,}}]){_SPACE}*"

_DECLARATION = re.compile(rf"{_SPACE}*PREFIX{_SPACE}+({_PREFIX_NAME}):{_SPACE}*({_IRI})", re.IGNORECASE)
_HEAD = re.compile(
    rf"{_SPACE}*(?:(ASK)|SELECT(?:{_SPACE}+(DISTINCT|REDUCED))?(?:{_SPACE}*(\*)|((?:{_SPACE}+{_VARIABLE})+)))"
    rf"(?:{_SPACE}+WHERE)?{_SPACE}*{{{_SPACE}*",
    re.IGNORECASE,
)
_SLICE = re.compile(
    rf"(?:LIMIT{_SPACE}+([0-9]+)(?:{_SPACE}+OFFSET{_SPACE}+([0-9]+))?)?{_SPACE}*", re.IGNORECASE | re.ASCII
)

# What may come next, after how the last object ended.
_NEXT = {".": re.compile(_SUBJECT + _VERB + _OBJECT), ";": re.compile(_VERB + _OBJECT), ",": re.compile(_OBJECT)}


class _NotPlain(Exception):
    """The text is outside of the sub-language."""


def plain_query(text: str, base: str, prefixes: Mapping[str, str]) -> Query | None:
    """Translate a query of the sub-language; return None for any other text, right or wrong.

    >>> plain_query("SELECT ?x { ?x a <http://e.org/C> }", "", {}).variables
    ('x',)
    >>> plain_query("SELECT ?x { ?x a <http://e.org/C> FILTER(?x > 1) }", "", {}) is None
    True
    """
    if lone_surrogate(text) is not None:
        return None
    names = Names(text, (), base, prefixes)
    place = 0
    while declared := _DECLARATION.match(text, place):
        names.prefixes[declared[1]] = names.resolve(declared[2][1:-1])
        place = declared.end()
    head = _HEAD.match(text, place)
    if head is None:
        return None
    try:
        pattern, place = _pattern(text, head.end(), names)
    except _NotPlain:
        return None
    sliced = _SLICE.fullmatch(text, place)
    if sliced is None:
        return None
    ask, modifier, _, selected = head.groups()
    variables = tuple(dict.fromkeys(name[1:] for name in selected.split()) if selected else visible(pattern))
    node: Node = Project(pattern, variables)
    if modifier:
        node = Distinct(node)
    if sliced[1]:
        node = Slice(node, int(sliced[2] or 0), int(sliced[1]))
    return Query("ASK" if ask else "SELECT", node, variables, base=names.base, prefixes=names.prefixes)


def _pattern(text: str, place: int, names: Names) -> tuple[Bgp, int]:
    """Read triples up to the closing brace; return them with the place behind the space that follows it."""
    patterns: list[TriplePattern] = []
    subject: Term = ""
    verb: Term = ""
    mark = "."
    while mark != "}":
        if mark == "." and text.startswith("}", place):
            return Bgp(tuple(patterns)), _behind_space(text, place + 1)
        found = _NEXT[mark].match(text, place)
        if found is None:
            raise _NotPlain
        *others, last, mark = found.groups()
        if len(others) == 2:
            subject = _term(others[0], names)
        if others:
            verb = _term(others[-1], names)
        patterns.append(TriplePattern(subject, verb, _term(last, names)))
        place = found.end()
    return Bgp(tuple(patterns)), place


def _behind_space(text: str, place: int) -> int:
    while text.startswith((" ", "\t", "\r", "\n"), place):
        place += 1
    return place


def _term(token: str, names: Names) -> Term:
    first = token[0]
    if first in "?$":
        return Var(token[1:])
    if first == '"':
        return _literal(token, names)
    if first == "<":
        return f"<{names.resolve(token[1:-1])}>"
    if first.isdigit():
        return literal_text(token, datatype=_XSD_INTEGER)
    return RDF_TYPE if token == "a" else _named(token, names)


def _literal(token: str, names: Names) -> str:
    lexical, _, rest = token[1:].rpartition('"')
    if rest.startswith("^^"):
        datatype = _term(rest[2:], names)
        assert isinstance(datatype, str)
        return literal_text(lexical, datatype=datatype[1:-1])
    return literal_text(lexical, rest[1:] or None)


def _named(token: str, names: Names) -> str:
    prefix, _, local = token.partition(":")
    if prefix not in names.prefixes:
        # The grammar tells which prefix was meant.
        raise _NotPlain
    return f"<{names.prefixes[prefix]}{local}>"
