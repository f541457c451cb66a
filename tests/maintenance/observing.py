"""Maintenance with every rule instance, and every fact that was ever in doubt, written down."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest

from reasoner.columnar.bindings import Bindings
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.plans import Plan
from reasoner.columnar.store import ColumnarStore
from reasoner.maintenance import core, fbf
from reasoner.maintenance.backward_forward import BackwardForward, Deletion
from reasoner.maintenance.counting import traced_materialisation
from reasoner.maintenance.fbf import Search
from reasoner.maintenance.strata import MaintainedStratum, maintained_strata
from reasoner.maintenance.update import Update, Work
from reasoner.reasoning.arrange import Options
from reasoner.reasoning.program import ProgramTerms, encode_program
from reasoner.rules.encode import EncodedRule
from reasoner.rules.rule import Atom, Rule
from reasoner.terms.term import Term, Variable
from tests.notation import Fact, write_rule

# A rule and a substitution, as the oracle writes them.
Instance = tuple[Rule, frozenset[tuple[str, str]]]
Maintain = Callable[[Update, MaintainedStratum], None]


def matches(plan: Plan, found: Bindings[int]) -> Iterator[tuple[EncodedRule, dict[int, int]]]:
    """Yield the rule of each match, without its parameters, and the ids of the rule's variables."""
    template = plan.template
    rules = dict(zip(template.rows, template.rules, strict=True))
    for row in range(found.size):
        values = {term: int(column[row]) for term, column in found.columns.items()}
        yield rules[tuple(values.pop(parameter) for parameter in template.parameters)], values


def variables(rule: Rule) -> list[str]:
    """Return the names of a rule's variables in the order in which they are numbered."""
    atoms = (*rule.body, *([rule.head] if rule.head else []), *rule.negative)
    return list(dict.fromkeys(term.name for atom in atoms for term in atom if isinstance(term, Variable)))


def ground(instance: Instance) -> str:
    """Write a rule instance in the notation of the tests."""
    rule, substitution = instance
    values = dict(substitution)

    def filled(atom: Atom) -> Atom:
        return Atom(*(values[term.name] if isinstance(term, Variable) else term for term in atom))

    def terms(old: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(values[term.name] if isinstance(term, Variable) else term for term in old)

    return write_rule(
        replace(
            rule,
            head=filled(rule.head) if rule.head else None,
            body=tuple(map(filled, rule.body)),
            negative=tuple(map(filled, rule.negative)),
            conditions=tuple(replace(part, arguments=terms(part.arguments)) for part in rule.conditions),
        )
    )


class ObservedUpdate(Update):
    """An update that knows its phase, and every fact that was ever in D."""

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, **options)
        self.now = ""
        self.overdeleted = self.engine.empty()

    def delete(self, facts: FactSet) -> None:
        self.overdeleted = self.engine.union(self.overdeleted, facts)
        super().delete(facts)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self.now = name
        with super().phase(name):
            yield
        self.now = ""


class Observed:
    """A store without equality; after a change it knows the instances that were considered, by what they were for.

    ``delete`` are those of lines 46 and 50 of DRed, 68 and 75 of FBF; ``rederive`` of lines 42 and 64; ``insert`` of 53
    and 58; ``saturate`` of 88 and 94; ``search`` of 81. A rule that several strata have is as many rules.
    """

    def __init__(self, program: Sequence[Rule], explicit: Iterable[Fact]) -> None:
        self.store = ColumnarStore()
        dictionary = self.store.dictionary
        encoded = encode_program(program, ProgramTerms(dictionary.id_of, dictionary.text), equality=False)
        self.engine = ColumnarEngine(dictionary, equality=False)
        self.base, self.strata = maintained_strata(self.engine, encoded, Options(equality=False, modules=False))
        bodyless = [rule for stratum in encoded.strata for rule in stratum.rules if not rule.body and not rule.negative]
        self.stated = self.engine.evaluate(self.engine.compile(bodyless), FactSet())
        self.explicit = self.engine.union(self.encoded(explicit), self.stated)
        below = self.engine.of_splits(self.explicit, self.base)
        self.facts, _ = traced_materialisation(self.engine, self.strata, below, self.explicit)
        self.seen: dict[str, Counter[tuple[int, Instance]]] = {}
        self.searches: list[Search] = []

    def change(self, maintain: Maintain, added: Iterable[Fact], removed: Iterable[Fact]) -> ObservedUpdate:
        """Let a strategy apply a change, which removes explicit facts only and adds only others."""
        engine = self.engine
        gone, come = self.encoded(removed).difference(self.stated), self.encoded(added).difference(self.stated)
        self.explicit = self.explicit.difference(gone).union(come)
        update = ObservedUpdate(engine, self.facts, self.explicit, engine.identity(), gone, come, Work())
        self.seen = defaultdict(Counter)
        self.searches = []
        update.delete(engine.of_splits(gone, self.base))
        update.add(engine.of_splits(come, self.base))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fbf, "Search", self._search)
            for stratum in self.strata:
                self._observe(update, stratum)
                maintain(update, stratum)
        engine.trace = engine.backward_trace = None
        self.facts = update.current
        return update

    def instances(self, *purposes: str) -> Counter[tuple[int, Instance]]:
        """Return how often each instance was considered for some purposes, together with the level of its rule."""
        return sum((self.seen[purpose] for purpose in purposes), Counter())

    def written(self, purpose: str) -> list[str]:
        """Return the instances that were considered for a purpose, each as often as it was."""
        return sorted(ground(instance) for _, instance in self.seen[purpose].elements())

    def encoded(self, triples: Iterable[Fact]) -> FactSet:
        return FactSet.of_columns(*self.store.encode(triples))

    def decoded(self, some: FactSet) -> set[Fact]:
        return set(self.store.texts(some))

    def _search(self, update: Update, stratum: MaintainedStratum, depth: int | None) -> Search:
        self.searches.append(Search(update, stratum, depth))
        return self.searches[-1]

    def _observe(self, update: ObservedUpdate, stratum: MaintainedStratum) -> None:
        forward = {"delete": "delete", "check": "saturate", "insert": "insert"}

        def record(purpose: str, plan: Plan, found: Bindings[int]) -> None:
            self.seen[purpose].update((stratum.level, instance) for instance in self._read(plan, found))

        def backward(plan: Plan, found: Bindings[int]) -> None:
            # Only searching tells the atoms of a rule's own stratum apart.
            in_check = "search" if plan.template.own else "saturate"
            record({"check": in_check, "rederive": "rederive"}[update.now], plan, found)

        self.engine.trace = lambda plan, found: record(forward[update.now], plan, found)
        self.engine.backward_trace = backward

    def _read(self, plan: Plan, found: Bindings[int]) -> Iterator[Instance]:
        text = self.store.dictionary.text
        for rule, values in matches(plan, found):
            named = {name: text(values[-1 - number]) for number, name in enumerate(variables(rule.origin))}
            yield rule.origin, frozenset(named.items())


class ObservedSearch(BackwardForward):
    """A run of B/F under rewriting that knows the instances of its lines 50 and 58, 15, and 33."""

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, **options)
        self.seen: dict[str, Counter[tuple[EncodedRule, frozenset[tuple[int, int]]]]] = defaultdict(Counter)
        self.now = "delete"

    def delete(self, removed: FactSet, *between_rounds) -> Deletion:
        self.engine.trace = lambda plan, found: self._record(self.now, plan, found)
        self.engine.backward_trace = lambda plan, found: self._record("search", plan, found)
        try:
            return super().delete(removed, *between_rounds)
        finally:
            self.engine.trace = self.engine.backward_trace = None

    def check(self, frontier: FactSet) -> None:
        self.now = "saturate"
        super().check(frontier)
        self.now = "delete"

    def _record(self, purpose: str, plan: Plan, found: Bindings[int]) -> None:
        self.seen[purpose].update((rule, frozenset(values.items())) for rule, values in matches(plan, found))


@contextmanager
def observed_searches() -> Iterator[list[ObservedSearch]]:
    """Let every run of B/F under rewriting be observed; yield the list that the runs join."""
    runs: list[ObservedSearch] = []

    def observed(*arguments) -> ObservedSearch:
        runs.append(ObservedSearch(*arguments))
        return runs[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "BackwardForward", observed)
        yield runs
