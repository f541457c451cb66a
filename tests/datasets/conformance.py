"""Where the reference material is, which some tests compare with and which is not a part of this repository."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

LUBM_FOLDER = Path(__file__).parents[3] / "shared" / "conformance" / "lubm"

needs_lubm = pytest.mark.skipif(
    not LUBM_FOLDER.is_dir(), reason="the LUBM sample is not there (../shared/conformance/lubm)"
)


def sample(name: str) -> Iterator[str]:
    """Yield a compressed file of the sample as one block."""
    with gzip.open(LUBM_FOLDER / name, "rt", encoding="utf-8") as stream:
        yield stream.read()
