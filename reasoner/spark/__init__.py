"""Load and reason with Spark, on this machine or on a cluster.

Files, in reading order:

- ``java``: the Java that Spark runs on.
- ``jars``: the Java libraries beyond Spark's own.
- ``session``: the session that everything here works in.
- ``loading``: files of RDF to a dictionary and a table of ids, in the executors.
- ``run``, ``scratch``, ``facts``, ``set_operations``: where facts are, and how sets of them are compared.
- ``terms``, ``body``, ``mappings``, ``chaining``: how rules become queries.
- ``multiset``, ``counted_heads``: how derivations are counted.
- ``components``, ``rewriting``, ``membership``: equality.
- ``closures``: the modules.
- ``engine``: all of it as an engine.
"""
