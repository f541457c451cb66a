"""How an ontology changes: the language of evolution scripts, what they mean for triples, and differences as scripts.

Files, in reading order:

- ``script``: a script as values: steps, and the statements that they are made of.
- ``scan_script``, ``parse_script``: text to scripts, with places; axioms, Turtle and rules inside them.
- ``blank_parts``: a graph as ground triples and parts that hang together by blank nodes; when two parts are the same.
- ``find_structure``: where triples with blank nodes occur in a store.
- ``working``: the store as a step has changed it so far, and the ``Change`` that comes of it.
- ``compile_step``: a step as a change of triples and rules.
- ``diff``: two versions of an ontology compared, as a script that turns one into the other.
"""
