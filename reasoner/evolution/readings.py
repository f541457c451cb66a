"""What static rules read in axioms: under OWL 2 RL and RDFS axioms are data, and no rule comes or goes with them.

The rules of these profiles have atoms about axioms, such as ``?c rdfs:subClassOf ?d``. With an axiom in its place what
is left of the rule is the one that description logic programs make of the axiom (``ontologies.dlp``).
"""

from __future__ import annotations

from collections.abc import Collection

from ontologies.axioms import Axiom, Ontology
from reasoner.rules.rule import Rule
from reasoner.rules.term import OWL, RDF

# Of more rules than these, all axioms are read rather than looked through.
_FEW = 50

STATIC_PROFILES = ("owl2rl", "rdfs")


def reading_changes(
    profile: str, before: Collection[Axiom], after: Collection[Axiom]
) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return the readings that came and those that went with axioms; there are none but in profiles of static rules.

    A reading stays for as long as one of its axioms does.
    """
    if profile not in STATIC_PROFILES:
        return (), ()
    old, new = set(before), set(after)
    return _only_of(profile, new - old, old), _only_of(profile, old - new, new)


def _only_of(profile: str, changed: set[Axiom], others: set[Axiom]) -> tuple[Rule, ...]:
    found = _readings(profile, changed)
    if not found:
        return ()
    known = {_said(rule) for rule in _readings(profile, _alike(found, others))}
    return tuple(rule for rule in found if _said(rule) not in known)


def _said(rule: Rule) -> tuple[object, ...]:
    return rule.head, rule.body, rule.negative, rule.conditions


def _alike(rules: tuple[Rule, ...], axioms: set[Axiom]) -> set[Axiom]:
    """Return the axioms that may be read as one of some rules, because they mention all that it does."""
    if len(rules) > _FEW:
        return axioms
    mentioned = [_names(rule) for rule in rules]
    texts = ((axiom, repr(axiom)) for axiom in axioms)
    return {axiom for axiom, text in texts if any(all(term in text for term in terms) for terms in mentioned)}


def _names(rule: Rule) -> set[str]:
    """Return the names in a rule that its axiom must have too; those of OWL itself may be implied."""
    terms = {term for atom in (rule.head, *rule.body) if atom for term in atom if isinstance(term, str)}
    return {term for term in terms if term.startswith("<") and not term.startswith((f"<{RDF}", f"<{OWL}"))}


def _readings(profile: str, axioms: set[Axiom]) -> tuple[Rule, ...]:
    """Translate the axioms that a profile has rules for."""
    from ontologies.dlp import translate_dlp
    from ontologies.profile import check_profile
    from ontologies.write_functional import write_functional

    outside = {item.axiom_text for item in check_profile(Ontology(tuple(axioms)), profile)}
    inside = tuple(axiom for axiom in axioms if write_functional(axiom) not in outside)
    return translate_dlp(Ontology(inside)).rules
