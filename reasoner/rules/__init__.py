"""The rule language.

Read in this order: ``term`` and ``rule`` (the representation), ``auxiliary`` (classes that answers never show),
``prefixes`` (short names of IRIs), ``tokens`` and
``parser`` (text to rules), ``printer`` (rules to text), ``abstract`` (text that rules equal up to constants share),
``value_joins`` (rules that compare literals by value), ``splits`` (the parts of the triple table that atoms touch),
``components`` (cycles of a graph), ``dependencies`` (which splits feed which), ``stratify`` (strata by levels),
``template`` (rules equal up to constants), ``encode`` (rules over term ids) and ``levels`` (strata over ids).

Only the representation is exported here; parser, printer and stratification are imported from their modules, because
the literals, which the parser needs, need the representation.
"""

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import RDF_TYPE, SAME_AS, Term, Variable, iri, is_literal

__all__ = ["RDF_TYPE", "SAME_AS", "Atom", "Builtin", "Rule", "Term", "Variable", "iri", "is_literal"]
