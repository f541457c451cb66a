"""Rule many axioms out at once: what is not derived when all of them are assumed is not derived when one is."""

from __future__ import annotations

from collections.abc import Sequence

import ontologies.axioms as ax
from ontologies.vocabulary import THING, owl
from reasoner.entailment.situation import MENTIONS, Situation, Situations
from reasoner.literals.hierarchy import SUPPORTED
from reasoner.rules.term import RDF_TYPE, Variable
from reasoner.violation import TextTriple

# Fewer axioms than these are as well asked one by one.
_FEWEST = 3

# What is assumed for an axiom, and what has to follow.
Question = tuple[list[TextTriple], TextTriple]


def not_shown_together(situations: Situations, base: Situation, axioms: Sequence[ax.Axiom]) -> set[ax.Axiom]:
    """Return axioms that the rules do not show, found in one situation with fresh terms for each of them.

    The other way round this proves nothing: what one axiom assumes might be used to derive what another one says. So
    what is derived is left to be shown by itself, and nothing is ruled out if the assumptions contradict one another,
    or if complements allow to show more by refutation.
    """
    questions = {axiom: question for axiom in axioms if (question := _question(situations, axiom))}
    complements = (Variable("c"), owl("complementOf"), Variable("d"))
    if len(questions) < _FEWEST or situations.answers(base, [complements]):
        return set()
    facts = [fact for assumed, _ in questions.values() for fact in assumed]
    together = situations.assume(base, facts)
    if situations.clash(together):
        return set()
    return {axiom for axiom, (_, wanted) in questions.items() if not situations.has(together, *wanted)}


def _question(situations: Situations, axiom: ax.Axiom) -> Question | None:
    first, second = situations.fresh(), situations.fresh()
    thing: TextTriple = (first, RDF_TYPE, THING)
    match axiom:
        case ax.SubClassOf(str() as sub, str() as over) if not _special(sub, over):
            return [thing, (first, RDF_TYPE, sub)], (first, RDF_TYPE, over)
        case ax.SubObjectPropertyOf(str() as sub, str() as over) | ax.SubDataPropertyOf(sub, over):
            if not _special(sub, over):
                return [thing, (first, sub, second)], (first, over, second)
        case ax.ObjectPropertyDomain(str() as name, str() as over) | ax.DataPropertyDomain(name, str() as over):
            if not _special(name, over):
                return [thing, (first, name, second)], (first, RDF_TYPE, over)
        case ax.ObjectPropertyRange(str() as name, str() as over):
            if not _special(name, over):
                return [thing, (first, name, second), (second, MENTIONS, second)], (second, RDF_TYPE, over)
    return None


def _special(*names: str) -> bool:
    """Tell whether some names are of a standard vocabulary, whose meaning is not all in the rules."""
    return any(name.startswith("<http://www.w3.org/") or name[1:-1] in SUPPORTED for name in names)
