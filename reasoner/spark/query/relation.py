"""Solutions as frames: a column of ids, of representatives that stand for classes, or of texts for each variable.

A *folded* column holds representatives, each of which stands for every member of its class. Patterns give folded
columns and joins on them stay folded; what can tell members apart unfolds them by a join with the members. A column of
*texts* holds terms that a query made, which have no ids. NULL is unbound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import reduce
from itertools import count

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from reasoner.spark.query.source import Source

_SERIAL = count()
ORDER = "sorting_order"


class Kind(IntEnum):
    """What a column holds; two columns are compared as the larger of their kinds."""

    FOLDED = 0
    ID = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Field:
    """The column of a variable: its name in the frame, what it holds, and whether it is bound in every row."""

    name: str
    kind: Kind
    certain: bool = True

    @property
    def column(self) -> Column:
        return f.col(self.name)


def fresh(kind: Kind, *, certain: bool = True) -> Field:
    """Return a field under a name that no other has."""
    return Field(f"c{next(_SERIAL)}", kind, certain)


@dataclass(frozen=True, slots=True)
class Relation:
    """A bag of solutions, which nobody has computed yet. If ``ordered``, a column gives their order."""

    source: Source
    frame: DataFrame
    fields: dict[str, Field]
    ordered: bool = False

    @classmethod
    def unit(cls, source: Source) -> Relation:
        """Return the bag with one solution that binds nothing."""
        return cls(source, source.session.range(1).select(f.lit(1).alias("unit")), {})

    @classmethod
    def none(cls, source: Source, names: Iterable[str] = ()) -> Relation:
        """Return the empty bag."""
        fields = {name: fresh(Kind.ID) for name in names}
        kinds = ", ".join(f"{field.name} long" for field in fields.values()) or "unit int"
        return cls(source, source.session.createDataFrame([], kinds), fields)

    @classmethod
    def of_texts(cls, source: Source, names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Relation:
        """Return solutions that are given by their texts."""
        fields = {
            name: fresh(Kind.TEXT, certain=all(row[place] is not None for row in rows))
            for place, name in enumerate(names)
        }
        kinds = ", ".join(["unit int", *(f"{field.name} string" for field in fields.values())])
        return cls(source, source.session.createDataFrame([(1, *row) for row in rows], kinds), fields)

    def with_field(self, name: str, field: Field, column: Column) -> Relation:
        """Return these rows with a further column."""
        frame = self.frame.withColumn(field.name, column)
        return replace(self, frame=frame, fields={**self.fields, name: field})

    def where(self, condition: Column) -> Relation:
        return replace(self, frame=self.frame.where(condition))

    def renewed(self) -> Relation:
        """Return the same bag with other names in its frame, so that it can be joined with itself; no order is kept."""
        fields = {name: replace(field, name=fresh(field.kind).name) for name, field in self.fields.items()}
        columns = [field.column.alias(fields[name].name) for name, field in self.fields.items()]
        return Relation(self.source, self.frame.select(*columns or [f.lit(1).alias("unit")]), fields)

    def unfolded(self, names: Iterable[str]) -> Relation:
        """Return the bag with every member of a class in a row of its own, for some variables."""
        result = self
        for name in sorted({*names} & self.fields.keys()):
            field = self.fields[name]
            if field.kind is Kind.FOLDED:
                new = fresh(Kind.ID, certain=field.certain)
                members = self.source.members.select(
                    f.col("id").alias(f"{new.name}m"), f.col("representative").alias(f"{new.name}r")
                )
                frame = result.frame.join(members, field.column == f.col(f"{new.name}r"), "left")
                frame = frame.withColumn(new.name, f.coalesce(f.col(f"{new.name}m"), field.column))
                frame = frame.drop(f"{new.name}m", f"{new.name}r", field.name)
                result = replace(result, frame=frame, fields={**result.fields, name: new})
        return result

    def decoded(self, names: Iterable[str]) -> Relation:
        """Return the bag with texts in the place of ids, for some variables."""
        result = self.unfolded(names)
        for name in sorted({*names} & self.fields.keys()):
            field = result.fields[name]
            if field.kind is Kind.ID:
                new = fresh(Kind.TEXT, certain=field.certain)
                frame = _with_text(result.frame, self.source.dictionary, field, new).drop(field.name)
                result = replace(result, frame=frame, fields={**result.fields, name: new})
        return result

    def with_texts(self, names: Iterable[str]) -> tuple[Relation, dict[str, Column]]:
        """Return the bag with the texts of some variables in columns beside the others, and these columns."""
        result, columns = self.unfolded(names), {}
        for name in sorted({*names} & self.fields.keys()):
            field = result.fields[name]
            if field.kind is Kind.ID:
                new = fresh(Kind.TEXT)
                result = replace(result, frame=_with_text(result.frame, self.source.dictionary, field, new))
                field = new
            columns[name] = field.column
        return result, columns

    def lowered(self, kinds: dict[str, Kind]) -> Relation:
        """Return the bag with variables in the kinds given, which are no lower than theirs."""
        ids = [name for name, kind in kinds.items() if kind is Kind.ID]
        return self.unfolded(ids).decoded([name for name, kind in kinds.items() if kind is Kind.TEXT])

    def projected(self, names: Iterable[str], *, bag: bool = True) -> Relation:
        """Return the columns of some variables; a variable that is never bound has an unbound one.

        Unless ``bag``, solutions that are equal may count once, so that what goes need not be unfolded.
        """
        kept = list(dict.fromkeys(names))
        result = self.unfolded(self.fields.keys() - set(kept)) if bag else self
        fields = {name: result.fields.get(name) or fresh(Kind.ID, certain=False) for name in kept}
        columns = [
            field.column if name in result.fields else f.lit(None).cast("long").alias(field.name)
            for name, field in fields.items()
        ]
        columns += [f.col(ORDER)] if self.ordered else []
        frame = result.frame.select(*columns or [f.lit(1).alias("unit")])
        return Relation(self.source, frame, fields, self.ordered)

    def distinct(self) -> Relation:
        """Return every solution once; rows that differ while folded stand for different solutions."""
        names = [field.name for field in self.fields.values()]
        if not names:
            return replace(self, frame=self.frame.limit(1))
        if self.ordered:
            # Of equal solutions the first stays.
            return replace(self, frame=self.frame.groupBy(*names).agg(f.min(ORDER).alias(ORDER)))
        return replace(self, frame=self.frame.select(*names).distinct())

    def sliced(self, start: int, length: int | None) -> Relation:
        """Return a range of the solutions."""
        result = self.unfolded(self.fields)
        frame = result.frame.orderBy(ORDER) if self.ordered else result.frame
        frame = frame.offset(start) if start else frame
        return replace(result, frame=frame if length is None else frame.limit(length))


def aligned(left: Relation, right: Relation) -> tuple[Relation, Relation, list[str]]:
    """Return two bags whose shared variables are of the same kind each, and these variables."""
    shared = [name for name in left.fields if name in right.fields]
    kinds = {name: max(left.fields[name].kind, right.fields[name].kind) for name in shared}
    return left.lowered(kinds), right.lowered(kinds), shared


def join(left: Relation, right: Relation, how: str = "inner") -> Relation:
    """Return the join of two bags, or with ``how`` left the solutions that have no partner as well."""
    left, right, shared = aligned(left, right.renewed())
    frame = left.frame.join(right.frame, _compatible(left, right, shared), how)
    fields = dict(left.fields)
    for name, field in right.fields.items():
        known = left.fields.get(name)
        if known is None:
            fields[name] = replace(field, certain=field.certain and how == "inner")
        elif not known.certain:
            fields[name] = fresh(known.kind, certain=field.certain and how == "inner")
            frame = frame.withColumn(fields[name].name, f.coalesce(known.column, field.column))
    return Relation(left.source, frame.drop(*(right.fields[name].name for name in shared)), fields)


def left_join(left: Relation, right: Relation) -> Relation:
    """Return all solutions, extended where something extends them."""
    return join(left, right, "left")


def without_matches(left: Relation, right: Relation) -> Relation:
    """Return the solutions that no compatible solution of another bag shares a bound variable with (MINUS)."""
    left, right, shared = aligned(left, right.renewed())
    if not shared:
        return left
    right = right.projected(shared, bag=False)
    condition = _compatible(left, right, shared)
    if not any(left.fields[name].certain and right.fields[name].certain for name in shared):
        both = [left.fields[n].column.isNotNull() & right.fields[n].column.isNotNull() for n in shared]
        condition = condition & reduce(lambda a, b: a | b, both)
    return replace(left, frame=left.frame.join(right.frame, condition, "left_anti"))


def equal_rows(left: Relation, right: Relation, names: Iterable[str], how: str) -> DataFrame:
    """Join two bags by equality of variables, unbound being equal to unbound; kinds must be the same."""
    pairs = [left.fields[name].column.eqNullSafe(right.fields[name].column) for name in names]
    return left.frame.join(right.frame, reduce(lambda a, b: a & b, pairs, f.lit(True)), how)


def appended(parts: Sequence[Relation]) -> Relation:
    """Return the union of bags; a variable that a bag lacks is unbound in its rows."""
    if len(parts) == 1:
        return parts[0]
    names = list(dict.fromkeys(name for part in parts for name in part.fields))
    kinds = {name: max(part.fields[name].kind for part in parts if name in part.fields) for name in names}
    fields = {
        name: fresh(kind, certain=all(name in part.fields and part.fields[name].certain for part in parts))
        for name, kind in kinds.items()
    }
    frames = []
    for part in parts:
        lowered = part.lowered({name: kinds[name] for name in part.fields})
        columns = [
            (lowered.fields[name].column if name in part.fields else f.lit(None).cast(_TYPES[field.kind])).alias(
                field.name
            )
            for name, field in fields.items()
        ]
        frames.append(lowered.frame.select(*columns or [f.lit(1).alias("unit")]))
    return Relation(parts[0].source, reduce(DataFrame.unionAll, frames), fields)


_TYPES = {Kind.FOLDED: "long", Kind.ID: "long", Kind.TEXT: "string"}


def _compatible(left: Relation, right: Relation, shared: Iterable[str]) -> Column:
    condition = f.lit(True)
    for name in shared:
        here, there = left.fields[name], right.fields[name]
        same = here.column == there.column
        for field in (here, there):
            same = same if field.certain else same | field.column.isNull()
        condition = condition & same
    return condition


def _with_text(frame: DataFrame, dictionary: DataFrame, field: Field, new: Field) -> DataFrame:
    key = f"{new.name}k"
    texts = dictionary.select(f.col("id").alias(key), f.col("text").alias(new.name))
    return frame.join(texts, field.column == f.col(key), "left").drop(key)
