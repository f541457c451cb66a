"""What a commit does about violations that it brings: tell of them, refuse to bring them, or not look.

Volz, Staab and Motik, Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005,
section 10.2: an integrity constraint is a view that has to stay empty, and is maintained like any other view.

What is added without a commit, by ``add`` and ``load``, is judged when it is reasoned over: against the state that
stands, which is the last one that was judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoner.explanation.proof import Violation
from reasoner.rules.errors import ReasonerError
from reasoner.terms.term import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.store import Snapshot
    from reasoner.explanation.proof import Proof
    from reasoner.rules.encode import EncodedRule
    from reasoner.rules.rule import Rule
    from reasoner.state.delta import Delta
    from reasoner.state.draft import Draft
    from reasoner.state.session import Session
    from reasoner.state.state import State

POLICIES = ("warn", "reject", "ignore")

# Violations of a rejected commit whose facts are proved: the state that they held in is gone afterwards.
_EXPLAINED = 20


class InconsistentError(ReasonerError):
    """A change was rejected; ``violations`` are those that it would have brought, the first of them explained."""

    def __init__(self, violations: Sequence[Violation], *, taken_back: bool = False) -> None:
        self.violations = tuple(violations)
        count = len(self.violations)
        what = (
            "what was added and not reasoned over yet is rejected, and taken back"
            if taken_back
            else "the change is rejected, and nothing has changed"
        )
        super().__init__(
            f"{what}: it would bring {count:,} violation{'' if count == 1 else 's'}, "
            f"the first of them {self.violations[0]}; change something else, or use constraints='warn'"
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """The state that was judged last, and what to go back to if what is added to it is rejected.

    ``rules_before`` are the user rules that were there when the first fact came that is not judged yet; they stay when
    that fact goes.
    """

    state: State
    rules_before: tuple[Rule, ...]

    def is_all_facts_of(self, snapshot: Snapshot) -> bool:
        """Tell whether no fact came or went since."""
        mine = self.state.snapshot
        return snapshot.explicit is mine.explicit and snapshot.graphs is mine.graphs


class ConstraintPolicy:
    """The policy of a reasoner about constraints, which a transaction may have another of.

    ``warn`` tells of new violations in the delta of the commit, ``reject`` raises ``InconsistentError`` and leaves
    everything as it was, and ``ignore`` does not look for them. Violations that were there before the commit are no
    reason to reject it. ``Reasoner.violations`` tells of all of them under any policy.

    What ``add`` and ``load`` bring waits to be reasoned over. Under ``reject`` it is judged then, by ``materialise``,
    by the first question or by ``close``: if it brings a violation, all of it is taken back, with the rules that came
    after its first fact, and ``InconsistentError`` is raised.

    >>> from reasoner import InconsistentError, Reasoner
    >>> kb = Reasoner(profile="none", constraints="reject")
    >>> kb.add_rules("[two] false :- ?x <http://e.org/p> ?y, ?x <http://e.org/q> ?y .")
    >>> kb.update("INSERT DATA { <http://e.org/a> <http://e.org/p> 1 }").counts.asserted_added
    1
    >>> try:
    ...     kb.update("INSERT DATA { <http://e.org/a> <http://e.org/q> 1 }")
    ... except InconsistentError as error:
    ...     error.violations[0].rule, len(error.violations[0].explain())
    ('two', 2)
    """

    def __init__(self, policy: str = "warn") -> None:
        self._policy = checked_policy(policy)
        # The policy that a store on disk has; the one above may be for this opening of it alone.
        self.kept = policy
        self._standing: Standing | None = None

    @property
    def policy(self) -> str:
        """What commits do about new violations."""
        return self._policy

    def change(self, policy: str, session: Session) -> None:
        """Go over to another policy, which a store on disk keeps."""
        state = session.state
        waits = not state.is_materialised and (len(state.snapshot.explicit) > 0 or bool(state.user_rules))
        if checked_policy(policy) == "reject" != self._policy and waits:
            # What was added under another policy is not judged by this one.
            session.settle()
        self.open_with(policy, None, session)
        if session.state.is_materialised:
            session.keep()

    def open_with(self, kept: str, asked: str | None, session: Session) -> None:
        """Begin with the policy that a store on disk keeps, or with another one that is asked for and not kept."""
        self.kept = kept
        self._policy = checked_policy(asked or kept)
        self.stand(session.state)

    def stand(self, state: State) -> None:
        """Take a state as the one that what is added to it is judged against."""
        if self._policy != "reject":
            self._standing = None
            return
        # What a strategy remembers is remembered for a program that may be compiled anew.
        if state.snapshot.memory is not None:
            state = replace(state, snapshot=replace(state.snapshot, memory=None))
        self._standing = Standing(state, state.user_rules)

    def added(self, draft: Draft) -> None:
        """Let rules that come before any fact that is not judged yet stay if that fact has to go."""
        standing = self._standing
        if standing is not None and standing.is_all_facts_of(draft.store.state):
            self._standing = replace(standing, rules_before=draft.state.user_rules)

    def refuse(self, draft: Draft) -> tuple[Exception, State] | None:
        """Judge what was added without a commit, against the state that stands.

        Return None if all is well, else the error, and the state that stands without what brings violations.
        """
        from reasoner.state.delta import Delta

        standing = self._standing
        if standing is None:
            return None
        delta = Delta(
            *(draft.store, standing.state.snapshot, draft.store.state, "none"),
            constraints_before=_constraints_of(standing.state, draft),
            constraints_after=draft.program().constraints,
            explainer=draft.explainer(),
        )
        try:
            self.judged(delta, None)
        except InconsistentError as refusal:
            return InconsistentError(refusal.violations, taken_back=True), self._state_to_go_back_to(standing, draft)
        return None

    def _state_to_go_back_to(self, standing: Standing, draft: Draft) -> State:
        state, rules = standing.state, standing.rules_before
        if standing.is_all_facts_of(draft.store.state):
            # Rules alone bring the violations.
            rules = state.user_rules
        self._standing = replace(standing, rules_before=rules)
        if rules is state.user_rules:
            return state
        return replace(state.uncompiled(), user_rules=rules)

    def judged(self, delta: Delta, policy: str | None) -> Delta:
        """Return the delta of a commit as its policy has it, or raise what rejects the commit."""
        policy = self._policy if policy is None else policy
        if policy == "ignore":
            return replace(delta, constraints_before=(), constraints_after=())
        if policy == "reject" and delta.violations_appeared:
            raise InconsistentError(explained_now(delta.violations_appeared))
        return delta


def _constraints_of(state: State, draft: Draft) -> Sequence[EncodedRule]:
    """Return the constraints of a state that stands."""
    if not state.is_materialised:
        return ()
    program = state.program or draft.program_of(draft.store.at(state.snapshot), state.user_rules)
    return program.constraints


def checked_policy(policy: str) -> str:
    """Return a policy if it is one."""
    if policy not in POLICIES:
        raise ReasonerError(f"unknown policy about constraints {policy!r}: choose one of {', '.join(POLICIES)}")
    return policy


def explained_now(violations: Sequence[Violation]) -> list[Violation]:
    """Find the proofs of the first violations while their facts hold, and let the violations remember them."""
    proofs: dict[TextTriple, Proof | None] = {}
    for violation in violations[:_EXPLAINED]:
        assert violation.explainer is not None
        for triple in violation.triples:
            if triple not in proofs:
                proofs[triple] = violation.explainer(triple)
    return [
        replace(violation, explainer=proofs.__getitem__ if proofs.keys() >= set(violation.triples) else None)
        for violation in violations
    ]
