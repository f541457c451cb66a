"""Matching rule bodies: the atoms of a plan and its parameters are joined one by one, the cheapest next.

Builtin conditions over columns of ids, each distinct value decided once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.bindings import Bindings, appended
from reasoner.columnar.factset import FactSet, Unranged
from reasoner.columnar.join_order import join_in_order
from reasoner.columnar.kernels import Ids, Mask
from reasoner.columnar.memory import MemoryLimitError
from reasoner.columnar.plans import Plan
from reasoner.columnar.scan import Sampling, extend, fan_out, fan_out_of_any, holds
from reasoner.rules.encode import EncodedTerm, Triple, is_variable
from reasoner.terms.builtins import BUILTINS

_PARAMETERS = -1
_DIFFER = "differ"

# Fewer rows than this cost less to carry on than to compare.
_DISTINCT_FROM = 512

Found = Callable[[Bindings[int]], None]


class BodyMatcher:
    """Evaluates plan bodies.

    ``wild`` are the predicates that a variable predicate does not range over, ``free`` those of a free atom.
    """

    def __init__(self, conditions: Conditions, *, equality: bool, wild: Unranged, free: Unranged) -> None:
        self._conditions = conditions
        self._equality = equality
        self.wild = wild
        self.free = free

    def match(
        self,
        plan: Plan,
        sources: Sequence[FactSet],
        absent: Sequence[FactSet],
        found: Found,
        *,
        keep_all: bool = False,
        distinct: bool = False,
        free: int | None = None,
        start: Bindings[int] | None = None,
        sampling: Sampling | None = None,
        productive: bool = False,
    ) -> None:
        """Call ``found`` with the matches of a plan, in one or more pieces.

        Body atom i reads ``sources[i]``; negative atom i must not be in ``absent[i]``. Unless ``keep_all`` is set,
        only the columns that the head needs are kept, one row per match all the same, or one row for all matches
        that agree on them if ``distinct``. A variable predicate of the atom ``free`` ranges over all predicates.
        ``start`` has values that some variables are bound to from the beginning. With ``sampling`` a few matches of
        what the first atom matches are enough, which is read by then. Matches whose head is one of their own facts are
        left out if ``productive``.
        """
        template = plan.template
        if not plan.prospect.may_match(sources):
            return
        bindings: Bindings[int] = Bindings.unit() if start is None else start
        conditions = template.conditions
        if productive and plan.idle is not None:
            conditions = (*conditions, (_DIFFER, plan.idle))
        operands: list[BodyOperand] = [
            AtomScan(at, atom, sources[at], self.free if at == free else self.wild, sampling, plan.variables_of(at))
            for at, atom in enumerate(template.body)
        ]
        if template.parameters:
            operands.append(_Parameters(plan))

        def tried(bindings: Bindings[int], fresh: frozenset[int]) -> Bindings[int]:
            """Try the conditions on fresh variables all of whose variables are bound."""
            for name, terms in conditions:
                if bindings.size and not fresh.isdisjoint(terms) and all(map(bindings.is_bound, terms)):
                    bindings = self._meeting(name, terms, bindings)
            return bindings

        def after(piece: Bindings[int], joined: BodyOperand, rest: Sequence[BodyOperand]) -> Bindings[int]:
            if not keep_all:
                piece = piece.only(plan.needed_after(tuple([operand.place for operand in rest])))
                if distinct and piece.size > _DISTINCT_FROM:
                    piece = piece.distinct_sorted()
            return tried(piece, joined.variables) if conditions else piece

        def finished(bindings: Bindings[int]) -> None:
            for atom, facts in zip(template.negative, absent, strict=True):
                bindings = bindings.taken(~holds(bindings, atom, facts, equality=self._equality))
            if bindings.size:
                found(bindings)

        try:
            for name, terms in conditions:
                if all(map(bindings.is_bound, terms)):
                    bindings = self._meeting(name, terms, bindings)
            if bindings.size:
                join_in_order(bindings, operands, after, finished)
        except MemoryLimitError as error:
            raise error.named(self._conditions.text, template.rules[0].origin.name) from None

    def _meeting(self, name: str, terms: tuple[EncodedTerm, ...], bindings: Bindings[int]) -> Bindings[int]:
        """Return the rows that meet a condition."""
        if name != _DIFFER:
            return bindings.taken(self._conditions.holds(name, terms, bindings))
        differs = bindings.values(terms[0]) != bindings.values(terms[1])
        return bindings if differs.all() else bindings.taken(differs)

    def all_matches(
        self, plan: Plan, sources: Sequence[FactSet], absent: FactSet, *, free: int | None = None
    ) -> Bindings[int]:
        """Return the matches of a plan with all its variables; what it negates must not be in ``absent``."""
        places = range(-1, len(plan.template.body))
        parts: list[Bindings[int]] = [Bindings.none(frozenset().union(*map(plan.variables_of, places)))]
        self.match(plan, sources, [absent] * len(plan.template.negative), parts.append, keep_all=True, free=free)
        return appended(parts)


class AtomScan:
    """An atom of a body as an operand of a join: it reads the facts that the atom matches."""

    __slots__ = ("_atom", "_facts", "_sampling", "_wild", "place", "variables")

    def __init__(
        self,
        place: int,
        atom: Triple,
        facts: FactSet,
        wild: Unranged | frozenset[int],
        sampling: Sampling | None = None,
        variables: frozenset[int] | None = None,
    ) -> None:
        self.place = place
        self.variables = frozenset(filter(is_variable, atom)) if variables is None else variables
        self._atom = atom
        self._facts = facts
        self._wild = wild
        self._sampling = sampling

    def rows(self, bindings: Bindings[int]) -> float:
        subject, predicate, obj = self._atom
        if is_variable(predicate):
            return bindings.size * fan_out_of_any(bindings, subject, predicate, self._facts, obj)
        return bindings.size * fan_out(bindings, subject, self._facts.table(predicate), obj)

    def joined(self, bindings: Bindings[int], rest: Sequence[BodyOperand]) -> Iterable[Bindings[int]]:
        sampling = self._sampling
        if sampling is not None and (self.place == 0 or any(operand.place == 0 for operand in rest)):
            sampling = None
        return extend(bindings, self._atom, self._facts, self._wild, sampling)


class _Parameters:
    """The parameters of a template as an operand of a join."""

    __slots__ = ("_plan", "place", "variables")

    def __init__(self, plan: Plan) -> None:
        self.place = _PARAMETERS
        self.variables = plan.variables_of(_PARAMETERS)
        self._plan = plan

    def rows(self, bindings: Bindings[int]) -> float:
        return bindings.size * self._plan.parameters_per_row(bindings)

    def joined(self, bindings: Bindings[int], rest: Sequence[BodyOperand]) -> Iterable[Bindings[int]]:
        return (self._plan.join_parameters(bindings),)


BodyOperand: TypeAlias = AtomScan | _Parameters


_UNKNOWN, _TRUE, _FALSE = 0, 1, 2

# No IRI and no blank node meets these, so that only literals have to be decoded.
_LITERAL_FIRST = frozenset({"inValueSpace", "notInValueSpace", "isLiteral", "datatype", "lang"})

# Terms that are not both literals are compared by id.
_BY_IDENTITY = frozenset({"=", "!=", "equatable"})


class Conditions:
    """Decides builtins; answers about one variable are remembered by id, since terms never change."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._truncations = dictionary.truncations
        self._known: dict[tuple[str, tuple[EncodedTerm, ...]], np.ndarray[tuple[int], np.dtype[np.uint8]]] = {}

    def text(self, id: int) -> str:
        """Return the text of a term."""
        return self._dictionary.text(id)

    def holds(self, name: str, terms: tuple[EncodedTerm, ...], bindings: Bindings[int]) -> Mask:
        """Tell for which rows a builtin holds; all its variables are bound."""
        variables = list(dict.fromkeys(term for term in terms if is_variable(term)))
        if not variables:
            holds = BUILTINS[name].holds(*(self._dictionary.text(term) for term in terms))
            return np.full(bindings.size, holds, dtype=np.bool_)
        if len(variables) == 1:
            return self._unary(name, terms, bindings.columns[variables[0]])
        columns = [bindings.values(term) for term in terms]
        if name in _BY_IDENTITY:
            return self._binary(name, *columns)
        return self._many(name, columns)

    def _unary(self, name: str, terms: tuple[EncodedTerm, ...], values: Ids) -> Mask:
        if self._truncations != self._dictionary.truncations:
            # Ids may have been given to other terms since.
            self._known, self._truncations = {}, self._dictionary.truncations
        key = (name, tuple(-1 if is_variable(term) else term for term in terms))
        known = self._known.get(key)
        if known is None or known.size < len(self._dictionary):
            grown = np.zeros(len(self._dictionary), dtype=np.uint8)
            if known is not None:
                grown[: known.size] = known
            known = self._known[key] = grown
        asked = np.unique(values[known[values] == _UNKNOWN])
        if asked.size and name in _LITERAL_FIRST and is_variable(terms[0]):
            literal = self._dictionary.literal_mask()[asked]
            known[asked[~literal]] = _FALSE
            asked = asked[literal]
        if asked.size:
            holds = BUILTINS[name].holds
            constants = [None if is_variable(term) else self._dictionary.text(term) for term in terms]
            for id, text in zip(asked.tolist(), self._dictionary.decode(asked), strict=True):
                answer = holds(*(text if constant is None else constant for constant in constants))
                known[id] = _TRUE if answer else _FALSE
        mask: Mask = known[values] == _TRUE
        return mask

    def _binary(self, name: str, left: Ids, right: Ids) -> Mask:
        """Decide what two terms have to do with one another; only pairs of different literals are decoded."""
        literal = self._dictionary.literal_mask()
        left_literal, right_literal = literal[left], literal[right]
        if name == "equatable":
            resources: Mask = ~(left_literal | right_literal)
            return resources
        mask: Mask = left == right if name == "=" else left != right
        unclear = np.flatnonzero(left_literal & right_literal & (left != right))
        if unclear.size:
            mask[unclear] = self._many(name, [left[unclear], right[unclear]])
        return mask

    def _many(self, name: str, columns: list[Ids]) -> Mask:
        distinct, inverse = np.unique(np.stack(columns), axis=1, return_inverse=True)
        texts = [self._dictionary.decode(row) for row in distinct]
        holds = BUILTINS[name].holds
        answers = np.array([holds(*values) for values in zip(*texts, strict=True)], dtype=np.bool_)
        mask: Mask = answers[inverse.reshape(-1)]
        return mask
