"""The embedded engine, over sorted NumPy columns.

Read in this order: ``memory`` (how much of it there is), ``kernels``, ``table``, ``factset``, ``nearby`` (how facts are
kept), ``bindings``, ``scan``, ``join_order`` (how all joins are made), ``prospects``, ``plans``, ``match``,
``chaining`` (how rules are run), ``multiset`` (how derivations are counted), ``representatives``, ``literal_values``,
``membership`` (equality), ``closure`` (the modules), ``transitive_updates`` and ``component_updates`` (the modules
under maintenance), ``engine`` (the protocol), ``own_equalities``, ``expand``, ``answers``, ``constraints``, ``proofs``
(back to terms), ``graphs`` (which graph asserts what), ``schema_lookup`` (what is said about names), ``compare`` (what
differs between two states), ``store`` (all of it together), ``persisted``, ``normal_forms`` and ``home`` (a store on
disk, with its rules), ``row_groups`` (its files, of which only what may have an answer is read), ``term_search`` and
``vocabulary_sizes`` (what a store holds, for people who look around in it).
"""
