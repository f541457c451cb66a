"""Print axioms and expressions in functional-style syntax: the readable text that rules name as their source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from ontologies.axioms import Annotation, Declaration, DLSafeRule, HasKey
from ontologies.expressions import DatatypeRestriction
from ontologies.vocabulary import PREFIXES
from reasoner.terms.term import Variable

_LOCAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*")


def write_functional(part: Any, prefixes: Mapping[str, str] | None = None) -> str:
    """Print an axiom, an expression or a constant; ``prefixes`` maps names to IRIs, beyond the standard ones.

    >>> from ontologies.axioms import SubClassOf
    >>> write_functional(SubClassOf("<urn:a:Cat>", "<http://www.w3.org/2002/07/owl#Thing>"), {"": "urn:a:"})
    'SubClassOf(:Cat owl:Thing)'
    """
    printer = _Printer({**PREFIXES, **prefixes}) if prefixes else _STANDARD
    return printer.text(part)


class _Printer:
    def __init__(self, prefixes: Mapping[str, str]) -> None:
        # Longest first, so that the closest namespace gives the name.
        self.prefixes = sorted(prefixes.items(), key=lambda item: (-len(item[1]), item[0]))

    def text(self, part: Any) -> str:
        match part:
            case str():
                return self.constant(part)
            case int():
                return str(part)
            case Variable(name):
                return f"Variable(<{name}>)"
            case tuple():
                return " ".join(self.text(item) for item in part)
            case Declaration(kind, entity):
                return f"Declaration({kind}({self.text(entity)}))"
            case HasKey(expression, objects, data):
                return f"HasKey({self.text(expression)} ({self.text(objects)}) ({self.text(data)}))"
            case DatatypeRestriction(datatype, facets):
                pairs = " ".join(f"{self.text(facet.facet)} {self.text(facet.value)}" for facet in facets)
                return f"DatatypeRestriction({self.text(datatype)} {pairs})"
            case DLSafeRule(body, head):
                return f"DLSafeRule(Body({self.text(body)}) Head({self.text(head)}))"
            case Annotation(name, value, nested):
                return f"Annotation({self.text((*nested, name, value))})"
        assert is_dataclass(part)
        values = [(getattr(part, field.name), field.default) for field in fields(part)]
        shown = tuple(value for value, default in values if default is MISSING or value != default)
        return f"{type(part).__name__}({self.text(shown)})"

    def constant(self, constant: str) -> str:
        if constant.startswith("<"):
            return self.iri(constant)
        if not constant.startswith('"'):
            return constant
        end = constant.rindex('"')
        rest = constant[end + 1 :]
        return constant[: end + 1] + (f"^^{self.iri(rest[2:])}" if rest.startswith("^^") else rest)

    def iri(self, constant: str) -> str:
        address = constant[1:-1]
        for name, namespace in self.prefixes:
            if address.startswith(namespace) and _LOCAL_NAME.fullmatch(address, len(namespace)):
                return f"{name}:{address[len(namespace) :]}"
        return constant


_STANDARD = _Printer(PREFIXES)
