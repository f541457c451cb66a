"""Bringing (pi, I) up to date after a change, instead of starting over.

Read in this order: ``race`` (what strategies cost, which runs next, and for how long), ``backward_forward`` (deletion
under rewriting), ``core_closures`` (transitive predicates in it) and ``core`` (the rules that it is for), ``strata``
and ``update`` (the rules above, a change on its way through them, and the work that is counted), ``dred`` and ``fbf``
(strategies for one stratum), ``counting`` (one that remembers derivations), ``modular_strata`` and ``dredc`` (the same
with modules for transitive predicates), ``maintenance_rules`` (a program that tells what a change does), ``unfolding``
(variable predicates in it) and ``declarative`` (its evaluation), ``strategies`` (all of them by name), ``program``
(what is compiled once), ``rule_difference`` (when rules change), ``maintain`` (all of it together).
"""
