"""What a step does, measured: the state before it, its delta, the state after it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ontologies.axioms import Axiom, ClassAssertion, DataPropertyAssertion, ObjectPropertyAssertion
from ontologies.evolution.working import Change
from ontologies.write_functional import write_functional
from reasoner.evolution.readings import STATIC_PROFILES, reading_changes
from reasoner.evolution.report import FactChange, Sizes, StepReport
from reasoner.rules.prefixes import PREDECLARED
from reasoner.rules.printer import print_rule
from reasoner.rules.rule import Rule
from reasoner.rules.term import RDF_TYPE
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.delta import Delta
    from reasoner.reasoner import Reasoner

# A store's facts of these kinds are counted, not listed as axioms.
_DATA = (ClassAssertion, ObjectPropertyAssertion, DataPropertyAssertion)
# What a delta tells apart; a fact that only became explicit is one asserted fact more, and one inferred fact less.
_PARTS = {
    "asserted_added": ("asserted_added",),
    "asserted_removed": ("asserted_removed",),
    "inferred_added": ("inferred_added", "became_inferred"),
    "inferred_removed": ("inferred_removed", "became_explicit"),
    "gained": ("gained",),
    "lost": ("lost",),
}
_MOST_VIOLATIONS = 1000


@dataclass(frozen=True, slots=True)
class Moment:
    """A store at one time, as far as a report compares it."""

    sizes: Sizes
    axioms: tuple[Axiom, ...]
    rules: tuple[Rule, ...]
    profile: str


def moment(kb: Reasoner) -> Moment:
    """Look at a store as it is now."""
    from ontologies.read_rdf import ontology_of_triples
    from reasoner.schema import schema_triples

    axioms = tuple(
        axiom for axiom in ontology_of_triples(schema_triples(kb.store)).axioms if not isinstance(axiom, _DATA)
    )
    rules, counts = kb.rules(), kb.store.counts()
    violations = len(kb.violations(most=_MOST_VIOLATIONS))
    sizes = Sizes(len(axioms), len(rules), counts["explicit"], counts["inferred"], counts["classes"], violations)
    return Moment(sizes, axioms, rules, kb.profile)


def measured(
    name: str, change: Change, before: Moment, delta: Delta, after: Moment, prefixes: dict[str, str]
) -> StepReport:
    """Return the report of a step."""
    rules_gained, rules_lost = _only_in(after.rules, before.rules), _only_in(before.rules, after.rules)
    readings_gained, readings_lost = reading_changes(after.profile, before.axioms, after.axioms)
    return StepReport(
        name=name,
        change=change,
        before=before.sizes,
        after=after.sizes,
        axioms_gained=_axiom_texts(set(after.axioms) - set(before.axioms), prefixes),
        axioms_lost=_axiom_texts(set(before.axioms) - set(after.axioms), prefixes),
        rules_gained=_rule_texts(rules_gained, prefixes),
        rules_lost=_rule_texts(rules_lost, prefixes),
        readings_gained=_rule_texts(readings_gained, prefixes),
        readings_lost=_rule_texts(readings_lost, prefixes),
        is_read_as_data=after.profile in STATIC_PROFILES,
        profile=after.profile,
        facts=_fact_changes(delta),
        classes_merged=delta.classes_merged,
        classes_split=delta.classes_split,
        violations_appeared=delta.violations_appeared,
        violations_went=delta.violations_went,
        strategy=delta.strategy,
        reason=delta.reason,
        seconds=delta.seconds,
    )


def _only_in(rules: Iterable[Rule], others: Iterable[Rule]) -> list[Rule]:
    """Return the rules that are not among others; which axioms they come from, and are named after, does not count."""
    known = Counter(_said(rule) for rule in others)
    return [rule for rule in rules if not known[_said(rule)]]


def _said(rule: Rule) -> tuple[object, ...]:
    return rule.head, rule.body, rule.negative, rule.conditions


def _axiom_texts(axioms: Iterable[Axiom], prefixes: dict[str, str]) -> tuple[str, ...]:
    return tuple(sorted(write_functional(axiom, prefixes) for axiom in axioms))


def _rule_texts(rules: Iterable[Rule], prefixes: dict[str, str]) -> tuple[str, ...]:
    known = {**PREDECLARED, **prefixes}
    return tuple(sorted(print_rule(replace(rule, sources=()), known) for rule in rules))


def _fact_changes(delta: Delta) -> tuple[FactChange, ...]:
    counts: defaultdict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for name, parts in _PARTS.items():
        for part in parts:
            for key, number in Counter(map(_split_key, delta.iterate(part))).items():
                counts[key][name] += number
    changes = [FactChange(name, is_class, **counted) for (name, is_class), counted in counts.items()]
    return tuple(sorted(changes, key=lambda item: (-item.size, item.name)))


def _split_key(triple: TextTriple) -> tuple[str, bool]:
    _, predicate, obj = triple
    return (obj, True) if predicate == RDF_TYPE else (predicate, False)
