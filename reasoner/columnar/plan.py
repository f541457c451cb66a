"""A template made ready for evaluation: its parameter relation in columns, indexed on demand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reasoner.columnar.bindings import Bindings
from reasoner.columnar.kernels import Ids, Keys, expand, pack, ranges, sort_distinct, unpack
from reasoner.rules.encode import EncodedTerm, is_variable
from reasoner.rules.template import Template


class Plan:
    """A template with its parameters as columns; ``needed`` are the variables that its head and filters read."""

    __slots__ = ("__weakref__", "_after", "_classes", "_denials", "_indexes", "needed", "parameters", "template")

    def __init__(self, template: Template) -> None:
        self.template = template
        rows = np.array(template.rows, dtype=np.int64).reshape(len(template.rows), len(template.parameters))
        self.parameters: dict[EncodedTerm, Ids] = dict(zip(template.parameters, rows.T.copy(), strict=True))
        self._indexes: dict[EncodedTerm, Keys] = {}
        self._denials: dict[int, Plan] = {}
        self._after: dict[tuple[int, ...], frozenset[EncodedTerm]] = {}
        self._classes: dict[EncodedTerm, list[int]] | None = None
        atoms = [*template.negative, *([template.head] if template.head else [])]
        terms = [term for atom in atoms for term in atom]
        terms += [term for _, arguments in template.conditions for term in arguments]
        self.needed = frozenset(term for term in terms if is_variable(term))

    @property
    def constant_columns(self) -> dict[EncodedTerm, list[int]]:
        """The distinct values of each parameter."""
        if self._classes is None:
            self._classes = {term: sort_distinct(column).tolist() for term, column in self.parameters.items()}
        return self._classes

    def denial(self, at: int) -> Plan:
        """Return the plan that asks for a match of one of its negative atoms instead of its absence."""
        if at not in self._denials:
            template = self.template
            body = (*template.body, template.negative[at])
            negative = template.negative[:at] + template.negative[at + 1 :]
            self._denials[at] = Plan(replace(template, body=body, negative=negative))
        return self._denials[at]

    def needed_after(self, rest: list[int]) -> frozenset[EncodedTerm]:
        """Return the variables that the head, the filters and the given open atoms read; -1 are the parameters."""
        key = tuple(rest)
        if key not in self._after:
            terms = {term for index in rest if index >= 0 for term in self.template.body[index]}
            if -1 in rest:
                terms |= set(self.parameters)
            self._after[key] = self.needed | {term for term in terms if is_variable(term)}
        return self._after[key]

    @property
    def row_count(self) -> int:
        return len(self.template.rows)

    def parameters_per_value(self, bindings: Bindings) -> float | None:
        """Estimate how many parameter rows a binding meets; None if it binds no parameter."""
        bound = next((term for term in self.parameters if term in bindings.columns), None)
        if bound is None:
            return None
        return self.row_count / len(self.constant_columns[bound])

    def join_parameters(self, bindings: Bindings) -> Bindings:
        """Join bindings with the parameter relation."""
        bound = [term for term in self.parameters if term in bindings.columns]
        if not bound:
            return bindings.crossed(self.parameters, self.row_count)
        index = self._index(bound[0])
        owner, position = expand(*ranges(index, bindings.columns[bound[0]]))
        rows = unpack(index[position])[1]
        result = bindings.taken(owner)
        agree = np.ones(rows.size, dtype=np.bool_)
        for term in bound[1:]:
            agree &= result.columns[term] == self.parameters[term][rows]
        fresh = {term: column[rows] for term, column in self.parameters.items() if term not in bindings.columns}
        result = result.with_columns(fresh)
        return result if agree.all() else result.taken(agree)

    def _index(self, term: EncodedTerm) -> Keys:
        if term not in self._indexes:
            column = self.parameters[term]
            self._indexes[term] = np.sort(pack(column, np.arange(column.size)))
        return self._indexes[term]
