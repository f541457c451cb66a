"""Decide whether a knowledge base entails a conclusion: ``decide``.

Which names the premises know as classes and as properties, and which a conclusion needs to be.

Rule many axioms out at once: what is not derived when all of them are assumed is not derived when one is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.vocabulary import ANNOTATION_PROPERTIES, DATATYPE_MAP, NIL, THING, owl, rdf, rdfs
from ontologies.write_functional import write_functional
from ontologies.write_rdf import triples_of
from reasoner.entailment.axiom_goals import AxiomGoals, MembershipProver, Shown
from reasoner.entailment.conclusion import (
    EXISTENTIAL,
    TELLING_KINDS,
    connected,
    existentials_of,
    is_existential,
    patterns_of,
    read_conclusion,
    renamed,
)
from reasoner.entailment.expansion import SituationExpansion
from reasoner.entailment.result import ConclusionPart, Entailment
from reasoner.entailment.situation import MENTIONS, Assumptions, Situation, Situations
from reasoner.terms.hierarchy import SUPPORTED
from reasoner.terms.term import RDF_TYPE, TextTriple, Variable, is_literal
from reasoner.terms.value import value_of

if TYPE_CHECKING:
    from reasoner.explanation.proof import Proof

CLASS, PROPERTY = "a class", "a property"

# What the subject and the object of a predicate are, by the axiomatic triples of OWL 2's RDF-Based Semantics.
_PARTS: dict[str, tuple[str, str]] = {
    rdfs("subClassOf"): (CLASS, CLASS),
    rdfs("subPropertyOf"): (PROPERTY, PROPERTY),
    **{rdfs(name): (PROPERTY, CLASS) for name in ("domain", "range")},
    **{owl(name): (CLASS, CLASS) for name in ("equivalentClass", "disjointWith", "complementOf")},
    **{owl(name): (PROPERTY, PROPERTY) for name in ("equivalentProperty", "propertyDisjointWith", "inverseOf")},
    **{owl(name): (CLASS, CLASS) for name in ("someValuesFrom", "allValuesFrom", "onClass", "onDataRange")},
    **{
        owl(name): (CLASS, "")
        for name in ("unionOf", "intersectionOf", "oneOf", "disjointUnionOf", "hasKey", "hasValue")
    },
    **{owl(name): (CLASS, "") for name in ("hasSelf", "cardinality", "minCardinality", "maxCardinality")},
    owl("onProperty"): (CLASS, PROPERTY),
    owl("assertionProperty"): ("", PROPERTY),
    owl("propertyChainAxiom"): (PROPERTY, ""),
}
_MEMBERS = {
    **{owl(name): CLASS for name in ("unionOf", "intersectionOf", "disjointUnionOf")},
    **{owl(name): PROPERTY for name in ("hasKey", "propertyChainAxiom", "onProperties")},
}
_TYPED_MEMBERS = {owl("AllDisjointClasses"): CLASS, owl("AllDisjointProperties"): PROPERTY}
_KINDS = {
    **{rdfs(name): CLASS for name in ("Class", "Datatype")},
    **{owl(name): CLASS for name in ("Class", "Restriction", "DataRange", "DeprecatedClass")},
    rdf("Property"): PROPERTY,
    **{
        owl(name + "Property"): PROPERTY
        for name in (
            *("Object", "Datatype", "Annotation", "Ontology", "Functional", "InverseFunctional", "Transitive"),
            *("Symmetric", "Asymmetric", "Reflexive", "Irreflexive", "Deprecated"),
        )
    },
}
# The names that the RDF-Based Semantics makes classes and properties in every model (its tables 5.2 and 5.3).
_STANDARD = {
    CLASS: frozenset(
        {
            *(name for name in (*_KINDS, *_TYPED_MEMBERS)),
            *DATATYPE_MAP,
            *(rdf(name) for name in ("List", "Statement", "Bag", "Seq", "Alt")),
            *(rdfs(name) for name in ("Resource", "Literal", "Container", "ContainerMembershipProperty")),
            *(
                owl(name)
                for name in (
                    *("Thing", "Nothing", "AllDifferent", "Annotation", "Axiom", "NamedIndividual"),
                    *("NegativePropertyAssertion", "Ontology"),
                )
            ),
        }
    ),
    PROPERTY: frozenset(
        {
            *_PARTS,
            *_MEMBERS,
            *ANNOTATION_PROPERTIES,
            *(rdf(name) for name in ("type", "first", "rest", "subject", "predicate", "object", "value")),
            rdfs("member"),
            *(
                owl(name)
                for name in (
                    *("sameAs", "differentFrom", "members", "distinctMembers", "imports", "versionIRI"),
                    *("annotatedSource", "annotatedProperty", "annotatedTarget", "sourceIndividual"),
                    *("targetIndividual", "targetValue", "onDatatype", "withRestrictions", "datatypeComplementOf"),
                    *("qualifiedCardinality", "minQualifiedCardinality", "maxQualifiedCardinality"),
                    *("topObjectProperty", "bottomObjectProperty", "topDataProperty", "bottomDataProperty"),
                )
            ),
        }
    ),
}
_FIRST, _REST, _LONGEST = rdf("first"), rdf("rest"), 1000


def needed_names(triples: Iterable[TextTriple]) -> Iterator[tuple[str, str]]:
    """Yield the names of a conclusion that have to be classes or properties for it to hold, and which of the two."""
    triples = list(triples)
    rests = {s: o for s, p, o in triples if p == _REST}
    firsts = {s: o for s, p, o in triples if p == _FIRST}
    kinds = {s: _TYPED_MEMBERS[o] for s, p, o in triples if p == RDF_TYPE and o in _TYPED_MEMBERS}
    for s, p, o in triples:
        found = [*zip((s, o), _PARTS.get(p, ()), strict=False)]
        kind = kinds.get(s) if p == owl("members") else _MEMBERS.get(p)
        if kind:
            found += [(member, kind) for member in _list(o, firsts, rests)]
        yield from ((name, kind) for name, kind in found if kind and not is_existential(name))


class PremiseNames:
    """Looks up what a name is in the premises."""

    def __init__(self, situations: Situations, situation: Situation) -> None:
        self._situations = situations
        self._situation = situation
        self._known: dict[tuple[str, str], bool] = {}

    def is_known(self, name: str, kind: str) -> bool:
        """Tell whether the premises make a name a class, or a property."""
        if (name, kind) not in self._known:
            self._known[name, kind] = name in _STANDARD[kind] or self._look(name, kind)
        return self._known[name, kind]

    def _look(self, name: str, kind: str) -> bool:
        some, other = Variable("x"), Variable("y")
        ask, situation = self._situations.answers, self._situation
        used = (some, RDF_TYPE, name) if kind == CLASS else (some, name, other)
        if ask(situation, [used]) or any(
            _KINDS.get(found) == kind for found in self._situations.types(situation, name)
        ):
            return True
        for predicate, (subject_kind, object_kind) in _PARTS.items():
            if subject_kind == kind and ask(situation, [(name, predicate, some)]):
                return True
            if object_kind == kind and ask(situation, [(some, predicate, name)]):
                return True
        return any(self._lists_hold(cell, kind) for cell in self._situations.subjects(situation, _FIRST, name))

    def _lists_hold(self, cell: str, kind: str) -> bool:
        """Tell whether the list that a cell belongs to is one of classes, or of properties."""
        situations, situation = self._situations, self._situation
        for _ in range(_LONGEST):
            if any(found == kind and situations.subjects(situation, p, cell) for p, found in _MEMBERS.items()):
                return True
            for node in situations.subjects(situation, owl("members"), cell):
                if any(_TYPED_MEMBERS.get(found) == kind for found in situations.types(situation, node)):
                    return True
            before = situations.subjects(situation, _REST, cell)
            if not before:
                return False
            cell = before[0]
        return False


def _list(node: str, firsts: dict[str, str], rests: dict[str, str]) -> Iterator[str]:
    seen: set[str] = set()
    while node != NIL and node in firsts and node not in seen:
        seen.add(node)
        yield firsts[node]
        node = rests.get(node, NIL)


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
        expand = SituationExpansion(situations, patience).expand
        return MembershipProver(situations, Assumptions(situations), expand).impossible(situations.begin())


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
        self.names = PremiseNames(situations, premises)
        key = (Variable("c"), owl("hasKey"), Variable("l"))
        self.has_keys = direct and bool(situations.answers(premises, [key]))
        self.conclusion = read_conclusion(triples, self._kinds(triples, premises), direct=direct)
        self.base = situations.assume(premises, self._mentioned(premises)) if assuming else premises
        assumptions = Assumptions(situations)
        expand = SituationExpansion(situations, patience).expand if patience else None
        membership = MembershipProver(situations, assumptions, expand)
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

    def _declarations(self) -> Iterator[ConclusionPart]:
        if self.direct:
            return
        for triple in self.conclusion.declarations:
            name, _, kind = triple
            text = " ".join(triple)
            if kind in _CLASSES and self.names.is_known(name, CLASS):
                yield ConclusionPart(text, True, "the premises use it as a class")
            elif kind in _PROPERTIES and self.names.is_known(name, PROPERTY):
                yield ConclusionPart(text, True, "the premises use it as a property")
            else:
                yield self._triples([triple])

    def _named(self) -> Iterator[ConclusionPart]:
        """Yield what keeps the conclusion from being about classes and properties."""
        if self.direct:
            return
        for name, kind in dict.fromkeys(needed_names(self.conclusion.triples)):
            if not self.names.is_known(name, kind):
                yield ConclusionPart(f"{name} is {kind}", False, "nothing in the premises says so")

    def _axioms(self) -> Iterator[ConclusionPart]:
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

    def _axiom(self, axiom: ax.Axiom) -> ConclusionPart:
        text = write_functional(axiom)
        shown = self._shown(axiom)
        if shown is None:
            return ConclusionPart(text, False, "the rules do not derive it" if self.assuming else _NOT_CLASSICAL)
        assumed = tuple(fact for fact in shown.situation.assumed if fact[1] != MENTIONS) if shown.situation else ()
        return ConclusionPart(text, True, shown.reason, assumed, self._explain(shown))

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

    def _group(self, group: Sequence[ax.Axiom], blanks: Sequence[str]) -> ConclusionPart:
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
                    return ConclusionPart(
                        text, True, f"with {_told(names)}" if names else "there are such terms in the closure"
                    )
        rolled = roll_up(group)
        if rolled is not None and all(self._shown(axiom) for axiom in rolled):
            return ConclusionPart(text, True, "; ".join(map(write_functional, rolled)) + " holds")
        return ConclusionPart(text, False, "no terms for its blank nodes were found")

    def _triples(self, group: Sequence[TextTriple]) -> ConclusionPart:
        text = "; ".join(" ".join(triple) for triple in group).replace(f"_:{EXISTENTIAL}", "_:")
        # Whatever a blank node stands for is a thing, also where the closure has no reason to say so.
        asked = [triple for triple in group if not (is_existential(triple[0]) and triple[1:] == (RDF_TYPE, THING))]
        if asked and not self.situations.answers(self.base, patterns_of(asked)):
            return ConclusionPart(text, False, "it is not in the closure")
        single = len(group) == 1 and not existentials_of(group[0])
        shown = Shown("it is in the closure", self.base if single else None, group[0] if single else None)
        return ConclusionPart(text, True, shown.reason, (), self._explain(shown))


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
        return situations.proof(situation, triple)
