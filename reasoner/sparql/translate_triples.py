"""Terms, triples and property paths (19.8, [75]-[113]): what patterns, templates and data have in common.

Deviation: the grammar has productions for triples with and without paths; here ``paths`` tells which are meant.
"""

from __future__ import annotations

from loaders.terms import literal_text
from reasoner.rules.term import RDF, RDF_TYPE, XSD
from reasoner.sparql.algebra import (
    Alternative,
    Closure,
    Inverse,
    Link,
    NegatedSet,
    Path,
    Sequence,
    Term,
    TriplePattern,
    balanced,
)
from reasoner.sparql.expression import Var
from reasoner.sparql.names import Names
from reasoner.sparql.tokens import Tokens

_FIRST, _REST, _NIL = (f"<{RDF}{name}>" for name in ("first", "rest", "nil"))
_LITERALS = frozenset({"string", "number", "TRUE", "FALSE"})
_CONSTANTS = _LITERALS | {"iri", "name"}
_TERMS = _CONSTANTS | {"variable", "blank"}
_NODES = frozenset("[(")

# What a triple can begin with.
TRIPLE_BEGINS = _TERMS | _NODES


class TripleTranslator:
    """Reads terms and triples.

    ``places`` tells where each variable and blank node was met first since somebody gave it another dictionary. A blank
    node is a variable whose name begins with ``_:``, and with ``_:.`` if it has no label.
    """

    def __init__(self, tokens: Tokens, names: Names) -> None:
        self._tokens = tokens
        self._names = names
        self._anonymous = 0
        self.places: dict[str, int] = {}

    def variable(self) -> str:
        """Read a variable; return its name."""
        place = self._tokens.place
        name = self._tokens.expect("variable")[1:]
        self.places.setdefault(name, place)
        return name

    def variable_or_iri(self) -> Term:
        """Read a variable or an IRI."""
        if self._tokens.kind == "variable":
            return Var(self.variable())
        if self._tokens.kind not in ("iri", "name"):
            raise self._tokens.unexpected("variable", "iri")
        return self._names.iri()

    def constant(self) -> str:
        """Read an IRI or a literal; return its canonical text."""
        if self._tokens.kind in _LITERALS:
            return self._literal()
        if self._tokens.kind not in _CONSTANTS:
            raise self._tokens.unexpected("iri", "a literal")
        return self._names.iri()

    def number(self, written: str) -> str:
        """Return the literal of a number, which keeps the lexical form that it is written with."""
        kind = "double" if "e" in written or "E" in written else "decimal" if "." in written else "integer"
        return f'"{written}"^^<{XSD}{kind}>'

    def _literal(self) -> str:
        tokens = self._tokens
        if tokens.kind == "number":
            text = self.number(tokens.value)
            tokens.advance()
            return text
        if tokens.kind != "string":
            text = f'"{tokens.kind.lower()}"^^<{XSD}boolean>'
            tokens.advance()
            return text
        lexical = tokens.text_of_string()
        if tokens.kind == "language":
            language = tokens.value[1:]
            tokens.advance()
            return literal_text(lexical, language)
        if not tokens.take("^^"):
            return literal_text(lexical)
        return literal_text(lexical, datatype=self._names.iri()[1:-1])

    def triples(self, found: list[TriplePattern], *, paths: bool) -> None:
        """Read the triples of one subject, and add them to those that were found before."""
        tokens = self._tokens
        before = len(found)
        if tokens.kind in _NODES:
            subject = self._node(found, paths)
            # A blank node with properties, and a list with members, say enough by themselves.
            if len(found) > before and not self._verb_follows(paths):
                return
        else:
            subject = self._term()
        self._properties(subject, found, paths)

    def _verb_follows(self, paths: bool) -> bool:
        kind = self._tokens.kind
        return kind in ("variable", "iri", "name", "a") or (paths and kind in ("^", "!", "("))

    def _properties(self, subject: Term, found: list[TriplePattern], paths: bool) -> None:
        tokens = self._tokens
        self._objects(subject, self._verb(paths), found, paths)
        while tokens.take(";"):
            # Semicolons may follow one another, and the last property.
            if self._verb_follows(paths):
                self._objects(subject, self._verb(paths), found, paths)

    def _objects(self, subject: Term, verb: Term | Path, found: list[TriplePattern], paths: bool) -> None:
        self._object(subject, verb, found, paths)
        while self._tokens.take(","):
            self._object(subject, verb, found, paths)

    def _object(self, subject: Term, verb: Term | Path, found: list[TriplePattern], paths: bool) -> None:
        if self._tokens.kind in _NODES:
            # The triple comes before those of the node that is its object.
            place = len(found)
            node = self._node(found, paths)
            found.insert(place, TriplePattern(subject, verb, node))
        else:
            found.append(TriplePattern(subject, verb, self._term()))

    def _term(self) -> Term:
        tokens = self._tokens
        kind = tokens.kind
        if kind == "variable":
            return Var(self.variable())
        if kind == "blank":
            name = tokens.value
            self.places.setdefault(name, tokens.place)
            tokens.advance()
            return Var(name)
        if kind not in _CONSTANTS:
            raise tokens.unexpected("variable", "iri", "a literal", "a blank node")
        return self._names.iri() if kind in ("iri", "name") else self._literal()

    def _node(self, found: list[TriplePattern], paths: bool) -> Term:
        """Read a blank node in brackets or a list, and add the triples that say what it is."""
        tokens = self._tokens
        place = tokens.place
        if tokens.kind == "(":
            return self._list(found, paths)
        node = self._blank(place)
        tokens.open("[")
        if tokens.kind != "]":
            self._properties(node, found, paths)
        tokens.close("]")
        return node

    def _list(self, found: list[TriplePattern], paths: bool) -> Term:
        tokens = self._tokens
        place = tokens.place
        tokens.open("(")
        first: Term = _NIL
        last: Term | None = None
        while tokens.kind != ")":
            cell = self._blank(place)
            if last is None:
                first = cell
            else:
                found.append(TriplePattern(last, _REST, cell))
            self._object(cell, _FIRST, found, paths)
            last = cell
        if last is not None:
            found.append(TriplePattern(last, _REST, _NIL))
        tokens.close(")")
        return first

    def _blank(self, place: int) -> Var:
        self._anonymous += 1
        name = f"_:.{self._anonymous}"
        self.places[name] = place
        return Var(name)

    def _verb(self, paths: bool) -> Term | Path:
        tokens = self._tokens
        if tokens.kind == "variable":
            return Var(self.variable())
        if not paths:
            return RDF_TYPE if tokens.take("a") else self.variable_or_iri()
        path = self._path()
        return path.predicate if isinstance(path, Link) else path

    def _path(self) -> Path:
        alternatives = [self._sequence()]
        while self._tokens.take("|"):
            alternatives.append(self._sequence())
        return balanced(Alternative, alternatives)

    def _sequence(self) -> Path:
        steps = [self._step()]
        while self._tokens.take("/"):
            steps.append(self._step())
        return balanced(Sequence, steps)

    def _step(self) -> Path:
        return Inverse(self._repeated()) if self._tokens.take("^") else self._repeated()

    def _repeated(self) -> Path:
        tokens = self._tokens
        path: Path
        if tokens.kind == "(":
            tokens.open("(")
            path = self._path()
            tokens.close(")")
        elif tokens.take("!"):
            path = self._negated()
        else:
            path = Link(self._predicate())
        if tokens.take("?"):
            return Closure(path, zero=True, many=False)
        if tokens.take("*"):
            return Closure(path, zero=True, many=True)
        return Closure(path, zero=False, many=True) if tokens.take("+") else path

    def _predicate(self) -> str:
        if self._tokens.take("a"):
            return RDF_TYPE
        if self._tokens.kind not in ("iri", "name"):
            raise self._tokens.unexpected("a property or a path")
        return self._names.iri()

    def _negated(self) -> Path:
        tokens = self._tokens
        forward: list[str] = []
        backward: list[str] = []
        if tokens.kind != "(":
            (backward if tokens.take("^") else forward).append(self._predicate())
        else:
            tokens.open("(")
            while tokens.kind != ")":
                (backward if tokens.take("^") else forward).append(self._predicate())
                if not tokens.take("|"):
                    break
                if tokens.kind == ")":
                    raise tokens.unexpected("a property")
            tokens.close(")")
        # An empty set negates nothing and so matches every predicate, forward.
        return NegatedSet(tuple(forward) if forward or not backward else None, tuple(backward) if backward else None)
