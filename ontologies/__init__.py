"""Read ontologies and translate them into rules.

Files, in reading order:

- ``vocabulary``: names of OWL 2, the text of literals.
- ``expressions``, ``axioms``: the model of OWL 2, and the ``Ontology`` that holds axioms and triples.
- ``write_functional``: an axiom as readable text.
- ``syntax_tree``, ``build``: what the two syntaxes of OWL itself have in common, and axioms out of it.
- ``read_functional``, ``read_owlxml``: those two syntaxes.
- ``expressions_to_rdf``, ``swrl_to_rdf``, ``write_rdf``: axioms as triples.
- ``rdf_graph``, ``entity_kinds``: triples by subject and predicate, and what their names stand for.
- ``read_rdf_expressions``, ``read_rdf_annotations``, ``read_rdf_nodes``, ``read_rdf_swrl``, ``read_rdf``: triples as
  axioms.
- ``read_owlready``, ``read``: an ontology from wherever it is.
- ``catalog``, ``imports``: the documents that an ontology imports, found in folders.
- ``write_owlready``, ``owlready_objects``: inferences into an owlready2 world, and into its Python objects.
- ``translation``: what a translator gives back.
- ``data_clauses``, ``clauses``, ``axiom_clauses``: axioms as first-order clauses.
- ``structural``, ``collector``: clauses without multiplying unions out, clauses as rules.
- ``dlp``, ``bounds``, ``swrl``: description logic programs, lower and upper bounds, SWRL rules.
- ``lists``, ``rdfs``, the ``owl2rl`` files: rules over the triples of the ontology itself.
- ``translate``: the choice among all these.
- ``separable``: axioms that come and go without all others being translated anew.
- ``profile_owl2rl``, ``profile``: what lies outside a profile, and why.
- ``evolution``: scripts that change an ontology, and the difference of two versions as such a script.
"""
