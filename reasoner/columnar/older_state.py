"""An earlier version of a store on disk as a state that the present one can be compared with."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.home import read_state
from reasoner.columnar.store import Snapshot
from reasoner.store.errors import StoreError
from reasoner.store.folder import read_manifest


def older_state(folder: Path, version: int, created: str, dictionary: Dictionary) -> Snapshot | None:
    """Return the state of a version, None if it is gone, was another one, or has other ids for its terms."""
    try:
        manifest = read_manifest(folder, version)
        if manifest.created != created or "facts" not in manifest.tables:
            return None
        state, terms = read_state(folder, manifest)
    except (StoreError, OSError):
        return None
    if len(terms) > len(dictionary):
        return None
    ids = np.arange(len(terms))
    return state if terms.decode_arrow(ids).equals(dictionary.decode_arrow(ids)) else None
