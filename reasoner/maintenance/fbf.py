"""FBF: deletion that looks for other proofs of a fact before it deletes it, in bulk, stratum by stratum.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, algorithm 5. Its strategy is here
a depth: how many levels of recursive rule instances are searched backward for proofs. Depth 0 is DRed, no limit B/F.

    60  for each stratum s
    61      B, C, P, Y <- empty
    62      delete unproved
    63      A <- A + (B and D and P)
    64      R <- facts of B and (D - P) that are explicit or in Y, or derived by one instance over [I - (D - A), I + A]
    65      insert, as in DRed
    delete unproved:
    68      N <- E- + Pi[I : D - A, A - D]
    69      loop
    71-73       check(N - D);  delta <- N - D - P
    74          if delta is empty, stop
    75          N <- Pi_recursive[I - (D - A), I + A : delta]
    76          D <- D + delta
    check(frontier):
    78      frontier <- frontier - C
    79      if the search is deep enough, B <- B + frontier, and stop
    80      saturate(frontier)
    81-83   check(facts of s in the bodies of recursive instances over [I - (D - (A + B)), I + A] with an unproved head)
    84      if one of these bodies has a fact of B - P, B <- B + the unproved facts of the frontier
    saturate(frontier):
    87      C <- C + frontier
    88      N <- facts of the frontier that are explicit or in Y, or derived by a nonrecursive instance
    90      loop
    91          delta <- (N and C) - P;  Y <- Y + (N - C)
    92          if delta is empty, stop
    93          P <- P + delta
    94          N <- Pi_recursive[P + facts below s in I - (D - A), I + A : delta]

Deviation: a whole frontier is checked at once, level by level, so that a fact of which one alternative is proved may
have others looked at on the same level; before a level is expanded, one recursive instance over explicit and proved
facts is tried for each of its facts, which keeps what depth-first search has: it stops early. The unproved facts of a
search that was aborted anywhere are all blocked, which line 64 makes up for. D, A and I - D are kept disjoint (see
``Update``). A fact below the stratum that an atom for several levels reads is proved when it is met, because it is
settled.
"""

from __future__ import annotations

from typing import Generic

from reasoner.maintenance.dred import insert, lost_at_first, rederivable
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update
from reasoner.reasoning.engine import F, M, P


def maintain_by_fbf(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M], depth: int | None = None) -> None:
    """Bring the facts of one stratum up to date, given the changes below it; no depth means no limit."""
    engine = update.engine
    if depth is None and not stratum.is_recursive:
        _maintain_nonrecursive(update, stratum)
        return
    search = Search(update, stratum, depth)  # 61
    search.delete_unproved()  # 62
    blocked = engine.common(search.blocked, update.deleted)
    with update.phase("rederive"):
        proved = engine.common(blocked, search.proved)
        if not engine.is_empty(proved):
            update.restore(proved)  # 63
            blocked = engine.difference(blocked, proved)
        delayed = engine.common(blocked, search.delayed)
        rest = engine.difference(blocked, delayed)
        rederived = engine.extend(delayed, rederivable(update, stratum, rest))  # 64
    with update.phase("insert"):
        insert(update, stratum, rederived)  # 65


def _maintain_nonrecursive(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M]) -> None:
    """Do the same for a stratum without recursion, where a check is one step and proves nothing else."""
    engine = update.engine
    with update.phase("delete"):
        doubtful = lost_at_first(update, stratum)  # 68
    if not engine.is_empty(doubtful):
        with update.phase("check"):
            lost = engine.difference(doubtful, rederivable(update, stratum, doubtful))  # 72-73
        update.work.end_round()
        update.delete(lost)  # 76
    with update.phase("insert"):
        insert(update, stratum, engine.empty())  # 65


class Search(Generic[F, P, M]):
    """The deletion phase of one stratum: B, C, P and Y are ``blocked``, ``checked``, ``proved`` and ``delayed``."""

    def __init__(self, update: Update[F, P, M], stratum: MaintainedStratum[F, P, M], depth: int | None) -> None:
        self.update = update
        self.engine = update.engine
        self.stratum = stratum
        self.depth = depth
        self.blocked = self.checked = self.proved = self.delayed = update.engine.empty()

    def delete_unproved(self) -> None:
        """Move the facts to D that lose a rule instance and for which no proof is found."""
        engine, update, stratum = self.engine, self.update, self.stratum
        with update.phase("delete"):
            found = lost_at_first(update, stratum)  # 68
        while True:  # 69
            doubtful = engine.difference(found, update.deleted)
            with update.phase("check"):
                self.check(doubtful)  # 72
            delta = engine.difference(doubtful, self.proved)  # 73
            if engine.is_empty(delta):  # 74
                return
            update.work.end_round()
            found = engine.empty()
            if stratum.is_recursive:
                with update.phase("delete"):
                    found = engine.changed_heads(stratum.recursive_kept, update.surviving, update.ever, delta)  # 75
                found = stratum.own_heads(found)
            update.delete(delta)  # 76

    def check(self, frontier: F) -> None:
        """Look for proofs of the facts of the frontier."""
        engine, update, stratum = self.engine, self.update, self.stratum
        searched, aborted, level = engine.empty(), False, 0
        frontier = engine.difference(frontier, self.checked)  # 78
        while not engine.is_empty(frontier):
            if level == self.depth:  # 79
                self.blocked = engine.union(self.blocked, engine.difference(frontier, self.proved))
                aborted = True
                break
            level += 1
            self.saturate(frontier)  # 80
            searched = engine.extend(searched, frontier)
            unproved = engine.difference(frontier, self.proved)
            if not stratum.is_recursive or engine.is_empty(unproved):
                break
            unproved = self._prove_at_a_glance(unproved)
            bodies = engine.bodies_of(stratum.backward_recursive, self._searchable(), unproved, update.ever)  # 81-83
            if not engine.is_empty(self.blocked):
                bodies = engine.difference(bodies, self.proved)
                aborted = aborted or not engine.is_empty(engine.common(bodies, self.blocked))
            frontier = engine.difference(bodies, self.checked)
        if aborted:
            unproved = engine.difference(searched, self.proved)
            self.blocked = engine.union(self.blocked, unproved)  # 84

    def _searchable(self) -> F:
        """Return the facts that a proof may rest on: I - (D - B), where D has nothing in common with A."""
        engine, update = self.engine, self.update
        if engine.is_empty(self.blocked):
            return update.surviving
        return engine.difference(update.facts, engine.difference(update.deleted, self.blocked))

    def saturate(self, frontier: F) -> None:
        """Prove what follows from explicit facts, from below, and from what is proved, by way of checked facts.

        None of the frontier has been checked before, and so none of it is proved.
        """
        engine, update, stratum = self.engine, self.update, self.stratum
        self.checked = engine.extend(self.checked, frontier)  # 87
        found = engine.union(engine.common(frontier, self.delayed), update.explicit_among(frontier))  # 88
        if stratum.is_recursive and stratum.reads_mixed:
            settled = engine.of_splits(engine.common(frontier, update.surviving), stratum.settled)
            found = engine.union(found, settled)
        rest = engine.difference(frontier, found)
        if not engine.is_empty(rest):
            derived = engine.derivable(stratum.backward_nonrecursive, update.surviving, update.ever, rest)
            found = engine.extend(found, derived)
        delta = found
        while not engine.is_empty(delta):  # 90, 92
            self.proved = engine.extend(self.proved, delta)  # 93
            if not stratum.is_recursive:
                return
            found = engine.changed_heads(
                stratum.recursive_with_own, update.surviving, update.ever, delta, own=self.proved
            )  # 94
            inside = engine.common(found, self.checked)
            delta = engine.difference(inside, self.proved)  # 91
            self.delayed = engine.union(self.delayed, engine.difference(found, inside))

    def _prove_at_a_glance(self, unproved: F) -> F:
        """Try one recursive instance over explicit facts for each fact; return the facts that this does not prove."""
        engine, update, stratum = self.engine, self.update, self.stratum
        if self.depth is not None:
            return unproved
        near = engine.one_body_each(
            stratum.backward_recursive, update.surviving, unproved, update.ever, own=update.explicit
        )
        near = engine.difference(engine.common(near, update.surviving), self.checked)
        if engine.is_empty(near):
            return unproved
        self.saturate(near)
        return engine.difference(unproved, self.proved)
