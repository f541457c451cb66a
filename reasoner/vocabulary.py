"""Ids that mean the same in every store, and the terms behind them."""

from __future__ import annotations

from reasoner.rules.term import RDF_TYPE, SAME_AS

# owl:sameAs has the smallest id, so that it represents whatever becomes equal to it (paper 2, section 2).
SAME = 0
TYPE = 1
RESERVED_TERMS = (SAME_AS, RDF_TYPE)

# (c, OCCURS, c) says that the term c occurs in some fact. It stands for the virtual reflexive equality c = c, is kept
# only where a rule asks for it, and never leaves the engine.
OCCURS = (1 << 31) - 1
