"""What is known of a data value whose datatypes are known: which other datatypes it has, and whether it can exist."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from reasoner.literals.hierarchy import (
    INTEGER_RANGES,
    PLAIN_LITERAL,
    RDFS_LITERAL,
    SUPPORTED,
    all_supertypes,
)
from reasoner.rules.term import RDF, XSD

_LANG_STRING = RDF + "langString"
_STRING = XSD + "string"
_INTEGER = XSD + "integer"


@dataclass(frozen=True, slots=True)
class ValueSpace:
    """The values that some datatypes have in common, as far as it is understood.

    ``datatypes`` are IRIs without brackets, upward closed; ``low`` and ``high`` bound integers, None being no bound.
    """

    datatypes: frozenset[str]
    low: Decimal | None = None
    high: Decimal | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no value is in all of the datatypes; if in doubt, there is one."""
        if self.low is not None and self.high is not None and self.low > self.high:
            return True
        return len({family for name in self.datatypes if (family := _family(name))}) > 1 or (
            {_STRING, _LANG_STRING} <= self.datatypes
        )

    def is_within(self, datatype: str) -> bool:
        """Tell whether all values are of a datatype; if in doubt, they are not."""
        if datatype in self.datatypes or (datatype == RDFS_LITERAL and self.datatypes):
            return True
        if self.is_empty:
            return True
        if datatype in INTEGER_RANGES and _INTEGER in self.datatypes:
            low, high = INTEGER_RANGES[datatype]
            return (low is None or (self.low is not None and self.low >= low)) and (
                high is None or (self.high is not None and self.high <= high)
            )
        return False

    def values(self, most: int) -> list[int] | None:
        """Return all integers of the space if there are at most so many of them."""
        if _INTEGER not in self.datatypes or self.low is None or self.high is None:
            return None
        return list(range(int(self.low), int(self.high) + 1)) if self.high - self.low < most else None


def value_space(types: Iterable[str]) -> ValueSpace:
    """Return what a value of some classes can be; classes that are no datatypes say nothing.

    >>> both = value_space([f"<{XSD}short>", f"<{XSD}unsignedInt>"])
    >>> both.is_within(XSD + "unsignedShort"), both.is_within(XSD + "byte")
    (True, False)
    """
    named = [text[1:-1] for text in types if text.startswith("<")]
    datatypes = frozenset(above for name in named if name in SUPPORTED for above in all_supertypes(name))
    datatypes |= {_LANG_STRING, PLAIN_LITERAL, RDFS_LITERAL} if _LANG_STRING in named else frozenset()
    bounds = [INTEGER_RANGES[name] for name in datatypes if name in INTEGER_RANGES]
    lows = [low for low, _ in bounds if low is not None]
    highs = [high for _, high in bounds if high is not None]
    return ValueSpace(datatypes, max(lows, default=None), min(highs, default=None))


def clash_of(types: Iterable[str]) -> str:
    """Say why nothing can belong to all of some classes as far as datatypes are among them; empty if something may."""
    names = list(types)
    if not value_space(names).is_empty:
        return ""
    datatypes = sorted(name for name in names if name[1:-1] in SUPPORTED and name[1:-1] != RDFS_LITERAL)
    return f"would be a value of {' and of '.join(datatypes)}, which have none in common"


def _family(datatype: str) -> str:
    """Return the top of the family that a datatype belongs to; families share no values. Empty if it is in none."""
    above = all_supertypes(datatype) - {RDFS_LITERAL}
    if datatype == _LANG_STRING or PLAIN_LITERAL in above:
        return PLAIN_LITERAL
    return next((name for name in sorted(above) if all_supertypes(name) == {name, RDFS_LITERAL}), "")
