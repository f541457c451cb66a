"""A query or update text to the parse tree of rdflib's grammar, with errors at the place where reading stopped."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from loaders.errors import MOST_NESTED
from loaders.terms import lone_surrogate
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.signed_numbers import signs_as_written

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_WORD = re.compile(r"[^\s(){}\[\];,]+|\S")
# Brackets, and what may contain characters that look like brackets: comments, IRIs and strings.
_BRACKET = re.compile(
    r"""(?P<open>[({\[])|(?P<close>[)}\]])|<[^<>"{}|^`\\\s]*>|\#[^\n\r]*"""
    r"""|\"{3}(?:[^"\\]|\\.|"{1,2}(?!"))*\"{3}|'{3}(?:[^'\\]|\\.|'{1,2}(?!'))*'{3}"""
    r"""|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'""",
    re.DOTALL,
)
_MOST_EXPECTED = 6

# The grammar is one set of objects for the whole process, and so are the settings that it is read with.
_GRAMMAR = threading.RLock()
_LARGE_STACK = 1 << 29
_DEEP = 200_000

T = TypeVar("T")


def parse_tree(text: str, unit: str = "query") -> Any:
    """Return rdflib's parse tree of a query, its prologue and its body, or of an ``unit="update"``.

    The tree of an update has its operations as ``request``, and what is declared before each as ``prologue``.

    Deviation from rdflib: numbers keep the lexical form that they are written with.
    """
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql.parser import Query, UpdateUnit

    grammar = UpdateUnit if unit == "update" else Query
    if (place := lone_surrogate(text)) is not None:
        raise QuerySyntaxError("half of a surrogate pair is no Unicode character", text, place)
    text = resolve_escapes(text)
    _refuse_deep_nesting(text, unit)
    with _GRAMMAR, _numbers_as_written(), signs_as_written():
        _keep_inverses_in_negated_sets()
        try:
            tree = _with_room(lambda: grammar.parse_string(text, parse_all=True))
            return tree[0] if unit == "update" else tree
        except ParseBaseException:
            position, expected = _with_room(lambda: _furthest_failure(grammar, text))
        except RecursionError as error:
            raise QuerySyntaxError(f"the {unit} is nested too deeply", text, 0) from error
    found = _WORD.match(text, position)
    message = f"unexpected {found[0]!r}" if found else f"unexpected end of the {unit}"
    if 0 < len(expected) <= _MOST_EXPECTED:
        message += f", expected {' or '.join(expected)}"
    raise QuerySyntaxError(message, text, position)


def resolve_escapes(text: str) -> str:
    r"""Resolve ``\uXXXX`` and ``\UXXXXXXXX``, which may stand anywhere in a query.

    >>> resolve_escapes(r"caf\u00E9")
    'café'
    """

    def character(match: re.Match[str]) -> str:
        number = int(match[1] or match[2], 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise QuerySyntaxError(f"{match[0]} is not a Unicode character", text, match.start())
        return chr(number)

    return _ESCAPE.sub(character, text) if "\\" in text else text


def _refuse_deep_nesting(text: str, unit: str) -> None:
    depth = 0
    for match in _BRACKET.finditer(text):
        if match.lastgroup:
            depth += 1 if match.lastgroup == "open" else -1
            if depth > MOST_NESTED:
                raise QuerySyntaxError(f"the {unit} is nested too deeply", text, match.start())


def _with_room(parse: Callable[[], T]) -> T:
    """Parse, on a larger stack if need be: the grammar goes down a few steps with every triple."""
    try:
        return parse()
    except RecursionError:
        pass
    from concurrent.futures import ThreadPoolExecutor

    limit, size = sys.getrecursionlimit(), threading.stack_size(_LARGE_STACK)
    sys.setrecursionlimit(max(limit, _DEEP))
    try:
        with ThreadPoolExecutor(max_workers=1) as executor:
            return executor.submit(parse).result()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)


def _furthest_failure(grammar: Any, text: str) -> tuple[int, list[str]]:
    """Read a malformed text again; return how far any alternative of the grammar came, and what it wanted there.

    The parser itself reports where the outermost alternative that failed began, which is often lines before the error.
    """
    from pyparsing import ParseBaseException, ParserElement

    reached = 0
    wanted: dict[str, None] = {}
    ordinary = ParserElement._parse

    def recording(element: Any, *arguments: Any, **settings: Any) -> Any:
        nonlocal reached
        try:
            return ordinary(element, *arguments, **settings)
        except ParseBaseException as failure:
            if failure.loc > reached:
                reached = failure.loc
                wanted.clear()
            if failure.loc == reached and failure.msg.startswith("Expected '") and "#" not in failure.msg:
                wanted[failure.msg.removeprefix("Expected ")] = None
            raise

    try:
        ParserElement._parse = recording  # type: ignore[assignment]
        grammar.parse_string(text, parse_all=True)
    except ParseBaseException as failure:
        reached = max(reached, failure.loc)
    finally:
        ParserElement._parse = ordinary
    rest = text[reached:]
    return reached + len(rest) - len(rest.lstrip()), list(wanted)


@contextmanager
def _numbers_as_written() -> Iterator[None]:
    import rdflib

    before = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        yield
    finally:
        rdflib.NORMALIZE_LITERALS = before


def _keep_inverses_in_negated_sets() -> None:
    """Let the grammar keep the IRI of ``^iri`` within ``!( )``, which it reads and drops."""
    from rdflib.plugins.sparql.parser import PathOneInPropertySet
    from rdflib.plugins.sparql.parserutils import Param

    choices: Any = PathOneInPropertySet
    inverse = choices.exprs[-1]
    if inverse.name == "InversePath" and not isinstance(inverse.expr.exprs[-1], Param):
        inverse.expr.exprs[-1] = Param("part", inverse.expr.exprs[-1])
