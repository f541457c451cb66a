"""An RDF/OWL reasoner that keeps what an ontology entails, with owl:sameAs by rewriting.

Read in this order: ``reasoner``, ``assertions``, ``ontology_loading`` and ``questions`` (the class that users meet),
``rules`` and ``literals`` (the rule language), ``schema`` (where axioms come from), ``program`` and ``vocabulary``
(rules over ids),
``engine`` (what algorithms need), ``arrange``, ``modules``, ``materialise``, ``maintenance`` (the algorithms),
``equality_axioms`` (for comparison), ``columnar`` (the embedded engine), ``commit_request``, ``commit``,
``work_ahead``, ``dynamic_commit`` and ``dynamic_session`` (changes),
``rule_request``, ``program_change``, ``rule_change`` and ``rule_changes`` (changes of rules and axioms),
``constraint_policy`` (what a commit may bring), ``subscriptions`` (continuous queries), ``export`` (to databases),
``sparql``, ``explain``, ``explanation``, ``delta``, ``delta_quads``, ``delta_formats``, ``violation``,
``summary``, ``notebook``, ``entailment`` (answers), ``owlready_export`` (the way back into a world),
``persistence``, ``store`` and ``dump`` (on disk), ``evolution`` (scripts that change ontologies),
``rdflib_store``, ``rdflib_contexts``, ``rdflib_namespaces``, ``rdflib_settings`` (for code written for rdflib),
``triple_text``, ``table_triples`` and ``quads`` (what users hand in), ``short_terms`` (what people read),
``cli`` (the command line), ``server`` (over
HTTP), ``spark`` (with Spark), ``errors``, ``collector_pause``, ``distribution`` (what pip calls it),
``checkout`` (which folders are ours).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoner.checkout import require_neighbours

if TYPE_CHECKING:
    from reasoner.constraint_policy import InconsistentError
    from reasoner.delta import Delta
    from reasoner.errors import ParseError, ReasonerError, UnsafeRuleError, UnstratifiableError
    from reasoner.explain import Proof
    from reasoner.reasoner import Reasoner
    from reasoner.rules.rule import Atom, Builtin, Rule
    from reasoner.rules.term import Variable
    from reasoner.store.errors import StoreError
    from reasoner.summary import Summary
    from reasoner.violation import Violation

require_neighbours()

_HOMES = {
    "Atom": "reasoner.rules.rule",
    "Builtin": "reasoner.rules.rule",
    "Delta": "reasoner.delta",
    "InconsistentError": "reasoner.constraint_policy",
    "ParseError": "reasoner.errors",
    "Proof": "reasoner.explain",
    "Reasoner": "reasoner.reasoner",
    "ReasonerError": "reasoner.errors",
    "Rule": "reasoner.rules.rule",
    "StoreError": "reasoner.store.errors",
    "Summary": "reasoner.summary",
    "UnsafeRuleError": "reasoner.errors",
    "UnstratifiableError": "reasoner.errors",
    "Variable": "reasoner.rules.term",
    "Violation": "reasoner.violation",
}

__all__ = [
    "Atom",
    "Builtin",
    "Delta",
    "InconsistentError",
    "ParseError",
    "Proof",
    "Reasoner",
    "ReasonerError",
    "Rule",
    "StoreError",
    "Summary",
    "UnsafeRuleError",
    "UnstratifiableError",
    "Variable",
    "Violation",
]


def __getattr__(name: str) -> object:
    """Import on first use, so that start-up pays only for what it needs."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reasoner' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
