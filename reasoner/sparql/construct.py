"""The graphs of CONSTRUCT and DESCRIBE, as columns of ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reasoner.columnar.bindings import Bindings, Solutions, appended
from reasoner.columnar.kernels import Ids, is_member, sort_distinct
from reasoner.columnar.representatives import Representatives
from reasoner.sparql.algebra import Term, Var
from reasoner.sparql.budget import Budget
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.operation import QuadTemplate
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.quads import TextQuad

TRIPLE = ("s", "p", "o")
QUAD = (*TRIPLE, "g")


def constructed(
    evaluator: Evaluator,
    solutions: Solutions,
    template: Sequence[tuple[Term, Term, Term]],
    terms: QueryTerms,
    budget: Budget,
) -> Solutions:
    """Return the distinct triples of a template; what is unbound or no RDF is left out (16.2)."""
    solutions = _with_blank_nodes(evaluator, solutions, template, terms, budget)
    parts = [Bindings.none(TRIPLE)]
    for triple in template:
        parts.append(_rdf(_instances(evaluator, solutions, TRIPLE, triple, terms, budget), terms))
    return appended(parts, evaluator.classes, budget).distinct()


def constructed_quads(
    evaluator: Evaluator, solutions: Solutions, template: QuadTemplate, terms: QueryTerms, budget: Budget
) -> Iterator[TextQuad]:
    """Yield the quads of a template; what is unbound or no RDF is left out."""
    triples = [(s, p, o) for s, p, o, _ in template]
    solutions = _with_blank_nodes(evaluator, solutions, triples, terms, budget)
    for s, p, o, graph in template:
        names, quad = (TRIPLE, (s, p, o)) if graph is None else (QUAD, (s, p, o, graph))
        found = _rdf(_instances(evaluator, solutions, names, quad, terms, budget), terms)
        if graph is not None:
            found = found.taken((found.columns["g"] >= 0) & ~terms.is_literal(found.columns["g"]))
        texts = [terms.decode(found.columns[name]) for name in TRIPLE]
        graphs = [None] * found.size if graph is None else terms.decode(found.columns["g"])
        for subject, predicate, obj, name in zip(*texts, graphs, strict=True):
            assert subject is not None and predicate is not None and obj is not None
            yield subject, predicate, obj, name


def _with_blank_nodes(
    evaluator: Evaluator,
    solutions: Solutions,
    template: Sequence[tuple[Term, Term, Term]],
    terms: QueryTerms,
    budget: Budget,
) -> Solutions:
    """Give every solution blank nodes of its own for the labels of a template."""
    labels = {term for triple in template for term in triple if isinstance(term, Var) and term.name.startswith("_:")}
    if not labels:
        return solutions
    solutions = solutions.written_out(evaluator.classes, budget)
    new = {label.name: terms.encode([evaluator.conditions.blank() for _ in range(solutions.size)]) for label in labels}
    return solutions.with_columns(new)


def _instances(
    evaluator: Evaluator,
    solutions: Solutions,
    names: Sequence[str],
    statement: Sequence[Term],
    terms: QueryTerms,
    budget: Budget,
) -> Solutions:
    used, classes = {term.name for term in statement if isinstance(term, Var)}, evaluator.classes
    part = solutions.projected(used, classes).distinct().unfolded(used, classes, budget)
    return Bindings({name: _column(part, term, terms) for name, term in zip(names, statement, strict=True)}, part.size)


def described(evaluator: Evaluator, resources: Ids, terms: QueryTerms, budget: Budget) -> Solutions:
    """Return what is said about resources, and about the blank nodes that this leads to."""
    matcher, _ = evaluator.matchers()
    parts = [Bindings.none(TRIPLE)]
    seen = frontier = sort_distinct(resources)
    while frontier.size:
        given = Bindings({"s": frontier}, frontier.size)
        found = matcher.extended(given, Var("s"), Var("p"), Var("o")).unfolded(TRIPLE, matcher.classes, budget)
        parts.append(found.projected(TRIPLE, matcher.classes))
        objects = sort_distinct(found.columns["o"])
        texts = terms.decode(objects)
        blank = objects[np.array([text is not None and text.startswith("_:") for text in texts], dtype=np.bool_)]
        frontier = blank[~is_member(blank, seen)]
        seen = sort_distinct(np.concatenate((seen, frontier)))
    return appended(parts, Representatives(), budget).distinct()


def _column(solutions: Solutions, term: Term, terms: QueryTerms) -> Ids:
    if isinstance(term, Var):
        return solutions.columns[term.name]
    return np.full(solutions.size, terms.id_of(term), dtype=np.int64)


def _rdf(triples: Solutions, terms: QueryTerms) -> Solutions:
    s, p, o = (triples.columns[name] for name in TRIPLE)
    predicates = sort_distinct(p)
    iris = [
        id for id, text in zip(predicates.tolist(), terms.decode(predicates), strict=True) if text and text[0] == "<"
    ]
    return triples.taken((s >= 0) & (o >= 0) & ~terms.is_literal(s) & np.isin(p, np.array(iris, dtype=np.int64)))
