"""RDF documents, ontologies and tables, into a session and out of it.

Read in this order: ``assertions`` (explicit facts by graph: loaded, added, written), ``remote_files`` (files of S3 and
HDFS), ``ontology_documents`` (ontologies with their imports, and the way back into a world of owlready2), ``dump``
(what a session holds, in any syntax).
"""
