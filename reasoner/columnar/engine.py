"""The embedded engine: the protocol of ``reasoner.reasoning.engine`` over sorted NumPy columns.

The modules under maintenance: the engine's part in keeping (symmetric-)transitive predicates up to date.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from reasoner.columnar import component_updates, membership, transitive_updates
from reasoner.columnar.closure import close_symmetrically, close_transitively
from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import Ids, Keys, Mask, is_member, pack, sort_distinct, unpack
from reasoner.columnar.memory import MemoryLimitError
from reasoner.columnar.multiset import CountedHeads
from reasoner.columnar.own_equalities import mergeable
from reasoner.columnar.representatives import Representatives, normal_form, rewritten_apart
from reasoner.columnar.table import Table, table_of
from reasoner.reasoning.modules import Closure
from reasoner.rules.levels import SplitSet
from reasoner.terms.term import OCCURS, SAME, TYPE


class ClosureUpdates:
    """The operations on the closure of one predicate, which is never rdf:type."""

    def derived_by_edges(self, closure: Closure, facts: FactSet, edges: FactSet) -> FactSet:
        table, keys = _table_and_keys(closure, facts, edges)
        kernels = component_updates if closure.symmetric else transitive_updates
        return _facts(closure, kernels.derived_by_edges(table, keys))

    def derived_by_new_edges(self, closure: Closure, facts: FactSet, edges: FactSet) -> FactSet:
        table, keys = _table_and_keys(closure, facts, edges)
        kernels = component_updates if closure.symmetric else transitive_updates
        return _facts(closure, kernels.derived_by_new_edges(table, keys))

    def steps_between(self, closure: Closure, facts: FactSet, goals: FactSet) -> FactSet:
        table, keys = _table_and_keys(closure, facts, goals)
        return _facts(closure, transitive_updates.steps_between(table, keys))

    def reached(self, closure: Closure, steps: FactSet, goals: FactSet, representatives: Representatives) -> FactSet:
        wanted = goals.table(representatives.of_one(closure.predicate)).keys()
        return _facts(closure, transitive_updates.reached(steps.table(closure.predicate), wanted, representatives))

    def rederived(self, closure: Closure, left: FactSet, gone: FactSet, external: FactSet | None) -> FactSet:
        table, keys = _table_and_keys(closure, left, gone)
        if closure.symmetric:
            return _facts(closure, component_updates.rederived(table, keys))
        steps = None if external is None else external.table(closure.predicate)
        return _facts(closure, transitive_updates.rederived(table, keys, steps))

    def unsupported(
        self, closure: Closure, facts: FactSet, lost: FactSet, external: FactSet, *, nearby: bool
    ) -> FactSet:
        table, keys = _table_and_keys(closure, facts, lost)
        steps = external.table(closure.predicate).keys()
        if closure.symmetric:
            return _facts(closure, component_updates.unsupported(table, keys, steps))
        return _facts(closure, transitive_updates.unsupported(table, keys, steps, nearby=nearby))

    def neighbourhood(self, closure: Closure, facts: FactSet, lost: FactSet, most: int) -> FactSet | None:
        table, keys = _table_and_keys(closure, facts, lost)
        kernels = component_updates if closure.symmetric else transitive_updates
        found = kernels.neighbourhood(table, keys, most)
        return None if found is None else _facts(closure, found)

    def explicit_of(self, explicit: FactSet, representatives: Representatives, predicate: int) -> FactSet:
        names = representatives.class_of(predicate).tolist() if representatives else [predicate]
        return normal_form(explicit.only(name for name in names if name in explicit), representatives)


def _table_and_keys(closure: Closure, facts: FactSet, chosen: FactSet) -> tuple[Table, Keys]:
    assert closure.predicate != TYPE, "rdf:type is read by class, and no module"
    return facts.table(closure.predicate), chosen.table(closure.predicate).keys()


def _facts(closure: Closure, keys: Keys) -> FactSet:
    return FactSet({closure.predicate: Table.of_keys(keys, by_object=False)})


class ColumnarEngine(CountedHeads, ClosureUpdates):
    """The operations on fact sets and mappings.

    ``Chaining`` and ``CountedHeads`` add those that run plans, ``ClosureUpdates`` those of the modules.
    """

    def empty(self) -> FactSet:
        return FactSet()

    def is_empty(self, facts: FactSet) -> bool:
        return not len(facts)

    def size(self, facts: FactSet) -> int:
        return len(facts)

    def union(self, left: FactSet, right: FactSet) -> FactSet:
        if not len(left):
            return right
        return left.union(right.difference(left)) if len(right) else left

    def extend(self, facts: FactSet, fresh: FactSet) -> FactSet:
        return facts.union(fresh)

    def difference(self, left: FactSet, right: FactSet) -> FactSet:
        return left.difference(right)

    def renamed(self, facts: FactSet, names: Mapping[int, int]) -> FactSet:
        tables: dict[int, Table] = {}
        for old, new in names.items():
            if old in facts:
                table = facts.table(old)
                if table.by_object != (new == TYPE):
                    table = table_of(*table.pairs(), by_object=new == TYPE)
                tables[new] = tables[new].with_facts_of(table.minus(tables[new])) if new in tables else table
        return FactSet(tables)

    def sample(self, facts: FactSet, step: int) -> FactSet:
        s, p, o = facts.columns()
        return FactSet.of_columns(s[::step], p[::step], o[::step])

    def common(self, left: FactSet, right: FactSet) -> FactSet:
        if len(left) > len(right):
            left, right = right, left
        return left.intersection(right)

    def of_splits(self, facts: FactSet, splits: SplitSet) -> FactSet:
        chosen = self.covering(facts, splits)
        cut: dict[int, Table] = {}
        for predicate, objects in splits.cut_predicates(chosen):
            by_object = predicate == TYPE
            keys = chosen.table(predicate).keys()
            named = np.array(sorted(objects.named), dtype=np.int64)
            mask = is_member(unpack(keys)[0 if by_object else 1], named) != objects.others
            if not mask.all():
                cut[predicate] = Table.of_keys(keys[mask], by_object=by_object)
        return chosen.with_tables(cut) if cut else chosen

    def covering(self, facts: FactSet, splits: SplitSet) -> FactSet:
        if splits.is_everything:
            return facts
        if not splits.other_predicates:
            named = {*splits.predicates, *splits.objects}
            return facts.only(p for p in named if p in facts and splits.has_predicate(p))
        return facts.only(p for p in facts if splits.has_predicate(p))

    def irreflexive(self, facts: FactSet) -> FactSet:
        same = facts.table(SAME)
        s, o = same.pairs()
        if (s != o).all():
            return facts
        return facts.with_tables({SAME: Table.of_keys(same.keys()[s != o], by_object=False)})

    def reflexive_notes(self, explicit: FactSet, representatives: Representatives) -> FactSet:
        s, o = explicit.table(SAME).pairs()
        terms = sort_distinct(representatives.of(s[s == o]))
        return FactSet({OCCURS: Table.of_keys(pack(terms, terms), by_object=False)})

    def facts_about(self, facts: FactSet, changed: Representatives, before: Representatives) -> FactSet:
        return membership.facts_about(facts, changed.moved_since(before))

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

    def close(self, closure: Closure, facts: FactSet, fresh: FactSet | None) -> FactSet:
        predicate = closure.predicate
        table = facts.table(predicate)
        if table.size == 0 or (fresh is not None and predicate not in fresh):
            return FactSet()
        method = close_symmetrically if closure.symmetric else close_transitively
        try:
            keys = method(table, fresh.table(predicate) if fresh is not None else None)
        except MemoryLimitError as error:
            rule = "symmetry and transitivity" if closure.symmetric else "transitivity"
            raise error.of_closure(table.size, predicate).named(self.dictionary.text, rule) from None
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

    def moves(self, mapping: Representatives, terms: Collection[int]) -> bool:
        if not mapping or not terms:
            return False
        ids = np.fromiter(terms, dtype=np.int64, count=len(terms))
        return bool((mapping.of(ids) != ids).any())

    def class_size(self, mapping: Representatives, id: int) -> int:
        return mapping.class_of(id).size if mapping else 1

    def occurrences(self, facts: FactSet, representatives: Representatives | None) -> FactSet:
        parts: list[Ids] = []
        for predicate in facts:
            # There may be predicates of which no fact is left.
            if predicate != OCCURS and predicate not in self.auxiliary and facts.table(predicate).size:
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
