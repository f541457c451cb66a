"""The graphs of CONSTRUCT and DESCRIBE, as columns of ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reasoner.columnar.kernels import Ids, is_member, sort_distinct
from reasoner.columnar.representatives import Representatives
from reasoner.sparql.algebra import Term
from reasoner.sparql.budget import Budget
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.expression import Var
from reasoner.sparql.solutions import Solutions, appended
from reasoner.sparql.terms import Terms

TRIPLE = ("s", "p", "o")


def constructed(
    evaluator: Evaluator,
    solutions: Solutions,
    template: Sequence[tuple[Term, Term, Term]],
    terms: Terms,
    budget: Budget,
) -> Solutions:
    """Return the distinct triples of a template; what is unbound or no RDF is left out (16.2)."""
    classes = evaluator.classes
    labels = {term for triple in template for term in triple if isinstance(term, Var) and term.name.startswith("_:")}
    if labels:
        # Every solution has blank nodes of its own.
        solutions = solutions.written_out(classes, budget)
        new = {
            label.name: terms.encode([evaluator.conditions.blank() for _ in range(solutions.size)]) for label in labels
        }
        solutions = solutions.with_columns(new)
    parts = [Solutions.none(TRIPLE)]
    for triple in template:
        used = {term.name for term in triple if isinstance(term, Var)}
        part = solutions.projected(used, classes).distinct().unfolded(used, classes, budget)
        columns = {name: _column(part, term, terms) for name, term in zip(TRIPLE, triple, strict=True)}
        parts.append(_rdf(Solutions(columns, part.size), terms))
    return appended(parts, classes, budget).distinct()


def described(evaluator: Evaluator, resources: Ids, terms: Terms, budget: Budget) -> Solutions:
    """Return what is said about resources, and about the blank nodes that this leads to."""
    matcher, _ = evaluator.matchers()
    parts = [Solutions.none(TRIPLE)]
    seen = frontier = sort_distinct(resources)
    while frontier.size:
        given = Solutions({"s": frontier}, frontier.size)
        found = matcher.extended(given, Var("s"), Var("p"), Var("o")).unfolded(TRIPLE, matcher.classes, budget)
        parts.append(found.projected(TRIPLE, matcher.classes))
        objects = sort_distinct(found.columns["o"])
        texts = terms.decode(objects)
        blank = objects[np.array([text is not None and text.startswith("_:") for text in texts], dtype=np.bool_)]
        frontier = blank[~is_member(blank, seen)]
        seen = sort_distinct(np.concatenate((seen, frontier)))
    return appended(parts, Representatives(), budget).distinct()


def _column(solutions: Solutions, term: Term, terms: Terms) -> Ids:
    if isinstance(term, Var):
        return solutions.columns[term.name]
    return np.full(solutions.size, terms.id_of(term), dtype=np.int64)


def _rdf(triples: Solutions, terms: Terms) -> Solutions:
    s, p, o = (triples.columns[name] for name in TRIPLE)
    predicates = sort_distinct(p)
    iris = [
        id for id, text in zip(predicates.tolist(), terms.decode(predicates), strict=True) if text and text[0] == "<"
    ]
    return triples.taken((s >= 0) & (o >= 0) & ~terms.is_literal(s) & np.isin(p, np.array(iris, dtype=np.int64)))
