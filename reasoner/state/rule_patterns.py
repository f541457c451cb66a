"""Answering the patterns of rules over a materialised store: they read the triples that SPARQL reads."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoner.columnar.bindings import Bindings, Solutions
from reasoner.columnar.kernels import lexical_order
from reasoner.columnar.match import Conditions
from reasoner.columnar.nearby import TooFarError
from reasoner.columnar.representatives import Representatives
from reasoner.rules.errors import ReasonerError
from reasoner.rules.parser import parse_patterns
from reasoner.rules.rule import Atom, Builtin
from reasoner.sparql.algebra import Bgp, Distinct, Exists, Filter, Project, Query, Term, TriplePattern, Var
from reasoner.sparql.budget import Budget
from reasoner.sparql.dataset import dataset_of
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.join_order import joined_in_order
from reasoner.sparql.plan import Trace
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.term import Variable

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore


def select(
    store: ColumnarStore, patterns: str, variables: Sequence[str] | None = None, *, reflexive: bool = False
) -> list[dict[str, str]]:
    """Return the distinct answers to patterns, by variable; all variables are asked for unless some are named."""
    body, negative, conditions = parse_patterns(patterns)
    order = list(dict.fromkeys(term.name for atom in body for term in atom if isinstance(term, Variable)))
    asked = [name.lstrip("?") for name in variables] if variables is not None else order
    if unknown := [name for name in asked if name not in order]:
        bound = ", ".join("?" + name for name in order) or "no variable"
        raise ReasonerError(f"no pattern binds ?{unknown[0]}: the patterns bind {bound}")
    needed = frozenset(asked).union(*(part.variables for part in negative), *(part.variables for part in conditions))
    question = _Question(_bgp(body), tuple(map(_absent, negative)), tuple(conditions), asked, needed)
    found = _found(store, question, reflexive=reflexive)
    if not asked:
        return [{}] if found.size else []
    columns = [found.columns[name] for name in asked]
    rows = lexical_order(columns)
    # Patterns bind all of their variables, so that no text is missing.
    terms = QueryTerms(store.dictionary)
    texts = (terms.decode(column[rows]) for column in columns)
    return [{name: text for name, text in zip(asked, row, strict=True) if text} for row in zip(*texts, strict=True)]


@dataclass(frozen=True, slots=True)
class _Question:
    """Patterns, what must be absent, builtins, the variables asked for, and those that anything of it needs."""

    body: Bgp
    absent: tuple[Exists, ...]
    conditions: tuple[Builtin, ...]
    asked: list[str]
    needed: frozenset[str]


def _found(store: ColumnarStore, question: _Question, *, reflexive: bool) -> Solutions:
    """Return the distinct answers; where facts are Spark's and many of them would be read, Spark finds the matches."""
    if not store.is_distributed or reflexive:
        return _matched(store, question, reflexive=reflexive)
    with suppress(TooFarError):
        return _matched(store.nearby(), question, reflexive=False)
    from reasoner.spark.query.answer import solutions_of
    from reasoner.spark.query.source import source_of

    node = Filter(question.absent, question.body) if question.absent else question.body
    shown = question.needed if question.conditions else question.asked
    query = Query("SELECT", Distinct(Project(node, tuple(shown))), tuple(shown))
    columns, size = solutions_of(source_of(store), query)
    found = _Builtins(store, question.conditions).kept(Bindings(columns, size))
    return found.projected(question.asked, Representatives()).distinct()


def _matched(store: ColumnarStore, question: _Question, *, reflexive: bool) -> Solutions:
    terms = QueryTerms(store.dictionary)
    evaluator = Evaluator(dataset_of(store, reflexive=reflexive), terms, Budget(most_rows=sys.maxsize), Trace())
    tried = _Builtins(store, question.conditions).kept
    patterns = question.body.patterns
    found = joined_in_order(evaluator, patterns, [], (), Bindings.unit(), question.needed, tried=tried)
    found = evaluator.conditions.where(found, list(question.absent))
    found = found.projected(question.asked, evaluator.classes).distinct()
    return found.unfolded(found.folded, evaluator.classes, evaluator.budget)


class _Builtins:
    """The builtins that solutions must meet, each tried once its variables are bound.

    As in rules, they are about what a term stands for, and so are decided for representatives.
    """

    def __init__(self, store: ColumnarStore, conditions: Iterable[Builtin]) -> None:
        self._waiting = list(conditions)
        self._mapping = store.state.representatives
        self._dictionary = store.dictionary
        self._decided = Conditions(store.dictionary)

    def kept(self, solutions: Solutions) -> Solutions:
        """Return the solutions that meet the builtins which can be tried now."""
        for condition in [part for part in self._waiting if part.variables <= solutions.columns.keys()]:
            self._waiting.remove(condition)
            solutions = solutions.taken(self._decided.holds(condition.name, *self._encoded(condition, solutions)))
        return solutions

    def _encoded(self, condition: Builtin, solutions: Solutions) -> tuple[tuple[int, ...], Bindings[int]]:
        numbers = {name: -1 - number for number, name in enumerate(sorted(condition.variables))}
        columns = {
            number: solutions.columns[name] if name in solutions.folded else self._mapping.of(solutions.columns[name])
            for name, number in numbers.items()
        }
        terms = tuple(
            numbers[term.name] if isinstance(term, Variable) else self._mapping.of_one(self._dictionary.id_of(term))
            for term in condition.arguments
        )
        return terms, Bindings(columns, solutions.size)


def _absent(atom: Atom) -> Exists:
    return Exists(_bgp([atom]), negated=True)


def _bgp(atoms: Iterable[Atom]) -> Bgp:
    return Bgp(tuple(TriplePattern(*map(_term, atom)) for atom in atoms))


def _term(term: Variable | str) -> Term:
    return Var(term.name) if isinstance(term, Variable) else term
