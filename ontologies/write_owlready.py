"""Write inferred facts into an ontology of an owlready2 world, and show them in the Python objects of the world.

Nothing is ever taken from or changed in the other ontologies of the world. owlready2 is imported late: whoever has a
world has it already.

Show changed facts in the Python objects of an owlready2 world: what they remember is renewed or forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from loaders.errors import ReasonerError
from ontologies.vocabulary import ANNOTATION_PROPERTIES, NOTHING, THING, is_reserved, lexical_form, owl, rdfs
from reasoner.terms.term import RDF_TYPE, SAME_AS, XSD

Triple = tuple[str, str, str]
# Ids of owlready2: subject, predicate and object, and the datatype or the language of a literal, None for none.
Row = tuple[int, int, Any, Any]

SUB_CLASS, SUB_PROPERTY = rdfs("subClassOf"), rdfs("subPropertyOf")
_HIERARCHY = {SUB_CLASS: owl("equivalentClass"), SUB_PROPERTY: owl("equivalentProperty")}
_SHOWN = frozenset({RDF_TYPE, SAME_AS, owl("differentFrom"), *_HIERARCHY, *_HIERARCHY.values()})
_ABOUT_CLASSES = frozenset({RDF_TYPE, SUB_CLASS, owl("equivalentClass")})
_LABEL = re.compile(r"_:o[0-9a-f]{10}_([0-9]+)")
_LITERAL = re.compile(r'.*"(?:@(?P<language>[^"]+)|\^\^<(?P<datatype>[^"]+)>)?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class WriteBack:
    """What writing did: how many facts came, went and stayed, and why others were left out, with a count each."""

    ontology: str
    added: int
    removed: int
    kept: int
    left_out: dict[str, int]

    def __str__(self) -> str:
        text = f"{self.ontology}: {self.added:,} facts added, {self.removed:,} removed, {self.kept:,} kept"
        return "\n".join([text, *(f"  left out: {count:,} {reason}" for reason, count in self.left_out.items())])


class OwlreadyTarget:
    """An ontology of a world that holds inferences and nothing else."""

    def __init__(self, place: Any, name: str) -> None:
        world = getattr(place, "world", place)
        if not (callable(getattr(world, "get_ontology", None)) and hasattr(world, "_abbreviate")):
            raise ReasonerError(
                f"cannot write inferences to {type(place).__name__}; give an owlready2 world or one of its ontologies"
            )
        self._world = world
        self._ontology = place if world is not place else world.get_ontology(name)
        self._left_out: dict[str, int] = {}

    def replace(self, triples: Iterable[Triple]) -> WriteBack:
        """Make the ontology hold exactly these facts."""
        wanted = self._rows(triples)
        present = self._present()
        return self._apply(wanted - present, present - wanted, len(wanted & present))

    def change(self, triples: Iterable[Triple], holds: Callable[[Triple], bool]) -> WriteBack:
        """Bring the ontology up to date with facts that came or went; ``holds`` tells which are wanted now."""
        chosen = list(dict.fromkeys(triples))
        wanted = self._rows(triple for triple in chosen if holds(triple))
        touched = self._rows(chosen) | wanted
        present = {row for row in touched if self._has(self._ontology, row)}
        return self._apply(wanted - present, present - wanted, len(wanted & present))

    def _apply(self, added: set[Row], removed: set[Row], kept: int) -> WriteBack:
        world, ontology = self._world, self._ontology
        # What another ontology says already is no inference.
        added = {row for row in added if not self._has(world, row)}
        for s, p, o, d in removed:
            if d is None:
                ontology._del_obj_triple_raw_spo(s, p, o)
            else:
                ontology._del_data_triple_raw_spod(s, p, o, d)
        for s, p, o, d in added:
            if d is None:
                ontology._add_obj_triple_raw_spo(s, p, o)
            else:
                ontology._add_data_triple_raw_spod(s, p, o, d)
        refresh(world, added, removed)
        return WriteBack(ontology.base_iri, len(added), len(removed), kept, dict(sorted(self._left_out.items())))

    def _present(self) -> set[Row]:
        ontology = self._ontology
        facts = {(s, p, o, None) for s, p, o in ontology._get_obj_triples_spo_spo(None, None, None)}
        facts |= {tuple(row) for row in ontology._get_data_triples_spod_spod(None, None, None, None)}
        return {row for row in facts if row[0] != ontology.storid}

    def _has(self, place: Any, row: Row) -> bool:
        s, p, o, d = row
        found = place._has_obj_triple_spo(s, p, o) if d is None else place._has_data_triple_spod(s, p, o, d)
        return bool(found)

    def _rows(self, triples: Iterable[Triple]) -> set[Row]:
        self._left_out = {}
        rows: set[Row] = set()
        for triple in triples:
            row = self._row(*triple)
            if isinstance(row, str):
                self._left_out[row] = self._left_out.get(row, 0) + 1
            else:
                rows.add(row)
        return rows

    def _row(self, s: str, p: str, o: str) -> Row | str:
        """Return a fact in the ids of the world, or the reason why it cannot be written."""
        subject = self._resource(s)
        if subject is None:
            return "about blank nodes that the world does not know"
        predicate = self._world._abbreviate(p[1:-1])
        if o.startswith('"'):
            literal = self._literal(o)
            return (subject, predicate, *literal) if literal else "with a datatype that owlready2 does not read"
        value = self._resource(o)
        if value is None:
            return "about blank nodes that the world does not know"
        return subject, predicate, value, None

    def _resource(self, term: str) -> int | None:
        if term.startswith("<"):
            storid: int = self._world._abbreviate(term[1:-1])
            return storid
        match = _LABEL.fullmatch(term)
        if match is None or not self._world._has_obj_triple_spo(-int(match[1])):
            return None
        return -int(match[1])

    def _literal(self, term: str) -> tuple[Any, Any] | None:
        """Return a literal as owlready2 stores the Python value that it stands for."""
        from owlready2.base import from_literal, to_literal

        match = _LITERAL.fullmatch(term)
        assert match is not None
        if match["language"]:
            return lexical_form(term), f"@{match['language']}"
        datatype = self._world._abbreviate(match["datatype"] or XSD + "string")
        try:
            value = from_literal(lexical_form(term), datatype)
            return to_literal(value)[0], datatype
        except (ValueError, TypeError, AssertionError, ArithmeticError):
            return None


def is_shown(triple: Triple, annotations: frozenset[str] = frozenset()) -> bool:
    """Tell whether an inference is one that the objects of a world have a place for.

    These are types, values of properties, equality and difference of individuals, and the hierarchy of named classes
    and of properties. Left out are what holds of any name, names of the standard vocabularies, class expressions,
    and values of annotation properties.
    """
    s, p, o = triple
    if s == o or p in annotations or is_reserved(s) or s.startswith(f"<{XSD}"):
        return False
    if p not in _SHOWN:
        return p in ANNOTATION_PROPERTIES or not is_reserved(p)
    if o.startswith("_:") and (p in _ABOUT_CLASSES or s.startswith("_:")):
        return False
    if s.startswith("_:") and p != RDF_TYPE and p not in (SAME_AS, owl("differentFrom")):
        return False
    return not o.startswith(f"<{XSD}") and (not is_reserved(o) or (o == NOTHING and p != RDF_TYPE)) and o != THING


def turned(triple: Triple) -> Triple | None:
    """Return a statement about the hierarchy the other way round, None of any other triple.

    A cycle of subclasses is told as equivalence: Python classes cannot inherit from one another.
    """
    s, p, o = triple
    return (o, p, s) if p in _HIERARCHY else None


def refresh(world: Any, added: Iterable[Row], removed: Iterable[Row]) -> None:
    """Bring the objects that a world has given out up to date with facts that were added and removed.

    Objects that are not loaded need nothing: they read the facts when they are.
    """
    from owlready2 import base

    parents = {base.rdf_type, base.rdfs_subclassof, base.rdfs_subpropertyof}
    equivalence = {base.owl_equivalentclass, base.owl_equivalentproperty, base.owl_equivalentindividual}
    came: dict[int, list[int]] = {}
    went: dict[int, list[int]] = {}
    for rows, changed in ((added, came), (removed, went)):
        for s, p, o, d in rows:
            if p in parents and d is None:
                changed.setdefault(s, []).append(o)
            elif p in equivalence:
                _forget_equivalents(world, (s, o))
            else:
                _forget_values(world, s, p, o if d is None else None)
    for storid in came.keys() | went.keys():
        if (entity := world._entities.get(storid)) is not None:
            _renew_parents(world, entity, came.get(storid, ()), went.get(storid, ()))


def _renew_parents(world: Any, entity: Any, came: Iterable[int], went: Iterable[int]) -> None:
    from owlready2.base import LOADING

    gone = set(went)
    parents = [parent for parent in entity.is_a if getattr(parent, "storid", None) not in gone]
    known = {getattr(parent, "storid", None) for parent in parents}
    found = [world._get_by_storid(storid) for storid in came if storid not in known]
    parents += [parent for parent in found if parent is not None]
    if parents != list(entity.is_a):
        # The facts are written already: only the objects are to change.
        with LOADING:
            entity.is_a.reinit(parents)


def _forget_equivalents(world: Any, storids: Iterable[int]) -> None:
    """Forget what an entity is equivalent to, and what all of those remember of it."""
    for storid in storids:
        entity = world._entities.get(storid)
        if entity is None or entity._equivalent_to is None:
            continue
        for other in [entity, *(entity._equivalent_to._indirect or ())]:
            if getattr(other, "_equivalent_to", None) is not None:
                other._equivalent_to = None


def _forget_values(world: Any, s: int, p: int, o: int | None) -> None:
    """Forget the values of a property that an object remembers, and those of its inverse."""
    property = world._get_by_storid(p)
    name = getattr(property, "_python_name", None)
    if name is None:
        return
    if (entity := world._entities.get(s)) is not None:
        entity.__dict__.pop(name, None)
    inverse = getattr(property, "_inverse_property", None)
    if inverse is not None and o is not None and (other := world._entities.get(o)) is not None:
        other.__dict__.pop(inverse._python_name, None)
