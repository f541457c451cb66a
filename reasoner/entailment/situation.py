"""What would hold if more were said: situations on top of a knowledge base that never learns of them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from reasoner.commit_request import CommitRequest
from reasoner.entailment.value_space import clash_of
from reasoner.quads import QuadRequest
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.term import RDF_TYPE, Term, Variable
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from ontologies.expressions import ClassExpression
    from reasoner.columnar.store import Snapshot
    from reasoner.reasoner import Reasoner

# What a reasoner has compiled; a situation that adds axioms has its own.
_COMPILED = (
    "_translation",
    "_program",
    "_prepared",
    "_preparation",
    "_maintenance",
    "_up_to_date",
    "_work",
    "_summary",
)

# Its facts make terms occur, so that literals meet those of equal value.
MENTIONS = "<urn:reasoner:mentions>"

Excluded = tuple["ClassExpression", str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What follows in a situation, and what its rules were compiled to; ``clash`` is why it cannot be."""

    state: Snapshot
    compiled: dict[str, Any]
    engine: Any
    clash: str = ""


@dataclass(slots=True, eq=False)
class Situation:
    """The facts that are assumed beyond a knowledge base, and what is assumed not to be.

    ``excluded`` holds pairs of a class expression and a term that is assumed not to belong to it; ``contradiction`` is
    an assumption that nothing can satisfy. What follows is found when somebody asks for it, from ``ground`` and the
    facts that are ``pending`` since then, and kept as ``outcome``.
    """

    assumed: tuple[TextTriple, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    fresh: tuple[str, ...] = ()
    contradiction: str = ""
    ground: Outcome | None = field(default=None, repr=False)
    pending: tuple[TextTriple, ...] = ()
    outcome: Outcome | None = field(default=None, repr=False)


class Situations:
    """Finds out about situations in a second reasoner, which shares the facts, the rules and the terms of the first.

    What is assumed is added by maintenance, so that a situation costs what its facts change, unless axioms are among
    them. The first reasoner is never touched: its readers see nothing, and its state needs no restoring.
    """

    def __init__(self, kb: Reasoner, more_rules: Sequence[Rule] = ()) -> None:
        from reasoner.reasoner import Reasoner

        self.lock = threading.RLock()
        self._kb = kb
        self._second = Reasoner(kb.profile, equality=kb.equality, modules=kb.modules)
        self._prefix = kb.store.dictionary.new_blank_scope()
        self._more_rules = tuple(more_rules)
        self._count = 0
        self._following: tuple[object, object] = (None, None)
        self._beginning: Outcome | None = None

    def begin(self) -> Situation:
        """Return the situation in which nothing is assumed, as of the last commit."""
        kb = self._kb
        with kb._committing:
            kb._materialised()
            kb.prepare()
            rules, state = kb._prepared, kb.store.state
            if self._following[0] is not rules or self._beginning is None:
                self._follow()
                self._beginning = self._start()
            elif self._following[1] is not state:
                self._beginning = self._start() if self._more_rules else replace(self._beginning, state=state)
            self._following = rules, state
        self._count = 0
        return Situation(outcome=self._beginning)

    def _follow(self) -> None:
        """Take over the rules of the first reasoner, compiled for maintenance by an engine of our own."""
        from reasoner.columnar.engine import ColumnarEngine
        from reasoner.columnar.literal_values import LiteralValues

        kb, second = self._kb, self._second
        store = second.store
        store.dictionary = kb.store.dictionary
        store.engine = ColumnarEngine(store.dictionary, equality=kb.store.engine.equality)
        store.values = LiteralValues(store.dictionary)
        second._user_rules = [*kb._user_rules, *self._more_rules]
        for name in _COMPILED:
            setattr(second, name, getattr(kb, name))
        second._maintenance = None

    def _start(self) -> Outcome:
        """Return what follows when nothing is assumed; with more rules than those of the first, this is found anew."""
        second = self._second
        clash = ""
        if self._more_rules:
            second.store.state = replace(self._kb.store.state, memory=None)
            second._changed()
            second._reason()
            clash = second.inconsistency()
        else:
            second.store.state = self._kb.store.state
        second._maintenance_program()
        compiled = {name: getattr(second, name) for name in _COMPILED}
        return Outcome(second.store.state, compiled, second.store.engine, clash)

    def fresh(self) -> str:
        """Return a term that no fact mentions."""
        self._count += 1
        return f"_:{self._prefix}_{self._count}"

    def assume(
        self,
        situation: Situation,
        facts: Iterable[TextTriple],
        *,
        excluded: Sequence[Excluded] = (),
        fresh: Sequence[str] = (),
        contradiction: str = "",
    ) -> Situation:
        """Return a situation with more assumptions; one that nothing can satisfy stays as it is."""
        facts = tuple(fact for fact in dict.fromkeys(facts) if fact not in situation.assumed)
        if situation.contradiction or not (facts or excluded or contradiction):
            return situation
        return Situation(
            (*situation.assumed, *facts),
            (*situation.excluded, *excluded),
            tuple(dict.fromkeys((*situation.fresh, *fresh))),
            contradiction,
            situation.outcome or situation.ground,
            facts if situation.outcome else (*situation.pending, *facts),
        )

    def clash(self, situation: Situation) -> str:
        """Say why a situation cannot be, by the rules and by datatypes; empty if nothing speaks against it."""
        return situation.contradiction or self._outcome(situation).clash

    def _outcome(self, situation: Situation) -> Outcome:
        if situation.outcome is None:
            assert situation.ground is not None
            situation.outcome = self._found(situation, situation.ground)
        return situation.outcome

    def _found(self, situation: Situation, ground: Outcome) -> Outcome:
        if ground.clash or not situation.pending:
            return ground
        second = self._second
        self._enter(ground)
        delta = second._commit(CommitRequest(QuadRequest(added={None: list(situation.pending)})))
        clash = "; ".join(map(str, delta.violations_appeared[:1]))
        found = Outcome(
            second.store.state, {name: getattr(second, name) for name in _COMPILED}, second.store.engine, clash
        )
        situation.outcome = found
        for term in () if clash else situation.fresh:
            if problem := clash_of(self.types(situation, term)):
                return replace(found, clash=f"{term} {problem}")
        return found

    def _enter(self, outcome: Outcome) -> None:
        second = self._second
        second.store.state, second.store.engine = outcome.state, outcome.engine
        second.__dict__.update(outcome.compiled)

    def answers(
        self, situation: Situation, patterns: Sequence[tuple[Term, Term, Term]], asked: Sequence[Variable] = ()
    ) -> list[tuple[str, ...]]:
        """Return the distinct answers to triple patterns; without variables to ask for, ``[()]`` or nothing."""
        from reasoner.rules.encode import encode_rule

        store, known = self._second.store, self._kb.store.dictionary.lookup
        outcome = self._outcome(situation)
        if any(isinstance(term, str) and known(term) is None for pattern in patterns for term in pattern):
            return []
        self._enter(outcome)
        query = Rule("query", None, tuple(Atom(*pattern) for pattern in patterns))
        order = list(dict.fromkeys(term for pattern in patterns for term in pattern if isinstance(term, Variable)))
        return store.answers(encode_rule(query, store.id_of), tuple(-1 - order.index(name) for name in asked))

    def has(self, situation: Situation, s: str, p: str, o: str) -> bool:
        """Tell whether a triple holds in a situation."""
        return bool(self.answers(situation, [(s, p, o)]))

    def objects(self, situation: Situation, s: str, p: str) -> list[str]:
        """Return the objects of a subject and a predicate."""
        found = Variable("o")
        return [row[0] for row in self.answers(situation, [(s, p, found)], [found])]

    def subjects(self, situation: Situation, p: str, o: str) -> list[str]:
        """Return the subjects of a predicate and an object."""
        found = Variable("s")
        return [row[0] for row in self.answers(situation, [(found, p, o)], [found])]

    def types(self, situation: Situation, term: str) -> list[str]:
        """Return the classes of a term."""
        return self.objects(situation, term, RDF_TYPE)

    def reasoner(self, situation: Situation) -> Reasoner:
        """Return a reasoner in this situation; it is good until the next question, and must not be changed."""
        self._enter(self._outcome(situation))
        return self._second
