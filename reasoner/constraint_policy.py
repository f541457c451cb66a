"""What a commit does about violations that it brings: tell of them, refuse to bring them, or not look.

Volz, Staab and Motik, Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005,
section 10.2: an integrity constraint is a view that has to stay empty, and is maintained like any other view.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reasoner.errors import ReasonerError
from reasoner.violation import TextTriple, Violation

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.delta import Delta
    from reasoner.explanation.proof import Proof
    from reasoner.program import EncodedProgram
    from reasoner.rules.encode import EncodedRule

POLICIES = ("warn", "reject", "ignore")

# Violations of a rejected commit whose facts are proved: the state that they held in is gone afterwards.
_EXPLAINED = 20


class InconsistentError(ReasonerError):
    """A commit was rejected; ``violations`` are those that it would have brought, the first of them explained."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        count = len(self.violations)
        super().__init__(
            f"the change is rejected, and nothing has changed: it would bring "
            f"{count:,} violation{'' if count == 1 else 's'}, the first of them {self.violations[0]}; "
            "change something else, or commit with constraints='warn'"
        )


class ConstraintPolicy:
    """The policy of a reasoner about constraints, which a transaction may have another of.

    ``warn`` tells of new violations in the delta of the commit, ``reject`` raises ``InconsistentError`` and leaves
    everything as it was, and ``ignore`` does not look for them. Violations that were there before the commit are no
    reason to reject it. ``Reasoner.violations`` tells of all of them under any policy.

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

    if TYPE_CHECKING:

        def _encoded(self) -> EncodedProgram: ...

    @property
    def constraints(self) -> str:
        """What commits do about new violations: ``warn``, ``reject`` or ``ignore``."""
        return self._constraints

    @constraints.setter
    def constraints(self, policy: str) -> None:
        self._constraints = checked_policy(policy)

    def _judged(self, delta: Delta, policy: str | None = None) -> Delta:
        """Return the delta of a commit as its policy has it, or raise what rejects the commit."""
        policy = self._constraints if policy is None else policy
        if policy == "ignore":
            return replace(delta, constraints_before=(), constraints_after=())
        if policy == "reject" and delta.violations_appeared:
            raise InconsistentError(_explained_now(delta.violations_appeared))
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


def _explained_now(violations: Sequence[Violation]) -> list[Violation]:
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
