"""Bringing (pi, I) up to date after a change, instead of starting over.

Read in this order: ``work`` (what is counted), ``backward_forward`` (B/F under rewriting) and ``core`` (the rules that
it is for), ``strata`` and ``update`` (the rules above, and a change on its way through them), ``dred`` and ``fbf``
(strategies for one stratum), ``trace`` and ``counting`` (one that remembers derivations),
``modular_strata``, ``dredc`` and ``closure_modules`` (the same with modules for transitive
predicates), ``predicate_variants``, ``rewritings`` and ``maintenance_rules`` (a program that tells
what a change does) and ``declarative`` (its evaluation), ``strategies`` (all of them by name), ``maintain`` (all of it
together), ``transaction`` (what users write).
"""
