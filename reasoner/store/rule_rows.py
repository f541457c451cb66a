"""The rules of a version as rows of two tables: the texts of rules, and the constants that stand in their places.

A rule of one's own has a text of its own. All others share theirs if they are equal up to constants: it is a template
with the places ``$1``, ``$2`` ..., and each of its rules is a row of ids for them.

The rules of a version, read from its tables and checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import pyarrow as pa

from loaders.arrow import number_array, text_array
from reasoner.store.file_system import Place, StoreError
from reasoner.store.manifest import Manifest, read_table
from reasoner.store.segment import TABLES, read_segment

# How a rule is written that is not one's own: the text of its template, and the ids in the places of that.
Key = tuple[str, tuple[int, ...]]
Rows = list[tuple[int | str, ...]]
# What came and what went.
Change = tuple[pa.Table, pa.Table]

RULE_TABLES = ("rules", "parameters")
RULE_COUNTS = ("rules", "own rules", "templates")


@dataclass(frozen=True, slots=True, eq=False)
class RuleRows:
    """The texts of one's own rules by number, in their order; the numbers of templates, and the rows of their rules.

    ``sizes`` are how many rules each template has.

    >>> rows = RuleRows().after(["[r] ?x <p> ?x :- ?x <q> ?x ."], coming=[("?x a $1 :- ?x a $2 .", (7, 8))])
    >>> rows.own, rows.templates
    ({0: '[r] ?x <p> ?x :- ?x <q> ?x .'}, {'?x a $1 :- ?x a $2 .': 1})
    >>> rows.whole("parameters").to_pylist()[0]
    {'rule': 1, 'row': 0, 'position': 1, 'id': 7}
    """

    own: Mapping[int, str] = field(default_factory=dict)
    templates: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[Key, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """How many rules there are, how many of them are one's own, and how many templates all others have."""
        numbers = len(self.own) + len(self.rows), len(self.own), len(self.templates)
        return dict(zip(RULE_COUNTS, numbers, strict=True))

    def after(self, own: Sequence[str], going: Iterable[Key] = (), coming: Iterable[Key] = ()) -> RuleRows:
        """Return the rows after a change; what stays keeps its numbers."""
        free = 1 + max((*self.own, *self.templates.values()), default=-1)
        numbered = _numbered(self.own, own, free)
        free = max((free, *(number + 1 for number in numbered)))
        rows, templates, sizes = dict(self.rows), dict(self.templates), Counter(self.sizes)
        next_row = 1 + max(rows.values(), default=-1)
        for key in going:
            del rows[key]
            sizes[key[0]] -= 1
        for text in [text for text, size in sizes.items() if not size]:
            del templates[text], sizes[text]
        for row, key in enumerate(coming, next_row):
            rows[key] = row
            sizes[key[0]] += 1
            if key[0] not in templates:
                templates[key[0]] = free
                free += 1
        return RuleRows(numbered, templates, rows, sizes)

    def whole(self, table: str) -> pa.Table:
        """Return all rows of a table."""
        return _table(table, self._texts() if table == "rules" else self._constants(self.rows.items()))

    def change(self, table: str, before: RuleRows, touched: Collection[Key]) -> Change:
        """Return the rows of a table that came and went since ``before``; rules that are not ``touched`` stayed."""
        if table == "rules":
            new, old = set(self._texts()), set(before._texts())
            return _table(table, new - old), _table(table, old - new)
        came = ((key, self.rows[key]) for key in touched if key in self.rows and key not in before.rows)
        went = ((key, before.rows[key]) for key in touched if key in before.rows and key not in self.rows)
        return _table(table, self._constants(came)), _table(table, before._constants(went))

    def _texts(self) -> Rows:
        own: Rows = [(number, 1, text) for number, text in self.own.items()]
        return [*own, *((number, 0, text) for text, number in self.templates.items())]

    def _constants(self, rows: Iterable[tuple[Key, int]]) -> Rows:
        return [
            (self.templates[text], row, position, id) for (text, ids), row in rows for position, id in enumerate(ids, 1)
        ]


def _numbered(known: Mapping[int, str], texts: Sequence[str], free: int) -> dict[int, str]:
    """Number texts in ascending order: as before as far as they follow one another as before, then from ``free`` on."""
    numbers: dict[int, str] = {}
    left = iter(known.items())
    for position, text in enumerate(texts):
        number = next((number for number, other in left if other == text), None)
        if number is None:
            return numbers | dict(enumerate(texts[position:], free))
        numbers[number] = text
    return numbers


def _table(name: str, rows: Iterable[tuple[int | str, ...]]) -> pa.Table:
    columns = list(zip(*sorted(rows), strict=True))
    schema = TABLES[name].schema
    if not columns:
        return schema.empty_table()
    arrays = [
        text_array(cast("Sequence[str]", column))
        if pa.types.is_string(kind.type)
        else number_array(cast("Sequence[int]", column)).cast(kind.type)
        for kind, column in zip(schema, columns, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


_REMEDY = "restore the file from a copy, or open an earlier version (version=N)"


def read_own_rules(folder: Place, manifest: Manifest) -> dict[int, str]:
    """Return the texts of one's own rules by their numbers, in their order; only their table is read."""
    if "rules" not in manifest.tables:
        return dict(enumerate(manifest.own_rules))
    return _texts(folder, manifest)[0]


def read_rule_rows(folder: Place, manifest: Manifest) -> RuleRows:
    """Return all rules that a version was reasoned with, or raise a ``StoreError`` if they do not fit together."""
    own, templates = _texts(folder, manifest)
    constants: dict[tuple[int, int], list[int]] = {}
    table = read_table(folder, manifest, "parameters")
    terms = sum(segment.rows for segment in manifest.segments("dictionary"))
    for rule, row, position, id in zip(*(column.to_pylist() for column in table.columns), strict=True):
        ids = constants.setdefault((rule, row), [])
        if rule not in templates:
            raise damaged(folder, manifest, "parameters", rule, f"rule {rule} has constants, and is no template")
        if position != len(ids) + 1:
            raise damaged(folder, manifest, "parameters", rule, f"row {row} of rule {rule} lacks a constant or has two")
        if not 0 <= id < terms:
            raise damaged(folder, manifest, "parameters", rule, f"rule {rule} has {id}, which is the id of no term")
        ids.append(id)
    rows: dict[Key, int] = {}
    for (rule, row), ids in constants.items():
        if rows.setdefault((templates[rule], tuple(ids)), row) != row:
            raise damaged(folder, manifest, "parameters", rule, f"row {row} of rule {rule} is there twice")
    without = templates.keys() - {rule for rule, _ in constants}
    # A template without places is one rule, which has no row in the table.
    free = 1 + max((row for _, row in constants), default=-1)
    rows |= {(templates[rule], ()): row for row, rule in enumerate(sorted(without), free)}
    return RuleRows(own, {text: rule for rule, text in templates.items()}, rows, Counter(text for text, _ in rows))


def damaged(folder: Place, manifest: Manifest, table: str, rule: int, what: str) -> StoreError:
    """Return the error for what is wrong with a rule, with the last file that has it."""
    segments = manifest.segments(table)
    found = [each for each in segments if rule in read_segment(folder, table, each)["rule"].to_pylist()]
    path = folder / (found or segments)[-1].path
    return StoreError(f"{path} is damaged: {what}; {_REMEDY}")


def _texts(folder: Place, manifest: Manifest) -> tuple[dict[int, str], dict[int, str]]:
    """Return the texts of one's own rules and of templates, by number."""
    own: dict[int, str] = {}
    templates: dict[int, str] = {}
    table = read_table(folder, manifest, "rules")
    for rule, is_own, text in zip(*(column.to_pylist() for column in table.columns), strict=True):
        if rule in own or rule in templates:
            raise damaged(folder, manifest, "rules", rule, f"rule {rule} has two texts")
        (own if is_own else templates)[rule] = text
    if len(set(templates.values())) < len(templates):
        rule = max(templates)
        raise damaged(folder, manifest, "rules", rule, "two templates have the same text")
    return own, templates
