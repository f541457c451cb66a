"""Load and reason with Spark, on this machine or on a cluster.

Files, in reading order:

- ``platform``: Java, sessions, scratch folders, failures.
- ``loading``: files of RDF to a dictionary and a table of ids, in the executors.
- ``facts``, ``set_operations``: where facts are, and how sets of them are compared.
- ``term_files``: terms and the values of literals in files, which the driver looks single ones up in.
- ``terms``, ``body``, ``chaining``: how rules become queries.
- ``multiset``: how derivations are counted.
- ``components``: classes of equal terms.
- ``closures``: the modules, and maintenance under equality.
- ``engine``: all of it as an engine.
- ``by_key``, ``fetched``: facts of Spark as the columns that the rest of a reasoner reads.
- ``questions``: rule bodies that questions and constraints match.
- ``store``, ``store_write``, ``store_home``: a store of them, in memory and on disk.
- ``small_updates``: changes of a few facts, worked on near what they change.
- ``query``: SPARQL over frames.
- ``streaming``: the streams that a reasoner follows.
"""
