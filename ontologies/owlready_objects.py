"""Show changed facts in the Python objects of an owlready2 world: what they remember is renewed or forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Row = tuple[int, int, Any, Any]


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
