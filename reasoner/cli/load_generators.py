"""The generators of data sets: inside the installed package, beside it in a checkout."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import reasoner
from reasoner.errors import ReasonerError

_NAME = "reasoner_datasets"


def load_generators(folder: Path | None = None) -> ModuleType:
    """Return the ``datasets`` folder of the package, or of the checkout, as a module.

    It is loaded by path and under another name, because ``datasets`` is the import name of another project.
    """
    if _NAME in sys.modules and folder is None:
        return sys.modules[_NAME]
    folder = folder or _folder()
    start = folder / "__init__.py"
    specification = spec_from_file_location(_NAME, start, submodule_search_locations=[str(folder)])
    if not start.is_file() or specification is None or specification.loader is None:
        raise ReasonerError(f"no generators in {folder}: the installation is not whole; install it again")
    module = module_from_spec(specification)
    # Before it runs, because its files import one another relative to it.
    sys.modules[_NAME] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[_NAME]
        raise
    return module


def _folder() -> Path:
    package = Path(reasoner.__file__).resolve().parent
    inside = package / "datasets"
    return inside if inside.is_dir() else package.parent / "datasets"
