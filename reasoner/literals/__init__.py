"""Literal values: lexical forms to values, comparison, and the builtins of rules.

Read in this order: ``text`` (a literal's text and its parts), ``hierarchy`` (the datatypes as data), ``cache_room``
(caches of texts kept within bytes), ``numeric``, ``timeline``, ``strings`` and ``xml_literal`` (lexical forms to
values, one family each), ``value`` (any literal to its value, identity and order), ``pattern`` and ``datatypes``
(value spaces and facets), ``builtins``.
"""

from reasoner.literals.builtins import BUILTINS, Definition
from reasoner.literals.datatypes import in_value_space, satisfies_facet
from reasoner.literals.hierarchy import SUPERTYPES, SUPPORTED
from reasoner.literals.text import literal_parts, literal_text
from reasoner.literals.value import Value, compare, value_key, value_of

__all__ = [
    "BUILTINS",
    "SUPERTYPES",
    "SUPPORTED",
    "Definition",
    "Value",
    "compare",
    "in_value_space",
    "literal_parts",
    "literal_text",
    "satisfies_facet",
    "value_key",
    "value_of",
]
