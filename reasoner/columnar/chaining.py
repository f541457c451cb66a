"""Running plans forward, from bodies to heads, and backward, from heads to bodies.

Equality by key: rules that make all terms equal which share a key, in work linear in the terms.

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

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.bindings import Bindings, appended
from reasoner.columnar.factset import AuxiliaryPredicates, FactSet, Unranged, facts_of_keys, group_rows
from reasoner.columnar.kernels import Ids, Keys, Mask, expand, first_few_of_each, first_of_each, pack, sort_distinct
from reasoner.columnar.match import BodyMatcher, Conditions
from reasoner.columnar.plans import Plan, Plans
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.scan import Sampling
from reasoner.columnar.table import Table
from reasoner.reasoning.engine import DeadlineError
from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.rules.template import group_into_templates
from reasoner.terms.term import OCCURS, SAME, TYPE

# Where a few instances of a head are asked for, a join follows this many matches of a row. Atoms that are joined later
# may reject most of them, so that these are more than are asked for.
_SAMPLED = 64

Traced = Callable[[Plan, Bindings[int]], None]
Collected = dict[int, list[Keys]]


class Chaining:
    """Evaluates plans over fact sets; ``instances`` counts the rule instances that it has considered.

    ``trace``, if set, is shown every match with all its variables, before distinct heads are formed;
    ``backward_trace`` is shown the matches of backward plans, except where only some bodies of a head are looked at.
    """

    def __init__(self, dictionary: Dictionary, *, equality: bool = True) -> None:
        self.dictionary = dictionary
        self.equality = equality
        self.instances = 0
        self.trace: Traced | None = None
        self.backward_trace: Traced | None = None
        self.overdue: Callable[[], bool] | None = None
        self._reflexive = False
        self._halves: WeakKeyDictionary[Plan, KeyedHalf | None] = WeakKeyDictionary()
        # With equality, owl:sameAs has readings of its own (see equality_readings).
        self.auxiliary = AuxiliaryPredicates(dictionary)
        wild = Unranged(frozenset({OCCURS, SAME} if equality else {OCCURS}), self.auxiliary)
        every = Unranged(frozenset({OCCURS}), self.auxiliary)
        self.matcher = BodyMatcher(Conditions(dictionary), equality=equality, wild=wild, free=every)

    def compile(self, rules: Iterable[EncodedRule]) -> Plans:
        return Plans(Plan(template) for template in group_into_templates(rules))

    def exchange(self, plans: Plans, leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]) -> Plans:
        return plans.exchanged(leaving, joining)

    def exchange_backward(self, plans: Plans, leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]) -> Plans:
        return self.exchange(plans, _turned_around(leaving), _turned_around(joining))

    def compile_backward(self, rules: Iterable[EncodedRule]) -> Plans:
        return self.compile(_turned_around(rules))

    def evaluate(self, plans: Plans, facts: FactSet) -> FactSet:
        derived: Collected = defaultdict(list)
        for plan in plans:
            template = plan.template
            if (half := self._keyed_half(plan)) is not None:
                self._equate(derived, half, facts)
            else:
                self._match(plan, [facts] * len(template.body), [facts] * len(template.negative), derived)
        return facts_of_keys(derived)

    def evaluate_delta(self, plans: Plans, old: FactSet, delta: FactSet, whole: FactSet) -> FactSet:
        derived: Collected = defaultdict(list)
        equated: set[Plan] = set()
        for plan, at in plans.reading(delta):
            if (half := self._keyed_half(plan)) is not None:
                if plan not in equated:
                    equated.add(plan)
                    self._equate(derived, half, whole, (old, delta))
                continue
            # Atoms before the one that reads the delta read the old facts, so that no match recurs.
            sources = [old] * at + [delta] + [whole] * (len(plan.template.body) - at - 1)
            self._match(plan, sources, [whole] * len(plan.template.negative), derived)
        return facts_of_keys(derived)

    def _keyed_half(self, plan: Plan) -> KeyedHalf | None:
        """Return one half of a rule that equates terms by a key, unless all its instances are asked for."""
        if not self.equality or self._reflexive or self.trace is not None:
            return None
        if plan not in self._halves:
            self._halves[plan] = keyed_half(plan)
        return self._halves[plan]

    def _equate(
        self, derived: Collected, half: KeyedHalf, whole: FactSet, change: tuple[FactSet, FactSet] | None = None
    ) -> None:
        """Equate the terms of each key; given the old and the new facts, of each key that has a new match."""
        self._require_time()
        keys = KeyEquality(self.matcher, self.dictionary.literal_mask())
        left, right = keys.pairs(half, whole) if change is None else keys.new_pairs(half, *change, whole)
        self.instances += keys.considered
        if left.size:
            derived[SAME].append(_main_keys(SAME, left, right))

    def changed_heads(
        self,
        plans: Plans,
        whole: FactSet,
        absent: FactSet,
        delta: FactSet,
        returned: FactSet | None = None,
        own: FactSet | None = None,
    ) -> FactSet:
        derived: Collected = defaultdict(list)
        for plan, sources, absences in self.changed_sources(plans, whole, absent, delta, returned, own):
            self._match(plan, sources, absences, derived)
        return facts_of_keys(derived)

    def changed_sources(
        self,
        plans: Plans,
        whole: FactSet,
        absent: FactSet,
        delta: FactSet,
        returned: FactSet | None = None,
        own: FactSet | None = None,
    ) -> Iterator[tuple[Plan, list[FactSet], list[FactSet]]]:
        """Yield what to match, and over which facts, to meet each instance that a change concerns once.

        The literals of a body are ordered, positive ones first: the first that the change concerns reads it, those
        before it read what the change does not concern.
        """
        before = _Without(delta)
        for plan, at in plans.reading(delta):
            template = plan.template
            if own is not None and not template.own[at]:
                continue
            sources = [
                whole if own is None or not is_own else own
                for is_own in (template.own if own is not None else (False,) * len(template.body))
            ]
            for earlier in range(at):
                if own is None or template.own[earlier]:
                    sources[earlier] = before.of(sources[earlier], template.body[earlier])
            sources[at] = delta
            yield plan, sources, [absent] * len(template.negative)
        if returned is None or not len(returned):
            return
        wider: FactSet | None = None
        for plan, at in plans.denying(returned):
            template = plan.template
            if at and wider is None:
                wider = absent.union(returned.difference(absent))
            sources = [before.of(whole, atom) for atom in template.body]
            absences = [absent if wider is None else wider] * at + [absent] * (len(template.negative) - at - 1)
            yield plan.denial(at), [*sources, returned], absences

    def heads_using(
        self, plans: Plans, old: FactSet, delta: FactSet, whole: FactSet, representatives: Representatives
    ) -> FactSet:
        self._reflexive = True
        try:
            heads = self.evaluate_delta(plans, old, delta, whole)
        finally:
            self._reflexive = False
        same = heads.table(SAME)
        s, o = same.pairs()
        keep = (s != o) | representatives.is_plural(s)
        return heads.with_tables({SAME: Table.of_keys(same.keys()[keep], by_object=False)}) if same.size else heads

    def bodies_of(self, backward: Plans, facts: FactSet, heads: FactSet, absent: FactSet | None = None) -> FactSet:
        found: Collected = defaultdict(list)
        for plan in backward.writing(heads):
            body = _wanted_body(plan)

            def collect(bindings: Bindings[int], plan: Plan = plan, body: Sequence[Triple] = body) -> None:
                self._count_backward(plan, bindings)
                for atom in body:
                    _collect(found, bindings, atom)

            self._match_backward(plan, facts, heads, absent, collect)
        return facts_of_keys(found)

    def few_bodies_of(self, backward: Plans, facts: FactSet, heads: FactSet, most: int) -> tuple[FactSet, FactSet]:
        found: Collected = defaultdict(list)
        having_more: Collected = defaultdict(list)
        for plan in backward.writing(heads):
            head, body = plan.template.body[0], _wanted_body(plan)
            sampling = Sampling(_SAMPLED)

            def collect(
                bindings: Bindings[int],
                plan: Plan = plan,
                head: Triple = head,
                body: Sequence[Triple] = body,
                sampling: Sampling = sampling,
            ) -> None:
                rows, few, more = first_few_of_each(_head_columns(bindings, head), most)
                if sampling.cut:
                    # Which of these heads have further instances is not worth finding out.
                    chosen = bindings.taken(np.concatenate((rows, few)))
                    self.instances += chosen.size
                    _collect(having_more, chosen, head)
                    for atom in body:
                        _collect(found, chosen, atom)
                    return
                self._count_backward(plan, bindings.taken(rows) if more.size else bindings)
                if more.size:
                    self.instances += few.size
                    _collect(having_more, bindings.taken(more), head)
                    bindings = bindings.taken(np.concatenate((rows, few)))
                for atom in body:
                    _collect(found, bindings, atom)

            self._match_backward(plan, facts, heads, None, collect, sampling=sampling)
            for rows in sampling.cut:
                _collect(having_more, rows, head)
        return facts_of_keys(found), facts_of_keys(having_more)

    def one_body_each(
        self,
        backward: Plans,
        facts: FactSet,
        heads: FactSet,
        absent: FactSet | None = None,
        own: FactSet | None = None,
    ) -> FactSet:
        found: Collected = defaultdict(list)
        for plan in backward.writing(heads):
            head, body = plan.template.body[0], _wanted_body(plan)
            supported: Collected = defaultdict(list)

            def collect(
                bindings: Bindings[int],
                head: Triple = head,
                body: Sequence[Triple] = body,
                supported: Collected = supported,
            ) -> None:
                rows = _first_rows(bindings, head)
                self.instances += rows.size
                chosen = bindings.taken(rows)
                _collect(supported, chosen, head)
                for atom in body:
                    _collect(found, chosen, atom)

            self._match_backward(plan, facts, heads, absent, collect, own=own)
            heads = heads.difference(facts_of_keys(supported))
        return facts_of_keys(found)

    def derivable(self, backward: Plans, facts: FactSet, absent: FactSet, heads: FactSet) -> FactSet:
        supported: Collected = defaultdict(list)
        for plan in backward.writing(heads):
            proved: Collected = defaultdict(list)
            head = plan.template.head
            assert head is not None, "constraints are matched, not evaluated"

            def collect(
                bindings: Bindings[int], plan: Plan = plan, head: Triple = head, proved: Collected = proved
            ) -> None:
                self._count_backward(plan, bindings)
                _collect(proved, bindings, head)

            self._match_backward(plan, facts, heads, absent, collect, distinct=self.backward_trace is None)
            if proved:
                heads = heads.difference(facts_of_keys(proved))
                for predicate, keys in proved.items():
                    supported[predicate] += keys
        return facts_of_keys(supported)

    def any_match(self, plans: Plans, facts: FactSet) -> bool:
        found: list[Bindings[int]] = []
        for plan in plans:
            template = plan.template
            self.matcher.match(plan, [facts] * len(template.body), [facts] * len(template.negative), found.append)
            if found:
                return True
        return False

    def matches(self, rules: Iterable[EncodedRule], facts: FactSet) -> Iterator[tuple[Plan, Bindings[int]]]:
        """Yield the matches of rule bodies with all their variables, plan by plan."""
        for plan in self.compile(rules):
            found = self.matcher.all_matches(plan, [facts] * len(plan.template.body), facts)
            if found.size:
                yield plan, found

    def _require_time(self) -> None:
        if self.overdue is not None and self.overdue():
            raise DeadlineError

    def _count_backward(self, plan: Plan, bindings: Bindings[int]) -> None:
        self.instances += bindings.size
        if self.backward_trace is not None:
            self.backward_trace(plan, bindings)

    def _match_backward(
        self,
        plan: Plan,
        facts: FactSet,
        heads: FactSet,
        absent: FactSet | None,
        collect: Callable[[Bindings[int]], None],
        *,
        distinct: bool = False,
        own: FactSet | None = None,
        sampling: Sampling | None = None,
    ) -> None:
        self._require_time()
        template = plan.template
        sources = [facts if own is None or not template.own[at] else own for at in range(len(template.body))]
        sources[0] = heads
        absences = [facts if absent is None else absent] * len(template.negative)
        self.matcher.match(
            plan, sources, absences, collect, keep_all=not distinct, distinct=distinct, free=0, sampling=sampling
        )

    def _match(self, plan: Plan, sources: list[FactSet], absent: list[FactSet], derived: Collected) -> None:
        self._require_time()
        head = plan.template.head
        assert head is not None, "constraints are matched, not evaluated"

        bound = (
            self.equality
            and not self._reflexive
            and any(is_variable(term) and term not in plan.parameters for term in (head[0], head[2]))
        )

        def found(bindings: Bindings[int]) -> None:
            self.instances += bindings.size
            if self.trace is not None:
                self.trace(plan, bindings)
            s, o = bindings.values(head[0]), bindings.values(head[2])
            groups = group_rows(bindings.columns[head[1]]) if is_variable(head[1]) else [(head[1], None)]
            for predicate, rows in groups:
                left, right = (s, o) if rows is None else (s[rows], o[rows])
                if predicate == SAME and bound:
                    # c = c holds by itself: a match that binds c shows that c occurs.
                    apart = left != right
                    left, right = left[apart], right[apart]
                if left.size:
                    derived[predicate].append(_main_keys(predicate, left, right))

        traced = self.trace is not None
        # Without equality every instance is counted, as the papers do.
        self.matcher.match(plan, sources, absent, found, keep_all=traced, productive=self.equality and not traced)


def _turned_around(rules: Iterable[EncodedRule]) -> Iterator[EncodedRule]:
    """Yield rules that read their own heads first."""
    for rule in rules:
        if rule.head is not None and (rule.body or rule.negative):
            yield replace(rule, body=(rule.head, *rule.body), own=(False, *rule.own) if rule.own else ())


class _Without:
    """Gives fact sets without a change, made when an atom can tell the difference, and then once."""

    __slots__ = ("_change", "_made")

    def __init__(self, change: FactSet) -> None:
        self._change = change
        self._made: dict[int, FactSet] = {}

    def of(self, facts: FactSet, atom: Triple) -> FactSet:
        if not is_variable(atom[1]) and atom[1] not in self._change:
            return facts
        if id(facts) not in self._made:
            self._made[id(facts)] = facts.difference(self._change)
        return self._made[id(facts)]


def _wanted_body(plan: Plan) -> tuple[Triple, ...]:
    """Return the body atoms of a backward plan: those of its own stratum, if it tells them apart."""
    body, own = plan.template.body, plan.template.own
    return tuple(atom for atom, is_own in zip(body, own, strict=True) if is_own) if own else body[1:]


def _first_rows(bindings: Bindings[int], head: Triple) -> Ids:
    """Return for each distinct head the first row that has it."""
    return first_of_each(_head_columns(bindings, head))


def _head_columns(bindings: Bindings[int], head: Triple) -> list[Ids]:
    """Return the columns that tell heads apart; one that is the same in all rows if the head has no variable."""
    columns = [bindings.columns[term] for term in dict.fromkeys(head) if is_variable(term)]
    return columns or [np.zeros(bindings.size, dtype=np.int64)]


def _collect(found: Collected, bindings: Bindings[int], atom: Triple) -> None:
    """Add the instances of an atom, all of whose variables are bound."""
    s, o = bindings.values(atom[0]), bindings.values(atom[2])
    if not is_variable(atom[1]):
        found[atom[1]].append(_main_keys(atom[1], s, o))
        return
    for predicate, rows in group_rows(bindings.columns[atom[1]]):
        found[predicate].append(_main_keys(predicate, s[rows], o[rows]))


def _main_keys(predicate: int, s: Ids, o: Ids) -> Keys:
    keys = pack(o, s) if predicate == TYPE else pack(s, o)
    return sort_distinct(keys)


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

    def __init__(self, matcher: BodyMatcher, literals: Mask) -> None:
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
        found = appended(parts)
        if not found.size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        keys = found.only(frozenset(half.key)).distinct_sorted()
        older = self._matches(half, [old] * len(half.plan.template.body), keys)
        return self._connected(half, appended([found, older]))

    def _matches(
        self, half: KeyedHalf, sources: Sequence[FactSet], start: Bindings[int] | None = None
    ) -> Bindings[int]:
        parts: list[Bindings[int]] = []
        kept = frozenset((half.member, *half.key))
        self._matcher.match(
            half.plan, sources, (), lambda part: parts.append(part.only(kept)), keep_all=True, start=start
        )
        found = appended(parts)
        self.considered += found.size
        return found

    def _connected(self, half: KeyedHalf, found: Bindings[int]) -> tuple[Ids, Ids]:
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
