"""How much a document may ask of whoever reads it: bounds against input made to exhaust memory or time.

Each bound has a default that no ordinary data comes near, and a variable of the environment that sets another one.
"""

from __future__ import annotations

import os
from enum import Enum

from loaders.errors import LoadError


class Limit(Enum):
    """A bound: the variable that sets it, and its value if nobody does."""

    LINE_BYTES = ("REASONER_MAX_LINE_BYTES", 64 << 20)
    """The longest line of N-Triples and N-Quads."""

    UNPACKED_RATIO = ("REASONER_MAX_UNPACKED_RATIO", 200)
    """How many times its size a compressed file may unpack to, once it has unpacked to 64 MiB."""

    NESTING = ("REASONER_MAX_NESTING", 256)
    """How deep the objects and arrays of JSON-LD may lie in each other."""

    ENTITY_CHARACTERS = ("REASONER_MAX_ENTITY_CHARACTERS", 4096)
    """What one entity of XML may stand for, all entities in it replaced."""

    ENTITY_RATIO = ("REASONER_MAX_ENTITY_RATIO", 32)
    """How many times its size a document of XML may grow to by its entities, once that is 1 MiB."""

    @property
    def variable(self) -> str:
        """The variable of the environment that sets the bound."""
        return self.value[0]

    def get(self) -> int:
        """Return the bound in force."""
        text = os.environ.get(self.variable)
        if text is None:
            return self.value[1]
        if not text.isdecimal() or int(text) < 1:
            raise LoadError(f"{self.variable} is {text!r}; set it to a whole number of at least 1")
        return int(text)

    def remedy(self) -> str:
        """Say what the bound is and how to set another one, for the end of an error message."""
        return f"the limit is {self.get():,}; set {self.variable} to allow more if you trust the source"
