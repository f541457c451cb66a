"""The embedded engine, over sorted NumPy columns.

Read in this order: ``kernels``, ``table``, ``factset`` (how facts are kept), ``bindings``, ``conditions``, ``plan``,
``plans``, ``match``, ``chaining`` (how rules are run), ``multiset``, ``counted_heads`` (how derivations
are counted), ``representatives``, ``equalities``, ``literal_values``,
``rewrite``, ``membership`` (equality), ``closure`` (the modules), ``reachability``,
``transitive_updates``, ``component_updates``, ``closure_updates`` (the modules under maintenance), ``engine`` (the protocol), ``expand``, ``answers``,
``compare``, ``proofs`` (back to terms), ``store`` (all of it together).
"""
