"""Read ontologies and translate them into rules.

Files, in reading order:

- ``vocabulary``: names of OWL 2, the text of literals.
- ``expressions``, ``axioms``: the model of OWL 2, and the ``Ontology`` that holds axioms and triples.
- ``write_functional``: an axiom as readable text.
- ``build``: what the two syntaxes of OWL itself have in common, and axioms out of it.
- ``read_functional``: the functional-style syntax.
- ``write_rdf``: axioms as triples.
- ``rdf_graph``: triples by subject and predicate, and what their names stand for.
- ``read_rdf_expressions``, ``read_rdf``: triples as axioms.
- ``read``: an ontology from wherever it is.
- ``imports``: the documents that an ontology imports, found in folders.
- ``write_owlready``: inferences into an owlready2 world, and into its Python objects.
- ``clauses``: axioms as first-order clauses.
- ``structural``, ``collector``: clauses without multiplying unions out, clauses as rules.
- ``dlp``, ``swrl``: description logic programs, SWRL rules.
- the ``owl2rl`` files: rules over the triples of the ontology itself.
- ``translate``: the choice among all these.
- ``separable``: axioms that come and go without all others being translated anew.
- ``profile``: what lies outside a profile, and why.
- ``evolution``: scripts that change an ontology, and the difference of two versions as such a script.
"""
