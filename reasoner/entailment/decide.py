"""Decide whether a knowledge base entails a conclusion: ``decide``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.vocabulary import THING, owl, rdf, rdfs
from ontologies.write_functional import write_functional
from ontologies.write_rdf import triples_of
from reasoner.entailment.assumptions import Assumptions
from reasoner.entailment.axiom_goals import AxiomGoals, Shown
from reasoner.entailment.conclusion import TELLING_KINDS, read_conclusion
from reasoner.entailment.existential import (
    EXISTENTIAL,
    connected,
    existentials_of,
    is_existential,
    patterns_of,
    renamed,
)
from reasoner.entailment.expansion import Expansion
from reasoner.entailment.membership import Membership
from reasoner.entailment.names import CLASS, PROPERTY, Names, needed_names
from reasoner.entailment.result import Entailment, Part
from reasoner.entailment.situation import MENTIONS, Situation, Situations
from reasoner.entailment.together import not_shown_together
from reasoner.literals.value import value_of
from reasoner.rules.term import RDF_TYPE, Variable, is_literal
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.explanation.proof import Proof

_ANNOTATING = (ax.SubAnnotationPropertyOf, ax.AnnotationPropertyDomain, ax.AnnotationPropertyRange)
_CLASSES = frozenset({owl("Class"), rdfs("Class")})
_PROPERTIES = frozenset({owl("ObjectProperty"), rdf("Property")})

_NOT_CLASSICAL = "it is not in the closure, and rules with negation allow no more to be assumed"

# So many candidates for the blank nodes of one group are tried.
_MOST_CANDIDATES = 2000


def decide(
    situations: Situations, triples: Iterable[TextTriple], *, direct: bool, assuming: bool, patience: float = 0
) -> Entailment:
    """Return whether the premises of ``situations`` entail a graph, part by part.

    ``direct`` takes the Direct Semantics, in which declarations and annotations say nothing, and otherwise the
    RDF-Based Semantics, in which they are triples like any other. Without ``assuming`` only the closure counts.
    With ``patience``, in seconds, situations are expanded, for premises that go beyond OWL 2 RL.

        1  an axiom whose triples are in the closure, the nodes of its expressions being any nodes, is entailed
        2  simple axioms that are not derived when all of them are assumed of fresh terms at once are ruled out
        3  any other axiom: what it says of anything is assumed of fresh terms, and what it denies is refuted
        4  axioms that share blank nodes: terms for these that satisfy the simple ones, then 1 to 3 for the others
        5  declarations, annotations and triples that fit no axiom: as triples, their blank nodes existential
    """
    with situations.lock:
        return _Decision(situations, list(triples), direct, assuming, patience).made()


def contradiction(situations: Situations, patience: float) -> str:
    """Say why the premises cannot all be true; empty if nothing is found in so many seconds."""
    with situations.lock:
        expand = Expansion(situations, patience).expand
        return Membership(situations, Assumptions(situations), expand).impossible(situations.begin())


class _Decision:
    def __init__(
        self, situations: Situations, triples: list[TextTriple], direct: bool, assuming: bool, patience: float
    ) -> None:
        self.situations = situations
        self.direct = direct
        self.assuming = assuming
        self.expanding = patience > 0
        self.hopeless: set[ax.Axiom] = set()
        self.looked_up: dict[ax.Axiom, bool] = {}
        premises = situations.begin()
        self.names = Names(situations, premises)
        key = (Variable("c"), owl("hasKey"), Variable("l"))
        self.has_keys = direct and bool(situations.answers(premises, [key]))
        self.conclusion = read_conclusion(triples, self._kinds(triples, premises))
        self.base = situations.assume(premises, self._mentioned(premises)) if assuming else premises
        assumptions = Assumptions(situations)
        expand = Expansion(situations, patience).expand if patience else None
        membership = Membership(situations, assumptions, expand)
        self.goals = AxiomGoals(assumptions, membership, self.base)

    def made(self) -> Entailment:
        conclusion = self.conclusion
        if inconsistency := self.situations.clash(self.base):
            return Entailment((), (), inconsistency)
        parts = [*self._declarations(), *self._named(), *self._axioms()]
        parts += [self._triples(group) for group in conclusion.unread]
        ignored = [" ".join(triple) for triple in conclusion.header]
        if self.direct:
            ignored += [" ".join(triple) for triple in conclusion.declarations]
            ignored += [" ".join(triple) for group in conclusion.annotations for triple in group]
        else:
            parts += [self._triples(group) for group in conclusion.annotations]
        return Entailment(tuple(parts), tuple(text.replace(EXISTENTIAL, "", 1) for text in ignored))

    def _kinds(self, triples: Sequence[TextTriple], premises: Situation) -> list[TextTriple]:
        """Return what the premises say about the kinds of the names of a conclusion."""
        names = dict.fromkeys(term for triple in triples for term in triple if term.startswith("<"))
        return [
            (name, RDF_TYPE, kind)
            for name in names
            for kind in self.situations.types(premises, name)
            if kind in TELLING_KINDS
        ]

    def _mentioned(self, premises: Situation) -> list[TextTriple]:
        """Return facts that hold anyway: literals of the conclusion occur, and its individuals are things."""
        literals = {o for _, _, o in self.conclusion.triples if is_literal(o) and value_of(o) is not None}
        individuals = {name for axiom in self.conclusion.axioms for name in _individuals(axiom)}
        return [
            *((self.situations.fresh(), MENTIONS, literal) for literal in sorted(literals)),
            *((name, RDF_TYPE, THING) for name in sorted(individuals) if not is_existential(name)),
        ]

    def _declarations(self) -> Iterator[Part]:
        if self.direct:
            return
        for triple in self.conclusion.declarations:
            name, _, kind = triple
            text = " ".join(triple)
            if kind in _CLASSES and self.names.is_known(name, CLASS):
                yield Part(text, True, "the premises use it as a class")
            elif kind in _PROPERTIES and self.names.is_known(name, PROPERTY):
                yield Part(text, True, "the premises use it as a property")
            else:
                yield self._triples([triple])

    def _named(self) -> Iterator[Part]:
        """Yield what keeps the conclusion from being about classes and properties."""
        if self.direct:
            return
        for name, kind in dict.fromkeys(needed_names(self.conclusion.triples)):
            if not self.names.is_known(name, kind):
                yield Part(f"{name} is {kind}", False, "nothing in the premises says so")

    def _axioms(self) -> Iterator[Part]:
        axioms = [a for a in self.conclusion.axioms if not (self.direct and isinstance(a, _ANNOTATING))]
        plain = [axiom for axiom in axioms if not existentials_of(axiom) and not self._in_closure(axiom)]
        if self.assuming and not self.expanding:
            self.hopeless = not_shown_together(self.situations, self.base, plain)
        for group in connected(axioms, existentials_of):
            blanks = list(dict.fromkeys(name for axiom in group for name in existentials_of(axiom)))
            if blanks:
                yield self._group(group, blanks)
            else:
                yield self._axiom(group[0])

    def _axiom(self, axiom: ax.Axiom) -> Part:
        text = write_functional(axiom)
        shown = self._shown(axiom)
        if shown is None:
            return Part(text, False, "the rules do not derive it" if self.assuming else _NOT_CLASSICAL)
        assumed = tuple(fact for fact in shown.situation.assumed if fact[1] != MENTIONS) if shown.situation else ()
        return Part(text, True, shown.reason, assumed, self._explain(shown))

    def _in_closure(self, axiom: ax.Axiom) -> bool:
        """Tell whether the triples of an axiom are in the closure; expressions may be any nodes there."""
        if axiom not in self.looked_up:
            self.looked_up[axiom] = bool(self.situations.answers(self.base, patterns_of(_mapped(axiom))))
        return self.looked_up[axiom]

    def _shown(self, axiom: ax.Axiom) -> Shown | None:
        if self._in_closure(axiom):
            patterns = _mapped(axiom)
            single = patterns[0] if len(patterns) == 1 and not existentials_of(patterns[0]) else None
            return Shown("it is in the closure", self.base if single else None, single)
        if isinstance(axiom, ax.DLSafeRule) or axiom in self.hopeless or not self.assuming:
            return None
        shown = self.goals.show(axiom)
        if shown and self.has_keys and not isinstance(axiom, ax.HasKey) and shown.situation and shown.situation.fresh:
            # Under the direct semantics keys are about named individuals only, and a fresh one stands for all.
            return None
        return shown

    def _explain(self, shown: Shown) -> Any:
        if shown.situation is None or shown.triple is None:
            return None
        return partial(_proof, self.situations, shown.situation, shown.triple)

    def _group(self, group: Sequence[ax.Axiom], blanks: Sequence[str]) -> Part:
        """Decide axioms that say that there is something."""
        text = "; ".join(map(write_functional, group)).replace(f"_:{EXISTENTIAL}", "_:")
        simple = [axiom for axiom in group if _is_simple(axiom)]
        open_axioms = [axiom for axiom in group if axiom not in simple and not _is_trivial(axiom)]
        patterns = patterns_of(triple for axiom in simple for triple in _mapped(axiom))
        bound = [name for name in blanks if Variable(name[2:]) in {term for pattern in patterns for term in pattern}]
        needed = {name for axiom in open_axioms for name in existentials_of(axiom)}
        if needed <= set(bound):
            asked = [Variable(name[2:]) for name in bound if name in needed]
            found = self.situations.answers(self.base, patterns, asked) if patterns else [()]
            for row in found[:_MOST_CANDIDATES]:
                names = dict(zip((f"_:{name.name}" for name in asked), row, strict=True))
                if all(self._shown(renamed(axiom, names)) for axiom in open_axioms):
                    return Part(text, True, f"with {_told(names)}" if names else "there are such terms in the closure")
        rolled = roll_up(group)
        if rolled is not None and all(self._shown(axiom) for axiom in rolled):
            return Part(text, True, "; ".join(map(write_functional, rolled)) + " holds")
        return Part(text, False, "no terms for its blank nodes were found")

    def _triples(self, group: Sequence[TextTriple]) -> Part:
        text = "; ".join(" ".join(triple) for triple in group).replace(f"_:{EXISTENTIAL}", "_:")
        if not self.situations.answers(self.base, patterns_of(group)):
            return Part(text, False, "it is not in the closure")
        single = len(group) == 1 and not existentials_of(group[0])
        shown = Shown("it is in the closure", self.base if single else None, group[0] if single else None)
        return Part(text, True, shown.reason, (), self._explain(shown))


def roll_up(group: Sequence[ax.Axiom]) -> list[ax.Axiom] | None:
    """Return assertions without blank nodes that say the same, if the blank nodes hang on names like leaves on a tree.

    a p _:x and _:x a C become: a is in some(p C).
    """
    axioms = list(group)
    while blanks := list(dict.fromkeys(name for axiom in axioms for name in existentials_of(axiom))):
        for name in blanks:
            about = [axiom for axiom in axioms if name in existentials_of(axiom)]
            links = [a for a in about if isinstance(a, ax.ObjectPropertyAssertion) and a.target == name != a.source]
            classes = [a.expression for a in about if isinstance(a, ax.ClassAssertion) and a.individual == name]
            if len(links) == 1 and len(about) == 1 + len(classes) and not existentials_of(tuple(classes)):
                break
        else:
            return None
        filler = THING if not classes else classes[0] if len(classes) == 1 else ex.ObjectIntersectionOf(tuple(classes))
        some = ex.ObjectSomeValuesFrom(links[0].property, filler)
        axioms = [axiom for axiom in axioms if axiom not in about]
        axioms.append(ax.ClassAssertion(some, links[0].source))
    return axioms


def _mapped(axiom: ax.Axiom) -> list[TextTriple]:
    """Return the triples of an axiom; what kind of nodes they are about follows from the rest."""
    triples = triples_of(ax.Ontology((axiom,)), EXISTENTIAL)
    kinds = (owl("Ontology"), owl("Class"), owl("Restriction"), rdfs("Datatype"))
    return [triple for triple in triples if not (is_existential(triple[0]) and triple[2] in kinds)]


def _is_simple(axiom: ax.Axiom) -> bool:
    """Tell whether an assertion is one triple of the closure or nothing."""
    match axiom:
        case ax.ClassAssertion(str() as name):
            return name != THING
        case ax.ObjectPropertyAssertion(str()) | ax.DataPropertyAssertion(str()):
            return True
    return False


def _is_trivial(axiom: ax.Axiom) -> bool:
    return isinstance(axiom, ax.ClassAssertion) and axiom.expression == THING


def _individuals(axiom: ax.Axiom) -> tuple[str, ...]:
    match axiom:
        case ax.ClassAssertion(_, individual):
            return (individual,)
        case ax.ObjectPropertyAssertion(_, s, o) | ax.NegativeObjectPropertyAssertion(_, s, o):
            return (s, o)
        case ax.DataPropertyAssertion(_, s, _) | ax.NegativeDataPropertyAssertion(_, s, _):
            return (s,)
        case ax.SameIndividual(individuals) | ax.DifferentIndividuals(individuals):
            return individuals
    return ()


def _told(names: dict[str, str]) -> str:
    return ", ".join(f"{blank.replace(EXISTENTIAL, '', 1)} = {term}" for blank, term in names.items())


def _proof(situations: Situations, situation: Situation, triple: TextTriple) -> Proof | None:
    with situations.lock:
        return situations.reasoner(situation).explain(triple)
