"""What a commit does about violations that it brings: tell of them, refuse to bring them, or not look.

Volz, Staab and Motik, Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005,
section 10.2: an integrity constraint is a view that has to stay empty, and is maintained like any other view.

What is added without a commit, by ``add`` and ``load``, is judged when it is reasoned over: against the state that
stands, which is the last one that was judged.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoner.errors import ReasonerError
from reasoner.violation import TextTriple, Violation

if TYPE_CHECKING:
    from ontologies.translation import Translation
    from reasoner.columnar.home import Kept
    from reasoner.columnar.store import Checkpoint, ColumnarStore, Snapshot
    from reasoner.delta import Delta
    from reasoner.explanation.proof import Proof
    from reasoner.program import EncodedProgram
    from reasoner.rules.encode import EncodedRule
    from reasoner.rules.rule import Rule

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

    ``rules`` are the rules of one's own that were judged. ``rules_before`` are those that were there when the first
    fact came that is not judged yet; they stay when that fact goes.
    """

    checkpoint: Checkpoint
    rules: list[Rule]
    rules_before: list[Rule]
    program: EncodedProgram | None
    is_materialised: bool

    def is_all_facts_of(self, state: Snapshot) -> bool:
        """Tell whether no fact came or went since."""
        mine = self.checkpoint.state
        return state.explicit is mine.explicit and state.graphs is mine.graphs


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

    store: ColumnarStore
    _constraints = "warn"
    # The policy that a store on disk has; the one above may be for this opening of it alone.
    _kept_constraints = "warn"
    _standing: Standing | None = None

    if TYPE_CHECKING:
        _user_rules: list[Rule]
        _program: EncodedProgram | None
        _up_to_date: bool

        def _encoded(self) -> EncodedProgram: ...

        def _encode(self, rules: Iterable[Rule]) -> EncodedProgram: ...

        def _translate(self, store: ColumnarStore) -> Translation: ...

        def _all_rules(self, translation: Translation, own: Iterable[Rule]) -> tuple[Rule, ...]: ...

        def _materialised(self) -> None: ...

        def _changed(self) -> None: ...

        def _reason(self, progress: Callable[[str], None]) -> None: ...

        def _keep(self, state: Snapshot | None = None, kept: Kept | None = None) -> None: ...

    @property
    def constraints(self) -> str:
        """What commits do about new violations: ``warn``, ``reject`` or ``ignore``; a store on disk keeps it."""
        return self._constraints

    @constraints.setter
    def constraints(self, policy: str) -> None:
        waits = not self._up_to_date and (len(self.store.state.explicit) > 0 or bool(self._user_rules))
        if checked_policy(policy) == "reject" != self._constraints and waits:
            # What was added under another policy is not judged by this one.
            self._materialised()
        self._constraints = self._kept_constraints = policy
        self._stand()
        if self._up_to_date:
            self._keep()

    def _take_policy(self, kept: str, asked: str | None) -> None:
        """Begin with the policy that a store on disk keeps, or with another one that is asked for and not kept."""
        self._kept_constraints = kept
        self._constraints = checked_policy(asked or kept)
        self._stand()

    def _stand(self) -> None:
        """Let the present state be the one that what is added to it is judged against."""
        if self._constraints != "reject":
            self._standing = None
            return
        # What a strategy remembers is remembered for a program that may be compiled anew.
        checkpoint = self.store.checkpoint()
        if checkpoint.state.memory is not None:
            checkpoint = replace(checkpoint, state=replace(checkpoint.state, memory=None))
        rules = self._user_rules
        self._standing = Standing(checkpoint, rules, rules, self._program, self._up_to_date)

    def _note_rules(self) -> None:
        """Let rules that come before any fact that is not judged yet stay if that fact has to go."""
        standing = self._standing
        if standing is not None and standing.is_all_facts_of(self.store.state):
            self._standing = replace(standing, rules_before=self._user_rules)

    def _reason_and_judge(self, progress: Callable[[str], None] = lambda _: None) -> None:
        """Materialise; if that shows violations that the state that stands has not, go back to it and raise them."""
        self._reason(progress)
        standing = self._standing
        if standing is None:
            return
        before = standing.checkpoint.state
        try:
            self._refuse_violations(before, self._constraints_of(standing), self.store.state)
        except InconsistentError as refusal:
            self._take_back(standing)
            raise InconsistentError(refusal.violations, taken_back=True) from None

    def _constraints_of(self, standing: Standing) -> Sequence[EncodedRule]:
        """Return the constraints of the state that stands."""
        if not standing.is_materialised:
            return ()
        program = standing.program
        if program is None:
            store = copy.copy(self.store)
            store.state = standing.checkpoint.state
            program = self._encode(self._all_rules(self._translate(store), standing.rules))
        return program.constraints

    def _take_back(self, standing: Standing) -> None:
        """Go back to the state that stands."""
        own_fault = standing.is_all_facts_of(self.store.state)
        rules = standing.rules if own_fault else standing.rules_before
        self.store.restore(standing.checkpoint)
        self._user_rules = rules
        self._changed()
        self._up_to_date = standing.is_materialised and rules is standing.rules

    def _judged(self, delta: Delta, policy: str | None = None) -> Delta:
        """Return the delta of a commit as its policy has it, or raise what rejects the commit."""
        policy = self._constraints if policy is None else policy
        if policy == "ignore":
            return replace(delta, constraints_before=(), constraints_after=())
        if policy == "reject" and delta.violations_appeared:
            raise InconsistentError(explained_now(delta.violations_appeared))
        return delta

    def _refuse_violations(self, before: Snapshot, constraints: Sequence[EncodedRule], after: Snapshot) -> None:
        """Raise what rejects a commit that has not taken effect yet, if it is to be rejected."""
        if self._constraints == "reject":
            from reasoner.delta import Delta

            self._judged(
                Delta(
                    *(self.store, before, after, "none"),
                    constraints_before=constraints,
                    constraints_after=self._encoded().constraints,
                    explainer=self._explainer(after),
                )
            )

    def _explainer(self, state: Snapshot | None = None) -> Callable[[TextTriple], Proof | None]:
        """Return what proves facts of a state, or of the present one, also when the reasoner has moved on."""
        store, program = copy.copy(self.store), self._encoded()
        store.state = state or store.state

        def proof_of(triple: TextTriple) -> Proof | None:
            from reasoner.explain import explain

            return explain(store.proofs(), program, triple)

        return proof_of


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
