"""The embedded engine: the protocol of ``reasoner.engine`` over sorted NumPy columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar import membership
from reasoner.columnar.bindings import Bindings
from reasoner.columnar.closure import close_symmetrically, close_transitively
from reasoner.columnar.conditions import Conditions
from reasoner.columnar.equalities import mergeable
from reasoner.columnar.factset import FactSet, facts_of_keys, group_rows
from reasoner.columnar.kernels import Ids, Keys, Mask, is_member, pack, sort_distinct, unpack
from reasoner.columnar.match import Matcher, all_matches
from reasoner.columnar.plan import Plan
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.rewrite import normal_form, rewritten_apart
from reasoner.columnar.table import Table
from reasoner.modules import Closure
from reasoner.rules.encode import EncodedRule, Triple, is_variable
from reasoner.rules.template import group_into_templates
from reasoner.vocabulary import OCCURS, SAME, TYPE

Plans = tuple[Plan, ...]
Traced = Callable[[Plan, Bindings], None]


class ColumnarEngine:
    """Evaluates templates over fact sets; ``instances`` counts the rule instances that it has considered.

    ``trace``, if set, is shown every match with all its variables, before distinct heads are formed.
    """

    def __init__(self, dictionary: Dictionary, *, equality: bool = True) -> None:
        self.dictionary = dictionary
        self.equality = equality
        self.instances = 0
        self.trace: Traced | None = None
        self._reflexive = False
        # With equality, owl:sameAs has readings of its own (see equality_readings).
        wild = frozenset({OCCURS, SAME}) if equality else frozenset({OCCURS})
        self.matcher = Matcher(Conditions(dictionary), equality=equality, wild=wild)

    def compile(self, rules: Iterable[EncodedRule]) -> Plans:
        return tuple(Plan(template) for template in group_into_templates(rules))

    def empty(self) -> FactSet:
        return FactSet()

    def is_empty(self, facts: FactSet) -> bool:
        return not len(facts)

    def size(self, facts: FactSet) -> int:
        return len(facts)

    def union(self, left: FactSet, right: FactSet) -> FactSet:
        if not len(left):
            return right
        return left.union(right.difference(left))

    def extend(self, facts: FactSet, fresh: FactSet) -> FactSet:
        return facts.union(fresh)

    def difference(self, left: FactSet, right: FactSet) -> FactSet:
        return left.difference(right)

    def evaluate(self, plans: Plans, facts: FactSet) -> FactSet:
        derived: dict[int, list[Keys]] = defaultdict(list)
        for plan in plans:
            self._match(plan, [facts] * len(plan.template.body), facts, derived)
        return facts_of_keys(derived)

    def evaluate_delta(self, plans: Plans, old: FactSet, delta: FactSet, whole: FactSet) -> FactSet:
        derived: dict[int, list[Keys]] = defaultdict(list)
        for plan in plans:
            body = plan.template.body
            for position, (_, predicate, _) in enumerate(body):
                if not is_variable(predicate) and predicate not in delta:
                    continue
                # Atoms before the one that reads the delta read the old facts, so that no match recurs.
                sources = [old] * position + [delta] + [whole] * (len(body) - position - 1)
                self._match(plan, sources, whole, derived)
        return facts_of_keys(derived)

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
        keep = (s != o) | is_member(s, representatives.members)
        return heads.with_tables({SAME: Table.of_keys(same.keys()[keep], by_object=False)}) if same.size else heads

    def compile_backward(self, rules: Iterable[EncodedRule]) -> Plans:
        return self.compile(replace(rule, body=(rule.head, *rule.body)) for rule in rules if rule.head is not None)

    def bodies_of(self, backward: Plans, facts: FactSet, heads: FactSet) -> FactSet:
        found: dict[int, list[Keys]] = defaultdict(list)
        for plan in backward:
            head, *body = plan.template.body
            if not body or (not is_variable(head[1]) and head[1] not in heads):
                continue

            def collect(bindings: Bindings, body: Sequence[Triple] = body) -> None:
                self.instances += bindings.size
                for atom in body:
                    _collect(found, bindings, atom)

            sources = [heads] + [facts] * len(body)
            self.matcher.match(plan, sources, facts, collect, keep_all=True, free=0)
        return facts_of_keys(found)

    def one_body_each(self, backward: Plans, facts: FactSet, heads: FactSet) -> FactSet:
        found: dict[int, list[Keys]] = defaultdict(list)
        for plan in backward:
            head, *body = plan.template.body
            if not body or (not is_variable(head[1]) and head[1] not in heads):
                continue
            supported: dict[int, list[Keys]] = defaultdict(list)

            def collect(
                bindings: Bindings,
                head: Triple = head,
                body: Sequence[Triple] = body,
                supported: dict[int, list[Keys]] = supported,
            ) -> None:
                rows = _first_rows(bindings, head)
                self.instances += rows.size
                chosen = bindings.taken(rows)
                _collect(supported, chosen, head)
                for atom in body:
                    _collect(found, chosen, atom)

            self.matcher.match(plan, [heads] + [facts] * len(body), facts, collect, keep_all=True, free=0)
            heads = heads.difference(facts_of_keys(supported))
        return facts_of_keys(found)

    def mentioning(self, facts: FactSet, equalities: FactSet, representatives: Representatives) -> FactSet:
        return membership.mentioning(facts, equalities, representatives)

    def classes_of_terms(self, facts: FactSet, representatives: Representatives) -> FactSet:
        return membership.classes_of_terms(facts, representatives)

    def standing_for(self, explicit: FactSet, representatives: Representatives, normal: FactSet) -> FactSet:
        return membership.standing_for(explicit, representatives, normal)

    def split_by_form(
        self, facts: FactSet, representatives: Representatives, chosen: FactSet
    ) -> tuple[FactSet, FactSet]:
        return membership.split_by_form(facts, representatives, chosen)

    def unproved(
        self,
        facts: FactSet,
        proved: FactSet,
        rebuilt: Representatives,
        representatives: Representatives,
        *,
        wholly: bool,
    ) -> FactSet:
        return membership.unproved(facts, proved, rebuilt, representatives, wholly=wholly)

    def replace_classes(
        self, representatives: Representatives, rebuilt: Representatives, checked: FactSet
    ) -> Representatives:
        return membership.replace_classes(representatives, rebuilt, checked)

    def stored(self, facts: FactSet) -> FactSet:
        s, o = facts.table(SAME).pairs()
        if not self.equality or s.size == 0:
            return facts
        return facts.with_tables({SAME: Table.of_keys(pack(s[s != o], o[s != o]), by_object=False)})

    def any_match(self, plans: Plans, facts: FactSet) -> bool:
        found: list[Bindings] = []
        for plan in plans:
            self.matcher.match(plan, [facts] * len(plan.template.body), facts, found.append)
            if found:
                return True
        return False

    def matches(self, rules: Iterable[EncodedRule], facts: FactSet) -> Iterator[tuple[Plan, Bindings]]:
        """Yield the matches of rule bodies with all their variables, plan by plan."""
        for plan in self.compile(rules):
            found = all_matches(self.matcher, plan, facts)
            if found.size:
                yield plan, found

    def close(self, closure: Closure, facts: FactSet, fresh: FactSet | None) -> FactSet:
        predicate = closure.predicate
        table = facts.table(predicate)
        if table.size == 0 or (fresh is not None and predicate not in fresh):
            return FactSet()
        method = close_symmetrically if closure.symmetric else close_transitively
        keys = method(table, fresh.table(predicate) if fresh is not None else None)
        if predicate == TYPE:
            keys = pack(*reversed(unpack(keys)))
        # Exactly what is new, so that the next round sees at once whether other rules added anything.
        return facts_of_keys({predicate: [keys]}).difference(FactSet({predicate: table}))

    def identity(self) -> Representatives:
        return Representatives()

    def normalise(self, facts: FactSet, representatives: Representatives) -> FactSet:
        return normal_form(facts, representatives)

    def take_equalities(self, facts: FactSet) -> tuple[FactSet, FactSet, FactSet]:
        table = facts.table(SAME)
        if table.size == 0:
            return facts, FactSet(), FactSet()
        s, o = table.pairs()
        reflexive = s == o
        merging = mergeable(s, o, self.dictionary)
        stays = ~(reflexive | merging)

        def chosen(mask: Mask) -> Table:
            return Table.of_keys(pack(s[mask], o[mask]), by_object=False)

        rest = facts.with_tables({SAME: chosen(stays)})
        return rest, FactSet({SAME: chosen(merging)}), FactSet({OCCURS: chosen(reflexive)})

    def merge(self, representatives: Representatives, equalities: FactSet) -> tuple[Representatives, Representatives]:
        left, right = equalities.table(SAME).pairs()
        merged, gone, target = representatives.merged(left, right)
        return merged, Representatives(gone, target)

    def rewrite(self, facts: FactSet, moved: Representatives) -> tuple[FactSet, FactSet]:
        return rewritten_apart(facts, moved)

    def representative(self, mapping: Representatives, id: int) -> int:
        return mapping.of_one(id)

    def occurrences(self, facts: FactSet, representatives: Representatives | None) -> FactSet:
        parts: list[Ids] = []
        for predicate in facts:
            if predicate != OCCURS:
                parts += [np.array([predicate]), *facts.table(predicate).pairs()]
        if representatives:
            parts.append(representatives.targets)
        if parts:
            parts.append(np.array([SAME]))
        terms = sort_distinct(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)
        return FactSet({OCCURS: Table.of_keys(pack(terms, terms), by_object=False)})

    def count(self, facts: FactSet, predicate: int) -> int:
        return facts.table(predicate).size

    def subjects(self, facts: FactSet, predicate: int, obj: int) -> list[int]:
        subjects: list[int] = facts.table(predicate).subjects_of(obj).tolist()
        return subjects

    def _match(self, plan: Plan, sources: list[FactSet], below: FactSet, derived: dict[int, list[Keys]]) -> None:
        head = plan.template.head
        assert head is not None, "constraints are matched, not evaluated"

        bound = (
            self.equality
            and not self._reflexive
            and any(is_variable(term) and term not in plan.parameters for term in (head[0], head[2]))
        )

        def found(bindings: Bindings) -> None:
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

        self.matcher.match(plan, sources, below, found, keep_all=self.trace is not None)


def _first_rows(bindings: Bindings, head: Triple) -> Ids:
    """Return for each distinct head the first row that has it."""
    _, first = np.unique(np.stack([bindings.values(term) for term in head]), axis=1, return_index=True)
    return first


def _collect(found: dict[int, list[Keys]], bindings: Bindings, atom: Triple) -> None:
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
