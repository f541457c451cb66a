"""All benchmarks by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType

from benchmarks import (
    equality,
    file_to_closure,
    growth,
    loading,
    memory,
    reasoning_lubm,
    start_up,
    subclass_axioms,
    transitive,
)
from benchmarks.figure import Figure
from benchmarks.measure import Bench

_MODULES = (
    reasoning_lubm,
    file_to_closure,
    loading,
    subclass_axioms,
    transitive,
    equality,
    memory,
    growth,
    start_up,
)


def _name(module: ModuleType) -> str:
    return str(module.NAME)


BENCHMARKS: Mapping[str, Callable[[Bench], list[Figure]]] = MappingProxyType(
    {_name(module): module.run for module in _MODULES}
)

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {_name(module): (module.__doc__ or "").partition("\n")[0] for module in _MODULES}
)
