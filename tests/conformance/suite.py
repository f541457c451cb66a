"""Where the public suites are, if they are: beside the repository, never in it."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "conformance"


def need(*parts: str) -> Path:
    """Return a path of the conformance material, or skip."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the conformance material is not beside the repository ({parts[0]})", allow_module_level=True)
    return path


def harness(*parts: str) -> ModuleType:
    """Import a harness of the conformance material."""
    path = need(*parts)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
