"""Facts whose proofs are long, or many: what strategies of maintenance are bad at, each at something else.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, proposition 29: whatever a member
of ``Reached`` leads to is a member as well. One member is both asserted and derived, so that it stays when the
assertion goes; to find that out takes a search backward, as long as its proof, or deleting and deriving again all that
rests on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from .dataset import Dataset, DatasetError, at_least
from .statements import (
    ALL_VALUES_FROM,
    CLASS,
    OBJECT_PROPERTY,
    ON_PROPERTY,
    RESTRICTION,
    SUB_CLASS_OF,
    TYPE,
    statement,
)

PROOFS = "http://example.org/proofs#"
REACHED = f"<{PROOFS}Reached>"
LEADS_TO = f"<{PROOFS}leadsTo>"
BLOCK = 10_000


def proof_chain(*, length: int = 2000, asserted: int = 1999) -> Dataset:
    """Return a chain of nodes 1 to ``length``; asserted to be reached are the first and another one.

    Of the other one the proof is as long as its number, and on it rests what comes after it: searching for the proof is
    cheap near the beginning of the chain, overdeleting and deriving again near its end.
    """
    at_least(2, length=length, asserted=asserted)
    if asserted > length:
        raise DatasetError(f"a chain of {length} nodes has no node {asserted}")

    def facts() -> Iterator[str]:
        yield statement(*is_reached(1)) + statement(*is_reached(asserted))
        for start in range(1, length, BLOCK):
            numbers = range(start, min(start + BLOCK, length))
            yield "".join(statement(node(number), LEADS_TO, node(number + 1)) for number in numbers)

    return Dataset(_ontology(), facts)


def proof_tree(*, fan_out: int = 70, depth: int = 3) -> Dataset:
    """Return a tree whose edges lead from leaves to the root, node 1; root and leaves are asserted to be reached.

    The root has as many proofs as there are leaves, and nothing rests on it: searching for proofs level by level meets
    all nodes, deriving the root again takes its children.
    """
    at_least(1, fan_out=fan_out, depth=depth)

    def facts() -> Iterator[str]:
        yield statement(*is_reached(1))
        level = range(1, 2)
        for _ in range(depth):
            below = range(level.stop, level.stop + fan_out * len(level))
            for start in range(0, len(below), BLOCK):
                yield "".join(
                    statement(node(child), LEADS_TO, node(level.start + (child - below.start) // fan_out))
                    for child in below[start : start + BLOCK]
                )
            level = below
        for start in range(0, len(level), BLOCK):
            yield "".join(statement(*is_reached(leaf)) for leaf in level[start : start + BLOCK])

    return Dataset(_ontology(), facts)


def is_reached(number: int) -> tuple[str, str, str]:
    """Return the triple that says that a node is reached."""
    return node(number), TYPE, REACHED


def node(number: int) -> str:
    return f"<{PROOFS}n{number}>"


def _ontology() -> str:
    restriction = "_:restriction"
    return "".join(
        statement(*triple)
        for triple in (
            (REACHED, TYPE, CLASS),
            (LEADS_TO, TYPE, OBJECT_PROPERTY),
            (REACHED, SUB_CLASS_OF, restriction),
            (restriction, TYPE, RESTRICTION),
            (restriction, ON_PROPERTY, LEADS_TO),
            (restriction, ALL_VALUES_FROM, REACHED),
        )
    )
