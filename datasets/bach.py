"""The Bach family: the running example of Volz, Staab and Motik (2005), figure 3, table 3 and example 3."""

from __future__ import annotations

from collections.abc import Iterator

from .dataset import Dataset
from .statements import (
    LABEL,
    OBJECT_PROPERTY,
    SUB_PROPERTY_OF,
    SYMMETRIC_PROPERTY,
    TRANSITIVE_PROPERTY,
    TYPE,
    statement,
)

BACH = "http://example.org/bach#"
ANCESTOR_OF = f"<{BACH}ancestorOf>"
IN_DYNASTY = f"<{BACH}inDynasty>"

PEOPLE = {
    "j": "Johannes",
    "h": "Heinrich",
    "c": "Christoph",
    "jc1": "Johann Christoph",
    "jm": "Johann Michael",
    "mb": "Maria Barbara",
    "wf": "Wilhelm Friedemann",
    "js": "Johann Sebastian",
    "ja": "Johann Ambrosius",
    "jc2": "Johann Christian",
}
"""The paper's abbreviations, and whom they stand for. ``jc2`` comes in only by the update of example 3."""

EDGES = (
    ("j", "h"),
    ("j", "c"),
    ("h", "jc1"),
    ("jc1", "jm"),
    ("jm", "mb"),
    ("mb", "wf"),
    ("js", "wf"),
    ("ja", "js"),
    ("c", "ja"),
)
"""The asserted ancestors of example 3."""

INSERTED = ("js", "jc2")
DELETED = ("js", "wf")


def bach() -> Dataset:
    """Return the nine asserted ``ancestorOf`` edges with axioms T0 and T1: transitive, and a kind of ``inDynasty``."""
    ontology = (
        statement(ANCESTOR_OF, TYPE, OBJECT_PROPERTY)
        + statement(IN_DYNASTY, TYPE, OBJECT_PROPERTY)
        + statement(ANCESTOR_OF, SUB_PROPERTY_OF, IN_DYNASTY)
        + statement(ANCESTOR_OF, TYPE, TRANSITIVE_PROPERTY)
    )
    return Dataset(ontology, _facts)


def person(abbreviation: str) -> str:
    """Return the term for one of ``PEOPLE``.

    >>> person("js")
    '<http://example.org/bach#JohannSebastian>'
    """
    return f"<{BACH}{PEOPLE[abbreviation].replace(' ', '')}>"


def edge(ancestor: str, descendant: str) -> tuple[str, str, str]:
    """Return the triple that says that ``ancestor`` is an ancestor of ``descendant``, both abbreviated."""
    return person(ancestor), ANCESTOR_OF, person(descendant)


def symmetric_dynasty() -> tuple[str, str, str]:
    """Return axiom T2, which section 3.2 adds to the ontology."""
    return IN_DYNASTY, TYPE, SYMMETRIC_PROPERTY


def _facts() -> Iterator[str]:
    names = dict.fromkeys(abbreviation for pair in EDGES for abbreviation in pair)
    yield "".join(statement(person(name), LABEL, f'"{PEOPLE[name]} Bach"') for name in names)
    yield "".join(statement(*edge(*pair)) for pair in EDGES)
