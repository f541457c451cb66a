"""The measured systems: this reasoner, and its peers, each in the form that is best for it.

Every public function takes a stopwatch, times its phases with it, and returns a result (counts of facts, compared
between systems outside all phases) and further numbers. Reading order: ``ours``, ``updates`` (ours as well,
while facts change), ``axioms`` and ``volz`` (while axioms and rules do), ``regression`` (beside a yardstick), ``nemo``,
``reasonable``, ``jena`` and ``rulewerk`` (with programs in ``java``), ``owlrl_graph``, ``oxigraph``, ``queries`` (all
that answer SPARQL), ``spark_load``, ``spark_reasoning``.
"""
