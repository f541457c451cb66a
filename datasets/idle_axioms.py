"""Axioms that never do anything, beside some that do: what a program pays for rules that only might fire.

Motik et al. (2015, section 4) found about 200 rules in OpenCyc that derive types from properties without a single fact.
Forward they cost nothing; but whoever asks how a type can be proved has to look at each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from .dataset import Dataset, DatasetError, at_least
from .draw import Draw
from .hierarchies import HIERARCHY, subclass_axioms
from .statements import (
    CLASS,
    DOMAIN,
    OBJECT_PROPERTY,
    SAME_AS,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    TYPE,
    statement,
)

IDLE = "http://example.org/idle#"


def _subclass(number: int, _: str) -> str:
    lower, upper = f"<{IDLE}c{number}>", f"<{IDLE}d{number}>"
    return statement(lower, TYPE, CLASS) + statement(upper, TYPE, CLASS) + statement(lower, SUB_CLASS_OF, upper)


def _subproperty(number: int, _: str) -> str:
    lower, upper = f"<{IDLE}p{number}>", f"<{IDLE}q{number}>"
    declared = statement(lower, TYPE, OBJECT_PROPERTY) + statement(upper, TYPE, OBJECT_PROPERTY)
    return declared + statement(lower, SUB_PROPERTY_OF, upper)


def _domain(number: int, class_: str) -> str:
    property = f"<{IDLE}p{number}>"
    return statement(property, TYPE, OBJECT_PROPERTY) + statement(property, DOMAIN, class_)


_KINDS: Mapping[str, Callable[[int, str], str]] = MappingProxyType(
    {"subclass": _subclass, "subproperty": _subproperty, "domain": _domain}
)
IDLE_KINDS = tuple(_KINDS)


def idle_axioms(
    *,
    axioms: int = 100,
    idle: int = 9900,
    kind: str = "subclass",
    instances: int = 20_000,
    aliased_percent: int = 0,
    seed: int = 0,
) -> Dataset:
    """Return ``subclass_axioms`` with ``idle`` further axioms about names that no fact mentions.

    Idle are subclass axioms, which have the shape of those at work; subproperty axioms, each over predicates of its
    own; or domains, whose conclusions are classes that the facts do have. ``aliased_percent`` of the instances have a
    second name, which is said to be the same, and of which their type is stated.
    """
    at_least(0, idle=idle, aliased_percent=aliased_percent)
    if kind not in _KINDS:
        raise DatasetError(f"kind must be one of {', '.join(IDLE_KINDS)}, not {kind!r}")
    if aliased_percent > 100:
        raise DatasetError(f"aliased_percent must be at most 100, not {aliased_percent}")
    working = subclass_axioms(axioms=axioms, instances=instances, seed=seed)
    concluded = [o for _, p, o in working.ontology_triples() if p == SUB_CLASS_OF]
    sleeping = (_KINDS[kind](number, concluded[number % len(concluded)]) for number in range(idle))

    def facts() -> Iterator[str]:
        draw = Draw("idle axioms", seed)
        for block in working.facts():
            yield "".join(_aliased(line, draw.below(100) < aliased_percent) for line in block.splitlines())

    return Dataset(working.ontology + "".join(sleeping), facts)


def _aliased(line: str, aliased: bool) -> str:
    """Return a statement about an instance, or about its second name, with what makes the two one."""
    if not aliased:
        return line + "\n"
    name, rest = line.split(" ", 1)
    other = name.replace(f"<{HIERARCHY}i", f"<{HIERARCHY}alias")
    return f"{other} {rest}\n" + statement(name, SAME_AS, other)
