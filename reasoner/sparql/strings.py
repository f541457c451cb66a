"""The functions on strings (17.4.3), over canonical texts of terms."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from reasoner.sparql.backtracking import answers, compiled
from reasoner.sparql.comparison import boolean
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.numbers import INTEGER, number, number_text, rounded
from reasoner.sparql.regex_syntax import regex_of, replacement_pieces
from reasoner.terms.value import XSD_STRING, literal_parts, literal_text


def string_parts(text: str) -> tuple[str, str | None]:
    """Return the characters and the language tag of a string literal."""
    if text.startswith('"'):
        lexical, datatype, language = literal_parts(text)
        if language is not None or datatype == XSD_STRING:
            return lexical, language
    raise ExpressionError(f"{text} is no string")


def simple(text: str) -> str:
    """Return the characters of a string without a language tag."""
    lexical, language = string_parts(text)
    if language is not None:
        raise ExpressionError(f"{text} has a language tag")
    return lexical


def compatible(first: str, second: str) -> tuple[str, str, str | None]:
    """Return the characters of two compatible strings (17.4.3.1.2) and the tag of the first."""
    left, language = string_parts(first)
    right, other = string_parts(second)
    if other is not None and other.lower() != (language or "").lower():
        raise ExpressionError(f"{first} and {second} differ in language")
    return left, right, language


def string(text: str) -> str:
    """Return STR: the lexical form of a literal, or the IRI as a string."""
    if text.startswith('"'):
        return literal_text(literal_parts(text)[0])
    if text.startswith("<"):
        return literal_text(text[1:-1])
    raise ExpressionError("a blank node has no string")


def length(text: str) -> str:
    return number_text(INTEGER, len(string_parts(text)[0]))


def mapped(change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that changes the characters and keeps the language tag."""

    def apply(text: str) -> str:
        lexical, language = string_parts(text)
        return literal_text(change(lexical), language=language)

    return apply


def tested(test: Callable[[str, str], bool]) -> Callable[[str, str], str]:
    """Return a test of one string against a compatible other."""

    def apply(first: str, second: str) -> str:
        left, right, _ = compatible(first, second)
        return boolean(test(left, right))

    return apply


def before(first: str, second: str) -> str:
    """Return STRBEFORE: a simple empty string where the other does not occur."""
    left, right, language = compatible(first, second)
    head, found, _ = ("", True, "") if not right else left.partition(right)
    return literal_text(head, language=language) if found else '""'


def after(first: str, second: str) -> str:
    """Return STRAFTER."""
    left, right, language = compatible(first, second)
    _, found, tail = ("", True, left) if not right else left.partition(right)
    return literal_text(tail, language=language) if found else '""'


def substring(text: str, start: str, count: str | None = None) -> str:
    """Return SUBSTR; positions count from 1 and are rounded as XPath does."""
    lexical, language = string_parts(text)
    first = _position(start)
    last = float("inf") if count is None else first + _position(count)
    kept = "".join(character for place, character in enumerate(lexical, 1) if first <= place < last)
    return literal_text(kept, language=language)


def _position(text: str) -> float:
    return float(number(rounded(text)).value)


def encoded(text: str) -> str:
    """Return ENCODE_FOR_URI."""
    return literal_text(quote(string_parts(text)[0], safe="-_.~"))


def concatenated(*texts: str) -> str:
    """Return CONCAT: with a language tag if all arguments have the same one."""
    parts = [string_parts(text) for text in texts]
    tags = {language for _, language in parts}
    return literal_text("".join(lexical for lexical, _ in parts), language=tags.pop() if len(tags) == 1 else None)


def language_matches(tag: str, wanted: str) -> str:
    """Return LANGMATCHES: basic filtering of RFC 4647."""
    given, basic = simple(tag).lower(), simple(wanted).lower()
    if basic == "*":
        return boolean(given != "")
    return boolean(given == basic or given.startswith(basic + "-"))


def regex(text: str, pattern: str, flags: str = '""') -> str:
    """Return REGEX, for one text and without a limit; ``regex_column`` is for many, and within one."""
    found = _answer(string_parts(text)[0], simple(pattern), None, simple(flags))
    return boolean(bool(found))


def replaced(text: str, pattern: str, replacement: str, flags: str = '""') -> str:
    """Return REPLACE; a pattern that matches the empty string is an error."""
    lexical, language = string_parts(text)
    found = _answer(lexical, simple(pattern), simple(replacement), simple(flags))
    if not isinstance(found, str):
        raise ExpressionError("the pattern of REPLACE matches the empty string")
    return literal_text(found, language=language)


def _answer(text: str, pattern: str, template: str | None, flags: str) -> bool | str | None:
    try:
        expression = regex_of(pattern, flags)
        groups = compiled(expression.python, expression.options).groups
        pieces = None if template is None else (template,) if "q" in flags else replacement_pieces(template, groups)
        return answers(expression.python, expression.options, pieces, [text])[0]
    except ValueError as error:
        raise ExpressionError(str(error)) from error
