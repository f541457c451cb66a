"""The modules under maintenance: the engine's part in keeping (symmetric-)transitive predicates up to date."""

from __future__ import annotations

from reasoner.columnar import component_updates, transitive_updates
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Keys
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.rewrite import normal_form
from reasoner.columnar.table import Table
from reasoner.modules import Closure
from reasoner.vocabulary import TYPE


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
