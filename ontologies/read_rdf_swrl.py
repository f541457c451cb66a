"""Read SWRL rules out of triples."""

from __future__ import annotations

from typing import Any

import ontologies.axioms as ax
from ontologies.entity_kinds import EntityKinds
from ontologies.rdf_graph import RdfGraph
from ontologies.read_rdf_annotations import AnnotationReader
from ontologies.read_rdf_expressions import ExpressionReader
from ontologies.vocabulary import swrl
from reasoner.rules.term import RDF_TYPE, Variable

_IMP, _BODY, _HEAD = swrl("Imp"), swrl("body"), swrl("head")
_FIRST, _SECOND, _PROPERTY = swrl("argument1"), swrl("argument2"), swrl("propertyPredicate")
_ATOM_KINDS = (
    *("ClassAtom", "DataRangeAtom", "IndividualPropertyAtom", "DatavaluedPropertyAtom"),
    *("SameIndividualAtom", "DifferentIndividualsAtom", "BuiltinAtom"),
)


def read_swrl(
    graph: RdfGraph, kinds: EntityKinds, expressions: ExpressionReader, annotations: AnnotationReader
) -> list[ax.DLSafeRule]:
    """Read the rules of a graph and account for their triples; a rule with a part that cannot be read stays unread."""
    reader = _SwrlReader(graph, kinds, expressions)
    rules: list[ax.DLSafeRule] = []
    for node in graph.instances(_IMP):
        triples: list[ax.Triple] = [(node, RDF_TYPE, _IMP)]
        body, head = reader.atoms(node, _BODY, triples), reader.atoms(node, _HEAD, triples)
        if body is None or head is None:
            continue
        graph.use(triples)
        rule = ax.DLSafeRule(body, head)
        rules.append(rule)
        annotations.note(rule, annotations.about_node(node, frozenset({_BODY, _HEAD})))
    return rules


class _SwrlReader:
    def __init__(self, graph: RdfGraph, kinds: EntityKinds, expressions: ExpressionReader) -> None:
        self.graph = graph
        self.kinds = kinds
        self.expressions = expressions

    def atoms(self, rule: str, part: str, triples: list[ax.Triple]) -> tuple[ax.RuleAtom, ...] | None:
        if (first := self.graph.only(rule, part)) is None:
            return None
        triples.append((rule, part, first))
        nodes = self.graph.list(first, triples)
        if nodes is None:
            return None
        atoms: list[Any] = [self.atom(node, triples) for node in nodes]
        return tuple(atoms) if None not in atoms else None

    def atom(self, node: str, triples: list[ax.Triple]) -> ax.RuleAtom | None:
        kind = next((name for name in _ATOM_KINDS if self.graph.has_type(node, swrl(name))), None)
        if kind is None:
            return None
        triples.append((node, RDF_TYPE, swrl(kind)))
        if kind == "BuiltinAtom":
            return self.builtin(node, triples)
        first, second = self.term(node, _FIRST, triples), self.term(node, _SECOND, triples)
        if first is None:
            return None
        if kind in ("ClassAtom", "DataRangeAtom"):
            return self.unary(kind, node, first, triples)
        if second is None:
            return None
        if kind == "SameIndividualAtom":
            return ax.SameIndividualAtom(first, second)
        if kind == "DifferentIndividualsAtom":
            return ax.DifferentIndividualsAtom(first, second)
        if (property := self.part(node, _PROPERTY, triples)) is None:
            return None
        if kind == "DatavaluedPropertyAtom":
            return ax.DataPropertyAtom(property, first, second)
        expression = self.expressions.object_property(property)
        return ax.ObjectPropertyAtom(expression, first, second) if expression else None

    def unary(self, kind: str, node: str, argument: ax.RuleTerm, triples: list[ax.Triple]) -> ax.RuleAtom | None:
        if kind == "ClassAtom":
            described = self.part(node, swrl("classPredicate"), triples)
            expression = described and self.expressions.class_expression(described)
            return ax.ClassAtom(expression, argument) if expression else None
        described = self.part(node, swrl("dataRange"), triples)
        data_range = described and self.expressions.data_range(described)
        return ax.DataRangeAtom(data_range, argument) if data_range else None

    def builtin(self, node: str, triples: list[ax.Triple]) -> ax.RuleAtom | None:
        name, first = self.part(node, swrl("builtin"), triples), self.part(node, swrl("arguments"), triples)
        arguments = self.graph.list(first, triples) if first else None
        if name is None or arguments is None:
            return None
        return ax.BuiltInAtom(name, tuple(self.variable(argument) for argument in arguments))

    def term(self, node: str, predicate: str, triples: list[ax.Triple]) -> ax.RuleTerm | None:
        value = self.part(node, predicate, triples)
        return None if value is None else self.variable(value)

    def variable(self, value: str) -> ax.RuleTerm:
        if not self.graph.has_type(value, swrl("Variable")):
            return value
        return Variable(value.removeprefix("_:").strip("<>"))

    def part(self, node: str, predicate: str, triples: list[ax.Triple]) -> str | None:
        value = self.graph.only(node, predicate)
        if value is not None:
            triples.append((node, predicate, value))
        return value
