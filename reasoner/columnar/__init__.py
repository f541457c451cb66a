"""The embedded engine, over sorted NumPy columns.

Read in this order: ``kernels``, ``table``, ``factset`` (how facts are kept), ``bindings``, ``conditions``, ``plan``,
``plans``, ``match``, ``chaining`` (how rules are run), ``representatives``, ``equalities``, ``literal_values``,
``rewrite``, ``membership`` (equality), ``closure`` (the modules), ``engine`` (the protocol), ``expand``, ``answers``,
``compare``, ``proofs`` (back to terms), ``store`` (all of it together).
"""
