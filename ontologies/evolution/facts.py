"""What a script needs from a store, and ``TripleSet``, which offers it for a plain set of triples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ontologies.axioms import Triple
from reasoner.errors import ReasonerError
from reasoner.rules.parser import Body
from reasoner.rules.rule import Rule


class Facts(Protocol):
    """Explicit facts, asked by pattern, and rules of one's own."""

    def matching(self, s: str | None = None, p: str | None = None, o: str | None = None) -> Sequence[Triple]:
        """Return the explicit facts with the given terms; None is open."""
        ...

    def explicit(self, triples: Sequence[Triple]) -> set[Triple]:
        """Return those of some triples that are explicit facts."""
        ...

    def names(self) -> Iterable[str]:
        """Return the IRIs that name classes, properties and whatever else axioms are about."""
        ...

    def rules(self) -> Sequence[Rule]:
        """Return the rules of one's own."""
        ...

    def answers(self, patterns: Body, variables: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the answers to patterns over everything that holds, inferred or not."""
        ...


class TripleSet:
    """Triples indexed by subject, by predicate and by object; nothing is inferred."""

    def __init__(self, triples: Iterable[Triple], rules: Sequence[Rule] = ()) -> None:
        self.triples: dict[Triple, None] = {}
        self._rules = list(rules)
        self._index: tuple[dict[str, dict[Triple, None]], ...] = ({}, {}, {})
        for triple in triples:
            self.add(triple)

    def add(self, triple: Triple) -> None:
        """Add one triple."""
        self.triples[triple] = None
        for index, term in zip(self._index, triple, strict=True):
            index.setdefault(term, {})[triple] = None

    def remove(self, triple: Triple) -> None:
        """Take one triple out, if it is there."""
        if self.triples.pop(triple, self) is None:
            for index, term in zip(self._index, triple, strict=True):
                del index[term][triple]

    def matching(self, s: str | None = None, p: str | None = None, o: str | None = None) -> list[Triple]:
        """Return the triples with the given terms, in the order in which they came."""
        asked = [
            (index.get(term, {}), place, term)
            for place, (index, term) in enumerate(zip(self._index, (s, p, o), strict=True))
            if term is not None
        ]
        if not asked:
            return list(self.triples)
        fewest = min(asked, key=lambda item: len(item[0]))[0]
        return [triple for triple in fewest if all(triple[place] == term for _, place, term in asked)]

    def explicit(self, triples: Sequence[Triple]) -> set[Triple]:
        return {triple for triple in triples if triple in self.triples}

    def names(self) -> Iterable[str]:
        """Return the IRIs of all triples."""
        return dict.fromkeys(term for triple in self.triples for term in triple if term.startswith("<"))

    def rules(self) -> Sequence[Rule]:
        return self._rules

    def answers(self, patterns: Body, variables: Sequence[str]) -> list[tuple[str, ...]]:
        raise ReasonerError("a split by patterns asks what holds: apply the script to a store, with its data")


def about(facts: Facts, term: str) -> list[Triple]:
    """Return the explicit facts that mention a term, wherever in them.

    >>> about(TripleSet([("<a>", "<p>", "<b>"), ("<b>", "<q>", "<b>")]), "<b>")
    [('<b>', '<q>', '<b>'), ('<a>', '<p>', '<b>')]
    """
    found = [*facts.matching(s=term)]
    if term.startswith("<"):
        found += facts.matching(p=term)
    return [*dict.fromkeys([*found, *facts.matching(o=term)])]


def holds(facts: Facts, triple: Triple) -> bool:
    """Tell whether a fact is explicit."""
    return bool(facts.explicit([triple]))
