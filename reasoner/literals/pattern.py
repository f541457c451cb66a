"""XML Schema regular expressions in Python's dialect, for the ``xsd:pattern`` facet."""

from __future__ import annotations

import re
from functools import lru_cache

_WHITE_SPACE = " \\t\\n\\r"
# What means the same in both dialects after a backslash; multi-character escapes such as \i, \c, \p and \w do not.
_SHARED_ESCAPES = frozenset("ntr\\|.?*+(){}-[]^dD")


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    r"""Translate a pattern; None if it is malformed or uses what Python has no counterpart for.

    A string satisfies the facet iff the whole of it matches (``fullmatch``). ``^`` and ``$`` are ordinary
    characters, ``.`` excludes both line ends, ``\s`` is the four white space characters of XML.

    >>> bool(compile_pattern("[0-9]{3}-[a-z.]+").fullmatch("123-a.b"))
    True
    >>> compile_pattern(r"\p{Lu}") is None
    True
    """
    translated = _translate(pattern)
    try:
        return None if translated is None else re.compile(translated)
    except re.error:
        return None


def _translate(pattern: str) -> str | None:
    pieces: list[str] = []
    in_class = False
    position = 0
    while position < len(pattern):
        character = pattern[position]
        following = pattern[position + 1 : position + 2]
        position += 1
        if character == "\\":
            position += 1
            if following == "s":
                pieces.append(_WHITE_SPACE if in_class else f"[{_WHITE_SPACE}]")
            elif following == "S" and not in_class:
                pieces.append(f"[^{_WHITE_SPACE}]")
            elif following in _SHARED_ESCAPES and following:
                pieces.append(character + following)
            else:
                return None
        elif in_class:
            # A class inside a class is XML Schema's set difference.
            if character == "[":
                return None
            in_class = character != "]"
            # A doubled mark is a set operation in some dialects, and Python warns of it.
            pieces.append("\\" + character if character in "&~|" else character)
        elif character == "[":
            in_class = True
            pieces.append(character)
            if following == "^":
                pieces.append(following)
                position += 1
        elif character == "(" and following == "?":
            return None
        else:
            pieces.append({"^": "\\^", "$": "\\$", ".": "[^\\n\\r]"}.get(character, character))
    return "".join(pieces)
