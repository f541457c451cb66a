"""An RDF/OWL reasoner that keeps what an ontology entails, with owl:sameAs by rewriting."""
