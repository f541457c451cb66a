"""The store as a step has changed it so far, and the ``StepChange`` that comes of it.

What a script needs from a store, and ``TripleSet``, which offers it for a plain set of triples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from loaders.errors import ReasonerError
from ontologies.axioms import Triple
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


@dataclass(frozen=True, slots=True)
class StepChange:
    """What a step comes down to: explicit facts and rules in and out.

    ``origins`` tells of facts which removed ones they take the place of, so that they can join the same graphs;
    ``notes`` say what was as asked already.
    """

    added: tuple[Triple, ...] = ()
    removed: tuple[Triple, ...] = ()
    rules_added: tuple[Rule, ...] = ()
    rules_removed: tuple[Rule, ...] = ()
    origins: tuple[tuple[Triple, Triple], ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.rules_added or self.rules_removed)


class Working:
    """A store with changes that nobody else sees yet: later statements of a step see what earlier ones did."""

    def __init__(self, base: Facts) -> None:
        self.base = base
        self._added = TripleSet(())
        self._removed: dict[Triple, None] = {}
        self._rules = list(base.rules())
        self._notes: list[str] = []
        self._origins: list[tuple[Triple, Triple]] = []
        self._labels: set[str] = set()

    def matching(self, s: str | None = None, p: str | None = None, o: str | None = None) -> list[Triple]:
        """Return the explicit facts with the given terms."""
        stored = [triple for triple in self.base.matching(s, p, o) if triple not in self._removed]
        return [*stored, *self._added.matching(s, p, o)]

    def explicit(self, triples: Sequence[Triple]) -> set[Triple]:
        """Return those of some triples that are explicit now."""
        # One by one: taking all removed ones away would look at each of them, however few are asked about.
        stored = {triple for triple in self.base.explicit(triples) if triple not in self._removed}
        return stored | self._added.explicit(triples)

    def names(self) -> Iterable[str]:
        return dict.fromkeys([*self.base.names(), *self._added.names()])

    def rules(self) -> Sequence[Rule]:
        return self._rules

    def answers(self, patterns: Body, variables: Sequence[str]) -> list[tuple[str, ...]]:
        """Return what holds before the step: inside it nothing has been inferred yet."""
        return self.base.answers(patterns, variables)

    def add(self, triples: Iterable[Triple]) -> None:
        """Make facts explicit."""
        given = list(triples)
        stored = self.base.explicit(given)
        for triple in given:
            if triple in self._removed:
                del self._removed[triple]
            elif triple not in stored:
                self._added.add(triple)

    def remove(self, triples: Iterable[Triple]) -> None:
        """Take facts out."""
        given = list(triples)
        stored = self.base.explicit(given)
        for triple in given:
            if triple in self._added.triples:
                self._added.remove(triple)
            elif triple in stored:
                self._removed[triple] = None

    def replace(self, pairs: Iterable[tuple[Triple, Triple]]) -> None:
        """Put facts in the place of others, given as (old, new)."""
        changed = list(pairs)
        self.remove(old for old, _ in changed)
        self.add(new for _, new in changed)
        self._origins += [(new, old) for old, new in changed]

    def add_rules(self, rules: Iterable[Rule]) -> None:
        self._rules += rules

    def remove_rules(self, rules: Iterable[Rule]) -> None:
        for rule in rules:
            self._rules.remove(rule)

    def note(self, text: str) -> None:
        """Remember what there was nothing to do for."""
        self._notes.append(text)

    def with_new_nodes(self, triples: Iterable[Triple], known: dict[str, str] | None = None) -> list[Triple]:
        """Give the blank nodes of triples labels that the store does not know, but for those that are ``known``."""
        labels = dict(known or {})
        fresh = (label for number in count(1) if self._is_free(label := f"_:evolved{number}"))
        given: list[Triple] = []
        for s, p, o in triples:
            for term in (s, o):
                if term.startswith("_:") and term not in labels:
                    labels[term] = next(fresh)
                    self._labels.add(labels[term])
            given.append((labels.get(s, s), p, labels.get(o, o)))
        return given

    def change(self) -> StepChange:
        """Return what all this comes down to."""
        before, after = list(self.base.rules()), list(self._rules)
        for rule in list(before):
            if rule in after:
                before.remove(rule)
                after.remove(rule)
        added, removed = tuple(self._added.triples), tuple(self._removed)
        return StepChange(added, removed, tuple(after), tuple(before), self._first_origins(), tuple(self._notes))

    def _first_origins(self) -> tuple[tuple[Triple, Triple], ...]:
        """Follow facts that were replaced several times to what the store has."""
        first: dict[Triple, list[Triple]] = {}
        for new, old in self._origins:
            first.setdefault(new, []).extend(first.get(old, [old]))
        holding = self.explicit(list(first))
        return tuple((new, old) for new, olds in first.items() if new in holding for old in olds)

    def _is_free(self, label: str) -> bool:
        return label not in self._labels and not about(self, label)
