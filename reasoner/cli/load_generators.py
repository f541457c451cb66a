"""The generators of data sets, which come with the source checkout and not with the installed package."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import reasoner
from reasoner.errors import ReasonerError

_NAME = "reasoner_datasets"


def load_generators(folder: Path | None = None) -> ModuleType:
    """Return the ``datasets`` folder beside the ``reasoner`` package as a module.

    It is loaded by path and under another name, because ``datasets`` is the import name of another project.
    """
    if _NAME in sys.modules and folder is None:
        return sys.modules[_NAME]
    folder = folder or Path(reasoner.__file__).resolve().parent.parent / "datasets"
    start = folder / "__init__.py"
    specification = spec_from_file_location(_NAME, start, submodule_search_locations=[str(folder)])
    if not start.is_file() or specification is None or specification.loader is None:
        raise ReasonerError(f"no generators in {folder}: they come with the source checkout, not with the package")
    module = module_from_spec(specification)
    # Before it runs, because its files import one another relative to it.
    sys.modules[_NAME] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[_NAME]
        raise
    return module
