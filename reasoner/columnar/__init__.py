"""The embedded engine, over sorted NumPy columns.

Read in this order: ``kernels``, ``table``, ``factset``, ``nearby`` (how facts are kept), ``auxiliary_predicates``
(facts that are never shown), ``bindings``, ``conditions``, ``plan``, ``plans``, ``match``, ``key_equality``,
``chaining`` (how rules are run), ``multiset``, ``counted_heads`` (how derivations are counted), ``representatives``,
``equalities``, ``literal_values``, ``rewrite``, ``membership`` (equality), ``closure`` (the modules), ``reachability``,
``transitive_updates``, ``component_updates``, ``closure_updates`` (the modules under maintenance), ``engine`` (the
protocol), ``own_equalities``, ``expand``, ``pattern_lookup``, ``answers``, ``repetitions``, ``datatype_violations``,
``constraints``, ``proofs`` (back to terms), ``named_graphs``, ``graphs`` (which graph asserts what), ``schema_lookup``
(what is said about names), ``regroup``, ``compare`` (what differs between two states), ``store`` (all of it together),
``persisted``, ``normal_forms``, ``kept_rules``, ``rule_home``, ``home`` and ``older_state`` (a store on disk),
``group_ranges``, ``row_groups``, ``form_groups``, ``keyed_rows`` and ``term_groups`` (its files, of which only what may
have an answer is read), ``term_search`` and ``vocabulary_sizes`` (what a store holds, for people who look around in
it).
"""
