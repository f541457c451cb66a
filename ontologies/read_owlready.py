"""Read an owlready2 world or ontology through the triples that it holds."""

from __future__ import annotations

import io
from typing import Any

from ontologies.axioms import Ontology
from ontologies.read_rdf import ontology_of_triples
from reasoner.errors import ReasonerError

# The name that owlready2 gives to what belongs to no ontology.
_NOWHERE = "<http://anonymous>"


def read_owlready(source: Any) -> Ontology:
    """Read an ``owlready2.World`` or ``owlready2.Ontology``; anything else is an error that says what can be read.

    The source itself is not changed. owlready2 is not imported here: whoever has such an object has it already.
    """
    if not (callable(getattr(source, "save", None)) and hasattr(source, "graph")):
        raise ReasonerError(
            f"cannot read an ontology from {type(source).__name__}; give a path, a stream or an owlready2 world"
        )
    from loaders.load import parse_text
    from ontologies.read import blank_prefix

    output = io.BytesIO()
    source.save(file=output, format="ntriples")
    content = output.getvalue()
    triples = parse_text(content, "ntriples", blank_prefix=blank_prefix(content))
    return ontology_of_triples(triple for triple in triples if triple[0] != _NOWHERE)
