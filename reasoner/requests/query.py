"""Asking a reasoner in SPARQL: the entry points, which choose the engine that answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.kernels import sort_distinct
from reasoner.sparql.algebra import Query, Var
from reasoner.sparql.budget import MOST_ROWS, Budget
from reasoner.sparql.construct import TRIPLE, constructed, described
from reasoner.sparql.dataset import NamedGraphs, dataset_for, dataset_of
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.plan import QueryPlan, Trace
from reasoner.sparql.result import Result
from reasoner.sparql.terms import QueryTerms
from reasoner.sparql.translate import translate
from reasoner.terms.quads import checked_graph

if TYPE_CHECKING:
    from reasoner.state.session import KnowledgeBase


def query(
    kb: KnowledgeBase,
    text: str | Query,
    *,
    expand: bool = True,
    timeout: float | None = None,
    most_rows: int = MOST_ROWS,
    graphs: NamedGraphs | None = None,
    default_graphs: Sequence[str] | None = None,
    named_graphs: Sequence[str] | None = None,
    base: str = "",
    prefixes: Mapping[str, str] | None = None,
    terms: str = "rdflib",
    budget: Budget | None = None,
) -> Result:
    """Answer a SPARQL 1.1 query over what the facts of a reasoner entail.

    Every equal term is an answer of its own; without ``expand`` representatives alone are. A query is stopped after
    ``timeout`` seconds, and before a step gives more than ``most_rows`` rows. ``graphs`` are named graphs by name, in
    place of those of the store. ``default_graphs`` and ``named_graphs`` are the names of graphs that a query without
    FROM reads, as if FROM and FROM NAMED said so; either alone leaves the other part as it is. ``prefixes`` are what a
    query need not declare. Rows hold terms of rdflib, or with ``terms="text"`` N-Triples texts. A query may be given
    translated; a ``budget``, which can be stopped, takes the place of ``timeout`` and ``most_rows``.

    >>> from reasoner import Reasoner
    >>> kb = Reasoner(profile="none")
    >>> kb.add([("<http://e.org/a>", "<http://e.org/p>", '"1"')])
    1
    >>> query(kb, "SELECT ?y { <http://e.org/a> <http://e.org/p> ?y }", terms="text").rows()
    [('"1"',)]
    """
    translated = translate(text, base=base, prefixes=prefixes) if isinstance(text, str) else text
    default = None if default_graphs is None else [_name(name) for name in default_graphs]
    named = None if named_graphs is None else [_name(name) for name in named_graphs]
    budget = budget or Budget(timeout, most_rows)
    kb.session.settle()
    if graphs is None and kb.store.is_distributed:
        from reasoner.spark.query.answer import query as query_frames
        from reasoner.spark.query.source import source_of

        return query_frames(
            source_of(kb.answering),
            translated,
            expand=expand,
            terms=terms,
            default_graphs=default,
            named_graphs=named,
            budget=budget,
        )
    return _answered(kb, translated, expand, budget, graphs, terms, Trace(), default, named)


def explain_plan(
    kb: KnowledgeBase,
    text: str | Query,
    *,
    expand: bool = True,
    timeout: float | None = None,
    most_rows: int = MOST_ROWS,
    graphs: NamedGraphs | None = None,
    base: str = "",
    prefixes: Mapping[str, str] | None = None,
    budget: Budget | None = None,
) -> QueryPlan:
    """Run a query and tell which operators it took, what each gave, and which of them were slow.

    A query may be given translated, and a ``budget`` in the place of ``timeout`` and ``most_rows``, as to ``query``.
    """
    kb.session.settle()
    if graphs is None and kb.store.is_distributed:
        from reasoner.spark.query.answer import explain_plan as explain_frames
        from reasoner.spark.query.source import source_of

        return QueryPlan(
            explain_frames(source_of(kb.answering), text, expand=expand, base=base, prefixes=prefixes).steps
        )
    trace = Trace(on=True)
    translated = translate(text, base=base, prefixes=prefixes) if isinstance(text, str) else text
    _answered(kb, translated, expand, budget or Budget(timeout, most_rows), graphs, "text", trace)
    return QueryPlan(tuple(trace.steps))


def _name(graph: str) -> str:
    name = checked_graph(graph, pseudo=True)
    assert name is not None
    return name


def _answered(
    kb: KnowledgeBase,
    translated: Query,
    expand: bool,
    budget: Budget,
    graphs: NamedGraphs | None,
    shown: str,
    trace: Trace,
    default: Sequence[str] | None = None,
    named: Sequence[str] | None = None,
) -> Result:
    store = kb.answering
    dataset = dataset_of(store, graphs, expand=expand)
    if translated.default is not None or translated.named is not None:
        dataset = dataset_for(translated.default or (), translated.named or (), dataset)
    else:
        dataset = dataset_for(default, named, dataset)
    terms = QueryTerms(store.dictionary, dataset.default.texts, budget)
    evaluator = Evaluator(dataset, terms, budget, trace)
    solutions = evaluator.evaluate(translated.node)
    classes = evaluator.classes
    match translated.form:
        case "ASK":
            return Result.of_truth(solutions.size > 0)
        case "CONSTRUCT":
            triples = constructed(evaluator, solutions, translated.template, terms, budget)
            return Result(translated.form, TRIPLE, triples, classes, terms, budget, shown)
        case "DESCRIBE":
            names = [term.name for term in translated.described if isinstance(term, Var)]
            constants = [terms.id_of(term) for term in translated.described if isinstance(term, str)]
            columns = [
                solutions.projected([name], classes).distinct().unfolded([name], classes, budget).columns[name]
                for name in names
            ]
            resources = sort_distinct(np.concatenate([np.array(constants, dtype=np.int64), *columns]))
            triples = described(evaluator, resources[resources >= 0], terms, budget)
            return Result(translated.form, TRIPLE, triples, classes, terms, budget, shown)
        case _:
            return Result(translated.form, translated.variables, solutions, classes, terms, budget, shown)
