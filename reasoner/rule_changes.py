"""Rules in and out: rules of one's own, and what a change of the ontology does to the rules that come from it."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from loaders.local_path import local_path
from reasoner.arrange import prepare_changed
from reasoner.rules.rule import Rule
from reasoner.rules.value_joins import value_joins
from reasoner.schema import is_schema
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from threading import RLock

    from ontologies.separable import TranslationChange
    from ontologies.translation import Translation
    from reasoner.arrange import Prepared
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import ColumnarStore
    from reasoner.commit_request import CommitRequest
    from reasoner.delta import Delta
    from reasoner.maintenance.program import Change, MaintenanceProgram
    from reasoner.maintenance.transaction import Transaction
    from reasoner.program import EncodedProgram
    from reasoner.rule_change import RuleChange
    from reasoner.rule_request import OwnRules, RuleRequest


class RuleChanges:
    """What a reasoner does when its rules change.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="none")
    >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")])
    1
    >>> with kb.transaction() as change:
    ...     change.add_rules("[q] ?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
    >>> [rule.name for rule in change.delta.rules_gained], len(change.delta.inferred_added)
    (['q'], 1)
    >>> kb.remove_rules("?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .").counts.inferred_removed
    1
    """

    store: ColumnarStore
    profile: str
    # Rules of one's own by what they say, if they are still those.
    _own: OwnRules | None = None
    # A translation with its rules by what they say, from one change of the ontology to the next.
    _translated: TranslationChange | None = None

    if TYPE_CHECKING:
        _committing: RLock
        _user_rules: list[Rule]
        _translation: Translation | None
        _program: EncodedProgram | None
        _prepared: Prepared[Plans] | None
        _maintenance: MaintenanceProgram[FactSet, Plans, Representatives] | None
        _up_to_date: bool

        def translation(self) -> Translation: ...

        def prepare(self) -> None: ...

        def _changed(self) -> None: ...

        def _encoded(self) -> EncodedProgram: ...

        def _translate(self, store: ColumnarStore) -> Translation: ...

        def _all_rules(self, translation: Translation, own: Iterable[Rule]) -> tuple[Rule, ...]: ...

        def _compares_values(self, translation: Translation | None = None) -> bool: ...

        def _encode(self, rules: Iterable[Rule]) -> EncodedProgram: ...

        def _commit(self, request: CommitRequest) -> Delta: ...

    def add_rules(self, rules: str | Iterable[Rule], *, file: str = "<text>") -> None:
        """Add rules of one's own, as text or ready made.

        What was materialised before is maintained; what was not waits for ``materialise``.
        """
        from reasoner.commit_request import CommitRequest
        from reasoner.rule_request import RuleRequest, rules_of

        given = rules_of(rules, file=file)
        if self._up_to_date:
            self._commit(CommitRequest(rules=RuleRequest(added=given)))
            return
        self._user_rules = [*self._user_rules, *given]
        self._changed()

    def load_rules(self, path: str | PathLike[str]) -> None:
        """Add the rules of a file."""
        self.add_rules(local_path(path).read_text(encoding="utf-8"), file=str(path))

    def remove_rules(self, rules: str | Iterable[Rule], *, file: str = "<text>", strategy: str = "auto") -> Delta:
        """Remove rules of one's own, as text or ready made, and return what went with them.

        A rule is known by what it says; its name, and those of its variables, do not matter.
        """
        from reasoner.commit_request import CommitRequest
        from reasoner.rule_request import RuleRequest, rules_of

        going = RuleRequest(removed=rules_of(rules, file=file))
        return self._commit(CommitRequest(rules=going, strategy=strategy))

    def maintenance_rules(self, change: Transaction | None = None) -> tuple[Rule, ...]:
        """Return the program that tells what a change of facts and rules does to the closure; nothing is changed.

        ``change`` is a transaction that is not committed yet, and the program is for that one. Without it, the program
        is for every change of facts that brings no predicate or class that neither the facts nor the rules know yet:
        none of its own, and none that follows with it. ``reasoner.maintenance.predicate_variants`` tells what goes into
        the evaluation and what comes out. To the program owl:sameAs is a predicate like any other.

        >>> from reasoner import Reasoner
        >>> kb = Reasoner("none")
        >>> kb.add_rules("[q] ?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .")
        >>> change = kb.transaction()
        >>> change.add(("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>"))
        >>> next(rule.head.predicate for rule in kb.maintenance_rules(change) if rule.name == "theta-plus/q")
        '<urn:x-maintenance:plus:http://e.org/q>'
        """
        with self._committing:
            if change is not None:
                # What is compiled is kept, and so are the ids of its terms.
                self.prepare()
            terms = len(self.store.dictionary)
            try:
                return self._written_maintenance(change)
            finally:
                self.store.dictionary.truncate(terms)

    def _written_maintenance(self, change: Transaction | None) -> tuple[Rule, ...]:
        """Write the maintenance program; terms of the change, and of the program, get ids."""
        from reasoner.columnar.engine import ColumnarEngine
        from reasoner.maintenance.declarative import program_of_any_change, program_of_change
        from reasoner.program import Terms
        from reasoner.rule_request import content

        store, rules = self.store, self._all_rules(self.translation(), self._user_rules)
        # The store's own engine would remember terms that are forgotten after this.
        engine = ColumnarEngine(store.dictionary, equality=False)
        terms = Terms(store.dictionary.id_of, store.dictionary.text)
        if change is None:
            return program_of_any_change(engine, terms, rules, store.state.explicit)
        quads, requested = change.requested
        facts, _ = store.changed_quads(quads)
        changed = self._rule_change((*quads.coming(), *quads.going()), facts, requested)
        after = rules if changed is None else self._all_rules(changed.translation, changed.own.rules)
        # A rule that only comes from other axioms than before is still the same.
        known = {content(rule): rule for rule in rules}
        after = tuple(known.get(content(rule), rule) for rule in after)
        return program_of_change(engine, terms, rules, after, store.state.explicit, facts.added)

    def _rule_change(
        self, triples: Iterable[TextTriple], change: Change[FactSet], request: RuleRequest
    ) -> RuleChange | None:
        """Return what a change of explicit facts, and of rules of one's own, does to the rules; None if nothing can."""
        from reasoner.program_change import ProgramChange, change_program
        from reasoner.rule_change import RuleChange
        from reasoner.rule_request import OwnRules

        schema = [triple for triple in triples if is_schema(triple)] if self.profile != "none" else []
        if not schema and not request:
            return None
        self.prepare()
        assert self._prepared is not None
        known = (self.translation(), self._encoded(), self._maintenance)
        own = self._own if self._own and self._own.rules is self._user_rules else OwnRules.of(self._user_rules)
        # Of rules that are said twice it would not be known which of them went.
        told_apart = len(own.by_content) == len(own.rules)
        own = request.applied_to(own)
        ontology = self._translation_change(schema, change)
        program = None
        if ontology.is_told_apart and told_apart:
            going, coming = (*ontology.going, *own.going), (*ontology.coming, *own.coming)
            if self._compares_values():
                going, coming = ((*rules, *value_joins(rules)) for rules in (going, coming))
            program = change_program(self._encoded(), going, coming)
        if program is None:
            after = self._encode(self._all_rules(ontology.translation, own.rules))
            program = ProgramChange.between(self._encoded(), after)
        return RuleChange(self.store, self._prepared.options, known, ontology, own, program)

    def _translation_change(self, schema: list[TextTriple], change: Change[FactSet]) -> TranslationChange:
        """Translate the ontology after a change of explicit facts, only what changes of it where that will do."""
        from ontologies.separable import TranslationChange, are_separable, translate_change
        from reasoner.columnar.schema_lookup import SchemaLookup

        if not schema:
            return TranslationChange(self.translation(), (), (), None)
        lookup = SchemaLookup(change.before.difference(change.removed), self.store.dictionary)
        if are_separable(self.profile, schema, lookup):
            removed, added = (
                [triple for triple in self.store.texts(part) if is_schema(triple)]
                for part in (change.removed, change.added)
            )
            last, before = self._translated, self.translation()
            known = last.index if last is not None and last.translation is before else None
            found = translate_change(self.profile, before, known, removed, added, lookup)
            if found is not None:
                return found
        after = copy(self.store)
        after.state = replace(self.store.state, explicit=change.after)
        return TranslationChange.of_whole(self._translate(after))

    def _take_over(self, change: RuleChange) -> None:
        """Go over to the rules after a change; what follows from them is not known yet."""
        self._translation, self._own, self._program = change.translation, change.own, change.program
        self._user_rules = change.own.rules
        if change.ontology.index is not None:
            self._translated = change.ontology
        if change.changes_program or not change.change.keeps_levels:
            # A constraint changes nothing that follows, and may still have the rules arranged in other strata.
            assert self._prepared is not None
            self._prepared = prepare_changed(self.store.engine, change.program, self._prepared)
            self._maintenance = None

    def _program_after(self, change: RuleChange) -> MaintenanceProgram[FactSet, Plans, Representatives]:
        """Return the program after a change, compiled for maintenance."""
        if self._maintenance is None:
            self._maintenance = change.after
        return self._maintenance
