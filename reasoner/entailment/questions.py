"""What a reasoner can be asked about graphs: whether it entails them, and whether it is consistent at all.

Rules beyond OWL 2 RL, for premises that say what that profile has no rules for.

They are right in all models, but they are not all: what has to exist, and what has alternatives, is for ``expansion``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ontologies.vocabulary import owl
from reasoner.rules.errors import ReasonerError
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Rule

if TYPE_CHECKING:
    from reasoner.entailment.result import Entailment
    from reasoner.entailment.situation import Situations
    from reasoner.state.session import Session

SEMANTICS = ("rdf", "direct")

# Conditions that a term may meet because nothing better is known of it.
_UNSURE_CONDITIONS = frozenset({"!=", "isIRI", "isBlank", "isLiteral"})


class EntailmentQuestions:
    """Answers questions about entailment, in situations that the reasoner itself never learns of."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._situations: Situations | None = None
        self._situations_beyond: Situations | None = None

    def entails(
        self, graph: Any, *, semantics: str, format: str | None, base: str | None, patience: float
    ) -> Entailment:
        """Tell whether all that a graph says follows, and why, part by part; see ``Reasoner.entails``."""
        from reasoner.entailment.conclusion import triples_of_conclusion
        from reasoner.entailment.decide import decide
        from reasoner.entailment.result import Entailment

        if semantics not in SEMANTICS:
            raise ReasonerError(f"unknown semantics {semantics!r}: choose one of {', '.join(SEMANTICS)}")
        if self._session.settings.profile == "upper":
            raise ReasonerError(
                "the program of the upper profile derives more than the ontology entails: ask a reasoner of another "
                "profile, such as owl2rl"
            )
        triples = triples_of_conclusion(graph, format=format, base=base)
        if inconsistency := self.inconsistency():
            return Entailment((), (), inconsistency)
        direct, classical = semantics == "direct", self._is_classical()
        answer = decide(self._hypothetical(), triples, direct=direct, assuming=classical)
        if answer or not classical or patience <= 0 or not self._goes_beyond():
            return answer
        further = decide(self._hypothetical_beyond(), triples, direct=direct, assuming=True, patience=patience)
        return answer.improved(further)

    def inconsistency(self, *, patience: float = 0.0) -> str:
        """Say why the store is inconsistent, by one violation of a constraint; empty if none is found."""
        found = next(map(str, self._session.violations(1)), "")
        if found or patience <= 0 or not self._goes_beyond() or not self._is_classical():
            return found
        from reasoner.entailment.decide import contradiction

        return contradiction(self._hypothetical_beyond(), patience)

    def _hypothetical(self) -> Situations:
        if self._situations is None:
            from reasoner.entailment.situation import Situations

            self._situations = Situations(self._session)
        return self._situations

    def _hypothetical_beyond(self) -> Situations:
        if self._situations_beyond is None:
            from reasoner.entailment.situation import Situations

            self._situations_beyond = Situations(self._session, beyond_rules())
        return self._situations_beyond

    def _goes_beyond(self) -> bool:
        """Tell whether the premises say what the rules of OWL 2 RL leave open."""
        from reasoner.state.rule_patterns import select

        store = self._session.store
        state, known = store.state, store.dictionary.lookup
        if any((id := known(name)) is not None and id in state.explicit for name in BEYOND_PREDICATES):
            return True
        return any(known(name) is not None and select(store, f"?p a {name}") for name in BEYOND_TYPES)

    def _is_classical(self) -> bool:
        """Tell whether all that holds goes on to hold when more is known, so that assuming facts proves anything."""
        return not any(
            rule.negative or any(condition.name in _UNSURE_CONDITIONS for condition in rule.conditions)
            for rule in self._session.rules()
        )


# Premises without any of these are told all that they entail by the rules of OWL 2 RL, unions and enumerations apart.
BEYOND_PREDICATES = tuple(
    owl(name)
    for name in (
        *("someValuesFrom", "minCardinality", "cardinality", "minQualifiedCardinality", "qualifiedCardinality"),
        *("hasSelf", "unionOf", "oneOf", "disjointUnionOf", "complementOf", "allValuesFrom", "maxCardinality"),
    )
)

BEYOND_TYPES = (owl("ReflexiveProperty"),)

_ZERO, _ONE = (f'sameValue(?n, "{number}"^^xsd:nonNegativeInteger)' for number in (0, 1))
_TRUE = '"true"^^xsd:boolean'
_CELL, _LATER = "<urn:reasoner:cell>", "<urn:reasoner:later>"
_EXACTLY = "?x owl:cardinality ?n, ?x owl:onProperty ?p, ?u a ?x"
_EXACTLY_OF_CLASS = "?x owl:qualifiedCardinality ?n, ?x owl:onProperty ?p, ?x owl:onClass ?c, ?u a ?x"

_TEXT = f"""
[self-1] ?u ?p ?u :- ?x owl:hasSelf {_TRUE}, ?x owl:onProperty ?p, ?u a ?x .
[self-2] ?u a ?x :- ?x owl:hasSelf {_TRUE}, ?x owl:onProperty ?p, ?u ?p ?u .
[reflexive] ?x ?p ?x :- ?p a owl:ReflexiveProperty, ?x a owl:Thing .
[exactly-0] false :- {_EXACTLY}, ?u ?p ?y, {_ZERO} .
[exactly-1] ?y1 owl:sameAs ?y2 :- {_EXACTLY}, ?u ?p ?y1, ?u ?p ?y2, {_ONE} .
[exactly-0-of] false :- {_EXACTLY_OF_CLASS}, ?u ?p ?y, ?y a ?c, {_ZERO} .
[exactly-1-of] ?y1 owl:sameAs ?y2 :- {_EXACTLY_OF_CLASS}, ?u ?p ?y1, ?y1 a ?c, ?u ?p ?y2, ?y2 a ?c, {_ONE} .
[at-least-1] ?u a ?x :- ?x owl:minCardinality ?n, ?x owl:onProperty ?p, ?u ?p ?y, {_ONE} .
[one-of-1] ?x owl:sameAs ?y :- ?c owl:oneOf ?l, ?l rdf:first ?y, ?l rdf:rest rdf:nil, ?x a ?c .
[disjoint-union-cell] ?c {_CELL} ?l :- ?c owl:disjointUnionOf ?l .
[disjoint-union-cell] ?c {_CELL} ?m :- ?c {_CELL} ?l, ?l rdf:rest ?m .
[disjoint-union-later] ?l {_LATER} ?m :- ?c {_CELL} ?l, ?l rdf:rest ?m .
[disjoint-union-later] ?l {_LATER} ?n :- ?l {_LATER} ?m, ?m rdf:rest ?n .
[disjoint-union-part] ?d rdfs:subClassOf ?c :- ?c {_CELL} ?l, ?l rdf:first ?d .
[disjoint-union-apart] ?d owl:disjointWith ?e :- ?c {_CELL} ?l, ?l {_LATER} ?m, ?l rdf:first ?d, ?m rdf:first ?e .
"""

# Restrictions of one property by one number: which of them are contained in which.
_CONTAINED = (
    *(("cardinality", name) for name in ("cardinality", "minCardinality", "maxCardinality")),
    *((name, name) for name in ("minCardinality", "maxCardinality")),
)


@cache
def beyond_rules() -> tuple[Rule, ...]:
    """Return the rules."""
    contained = "".join(
        f"[restriction] ?c rdfs:subClassOf ?d :- "
        f"?c owl:{sub} ?n, ?c owl:onProperty ?p, ?d owl:{over} ?n, ?d owl:onProperty ?p .\n"
        for sub, over in _CONTAINED
    )
    exactly = (
        "[restriction] ?u a ?c :- ?c owl:cardinality ?n, ?c owl:onProperty ?p, "
        "?d owl:minCardinality ?n, ?d owl:onProperty ?p, ?e owl:maxCardinality ?n, ?e owl:onProperty ?p, "
        "?u a ?d, ?u a ?e .\n"
    )
    return tuple(parse_rules(_TEXT + contained + exactly))
