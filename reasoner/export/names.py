"""Names of tables that people can read and that never clash."""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNUSABLE = re.compile(r"[^A-Za-z0-9]+")
_LONGEST = 48


class TableNames:
    """Hands out names; databases and file systems may take upper and lower case for the same.

    >>> names = TableNames()
    >>> names.of("class", "<http://e.org/Person>"), names.of("class", "<http://f.org#person>")
    ('class_Person', 'class_person_2')
    >>> names.of("property", "<http://e.org/has-name>"), names.of("class", "_:b1")
    ('property_has_name', 'class_blank_b1')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def of(self, kind: str, term: str) -> str:
        """Return a new name for the table of a class or a property."""
        stem = name = f"{kind}_{_readable(term)}"
        number = 1
        while name.lower() in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name.lower())
        return name


def _readable(term: str) -> str:
    if term.startswith("_:"):
        word = "blank_" + term[2:]
    elif term.startswith('"'):
        word = "literal"
    else:
        word = re.split(r"[#/:]", term[1:-1].rstrip("#/:"))[-1]
    return _UNUSABLE.sub("_", word).strip("_")[:_LONGEST] or "unnamed"
