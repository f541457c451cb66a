"""What runs in a measured process: one function of ``benchmarks.systems``, its times and its result as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import astuple
from importlib import import_module
from pathlib import Path

from benchmarks.seconds import Stopwatch


def main(system: str, arguments: str, target: str) -> None:
    """Call ``module.function`` with a stopwatch and arguments, and write what it returns to a file.

    A system returns its result, by which it is compared with others, and numbers that it wants to tell besides.
    """
    module, function = system.rsplit(".", 1)
    watch = Stopwatch()
    measured = getattr(import_module(f"benchmarks.systems.{module}"), function)
    try:
        result, numbers = measured(watch, **json.loads(arguments))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("reasoner", "loaders", "ontologies", "benchmarks")):
            raise
        sys.exit(f"{error.name} is not installed; the extra [bench] of this project has it")
    phases = {name: astuple(seconds) for name, seconds in watch.phases.items()}
    text = json.dumps({"phases": phases, "result": result, "numbers": numbers})
    Path(target).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
