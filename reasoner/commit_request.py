"""What a commit is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

from reasoner.maintenance.work import Work
from reasoner.quads import QuadRequest
from reasoner.rule_request import RuleRequest


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """Facts and rules that come and go, by which strategy, and what is to become of violations.

    ``depth`` is that of ``fbf``; ``constraints`` is a policy for this commit alone, None the one that the reasoner has.
    ``may_start_over`` says that a strategy that cannot be used here is no error: the store is materialised instead.
    ``work`` counts rule instances; what it raises between the rounds of maintenance takes the commit back.
    """

    quads: QuadRequest = field(default_factory=QuadRequest)
    rules: RuleRequest = field(default_factory=RuleRequest)
    strategy: str = "auto"
    depth: int | None = None
    constraints: str | None = None
    may_start_over: bool = False
    work: Work = field(default_factory=Work)
