"""An index over triples that remembers which of them have been understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ontologies.axioms import Triple
from ontologies.vocabulary import NIL, rdf, swrl
from reasoner.rules.term import RDF_TYPE

_FIRST, _REST = rdf("first"), rdf("rest")
_LIST_TYPES = frozenset({rdf("List"), swrl("AtomList")})


class RdfGraph:
    """Triples by subject and by predicate; ``used`` are the triples that some axiom or expression accounts for."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples = tuple(dict.fromkeys(triples))
        self.by_subject: dict[str, dict[str, list[str]]] = {}
        self.by_predicate: dict[str, list[tuple[str, str]]] = {}
        self.used: set[Triple] = set()
        for subject, predicate, value in self.triples:
            self.by_subject.setdefault(subject, {}).setdefault(predicate, []).append(value)
            self.by_predicate.setdefault(predicate, []).append((subject, value))
        self._instances: dict[str, list[str]] = {}
        for subject, kind in self.by_predicate.get(RDF_TYPE, ()):
            self._instances.setdefault(kind, []).append(subject)

    def values(self, subject: str, predicate: str) -> Sequence[str]:
        """Return the objects of a subject and predicate, in the order of the document."""
        return self.by_subject.get(subject, {}).get(predicate, ())

    def only(self, subject: str, predicate: str) -> str | None:
        """Return the object of a subject and predicate if there is exactly one."""
        values = self.values(subject, predicate)
        return values[0] if len(values) == 1 else None

    def has_type(self, subject: str, *classes: str) -> bool:
        """Tell whether a subject has one of some types."""
        return any(value in classes for value in self.values(subject, RDF_TYPE))

    def types(self, subject: str, *classes: str) -> list[Triple]:
        """Return the type triples of a subject that name one of some classes."""
        return [(subject, RDF_TYPE, value) for value in self.values(subject, RDF_TYPE) if value in classes]

    def instances(self, kind: str) -> list[str]:
        """Return the subjects of a type, in the order of the document."""
        return self._instances.get(kind, [])

    def list(self, node: str, triples: list[Triple]) -> list[str] | None:
        """Return the members of an RDF list and add its triples to ``triples``; None if it is malformed."""
        members: list[str] = []
        seen: set[str] = set()
        while node != NIL:
            first, rest = self.only(node, _FIRST), self.only(node, _REST)
            if first is None or rest is None or node in seen:
                return None
            seen.add(node)
            members.append(first)
            triples += [(node, _FIRST, first), (node, _REST, rest), *self.types(node, *_LIST_TYPES)]
            node = rest
        return members

    def use(self, triples: Iterable[Triple]) -> None:
        """Note that triples have been understood."""
        self.used.update(triples)

    @property
    def unread(self) -> tuple[Triple, ...]:
        """The triples that nothing accounts for, in the order of the document."""
        return tuple(triple for triple in self.triples if triple not in self.used)
