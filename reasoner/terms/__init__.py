"""Terms and literal values, as users write them and as rules compare them.

Read in this order: ``term`` (constants, variables, triples of texts, and ids that mean the same in every store),
``triple_text`` (triples as users give them) and ``quads`` (triples in graphs); then literals: ``hierarchy`` (the
datatypes as data), ``value`` (any literal to its value, identity and order), ``datatypes`` (value spaces and facets),
``builtins``.
"""
