"""How many rows a step of a join will give, estimated from the sizes of tables."""

from __future__ import annotations

from reasoner.sparql.algebra import Alternative, Closure, Inverse, Link, Path, Sequence, Term, TriplePattern
from reasoner.sparql.expression import Var
from reasoner.sparql.match import Matcher
from reasoner.sparql.solutions import Solutions

# What a predicate that is not known is taken to give for a term, and a closure for a step.
_FEW = 8.0


def estimated_rows(matcher: Matcher, solutions: Solutions, pattern: TriplePattern) -> float:
    """Estimate the rows after a pattern is joined; zero only if there will be none."""
    predicate = pattern.predicate
    if not isinstance(predicate, Var | str):
        return solutions.size * _path_fan_out(matcher, solutions, pattern.subject, predicate, pattern.object)
    return solutions.size * _fan_out(matcher, solutions, pattern.subject, predicate, pattern.object)


def is_connected(solutions: Solutions, pattern: TriplePattern) -> bool:
    """Tell whether a pattern shares a variable with solutions, or has no variable at all."""
    names = [term.name for term in (pattern.subject, pattern.predicate, pattern.object) if isinstance(term, Var)]
    return not names or any(name in solutions.columns for name in names)


def _fan_out(matcher: Matcher, solutions: Solutions, subject: Term, predicate: Term, obj: Term) -> float:
    subject_bound, object_bound = (isinstance(t, str) or t.name in solutions.columns for t in (subject, obj))
    graph = matcher.graph
    if isinstance(predicate, Var):
        total = float(len(graph.facts))
        if predicate.name in solutions.columns:
            total /= max(1, len(graph.predicates))
        if subject_bound and object_bound:
            return min(1.0, total)
        return min(total, _FEW) if subject_bound or object_bound else total
    table = graph.table(matcher.constant(predicate))
    if table.size == 0:
        return 0.5 if graph.equates else 0.0
    if subject_bound and object_bound:
        return 0.5
    if not subject_bound and not object_bound:
        return float(table.size)
    known = subject if subject_bound else obj
    if isinstance(known, str):
        id = matcher.constant(known)
        if subject_bound:
            return float(table.count(subject=id))
        return float(sum(table.count(obj=spelling) for spelling in graph.spellings(id).tolist()))
    return table.fan_out(from_subject=subject_bound)


def _path_fan_out(matcher: Matcher, solutions: Solutions, subject: Term, path: Path, obj: Term) -> float:
    match path:
        case Link(predicate):
            return _fan_out(matcher, solutions, subject, predicate, obj)
        case Inverse(inner):
            return _path_fan_out(matcher, solutions, obj, inner, subject)
        case Sequence(first, second):
            middle = Var(".middle")
            return _path_fan_out(matcher, solutions, subject, first, middle) * max(
                1.0, _path_fan_out(matcher, solutions, middle, second, obj) / _FEW
            )
        case Alternative(first, second):
            return _path_fan_out(matcher, solutions, subject, first, obj) + _path_fan_out(
                matcher, solutions, subject, second, obj
            )
        case Closure(inner):
            return _FEW * max(1.0, _path_fan_out(matcher, solutions, subject, inner, obj))
        case _:
            return _fan_out(matcher, solutions, subject, Var(".any"), obj)
