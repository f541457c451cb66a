"""The Spark engine for a store, whose facts are columns that come to the driver only when somebody reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reasoner.columnar.factset import FactSet
from reasoner.spark.engine import SparkEngine
from reasoner.spark.facts import SparkFacts
from reasoner.spark.fetched import unwrapped, wrapped
from reasoner.spark.multiset import SparkMultiset


class StoreEngine:
    """Does what a Spark engine does, on sets of facts that a store can hold and read.

    Sets are unwrapped on their way in and wrapped on their way out, so that algorithms, stores and questions work on
    one and the same value; a set that comes out as it went in is the same object.
    """

    def __init__(self, spark: SparkEngine) -> None:
        object.__setattr__(self, "spark", spark)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.spark, name)
        return _on_columns(self.spark, found) if callable(found) else found

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.spark, name, value)


class _StoreMultiset:
    """A multiset of Spark over sets of facts that a store can hold."""

    def __init__(self, engine: SparkEngine, spark: SparkMultiset) -> None:
        self._engine = engine
        self.spark = spark

    @property
    def facts(self) -> FactSet:
        return wrapped(self._engine, self.spark.facts)

    def __getattr__(self, name: str) -> Any:
        return _on_columns(self._engine, getattr(self.spark, name))


def _on_columns(engine: SparkEngine, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of Spark for arguments and results that are columns."""

    def called(*arguments: Any, **named: Any) -> Any:
        given = [_inwards(engine, argument) for argument in arguments]
        result = method(*given, **{name: _inwards(engine, argument) for name, argument in named.items()})
        for argument, inside in zip(arguments, given, strict=True):
            if result is inside and isinstance(argument, FactSet | _StoreMultiset):
                return argument
        return _outwards(engine, result)

    return called


def _inwards(engine: SparkEngine, value: Any) -> Any:
    if isinstance(value, FactSet):
        return unwrapped(engine, value)
    return value.spark if isinstance(value, _StoreMultiset) else value


def _outwards(engine: SparkEngine, value: Any) -> Any:
    match value:
        case SparkFacts():
            return wrapped(engine, value)
        case SparkMultiset():
            return _StoreMultiset(engine, value)
        case tuple():
            return tuple(_outwards(engine, part) for part in value)
    return value
