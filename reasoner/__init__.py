"""An RDF/OWL reasoner that keeps what an ontology entails, with owl:sameAs by rewriting.

Read in this order: ``reasoner`` (the class that users meet), ``state`` (what it holds, how that changes, how it is kept
on disk), ``documents`` (documents, ontologies and tables in and out), ``terms`` (terms and literal values), ``rules``
(the rule language), ``reasoning`` (from scratch), ``maintenance`` (after changes), ``columnar`` (the embedded engine),
``sparql`` (the query language over columns), ``requests`` (queries and updates), ``dynamic`` (updates that come while
others are worked on), ``explanation`` and ``entailment`` (answers), ``subscriptions`` (continuous queries), ``export``
(to databases), ``store`` (the format on disk), ``evolution`` (scripts that change ontologies), ``interop`` (for code
written for rdflib), ``cli`` (the command line), ``server`` (over HTTP), ``mcp`` (for assistants), ``spark`` (with
Spark), ``checkout`` (which folders are ours).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasoner.checkout import require_neighbours

if TYPE_CHECKING:
    from reasoner.explanation.explain import Proof
    from reasoner.explanation.proof import Violation
    from reasoner.reasoner import Reasoner
    from reasoner.rules.errors import ParseError, ReasonerError, UnsafeRuleError, UnstratifiableError
    from reasoner.rules.rule import Atom, Builtin, Rule
    from reasoner.state.constraint_policy import InconsistentError
    from reasoner.state.delta import Delta
    from reasoner.state.state import Summary
    from reasoner.store.file_system import StoreError
    from reasoner.terms.term import Variable

    __version__: str

require_neighbours()

_HOMES = {
    "Atom": "reasoner.rules.rule",
    "Builtin": "reasoner.rules.rule",
    "Delta": "reasoner.state.delta",
    "InconsistentError": "reasoner.state.constraint_policy",
    "ParseError": "reasoner.rules.errors",
    "Proof": "reasoner.explanation.explain",
    "Reasoner": "reasoner.reasoner",
    "ReasonerError": "reasoner.rules.errors",
    "Rule": "reasoner.rules.rule",
    "StoreError": "reasoner.store.file_system",
    "Summary": "reasoner.state.state",
    "UnsafeRuleError": "reasoner.rules.errors",
    "UnstratifiableError": "reasoner.rules.errors",
    "Variable": "reasoner.terms.term",
    "Violation": "reasoner.explanation.proof",
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
    "__version__",
]


def __getattr__(name: str) -> object:
    """Import on first use, so that start-up pays only for what it needs."""
    if name == "__version__":
        from loaders.errors import installed_version

        return installed_version()
    if name not in _HOMES:
        raise AttributeError(f"module 'reasoner' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
