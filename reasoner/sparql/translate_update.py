"""The parse tree of an update to operations, with the rules that the grammar cannot say (SPARQL 1.1 Update, 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from loaders.errors import nesting_refused
from reasoner.errors import ReasonerError
from reasoner.quads import checked_graph
from reasoner.sparql.algebra import Node, Term
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.expression import Var
from reasoner.sparql.names import Names
from reasoner.sparql.operation import Clear, Create, Load, Modify, Operation, QuadTemplate, Transfer
from reasoner.sparql.parse import parse_tree, resolve_escapes
from reasoner.sparql.translate import Translator
from reasoner.sparql.translate_pattern import PatternTranslator


@nesting_refused("the update")
def translate_update(text: str, *, base: str = "", prefixes: Mapping[str, str] | None = None) -> tuple[Operation, ...]:
    """Translate the text of an update; what is declared before an operation holds for the later ones too.

    An operation that would change a graph that cannot be changed is an error, or is left out if it is SILENT.
    """
    tree = parse_tree(text, "update")
    resolved = resolve_escapes(text)
    names = Names(resolved, (), base, prefixes or {})
    translator = _UpdateTranslator(resolved)
    operations: list[Operation] = []
    # A prologue that ends the text has no operation.
    for prologue, request in zip(tree.prologue, tree.request or (), strict=False):
        names = Names(resolved, prologue, names.base, names.prefixes)
        try:
            operations.append(translator.operation(request, names))
        except QuerySyntaxError:
            raise
        except ReasonerError:
            if not request.silent:
                raise
    return tuple(operations)


class _UpdateTranslator:
    def __init__(self, text: str) -> None:
        self._text = text
        # A label of INSERT DATA or of WHERE must not come again in another one of the same request (grammar, note 10).
        self._labels_of_data: set[str] = set()
        self._labels_of_patterns: set[str] = set()

    def operation(self, tree: Any, names: Names) -> Operation:
        match tree.name:
            case "InsertData":
                return Modify(insert=self._inserted_data(tree.quads, names))
            case "DeleteData":
                return Modify(delete=self._ground(self._deleted(tree.quads, names), "DELETE DATA"))
            case "DeleteWhere":
                return Modify(self._deleted(tree.quads, names), (), self._where(_group_of(tree.quads), names))
            case "Modify":
                return self._modify(tree, names)
            case "Load":
                graph = None if tree.graphiri is None else _changeable(tree.graphiri, names)
                return Load(names.text_of(tree.iri)[1:-1], bool(tree.silent), graph)
            case "Clear" | "Drop":
                graph = tree.graphiri
                return Clear(graph.upper() if _is_keyword(graph) else _changeable(graph, names))
            case "Create":
                return Create(_changeable(tree.graphiri, names), bool(tree.silent))
            case _:
                source, target = (None if _is_keyword(graph) else _changeable(graph, names) for graph in tree.graph)
                return Transfer(tree.name.upper(), source, target, bool(tree.silent))

    def _modify(self, tree: Any, names: Names) -> Modify:
        graph = None if tree.withClause is None else _changeable(tree.withClause, names)
        delete = () if tree.delete is None else self._deleted(tree.delete.quads, names, graph)
        insert = () if tree.insert is None else self._template(tree.insert.quads, names, graph)
        default: tuple[str, ...] | None = None if graph is None else (graph,)
        named = None
        if tree.using:
            default = tuple(names.text_of(using.default) for using in tree.using if using.default is not None)
            named = tuple(names.text_of(using.named) for using in tree.using if using.named is not None)
        return Modify(delete, insert, self._where(tree.where, names), default, named)

    def _where(self, tree: Any, names: Names) -> Node:
        """Translate a WHERE as that of a CONSTRUCT, which asks for every variable."""
        from rdflib.plugins.sparql.parserutils import CompValue

        translator = Translator(names, self._labels_of_patterns)
        return translator.query(CompValue("ConstructQuery", where=tree, template=[])).node

    def _inserted_data(self, quads: Any, names: Names) -> QuadTemplate:
        triples = self._ground(self._template(quads, names), "INSERT DATA")
        labels = set(_labels(triples))
        if shared := sorted(labels & self._labels_of_data):
            self._refuse(
                f"the blank node {shared[0]} occurs in two INSERT DATA, where it would be two nodes; "
                "put both into one, or use another label",
                rf"{re.escape(shared[0])}(?!.*{re.escape(shared[0])})",
            )
        self._labels_of_data |= labels
        return triples

    def _deleted(self, quads: Any, names: Names, graph: str | None = None) -> QuadTemplate:
        template = self._template(quads, names, graph)
        for label in _labels(template):
            self._refuse(
                "a blank node cannot be deleted by its label, which names no node of the store; use a variable in "
                "DELETE and WHERE",
                rf"DELETE\b[^}}]*?(?:{re.escape(label)}|\[|\()",
            )
        return template

    def _template(self, quads: Any, names: Names, graph: str | None = None) -> QuadTemplate:
        patterns = PatternTranslator(names)
        found: list[tuple[Term, Term, Term, Term | None]] = [
            (*triple, graph) for triple in patterns.template(quads.triples or [])
        ]
        for part in quads.quadsNotTriples or ():
            name = patterns.term(part.term)
            if isinstance(name, str):
                checked_graph(name)
            found += [(*triple, name) for triple in patterns.template(part.triples or [])]
        return tuple(found)

    def _ground(self, template: QuadTemplate, form: str) -> QuadTemplate:
        for name in _variables(template):
            self._refuse(
                f"?{name} cannot stand in {form}, which takes triples without variables; use WHERE",
                rf"DATA\b[^}}]*?[?$]{re.escape(name)}\b",
            )
        return template

    def _refuse(self, message: str, pattern: str) -> NoReturn:
        """Raise a syntax error at the last token of the first match of a pattern."""
        found = re.search(pattern, self._text, re.IGNORECASE | re.DOTALL)
        token = re.search(r"(?:_:\S+?|[?$]\w+|\[|\()$", found[0]) if found else None
        place = found.start() + token.start() if found and token else 0
        raise QuerySyntaxError(message, self._text, place)


def _is_keyword(graph: Any) -> bool:
    """Tell DEFAULT, NAMED and ALL, which are plain strings, from an IRI, which is a term or a prefixed name."""
    return type(graph) is str


def _changeable(graph: Any, names: Names) -> str:
    name = checked_graph(names.text_of(graph))
    assert name is not None
    return name


def _group_of(quads: Any) -> Any:
    """Return the quads of DELETE WHERE as a group graph pattern."""
    from rdflib.plugins.sparql.parserutils import CompValue

    def group(triples: Any) -> Any:
        return CompValue("GroupGraphPatternSub", part=[CompValue("TriplesBlock", triples=triples or [])])

    whole = group(quads.triples)
    whole.part += [
        CompValue("GraphGraphPattern", term=part.term, graph=group(part.triples))
        for part in quads.quadsNotTriples or ()
    ]
    return whole


def _labels(template: QuadTemplate) -> list[str]:
    return [name for name in _names(template) if name.startswith("_:")]


def _variables(template: QuadTemplate) -> list[str]:
    return [name for name in _names(template) if not name.startswith("_:")]


def _names(template: QuadTemplate) -> list[str]:
    return [term.name for quad in template for term in quad if isinstance(term, Var)]
