"""What a reasoner can be asked about graphs: whether it entails them, and whether it is consistent at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.entailment.result import Entailment
    from reasoner.entailment.situation import Situations
    from reasoner.program import EncodedProgram
    from reasoner.rules.rule import Rule

SEMANTICS = ("rdf", "direct")

# Conditions that a term may meet because nothing better is known of it.
_UNSURE_CONDITIONS = frozenset({"!=", "isIRI", "isBlank", "isLiteral"})


class EntailmentQuestions:
    """The questions about entailment; a mixin of ``Reasoner``."""

    profile: str
    store: ColumnarStore
    _situations: Situations | None = None
    _situations_beyond: Situations | None = None

    if TYPE_CHECKING:

        def _materialised(self) -> None: ...

        def _encoded(self) -> EncodedProgram: ...

        def select(self, patterns: str, variables: Sequence[str] | None = None) -> list[dict[str, str]]: ...

        def rules(self) -> tuple[Rule, ...]: ...

    def entails(
        self,
        graph: Any,
        *,
        semantics: str = "rdf",
        format: str | None = None,
        base: str | None = None,
        patience: float = 10.0,
    ) -> Entailment:
        """Tell whether all that a graph says follows, and why, part by part.

        ``graph`` is a path, a text (Turtle unless ``format`` names another syntax), triples, a graph of rdflib, an
        ontology, an owlready2 world, or another reasoner. Its blank nodes say that there is something; its axioms are
        decided by reasoning about fresh individuals, which the store never sees. The answer is true or false as a
        truth value. A yes is always right; a no means that the rules do not show it.

        Under the ``rdf`` (RDF-Based) semantics of OWL 2 annotations and declarations are triples like any other; under
        the ``direct`` semantics they say nothing. Where the premises go beyond OWL 2 RL, what has to exist and what has
        alternatives is looked into as well, for about ``patience`` seconds.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner()
        >>> sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
        >>> kb.add([("<urn:Cat>", sub, "<urn:Pet>"), ("<urn:Pet>", sub, "<urn:Animal>")])
        2
        >>> bool(kb.entails(f"<urn:Cat> {sub} <urn:Animal> .")), bool(kb.entails(f"<urn:Pet> {sub} <urn:Cat> ."))
        (True, False)
        """
        from reasoner.entailment.conclusion import triples_of_conclusion
        from reasoner.entailment.decide import decide
        from reasoner.entailment.result import Entailment

        if semantics not in SEMANTICS:
            raise ReasonerError(f"unknown semantics {semantics!r}: choose one of {', '.join(SEMANTICS)}")
        if self.profile == "upper":
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
        """Say why the store is inconsistent, by one violation of a constraint; empty if none is found.

        With ``patience``, in seconds, what has to exist and what has alternatives is looked into as well, if the store
        says such things, which OWL 2 RL has no rules for.
        """
        self._materialised()
        found = next((str(found) for found in self.store.violations(self._encoded().constraints, 1)), "")
        if found or patience <= 0 or not self._goes_beyond() or not self._is_classical():
            return found
        from reasoner.entailment.decide import contradiction

        return contradiction(self._hypothetical_beyond(), patience)

    def is_consistent(self, *, patience: float = 0.0) -> bool:
        """Tell whether no inconsistency is found; see ``inconsistency``."""
        return not self.inconsistency(patience=patience)

    def _hypothetical(self) -> Situations:
        if self._situations is None:
            from reasoner.entailment.situation import Situations

            self._situations = Situations(self)  # type: ignore[arg-type]
        return self._situations

    def _hypothetical_beyond(self) -> Situations:
        if self._situations_beyond is None:
            from reasoner.entailment.beyond_rules import beyond_rules
            from reasoner.entailment.situation import Situations

            self._situations_beyond = Situations(self, beyond_rules())  # type: ignore[arg-type]
        return self._situations_beyond

    def _goes_beyond(self) -> bool:
        """Tell whether the premises say what the rules of OWL 2 RL leave open."""
        from reasoner.entailment.beyond_rules import BEYOND_PREDICATES, BEYOND_TYPES

        state, known = self.store.state, self.store.dictionary.lookup
        if any((id := known(name)) is not None and id in state.explicit for name in BEYOND_PREDICATES):
            return True
        return any(known(name) is not None and self.select(f"?p a {name}") for name in BEYOND_TYPES)

    def _is_classical(self) -> bool:
        """Tell whether all that holds goes on to hold when more is known, so that assuming facts proves anything."""
        return not any(
            rule.negative or any(condition.name in _UNSURE_CONDITIONS for condition in rule.conditions)
            for rule in self.rules()
        )
