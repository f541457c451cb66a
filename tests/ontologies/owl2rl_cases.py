"""For each OWL 2 RL/RDF rule a case where it fires and a near miss where it must not: ``CASES``.

Any system that materialises can be run on them: the naive evaluator is in ``test_owl2rl_rules``.
"""

from __future__ import annotations

from tests.ontologies.owl2rl_class_cases import CLASS_AXIOM_CASES, CLASS_CASES, DATATYPE_CASES
from tests.ontologies.owl2rl_property_cases import EQUALITY_CASES, PROPERTY_CASES
from tests.ontologies.owl2rl_schema_cases import SCHEMA_CASES

CASES = EQUALITY_CASES + PROPERTY_CASES + CLASS_CASES + CLASS_AXIOM_CASES + DATATYPE_CASES + SCHEMA_CASES
