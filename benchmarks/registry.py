"""All benchmarks by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType

from benchmarks import (
    break_even,
    equality,
    file_to_closure,
    four_way,
    growth,
    loading,
    many_rules,
    memory,
    one_class,
    reasoning_lubm,
    start_up,
    subclass_axioms,
    transitive,
    update_equality,
    update_growth,
    update_lubm,
)
from benchmarks.figure import Figure
from benchmarks.measure import Bench
from benchmarks.sheet import Sheet

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
    update_lubm,
    update_growth,
    update_equality,
    one_class,
    many_rules,
    four_way,
    break_even,
)


def _name(module: ModuleType) -> str:
    return str(module.NAME)


BENCHMARKS: Mapping[str, Callable[[Bench], Sequence[Figure | Sheet]]] = MappingProxyType(
    {_name(module): module.run for module in _MODULES}
)

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {_name(module): (module.__doc__ or "").partition("\n")[0] for module in _MODULES}
)
