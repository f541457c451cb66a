"""The parse tree of an update to operations, with the rules that the grammar cannot say (SPARQL 1.1 Update, 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from reasoner.sparql.algebra import Node
from reasoner.sparql.errors import QuerySyntaxError, UnsupportedQueryError
from reasoner.sparql.expression import Var
from reasoner.sparql.names import Names
from reasoner.sparql.operation import Clear, Load, Modify, Operation, Template
from reasoner.sparql.parse import parse_tree, resolve_escapes
from reasoner.sparql.scope import reads_graphs
from reasoner.sparql.translate import Translator
from reasoner.sparql.translate_pattern import PatternTranslator


def translate_update(text: str, *, base: str = "", prefixes: Mapping[str, str] | None = None) -> tuple[Operation, ...]:
    """Translate the text of an update; what is declared before an operation holds for the later ones too.

    Raise ``UnsupportedQueryError`` for what needs named graphs. As the standard has it, SILENT makes such an operation
    succeed: it is left out.
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
        except UnsupportedQueryError:
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
                if tree.graphiri is not None:
                    raise _needs_graphs(f"LOAD INTO GRAPH {names.text_of(tree.graphiri)}", "leave INTO out")
                return Load(names.text_of(tree.iri)[1:-1], silent=bool(tree.silent))
            case "Clear" | "Drop":
                return self._clear(tree, names)
            case _:
                raise _needs_graphs(tree.name.upper(), "use INSERT and DELETE")

    def _modify(self, tree: Any, names: Names) -> Modify:
        if tree.withClause is not None:
            raise _needs_graphs(f"WITH {names.text_of(tree.withClause)}", "leave WITH out")
        if tree.using:
            used = tree.using[0].default if tree.using[0].default is not None else tree.using[0].named
            raise _needs_graphs(f"USING {names.text_of(used)}", "leave USING out")
        delete = () if tree.delete is None else self._deleted(tree.delete.quads, names)
        insert = () if tree.insert is None else self._template(tree.insert.quads, names)
        return Modify(delete, insert, self._where(tree.where, names))

    def _clear(self, tree: Any, names: Names) -> Clear:
        graph = tree.graphiri
        # A keyword is a plain string, an IRI a term or a prefixed name.
        if type(graph) is str and graph.upper() in ("DEFAULT", "ALL"):
            return Clear()
        named = graph.upper() if type(graph) is str else f"GRAPH {names.text_of(graph)}"
        action = tree.name.upper()
        raise _needs_graphs(f"{action} {named}", f"use {action} DEFAULT, or DELETE WHERE for some triples")

    def _where(self, tree: Any, names: Names) -> Node:
        """Translate a WHERE as that of a CONSTRUCT, which asks for every variable."""
        from rdflib.plugins.sparql.parserutils import CompValue

        translator = Translator(names, self._labels_of_patterns)
        node = translator.query(CompValue("ConstructQuery", where=tree, template=[])).node
        if reads_graphs(node):
            raise _needs_graphs("GRAPH in WHERE", "leave GRAPH out")
        return node

    def _inserted_data(self, quads: Any, names: Names) -> Template:
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

    def _deleted(self, quads: Any, names: Names) -> Template:
        template = self._template(quads, names)
        for label in _labels(template):
            self._refuse(
                "a blank node cannot be deleted by its label, which names no node of the store; use a variable in "
                "DELETE and WHERE",
                rf"DELETE\b[^}}]*?(?:{re.escape(label)}|\[|\()",
            )
        return template

    def _template(self, quads: Any, names: Names) -> Template:
        if quads.quadsNotTriples:
            raise _needs_graphs(f"GRAPH {_shown(quads.quadsNotTriples[0].term, names)}", "leave GRAPH out")
        return PatternTranslator(names).template(quads.triples or [])

    def _ground(self, template: Template, form: str) -> Template:
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


def _needs_graphs(what: str, remedy: str) -> UnsupportedQueryError:
    return UnsupportedQueryError(f"{what} needs named graphs, and the store keeps all triples in one graph; {remedy}")


def _group_of(quads: Any) -> Any:
    """Return the triples of DELETE WHERE as a group graph pattern."""
    from rdflib.plugins.sparql.parserutils import CompValue

    block = CompValue("TriplesBlock", triples=quads.triples or [])
    return CompValue("GroupGraphPatternSub", part=[block])


def _labels(template: Template) -> list[str]:
    return [name for name in _names(template) if name.startswith("_:")]


def _variables(template: Template) -> list[str]:
    return [name for name in _names(template) if not name.startswith("_:")]


def _names(template: Template) -> list[str]:
    return [term.name for triple in template for term in triple if isinstance(term, Var)]


def _shown(term: Any, names: Names) -> str:
    translated = PatternTranslator(names).term(term)
    return f"?{translated.name}" if isinstance(translated, Var) else translated
