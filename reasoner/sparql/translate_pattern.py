"""Triple blocks and property paths of a parse tree to triple patterns."""

from __future__ import annotations

from typing import Any

from reasoner.sparql.algebra import (
    Alternative,
    Bgp,
    Closure,
    Inverse,
    Link,
    NegatedSet,
    Path,
    Sequence,
    Term,
    TriplePattern,
)
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.expression import Var
from reasoner.sparql.names import Names


class PatternTranslator:
    """Translates triples, and keeps watch that a blank node stays within one basic graph pattern.

    ``labels`` are those of patterns before, and are added to.
    """

    def __init__(self, names: Names, labels: set[str] | None = None) -> None:
        self._names = names
        self._labels = set() if labels is None else labels

    def term(self, tree: Any) -> Term:
        """Translate a term; a blank node becomes a variable that nobody sees."""
        from rdflib.term import BNode, Variable

        if isinstance(tree, Variable):
            return Var(str(tree))
        return Var(f"_:{tree}") if isinstance(tree, BNode) else self._names.text_of(tree)

    def bgp(self, blocks: list[Any]) -> Bgp:
        """Translate the triples of one basic graph pattern."""
        patterns = tuple(
            TriplePattern(self.term(s), self._predicate(p), self.term(o)) for s, p, o in self._triples(blocks)
        )
        labels = {
            term.name
            for pattern in patterns
            for term in (pattern.subject, pattern.object)
            if isinstance(term, Var) and term.name.startswith("_:")
        }
        if shared := sorted(labels & self._labels):
            raise QuerySyntaxError(
                f"the blank node {shared[0]} occurs in two patterns; use a variable to connect them",
                self._names.text,
                max(0, self._names.text.rfind(shared[0])),
            )
        self._labels |= labels
        return Bgp(patterns)

    def template(self, blocks: list[Any]) -> tuple[tuple[Term, Term, Term], ...]:
        """Translate the triples of CONSTRUCT."""
        found = []
        for s, p, o in self._triples(blocks):
            predicate = self._predicate(p)
            assert isinstance(predicate, Var | str)
            found.append((self.term(s), predicate, self.term(o)))
        return tuple(found)

    def _triples(self, blocks: list[Any]) -> list[tuple[Any, Any, Any]]:
        terms = [term for block in blocks for term in block]
        return list(zip(terms[0::3], terms[1::3], terms[2::3], strict=True))

    def _predicate(self, tree: Any) -> Term | Path:
        if not getattr(tree, "name", "").startswith("Path"):
            return self.term(tree)
        path = self._path(tree)
        return path.predicate if isinstance(path, Link) else path

    def _path(self, tree: Any) -> Path:
        match getattr(tree, "name", ""):
            case "PathAlternative":
                return self._combined(Alternative, tree.part)
            case "PathSequence":
                return self._combined(Sequence, tree.part)
            case "PathElt":
                return self._repeated(self._path(_single(tree.part)), tree.mod)
            case "PathEltOrInverse":
                return Inverse(self._path(_single(tree.part)))
            case "PathNegatedPropertySet":
                return self._negated(tree.part or ())
            case _:
                return Link(self._names.text_of(tree))

    def _combined(self, kind: type[Alternative] | type[Sequence], trees: Any) -> Path:
        paths = [self._path(tree) for tree in trees]
        result = paths[0]
        for path in paths[1:]:
            result = kind(result, path)
        return result

    def _repeated(self, path: Path, modifier: Any) -> Path:
        match modifier:
            case None:
                return path
            case "?":
                return Closure(path, zero=True, many=False)
            case "*":
                return Closure(path, zero=True, many=True)
            case _:
                return Closure(path, zero=False, many=True)

    def _negated(self, trees: Any) -> Path:
        inverse = [tree for tree in trees if getattr(tree, "name", "") == "InversePath"]
        direct = [tree for tree in trees if getattr(tree, "name", "") != "InversePath"]
        forward = tuple(map(self._names.text_of, direct))
        backward = tuple(self._names.text_of(_single(tree.part)) for tree in inverse)
        # An empty set negates nothing and so matches every predicate, forward.
        return NegatedSet(forward if direct or not inverse else None, backward if inverse else None)


def _single(tree: Any) -> Any:
    return tree[0] if isinstance(tree, list) else tree
