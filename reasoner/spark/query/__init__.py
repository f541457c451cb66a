"""SPARQL over frames of Spark: the same algebra as ``reasoner.sparql``, evaluated in the executors.

Read in this order: ``source`` (the tables that queries read), ``relation`` (solutions as frames), ``patterns``,
``evaluate`` (operators), ``answer`` (the entry points), ``frames``, ``dataframe`` (what a reasoner hands out).
"""
