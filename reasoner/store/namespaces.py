"""The prefixes that documents of a store declared, in a file beside its versions; they are for output alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from reasoner.store import durable_file
from reasoner.store.errors import StoreError

FILE = "namespaces.json"


def read_namespaces(folder: Path) -> dict[str, str]:
    """Return the prefixes of a store with their namespaces; none if it has no record of them."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        kept = json.loads(path.read_bytes())
        if not all(isinstance(namespace, str) for namespace in kept.values()):
            raise ValueError
    except (ValueError, AttributeError):
        raise StoreError(
            f"{path} is no record of prefixes; restore it from a copy, or remove it, after which they are unknown"
        ) from None
    return dict(kept)


def write_namespaces(folder: Path, prefixes: Mapping[str, str]) -> None:
    """Write the prefixes of a store; only who holds the lock may do so."""
    durable_file.replace(folder / FILE, json.dumps(dict(prefixes), indent=1, ensure_ascii=False).encode())
