"""SPARQL 1.1 queries and updates over a materialised store, evaluated on columns of ids.

Read in this order: ``query`` (the entry points), ``errors``, ``expression``, ``algebra``, ``scope`` (queries as
values), ``tokens``, ``names``, ``translate_triples``, ``translate_expression``, ``translate`` (text to algebra),
``comparison``, ``numbers``, ``regex_syntax``, ``backtracking``, ``strings``, ``moments``, ``casts``, ``functions``,
``evaluate_expression`` (expressions over terms), ``budget``, ``terms``, ``solutions``, ``join`` (solutions as columns),
``graph``, ``dataset``, ``match``, ``paths``, ``cost``, ``join_order`` (patterns), ``numeric_column``,
``stoppable_regex``, ``regex_column``, ``column_expression``, ``conditions``, ``order``, ``group``, ``group_by``,
``evaluate``, ``construct`` (operators), ``path_text``, ``plan`` (what ran and how), ``result``, ``formats``,
``format_json``, ``format_xml``, ``format_separated`` (answers), ``update``, ``operation``, ``translate_update``,
``relative_iris``, ``load_document`` (changes), ``answer_changes`` (continuous queries), ``rule_patterns`` (patterns in
the language of rules).
"""

from __future__ import annotations

from reasoner.sparql.query import explain_plan, query
from reasoner.sparql.result import Result, Row
from reasoner.sparql.update import update

__all__ = ["Result", "Row", "explain_plan", "query", "update"]
