"""What is asked for: the axioms of a graph, the triples that are no axioms, and what needs no deciding.

Blank nodes of a conclusion, which say that there is something: told apart from terms, and matched as variables.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ontologies.axioms import AnnotationAssertion, Axiom, Declaration, Ontology
from ontologies.read_rdf import ontology_of_triples
from ontologies.vocabulary import owl, rdf, rdfs
from reasoner.rules.errors import ReasonerError
from reasoner.state.session import Session
from reasoner.terms.term import RDF_TYPE, Term, TextTriple, Variable

# No parser reads a blank node with this in its label, so that none of a store begins with it.
EXISTENTIAL = "?"
_START = f"_:{EXISTENTIAL}"

Pattern = tuple[Term, Term, Term]
Item = TypeVar("Item")


def is_existential(term: str) -> bool:
    """Tell whether a term is a blank node of a conclusion."""
    return term.startswith(_START)


def with_existentials(triples: Iterable[TextTriple]) -> list[TextTriple]:
    """Return the triples of a conclusion, each once, with its blank nodes marked."""

    def marked(term: str) -> str:
        return _START + term[2:] if term.startswith("_:") else term

    return list(dict.fromkeys((marked(s), p, marked(o)) for s, p, o in triples))


def patterns_of(triples: Iterable[TextTriple]) -> list[Pattern]:
    """Return triples as patterns, in which what exists is a variable."""

    def term(text: str) -> Term:
        return Variable(text[2:]) if is_existential(text) else text

    return [(term(s), term(p), term(o)) for s, p, o in triples]


def existentials_of(part: Any) -> list[str]:
    """Return the blank nodes of a conclusion in an axiom, an expression or a triple, each once.

    >>> existentials_of(("_:?x", ("<urn:p>", "_:?y"), "_:?x"))
    ['_:?x', '_:?y']
    """
    found: list[str] = []
    waiting = [part]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            found += [item] if is_existential(item) else []
        elif isinstance(item, tuple):
            waiting += reversed(item)
        elif hasattr(item, "__dataclass_fields__"):
            waiting += [getattr(item, name) for name in reversed(item.__dataclass_fields__)]
    return list(dict.fromkeys(found))


def connected(items: Iterable[Item], links: Callable[[Item], Iterable[Hashable]]) -> list[list[Item]]:
    """Return items in groups that share links, directly or through others; an item without links is a group alone."""
    groups: list[list[Item]] = []
    place: dict[Hashable, int] = {}
    for item in items:
        keys = list(links(item))
        known = sorted({place[key] for key in keys if key in place})
        target = known[0] if known else len(groups)
        if not known:
            groups.append([])
        for other in known[1:]:
            groups[target] += groups[other]
            groups[other] = []
            place.update({key: target for key, group in place.items() if group == other})
        groups[target].append(item)
        place.update(dict.fromkeys(keys, target))
    return [group for group in groups if group]


def renamed(part: Any, names: dict[str, str]) -> Any:
    """Return an axiom, an expression or a tuple with some of its terms replaced."""
    if isinstance(part, str):
        return names.get(part, part)
    if isinstance(part, tuple):
        return tuple(renamed(item, names) for item in part)
    if hasattr(part, "__dataclass_fields__"):
        return type(part)(*(renamed(getattr(part, name), names) for name in part.__dataclass_fields__))
    return part


# Kinds of names, as triples declare them.
DECLARED = frozenset(
    {rdfs("Class"), rdfs("Datatype"), rdf("Property")}
    | {
        owl(name)
        for name in (
            *("Class", "ObjectProperty", "DatatypeProperty", "AnnotationProperty", "OntologyProperty"),
            *("NamedIndividual", "DataRange"),
        )
    }
)
# What the kinds of a name in the premises tell about a conclusion that leaves them out.
TELLING_KINDS = frozenset(
    {rdfs("Datatype")} | {owl(name) for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty", "Class")},
)
_HEADER = frozenset(
    owl(name) for name in ("imports", "versionIRI", "priorVersion", "backwardCompatibleWith", "incompatibleWith")
)
_REIFIED = frozenset({owl("Axiom"), owl("Annotation")})


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A graph to be decided: ``triples`` is all of it but its header.

    ``declarations`` name kinds; ``axioms`` are what the graph says, annotations apart; ``unread`` are the triples that
    fit no axiom and ``annotations`` those that annotate, both in groups that share blank nodes.
    """

    triples: tuple[TextTriple, ...]
    header: tuple[TextTriple, ...]
    declarations: tuple[TextTriple, ...]
    axioms: tuple[Axiom, ...]
    unread: tuple[tuple[TextTriple, ...], ...]
    annotations: tuple[tuple[TextTriple, ...], ...]


def triples_of_conclusion(source: Any, *, format: str | None = None, base: str | None = None) -> list[TextTriple]:
    """Return the triples of a graph: a path, a text, triples, an ontology, or an object of rdflib or owlready2."""
    if isinstance(source, Session):
        return list(source.store.texts(source.store.state.explicit))
    if isinstance(source, Ontology):
        from ontologies.write_rdf import triples_of

        return list(source.triples or triples_of(source))
    if callable(getattr(source, "serialize", None)) and callable(getattr(source, "triples", None)):
        from loaders.load import parse_text

        return parse_text(source.serialize(format="nt", encoding="utf-8"), "ntriples")
    if isinstance(source, str) and not _is_path(source):
        return _triples_of_text(source, format, base)
    if isinstance(source, (str, os.PathLike)) or callable(getattr(source, "read", None)) or hasattr(source, "graph"):
        from ontologies.read import read_ontology

        return list(read_ontology(source, format=format, base=base).triples)
    if not isinstance(source, Iterable):
        raise ReasonerError(
            f"cannot read a graph from {type(source).__name__}; give a path, a text, triples, a graph of rdflib, "
            "an ontology or an owlready2 world"
        )
    from reasoner.terms.triple_text import checked_triples

    return checked_triples(source)


def read_conclusion(
    triples: Iterable[TextTriple], kinds: Iterable[TextTriple] = (), *, direct: bool = False
) -> Conclusion:
    """Sort the triples of a conclusion; ``kinds`` are declarations of its names that the premises have.

    Whatever is said about an ontology is its header under the ``direct`` semantics. Under the other one it is a triple
    to be decided, unless it only names the document.
    """
    given = with_existentials(triples)
    ontologies = {s for s, p, o in given if p == RDF_TYPE and o == owl("Ontology")}
    header = {triple for triple in given if triple[0] in ontologies and (direct or _names_document(triple))}
    body = [triple for triple in given if triple not in header]
    declarations = [triple for triple in body if _is_declaration(triple)]
    ontology = ontology_of_triples(dict.fromkeys([*body, *kinds]))
    annotations = _annotations(body, ontology)
    settled = {*declarations, *(triple for group in annotations for triple in group)}
    unread = [triple for triple in ontology.unread if triple in set(body) - settled and not _is_support(triple)]
    return Conclusion(
        tuple(body),
        tuple(triple for triple in given if triple in header),
        tuple(declarations),
        tuple(axiom for axiom in ontology.axioms if not isinstance(axiom, (Declaration, AnnotationAssertion))),
        tuple(map(tuple, connected(unread, _blanks))),
        tuple(map(tuple, annotations)),
    )


def _annotations(body: list[TextTriple], ontology: Ontology) -> list[list[TextTriple]]:
    """Return the triples that annotate, with all that their blank nodes are connected to, in groups."""
    remarks = {(a.subject, a.property, a.value) for a in ontology.axioms if isinstance(a, AnnotationAssertion)}
    about_axioms = {(a.property, a.value) for item in ontology.axiom_annotations for a in item.annotations}
    nodes = {s for s, p, o in body if is_existential(s) and ((p, o) in about_axioms or o in _REIFIED)}
    groups = connected(body, _blanks)
    return [group for group in groups if any(triple in remarks or triple[0] in nodes for triple in group)]


def _names_document(triple: TextTriple) -> bool:
    return triple[1] in _HEADER or (triple[1] == RDF_TYPE and triple[2] == owl("Ontology"))


def _is_declaration(triple: TextTriple) -> bool:
    return triple[1] == RDF_TYPE and triple[2] in DECLARED and not is_existential(triple[0])


def _is_support(triple: TextTriple) -> bool:
    """Tell whether a triple only says that something is a list, a restriction, or a thing at all."""
    s, p, o = triple
    supports = (rdf("List"), owl("Restriction"), *DECLARED) if is_existential(s) else ()
    return p == RDF_TYPE and o in (*supports, rdfs("Resource"))


def _blanks(triple: TextTriple) -> list[str]:
    return [term for term in triple if is_existential(term)]


def _is_path(text: str) -> bool:
    if "\n" in text or text.lstrip().startswith(("<", "@", "_:", "PREFIX", "Prefix", "Ontology(")):
        return False
    return not any(sign in text for sign in (" .", "\t")) or Path(text).exists()


def _triples_of_text(text: str, format: str | None, base: str | None) -> list[TextTriple]:
    from ontologies.read import read_ontology

    content = text.encode()
    start = text.lstrip()
    if format is None and not start.startswith(("Prefix", "Ontology", "<?xml", "<Ontology", "<rdf:", "{", "[")):
        format = "turtle"
    return list(read_ontology(io.BytesIO(content), format=format, base=base).triples)
