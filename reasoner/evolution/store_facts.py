"""A store as evolution scripts see it: its explicit facts by pattern, its rules, and answers about all that holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ontologies.evolution.print_script import print_patterns
from reasoner.rules.parser import Body
from reasoner.rules.prefixes import PREDECLARED
from reasoner.rules.rule import Rule
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.pattern_lookup import PatternLookup
    from reasoner.reasoner import Reasoner


class StoreFacts:
    """The present state of a reasoner; a later change does not show."""

    def __init__(self, kb: Reasoner) -> None:
        self._kb = kb
        self._explicit = kb.store.state.explicit

    def matching(self, s: str | None = None, p: str | None = None, o: str | None = None) -> list[TextTriple]:
        """Return the explicit facts with the given terms; None is open."""
        find = self._kb.store.dictionary.lookup
        ids = [None if term is None else find(term) for term in (s, p, o)]
        if any(id is None and term is not None for id, term in zip(ids, (s, p, o), strict=True)):
            return []
        return list(self._kb.store.decoded(self._lookup.matches(*ids)))

    def explicit(self, triples: Sequence[TextTriple]) -> set[TextTriple]:
        """Return those of some triples that are explicit, found all at once."""
        return among(self._kb, triples, self._explicit)

    def names(self) -> Iterable[str]:
        """Return the IRIs that axioms mention, and the predicates of all facts."""
        from reasoner.schema import schema_triples

        return dict.fromkeys(term for triple in schema_triples(self._kb.store) for term in triple if term[0] == "<")

    def rules(self) -> Sequence[Rule]:
        """Return the rules of one's own."""
        return self._kb.own_rules()

    def answers(self, patterns: Body, variables: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the answers to patterns over everything that holds."""
        found = self._kb.select(print_patterns(patterns, PREDECLARED), variables)
        return [tuple(answer[name] for name in variables) for answer in found]

    @cached_property
    def _lookup(self) -> PatternLookup:
        from reasoner.columnar.pattern_lookup import PatternLookup
        from reasoner.columnar.representatives import Representatives

        # Facts are asked for as they are: equal terms are different terms here.
        return PatternLookup(self._explicit, Representatives(), self._kb.store.dictionary)


def among(kb: Reasoner, triples: Sequence[TextTriple], facts: FactSet) -> set[TextTriple]:
    """Return those of some triples that are among facts."""
    known = kb.store.are_explicit(triples, replace(kb.store.state, explicit=facts))
    return {triple for triple, is_there in zip(triples, known, strict=True) if is_there}
