"""Load and reason with Spark, on this machine or on a cluster.

Files, in reading order:

- ``java``: the Java that Spark runs on.
- ``jars``: the Java libraries beyond Spark's own.
- ``session``: the session that everything here works in.
- ``python_tasks``: functions of batches in the Python processes of executors.
- ``loading``: files of RDF to a dictionary and a table of ids, in the executors.
- ``traffic``: jobs and rows at the driver, counted.
- ``shared_folder``: folders that driver and executors have to see alike.
- ``run``, ``scratch``, ``facts``, ``set_operations``: where facts are, and how sets of them are compared.
- ``term_files``, ``value_files``: terms and the values of literals in files, which the driver looks single ones up in.
- ``terms``, ``body``, ``merged``, ``single_atoms``, ``mappings``, ``chaining``: how rules become queries.
- ``multiset``, ``counted_heads``: how derivations are counted.
- ``components``, ``rewriting``, ``membership``: equality.
- ``closures``: the modules.
- ``engine``: all of it as an engine.
- ``fetched``, ``store_engine``: facts of Spark as the columns that the rest of a reasoner reads.
- ``store``, ``store_values``, ``store_comparison``, ``store_load``, ``store_write``, ``store_files``,
  ``store_forms``, ``store_home``: a store of them, in memory and on disk.
- ``small_updates``: changes of a few facts, worked on near what they change.
- ``failures``: what it means when Spark fails.
- ``query``: SPARQL over frames.
- ``dataframe``, ``streaming``: what a reasoner hands to users of Spark, and the streams that it follows.
"""
