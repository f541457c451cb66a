"""The rule language.

Read in this order: ``rule`` (the representation), ``errors``, ``prefixes`` (short names of IRIs), ``parser`` (text to
rules), ``printer`` (rules to text, and the text that rules equal up to constants share), ``value_joins`` (rules that
compare literals by value, and equality as ordinary rules), ``stratify`` (splits of the triple table, which of them
feed which, and strata by levels), ``template`` (rules equal up to constants), ``encode`` (rules over term ids) and
``levels`` (strata over ids).
"""

from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.terms.term import RDF_TYPE, SAME_AS, Term, Variable, iri, is_literal

__all__ = ["RDF_TYPE", "SAME_AS", "Atom", "Builtin", "Rule", "Term", "Variable", "iri", "is_literal"]
