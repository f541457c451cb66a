"""SPARQL over frames of Spark: the same algebra as ``reasoner.sparql``, evaluated in the executors.

Read in this order: ``source``, ``graphs`` (the tables that queries read), ``relation`` (solutions as frames),
``patterns``, ``paths`` (triple patterns), ``expressions``, ``aggregates``, ``at_driver`` (what looks at terms),
``evaluate`` (operators), ``constants``, ``answer`` (the entry points), ``of_store``,
``term_columns``, ``frames``, ``delta_frame`` (what a reasoner hands out).
"""
