"""Say what has to exist in a situation, and take its alternatives one by one: a tableau over the rules.

Where OWL 2 RL stops, premises may still say that something exists (``owl:someValuesFrom``, minimal cardinalities) or
that one of several things holds (unions, enumerations, complements). ``expand`` adds the former as fresh terms and
splits situations by the latter, until nothing is open or enough has been tried. What then holds in all situations that
can be holds in all models; giving up early loses answers, never truth.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from ontologies.vocabulary import DIFFERENT_FROM, LITERAL, NIL, THING, lexical_form, owl, rdf
from reasoner.entailment.situation import MENTIONS, MOST_SUCCESSORS, Situation, Situations, value_space
from reasoner.terms.hierarchy import SUPPORTED
from reasoner.terms.term import RDF_TYPE, SAME_AS, XSD, TextTriple, Variable

_MOST_STEPS = 60
_MOST_CASES = 32
_DEEPEST = 3
_MOST_ANSWERS = 300
_MOST_COMPLEMENTS = 8

_X, _R, _P, _C, _N, _L = (Variable(name) for name in ("x", "r", "p", "c", "n", "l"))
_LEAST = ("minCardinality", "cardinality", "minQualifiedCardinality", "qualifiedCardinality")
_ALTERNATIVES = ("unionOf", "disjointUnionOf", "oneOf")


@dataclass(frozen=True, slots=True)
class _Progress:
    """What has been said about a situation already, and how far from a given term each added one is."""

    done: frozenset[tuple[str, ...]] = frozenset()
    depth: tuple[tuple[str, int], ...] = ()


class SituationExpansion:
    """Expands situations, each once, for so many seconds."""

    def __init__(self, situations: Situations, patience: float) -> None:
        self._situations = situations
        self._deadline = time.monotonic() + patience
        self._known: dict[Situation, list[Situation]] = {}

    def expand(self, situation: Situation) -> list[Situation]:
        """Return situations of which one is the case if the given one is."""
        if situation not in self._known:
            self._known[situation] = self._expanded(situation)
            self._known.update({case: [case] for case in self._known[situation]})
        return self._known[situation]

    def _expanded(self, situation: Situation) -> list[Situation]:
        waiting = [(situation, _Progress())]
        finished: list[Situation] = []
        steps = 0
        while waiting:
            case, progress = waiting.pop()
            if self._situations.clash(case) or steps > _MOST_STEPS or time.monotonic() > self._deadline:
                finished.append(case)
                continue
            steps += 1
            if (grown := self._existing(case, progress)) is not None:
                waiting.append(grown)
            elif len(waiting) + len(finished) < _MOST_CASES and (alternatives := self._alternatives(case)):
                waiting += [(self._situations.assume(case, facts), progress) for facts in alternatives]
            else:
                finished.append(case)
        return finished

    def _existing(self, case: Situation, progress: _Progress) -> tuple[Situation, _Progress] | None:
        """Add all that has to exist and is not there yet, one level of it; None if nothing is missing."""
        depth = dict(progress.depth)
        facts: list[TextTriple] = []
        fresh: list[str] = []
        done = set(progress.done)
        for term, restriction, property, filler, number in self._obligations(case):
            if (term, restriction) in done or depth.get(term, 0) >= _DEEPEST:
                continue
            done.add((term, restriction))
            if number == 1 and self._is_met(case, term, property, filler):
                continue
            added = [self._situations.fresh() for _ in range(number if number <= MOST_SUCCESSORS else 1)]
            is_value = filler[1:-1] in SUPPORTED
            types = {filler} if is_value else {filler, THING}
            for new in added:
                depth[new] = depth.get(term, 0) + 1
                facts += [(term, property, new), *((new, RDF_TYPE, name) for name in sorted(types))]
            facts += [(one, DIFFERENT_FROM, other) for place, one in enumerate(added) for other in added[place + 1 :]]
            fresh += added
        facts += self._only_values(case)
        facts = [fact for fact in facts if fact not in case.assumed]
        if not facts:
            return None
        grown = self._situations.assume(case, facts, fresh=fresh)
        return grown, _Progress(frozenset(done), tuple(depth.items()))

    def _obligations(self, case: Situation) -> Iterator[tuple[str, str, str, str, int]]:
        """Yield what has to exist: a term, the restriction it is in, the property, the class, and how many."""
        some = [(_X, RDF_TYPE, _R), (_R, owl("someValuesFrom"), _C), (_R, owl("onProperty"), _P)]
        for row in self._situations.answers(case, some, [_X, _R, _P, _C])[:_MOST_ANSWERS]:
            yield row[0], row[1], row[2], row[3], 1
        for name in _LEAST:
            least = [(_X, RDF_TYPE, _R), (_R, owl(name), _N), (_R, owl("onProperty"), _P)]
            for term, restriction, property, number in self._situations.answers(case, least, [_X, _R, _P, _N])[
                :_MOST_ANSWERS
            ]:
                lexical = lexical_form(number).strip() if number.startswith('"') else ""
                if lexical.isdecimal() and int(lexical):
                    yield term, restriction, property, self._qualifier(case, restriction), int(lexical)

    def _qualifier(self, case: Situation, restriction: str) -> str:
        for name in ("onClass", "onDataRange"):
            if found := self._situations.objects(case, restriction, owl(name)):
                return found[0]
        properties = self._situations.objects(case, restriction, owl("onProperty"))
        data = any(self._situations.has(case, name, RDF_TYPE, owl("DatatypeProperty")) for name in properties)
        return LITERAL if data else THING

    def _is_met(self, case: Situation, term: str, property: str, filler: str) -> bool:
        edge = (term, property, _X)
        any_will_do = filler in (THING, LITERAL)
        return bool(self._situations.answers(case, [edge] if any_will_do else [edge, (_X, RDF_TYPE, filler)]))

    def _only_values(self, case: Situation) -> list[TextTriple]:
        """Return facts with the one value that a fresh term can stand for in place of the term."""
        facts: list[TextTriple] = []
        for term in case.fresh:
            values = value_space(self._situations.types(case, term)).values(1)
            if values:
                literal = f'"{values[0]}"^^<{XSD}integer>'
                uses = self._situations.answers(case, [(_X, _P, term)], [_X, _P])
                facts += [(s, p, literal) for s, p in uses if p not in (RDF_TYPE, MENTIONS, DIFFERENT_FROM)]
        return [fact for fact in facts if not self._situations.has(case, *fact)]

    def _alternatives(self, case: Situation) -> list[list[TextTriple]]:
        """Return one choice that is open, as the facts of each of its alternatives; nothing if none is."""
        situations = self._situations
        for name in _ALTERNATIVES:
            patterns = [(_X, RDF_TYPE, _C), (_C, owl(name), _L)]
            for term, _, head in situations.answers(case, patterns, [_X, _C, _L])[:_MOST_ANSWERS]:
                predicate = SAME_AS if name == "oneOf" else RDF_TYPE
                members = self._members(case, head)
                if len(members) < 2 or any(member.startswith('"') for member in members):
                    continue
                if not any(member == term or situations.has(case, term, predicate, member) for member in members):
                    return [[(term, predicate, member)] for member in members]
        return self._complements(case)

    def _complements(self, case: Situation) -> list[list[TextTriple]]:
        """Return the choice between a class and its complement, for the terms that were assumed."""
        pairs = self._situations.answers(case, [(_C, owl("complementOf"), _R)], [_C, _R])[:_MOST_COMPLEMENTS]
        if not pairs:
            return []
        for term in case.fresh:
            types = set(self._situations.types(case, term))
            for pair in pairs:
                if types.isdisjoint(pair):
                    return [[(term, RDF_TYPE, name)] for name in pair]
        return []

    def _members(self, case: Situation, head: str) -> list[str]:
        members: list[str] = []
        while head != NIL and len(members) <= _MOST_CASES:
            firsts = self._situations.objects(case, head, rdf("first"))
            rests = self._situations.objects(case, head, rdf("rest"))
            if not firsts or not rests:
                return []
            members.append(firsts[0])
            head = rests[0]
        return members if head == NIL else []
