"""The packages that stand beside this one in a checkout, and whether they are the ones that an import finds.

A wheel has ``loaders`` and ``ontologies`` inside ``reasoner``, where nothing gets in their way. In a checkout or an
editable install they are top-level packages, and a file of the same name beside a user's script would come first.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

_BESIDE = ("loaders", "ontologies")


def require_neighbours() -> None:
    """Refuse to go on with modules of somebody else under the names of ours, and say which file is in the way."""
    package = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120
    if os.path.isdir(os.path.join(package, _BESIDE[0])):  # noqa: PTH112, PTH118
        return
    for name in _BESIDE:
        ours = os.path.join(os.path.dirname(package), name)  # noqa: PTH118, PTH120
        found = _place_of(name)
        # Without any, the import itself says that the installation is not whole.
        if found is not None and os.path.realpath(found) != os.path.join(ours, "__init__.py"):  # noqa: PTH118
            raise ImportError(
                f"{found} is in the way of the package {name} of reasoner, which is in {ours}: rename it, run the "
                "program from another folder, or install a wheel of reasoner (pip install . in the checkout), in "
                f"which {name} is a part of reasoner",
                name=name,
                path=found,
            )


def _place_of(name: str) -> str | None:
    """Return the file or folder that an import of a name ends in, None if there is none."""
    module = sys.modules.get(name)
    specification = find_spec(name) if module is None else getattr(module, "__spec__", None)
    if specification is None:
        return getattr(module, "__file__", None)
    if specification.origin is None:
        # A folder without __init__.py.
        return next(iter(specification.submodule_search_locations or ()), None)
    return str(specification.origin)
