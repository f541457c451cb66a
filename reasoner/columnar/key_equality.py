"""Equality by key: rules that make all terms equal which share a key, in work linear in the terms.

Motik et al., Combining Rewriting and Incremental Maintenance for Datalog Programs with Equality, 2015, close with the
remark that rules such as prp-ifp derive cliques. n terms that share a key have n^2 rule instances, but n - 1 equalities
connect them, and the union-find does the rest. Such a rule reads the same body for both terms:

    ?x1 owl:sameAs ?x2 :- ?p a owl:InverseFunctionalProperty, ?x1 ?p ?y, ?x2 ?p ?y .

It is evaluated by one half of it, ``?p a owl:InverseFunctionalProperty, ?x ?p ?y``: its matches are grouped by the key
(?p, ?y), and the first member of each group is made equal to the others. prp-fp, prp-ifp, prp-key, cls-maxc2,
cls-maxqc3 and cls-maxqc4 are of this kind, and so are the rules that DLP makes of such axioms. Literals never merge, so
that a group with literals is paired in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reasoner.columnar.bindings import Bindings, joined
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, Mask, expand, first_of_each
from reasoner.columnar.match import Matcher
from reasoner.columnar.plan import Plan
from reasoner.columnar.plans import Plans
from reasoner.rules.encode import EncodedTerm, is_variable
from reasoner.vocabulary import SAME


@dataclass(frozen=True, slots=True)
class KeyedHalf:
    """One half of a rule that equates the terms of one key: its plan, the term, and the variables of the key."""

    plan: Plan
    member: EncodedTerm
    key: tuple[EncodedTerm, ...]
    plans: Plans


def keyed_half(plan: Plan) -> KeyedHalf | None:
    """Return one half of a rule that reads the same of two terms and makes them equal; None for other rules."""
    template = plan.template
    if template.head is None or template.head[1] != SAME or template.negative:
        return None
    left, _, right = template.head
    if left == right or not all(is_variable(term) and term not in plan.parameters for term in (left, right)):
        return None
    if any({left, right} & {*terms} for _, terms in template.conditions):
        return None
    mine = [atom for atom in template.body if left in atom]
    theirs = [atom for atom in template.body if right in atom]
    turned = {tuple(right if term == left else term for term in atom) for atom in mine}
    if not mine or any(right in atom for atom in mine) or turned != set(theirs):
        return None
    key = tuple(dict.fromkeys(term for atom in mine for term in atom if is_variable(term) and term != left))
    body = tuple(atom for atom in template.body if right not in atom)
    half = Plan(replace(template, head=(left, SAME, left), body=body, own=()))
    return KeyedHalf(half, left, key, Plans([half]))


class KeyEquality:
    """Evaluates the halves of rules over fact sets; ``considered`` counts the matches that this took."""

    def __init__(self, matcher: Matcher, literals: Mask) -> None:
        self._matcher = matcher
        self._literals = literals
        self.considered = 0

    def pairs(self, half: KeyedHalf, facts: FactSet) -> tuple[Ids, Ids]:
        """Return equalities that connect all terms of each key."""
        found = self._matches(half, [facts] * len(half.plan.template.body))
        return self._connected(half, found)

    def new_pairs(self, half: KeyedHalf, old: FactSet, delta: FactSet, whole: FactSet) -> tuple[Ids, Ids]:
        """Return equalities that connect all terms of each key that has a match with a new fact.

        Older matches are looked up for these keys alone. There is an instance of the rule for each of them and each new
        one, so that no more matches are considered than there are instances that were not considered before.
        """
        parts = []
        for _, at in half.plans.reading(delta):
            sources = [old] * at + [delta] + [whole] * (len(half.plan.template.body) - at - 1)
            parts.append(self._matches(half, sources))
        found = joined(parts)
        if not found.size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        keys = found.only(frozenset(half.key)).distinct()
        older = self._matches(half, [old] * len(half.plan.template.body), keys)
        return self._connected(half, joined([found, older]))

    def _matches(self, half: KeyedHalf, sources: Sequence[FactSet], start: Bindings | None = None) -> Bindings:
        parts: list[Bindings] = []
        kept = frozenset((half.member, *half.key))
        self._matcher.match(
            half.plan, sources, (), lambda part: parts.append(part.only(kept)), keep_all=True, start=start
        )
        found = joined(parts)
        self.considered += found.size
        return found

    def _connected(self, half: KeyedHalf, found: Bindings) -> tuple[Ids, Ids]:
        """Return the first member of each key beside the others, and all pairs of members where one is a literal."""
        if found.size < 2:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        columns = [found.columns[term] for term in half.key]
        order = first_of_each([*columns, found.columns[half.member]])
        members = found.columns[half.member][order]
        begins = np.zeros(members.size, dtype=np.bool_)
        begins[:1] = True
        for column in columns:
            ordered = column[order]
            begins[1:] |= ordered[1:] != ordered[:-1]
        group = np.cumsum(begins) - 1
        first = np.flatnonzero(begins)
        last = np.append(first[1:], members.size)
        left, right = members[first[group]], members
        mixed = np.zeros(first.size, dtype=np.bool_)
        mixed[group[self._literals[members]]] = True
        if mixed.any():
            plain = ~mixed[group]
            inside = np.flatnonzero(~plain)
            owner, position = expand(first[group[inside]], last[group[inside]])
            left = np.concatenate((left[plain], members[inside][owner]))
            right = np.concatenate((right[plain], members[position]))
        apart = left != right
        return left[apart], right[apart]
