"""SPARQL 1.1 queries and updates over a materialised store, evaluated on columns of ids.

Read in this order: ``errors``, ``algebra``, ``scope`` (queries as values), ``tokens``, ``translate_triples``,
``translate`` (text to algebra), ``comparison``, ``numbers``, ``regex_syntax``, ``backtracking``, ``strings``,
``evaluate_expression`` (expressions over terms), ``budget``, ``terms``, ``join`` (solutions as columns), ``dataset``,
``pattern_lookup``, ``match``, ``join_order`` (patterns), ``regex_column``, ``column_expression``, ``order``,
``group``, ``evaluate``, ``construct`` (operators), ``plan`` (what ran and how), ``result``, ``operation``,
``translate_update``, ``answer_changes`` (continuous queries).
"""

from __future__ import annotations

from reasoner.sparql.result import Result, Row

__all__ = ["Result", "Row"]
