"""All benchmarks by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType

from benchmarks import (
    axiom_lubm,
    axiom_taxonomy,
    break_even,
    default_profile,
    dynamic_streams,
    equality,
    file_to_closure,
    four_way,
    growth,
    loading,
    many_rules,
    memory,
    one_class,
    queries_class,
    queries_lubm,
    reasoning_lubm,
    reasoning_peers,
    regression,
    scaling,
    server_load,
    spark_components,
    spark_driver_rows,
    spark_equality,
    spark_load,
    spark_materialise,
    spark_updates,
    start_up,
    subclass_axioms,
    transitive,
    update_equality,
    update_growth,
    update_lubm,
    volz,
)
from benchmarks.figure import Figure
from benchmarks.measure import Bench
from benchmarks.sheet import Sheet

_MODULES = (
    reasoning_lubm,
    reasoning_peers,
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
    default_profile,
    four_way,
    break_even,
    dynamic_streams,
    axiom_lubm,
    axiom_taxonomy,
    volz,
    queries_lubm,
    queries_class,
    server_load,
    regression,
    scaling,
    spark_load,
    spark_materialise,
    spark_updates,
    spark_equality,
    spark_components,
    spark_driver_rows,
)


def _name(module: ModuleType) -> str:
    return str(module.NAME)


BENCHMARKS: Mapping[str, Callable[[Bench], Sequence[Figure | Sheet]]] = MappingProxyType(
    {_name(module): module.run for module in _MODULES}
)

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {_name(module): (module.__doc__ or "").partition("\n")[0] for module in _MODULES}
)

# Benchmarks that need more than the others, such as Java, run only if their group or they themselves are asked for.
GROUP_OF: Mapping[str, str] = MappingProxyType(
    {_name(module): str(getattr(module, "GROUP", "")) for module in _MODULES}
)
