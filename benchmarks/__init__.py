"""The figures that this project promises, measured against peers in the same run on the same machine.

``python -m benchmarks [NAME...] [--group NAME] [--quick] [--repeat N] [--plots FOLDER] [--record] [--list]`` prints
every figure beside its target, and exits with 1 if one is missed. Not a part of the installed package. Reading order:

- ``seconds``: processor and elapsed time, and the stopwatch that takes them
- ``data``: data sets, generated once
- ``measure``: one measured system in a process of its own, several times over
- ``figure``: a measured number, its target and whether that is met
- ``sheet``: many measurements that belong together, as a table and as curves
- ``worker``: what runs in the measured process
- ``systems``: this reasoner and its peers, each in its best form
- ``nemo_rules``, ``java_peers``: our rules in the syntax of others, and how to get those that run on Java
- ``lubm_jobs``: what the benchmarks over LUBM share
- ``reasoning_lubm``, ``reasoning_peers``, ``file_to_closure``, ``loading``, ``subclass_axioms``, ``transitive``,
  ``equality``, ``memory``, ``growth``, ``start_up``: one benchmark each; the docstring tells data, peers and target
- ``fact_sample``, ``checksum``: random facts to change, and whether what follows is the same
- ``update_jobs``: what the benchmarks of changes share
- ``update_lubm``, ``update_growth``, ``update_equality``, ``one_class``, ``many_rules``, ``default_profile``,
  ``four_way``, ``break_even``, ``dynamic_streams``: one benchmark of changes each
- ``axiom_change``: what the benchmarks of changing axioms share
- ``axiom_lubm``, ``axiom_taxonomy``, ``volz``: one benchmark of changing axioms or rules each
- ``lubm_queries``: the texts of queries
- ``queries_lubm``, ``queries_class``: one benchmark of queries each
- ``server_load``: readers of a server beside a writer
- ``spark_load``, ``spark_materialise``, ``spark_updates``, ``spark_equality``: loading and reasoning with Spark; in the
  group ``spark``, which runs when it is asked for
- ``regression``: what became slower since ``recorded.json``; in a group of its own, ``make bench-quick``
- ``scaling``: curves over data, rules and classes; in the group ``plots``
- ``registry``: all of them by name
- ``machine``, ``report``, ``plots``: where it ran, and what came out
"""
