"""Bringing (pi, I) up to date after a change, instead of starting over.

Read in this order: ``work`` and ``cost`` (what is counted and measured), ``race`` (who runs next, and for how long),
``backward_forward`` and ``dred_equality`` (deletion under rewriting) and ``core`` (the rules that they are for),
``strata`` and ``update`` (the rules above, and a change on its way through them), ``dred`` and ``fbf`` (strategies for
one stratum), ``trace`` and ``counting`` (one that remembers derivations), ``modular_strata``, ``dredc`` and
``closure_modules`` (the same with modules for transitive predicates), ``predicate_variants``, ``rewritings`` and
``maintenance_rules`` (a program that tells what a change does), ``unfolding`` (variable predicates in it) and
``declarative`` (its evaluation), ``declarative_strategy``, ``strategies`` (all of them by name), ``program`` (what is
compiled once), ``rule_difference`` and ``changed_program`` (when rules change), ``maintain`` (all of it together),
``ticket`` and ``dynamic`` (updates that come while others are worked on), ``transaction`` (what users write).
"""
